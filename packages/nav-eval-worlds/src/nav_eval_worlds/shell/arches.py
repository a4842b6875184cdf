"""The head of an arched opening: half an ellipse over the jambs, in both faces of the wall and under it."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.exact import cos_turns, sin_turns
from nav_eval_worlds.plan.floor_plan import Door

_SEGMENTS = 14


def arc(door: Door) -> list[tuple[int, int]]:
    """Points of the head from low to high: (along the wall, above the floor), mm."""
    turns = np.arange(_SEGMENTS + 1) / (2 * _SEGMENTS)
    half, middle, spring = (door.high - door.low) / 2, (door.low + door.high) / 2, door.height - door.arch
    along, up = middle - half * cos_turns(turns), spring + door.arch * sin_turns(turns)
    points = [(int(np.floor(a + 0.5)), int(np.floor(y + 0.5))) for a, y in zip(along, up, strict=True)]
    return [(door.low, spring), *points[1:-1], (door.high, spring)]
