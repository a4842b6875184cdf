"""From the results of episodes to the figures of a run."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from nav_eval.core.definitions import Definition
from nav_eval.core.numbers import parts_of
from nav_eval.core.types import OURS, EpisodeResult
from nav_eval.geometry import total
from nav_eval_sdk.protocol.usage import Usage, whole

Summarise: TypeAlias = Callable[[Definition, Sequence[float], Sequence[str]], Mapping[str, Any]]
"""(what the metric says of itself, one value per episode, its scene) -> {"mean", "ci95", "n", "n_nonfinite", ...}."""


@dataclass(frozen=True, slots=True)
class EvaluationResults:
    """What a run came to. `metrics`: name -> {"mean", "ci95", "n", "n_nonfinite", ...}; `definitions`: what each of
    them, and of those without a figure, says of itself. A record has a figure for each number in it, called name.key;
    `unsummed`: metric -> what of its records is no number, and stands in the journal alone.

    `over_budget`: episodes that met the organiser's budget; `lost`: those that a fault of the evaluator ended. Both
    are in no metric and not among the failed. `restarted`, `resumed`: those that were shown to the agent more than
    once, because its service lost them, or because the evaluator ended meanwhile. `metric_faults`: metric -> {"n",
    "reason"}: episodes in which it has no value through its own fault, and the first one's reason. `references`:
    how many episodes were compared with what (EpisodeResult.reference). `usage`: what the answers of so many
    episodes cost together, by the agent's own account; None where it gives none. `episodes`: their results, where
    nav_eval.Evaluation ran them; a run directory keeps them in its journal.
    """

    n_episodes: int
    n_failed: int
    statuses: Mapping[str, int]
    metrics: Mapping[str, Mapping[str, Any]]
    timing: Mapping[str, Any]
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    not_scored: int = 0
    over_budget: int = 0
    lost: int = 0
    restarted: int = 0
    resumed: int = 0
    metric_faults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    references: Mapping[str, int] = field(default_factory=dict)
    unsummed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    usage: tuple[Usage, int] | None = None
    episodes: Sequence[EpisodeResult] = ()

    @property
    def measured(self) -> tuple[str, ...]:
        """Metrics that have, or should have, a value in some episode."""
        return tuple(dict.fromkeys([*self.metrics, *self.metric_faults]))

    @property
    def blameless(self) -> bool:
        """Whether every episode was played and measured without a fault of anybody's."""
        return not (self.n_failed or self.over_budget or self.lost or self.metric_faults)


class _Columns:
    """A metric's values: each number with its scene, by the name of its column; `others`: columns without numbers."""

    def __init__(self) -> None:
        self.numbers: dict[str, tuple[array[float], list[str]]] = {}
        self.others: dict[str, None] = {}

    def take(self, name: str, value: Any, scene: str) -> None:
        for column, part in parts_of(name, value):
            if isinstance(part, int | float):
                values, scenes = self.numbers.setdefault(column, (array("d"), []))
                values.append(float(part))
                scenes.append(scene)
            else:
                self.others[column] = None


class MetricsAggregator:
    """Takes results one by one, keeps only numbers, and sums them up at the end.

    `summarise` is the statistics (nav_eval.results.statistics); `definitions` fix which metrics appear, their order,
    and how each is summed up.
    """

    def __init__(self, definitions: Mapping[str, Definition], summarise: Summarise) -> None:
        self._definitions = definitions
        self._summarise = summarise

    def aggregate_metrics(self, results: Iterable[EpisodeResult]) -> EvaluationResults:
        """Failed episodes count with the values that they were given; those without a goal are not scored.

        An episode that met the budget, or that our own fault ended, says nothing of the agent: counted and left out.
        """
        columns = {name: _Columns() for name in self._definitions}
        statuses: Counter[str] = Counter()
        faults: dict[str, list[str]] = {}
        references: Counter[str] = Counter()
        timing = {"wall": array("d"), "agent": array("d")}  # of each episode, however many at a time
        unscored = 0
        again: Counter[str] = Counter()
        usages: list[Usage] = []
        for result in results:
            statuses[result.status] += 1
            usages += [result.usage] if result.usage else []
            again.update(kind for kind in ("restarts", "resumes") if result.timing.get(kind))
            if result.status in ("budget_exceeded", *OURS):
                continue
            unscored += not (result.metrics or result.unmeasured or result.reference)
            for name, reason in result.unmeasured.items():
                faults.setdefault(name, []).append(reason)
            references.update([result.reference] if result.reference else [])
            for name, found in columns.items():
                if name in result.metrics:
                    found.take(name, result.metrics[name], result.scene_id)
            for kind, seconds in timing.items():
                seconds.append(float(result.timing.get(kind, 0.0)))
        definitions = {part: one for name, found in columns.items() for part, one in self._defined(name, found)}
        return EvaluationResults(
            n_episodes=sum(statuses.values()),
            n_failed=sum(n for status, n in statuses.items() if status not in ("ok", "budget_exceeded", *OURS)),
            statuses=dict(sorted(statuses.items())),
            metrics={
                part: self._summarise(definitions[part], values, scenes)
                for found in columns.values()
                for part, (values, scenes) in found.numbers.items()
            },
            timing={"episode_seconds": total(timing["wall"]), "agent_seconds": total(timing["agent"])},
            definitions=definitions,
            not_scored=unscored,
            over_budget=statuses["budget_exceeded"],
            lost=sum(statuses[status] for status in OURS),
            restarted=again["restarts"],
            resumed=again["resumes"],
            metric_faults={name: {"n": len(reasons), "reason": reasons[0]} for name, reasons in faults.items()},
            references=dict(sorted(references.items())),
            unsummed={name: [*found.others] for name, found in columns.items() if found.others},
            usage=None if (spent := whole(usages)) is None else (spent, len(usages)),
        )

    def _defined(self, name: str, found: _Columns) -> Iterator[tuple[str, Definition]]:
        """What a metric says of itself, and what is said of each number in its records."""
        whole = self._definitions[name]
        yield name, replace(whole, kind="mean") if whole.kind == "record" and name in found.numbers else whole
        for part in found.numbers:
            if part != name:
                yield part, replace(whole, kind="mean", unit="", better=None, label="", short="")
