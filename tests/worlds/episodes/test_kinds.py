"""Every kind of thing is declared, once and whole: what is made and stands nowhere in things.toml is a fault."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import nav_eval_worlds
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language.kinds import BORNE, DESIGNS, KINDS, MUTE, SEEN
from nav_eval_worlds.language.rooms_map import BUILT_IN
from nav_eval_worlds.language.wording import LANGUAGES, tables
from nav_eval_worlds.things.catalogue import MAKERS, numbers
from nav_eval_worlds.things.sketch import Shape

SOURCES = Path(nav_eval_worlds.__file__).parent
DECLARED = tomllib.loads((SOURCES / "language" / "things.toml").read_text(encoding="utf-8"))
TRAITS = {"dull", "unsaid", "faced", "bearer", "patterned", "outlined", "upright"}


def named_in_builders() -> Iterator[str]:
    """The categories that furniture is made with, read from the builders: a home has few of the rare ones."""
    for path in (SOURCES / "furniture").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Made":
                category = ast.literal_eval(node.args[0])
                assert isinstance(category, str), f"{path.name}, line {node.lineno}"
                yield category


def test_whatever_is_made_is_told_or_mute() -> None:
    small = {MAKERS[name](Shape(k), Stream("kinds")).category for name in MAKERS for k in numbers(name)}
    made = small | set(named_in_builders())
    assert len(made) > 100
    forgotten = made - SEEN - BORNE - MUTE - BUILT_IN
    assert not forgotten, f"declare them in language/things.toml, or name them in its `mute`: {sorted(forgotten)}"
    assert not MUTE - made, "nothing of these is made"


def test_no_kind_is_declared_twice() -> None:
    tables_ = [set(DECLARED[table]) for table in ("things", "seen", "borne", "designs", "mute")]
    assert sum(map(len, tables_)) == len(set.union(*tables_))


@pytest.mark.parametrize("table", ["things", "seen", "borne", "designs"])
def test_a_kind_is_declared_whole(table: str) -> None:
    """In every language, with a Chinese measure word where one counts it; with nothing that is read by nobody."""
    known = {*LANGUAGES, "zh_measure"} | ({"of", "rooms", "between"} if table == "designs" else {"traits", "sizes"})
    for kind, facts in DECLARED[table].items():
        assert set(LANGUAGES) <= set(facts) <= known, kind
        assert "zh_measure" in facts or table in ("borne", "designs"), kind
        assert set(facts.get("traits", ())) <= TRAITS, kind
        assert {word for word, *_ in facts.get("sizes", ())} <= set(tables("en")["size"]) | {"double", "single"}, kind
        assert facts.get("of", "table") in SEEN, kind
        assert set(facts.get("rooms", ())) <= set(tables("en")["rooms"]), kind


def test_a_design_is_no_category() -> None:
    assert not set(DESIGNS) & (KINDS | SEEN | BORNE)
