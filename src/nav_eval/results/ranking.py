"""Who is ahead of whom on one measure, and how sure that is: ranks, shared ranks, 95 % rank intervals.

Every pair is judged by results/compare.py, on the episodes that all entries have, all pairs at once. Ranks speak of
these episodes; `Ranking.ahead` says what is known of other buildings. An entry's rank lies between 1 + those surely
better and n - those surely worse (Mogstad, Romano, Shaikh & Wilhelm 2024). Entries share the rank of the first that
they are not surely worse than; neighbours alone are not asked, for a chain of small steps would tie entries that differ
surely. An entry without one episode that was played well is no competitor: it is last, whatever its figures.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

from nav_eval.errors import RunDirectoryError
from nav_eval.results.compare import (
    Difference,
    EpisodeKey,
    RunRecords,
    difference,
    require_same_rules,
    seed_spread,
    surely_higher,
)

Wins: TypeAlias = set[tuple[int, int]]
"""(i, j): entry i is surely better than entry j."""


@dataclass(frozen=True, slots=True)
class Place:
    """An entry's `rank` (1 is best, shared where it cannot be told), and between which ranks it truly lies.

    `mean` is over the episodes that all entries have; `left_out` more of its own are not among them. Of an entry of
    several runs: how many, and the standard deviation of their means.
    """

    name: str
    rank: int
    rank_ci95: tuple[int, int]
    mean: float
    left_out: int
    n_seeds: int = 1
    seed_spread: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Places, best first. `ahead`: the first one against the best that does not share its rank (else the second), and
    what of that holds in other buildings; None for one entry.
    """

    metric: str
    higher_is_better: bool
    n_episodes: int
    n_buildings: int
    ahead: Difference | None
    places: tuple[Place, ...]


def rank(entries: Sequence[RunRecords], metric: str, *, higher_is_better: bool = True) -> Ranking:
    """Rank entries by the mean of `metric`; an episode whose value is not finite in one of them counts for none.

    Raises RunDirectoryError for entries that played by different rules, or have no episode in common.
    """
    for entry in entries[1:]:
        require_same_rules(entries[0], entry)
    keys = shared_episodes(entries, metric)
    if not keys:
        raise RunDirectoryError(f"rank: there is no episode in which all {len(entries)} entries have {metric!r}.")
    shared = [_only(entry, keys) for entry in entries]
    means = [math.fsum(entry.episodes[key][metric] for key in keys) / len(keys) for entry in shared]
    sign = -1 if higher_is_better else 1
    good = sorted(
        (i for i in range(len(entries)) if played(entries[i])), key=lambda i: (sign * means[i], entries[i].name)
    )
    bad = sorted((i for i in range(len(entries)) if not played(entries[i])), key=lambda i: entries[i].name)
    wins = _wins(shared, good, metric, sign) | {(i, j) for i in good for j in bad}
    ranks, intervals = _shared_ranks([*good, *bad], wins), _intervals(wins, len(entries))
    places = tuple(_place(entries[i], shared[i], metric, ranks[i], intervals[i], means[i]) for i in ranks)
    pairs = max(1, math.comb(len(good), 2))
    return Ranking(
        metric,
        higher_is_better,
        len(keys),
        len({key[0] for key in keys}),
        _ahead(shared, good, ranks, metric, pairs),
        places,
    )


def played(entry: RunRecords) -> bool:
    """Whether at least one of its episodes ended without a failure of its own; assumed where nobody counted."""
    return entry.played_well != 0


def shared_episodes(entries: Sequence[RunRecords], metric: str) -> list[EpisodeKey]:
    """The episodes in which every entry has a finite value, in order; perhaps none."""
    if not entries:
        raise RunDirectoryError("rank needs at least one run. Name a run directory.")
    runs = [run for entry in entries for run in (entry.seeds or (entry,))]
    shared = set.intersection(*(set(run.episodes) for run in runs))
    return sorted(key for key in shared if all(math.isfinite(run.episodes[key].get(metric, math.nan)) for run in runs))


def _only(entry: RunRecords, keys: Collection[EpisodeKey]) -> RunRecords:
    episodes = {key: entry.episodes[key] for key in keys}
    return replace(entry, episodes=episodes, seeds=[_only(one, keys) for one in entry.seeds])


def _wins(entries: Sequence[RunRecords], good: Sequence[int], metric: str, sign: int) -> Wins:
    pairs = list(combinations(good, 2))
    found = [(i, j, -sign * surely_higher(entries[i], entries[j], metric, len(pairs))) for i, j in pairs]
    return {(i, j) if way > 0 else (j, i) for i, j, way in found if way}


def _intervals(wins: Wins, count: int) -> list[tuple[int, int]]:
    """Of each entry, between which ranks it lies."""
    won, lost = Counter(winner for winner, _ in wins), Counter(loser for _, loser in wins)
    return [(1 + lost[i], count - won[i]) for i in range(count)]


def _place(
    entry: RunRecords, shared: RunRecords, metric: str, rank: int, interval: tuple[int, int], mean: float
) -> Place:
    return Place(
        name=entry.name,
        rank=rank,
        rank_ci95=interval,
        mean=mean,
        left_out=len(entry.episodes) - len(shared.episodes),
        n_seeds=len(entry.seeds) or 1,
        seed_spread=seed_spread(shared, metric) if entry.seeds else None,
    )


def _ahead(
    entries: Sequence[RunRecords], good: Sequence[int], ranks: Mapping[int, int], metric: str, pairs: int
) -> Difference | None:
    if len(good) < 2:
        return None
    behind = next((i for i in good if ranks[i] > 1), good[1])
    return difference(entries[behind], entries[good[0]], metric, pairs)


def _shared_ranks(order: Sequence[int], wins: Wins) -> dict[int, int]:
    """Entry -> rank, best first: that of the first of its group, until one is surely worse than the group's first."""
    ranks: dict[int, int] = {}
    head, shared = order[0], 1
    for position, i in enumerate(order, 1):
        if (head, i) in wins:
            head, shared = i, position
        ranks[i] = shared
    return ranks
