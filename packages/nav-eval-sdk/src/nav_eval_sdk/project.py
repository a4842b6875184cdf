"""`nav-eval-agent new`: copies the template project."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from nav_eval_sdk.protocol.version import SDK_VERSION

NAMES = {"agent.py.txt": "agent.py", "dockerignore.txt": ".dockerignore"}


def create(directory: Path) -> list[Path]:
    """Write the project; raises FileExistsError rather than touch what is there."""
    if directory.exists() and any(directory.iterdir()):
        raise FileExistsError(f"{directory} is not empty. Choose another directory.")
    directory.mkdir(parents=True, exist_ok=True)
    created = []
    for template in sorted(files("nav_eval_sdk").joinpath("templates").iterdir(), key=lambda item: item.name):
        path = directory / NAMES.get(template.name, template.name)
        path.write_text(template.read_text(encoding="utf-8").replace("{{version}}", SDK_VERSION), encoding="utf-8")
        created.append(path)
    return created
