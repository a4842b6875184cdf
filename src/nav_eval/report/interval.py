"""The one 95 % interval that a report gives for a mean, wherever it stands: page, charts and tables.

It speaks of the episodes that were played, as ranks and verdicts do: Wilson's for rates, the bootstrap's for other
means. What is known of other buildings stands beside it, under that name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nav_eval.results.statistics import Interval, by_building


def interval(summary: Mapping[str, Any] | None) -> Interval | None:
    """Of a metric's entry in results.json; None where nothing can be said: all episodes are the same."""
    return _read_interval(summary and summary["ci95"])


def in_other_buildings(summary: Mapping[str, Any]) -> Interval | None:
    """None below five buildings, and where all of them are the same by a measure that is no share."""
    return _read_interval(summary["ci95_scenes"]) if by_building(summary) else None


def _read_interval(found: Any) -> Interval | None:
    return None if found is None or found[0] == found[1] else (found[0], found[1])
