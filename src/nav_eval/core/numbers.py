"""The numbers of an episode's metrics: one of each, and of a record (a dict) one for each key that has one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def numbers_of(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Name -> number; those of a record are called name.key. What is no number is not in it."""
    return {
        column: float(value)
        for name, whole in metrics.items()
        for column, value in parts_of(name, whole)
        if isinstance(value, int | float)
    }


def parts_of(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A metric's value, or what its record holds, each with the name of its column."""
    if isinstance(value, Mapping):
        yield from ((f"{name}.{key}", part) for key, part in value.items())
    else:
        yield name, value
