"""From the results of episodes to the figures of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from nav_eval.core.types import EpisodeResult

Summarise: TypeAlias = Callable[[str, Sequence[float], Sequence[str]], Mapping[str, Any]]
"""(metric, one value per episode, its scene) -> {"mean", "ci95", "n", "n_nonfinite", ...}."""


@dataclass(frozen=True, slots=True)
class EvaluationResults:
    """What a run came to. `metrics`: name -> {"mean", "ci95", "n", "n_nonfinite", ...}.

    `over_budget`: episodes that met the organiser's budget; they are in no metric and not among the failed.
    """

    n_episodes: int
    n_failed: int
    statuses: Mapping[str, int]
    metrics: Mapping[str, Mapping[str, Any]]
    timing: Mapping[str, Any]
    not_scored: int = 0
    over_budget: int = 0


class MetricsAggregator:
    """Takes results one by one, keeps only numbers, and sums them up at the end.

    `summarise` is the statistics (nav_eval.results.statistics); `names` fixes which metrics appear and their order.
    """

    def __init__(self, names: Sequence[str], summarise: Summarise) -> None:
        self._names = tuple(names)
        self._summarise = summarise

    def aggregate_metrics(self, results: Iterable[EpisodeResult]) -> EvaluationResults:
        """Failed episodes count with the values that they were given; those without a goal are not scored.

        An episode that met the budget says nothing of the agent, so it is counted and left out.
        """
        columns: dict[str, list[float]] = {name: [] for name in self._names}
        scenes: dict[str, list[str]] = {name: [] for name in self._names}
        statuses: Counter[str] = Counter()
        timing: dict[str, list[float]] = {"wall": [], "agent": []}
        unscored = 0
        for result in results:
            statuses[result.status] += 1
            if result.status == "budget_exceeded":
                continue
            unscored += not result.metrics
            for name in self._names:
                value = result.metrics.get(name)
                if isinstance(value, int | float):
                    columns[name].append(float(value))
                    scenes[name].append(result.scene_id)
            for kind, seconds in timing.items():
                seconds.append(float(result.timing.get(kind, 0.0)))
        return EvaluationResults(
            n_episodes=sum(statuses.values()),
            n_failed=sum(count for status, count in statuses.items() if status not in ("ok", "budget_exceeded")),
            statuses=dict(sorted(statuses.items())),
            metrics={n: self._summarise(n, columns[n], scenes[n]) for n in self._names if columns[n]},
            timing={f"{kind}_seconds": sum(seconds) for kind, seconds in timing.items()},
            not_scored=unscored,
            over_budget=statuses["budget_exceeded"],
        )
