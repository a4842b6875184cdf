"""A rule beside the network: what was done twice in one pose, and led back to it, is not done there once more."""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval_baselines.learned.senses import STOP

MAX_REPEATS = 2
"""Times that an action is taken in the same pose."""
PLACE, TURN = 0.125, np.radians(15)
"""Metres and radians that tell poses apart."""


class Tried:
    """Of one episode. Who pushes against a wall, or turns to and fro, stays in the same poses."""

    def __init__(self) -> None:
        self._times: dict[tuple[int, ...], Any] = {}

    def choose(self, scores: Any, pose: Any) -> int:
        """The action of four that scores most among those left; to stop always is. `pose`: x, y, m, compass, rad."""
        where = (*np.round(np.asarray(pose[:2]) / PLACE).astype(int), round(pose[2] / TURN) % 24)
        times = self._times.setdefault(where, np.zeros(len(scores), int))
        left = times < MAX_REPEATS
        left[STOP] = True
        action = int(np.where(left, scores, -np.inf).argmax())
        times[action] += 1
        return action
