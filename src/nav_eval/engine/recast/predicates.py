"""Exact tests on points of the integer grid: turns, crossings, cones.

The classic predicates of O'Rourke, "Computational Geometry in C" (1994), chapter 1, with Recast 1.6.0's handedness
(RecastMesh.cpp, zlib licence): x to the right and z down, so a negative area is a left turn. Points are rows of an
int64 array whose columns 0 and 2 are x and z. In 64 bits, no grid that
fits a tile overflows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.scalars import long
from nav_eval.jit import inner

Points = NDArray[np.int64]


@inner(_nrt=False)
def turn(p: Points, a: int, q: Points, b: int, r: Points, c: int) -> int:
    """Twice the signed area of the triangle p[a], q[b], r[c]: negative to the left, 0 on a line.

    All (N, 3), in cells.
    """
    ax, az = p[a, 0], p[a, 2]
    return long((q[b, 0] - ax) * (r[c, 2] - az) - (r[c, 0] - ax) * (q[b, 2] - az))


@inner(_nrt=False)
def same(p: Points, a: int, q: Points, b: int) -> bool:
    """Equal seen from above. Both (N, 3), in cells."""
    return bool(p[a, 0] == q[b, 0] and p[a, 2] == q[b, 2])


@inner(_nrt=False)
def cross(p: Points, a: int, q: Points, b: int, r: Points, c: int, d: int) -> bool:
    """Whether segments p[a]-q[b] and r[c]-r[d] cross at a point inside both. All (N, 3), in cells."""
    abc = turn(p, a, q, b, r, c)
    abd = turn(p, a, q, b, r, d)
    if abc == 0 or abd == 0 or (abc < 0) == (abd < 0):
        return False
    cda = turn(r, c, r, d, p, a)
    cdb = turn(r, c, r, d, q, b)
    return cda != 0 and cdb != 0 and (cda < 0) != (cdb < 0)


@inner(_nrt=False)
def on_segment(p: Points, a: int, q: Points, b: int, r: Points, c: int) -> bool:
    """Whether r[c] lies on the closed segment p[a]-q[b]. All (N, 3), in cells."""
    if turn(p, a, q, b, r, c) != 0:
        return False
    k = 0 if p[a, 0] != q[b, 0] else 2
    return bool(min(p[a, k], q[b, k]) <= r[c, k] and r[c, k] <= max(p[a, k], q[b, k]))


@inner(_nrt=False)
def meet(p: Points, a: int, q: Points, b: int, r: Points, c: int, d: int) -> bool:
    """Whether segments p[a]-q[b] and r[c]-r[d] share a point. All (N, 3), in cells."""
    return (
        cross(p, a, q, b, r, c, d)
        or on_segment(p, a, q, b, r, c)
        or on_segment(p, a, q, b, r, d)
        or on_segment(r, c, r, d, p, a)
        or on_segment(r, c, r, d, q, b)
    )


@inner(_nrt=False)
def in_cone(p: Points, before: int, a: int, after: int, q: Points, b: int) -> bool:
    """Whether a -> q[b] starts strictly inside the corner before-a-after of polygon p. Both (N, 3), in cells."""
    if turn(p, before, p, a, p, after) <= 0:
        return turn(p, a, q, b, p, before) < 0 and turn(q, b, p, a, p, after) < 0
    return not (turn(p, a, q, b, p, after) <= 0 and turn(q, b, p, a, p, before) <= 0)


@inner(_nrt=False)
def in_cone_or_on_it(p: Points, before: int, a: int, after: int, q: Points, b: int) -> bool:
    """As in_cone, but a convex corner's own sides count as inside. Both (N, 3), in cells."""
    if turn(p, before, p, a, p, after) <= 0:
        return turn(p, a, q, b, p, before) <= 0 and turn(q, b, p, a, p, after) <= 0
    return not (turn(p, a, q, b, p, after) <= 0 and turn(q, b, p, a, p, before) <= 0)
