"""The report's figures over groups of episodes: by scene, by length, by language; distributions; latency.

All of it is computed here and not in the page, so that a public report needs no episode's data.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.core.definitions import Definition
from nav_eval.core.types import EpisodeResult, Kind
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.report.interval import interval
from nav_eval.report.scenery import EpisodeFacts
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
    """Episodes that share something; `label` is "" for what could not be told."""

    kind: str
    label: str
    keys: tuple[EpisodeKey, ...]


def groups(facts: Mapping[EpisodeKey, EpisodeFacts], keys: Sequence[EpisodeKey]) -> list[Group]:
    """By scene, length of the shortest way, language and goal category; a kind with one group only is left out."""
    known = {key: facts.get(key, EpisodeFacts()) for key in keys}
    lengths = length_bins([fact.shortest for fact in known.values()])
    kinds: dict[str, Callable[[EpisodeKey], str]] = {
        "scene": lambda key: key[0],
        "length": lambda key: lengths(known[key].shortest),
        "language": lambda key: known[key].language,
        "category": lambda key: known[key].category or "",
    }
    return [group for kind, label in kinds.items() for group in _grouped(kind, label, keys)]


def _grouped(kind: str, label: Callable[[EpisodeKey], str], keys: Sequence[EpisodeKey]) -> list[Group]:
    members: dict[str, list[EpisodeKey]] = defaultdict(list)
    for key in keys:
        members[label(key)].append(key)
    order = sorted(members, key=_length_order) if kind == "length" else sorted(members)
    return [Group(kind, name, tuple(members[name])) for name in order] if len(members) > 1 else []


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


def breakdown(runs: Sequence[Run], found: Sequence[Group], metrics: Mapping[str, Definition]) -> list[dict[str, Any]]:
    """One row per group: its size and, for each run and metric, mean and interval."""
    return [
        {
            "kind": group.kind,
            "label": group.label,
            "n": len(group.keys),
            "runs": [_means(r, group, metrics) for r in runs],
        }
        for group in found
    ]


def _means(run: Run, group: Group, metrics: Mapping[str, Definition]) -> dict[str, Any]:
    results = [run.results[key] for key in group.keys if key in run.results]
    return {name: _mean(name, definition, results) for name, definition in metrics.items()}


def _mean(name: str, definition: Definition, results: Sequence[EpisodeResult]) -> list[float | None]:
    counted = [result for result in results if name in result.metrics]
    summary = summarise(
        [result.metrics[name] for result in counted], [result.scene_id for result in counted], definition
    )
    low, high = interval(asdict(summary)) or (None, None)
    return [summary.mean, low, high, summary.n]


def public_groups(found: Sequence[Group]) -> list[Group]:
    """Groups too small to hide an episode in are dropped."""
    return [group for group in found if len(group.keys) >= MIN_PUBLIC]


def counted(names: Sequence[str], found: Iterable[str]) -> dict[str, int]:
    """How often each name came up, in the order of `names`."""
    counts = Counter(found)
    return {name: counts[name] for name in names if counts[name]}


def histogram(runs: Sequence[Run], name: str, kind: Kind) -> dict[str, Any] | None:
    """Counts of a metric's finite values in common bins; None for a rate, and where there is nothing to show."""
    columns = [_finite(run, name) for run in runs]
    every = np.concatenate(columns)
    if kind == "rate" or every.size == 0 or every.min() == every.max():
        return None
    edges = nice_edges(float(every.min()), float(every.max()))
    return {
        "metric": name,
        "edges": edges.tolist(),
        "counts": [np.histogram(column, edges)[0].tolist() for column in columns],
    }


def _finite(run: Run, name: str) -> npt.NDArray[np.float64]:
    values = [result.metrics.get(name) for result in run.results.values()]
    column = np.array([v for v in values if isinstance(v, int | float)], np.float64)
    return column[np.isfinite(column)]


def nice_edges(low: float, high: float, most: int = BINS) -> npt.NDArray[np.float64]:
    """Round bin edges that cover [low, high]; the step is 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    # Rounding must leave no value outside.
    first, last = first - (first * step > low), last + (last * step < high)
    return np.arange(first, max(last, first + 1) + 1, dtype=np.float64) * step


def latency(runs: Sequence[Run]) -> dict[str, Any] | None:
    """Seconds that an agent took per action: percentiles, and counts in bins that grow by equal factors."""
    columns = [np.concatenate([t.latency for t in run.tracks.values()] or [np.zeros(0, np.float32)]) for run in runs]
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
