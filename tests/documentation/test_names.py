"""What the pages name is there: keys of the configuration, calls, and the tests by which something is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from documentation.matrix import ALONE, READ, REFUSED, ROWS
from documentation.pages import PAGES, ROOT
from nav_eval.config.schema import Config, SensorConfig
from nav_eval.core.interfaces import Simulator, Task
from nav_eval.dataset.registry import DATASETS
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


def test_every_type_of_data_set_has_a_row_whose_conventions_exist() -> None:
    assert {row.type for row in ROWS} == set(DATASETS.names())
    known = {path.stem for path in (ROOT / "src/nav_eval/configs/convention").glob("*.yaml")}
    assert {name for row in ROWS for name in row.conventions} <= known


def test_the_tests_of_the_table_of_data_sets_and_the_proofs_of_the_security_page_are_there() -> None:
    named = {ALONE, READ, REFUSED, *(test for row in ROWS for test in row.tests)}
    file = ""
    for path, test in PROOF.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8")):
        file = path or file  # of several tests of one file the first says which
        named |= {f"{file}{test}"} if path or test else set()
    assert len(named) > 100
    assert [name for name in sorted(named) if not is_there(*name.partition("::"))] == []


PROOF = re.compile(r"`((?:[\w/]+\.py)?)((?:::\w+)?)`")


def is_there(file: str, _: str, test: str) -> bool:
    path = ROOT / "tests" / file
    return path.is_file() and (not test or f"def {test}(" in path.read_text("utf-8"))
