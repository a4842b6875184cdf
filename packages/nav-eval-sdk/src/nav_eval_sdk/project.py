"""`nav-eval-agent new`: copies a template project."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from nav_eval_sdk.protocol.version import SDK_VERSION

NAMES = {"agent.py.txt": "agent.py", "dockerignore.txt": ".dockerignore", "test_agent.py.txt": "test_agent.py"}
TEMPLATES = {"agent": ("nav_eval_sdk", "templates/agent"), "learned": ("nav_eval_baselines", "template")}
"""Package and folder of: a class to fill in; the sample model with what trains it."""


def create(directory: Path, template: str = "agent") -> list[Path]:
    """Write the project; raises FileExistsError rather than touch what is there.

    Raises ModuleNotFoundError where the template's package is not installed.
    """
    if directory.exists() and any(directory.iterdir()):
        raise FileExistsError(f"{directory} is not empty. Choose another directory.")
    created = []
    for name, source in sorted(dict(_sources(template)).items()):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.read_text(encoding="utf-8").replace("{{version}}", SDK_VERSION), encoding="utf-8")
        created.append(path)
    return created


def _sources(template: str) -> Iterator[tuple[str, Any]]:
    """The files of a template by where they go; what is common to all comes first, so that its own take its place."""
    package, place = TEMPLATES[template]
    own, common = files(package).joinpath(place), files("nav_eval_sdk").joinpath("templates")
    for folder in (common, own):
        yield from ((NAMES.get(file.name, file.name), file) for file in folder.iterdir() if file.is_file())
    for part in own.iterdir():
        if part.is_dir() and part.name != "__pycache__":
            yield from ((f"{part.name}/{file.name}", file) for file in part.iterdir() if file.is_file())
