"""The 2-D world of walls that the C++ and the C# host both build in, as their descriptions state it, and its truths."""

from __future__ import annotations

import math
import random
from itertools import pairwise

# Thin walls as (x0, z0, x1, z1), metres; the agent's radius is 0.1.
WALLS = [
    (-0.1, -5, 0.1, 2),
    (2, -1, 3, 0.5),
    (-4.6, -4.6, -2.9, -4.5),
    (-4.6, -3, -2.9, -2.9),
    (-4.6, -4.6, -4.5, -2.9),
    (-3, -4.6, -2.9, -2.9),
]
RADIUS = 0.1
CELL = (-3.7, 0.0, -3.7)
"""A place in the closed cell: free, but no way leads there."""


def length(*corners):
    return sum(math.dist(a, b) for a, b in pairwise(corners))


ROUTES = [
    # (start, end, the taut string round the grown corners, by hand)
    ((-3, 0, -1), (3, 0, -3), [(-3, -1), (-0.2, 2.1), (0.2, 2.1), (1.9, -1.1), (3, -3)]),
    ((-2, 0, 3), (4, 0, 3), [(-2, 3), (4, 3)]),
    ((1, 0, -0.3), (4, 0, -0.3), [(1, -0.3), (1.9, -1.1), (3.1, -1.1), (4, -0.3)]),
    ((-1, 0, 0), (1, 0, 0), [(-1, 0), (-0.2, 2.1), (0.2, 2.1), (1, 0)]),
]


def is_free(x, z):
    """Straight from the definition."""
    inside = abs(x) < 5 - RADIUS and abs(z) < 5 - RADIUS
    return inside and not any(
        x0 - RADIUS < x < x1 + RADIUS and z0 - RADIUS < z < z1 + RADIUS for x0, z0, x1, z1 in WALLS
    )


def points(count, seed=0):
    rng = random.Random(seed)
    return [(rng.uniform(-5.5, 5.5), rng.uniform(-5.5, 5.5)) for _ in range(count)]
