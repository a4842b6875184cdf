"""Paired tests of the same episodes played twice, and the interval that goes with them: one procedure, two readings.

Rates are tested with McNemar's exact test, other metrics by flipping the signs of the episodes' differences (Fisher
1935). Up to 13 differences every flip is counted; beyond, the chance of a sum is Barndorff-Nielsen's (1986) r*, the
saddlepoint approximation of that very distribution: no draws, and true in the far tails that many pairs at once need.
The interval holds those differences that the test would not reject (Hartigan 1969): it leaves out 0 exactly where the
test rejects, and never leaves the range of the episodes' own differences.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nav_eval.results.statistics import Interval

EXACT = 13
"""So many differences are flipped in every way."""
ROUNDING = 1e-12
"""Sums that differ by less, relatively, are ties."""
STEPS = 60
TOLERANCE = 1e-7


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p that disagreements fall either way with probability 1/2."""
    from scipy.special import bdtr

    n = only_first + only_second
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), n, 0.5))) if n else 1.0


def permutation(differences: ArrayLike) -> float:
    """Two-sided p of the mean of (N,) paired differences under random signs; exact for 13 or fewer that are not 0."""
    moved = np.asarray(differences, dtype=np.float64)
    moved = moved[moved != 0]
    if not moved.size:
        return 1.0
    reached = abs(math.fsum(moved))
    if reached >= math.fsum(abs(moved)) * (1 - ROUNDING):
        return math.ldexp(1.0, 1 - moved.size)
    if moved.size <= EXACT:
        return _counted(moved, reached)
    return min(1.0, math.erfc(_r_star(moved, reached - _half_step(moved)) / math.sqrt(2)))


def permutation_interval(differences: ArrayLike, confidence: float, p: float) -> Interval | None:
    """Of the mean of (N,) differences; `p`: the test's own, so that the interval leaves out 0 where that rejects.

    None where even N equal differences would not be sure, and where all are equal: they show no spread.
    """
    values = np.asarray(differences, dtype=np.float64)
    alpha = 1 - confidence
    if values.size < 2 or values.min() == values.max() or 2.0 ** (1 - values.size) > alpha:
        return None
    low, high = -_upper(-values, alpha), _upper(values, alpha)
    if p > alpha:
        return (min(low, 0.0), max(high, 0.0))
    return (max(low, ROUNDING), high) if math.fsum(values) > 0 else (low, min(high, -ROUNDING))


def _counted(moved: NDArray[np.float64], reached: float) -> float:
    signs = np.arange(1 << moved.size)[:, None] >> np.arange(moved.size) & 1
    return float(np.mean(abs((1.0 - 2.0 * signs) @ moved) >= reached * (1 - ROUNDING)))


def _half_step(moved: NDArray[np.float64]) -> float:
    """Half of what lies between two neighbouring sums of whole numbers; other sums have no neighbours."""
    if not (moved == np.rint(moved)).all() or abs(moved).max() > 2**31:
        return 0.0
    return float(np.gcd.reduce(abs(moved).astype(np.int64)))


def _r_star(moved: NDArray[np.float64], reached: float) -> float:
    """The normal deviate of a sum of (N,) differences with random signs; their cumulant function is sum(log cosh)."""
    scaled = moved / math.sqrt(float(moved @ moved))
    at = reached = reached / math.sqrt(float(moved @ moved))
    for _ in range(STEPS):  # the derivative is concave: Newton's steps come from below and do not pass
        curve = np.tanh(at * scaled)
        bend = float(scaled @ scaled - (scaled * curve) @ (scaled * curve))
        step = (reached - float(scaled @ curve)) / bend if bend > 0 else 0.0
        at += step
        if step <= ROUNDING * at:
            break
    sizes = abs(at * scaled)
    cumulant = float(np.sum(sizes + np.log1p(np.exp(-2 * sizes)))) - moved.size * math.log(2)
    root = math.sqrt(max(0.0, 2 * (at * reached - cumulant)))
    slope = at * math.sqrt(max(bend, 0.0))
    # Near the middle both are the same deviate, and their quotient is rounding.
    return root if root < 1e-3 or slope <= 0 else root + math.log(slope / root) / root


def _upper(values: NDArray[np.float64], alpha: float) -> float:
    """The largest mean that differences with these deviations do not speak against, by the Illinois method."""
    limit = NormalDist().inv_cdf(1 - alpha / 2)
    mean, top = float(values.mean()), float(values.max())
    inside, below = mean, -limit
    outside, above = _first_rejected(values, limit, 2 * limit * float(values.std()) / math.sqrt(values.size))
    if above <= 0:  # nothing below the largest difference is rejected; all that lies beyond it is
        return outside
    for _ in range(STEPS):
        between = outside - above * (outside - inside) / (above - below)
        found = _deviate(values - between) - limit
        if found > 0:
            outside, above, below = between, found, below / 2
        else:
            inside, below, above = between, found, above / 2
        if outside - inside <= TOLERANCE * (top - mean) or abs(found) < TOLERANCE:
            break
    return inside


def _first_rejected(values: NDArray[np.float64], limit: float, reach: float) -> tuple[float, float]:
    """A mean that the test rejects, and by how much; it rejects the largest difference."""
    mean, top = float(values.mean()), float(values.max())
    while mean + reach < top:
        surplus = _deviate(values - mean - reach) - limit
        if surplus > 0:
            return mean + reach, surplus
        reach *= 2
    return top, _deviate(values - top) - limit


def _deviate(values: NDArray[np.float64]) -> float:
    return -NormalDist().inv_cdf(max(permutation(values) / 2, 1e-300))
