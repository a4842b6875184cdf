"""Room navigation: enter a room of a kind and stop inside; the episode's goals are points of such rooms."""

from __future__ import annotations

from nav_eval.tasks.pointnav import PointNavTask


class RoomNavTask(PointNavTask):
    name = "roomnav"
    sensors = ("objectgoal",)


TASK = RoomNavTask
