"""GOAT: several goals, one after the other, each told by a category, a photograph or a description.

Each call of `found` ends a sub-task, at its goal or elsewhere, and the next one begins there and then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import Place, StepRecord
from nav_eval.dataset.episode import Goal
from nav_eval.geometry import euclidean
from nav_eval.tasks.base import seen_from
from nav_eval.tasks.multi_objectnav import MultiObjectNavTask, share


class SubTaskMetric(Metric):
    """The mean of a score over the sub-tasks of an episode; those that were never called score 0."""

    category, on_failure = "navigation", 0.0
    unit, better, needs = "share", "higher", ("distance", "actions")

    def reset_metric(self, context: MetricContext) -> None:
        self._context, self._scores = context, list[float]()
        self._here, self._walked = context.start.position, 0.0
        self._shortest = self._to_goal(context.start.place)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._walked += euclidean(self._here, step.state.position)
        self._here = step.state.position
        if step.action.name == "found" and self._due:
            left = self._to_goal(step.state.place)
            self._scores.append(self.score(left, self._shortest, self._walked))
            self._walked, self._shortest = 0.0, self._to_goal(step.state.place)

    def get_metric(self) -> float:
        return math.fsum(self._scores) / max(len(self._context.episode.goals), 1)

    def score(self, left: float, shortest: float, walked: float) -> float:
        """Of one sub-task, at its call. `left`: metres to its goal; `shortest`: the same at its beginning, m."""
        return float(left < self._context.success_distance)

    @property
    def _due(self) -> tuple[Goal, ...]:
        """The goal of the present sub-task; none after the last one."""
        return self._context.episode.goals[len(self._scores) :][:1]

    def _to_goal(self, here: Place) -> float:
        return self._context.distance(here, seen_from(self._due[0])) if self._due else 0.0


class SubTaskSuccess(SubTaskMetric):
    """Share of the sub-tasks that were called at their goals: GOAT-Bench's partial success."""

    name, label = "subtask_success", "Sub-task success"


class AllSubTasks(SubTaskMetric):
    """All sub-tasks were called at their goals: GOAT-Bench's composite success."""

    name, label, kind, unit = "all_subtasks", "All sub-tasks", "rate", ""

    def get_metric(self) -> float:
        return float(super().get_metric() == 1.0)


class SubTaskSpl(SubTaskMetric):
    """Success of each sub-task weighted by the shortest way from where it began ÷ the path: GOAT-Bench's SPL."""

    name, label = "subtask_spl", "Sub-task SPL"

    def score(self, left: float, shortest: float, walked: float) -> float:
        return super().score(left, shortest, walked) * share(shortest, walked)


class SubTaskSoftSpl(SubTaskMetric):
    """The share of the way to its goal that was covered, weighted likewise: GOAT-Bench's soft SPL."""

    name, label = "subtask_soft_spl", "Sub-task soft SPL"

    def score(self, left: float, shortest: float, walked: float) -> float:
        if not math.isfinite(shortest):
            return 0.0
        covered = 1 - left / shortest if shortest > 0 else float(left == 0)
        return max(0.0, covered) * share(shortest, walked)


class GoatTask(MultiObjectNavTask):
    """Go to any thing: a chain of goals told by category, photograph or description (GOAT-Bench, CVPR 2024).

    A goal's view points are the places that count. A call elsewhere fails that goal alone.
    """

    name = "goat"
    measurements = ("subtask_success", "path_length", "collisions", "steps")
    sensors = ("objectgoal", "imagegoal", "descriptiongoal")
    own_metrics: ClassVar[Mapping[str, type[Metric]]] = {
        one.name: one for one in (SubTaskSuccess, AllSubTasks, SubTaskSpl, SubTaskSoftSpl)
    }

    def after_found(self, near: bool) -> bool:
        return not self._left
