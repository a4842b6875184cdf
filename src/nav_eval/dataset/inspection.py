"""What is wrong in a JSON value whatever it means: keys that stand twice, NaN and infinity, broken Unicode.

Only the validator looks this closely; it costs several times the decoding.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from nav_eval.dataset.fields import Origin, encodable


class Duplicated(dict[str, Any]):
    """An object in which `twice` stood more than once."""

    twice: tuple[str, ...] = ()


def checked_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object_pairs_hook for json that remembers duplicate keys."""
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    counts = Counter(key for key, _ in pairs)
    marked = Duplicated(plain)
    marked.twice = tuple(key for key in plain if counts[key] > 1)
    return marked


def oddities(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """(JSON path, message) of everything in `value` that no data set should hold."""
    waiting = [(path, value)]
    while waiting:
        place, item = waiting.pop()
        if isinstance(item, float) and not math.isfinite(item):
            yield place, f"{item} is not a finite number"
        elif isinstance(item, str) and not encodable(item):
            yield place, "the text holds half of a surrogate pair"
        elif isinstance(item, list):
            waiting.extend((f"{place}[{i}]", child) for i, child in enumerate(item) if not isinstance(child, int))
        elif isinstance(item, dict):
            yield from _repeated_names(item, place)
            waiting.extend((f"{place}.{key}" if place else key, child) for key, child in item.items())


def report_oddities(value: Any, origin: Origin, path: str) -> None:
    """Tell `origin` of every oddity in `value`, which stands at `path`."""
    for place, message in oddities(value, path):
        origin.fault(place, message)


def _repeated_names(item: dict[str, Any], place: str) -> Iterator[tuple[str, str]]:
    if isinstance(item, Duplicated):
        for key in item.twice:
            yield f"{place}.{key}" if place else key, "the key appears twice"
