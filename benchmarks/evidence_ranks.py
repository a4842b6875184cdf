"""Whether agents rank alike in two worlds: correlations of their ranks, and how sure these are.

What is correlated are means over episodes. The interval comes of drawing buildings with replacement, in either world
for itself, with all their episodes: what other buildings of the kind would have shown, had these agents played there.
Where buildings are few a draw knows fewer than were measured, so that its ranks agree less: intervals lie rather low,
and the value itself may lie above.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, spearmanr

from nav_eval.results.compare import RunRecords
from nav_eval.results.statistics import RESAMPLES, Interval, percentile_interval


@dataclass(frozen=True)
class Scores:
    """`sums` (B, A): of each building and agent the sum over its episodes; `counts` (B,): how many these are."""

    agents: tuple[str, ...]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, runs: Mapping[str, RunRecords], metric: str, agents: Collection[str]) -> Scores:
        """Of the episodes that all of `agents` have."""
        shared = sorted(set.intersection(*(set(runs[name].episodes) for name in agents)))
        buildings = sorted({scene for scene, _ in shared})
        sums, counts = np.zeros((len(buildings), len(agents))), np.zeros(len(buildings))
        for key in shared:
            row = buildings.index(key[0])
            counts[row] += 1
            sums[row] += [runs[name].episodes[key][metric] for name in agents]
        return cls(tuple(agents), sums, counts)

    def means(self, rows: NDArray[np.int_] | slice = slice(None)) -> NDArray[np.float64]:
        """(A,) over the episodes of these buildings."""
        return np.asarray(self.sums[rows].sum(0) / self.counts[rows].sum())

    def drawn(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """(A,) means over buildings that are drawn with replacement."""
        return self.means(rng.integers(0, len(self.counts), len(self.counts)))


@dataclass(frozen=True)
class Correlation:
    """Kendall's tau-b and Spearman's rho of the means of `agents` agents; None where all are equal in one world."""

    agents: int
    tau: float | None
    tau_ci95: Interval | None
    rho: float | None
    rho_ci95: Interval | None


def correlation(one: Scores, other: Scores, seed: int = 0, draws: int = RESAMPLES) -> Correlation:
    """No interval where a world has one building, or the draws say the same."""
    rng = np.random.default_rng(seed)
    tau, rho = _of(one.means(), other.means())
    sure = min(len(one.counts), len(other.counts)) > 1
    found = np.array([_of(one.drawn(rng), other.drawn(rng)) for _ in range(draws if sure else 0)]).reshape(-1, 2)
    taus, rhos = (column[np.isfinite(column)] for column in found.T)
    return Correlation(len(one.agents), _number(tau), _interval(taus), _number(rho), _interval(rhos))


def _of(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float]:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return np.nan, np.nan
    return float(kendalltau(one, other).statistic), float(spearmanr(one, other).statistic)


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _interval(values: NDArray[np.float64]) -> Interval | None:
    """None where the draws between its ends all say the same: of few agents with ties that is no certainty."""
    low, high = percentile_interval(values) if values.size else (0.0, 0.0)
    return (low, high) if high - low > 1e-9 else None
