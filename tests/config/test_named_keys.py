"""A message that tells a user to set a key names one that exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config

SOURCES = Path(__file__).parents[2] / "src" / "nav_eval"
KEY = re.compile(rf"(?<![\w./])(?:{'|'.join(set(Config.model_fields) - {'plugins', 'seed'})})(?:\.[a-z_]+)+(?![\w(])")
OBJECTS = {"simulator.reset", "simulator.step", "task.description", "task.fields", "task.own_actions"}
"""Attributes of Python objects that have a section's name."""
OLD = {"agent_service.replays"}
"""Keys of before, which a message names beside the new ones."""


def texts() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path.name, node.value


def exists(key: str) -> bool:
    model: Any = Config
    for part in key.split("."):
        fields = getattr(model, "model_fields", None)
        if fields is None:
            return True  # options, sensors: whatever their owners take
        if part not in fields:
            return False
        model = fields[part].annotation
    return True


def test_every_key_that_a_text_names_exists() -> None:
    named = {(file, key) for file, text in texts() for key in KEY.findall(text)}
    assert len(named) > 60
    assert {(file, key) for file, key in named if not exists(key) and key not in OBJECTS | OLD} == set()
