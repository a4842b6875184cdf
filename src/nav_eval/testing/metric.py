"""Does a metric keep nav_eval.core.interfaces.Metric? Walks on open ground, edges included.

What it requires is measured beside it, as in an evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nav_eval.config.options import check_options
from nav_eval.config.schema import TaskConfig
from nav_eval.core.actions import STOP, Action
from nav_eval.core.definitions import check_definition, definitions
from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.measurements import Measurements, value_fault
from nav_eval.core.types import Need, Place, StepRecord
from nav_eval.errors import ConfigError
from nav_eval.metrics.adapted import as_metric
from nav_eval.metrics.registry import METRICS, make_metrics
from nav_eval.testing.fakes import fake_context, fake_episode, fake_settings, fake_walk
from nav_eval.testing.findings import Finding, Skip, run_checks

TURN = Action("turn_left")


@dataclass(frozen=True, slots=True)
class Trial:
    """`settings` are those that metrics read from MetricContext.settings."""

    metric: type[Metric]
    settings: TaskConfig

    def context(self, **changes: Any) -> MetricContext:
        return replace(fake_context(), settings=self.settings, **changes)

    def needs(self) -> tuple[Need, ...]:
        """Its own and those of what it requires."""
        return definitions([self.metric, *map(type, make_metrics(self.metric.requires))])[self.metric.name].needs

    def measured(self, context: MetricContext, *walks: Sequence[StepRecord]) -> Any:
        """The value after the last of these episodes, all on the same object."""
        metric = self.metric()
        measurements = Measurements([metric, *make_metrics(metric.requires)])
        for walk in walks:
            measurements.reset(context)
            for step in walk:
                measurements.update(step)
        if why := measurements.faults.get(metric.name):
            raise RuntimeError(why)
        return metric.get_metric()


def check_metric(metric: type[Any] | str, **settings: Any) -> Iterator[Finding]:
    """Findings, one by one, of a class or of what is registered by a name.

    `settings`: keys of the section `task` that the metric reads, or options of its own.
    """
    task = fake_settings(**settings)
    cls = METRICS.get(metric) if isinstance(metric, str) else _adapt(metric)
    check_options("task.options", task.options, cls)
    yield from run_checks(CHECKS, Trial(cls, task))


def _adapt(cls: type) -> type[Metric]:
    """`cls` as it would be registered, where it has other signatures or does not derive from Metric."""
    if issubclass(cls, Metric):
        return cls
    made = as_metric(cls.__name__, cls)
    made.name = getattr(cls, "name", cls.__name__)
    return made


def says_what_it_is(trial: Trial) -> str:
    name = getattr(trial.metric, "name", None)
    if not isinstance(name, str) or not name:
        return "`name` must be a string."
    try:
        check_definition(trial.metric)
    except ConfigError as error:
        return str(error)
    return ""


def has_a_value_before_the_first_step(trial: Trial) -> str:
    return _fault(trial, trial.measured(trial.context(), []))


def has_a_value_after_a_walk(trial: Trial) -> str:
    return _fault(trial, trial.measured(trial.context(), fake_walk()))


def is_the_same_twice(trial: Trial) -> str:
    _needs_no_clock(trial)
    one, other = (trial.measured(trial.context(), fake_walk()) for _ in range(2))
    return "" if one == other else f"the same walk gave {one} and {other}."


def starts_fresh_at_reset(trial: Trial) -> str:
    _needs_no_clock(trial)
    clean = fake_walk()
    bumped = [replace(step, collided=True) for step in fake_walk(steps=12, stop=False)]
    bad = [*bumped, replace(bumped[-1], action=TURN)]
    fresh, used = trial.measured(trial.context(), clean), trial.measured(trial.context(), bad, clean)
    return "" if fresh == used else f"after another episode on the same object it gave {used}, on a fresh one {fresh}."


def _needs_no_clock(trial: Trial) -> None:
    if "clock" in trial.needs():
        raise Skip("it measures time.")


def reading_changes_nothing(trial: Trial) -> str:
    _needs_no_clock(trial)
    metric = trial.metric()
    measurements = Measurements([metric, *make_metrics(metric.requires)])
    measurements.reset(trial.context())
    for step in fake_walk():
        measurements.update(step)
        metric.get_metric()
    first, second = metric.get_metric(), metric.get_metric()
    expected = trial.measured(trial.context(), fake_walk())
    return "" if first == second == expected else f"reading it along the way gave {second}, reading it once {expected}."


def accepts_a_goal_that_cannot_be_reached(trial: Trial) -> str:
    unreachable = trial.context(distance=lambda start, ends: math.inf)
    return _fault(trial, trial.measured(unreachable, fake_walk()))


def accepts_an_agent_that_never_moves(trial: Trial) -> str:
    return _fault(trial, trial.measured(trial.context(), fake_walk(steps=0)))


def accepts_a_start_at_the_goal(trial: Trial) -> str:
    episode = fake_episode(goal=(0.0, 0.0, 0.0))
    here = replace(fake_context(episode), settings=trial.settings)
    return _fault(trial, trial.measured(here, fake_walk(steps=0)))


def accepts_an_episode_without_a_reference(trial: Trial) -> str:
    return _fault(trial, trial.measured(trial.context(reference=[], reference_kind="none"), fake_walk()))


def uses_only_its_declared_needs(trial: Trial) -> str:
    """Where it is scored without distances, or from a submission file, it must have a value, and the same one."""
    needs, walk = trial.needs(), fake_walk()
    if "distance" not in needs and (fault := _distances_asked(trial, walk)):
        return fault
    if "actions" in needs or "clock" in needs:
        return ""
    turned = [step if step.action == STOP else replace(step, action=TURN, collided=True) for step in walk]
    straight, other = (trial.measured(trial.context(), steps) for steps in (walk, turned))
    return "" if straight == other else f"other actions give {other}, not {straight}: add 'actions' to `needs`."


def _distances_asked(trial: Trial, walk: Sequence[StepRecord]) -> str:
    asked = []

    def distance(start: Place, ends: Sequence[Place]) -> float:
        asked.append(start)
        return math.inf

    trial.measured(trial.context(distance=distance), walk)
    return "it asks for distances: add 'distance' to `needs`." if asked else ""


def _fault(trial: Trial, value: Any) -> str:
    if isinstance(value, bool):
        return f"its value is {value}; end get_metric with return float(...)."
    if fault := value_fault(value, trial.metric.kind):
        return fault
    if trial.metric.unit == "share" and trial.metric.kind != "record" and not 0 <= value <= 1:
        return f"its value is {value}; a share lies from 0 to 1, else its `unit` is ''."
    return ""


CHECKS = (
    says_what_it_is,
    has_a_value_before_the_first_step,
    has_a_value_after_a_walk,
    is_the_same_twice,
    starts_fresh_at_reset,
    reading_changes_nothing,
    accepts_a_goal_that_cannot_be_reached,
    accepts_an_agent_that_never_moves,
    accepts_a_start_at_the_goal,
    accepts_an_episode_without_a_reference,
    uses_only_its_declared_needs,
)
