"""What episodes are asked for: how long, on how many floors, through how many rooms, how winding, how far apart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from nav_eval.errors import ConfigError
from nav_eval.geometry import Vec3, euclidean


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """Limits on the shortest path: metres, rooms entered, geodesic / Euclidean ratio, whether it may change floors."""

    min_length: float = 3.0
    max_length: float = 30.0
    min_rooms: int = 1
    max_rooms: int = 20
    min_ratio: float = 1.0
    max_ratio: float = 20.0
    floors: str = "any"
    """any, same or different."""
    spacing: float = 0.0
    """Metres in a straight line between the starts of a scene's episodes, and between goals that are points."""

    def __post_init__(self) -> None:
        if self.floors not in ("any", "same", "different"):
            raise ConfigError(f"floors is {self.floors!r}: give any, same or different.")
        for low, high in (("min_length", "max_length"), ("min_rooms", "max_rooms"), ("min_ratio", "max_ratio")):
            if not getattr(self, low) <= getattr(self, high):
                raise ConfigError(f"{low} is {getattr(self, low)}, above {high} {getattr(self, high)}: swap them.")

    def allow(self, start: Vec3, goal: Vec3, geodesic: float) -> bool:
        """Whether a pair of points, this far apart on foot, is within the limits (rooms are not counted here)."""
        if not math.isfinite(geodesic) or not self.min_length <= geodesic <= self.max_length:
            return False
        ratio = geodesic / max(euclidean(start, goal), 1e-6)
        other = abs(start[1] - goal[1]) > 1.0
        fits_floor = self.floors == "any" or (self.floors == "different") == other
        return fits_floor and self.min_ratio - 1e-6 <= ratio <= self.max_ratio

    def apart(self, point: Vec3, others: Iterable[Vec3]) -> bool:
        """Whether a point is as far from all others as asked."""
        return all(math.dist(point, other) >= self.spacing for other in others)


_POINTS = Controls(min_length=2.0, min_ratio=1.05)
_OBJECTS = Controls(min_length=2.0)
CONTROLS = {
    "vln": Controls(min_length=6.5, min_rooms=2),
    "pointnav": _POINTS,
    "imagenav": _POINTS,
    "socialnav": replace(_POINTS, min_length=5.0),
    "objectnav": _OBJECTS,
    "ovon": _OBJECTS,
    "roomnav": replace(_OBJECTS, min_length=3.0),
    "multi_objectnav": _OBJECTS,
    "goat": _OBJECTS,
    "instance_imagenav": _OBJECTS,
}
"""Of each task, where nothing else is asked."""


def controls_of(task: str, min_length: float | None, spacing: float) -> Controls:
    """A task's limits with a least length of paths, unless None, and a spacing, both in metres.

    ConfigError where no path could have them.
    """
    usual = CONTROLS[task]
    least = usual.min_length if min_length is None else min_length
    if not 0 <= least <= usual.max_length:
        raise ConfigError(f"--min-length {least:g}: give metres from 0 to {usual.max_length:g}, the longest path.")
    if not 0 <= spacing < math.inf:
        raise ConfigError(f"--spacing {spacing:g}: give metres, 0 or more.")
    return replace(usual, min_length=least, spacing=spacing)
