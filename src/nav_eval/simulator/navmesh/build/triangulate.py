"""Ear clipping on the integer grid, shortest cut first.

Re-implements the triangulation of Recast 1.6.0 (RecastMesh.cpp, zlib licence, Mikko Mononen), itself after O'Rourke,
"Computational Geometry in C". Outlines that touch themselves, as merged holes make them, are cut with a looser test
once no proper ear is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel
from nav_eval.simulator.navmesh.build.predicates import cross, in_cone, in_cone_or_on_it, meet, same

Ints = NDArray[np.int32]


@kernel()
def _is_diagonal(i: int, j: int, n: int, points: Ints, order: Ints, loose: bool) -> bool:
    """Whether corners i and j of the polygon points[order[:n]] see each other inside it."""
    before = order[i - 1 if i > 0 else n - 1]
    after = order[i + 1 if i + 1 < n else 0]
    a, b = order[i], order[j]
    if loose:
        if not in_cone_or_on_it(points, before, a, after, points, b):
            return False
    elif not in_cone(points, before, a, after, points, b):
        return False
    for k in range(n):
        m = k + 1 if k + 1 < n else 0
        if k == i or m == i or k == j or m == j:
            continue
        c, d = order[k], order[m]
        if same(points, a, points, c) or same(points, b, points, c):
            continue
        if same(points, a, points, d) or same(points, b, points, d):
            continue
        if loose and cross(points, a, points, b, points, c, d):
            return False
        if not loose and meet(points, a, points, b, points, c, d):
            return False
    return True


@kernel()
def _length(points: Ints, a: int, b: int) -> int:
    dx = np.int64(points[b, 0]) - points[a, 0]
    dz = np.int64(points[b, 2]) - points[a, 2]
    return dx * dx + dz * dz


@kernel()
def triangulate(points: Ints, order: Ints, triangles: Ints) -> int:
    """Cut polygon `points` (N, 4) into `triangles` (>= N - 2, 3); how many, fewer than N - 2 if it is no polygon.

    `order` must be 0..N-1 and is used up.
    """
    n = len(order)
    ear = np.zeros(n, np.uint8)
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        k = j + 1 if j + 1 < n else 0
        ear[j] = _is_diagonal(i, k, n, points, order, False)
    found = 0
    while n > 3:
        best = -1
        shortest = np.int64(-1)
        for i in range(n):
            j = i + 1 if i + 1 < n else 0
            if ear[j]:
                length = _length(points, order[i], order[j + 1 if j + 1 < n else 0])
                if shortest < 0 or length < shortest:
                    shortest = length
                    best = i
        if best == -1:
            for i in range(n):
                j = i + 1 if i + 1 < n else 0
                k = j + 1 if j + 1 < n else 0
                if _is_diagonal(i, k, n, points, order, True):
                    length = _length(points, order[i], order[k + 1 if k + 1 < n else 0])
                    if shortest < 0 or length < shortest:
                        shortest = length
                        best = i
        if best == -1:
            return found
        j = best + 1 if best + 1 < n else 0
        k = j + 1 if j + 1 < n else 0
        triangles[found, 0] = order[best]
        triangles[found, 1] = order[j]
        triangles[found, 2] = order[k]
        found += 1
        n -= 1
        for m in range(j, n):
            order[m] = order[m + 1]
            ear[m] = ear[m + 1]
        j = j if j < n else 0
        i = j - 1 if j > 0 else n - 1
        ear[i] = _is_diagonal(i - 1 if i > 0 else n - 1, j, n, points, order, False)
        ear[j] = _is_diagonal(i, j + 1 if j + 1 < n else 0, n, points, order, False)
    for m in range(3):
        triangles[found, m] = order[m]
    return found + 1
