"""What the pages call a configuration key is one, and no page sends a reader to a call that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_keys_and_calls_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    named = {key for key in KEY.findall(text) if not FILES.search(key)}
    if page.name != "coming-from-habitat.md":
        assert {key for key in named if not known(key)} == set()
    else:  # its left columns hold Habitat's keys
        right = {k for line in text.splitlines() for k in KEY.findall("|".join(line.split("|")[2:]))}
        assert {key for key in right if not known(key)} == set()
    assert {name for name in CALL.findall(text) if not hasattr(NavMesh, name)} == set()
