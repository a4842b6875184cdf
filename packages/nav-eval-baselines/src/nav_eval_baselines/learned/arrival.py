"""A rule beside the network: who would stop goes straight on first, a little way, as far as it is free.

The network stops where that is likelier than each single move, which on long ways is a metre too early; and who walks
about where stopping is never the likeliest stops once its chances of all steps add up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval_baselines.learned.senses import FORWARD, STOP

MAX_STEPS = 5
"""Straight on, of 0.25 m."""
BLOCKED = 0.1
"""Metres: who moved less is in front of something."""
MAX_SUM = 2.0
"""Of the chances of stopping."""


class Arrival:
    """Of one episode."""

    def __init__(self) -> None:
        self._sum, self._steps = 0.0, 0
        self._before: Any = None

    def choose(self, action: int, scores: Any, pose: Any) -> int:
        """`action`, or what comes before a stop. `scores` (4,): of the actions; `pose`: x, y, m, compass, rad."""
        chances = np.exp(scores - np.max(scores))
        self._sum += float(chances[STOP] / chances.sum())
        if action != STOP and self._sum < MAX_SUM and not self._steps:
            return action
        blocked = self._steps > 0 and np.hypot(*(pose[:2] - self._before[:2])) < BLOCKED
        self._before, self._steps = pose, self._steps + 1
        return STOP if blocked or self._steps > MAX_STEPS else FORWARD
