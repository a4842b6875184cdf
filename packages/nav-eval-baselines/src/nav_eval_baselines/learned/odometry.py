"""Where the agent is: as gps and compass say or, where they drift, as its own actions tell.

What was seen before a turn on the spot is seen after it where the true angle puts it. Where that of the action fits
clearly better than that of the compass, the compass drifts; of wheels that err it fits worse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval_baselines.learned.camera import misfits, turned
from nav_eval_baselines.learned.senses import FORWARD, LEFT, RIGHT, in_the_middles

STEP, TURN = 0.25, np.radians(15)
"""Metres and radians of an action."""
NEAR = 0.12
"""Metres: what gps says of a step that lies so near STEP straight ahead was one; else something was in the way."""
TURNS, CLEARLY = 2, 0.7
"""After so many turns that action must fit better than the compass by this factor."""


class Odometry:
    """Of one episode."""

    def __init__(self) -> None:
        self._read: Any = None
        self._told: Any = None
        self._before: Any = None
        self._misfits, self._turns = np.zeros(2), 0

    @property
    def drifts(self) -> bool:
        told, read = self._misfits
        return self._turns >= TURNS and bool(told < CLEARLY * read)

    def pose(self, read: Any, action: int, depth: Any, tangent: float) -> Any:
        """x, y, m, and the compass, rad: `read`, or what the actions tell; `action`: the last one."""
        self._told = read if self._read is None else self._moved(read, action)
        self._read = read
        self._compare(in_the_middles(depth)[..., 0], tangent)
        return self._told if self.drifts else read

    def _moved(self, read: Any, action: int) -> Any:
        x, y, heading = self._told
        heading += {LEFT: TURN, RIGHT: -TURN}.get(action, 0.0)
        if action != FORWARD:
            return np.array([x, y, heading], np.float32)
        ahead = np.array([np.cos(heading), -np.sin(heading)]) * STEP
        by = read[:2] - self._read[:2]
        by = ahead if np.hypot(*(by - ahead)) < NEAR else by
        return np.array([x + by[0], y + by[1], heading], np.float32)

    def _compare(self, metres: Any, tangent: float) -> None:
        """What was seen before a turn with what is seen now; an old view tells nothing."""
        before, now = self._before, (metres, self._told, self._read)
        if before is not None and np.array_equal(before[0], metres):
            return
        self._before = now
        if before is not None and turned(before[1], self._told):
            turns = (float(new[2] - old[2]) for old, new in zip(before[1:], now[1:]))
            self._misfits += [misfits(before[0], metres, turn, np.full((1, 1, 1), tangent))[0] for turn in turns]
            self._turns += 1
