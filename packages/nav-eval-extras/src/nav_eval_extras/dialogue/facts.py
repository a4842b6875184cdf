"""What an oracle knows of somebody's way: from the navmesh and the rooms of the scene, in no language."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nav_eval.core.capabilities import HasScene
from nav_eval.engine.scene.scene import SemanticRegion
from nav_eval.geometry import Vec3, wrap_angle, yaw_of, yaw_towards
from nav_eval.tasks.base import densified

SPACING, FIRST = 0.25, 0.75
"""Metres between the points of a way that are looked at; after which it has a direction."""
BEND = math.radians(15)
"""By which a way leaves its direction where one has to turn again."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Of the shortest way to the nearest goal: its length, the turn that it begins with, how far one then goes straight
    on, and the region that one enters there (0: none that one is not in); the goal's region."""

    left: float
    """m; infinite where no way leads there."""
    turn: float = 0.0
    """rad, positive = left."""
    straight: float = 0.0
    """m"""
    enters: int = 0
    goal_room: int = 0


def facts(simulator: Any, goals: Sequence[Vec3]) -> Facts:
    """`simulator`: one that has a navmesh."""
    state, regions = simulator.get_agent_state(), simulator.scene().regions if isinstance(simulator, HasScene) else ()
    ways = [simulator.navmesh().shortest_path(state.position, goal) for goal in goals]
    best = min(range(len(goals)), key=lambda k: ways[k].length)
    if not math.isfinite(ways[best].length):
        return Facts(math.inf)
    way = densified([(float(x), float(y), float(z)) for x, y, z in ways[best].points], SPACING)
    ahead = next((point for point in way if math.dist(point, way[0]) >= FIRST), way[-1])
    direction = yaw_towards(way[0], ahead)
    straight, enters = _stretch(way, direction, regions)
    turn = wrap_angle(direction - yaw_of(state.rotation)) if ways[best].length > SPACING else 0.0
    return Facts(float(ways[best].length), turn, straight, enters, room_at(way[-1], regions))


def _stretch(way: Sequence[Vec3], direction: float, regions: Sequence[SemanticRegion]) -> tuple[float, int]:
    """How far the way goes on in a direction, at most into the next room; and that room."""
    here, gone = room_at(way[0], regions), 0.0
    for before, point in pairwise(way):
        off = wrap_angle(yaw_towards(way[0], point) - direction)
        if gone > FIRST and abs(off) > BEND and math.dist(way[0], point) * abs(math.sin(off)) > SPACING:
            return gone, 0
        gone += math.dist(before, point)
        room = room_at(point, regions)
        if room not in (0, here):
            return gone, room
    return gone, 0


def room_at(point: Vec3, regions: Sequence[SemanticRegion]) -> int:
    """The region that holds a point of the floor; 0 on a threshold, and where there are none."""
    return next((region.id for region in regions if region.holds(*point)), 0)
