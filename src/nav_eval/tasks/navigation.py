"""The tasks of one goal or one path. What differs between them is data: the rest is GoalTask's."""

from __future__ import annotations

from typing import ClassVar

from nav_eval.tasks.base import GoalTask

WALKING = ("stop", "move_forward", "turn_left", "turn_right")
LOOKING = (*WALKING, "look_up", "look_down")
ARRIVING = ("success", "spl", "soft_spl", "distance_to_goal", "navigation_error", "path_length", "collisions", "steps")


class VLNTask(GoalTask):
    """Vision-and-language navigation: follow an instruction along a path and stop at its end."""

    name = "vln"
    actions: ClassVar[tuple[str, ...]] = WALKING
    measurements: ClassVar[tuple[str, ...]] = (
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
    sensors: ClassVar[tuple[str, ...]] = ("instruction",)


class PointNavTask(GoalTask):
    """Point-goal navigation: reach a point given in the agent's own frame."""

    name = "pointnav"
    actions: ClassVar[tuple[str, ...]] = WALKING
    measurements: ClassVar[tuple[str, ...]] = ARRIVING
    sensors: ClassVar[tuple[str, ...]] = ("pointgoal",)


class ImageNavTask(PointNavTask):
    """Image-goal navigation: reach the place where a picture was taken."""

    name = "imagenav"
    sensors = ("imagegoal",)


class ObjectNavTask(GoalTask):
    """Object-goal navigation: find any object of a category and stop where it can be seen."""

    name = "objectnav"
    actions: ClassVar[tuple[str, ...]] = LOOKING
    measurements: ClassVar[tuple[str, ...]] = ARRIVING
    sensors: ClassVar[tuple[str, ...]] = ("objectgoal",)
    goal_rule = "view_points"


class InstanceImageNavTask(ObjectNavTask):
    """Instance image-goal navigation: find the very object that a picture shows, and stop where it can be seen."""

    name = "instance_imagenav"
    sensors = ("imagegoal",)


class OpenVocabularyTask(ObjectNavTask):
    """Open-vocabulary object-goal navigation: the category is any name (HM3D-OVON, Yokoyama et al., IROS 2024)."""

    name = "ovon"


class RoomNavTask(ObjectNavTask):
    """Room navigation: enter a room of a kind and stop inside; the goals' view points are places in such rooms."""

    name = "roomnav"
    actions = WALKING
