"""Several goals, one after the other: a task that keeps count, and a metric of its own.

A call within the success distance of the present goal counts; a call elsewhere ends the episode, as in MultiON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from nav_eval.core.actions import Action
from nav_eval.core.interfaces import DistanceFunction, Metric, MetricContext, Simulator
from nav_eval.core.types import Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.tasks.navigation import ObjectNavTask


class GoalsFound(Metric):
    """Share of the goals that were called in order, at the right places: MultiON's progress."""

    name, category, on_failure = "goals_found", "navigation", 0.0
    unit, better, needs = "share", "higher", ("distance", "actions")

    def reset_metric(self, context: MetricContext) -> None:
        self._context, self._found, self._over = context, 0, False

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        goals = self._context.goals
        if step.action.name == "found" and not self._over and self._found < len(goals):
            near = self._context.distance(step.state.place, [goals[self._found]]) < self._context.success_distance
            self._found, self._over = self._found + near, not near

    def get_metric(self) -> float:
        return self._found / max(len(self._context.goals), 1)


class MultiObjectNavTask(ObjectNavTask):
    """Multi-object navigation: reach the goals in order, calling `found` at each (MultiON, Wani et al., NeurIPS 2020).

    One goal per object, in the data set's order; its first view point, else its position, is the place.
    """

    name = "multi_objectnav"
    actions = ("stop", "found", "move_forward", "turn_left", "turn_right", "look_up", "look_down")
    measurements = ("goals_found", "path_length", "collisions", "steps")
    needs_goal = True
    own_metrics: ClassVar[Mapping[str, type[Metric]]] = {"goals_found": GoalsFound}

    def begin(self, episode: Episode) -> None:
        self._left = list(self.goals(episode))

    def goals(self, episode: Episode) -> list[Place]:
        return [self._places(goal)[0] for goal in episode.goals]

    def ends(self, step: StepRecord, distance: DistanceFunction) -> bool:
        if step.action.name == "found" and self._left:
            near = distance(step.state.place, [self._left.pop(0)]) < self._within
            return not near or not self._left
        return super().ends(step, distance)

    def expert_action(self, simulator: Simulator, goals: Sequence[Place], within: float) -> Action:
        """From goal to goal in order; where it would stop, it is there."""
        action = simulator.expert_action(goals[len(goals) - len(self._left) :][:1], within)
        return Action("found") if action.name == "stop" else action
