"""The kinds of things as language knows them: names, sizes and what is told of them, all declared in things.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nav_eval.engine.scene.scene import SemanticObject

_DECLARED = tomllib.loads((Path(__file__).parent / "things.toml").read_text(encoding="utf-8"))
_TABLES = ("things", "seen", "borne", "designs")
KINDS = frozenset(_DECLARED["things"])
"""What one may be told to pass or to stop at."""
_CATEGORIES: Mapping[str, Mapping[str, Any]] = _DECLARED["things"] | _DECLARED["seen"]
SEEN = frozenset(_CATEGORIES)
"""What may be told as seen."""
BORNE = frozenset(_DECLARED["borne"])
"""What may be told to stand on something."""
DESIGNS: Mapping[str, Mapping[str, Any]] = _DECLARED["designs"]
"""Kinds of a category that have names of their own."""
_IN_ROOMS = {name: facts for name, facts in DESIGNS.items() if "of" in facts}
MUTE = frozenset(_DECLARED["mute"])
"""What is never told."""


def names(language: str) -> dict[str, dict[str, Any]]:
    """Table -> kind -> its names in a language; the table `measure` has its measure words, if it has such."""
    found = {table: {kind: facts[language] for kind, facts in _DECLARED[table].items()} for table in _TABLES}
    every = [one for table in _TABLES for one in _DECLARED[table].items()]
    word = f"{language}_measure"
    return found | {"measure": {kind: facts[word] for kind, facts in every if word in facts}}


def having(trait: str) -> frozenset[str]:
    """The categories of which things.toml says this."""
    return frozenset(kind for kind, facts in _CATEGORIES.items() if trait in facts.get("traits", ()))


def size_word(thing: SemanticObject) -> str:
    """large, tall or the like; "" where no word is certain."""
    sizes = _CATEGORIES.get(thing.category, {}).get("sizes", ())
    return next((word for word, *between in sizes if _measures(thing, *between)), "")


def design_in(room: str, thing: SemanticObject) -> str:
    """The design that a category's thing is in a room; "" where the category's own name fits."""
    there = (
        name
        for name, facts in _IN_ROOMS.items()
        if facts["of"] == thing.category and room in facts.get("rooms", (room,))
    )
    return next((name for name in there if _measures(thing, *DESIGNS[name]["between"])), "")


def _measures(thing: SemanticObject, measure: str, low: float, high: float) -> bool:
    x, y, z = thing.size
    return low < {"length": max(x, z), "height": y, "width": min(x, z)}[measure] < high
