"""Instance image-goal navigation: find the very object that a picture shows, and stop where it can be seen."""

from __future__ import annotations

from nav_eval.tasks.objectnav import ObjectNavTask


class InstanceImageNavTask(ObjectNavTask):
    name = "instance_imagenav"
    sensors = ("imagegoal",)


TASK = InstanceImageNavTask
