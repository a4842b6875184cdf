"""What episodes are asked for: how long, on how many floors, through how many rooms, how winding."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
