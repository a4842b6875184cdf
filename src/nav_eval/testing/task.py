"""Does a task keep nav_eval.core.interfaces.Task? Episodes on open ground, one without a goal among them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.actions import STOP, Action, ActionSpace
from nav_eval.core.definitions import check_definition
from nav_eval.core.environment import Environment, Rules
from nav_eval.core.interfaces import Metric, Task
from nav_eval.core.measurements import Measurements
from nav_eval.core.types import Place
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError
from nav_eval.metrics.registry import METRICS, make_metrics
from nav_eval.simulator.sensors.registry import SENSORS
from nav_eval.testing.fakes import FakeSimulator, fake_episode
from nav_eval.testing.findings import Finding, run_checks
from nav_eval_sdk.protocol.limits import Limits

KINDS = ("gt", "densified", "given", "nodes", "none")
FORWARD = Action("move_forward")


@dataclass(frozen=True, slots=True)
class Trial:
    """`actions`: what is done in an episode, the last of it stop."""

    factory: Callable[[Config], Task]
    config: Config
    episode: Episode
    actions: Sequence[Action]

    def task(self) -> Task:
        return self.factory(self.config)

    def environment(self, task: Task) -> Environment:
        own = task.own_metrics
        shared = make_metrics(name for name in task.measurements if name not in own)
        measurements = Measurements([*shared, *(metric() for metric in own.values())])
        rules = Rules(limits=Limits(max_steps=500), success_distance=0.3, settings=self.config.task)
        return Environment(
            FakeSimulator(sensors=()).open_session(),
            task,
            measurements,
            ActionSpace.of(task.actions, task.own_actions),
            rules,
        )

    def played(self, environment: Environment) -> Mapping[str, Any]:
        """The measurements of an episode, which ends early where the task says so."""
        environment.start(self.episode)
        for action in self.actions:
            environment.step(action)
            if environment.over:
                break
        return environment.metrics


def check_task(
    factory: Callable[[Config], Task],
    *,
    config: Config | None = None,
    episode: Episode | None = None,
    actions: Sequence[Action] = (*[FORWARD] * 8, STOP),
) -> Iterator[Finding]:
    """Findings, one by one. `factory`: the class, or what is registered.

    `episode` lies in the open square of FakeSimulator (10 m, y = 0); `actions`: how it is played, move_forward being
    0.25 m along -z at first.
    """
    yield from run_checks(CHECKS, Trial(factory, config or Config(), episode or fake_episode(), actions))


def says_what_it_is(trial: Trial) -> str:
    task = trial.task()
    ActionSpace.of(task.actions, task.own_actions)
    if unlisted := [name for name in task.own_actions if name not in task.actions]:
        return f"own_actions: no agent can answer {', '.join(unlisted)}: add to `actions`."
    return "" if isinstance(task.name, str) and task.name else "`name` must be a string."


def its_measurements_are_known(trial: Trial) -> str:
    task = trial.task()
    for name in task.measurements:
        if name not in task.own_metrics:
            METRICS.get(name)
    return next((fault for name, metric in task.own_metrics.items() if (fault := _own_fault(name, metric))), "")


def _own_fault(name: str, metric: type[Metric]) -> str:
    if getattr(metric, "name", None) != name:
        return f"own_metrics: {name!r} is called {getattr(metric, 'name', None)!r} by its class."
    try:
        check_definition(metric)
    except ConfigError as error:
        return f"own_metrics: {error}"
    return ""


def its_sensors_are_known(trial: Trial) -> str:
    for name in trial.task().sensors:
        SENSORS.get(name)
    return ""


def gives_its_goals_and_its_reference(trial: Trial) -> str:
    task = trial.task()
    task.begin(trial.episode)
    goals = task.goals(trial.episode)
    if not goals or not all(isinstance(goal, Place) for goal in goals):
        return f"goals must be Places, and there must be some; they are {goals!r}."
    reference, kind = task.reference(trial.episode)
    if kind not in KINDS or (kind == "none") != (not reference):
        return f"a reference of {len(reference)} places is of kind {kind!r}; kinds are {', '.join(KINDS)}."
    return "" if task.goals(trial.episode) == goals else "asked twice, it tells other goals."


def accepts_an_episode_without_a_goal(trial: Trial) -> str:
    """A hidden test split: run, not scored."""
    task, hidden = trial.task(), replace(trial.episode, goals=(), reference_path=(), reference_nodes=())
    task.begin(hidden)
    task.reference(hidden)
    if task.goals(hidden):
        return "it tells goals where the episode has none."
    return "" if not replace(trial, episode=hidden).played(trial.environment(task)) else "it was scored."


def has_values_for_all_its_measurements(trial: Trial) -> str:
    task = trial.task()
    values = trial.played(trial.environment(task))
    missing = [name for name in task.measurements if name not in values]
    wrong = [name for name, value in values.items() if isinstance(value, float) and math.isnan(value)]
    return f"{', '.join(missing + wrong)}: no value, or NaN." if missing or wrong else ""


def starts_fresh_with_each_episode(trial: Trial) -> str:
    environment = trial.environment(trial.task())
    first, second = dict(trial.played(environment)), dict(trial.played(environment))
    changed = [name for name in first if first[name] != second[name]]
    return f"the same episode again gave other values of {', '.join(changed)}." if changed else ""


def ends_an_episode_before_the_last_action(trial: Trial) -> str:
    """The given actions end it; an episode that only the step limit ends cannot be won."""
    environment = trial.environment(trial.task())
    trial.played(environment)
    return "" if environment.ended else f"it goes on after {trial.actions[-1].name}."


CHECKS = (
    says_what_it_is,
    its_measurements_are_known,
    its_sensors_are_known,
    gives_its_goals_and_its_reference,
    accepts_an_episode_without_a_goal,
    has_values_for_all_its_measurements,
    starts_fresh_with_each_episode,
    ends_an_episode_before_the_last_action,
)
