"""How sure a mean is: 95 % intervals for one metric over the episodes of a run.

Two statements, never mixed. `ci95` speaks of these buildings: rates get Wilson's score interval (Wilson 1927), other
means a percentile bootstrap over episodes (Efron 1979). `ci95_scenes` speaks of other buildings: its error is clustered
by scene, with Student's t of G - 1 degrees of freedom for G scenes (Cameron & Miller 2015), because a split has few
buildings and many episodes in each. Every interval lies within the range of its measure by the way it is made
(`bounded`).
Values that are not finite are left out of a mean and counted. NaN is never returned; what cannot be said is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.core.definitions import Definition

Interval: TypeAlias = tuple[float, float]

FEW_SCENES = 5
"""Fewer buildings say nothing of others."""
UNKNOWN = Definition()
RESAMPLES = 1000
_BLOCK = 1 << 18
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Summary:
    """`n` values make the mean; `n_nonfinite` more were inf or NaN. `method` is that of `ci95`."""

    mean: float | None
    ci95: Interval | None
    n: int
    n_nonfinite: int
    method: str
    ci95_scenes: Interval | None = None
    n_scenes: int = 0


def summarise(values: ArrayLike, scenes: Sequence[str], definition: Definition = UNKNOWN, seed: int = 0) -> Summary:
    """Mean and intervals of one value per episode; `scenes` names each episode's building.

    A missing or failed episode must come as a failure: the caller knows what that is. The order does not matter. A
    rate whose values are not all 0 or 1 (a record from elsewhere) is a mean: Wilson's interval would be wrong.
    """
    every = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(every)
    kept = every[finite]
    rate = definition.kind == "rate" and bool(np.isin(kept, (0.0, 1.0)).all())
    method = "wilson" if rate else "bootstrap"
    if not kept.size:
        return Summary(None, None, 0, every.size, method)
    mean = math.fsum(kept) / kept.size
    labels = np.unique(np.asarray(scenes, dtype=str)[finite], return_inverse=True)[1]
    return Summary(
        mean=mean,
        ci95=wilson(float(kept.sum()), kept.size) if rate else bootstrap(kept, seed),
        n=kept.size,
        n_nonfinite=every.size - kept.size,
        method=method,
        ci95_scenes=clustered(kept, labels, range_of(kept, share=definition.is_share)),
        n_scenes=int(labels.max()) + 1,
    )


def summarise_metric(
    definition: Definition, values: Sequence[float], scenes: Sequence[str], seed: int = 0
) -> dict[str, Any]:
    """`summarise` as plain JSON."""
    return asdict(summarise(values, scenes, definition, seed))


def range_of(values: NDArray[np.float64], *, share: bool) -> Interval:
    """Between which ends a mean of such values can lie: a share's are 0 and 1; lengths and counts have one end."""
    if share and values.size and values.min() >= 0 and values.max() <= 1:
        return 0.0, 1.0
    return (0.0 if values.size and values.min() >= 0 else -math.inf), math.inf


def by_building(summary: Mapping[str, Any]) -> bool:
    """Whether a metric's entry in results.json has an interval by building, from buildings enough to rest on."""
    return bool(summary.get("ci95_scenes")) and summary.get("n_scenes", 0) >= FEW_SCENES


def wilson(successes: float, n: int) -> Interval | None:
    """Wilson's 95 % score interval for a rate; None for n = 0."""
    if n == 0:
        return None
    rate, shrink = successes / n, 1 + _Z**2 / n
    centre = (rate + _Z**2 / (2 * n)) / shrink
    half = _Z / shrink * math.sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n**2))
    return (0.0 if successes <= 0 else centre - half, 1.0 if successes >= n else centre + half)


def clustered(
    values: ArrayLike, clusters: ArrayLike, ends: Interval = (-math.inf, math.inf), confidence: float = 0.95
) -> Interval | None:
    """Interval of the mean of (N,) values whose errors go together within integer `clusters`; None below two.

    Where all clusters agree (none of 36 episodes succeeds in six buildings) no scatter was seen, which is not to say
    that there is none: that of a share is taken for the largest there can be, as if each cluster were one observation.
    """
    values, clusters = np.asarray(values, dtype=np.float64), np.asarray(clusters)
    groups = len(np.unique(clusters))
    if groups < 2:
        return None
    mean, error = math.fsum(values) / values.size, clustered_error(values, clusters)
    t = student(groups - 1, confidence)
    if error == 0 and all(map(math.isfinite, ends)):
        return _score(mean, t * t / groups, *ends)
    return bounded(mean, t * error, *ends)


def clustered_error(values: NDArray[np.float64], clusters: NDArray[np.int_]) -> float:
    """Standard error of the mean of (N,) values in two or more integer `clusters`, as Stata scales it (CR1)."""
    groups = len(np.unique(clusters))
    residuals = np.bincount(clusters, weights=values - math.fsum(values) / values.size)
    return math.sqrt(groups / (groups - 1) * float(residuals @ residuals)) / values.size


def bounded(mean: float, half: float, low: float, high: float) -> Interval:
    """`mean` give or take `half`, within (low, high): between two ends as Wilson's score interval, above one as
    the exponential of an interval of the logarithm, without ends as it is.
    """
    if half == 0 or not math.isfinite(low) or mean <= low:
        return mean - half, mean + half
    if not math.isfinite(high):
        factor = math.exp(min(half / (mean - low), 700.0))
        return low + (mean - low) / factor, low + (mean - low) * factor
    share = (mean - low) / (high - low)
    scatter = share * (1 - share)
    ratio = (half / (high - low)) ** 2 / scatter if scatter > 0 else math.inf
    return _score(mean, ratio, low, high) if math.isfinite(ratio) else (low, high)


def _score(mean: float, ratio: float, low: float, high: float) -> Interval:
    """Wilson's score interval of a mean within [low, high]; `ratio` is z squared by the number of observations."""
    share = (mean - low) / (high - low)
    centre = (share + ratio / 2) / (1 + ratio)
    reach = math.sqrt(ratio * (share * (1 - share) + ratio / 4)) / (1 + ratio)
    return low + (high - low) * max(0.0, centre - reach), low + (high - low) * min(1.0, centre + reach)


def student(freedom: int, confidence: float = 0.95) -> float:
    """Between minus and plus what Student's t lies with this chance, for a whole number of degrees of freedom.

    Its distribution is then a finite sum (Abramowitz & Stegun 26.7.3 and 26.7.4), solved by Newton's method from below.
    Not scipy's: importing that takes a tenth of the time of a whole run.
    """
    t, before = NormalDist().inv_cdf((1 + confidence) / 2), 0.0
    slope = 2 * math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    while t > before:
        before = t
        t += (confidence - within(t, freedom)) / (slope * (1 + t * t / freedom) ** (-(freedom + 1) / 2))
    return before


def within(t: float, freedom: int) -> float:
    """How probable Student's t is to lie between -t and t."""
    angle, odd = math.atan(t / math.sqrt(freedom)), freedom % 2
    term, terms = math.cos(angle) if odd else 1.0, []
    for n in range(2 + odd, freedom + 1, 2):
        terms.append(term)
        term *= (n - 1) / n * math.cos(angle) ** 2
    shared = math.sin(angle) * math.fsum(terms)
    return 2 / math.pi * (angle + shared) if odd else shared


def bootstrap(values: ArrayLike, seed: int = 0, resamples: int = RESAMPLES) -> Interval | None:
    """95 % percentile interval of the mean of (N,) values, episodes drawn with replacement; None below two values."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = ordered.size
    if n < 2:
        return None
    if ordered[0] == ordered[-1]:
        return (float(ordered[0]), float(ordered[0]))
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    rows = max(1, _BLOCK // n)
    for first in range(0, resamples, rows):
        block = means[first : first + rows]
        drawn = generator.integers(0, n, size=(block.size, n))
        block[:] = ordered.take(drawn, mode="wrap").mean(axis=1)
    return percentile_interval(means)


def percentile_interval(draws: ArrayLike) -> Interval:
    """The 2.5th and 97.5th percentile of (B,) draws."""
    low, high = np.quantile(np.asarray(draws), (0.025, 0.975))
    return (float(low), float(high))
