"""Triangles over a polygon's outline and the samples inside it.

Re-implements the two triangulators of Recast 1.6.0's detail mesh (RecastMeshDetail.cpp, zlib licence, Mikko
Mononen): a strip that advances from the sharpest ear, for outlines alone, and an incremental Delaunay triangulation
from the hull inwards, for outlines with samples. Edges are rows [from, to, left face, right face].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.planar import FAR, circumcircle, cross2, distance2
from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner

Floats = NDArray[np.float32]
Longs = NDArray[np.int64]

_OPEN, _HULL = long(-1), long(-2)
_EPSILON = single(1e-5)
_INSIDE = single(1.0) - single(0.001)
_OUTSIDE = single(1.0) + single(0.001)
_ZERO = single(0.0)


@inner(_nrt=False)
def _between(points: Floats, a: int, b: int) -> float:
    return distance2(points[a, 0], points[a, 2], points[b, 0], points[b, 2])


@inner(_nrt=False)
def strip(points: Floats, hull: Longs, count: int, originals: int, triangles: Longs) -> int:
    """Triangulate a hull alone: from the ear of least perimeter, always the shorter next triangle; how many.

    Ears are taken at the polygon's own corners only: hull entries below `originals`.

    points (N, 3), metres; hull (H,) indices; triangles (T, 3), written to.
    """
    start, left, right = long(0), long(1), count - 1
    least = FAR
    for i in range(count):
        if hull[i] >= originals:
            continue
        before, after = (i + count - 1) % count, (i + 1) % count
        perimeter = (
            _between(points, hull[before], hull[i])
            + _between(points, hull[i], hull[after])
            + _between(points, hull[after], hull[before])
        )
        if perimeter < least:
            start, left, right = long(i), long(after), long(before)
            least = perimeter
    triangles[0, 0] = hull[start]
    triangles[0, 1] = hull[left]
    triangles[0, 2] = hull[right]
    found = long(1)
    while (left + 1) % count != right:
        next_left = (left + 1) % count
        next_right = (right + count - 1) % count
        by_left = _between(points, hull[left], hull[next_left]) + _between(points, hull[next_left], hull[right])
        by_right = _between(points, hull[right], hull[next_right]) + _between(points, hull[left], hull[next_right])
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


@inner(_nrt=False)
def _find(edges: Longs, count: int, a: int, b: int) -> int:
    for i in range(count):
        if (edges[i, 0] == a and edges[i, 1] == b) or (edges[i, 0] == b and edges[i, 1] == a):
            return long(i)
    return long(-1)


@inner(_nrt=False)
def _set_left(edges: Longs, e: int, a: int, b: int, face: int) -> None:
    """Note the face on the left of a -> b, if none is known."""
    if edges[e, 0] == a and edges[e, 1] == b and edges[e, 2] == _OPEN:
        edges[e, 2] = face
    elif edges[e, 1] == a and edges[e, 0] == b and edges[e, 3] == _OPEN:
        edges[e, 3] = face


@inner(_nrt=False)
def _add(edges: Longs, count: int, most: int, a: int, b: int, left: int, right: int) -> int:
    """Append an edge unless it exists or there are `most`; the number of edges."""
    if count == most or _find(edges, count, a, b) != -1:
        return count
    edges[count, 0] = a
    edges[count, 1] = b
    edges[count, 2] = left
    edges[count, 3] = right
    return count + 1


@inner(_nrt=False)
def _crosses_any(points: Floats, edges: Longs, count: int, a: int, b: int) -> bool:
    """Whether a-b properly crosses an edge that it shares no point with."""
    for i in range(count):
        c, d = edges[i, 0], edges[i, 1]
        if c in (a, b) or d in (a, b):
            continue
        s1 = cross2(points, c, d, points, b)
        s2 = cross2(points, c, d, points, a)
        if s1 * s2 < _ZERO:
            s3 = cross2(points, a, b, points, c)
            if s3 * (s3 + s2 - s1) < _ZERO:
                return True
    return False


@inner(_nrt=False)
def _apex(points: Floats, n: int, edges: Longs, count: int, a: int, b: int) -> int:
    """The point left of a -> b whose circle with a and b is empty, or -1."""
    best = long(-1)
    x = z = radius = _ZERO
    for k in range(n):
        u = long(k)
        if u in (a, b) or not cross2(points, a, b, points, u) > _EPSILON:
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


@inner(_nrt=False)
def _complete(points: Floats, n: int, edges: Longs, count: int, faces: int, e: int) -> tuple[int, int]:
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
    for start, end in ((apex, a), (b, apex)):
        k = _find(edges, count, start, end)
        if k == -1:
            count = _add(edges, count, 10 * n, start, end, faces, _OPEN)
        else:
            _set_left(edges, k, start, end, faces)
    return count, faces + 1


@inner(_nrt=False)
def _put(triangles: Longs, t: int, a: int, b: int) -> None:
    """Add the side a -> b to triangle t, of which at most one side is known."""
    if triangles[t, 0] == -1:
        triangles[t, 0] = a
        triangles[t, 1] = b
    elif triangles[t, 0] == b:
        triangles[t, 2] = a
    elif triangles[t, 1] == a:
        triangles[t, 2] = b


@inner(_nrt=False)
def delaunay(points: Floats, n: int, hull: Longs, hull_count: int, edges: Longs, triangles: Longs) -> int:
    """Triangulate n points whose hull is given, into `triangles`; how many. `edges` (>= 10 n, 4) is scratch.

    points (N, 3), metres; hull (H,); triangles (T, 3).
    """
    most = 10 * n
    count = long(0)
    j = hull_count - 1
    for i in range(hull_count):
        count = _add(edges, count, most, hull[j], hull[i], _HULL, _OPEN)
        j = i
    faces = long(0)
    e = long(0)
    while e < count:
        for _ in range(2):
            count, faces = _complete(points, n, edges, count, faces, e)
        e += 1
    for t in range(faces):
        for k in range(3):
            triangles[t, k] = -1
    for e in range(count):
        if edges[e, 3] >= 0:
            _put(triangles, edges[e, 3], edges[e, 0], edges[e, 1])
        if edges[e, 2] >= 0:
            _put(triangles, edges[e, 2], edges[e, 1], edges[e, 0])
    t = 0
    while t < faces:
        if triangles[t, 0] == -1 or triangles[t, 1] == -1 or triangles[t, 2] == -1:
            faces -= 1
            for k in range(3):
                triangles[t, k] = triangles[faces, k]
        else:
            t += 1
    return faces
