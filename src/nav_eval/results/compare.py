"""Which of two runs is better, from what both did on the same episodes.

Rates are tested with McNemar's exact test (a sign test of the episodes on which the runs disagree), other metrics with
a paired permutation test (signs of the differences flipped). The interval of the difference is a bootstrap over
scenes, drawn whole (over episodes where there is one scene). With several tests at once p is also given after Holm's
correction (Holm 1979), over all of them. Runs that differ in episodes or in what `metadata` names are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nav_eval.core.types import Kind
from nav_eval.errors import RunDirectoryError
from nav_eval.results.facts import changed
from nav_eval.results.statistics import Interval, percentile_interval

EpisodeKey: TypeAlias = tuple[str, str]

PERMUTATIONS = 10_000
RESAMPLES = 2000
_EXACT = 13
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class RunRecords:
    """One run: metrics by (scene_id, episode_id). `metadata` names what must agree: profile, renderer, split, ...

    `kinds`: which metrics are rates; one of which nothing is known is taken for a rate if all its values are 0 or 1.
    """

    name: str
    episodes: Mapping[EpisodeKey, Mapping[str, float]]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """`second` minus `first` on one metric, over `n` episodes where both are finite; `n_nonfinite` were left out.

    `p_holm` counts all tests of the comparison. `only_first`, `only_second`: episodes that one run alone won
    (McNemar only). A value is None where nothing can be said.
    """

    metric: str
    first: str
    second: str
    mean_first: float | None
    mean_second: float | None
    difference: float | None
    ci95: Interval | None
    p: float | None
    p_holm: float | None
    test: str
    n: int
    n_nonfinite: int
    only_first: int | None = None
    only_second: int | None = None


def compare(runs: Sequence[RunRecords], metrics: Sequence[str] | None = None, seed: int = 0) -> list[Difference]:
    """Every pair of runs on every metric (by default: those that all episodes have), in the order given.

    Records such as `trajectory` are passed over. Raises RunDirectoryError for fewer than two runs, runs that cannot
    be compared, or a metric that one lacks.
    """
    if len(runs) < 2:
        raise RunDirectoryError("compare needs at least two runs. Name another run directory.")
    for run in runs[1:]:
        require_comparable(runs[0], run)
    names = [name for name in metrics or _common_metrics(runs) if _is_number(name, runs)]
    found = [difference(a, b, metric, seed) for a, b in combinations(runs, 2) for metric in names]
    adjusted = iter(holm([one.p for one in found if one.p is not None]))
    return [one if one.p is None else replace(one, p_holm=next(adjusted)) for one in found]


def require_comparable(a: RunRecords, b: RunRecords) -> None:
    """Raises RunDirectoryError that names the first difference."""
    require_same_rules(a, b)
    for one, other in ((a, b), (b, a)):
        missing = sorted(one.episodes.keys() - other.episodes.keys())
        if missing:
            more = f" and {len(missing) - 3} more" * (len(missing) > 3)
            shown = ", ".join(map("/".join, missing[:3]))
            raise RunDirectoryError(
                f"{a.name} and {b.name} cannot be compared: {other.name} lacks {len(missing)} of {one.name}'s "
                f"episodes: {shown}{more}. Finish the run with --resume."
            )
    if not a.episodes:
        raise RunDirectoryError(f"{a.name} and {b.name} hold no finished episode. Run them first.")


def require_same_rules(a: RunRecords, b: RunRecords) -> None:
    """Raises RunDirectoryError that names the first that differs of what `metadata` says."""
    for key in dict.fromkeys([*a.metadata, *b.metadata]):
        one, other = a.metadata.get(key), b.metadata.get(key)
        if not _agree(key, one, other):
            raise RunDirectoryError(
                f"{a.name} and {b.name} cannot be compared: {key} is {one!r} in one and {other!r} in the other."
            )


def _agree(key: str, one: Any, other: Any) -> bool:
    """A blind agent's run drew nothing and read no scene: any renderer agrees, and files count where both read them."""
    if key == "renderer" and None in (one, other):
        return True
    if key == "assets_sha256" and one and other:
        return not changed(one, other)
    return bool(one == other)


def _common_metrics(runs: Sequence[RunRecords]) -> list[str]:
    first = next(iter(runs[0].episodes.values()))
    return [name for name in first if all(name in values for run in runs for values in run.episodes.values())]


def _is_number(name: str, runs: Sequence[RunRecords]) -> bool:
    return all(isinstance(values.get(name, 0.0), int | float) for run in runs for values in run.episodes.values())


def difference(first: RunRecords, second: RunRecords, metric: str, seed: int = 0) -> Difference:
    """`second` minus `first` on one metric; the runs must hold the same episodes."""
    keys = sorted(first.episodes)
    a, b = _column(first, keys, metric), _column(second, keys, metric)
    kept = np.isfinite(a) & np.isfinite(b)
    scenes = np.array([key[0] for key in keys])[kept]
    a, b = a[kept], b[kept]
    rate = {run.kinds.get(metric, "rate") for run in (first, second)} == {"rate"}
    binary = rate and bool(np.isin(np.concatenate([a, b]), (0.0, 1.0)).all())
    left_out = len(keys) - a.size
    if not a.size:
        return Difference(metric, first.name, second.name, None, None, None, None, None, None, "none", 0, left_out)
    only_first, only_second = int(np.count_nonzero(a > b)), int(np.count_nonzero(b > a))
    return Difference(
        metric=metric,
        first=first.name,
        second=second.name,
        mean_first=math.fsum(a) / a.size,
        mean_second=math.fsum(b) / b.size,
        difference=math.fsum(b - a) / a.size,
        ci95=cluster_bootstrap(b - a, scenes, seed),
        p=mcnemar(only_first, only_second) if binary else permutation(b - a, seed),
        p_holm=None,
        test="mcnemar" if binary else "permutation",
        n=a.size,
        n_nonfinite=left_out,
        only_first=only_first if binary else None,
        only_second=only_second if binary else None,
    )


def _column(run: RunRecords, keys: Sequence[EpisodeKey], metric: str) -> np.ndarray:
    try:
        return np.array([run.episodes[key][metric] for key in keys], dtype=np.float64)
    except KeyError:
        lacking = next(key for key in keys if metric not in run.episodes[key])
        raise RunDirectoryError(
            f"{run.name}: episode {'/'.join(lacking)} has no metric {metric!r}. Rescore the run with that metric."
        ) from None


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p that disagreements fall either way with probability 1/2."""
    from scipy.special import bdtr

    n = only_first + only_second
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), n, 0.5))) if n else 1.0


def permutation(differences: ArrayLike, seed: int = 0, permutations: int = PERMUTATIONS) -> float:
    """Two-sided p of the mean of (N,) paired differences under random signs; exact for 13 or fewer that are not 0."""
    moved = np.asarray(differences, dtype=np.float64)
    moved = moved[moved != 0]
    if not moved.size:
        return 1.0
    # Sums that differ by rounding only are ties.
    observed = abs(math.fsum(moved)) * (1 - 1e-12)
    if moved.size <= _EXACT:
        signs = np.arange(1 << moved.size)[:, None] >> np.arange(moved.size) & 1
        return float(np.mean(abs((1.0 - 2.0 * signs) @ moved) >= observed))
    generator = np.random.default_rng(seed)
    extreme, rows = 0, max(1, _BLOCK // moved.size)
    for first in range(0, permutations, rows):
        count = min(rows, permutations - first)
        bits = np.unpackbits(generator.integers(0, 256, (count, -(-moved.size // 8)), dtype=np.uint8), axis=1)
        sums = moved.sum() - 2.0 * (bits[:, : moved.size] @ moved)
        extreme += int(np.count_nonzero(abs(sums) >= observed))
    return (extreme + 1) / (permutations + 1)


def cluster_bootstrap(
    values: ArrayLike, scenes: ArrayLike, seed: int = 0, resamples: int = RESAMPLES
) -> Interval | None:
    """95 % percentile interval of the mean of (N,) values, scenes drawn whole; episodes where all share one scene.

    None below two values.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.size < 2:
        return None
    labels = np.unique(np.asarray(scenes), return_inverse=True)[1]
    if not labels.any():
        labels = np.arange(values.size)
    sums, sizes = np.bincount(labels, weights=values), np.bincount(labels)
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // sums.size)
    means = []
    for first in range(0, resamples, rows):
        drawn = generator.integers(0, sums.size, (min(rows, resamples - first), sums.size))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return percentile_interval(np.concatenate(means))


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down correction of p values, in their own order."""
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[i]))
        adjusted[i] = highest
    return adjusted
