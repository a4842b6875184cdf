"""Image-goal navigation: reach the place where a picture was taken."""

from __future__ import annotations

from nav_eval.tasks.pointnav import PointNavTask


class ImageNavTask(PointNavTask):
    name = "imagenav"
    sensors = ("imagegoal",)


TASK = ImageNavTask
