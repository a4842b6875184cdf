"""Distances and circles in the xz plane, in float32 and in Recast's order of operations.

Re-implements the helpers of Recast 1.6.0's detail mesh (RecastMeshDetail.cpp, zlib licence, Mikko Mononen). Points
are rows (x, y, z) of float32 arrays, metres. The order of operations decides which sample wins, so it is kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner

Floats = NDArray[np.float32]

FAR = single(3.4028234663852886e38)
_ZERO = single(0.0)
_ONE = single(1.0)
_TWO = single(2.0)
_FLAT = single(1e-6)
_SLACK = single(1e-4)


@inner(_nrt=False)
def cross2(p: Floats, a: int, b: int, q: Floats, c: int) -> float:
    """Twice the signed area of p[a], p[b], q[c] in x and z. p, q: (N, 3), metres."""
    return single((p[b, 0] - p[a, 0]) * (q[c, 2] - p[a, 2]) - (p[b, 2] - p[a, 2]) * (q[c, 0] - p[a, 0]))


@inner(_nrt=False)
def distance2(ax: float, az: float, bx: float, bz: float) -> float:
    dx = bx - ax
    dz = bz - az
    return single(np.sqrt(dx * dx + dz * dz))


@inner(_nrt=False)
def segment_gap2(p: Floats, i: int, q: Floats, a: int, b: int) -> float:
    """Squared distance in the plane of p[i] from the segment q[a]-q[b]. p, q: (N, 3), metres."""
    abx = q[b, 0] - q[a, 0]
    abz = q[b, 2] - q[a, 2]
    length = abx * abx + abz * abz
    t = abx * (p[i, 0] - q[a, 0]) + abz * (p[i, 2] - q[a, 2])
    if length > _ZERO:
        t /= length
    t = min(max(t, _ZERO), _ONE)
    dx = q[a, 0] + t * abx - p[i, 0]
    dz = q[a, 2] + t * abz - p[i, 2]
    return single(dx * dx + dz * dz)


@inner(_nrt=False)
def segment_gap3(p: Floats, i: int, a: int, b: int) -> float:
    """Squared distance in space of p[i] from the segment p[a]-p[b]. p: (N, 3), metres."""
    abx = p[b, 0] - p[a, 0]
    aby = p[b, 1] - p[a, 1]
    abz = p[b, 2] - p[a, 2]
    length = abx * abx + aby * aby + abz * abz
    t = abx * (p[i, 0] - p[a, 0]) + aby * (p[i, 1] - p[a, 1]) + abz * (p[i, 2] - p[a, 2])
    if length > _ZERO:
        t /= length
    t = min(max(t, _ZERO), _ONE)
    dx = p[a, 0] + t * abx - p[i, 0]
    dy = p[a, 1] + t * aby - p[i, 1]
    dz = p[a, 2] + t * abz - p[i, 2]
    return single(dx * dx + dy * dy + dz * dz)


@inner(_nrt=False)
def signed_border_gap(polygon: Floats, count: int, p: Floats, i: int) -> float:
    """Squared distance of p[i] from the polygon's border, negative inside. polygon, p: (N, 3), metres."""
    inside = False
    least = FAR
    j = count - 1
    for n in range(count):
        k = long(n)
        if (polygon[k, 2] > p[i, 2]) != (polygon[j, 2] > p[i, 2]) and p[i, 0] < (polygon[j, 0] - polygon[k, 0]) * (
            p[i, 2] - polygon[k, 2]
        ) / (polygon[j, 2] - polygon[k, 2]) + polygon[k, 0]:
            inside = not inside
        least = min(least, segment_gap2(p, i, polygon, j, k))
        j = k
    return -least if inside else least


@inner(_nrt=False)
def _triangle_gap(p: Floats, i: int, q: Floats, a: int, b: int, c: int) -> float:
    """Vertical distance of p[i] from the triangle q[a], q[b], q[c], or FAR if it is not above or below it."""
    ux, uz = q[c, 0] - q[a, 0], q[c, 2] - q[a, 2]
    vx, vz = q[b, 0] - q[a, 0], q[b, 2] - q[a, 2]
    wx, wz = p[i, 0] - q[a, 0], p[i, 2] - q[a, 2]
    uu = ux * ux + uz * uz
    uv = ux * vx + uz * vz
    uw = ux * wx + uz * wz
    vv = vx * vx + vz * vz
    vw = vx * wx + vz * wz
    scale = _ONE / (uu * vv - uv * uv)
    s = (vv * uw - uv * vw) * scale
    t = (uu * vw - uv * uw) * scale
    if s >= -_SLACK and t >= -_SLACK and s + t <= _ONE + _SLACK:
        y = q[a, 1] + (q[c, 1] - q[a, 1]) * s + (q[b, 1] - q[a, 1]) * t
        return single(abs(y - p[i, 1]))
    return FAR


@inner(_nrt=False)
def mesh_gap(p: Floats, i: int, q: Floats, triangles: NDArray[np.int64], count: int) -> float:
    """Least vertical distance of p[i] from a mesh, or -1 if it is above or below none of it.

    p, q: (N, 3), metres; triangles (T, 3).
    """
    least = FAR
    for t in range(count):
        least = min(least, _triangle_gap(p, i, q, triangles[t, 0], triangles[t, 1], triangles[t, 2]))
    return -_ONE if least == FAR else least


@inner(_nrt=False)
def circumcircle(p: Floats, a: int, b: int, c: int) -> tuple[float, float, float]:
    """(x, z, radius) of the circle through three points in the plane; the first point and 0 if they are in line.

    p: (N, 3), metres.
    """
    bx, bz = p[b, 0] - p[a, 0], p[b, 2] - p[a, 2]
    cx, cz = p[c, 0] - p[a, 0], p[c, 2] - p[a, 2]
    area = bx * cz - bz * cx
    if abs(area) <= _FLAT:
        return p[a, 0], p[a, 2], _ZERO
    bb = bx * bx + bz * bz
    cc = cx * cx + cz * cz
    x = (bb * cz + cc * (_ZERO - bz)) / (_TWO * area)
    z = (bb * (_ZERO - cx) + cc * bx) / (_TWO * area)
    return x + p[a, 0], z + p[a, 2], distance2(x, z, _ZERO, _ZERO)
