"""Triangles over a polygon's outline and the samples inside it.

Re-implements the two triangulators of Recast 1.6.0's detail mesh (RecastMeshDetail.cpp, zlib licence, Mikko
Mononen): a strip that advances from the sharpest ear, for outlines alone, and an incremental Delaunay triangulation
from the hull inwards, for outlines with samples. Edges are rows [from, to, left face, right face].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel
from nav_eval.simulator.navmesh.build.planar import FAR, circumcircle, cross2, distance2

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_OPEN = -1
_HULL = -2
_EPSILON = np.float32(1e-5)
_INSIDE = np.float32(1.0) - np.float32(0.001)
_OUTSIDE = np.float32(1.0) + np.float32(0.001)
_ZERO = np.float32(0.0)


@kernel(inline="always")
def _between(points: Floats, a: int, b: int) -> np.float32:
    return distance2(points[a, 0], points[a, 2], points[b, 0], points[b, 2])


@kernel()
def strip(points: Floats, hull: Ints, count: int, originals: int, triangles: Ints) -> int:
    """Triangulate a hull alone: from the ear of least perimeter, always the shorter next triangle; how many.

    Ears are taken at the polygon's own corners only: hull entries below `originals`.
    """
    start, left, right = 0, 1, count - 1
    least = FAR
    for i in range(count):
        if hull[i] >= originals:
            continue
        before = i - 1 if i > 0 else count - 1
        after = i + 1 if i + 1 < count else 0
        perimeter = (
            _between(points, hull[before], hull[i])
            + _between(points, hull[i], hull[after])
            + _between(points, hull[after], hull[before])
        )
        if perimeter < least:
            start, left, right = i, after, before
            least = perimeter
    triangles[0, 0] = hull[start]
    triangles[0, 1] = hull[left]
    triangles[0, 2] = hull[right]
    found = 1
    while (left + 1 if left + 1 < count else 0) != right:
        next_left = left + 1 if left + 1 < count else 0
        next_right = right - 1 if right > 0 else count - 1
        by_left = _between(points, hull[left], hull[next_left]) + _between(points, hull[next_left], hull[right])
        by_right = _between(points, hull[right], hull[next_right]) + _between(
            points, hull[left], hull[next_right]
        )
        triangles[found, 0] = hull[left]
        triangles[found, 2] = hull[right]
        if by_left < by_right:
            triangles[found, 1] = hull[next_left]
            left = next_left
        else:
            triangles[found, 1] = hull[next_right]
            right = next_right
        found += 1
    return found


@kernel()
def _find(edges: Ints, count: int, a: int, b: int) -> int:
    for i in range(count):
        if (edges[i, 0] == a and edges[i, 1] == b) or (edges[i, 0] == b and edges[i, 1] == a):
            return i
    return -1


@kernel()
def _set_left(edges: Ints, e: int, a: int, b: int, face: int) -> None:
    """Note the face on the left of a -> b, if none is known."""
    if edges[e, 0] == a and edges[e, 1] == b and edges[e, 2] == _OPEN:
        edges[e, 2] = face
    elif edges[e, 1] == a and edges[e, 0] == b and edges[e, 3] == _OPEN:
        edges[e, 3] = face


@kernel()
def _add(edges: Ints, count: int, a: int, b: int, left: int, right: int) -> int:
    """Append an edge unless it exists or the table is full; the number of edges."""
    if count == len(edges) or _find(edges, count, a, b) != -1:
        return count
    edges[count, 0] = a
    edges[count, 1] = b
    edges[count, 2] = left
    edges[count, 3] = right
    return count + 1


@kernel()
def _crosses_any(points: Floats, edges: Ints, count: int, a: int, b: int) -> bool:
    """Whether a-b properly crosses an edge that it shares no point with."""
    for i in range(count):
        c, d = edges[i, 0], edges[i, 1]
        if c == a or c == b or d == a or d == b:
            continue
        s1 = cross2(points, c, d, points, b)
        s2 = cross2(points, c, d, points, a)
        if s1 * s2 < _ZERO:
            s3 = cross2(points, a, b, points, c)
            if s3 * (s3 + s2 - s1) < _ZERO:
                return True
    return False


@kernel()
def _apex(points: Floats, n: int, edges: Ints, count: int, a: int, b: int) -> int:
    """The point left of a -> b whose circle with a and b is empty, or -1."""
    best = -1
    x = z = radius = _ZERO
    for u in range(n):
        if u == a or u == b or not cross2(points, a, b, points, u) > _EPSILON:
            continue
        if best != -1:
            d = distance2(x, z, points[u, 0], points[u, 2])
            if d > radius * _OUTSIDE:
                continue
            if not d < radius * _INSIDE and (
                _crosses_any(points, edges, count, a, u) or _crosses_any(points, edges, count, b, u)
            ):
                continue
        best = u
        x, z, radius = circumcircle(points, a, b, u)
    return best


@kernel()
def _complete(points: Floats, n: int, edges: Ints, count: int, faces: int, e: int) -> tuple[int, int]:
    """Put a face on an open side of edge e, or mark that side as hull; (edges, faces) then."""
    if edges[e, 2] == _OPEN:
        a, b = edges[e, 0], edges[e, 1]
    elif edges[e, 3] == _OPEN:
        a, b = edges[e, 1], edges[e, 0]
    else:
        return count, faces
    apex = _apex(points, n, edges, count, a, b)
    if apex == -1:
        _set_left(edges, e, a, b, _HULL)
        return count, faces
    _set_left(edges, e, a, b, faces)
    for start, end in ((np.int64(apex), np.int64(a)), (np.int64(b), np.int64(apex))):
        k = _find(edges, count, start, end)
        if k == -1:
            count = _add(edges, count, start, end, faces, _OPEN)
        else:
            _set_left(edges, k, start, end, faces)
    return count, faces + 1


@kernel()
def _put(triangle: Ints, a: int, b: int) -> None:
    """Add the side a -> b to a triangle of which at most one side is known."""
    if triangle[0] == -1:
        triangle[0] = a
        triangle[1] = b
    elif triangle[0] == b:
        triangle[2] = a
    elif triangle[1] == a:
        triangle[2] = b


@kernel()
def delaunay(points: Floats, n: int, hull: Ints, hull_count: int, edges: Ints, triangles: Ints) -> int:
    """Triangulate n points whose hull is given, into `triangles`; how many. `edges` (>= 10 n, 4) is scratch."""
    table = edges[: 10 * n]
    count = 0
    j = hull_count - 1
    for i in range(hull_count):
        count = _add(table, count, hull[j], hull[i], _HULL, _OPEN)
        j = i
    faces = 0
    e = 0
    while e < count:
        if table[e, 2] == _OPEN:
            count, faces = _complete(points, n, table, count, faces, e)
        if table[e, 3] == _OPEN:
            count, faces = _complete(points, n, table, count, faces, e)
        e += 1
    triangles[:faces] = -1
    for e in range(count):
        if table[e, 3] >= 0:
            _put(triangles[table[e, 3]], table[e, 0], table[e, 1])
        if table[e, 2] >= 0:
            _put(triangles[table[e, 2]], table[e, 1], table[e, 0])
    t = 0
    while t < faces:
        if triangles[t, 0] == -1 or triangles[t, 1] == -1 or triangles[t, 2] == -1:
            faces -= 1
            triangles[t] = triangles[faces]
        else:
            t += 1
    return faces
