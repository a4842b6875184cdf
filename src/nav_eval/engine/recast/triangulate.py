"""Ear clipping on the integer grid, shortest cut first.

Re-implements the triangulation of Recast 1.6.0 (RecastMesh.cpp, zlib licence, Mikko Mononen), itself after O'Rourke,
"Computational Geometry in C". Outlines that touch themselves, as merged holes make them, are cut with a looser test
once no proper ear is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.predicates import cross, in_cone, in_cone_or_on_it, meet, same
from nav_eval.engine.recast.scalars import long
from nav_eval.jit import inner

Longs = NDArray[np.int64]

_STRICT, _LOOSE = long(0), long(1)


@inner(_nrt=False)
def _is_diagonal(i: int, j: int, n: int, points: Longs, order: Longs, test: int) -> bool:
    """Whether corners i and j of the polygon points[order[:n]] see each other inside it."""
    before, after = order[(i + n - 1) % n], order[(i + 1) % n]
    a, b = order[i], order[j]
    if test == _LOOSE:
        if not in_cone_or_on_it(points, before, a, after, points, b):
            return False
    elif not in_cone(points, before, a, after, points, b):
        return False
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        if k in (i, j) or m in (i, j):
            continue
        c, d = order[k], order[m]
        if same(points, a, points, c) or same(points, b, points, c):
            continue
        if same(points, a, points, d) or same(points, b, points, d):
            continue
        if test == _LOOSE and cross(points, a, points, b, points, c, d):
            return False
        if test == _STRICT and meet(points, a, points, b, points, c, d):
            return False
    return True


@inner(_nrt=False)
def _shortest(n: int, points: Longs, order: Longs, ear: NDArray[np.uint8]) -> int:
    """The corner before the marked ear whose cut is shortest, the first if equal, or -1 if none is marked.

    Marks of 2 are ears by the looser test, whose cut Recast measures to the corner after the next.
    """
    best = long(-1)
    shortest = long(0)
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        if ear[j] == 0:
            continue
        a, b = order[i], order[(j + ear[j]) % n]
        dx = points[b, 0] - points[a, 0]
        dz = points[b, 2] - points[a, 2]
        length = dx * dx + dz * dz
        if best == -1 or length < shortest:
            shortest = length
            best = long(i)
    return best


@inner(_nrt=False)
def triangulate(points: Longs, order: Longs, ear: NDArray[np.uint8], n: int, triangles: Longs) -> int:
    """Cut the polygon points[order[:n]] into `triangles` (n - 2, 3); how many, fewer if it is no polygon.

    points (N, 3), in cells; `order` and `ear` (n,) are used up.
    """
    for i in range(n):
        ear[(i + 1) % n] = _is_diagonal(long(i), (i + 2) % n, n, points, order, _STRICT)
    found = long(0)
    while n > 3:
        i = _shortest(n, points, order, ear)
        if i == -1:
            for k in range(n):
                ear[(k + 1) % n] = 2 * _is_diagonal(long(k), (k + 2) % n, n, points, order, _LOOSE)
            i = _shortest(n, points, order, ear)
            for k in range(n):
                ear[k] = 0
        if i == -1:
            return found
        j = (i + 1) % n
        triangles[found, 0] = order[i]
        triangles[found, 1] = order[j]
        triangles[found, 2] = order[(i + 2) % n]
        found += 1
        n -= 1
        for k in range(j, n):
            order[k] = order[k + 1]
            ear[k] = ear[k + 1]
        j = j if j < n else long(0)
        i = (j + n - 1) % n
        ear[i] = _is_diagonal((i + n - 1) % n, j, n, points, order, _STRICT)
        ear[j] = _is_diagonal(i, (j + 1) % n, n, points, order, _STRICT)
    for k in range(3):
        triangles[found, k] = order[k]
    return found + 1
