"""What parts of one run must have in common, whichever machine plays them: files, packages, plug-ins, seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SOURCES = (".py", ".yaml", ".binpb")
"""Endings of the files that decide what the evaluator does."""
PARTS = ("nav_eval_sdk", "nav_eval_extras")
"""Packages of ours that a result depends on, where they are installed."""
OF_A_MACHINE = ("python", "platform")
"""Versions that differ from machine to machine without changing a record."""
PLAIN = ("nav_eval", "nav_eval_sha256", "benchmark", "profile", "renderer", "seed")
NAMED = ("versions", "plugins", "dataset_sha256")


@cache
def sources_sum() -> str:
    """SHA-256 over the names and the content of the evaluator's own source files, and of PARTS."""
    total = hashlib.sha256()
    for package in ("nav_eval", *filter(find_spec, PARTS)):
        for name, path in sorted(_sources(package)):
            total.update(f"{name}\0{path.stat().st_size}\0".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def _sources(package: str) -> Iterator[tuple[str, Path]]:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    return ((f"{package}/{p.relative_to(folder).as_posix()}", p) for p in folder.rglob("*") if p.suffix in SOURCES)


def differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """What of their manifest's facts is not as in ours, a text each, such as "dataset x.json.gz"; none if all agree.

    Scenes count only where both have them: a part plays some of them. Rules are compared by key (run_directory.py).
    """
    return [
        *(name.removesuffix("_sha256") for name in PLAIN if ours.get(name) != theirs.get(name)),
        *(text for name in NAMED for text in _differences(name.removesuffix("_sha256"), ours[name], theirs[name])),
        *changed(ours["assets_sha256"], theirs["assets_sha256"]),
    ]


def changed(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Names of the files that both have and that differ."""
    return [name for name in sorted(ours.keys() & theirs.keys()) if ours[name] != theirs[name]]


def _differences(kind: str, ours: Mapping[str, str], theirs: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in OF_A_MACHINE and ours.get(name) != theirs.get(name):
            yield f"{kind} {name}"
