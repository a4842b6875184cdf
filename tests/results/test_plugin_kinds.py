"""A run's manifest knows every way in which an installed package can add something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from nav_eval.results.run_directory import PLUGIN_KINDS

ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "src", *(ROOT / "packages").glob("*/src"))


def registered() -> Iterator[str]:
    """The kinds of all registries in the sources, as their groups of entry points are called."""
    for path in (path for folder in SOURCES for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Registry":
                yield ast.literal_eval(node.args[0]).replace(" ", "_")


def test_every_registry_is_a_kind_of_plugin() -> None:
    assert sorted(PLUGIN_KINDS) == sorted(registered())
    assert len(PLUGIN_KINDS) > 10
