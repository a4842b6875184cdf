"""Is one agent better than another, by this measure? The only answer that tables, ranks, reports and boards give.

It makes two statements and never mixes them. On these episodes (`sure`): a paired test of the same episodes, buildings
as they are (results/paired.py). In other buildings (`sure_elsewhere`): the difference with its error clustered by
building, Student's t of G - 1 degrees of freedom; known from five buildings on. Else, and where the spread between the
buildings seen is too large, `more_buildings` says about how many more would tell (in 4 of 5 cases, if the difference is
as large as it looks); one building shows no spread, and so no number. Where several pairs are judged at once each has
its share of the 5 % (Bonferroni), so that test and interval stay the same statement. Runs of one agent with different
seeds (results/seeds.py) are one entry; the spread between seeds is then in both statements. Runs that differ in
episodes or in what `metadata` names are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nav_eval.core.definitions import Definition
from nav_eval.errors import RunDirectoryError
from nav_eval.geometry import total
from nav_eval.results.facts import changed
from nav_eval.results.paired import mcnemar, permutation, permutation_interval
from nav_eval.results.rules import BY_CONVENTION
from nav_eval.results.statistics import (
    FEW_SCENES,
    Interval,
    bounded,
    clustered_error,
    range_of,
    student,
    wilson,
    within,
)

EpisodeKey: TypeAlias = tuple[str, str]

ALPHA = 0.05
POWER = 0.8416212335729143
"""Standard errors beyond the critical value for which a difference is found in 4 of 5 cases."""
MAX_BUILDINGS = 10_000
"""More will not be made: then no number is told."""
_LARGE = 200
"""So many buildings make Student's t the normal deviate."""
RATE = Definition(kind="rate")
Column: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RunRecords:
    """One entry: metrics by (scene_id, episode_id). `metadata` names what must agree: profile, renderer, split, ...

    `definitions`: what each metric says of itself; one of which nothing is known is taken for a rate if all its values
    are 0 or 1. `seeds`: the runs behind an entry of several, whose means `episodes` then holds. `played_well`: how many
    episodes ended without a failure of the agent; None where nobody counted. `agent`: what the run itself calls it.
    `plugins`: SHA-256, or the version, of each plug-in that it was made with.
    """

    name: str
    episodes: Mapping[EpisodeKey, Mapping[str, float]]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    seeds: Sequence[RunRecords] = ()
    played_well: int | None = None
    agent: str | None = None
    plugins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """`second` minus `first` on one metric, over `n` episodes where both are finite; `n_nonfinite` were left out.

    `sure`: they differ on these episodes; `ci95` and `p_adjusted` (p for all `pairs` judged at once) say the same.
    `sure_elsewhere`: they differ in other buildings, as `ci95_buildings` says; where not, about `more_buildings` more
    would tell (None: more than anybody makes, or one building, which shows no spread between them). `only_first`,
    `only_second`: episodes that one run alone won (McNemar only). A value is None where nothing can be said.
    """

    metric: str
    first: str
    second: str
    mean_first: float | None
    mean_second: float | None
    difference: float | None
    ci95: Interval | None
    p: float | None
    p_adjusted: float | None
    sure: bool
    test: str
    n: int
    n_nonfinite: int
    pairs: int = 1
    n_buildings: int = 0
    ci95_buildings: Interval | None = None
    sure_elsewhere: bool = False
    more_buildings: int | None = None
    only_first: int | None = None
    only_second: int | None = None


_NOTHING: dict[str, Any] = {
    **dict.fromkeys(("mean_first", "mean_second", "difference", "ci95", "p", "p_adjusted")),
    "sure": False,
    "test": "none",
}


def compare(runs: Sequence[RunRecords], metrics: Sequence[str] | None = None) -> list[Difference]:
    """Every pair of runs on every metric (by default: those that all episodes have), in the order given.

    Records such as `trajectory` are passed over. Raises RunDirectoryError for fewer than two runs, runs that cannot
    be compared, or a metric that one lacks.
    """
    if len(runs) < 2:
        raise RunDirectoryError("compare needs at least two runs. Name another run directory.")
    for run in runs[1:]:
        require_comparable(runs[0], run)
    names = [name for name in metrics or _common_metrics(runs) if _is_number(name, runs)]
    pairs = list(combinations(runs, 2))
    return [difference(a, b, metric, len(pairs)) for a, b in pairs for metric in names]


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
                f"episodes: {shown}{more}. Finish it with --resume, or give both runs the same dataset.* keys."
            )
    if not a.episodes:
        raise RunDirectoryError(f"{a.name} and {b.name} hold no finished episode. Run them first.")


def require_same_rules(a: RunRecords, b: RunRecords) -> None:
    """Raises RunDirectoryError that names the first that differs of what `metadata` says."""
    for key in dict.fromkeys([*a.metadata, *b.metadata]):
        one, other = a.metadata.get(key), b.metadata.get(key)
        if _agree(key, one, other):
            continue
        if key in ("dataset_sha256", "assets_sha256"):  # sums tell a reader nothing
            raise RunDirectoryError(
                f"{a.name} and {b.name} cannot be compared: their data differ ({key}). Compare dataset and simulator "
                "in the config.yaml of each."
            )
        hint = " Say --mix if you mean two conventions." if key in BY_CONVENTION else ""
        raise RunDirectoryError(
            f"{a.name} and {b.name} cannot be compared: {key} is {one!r} in one and {other!r} in the other.{hint}"
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


def difference(first: RunRecords, second: RunRecords, metric: str, pairs: int = 1) -> Difference:
    """`second` minus `first` on one metric; the entries must hold the same episodes. `pairs` are judged at once."""
    pair = _pair(first, second, metric, pairs)
    told: dict[str, Any] = {"metric": metric, "first": first.name, "second": second.name, "pairs": pairs}
    told |= {"n": pair.a.size, "n_nonfinite": len(first.episodes) - pair.a.size}
    if not pair.a.size:
        return Difference(**told, **_NOTHING)
    p = pair.p()
    return Difference(
        **told,
        mean_first=math.fsum(pair.a) / pair.a.size,
        mean_second=math.fsum(pair.b) / pair.a.size,
        difference=pair.mean,
        ci95=pair.interval(p),
        p=p,
        p_adjusted=min(1.0, p * pairs),
        sure=pair.judge.sure(p),
        test="student" if pair.between else "mcnemar" if pair.binary else "permutation",
        only_first=pair.won()[0] if pair.binary else None,
        only_second=pair.won()[1] if pair.binary else None,
        **_elsewhere(pair, sure=pair.judge.sure(p)),
    )


def surely_higher(first: RunRecords, second: RunRecords, metric: str, pairs: int = 1) -> int:
    """1 where `first` is surely above `second` on these episodes, -1 below, 0: not sure. `difference`, no intervals."""
    pair = _pair(first, second, metric, pairs)
    if not pair.a.size or not pair.judge.sure(pair.p()):
        return 0
    return -1 if pair.mean > 0 else 1


@dataclass(frozen=True, slots=True)
class _Part:
    """One source's share of the variance of a mean, and its degrees of freedom.

    `measured`: the mean square behind it, where something was taken off that to get `variance`. It is as uncertain as
    what was measured, not as what is left: near zero there is little left and much doubt.
    """

    variance: float
    freedom: int
    measured: float | None = None


@dataclass(frozen=True, slots=True)
class _Judge:
    """How sure a verdict must be; `reach`: the largest difference that there can be."""

    confidence: float
    reach: float

    def sure(self, p: float) -> bool:
        return p <= 1 - self.confidence

    def student(self, mean: float, error: float, freedom: int) -> tuple[Interval, float]:
        """Interval of a difference, and its p; the interval leaves out 0 exactly where p is sure."""
        found = bounded(mean, student(freedom, self.confidence) * error, -self.reach, self.reach)
        shrunk = abs(mean) * math.sqrt(max(0.0, 1 - (mean / self.reach) ** 2))
        return found, 1 - within(shrunk / error, freedom) if error else 0.5**freedom if mean else 1.0


@dataclass(frozen=True, slots=True)
class _Pair:
    """What two entries did on the episodes where both are finite; `labels`: the building of each.

    `between`: the variances that seeds bring, with their degrees of freedom. `binary`: wins and losses, nothing else.
    """

    a: Column
    b: Column
    labels: NDArray[np.int_]
    between: Sequence[_Part]
    binary: bool
    judge: _Judge

    @property
    def mean(self) -> float:
        return math.fsum(self.b - self.a) / self.a.size

    def won(self) -> tuple[int, int]:
        return int(np.count_nonzero(self.a > self.b)), int(np.count_nonzero(self.b > self.a))

    def p(self) -> float:
        """On these episodes."""
        if self.between:
            return self._student()[1]
        return mcnemar(*self.won()) if self.binary else permutation(self.b - self.a)

    def interval(self, p: float) -> Interval | None:
        if self.between:
            return self._student()[0]
        return permutation_interval(self.b - self.a, self.judge.confidence, p)

    def _student(self) -> tuple[Interval, float]:
        """Where an entry has several seeds: episodes and seeds are both sources of its error."""
        size = self.a.size
        own = [_Part(float((self.b - self.a).var(ddof=1)) / size, size - 1)] if size > 1 else []
        return self.judge.student(self.mean, *_combine([*own, *self.between]))


def _pair(first: RunRecords, second: RunRecords, metric: str, pairs: int) -> _Pair:
    keys = sorted(first.episodes)
    both = np.array([column(first, keys, metric), column(second, keys, metric)])
    kept = np.isfinite(both).all(axis=0)
    a, b = both[:, kept]
    scenes = [key[0] for key, finite in zip(keys, kept, strict=True) if finite]
    said = [_definition(run, metric, own) for run, own in ((first, a), (second, b))]
    return _Pair(
        a=a,
        b=b,
        labels=np.unique(np.array(scenes, dtype=str), return_inverse=True)[1],
        between=_between_seeds(first, metric) + _between_seeds(second, metric),
        binary=all(one.kind == "rate" for one in said) and _is_binary(both[:, kept]),
        judge=_Judge(1 - ALPHA / pairs, range_of(both[:, kept], share=all(one.is_share for one in said))[1]),
    )


def column(run: RunRecords, keys: Sequence[EpisodeKey], metric: str) -> Column:
    """One value per episode. Raises RunDirectoryError that names an episode without one."""
    try:
        return np.array([run.episodes[key][metric] for key in keys], dtype=np.float64)
    except KeyError:
        lacking = next(key for key in keys if metric not in run.episodes[key])
        raise RunDirectoryError(
            f"{run.name}: episode {'/'.join(lacking)} has no metric {metric!r}. Rescore the run with that metric."
        ) from None


def _definition(run: RunRecords, metric: str, values: Column) -> Definition:
    return run.definitions.get(metric, RATE if _is_binary(values) else Definition())


def _is_binary(values: Column) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _between_seeds(run: RunRecords, metric: str) -> list[_Part]:
    """The variance of an entry's mean that its seeds bring; nothing for one run.

    What the seeds' means differ by because every episode is played anew is in the episodes' own variance already, and
    taken off (the components of variance of two crossed random effects).
    """
    if len(run.seeds) < 2:
        return []
    values = _by_seed(run, metric)
    seeds, episodes = values.shape
    residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    noise = float((residuals**2).sum()) / ((seeds - 1) * max(1, episodes - 1))
    spread = seed_spread(run, metric) ** 2
    return [_Part(max(0.0, spread - noise / episodes) / seeds, seeds - 1, spread / seeds)]


def seed_spread(run: RunRecords, metric: str) -> float:
    """Standard deviation of the means of an entry's seeds, over the episodes where all of them are finite."""
    return float(_by_seed(run, metric).mean(axis=1).std(ddof=1))


def _by_seed(run: RunRecords, metric: str) -> Column:
    """(seeds, episodes)"""
    values = np.array([column(one, sorted(one.episodes), metric) for one in run.seeds])
    return values[:, np.isfinite(values).all(axis=0)]


def with_seeds(run: RunRecords, metric: str) -> Interval | None:
    """95 % interval of the mean of an entry of several seeds, on these episodes: both are sources of its error."""
    values = _by_seed(run, metric).mean(axis=0)
    if values.size < 2:
        return None
    error, freedom = _combine(
        [_Part(float(values.var(ddof=1)) / values.size, values.size - 1), *_between_seeds(run, metric)]
    )
    definition = _definition(run, metric, values)
    if not error and definition.kind == "rate":  # every episode of every seed ended alike
        return wilson(float(values.sum()), values.size)
    ends = range_of(values, share=definition.is_share)
    return bounded(math.fsum(values) / values.size, student(freedom) * error, *ends)


def _combine(parts: Sequence[_Part]) -> tuple[float, int]:
    """Standard error and degrees of freedom of a sum of independent errors (Satterthwaite 1946, rounded).

    Where a mean square was taken off, the degrees of freedom are those of the sum with it: Satterthwaite's formula for
    a linear combination with a negative coefficient, whose own small term is left out.
    """
    variance = total(one.variance for one in parts)
    scatter = total((one.variance if one.measured is None else one.measured) ** 2 / one.freedom for one in parts)
    # Rounded down, with few buildings or seeds, the interval would hold the truth more often than it says.
    freedom = round(variance**2 / scatter) if scatter else parts[0].freedom
    return math.sqrt(variance), max(1, freedom)


def _elsewhere(pair: _Pair, *, sure: bool) -> dict[str, Any]:
    """The statement on other buildings; nothing is known there that is not known here."""
    d, groups = pair.b - pair.a, int(pair.labels.max()) + 1
    error = clustered_error(d, pair.labels) if groups > 1 else math.inf
    found, known = None, False
    if groups >= FEW_SCENES:
        found, p = pair.judge.student(pair.mean, *_combine([_Part(error**2, groups - 1), *pair.between]))
        known = sure and pair.judge.sure(p)
    more = None if known else _more(pair.mean, error * math.sqrt(groups), groups, pair.judge.confidence)
    return {"n_buildings": groups, "ci95_buildings": found, "sure_elsewhere": known, "more_buildings": more}


def _more(mean: float, spread: float, groups: int, confidence: float) -> int | None:
    """How many more buildings would tell a difference of `mean` with such a `spread` between them."""
    least = (NormalDist().inv_cdf((1 + confidence) / 2) + POWER) * spread
    if least >= abs(mean) * math.sqrt(MAX_BUILDINGS):
        return None
    needed = max(FEW_SCENES, groups + 1, math.ceil((least / mean) ** 2))
    while needed < _LARGE and abs(mean) * math.sqrt(needed) < (student(needed - 1, confidence) + POWER) * spread:
        needed += 1
    return needed - groups
