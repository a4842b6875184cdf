"""Point-goal navigation: reach a point given in the agent's own frame."""

from __future__ import annotations

from typing import ClassVar

from nav_eval.tasks.base import GoalTask


class PointNavTask(GoalTask):
    name = "pointnav"
    actions: ClassVar[tuple[str, ...]] = ("stop", "move_forward", "turn_left", "turn_right")
    measurements: ClassVar[tuple[str, ...]] = (
        "success",
        "spl",
        "soft_spl",
        "distance_to_goal",
        "navigation_error",
        "path_length",
        "collisions",
        "steps",
    )
    sensors: ClassVar[tuple[str, ...]] = ("pointgoal",)


TASK = PointNavTask
