"""Who is ahead of whom on one measure, and how sure that is: ranks, shared ranks, 95 % rank intervals.

Entries are compared in pairs on the episodes that all of them have, with errors clustered by building. All pairs
together get simultaneous 95 % intervals: the critical value is the 95 % quantile of the largest |t| of all pairs under
a multiplier bootstrap by building (a normal weight for each building, the same for every entry) over a chi-square of
G - 1 degrees of freedom for G buildings, so that few buildings mean wide intervals. An entry's rank lies between 1 +
those surely better and n - those surely worse (Mogstad, Romano, Shaikh & Wilhelm 2024), and with 95 % probability all
entries' true ranks lie in theirs. Entries share the rank of the first that they are not surely worse than; neighbours
alone are not asked, for a chain of small steps would tie entries that differ surely.

The draws are those of Python's `random.Random(seed)`, so that the standard library alone can recompute every rank.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from nav_eval.errors import RunDirectoryError
from nav_eval.results.compare import EpisodeKey, RunRecords, require_same_rules

DRAWS = 4000
CONFIDENCE = 0.95
ROUNDING = 1e-12
"""Errors and differences below are those of floating point."""
Matrix: TypeAlias = np.ndarray


@dataclass(frozen=True, slots=True)
class Place:
    """An entry's `rank` (1 is best, shared where it cannot be told), and between which ranks it truly lies.

    `mean` is over the episodes that all entries have; `left_out` more of its own are not among them.
    """

    name: str
    rank: int
    rank_ci95: tuple[int, int]
    mean: float
    left_out: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """Places, best first. `critical`: how many standard errors make a difference sure; inf where nothing is."""

    metric: str
    higher_is_better: bool
    n_episodes: int
    n_buildings: int
    critical: float
    places: tuple[Place, ...]


def rank(entries: Sequence[RunRecords], metric: str, *, higher_is_better: bool = True, seed: int = 0) -> Ranking:
    """Rank entries by the mean of `metric`; an episode whose value is not finite in one of them counts for none.

    Raises RunDirectoryError for entries that played by different rules, or have no episode in common.
    """
    for entry in entries[1:]:
        require_same_rules(entries[0], entry)
    keys = _common(entries, metric)
    values = np.array([[entry.episodes[key][metric] for entry in entries] for key in keys], dtype=np.float64)
    labels = np.unique([key[0] for key in keys], return_inverse=True)[1]
    labels = labels if labels.any() else np.arange(len(keys))
    means = np.array([math.fsum(column) / len(keys) for column in values.T])
    better, critical = _surely_better(values if higher_is_better else -values, labels, seed)
    order = sorted(range(len(entries)), key=lambda i: (-means[i] if higher_is_better else means[i], entries[i].name))
    ranks = _shared(order, better)
    places = tuple(
        Place(
            name=entries[i].name,
            rank=ranks[i],
            rank_ci95=(1 + int(better[:, i].sum()), len(entries) - int(better[i].sum())),
            mean=float(means[i]),
            left_out=len(entries[i].episodes) - len(keys),
        )
        for i in order
    )
    return Ranking(metric, higher_is_better, len(keys), len({key[0] for key in keys}), critical, places)


def _common(entries: Sequence[RunRecords], metric: str) -> list[EpisodeKey]:
    """The episodes in which every entry has a finite value, in order."""
    if not entries:
        raise RunDirectoryError("rank needs at least one run. Name a run directory.")
    shared = set.intersection(*(set(entry.episodes) for entry in entries))
    keys = sorted(
        key for key in shared if all(math.isfinite(entry.episodes[key].get(metric, math.nan)) for entry in entries)
    )
    if not keys:
        raise RunDirectoryError(f"rank: there is no episode in which all {len(entries)} entries have {metric!r}.")
    return keys


def _surely_better(values: Matrix, labels: Matrix, seed: int) -> tuple[Matrix, float]:
    """(n, n) whether entry i is surely better than j, from (N, n) values where more is better; the critical |t|."""
    size, count = values.shape
    means = values.mean(axis=0)
    buildings = int(labels.max()) + 1
    better = np.zeros((count, count), dtype=bool)
    if buildings < 2:
        return better, math.inf
    residuals = np.zeros((buildings, count))
    np.add.at(residuals, labels, values - means)
    first, second = np.triu_indices(count, 1)
    pairs = residuals[:, first] - residuals[:, second]
    errors = np.sqrt((pairs**2).sum(axis=0) * _inflation(buildings)) / size
    differences = (values[:, first] - values[:, second]).mean(axis=0)
    moving = errors > ROUNDING
    critical = _critical(pairs[:, moving] / (errors[moving] * size), seed)
    sure = np.abs(differences) > np.where(moving, critical * errors, ROUNDING)
    better[first, second] = sure & (differences > 0)
    better[second, first] = sure & (differences < 0)
    return better, critical


def _inflation(buildings: int) -> float:
    return buildings / (buildings - 1)


def _critical(scaled: Matrix, seed: int) -> float:
    """The quantile of the largest |t| of the pairs: (G, P) residuals of the buildings in units of each pair's error."""
    buildings, pairs = scaled.shape
    if not pairs:
        return 0.0
    draw = random.Random(seed)
    weights = np.array([[draw.gauss(0.0, 1.0) for _ in range(buildings)] for _ in range(DRAWS)])
    freedom = buildings - 1
    spread = np.sqrt([draw.gammavariate(freedom / 2, 2.0) / freedom for _ in range(DRAWS)])
    largest = np.abs(weights @ scaled * math.sqrt(_inflation(buildings))).max(axis=1) / spread
    return float(np.sort(largest)[math.ceil(CONFIDENCE * (DRAWS + 1)) - 1])


def _shared(order: Sequence[int], better: Matrix) -> dict[int, int]:
    """Entry -> rank: that of the first of its group, until one is surely worse than the group's first."""
    ranks: dict[int, int] = {}
    head, shared = order[0], 1
    for position, i in enumerate(order, 1):
        if better[head, i]:
            head, shared = i, position
        ranks[i] = shared
    return ranks
