"""The expert's own walk: turns of 15 degrees and steps of 0.25 m along a shortest path, as R2R-CE records it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nav_eval.geometry import Quaternion, Vec3, wrap_angle, yaw_of, yaw_towards
from nav_eval_worlds.episodes.site import Site

STEP, TURN = 0.25, math.radians(15)
STOP, FORWARD, LEFT, RIGHT = 0, 1, 2, 3
_MOST = 900


@dataclass(frozen=True, slots=True)
class Walk:
    """`locations`: the start and the place after each forward step; `actions`: Habitat's ids, STOP last."""

    locations: tuple[Vec3, ...]
    actions: tuple[int, ...]


def walk(site: Site, start: Vec3, rotation: Quaternion, goal: Vec3, close: float = 0.2) -> Walk | None:
    """Greedy along the shortest path, planned anew after each step; None if it does not come within `close` m."""
    here, yaw = start, yaw_of(rotation)
    locations: list[Vec3] = [start]
    actions: list[int] = []
    while len(actions) < _MOST:
        distance, path = site.path(here, goal)
        if not math.isfinite(distance):
            return None
        if distance < close:
            return Walk(tuple(locations), (*actions, STOP))
        off = wrap_angle(yaw_towards(here, _ahead(path)) - yaw)
        if abs(off) > TURN * 0.55:
            yaw += TURN if off > 0 else -TURN
            actions.append(LEFT if off > 0 else RIGHT)
            continue
        there = (here[0] - STEP * math.sin(yaw), here[1], here[2] - STEP * math.cos(yaw))
        moved = site.navmesh.step(here, there, sliding=True)
        after = (float(moved[0]), float(moved[1]), float(moved[2]))
        if math.dist(after, here) < 0.01:
            return None
        here = after
        locations.append(here)
        actions.append(FORWARD)
    return None


def _ahead(path: list[Vec3]) -> Vec3:
    """The first corner that is not underfoot."""
    start = path[0]
    for point in path[1:]:
        if math.hypot(point[0] - start[0], point[2] - start[2]) > 0.12:
            return point
    return path[-1]
