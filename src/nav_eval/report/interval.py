"""The one 95 % interval that a report gives for a mean, wherever it stands: page, charts and tables.

With five buildings or more it is the one whose errors are clustered by building (`ci95_scenes`), because episodes of
one building are alike; else Wilson's for rates and the bootstrap's for other means (`ci95`). It is cut where the
measure ends. Where all buildings have the same mean their spread says nothing: a rate falls back on Wilson's interval,
another mean has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nav_eval.core.definitions import Definition
from nav_eval.report.source import Run
from nav_eval.results.statistics import Interval, by_building

SIGNED = ("goal_progress",)
"""Measures that may be below 0 even where no episode of a run is."""


def is_share(definition: Definition) -> bool:
    """Whether its values lie between 0 and 1."""
    return definition.kind == "rate" or definition.unit == "share"


def interval(run: Run, name: str, definition: Definition) -> Interval | None:
    """That of metric `name` over the run, in the metric's unit; None where nothing can be said."""
    found = usual(run.summary["metrics"].get(name))
    if found is None:
        return None
    low, high = found
    if low < 0 and name not in SIGNED and (is_share(definition) or _never_below_zero(run, name)):
        low = 0.0
    return low, min(high, 1.0) if is_share(definition) else high


def usual(summary: Mapping[str, Any] | None) -> Interval | None:
    """Of a metric's entry in results.json; not cut."""
    if summary is None or summary["ci95"] is None:
        return None
    low, high = summary["ci95"]
    if by_building(summary):
        scenes = summary["ci95_scenes"]
        low, high = (low, high) if scenes[0] == scenes[1] and summary["method"] == "wilson" else scenes
    return None if low == high else (low, high)


def _never_below_zero(run: Run, name: str) -> bool:
    return all(result.metrics[name] >= 0 for result in run.results.values() if name in result.metrics)
