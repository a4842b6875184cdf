"""Several goals, one after the other: a task that keeps count, and metrics of its own.

A call within the success distance of the present goal counts; a call elsewhere ends the episode, as in MultiON.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from nav_eval.core.actions import Action
from nav_eval.core.interfaces import DistanceFunction, Metric, MetricContext, Simulator
from nav_eval.core.types import Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.geometry import euclidean
from nav_eval.tasks.base import seen_from
from nav_eval.tasks.navigation import ObjectNavTask


class GoalsFound(Metric):
    """Share of the goals that were called in order, at the right places: MultiON's progress."""

    name, category, on_failure = "goals_found", "navigation", 0.0
    unit, better, needs = "share", "higher", ("distance", "actions")

    def reset_metric(self, context: MetricContext) -> None:
        self._context, self._found, self._over = context, 0, False
        self._stations = _stations(context)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        if step.action.name == "found" and not self._over and self._found < len(self._stations):
            due = self._stations[self._found]
            near = self._context.distance(step.state.place, due) < self._context.success_distance
            self._found, self._over = self._found + near, not near

    def get_metric(self) -> float:
        return self._found / max(len(self._stations), 1)


class AllGoalsFound(GoalsFound):
    """All goals were called in order, at the right places: MultiON's success."""

    name, kind, unit = "all_goals_found", "rate", ""

    def get_metric(self) -> float:
        return float(self._found == len(self._stations))


class ProgressSpl(GoalsFound):
    """Goals found, weighted by the shortest way past them ÷ the path walked until the last of them: MultiON's PPL."""

    name, label, short = "progress_spl", "Progress by path length", "PPL"

    def reset_metric(self, context: MetricContext) -> None:
        super().reset_metric(context)
        self._here, self._walked, self._until = context.start.position, 0.0, 0.0
        self._shortest = _shortest(context, self._stations)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        before = self._found
        super().update_metric(step, others)
        self._walked += euclidean(self._here, step.state.position)
        self._here = step.state.position
        self._until = self._walked if self._found > before else self._until

    def get_metric(self) -> float:
        return super().get_metric() * share(self._shortest[self._found], self._until)


class MultiSpl(ProgressSpl):
    """All goals found, weighted by the shortest way past them ÷ the path walked: MultiON's SPL."""

    name, label, short = "multi_spl", "SPL past all goals", "SPL"

    def get_metric(self) -> float:
        everything = self._found == len(self._stations)
        return everything * share(self._shortest[self._found], self._walked)


def _stations(context: MetricContext) -> list[list[Place]]:
    """For each goal in order the places that count."""
    places = iter(context.goals)
    return [list(islice(places, len(seen_from(goal)))) for goal in context.episode.goals]


def _shortest(context: MetricContext, stations: Sequence[Sequence[Place]]) -> list[float]:
    """The way from the start past no goal, the first, the first two, ..., each at its best place, m."""
    ways, shortest = [(context.start.place, 0.0)], [0.0]
    for station in stations:
        ways = [(there, min(far + context.distance(here, [there]) for here, far in ways)) for there in station]
        shortest.append(min(far for _, far in ways))
    return shortest


def share(shortest: float, walked: float) -> float:
    """SPL's weight of a way; 0 where a goal cannot be reached."""
    return 1.0 if shortest == walked else shortest / max(shortest, walked) if math.isfinite(shortest) else 0.0


class MultiObjectNavTask(ObjectNavTask):
    """Multi-object navigation: reach the goals in order, calling `found` at each (MultiON, Wani et al., NeurIPS 2020).

    One goal per object, in the data set's order; its view points, else its position, are the places that count.
    """

    name = "multi_objectnav"
    actions = ("stop", "found", "move_forward", "turn_left", "turn_right", "look_up", "look_down")
    measurements = ("goals_found", "path_length", "collisions", "steps")
    needs_goal = goals_in_order = True
    own_metrics: ClassVar[Mapping[str, type[Metric]]] = {
        one.name: one for one in (GoalsFound, AllGoalsFound, ProgressSpl, MultiSpl)
    }

    def begin(self, episode: Episode) -> None:
        self._left = self.stations(episode)

    def stations(self, episode: Episode) -> list[list[Place]]:
        """For each goal in order the places that count."""
        return [seen_from(goal) for goal in episode.goals]

    def goals(self, episode: Episode) -> list[Place]:
        return [place for station in self.stations(episode) for place in station]

    def ends(self, step: StepRecord, distance: DistanceFunction) -> bool:
        if step.action.name == "found" and self._left:
            return self.after_found(distance(step.state.place, self._left.pop(0)) < self._within)
        return super().ends(step, distance)

    def after_found(self, near: bool) -> bool:
        """Whether a call ends the episode; `near`: at the goal that was due."""
        return not near or not self._left

    def expert_action(self, simulator: Simulator, goals: Sequence[Place], within: float) -> Action:
        """From goal to goal in order; where it would stop, it is there."""
        done = len(goals) - sum(map(len, self._left))
        action = simulator.expert_action(goals[done:][: sum(map(len, self._left[:1]))], within)
        return Action("found") if action.name == "stop" else action
