"""A person in a small frame: every kernel that draws people has something to do."""

from __future__ import annotations

import math

import numpy as np

from nav_eval.engine.people.kinds import Canvas, Eye, Posed
from nav_eval.engine.people.overlay import lay

SIDE = 16


def warm() -> None:
    """Compile whatever is not compiled yet."""
    looking_back = np.array([1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 1, 0], np.float64)
    eye = Eye(looking_back, SIDE / 2 / math.tan(math.radians(45)), SIDE, SIDE, SIDE)
    canvas = Canvas(np.zeros(SIDE**2, np.float32), np.full(SIDE**2, -1, np.int32), np.zeros(3 * SIDE**2, np.uint8))
    lay(eye, canvas, [Posed(0, 1, (0.0, 0.0, -2.0), 0.0)])
