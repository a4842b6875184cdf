"""The report's figures over groups of episodes: by scene, by length, by language; distributions; latency.

All of it is computed here and not in the page, so that a public report needs no episode's data.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nav_eval.core.definitions import Definition
from nav_eval.core.types import Kind
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.report.interval import interval
from nav_eval.report.result_columns import Floats, ResultColumns
from nav_eval.report.source import Run
from nav_eval.results.statistics import summarise

MAX_LEADING = 3
LENGTH_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 50.0, 100.0)
MAX_LENGTHS = 6
BINS = 24
MIN_PUBLIC = 5
PERCENTILES = (50, 90, 95, 99, 100)


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes that share something, by their rows; `label` is "" for what could not be told."""

    kind: str
    label: str
    rows: npt.NDArray[np.intp]


def groups(
    scenes: Sequence[str], shortest: Sequence[float | None], languages: Sequence[str], categories: Sequence[str | None]
) -> list[Group]:
    """By scene, length of the shortest way, language and goal category; a kind with one group only is left out."""
    labels: dict[str, Iterable[str]] = {
        "scene": scenes,
        "length": map(length_bins(shortest), shortest),
        "language": languages,
        "category": (category or "" for category in categories),
    }
    return [group for kind, told in labels.items() for group in _group(kind, told)]


def _group(kind: str, labels: Iterable[str]) -> list[Group]:
    members: dict[str, array[int]] = defaultdict(lambda: array("q"))
    for row, label in enumerate(labels):
        members[label].append(row)
    order = sorted(members, key=_length_order) if kind == "length" else sorted(members)
    return [Group(kind, name, np.asarray(members[name])) for name in order] if len(members) > 1 else []


def _length_order(label: str) -> float:
    return float(label.split("-")[0]) if label else math.inf


def length_bins(lengths: Iterable[float | None]) -> Callable[[float | None], str]:
    """A function from a length (m) to its bin's name, such as "5-10"; at most six bins, none for unknown or inf."""
    finite = [length for length in lengths if length is not None and math.isfinite(length)]
    most = max(finite, default=0.0)
    step = next((s for s in LENGTH_STEPS if most / s <= MAX_LENGTHS), LENGTH_STEPS[-1])

    def name(length: float | None) -> str:
        if length is None or not math.isfinite(length):
            return ""
        low = int(length / step) * step
        return f"{low:g}-{low + step:g}"

    return name


def leading_metrics(definitions: Mapping[str, Definition]) -> list[str]:
    """The metrics of the breakdowns: the first of each scale that has a better end (success, spl, metres)."""
    scales: dict[tuple[str, str], str] = {}
    for name, definition in definitions.items():
        if definition.better and "clock" not in definition.needs:
            scales.setdefault((definition.kind, definition.unit), name)
    return [*scales.values()][:MAX_LEADING] or [*definitions][:MAX_LEADING]


Numbers: TypeAlias = Mapping[str, Floats]
"""Metric -> (N,) its number in each episode, NaN where there is none."""


def numbers(run: Run, keys: Sequence[EpisodeKey], names: Iterable[str]) -> Numbers:
    """Of these episodes, in their order."""
    results = ResultColumns.of(run.results)
    rows = np.fromiter((results.rows.get(key, -1) for key in keys), np.intp, len(keys))
    if len(rows) == len(results) and (np.diff(rows, prepend=-1) == 1).all():
        return {name: results.metric(name) for name in names}
    return {name: np.append(results.metric(name), np.nan)[rows] for name in names}


def breakdown(
    runs: Sequence[Numbers], scenes: Sequence[str], found: Sequence[Group], metrics: Mapping[str, Definition]
) -> list[dict[str, Any]]:
    """One row per group: its size and, for each run and metric, mean and interval. `scenes`: of each episode."""
    return [
        {
            "kind": group.kind,
            "label": group.label,
            "n": len(group.rows),
            "runs": [{name: _mean(one[name], scenes, group, metrics[name]) for name in metrics} for one in runs],
        }
        for group in found
    ]


def _mean(column: Floats, scenes: Sequence[str], group: Group, definition: Definition) -> list[float | None]:
    rows = group.rows[~np.isnan(column[group.rows])]
    summary = summarise(column[rows], [scenes[row] for row in rows], definition)
    low, high = interval(asdict(summary)) or (None, None)
    return [summary.mean, low, high, summary.n]


def public_groups(found: Sequence[Group]) -> list[Group]:
    """Groups too small to hide an episode in are dropped."""
    return [group for group in found if len(group.rows) >= MIN_PUBLIC]


def counted(names: Sequence[str], found: Iterable[str]) -> dict[str, int]:
    """How often each name came up, in the order of `names`."""
    counts = Counter(found)
    return {name: counts[name] for name in names if counts[name]}


def histogram(runs: Sequence[Numbers], name: str, kind: Kind) -> dict[str, Any] | None:
    """Counts of a metric's finite values in common bins; None for a rate, and where there is nothing to show."""
    columns = [one[name][np.isfinite(one[name])] for one in runs]
    every = np.concatenate(columns)
    if kind == "rate" or every.size == 0 or every.min() == every.max():
        return None
    edges = nice_edges(float(every.min()), float(every.max()))
    return {
        "metric": name,
        "edges": edges.tolist(),
        "counts": [np.histogram(column, edges)[0].tolist() for column in columns],
    }


def nice_edges(low: float, high: float, most: int = BINS) -> npt.NDArray[np.float64]:
    """Round bin edges that cover [low, high]; the step is 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    # Rounding must leave no value outside.
    first, last = first - (first * step > low), last + (last * step < high)
    return np.arange(first, max(last, first + 1) + 1, dtype=np.float64) * step


def latency(columns: Sequence[npt.NDArray[np.float32]]) -> dict[str, Any] | None:
    """Seconds that an agent took per action: percentiles, and counts in bins that grow by equal factors."""
    every = np.concatenate(columns)
    every = every[every > 0]
    if not every.size:
        return None
    edges = np.geomspace(every.min() * 0.999, every.max() * 1.001, BINS + 1)
    return {
        "edges": edges.tolist(),
        "counts": [np.histogram(column, edges)[0].tolist() for column in columns],
        "percentiles": [np.percentile(c, PERCENTILES).tolist() if c.size else None for c in columns],
        "n": [int(column.size) for column in columns],
    }
