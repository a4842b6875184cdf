"""What the pages call a configuration key is one, and no page sends a reader to a call that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from documentation.pages import PAGES, ROOT
from nav_eval.config.schema import Config, SensorConfig
from nav_eval.core.interfaces import Simulator, Task
from nav_eval.engine.navmesh.mesh import NavMesh

SECTIONS = "|".join(Config.model_fields)
KEY = re.compile(rf"(?<![\w./-])((?:{SECTIONS})(?:\.\w+)+)(?![\w(/])")
CALL = re.compile(r"\bnav\.(\w+)\(")
FILES = re.compile(r"\.(json|yaml|yml|glb|py|csv|md|html|txt|sh|jsonl|proto)$")


def keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield prefix + name
        kind: Any = field.annotation
        for part in (kind, *getattr(kind, "__args__", ())):
            if isinstance(part, type) and issubclass(part, BaseModel) and part is not SensorConfig:
                yield from keys(part, f"{prefix}{name}.")


KNOWN = set(keys(Config))
MISSPELT = {"evaluation.max_stepz", "dataset.limt", "dataset.episodes.0"}
"""In messages that a page shows on purpose."""


def known(key: str) -> bool:
    sensor = re.fullmatch(r"simulator\.sensors\.\w+(?:\.(\w+)(?:\.\w+)*)?", key)
    if sensor:
        return sensor[1] is None or sensor[1] in SensorConfig.model_fields
    section, name, *_ = key.split(".")
    if hasattr({"simulator": Simulator, "task": Task}.get(section), name):  # an object in a plug-in
        return True
    return (
        key in KNOWN
        or key in MISSPELT
        or key.startswith(("simulator.options.", "simulator.people.options.", "task.options."))
    )


def unknown(page: Path) -> set[str]:
    """What a page names and nothing has."""
    text = page.read_text("utf-8")
    ours = text
    if page.name == "coming-from-habitat.md":  # its left columns hold Habitat's keys
        ours = "\n".join("|".join(line.split("|")[2:]) for line in text.splitlines())
    keys = {key for key in KEY.findall(ours) if not FILES.search(key) and not known(key)}
    return keys | {name for name in CALL.findall(text) if not hasattr(NavMesh, name)}


def test_keys_and_calls_exist() -> None:
    assert {str(page.relative_to(ROOT)): unknown(page) for page in PAGES if unknown(page)} == {}
