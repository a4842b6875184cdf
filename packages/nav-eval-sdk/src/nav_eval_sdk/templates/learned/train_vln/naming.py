"""Which words of an instruction name which kind of thing or room, by the tables that the instructions are made from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from nav_eval.worlds.episodes.wording import LANGUAGES, tables
from nav_eval_sdk.examples.learned.words import tokens

DESIGNS = {
    "office_desk": "desk",
    "writing_desk": "desk",
    "armchair": "chair",
    "bar_stool": "stool",
    "bathroom_sink": "sink",
    "coffee_table": "table",
    "computer_monitor": "tv_monitor",
    "conference_table": "table",
    "dining_chair": "chair",
    "dining_table": "table",
    "hall_table": "table",
    "kitchen_counter": "counter",
    "kitchen_sink": "sink",
    "kitchen_table": "table",
    "reception_desk": "desk",
    "wall_screen": "tv_monitor",
    "waste_basket": "bin",
}
"""The kind of things that have a name of their own."""
ROOM = "in the {}"
"""The kind of a room."""


@cache
def names() -> dict[tuple[str, ...], str]:
    """Kinds by the tokens of their names."""
    found = {}
    for table in map(tables, LANGUAGES):
        for part in ("things", "seen", "designs", "rooms"):
            for key, words in table[part].items():
                kind = ROOM.format(key) if part == "rooms" else DESIGNS.get(key, key)
                found.update({tuple(tokens(name)): kind for name in ([words] if isinstance(words, str) else words)})
    return found


def tagged(text: str, kinds: Sequence[str]) -> list[int]:
    """Of each token the number of the kind that it names, len(kinds) where none; long names go before short ones."""
    words, number = tokens(text), {kind: place for place, kind in enumerate(kinds)}
    out, place = [len(kinds)] * len(words), 0
    longest = max(map(len, names()))
    while place < len(words):
        sizes = (size for size in range(longest, 0, -1) if tuple(words[place : place + size]) in names())
        size = next(sizes, 0)
        if size:
            kind = number.get(names()[tuple(words[place : place + size])], len(kinds))
            out[place : place + size] = [kind] * size
        place += size or 1
    return out
