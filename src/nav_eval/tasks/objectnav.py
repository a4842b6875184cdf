"""Object-goal navigation: find any object of a category and stop where it can be seen."""

from __future__ import annotations

from typing import ClassVar

from nav_eval.tasks.base import GoalTask


class ObjectNavTask(GoalTask):
    name = "objectnav"
    actions: ClassVar[tuple[str, ...]] = ("stop", "move_forward", "turn_left", "turn_right", "look_up", "look_down")
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
    sensors: ClassVar[tuple[str, ...]] = ("objectgoal",)
    goal_rule = "view_points"


TASK = ObjectNavTask
