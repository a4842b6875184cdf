"""A run directory: what it may not tell, how it is named, and that its manifest knows every way in which an installed
package can add something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from nav_eval.config.loader import load_config
from nav_eval.config.secrecy import public_config
from nav_eval.results.run_directory import PLUGIN_KINDS, RunDirectory

TOKEN = "tokentokentoken"


def test_the_configuration_that_is_kept_holds_no_token(tmp_path: Path) -> None:
    inside = "agent_service.allowed_networks=[10.77.0.0/16]"
    given = [f"agent_service.token={TOKEN}", f"agent_service.secret={TOKEN}", inside]
    config = load_config(overrides=given, environment={})
    assert TOKEN not in str(public_config(config))
    with RunDirectory.named(tmp_path / "run", config) as directory:
        directory.claim(resume=False)
        directory.begin(config, {})
    written = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert len(written) > 2
    assert not any(TOKEN.encode() in content or b"10.77" in content for content in written)


def test_the_secret_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    assert len(directory.secret) == 64
    assert (tmp_path / "secret.key").stat().st_mode & 0o077 == 0
    assert RunDirectory(tmp_path).secret == directory.secret


def test_a_run_is_named_within_its_folder(tmp_path: Path) -> None:
    config = load_config(overrides=["benchmark.name='../../etc/x y'", f"output.log_dir={tmp_path}"], environment={})
    named = RunDirectory.named(None, config).path
    assert named.parent == tmp_path
    assert "/" not in named.name


ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "src", *(ROOT / "packages").glob("*/src"))


def registered() -> Iterator[str]:
    """The kinds of all registries in the sources, as their groups of entry points are called."""
    texts = [path.read_text(encoding="utf-8") for folder in SOURCES for path in folder.rglob("*.py")]
    for text in (text for text in texts if "Registry" in text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Registry":
                yield ast.literal_eval(node.args[0]).replace(" ", "_")


def test_every_registry_is_a_kind_of_plugin() -> None:
    assert sorted(PLUGIN_KINDS) == sorted(registered())
    assert len(PLUGIN_KINDS) > 10
