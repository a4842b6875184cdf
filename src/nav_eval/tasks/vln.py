"""Vision-and-language navigation: follow an instruction along a path and stop at its end."""

from __future__ import annotations

from nav_eval.tasks.base import GoalTask


class VLNTask(GoalTask):
    name = "vln"
    actions = ("stop", "move_forward", "turn_left", "turn_right")
    measurements = (
        "success",
        "spl",
        "soft_spl",
        "navigation_error",
        "navigation_error_euclidean",
        "oracle_success",
        "path_length",
        "ndtw",
        "sdtw",
        "waypoint_coverage",
        "collisions",
        "steps",
    )
    sensors = ("instruction",)


TASK = VLNTask
