"""What tasks share: where an episode's goals are, and which path dtw and coverage compare with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from nav_eval.config.schema import Config
from nav_eval.core.interfaces import Task
from nav_eval.core.types import Place
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.geometry import Vec3, between, euclidean

UNKNOWN: Vec3 = (math.nan, math.nan, math.nan)
"""The position of a graph node before the simulator has looked it up."""


class GoalTask(Task):
    """A task whose goals are points, graph nodes, or the view points of objects."""

    goal_rule = "position"

    def __init__(self, config: Config) -> None:
        self._rule = config.task.goal_rule or self.goal_rule
        self._within = config.evaluation.success_distance
        self._step = config.simulator.motion.forward_step
        self._reference = config.task.reference

    def goals(self, episode: Episode) -> Sequence[Place]:
        if self._rule == "reference_end":
            return [Place(UNKNOWN, node) for node in episode.reference_nodes[-1:]]
        return [place for goal in episode.goals for place in self._places(goal)]

    def _places(self, goal: Goal) -> list[Place]:
        return seen_from(goal) if self._rule == "view_points" else [_itself(goal)]

    def reference(self, episode: Episode) -> tuple[Sequence[Place], str]:
        if episode.reference_nodes:
            return [Place(UNKNOWN, node) for node in episode.reference_nodes], "nodes"
        kind = self._reference or ("gt" if episode.gt_locations else "densified")
        path: Sequence[Vec3] = (episode.gt_locations or ()) if kind == "gt" else episode.reference_path
        if kind == "densified" and path:
            path = densified(path, self._step)
        return [Place(point) for point in path], kind if path else "none"


def seen_from(goal: Goal) -> list[Place]:
    """The goal's view points, else the goal itself."""
    return [Place(point.position) for point in goal.view_points] or [_itself(goal)]


def _itself(goal: Goal) -> Place:
    return Place(goal.position or UNKNOWN, goal.node)


def densified(path: Sequence[Vec3], spacing: float) -> list[Vec3]:
    """The polyline `path` with points at most `spacing` metres apart; its own points are kept."""
    points = [path[0]]
    for start, end in pairwise(path):
        parts = max(1, math.ceil(euclidean(start, end) / spacing - 1e-9))
        points += [between(start, end, k / parts) for k in range(1, parts)]
        points.append(end)
    return points
