"""Geometry in the xz plane with Detour's operations in Detour's order, so that results are equal to the last bit.

Everything is float32: a literal would turn an expression into float64, hence the named constants.
Source: recastnavigation/recastnavigation 1.6.0, Detour/Source/DetourCommon.cpp (zlib), re-implemented.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from nav_eval.jit import inner

Scalar = np.float32
Floats = npt.NDArray[np.float32]
"""Points as rows x, y, z: metres, world frame (y up)."""

ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
FLT_MAX = np.finfo(np.float32).max
FLAT = np.float32(1e-6)
SAME_POINT = np.float32(1.0 / 16384.0) * np.float32(1.0 / 16384.0)


@inner()
def distance_to_segment(x: Scalar, z: Scalar, a: Floats, b: Floats) -> tuple[Scalar, Scalar]:
    """Squared distance of (x, z) to the segment a-b and the parameter 0..1 of the nearest point. a, b: (3,), metres."""
    width, depth = b[0] - a[0], b[2] - a[2]
    dx, dz = x - a[0], z - a[2]
    length = width * width + depth * depth
    t = width * dx + depth * dz
    if length > ZERO:
        t /= length
    if t < ZERO:
        t = ZERO
    elif t > ONE:
        t = ONE
    dx = a[0] + t * width - x
    dz = a[2] + t * depth - z
    return dx * dx + dz * dz, t


@inner()
def between(a: Floats, b: Floats, t: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The point at parameter t from a to b. a, b: (3,), metres."""
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t


@inner()
def holds(corners: Floats, count: int, x: Scalar, z: Scalar) -> bool:
    """Whether (x, z) lies in the polygon, by crossings; points on an edge fall to one side of it.

    corners: (C, 3), of which `count` rows hold; metres.
    """
    inside = False
    j = count - 1
    for i in range(count):
        xi, zi, xj, zj = corners[i, 0], corners[i, 2], corners[j, 0], corners[j, 2]
        if (zi > z) != (zj > z) and x < (xj - xi) * (z - zi) / (zj - zi) + xi:
            inside = not inside
        j = i
    return inside


@inner()
def height_in_triangle(triangle: Floats, x: Scalar, z: Scalar) -> tuple[bool, Scalar]:
    """Whether the triangle holds (x, z), its edges included, and its height there. triangle: (3, 3), metres."""
    ax, ay, az = triangle[0, 0], triangle[0, 1], triangle[0, 2]
    v0x, v0y, v0z = triangle[2, 0] - ax, triangle[2, 1] - ay, triangle[2, 2] - az
    v1x, v1y, v1z = triangle[1, 0] - ax, triangle[1, 1] - ay, triangle[1, 2] - az
    v2x, v2z = x - ax, z - az
    denominator = v0x * v1z - v0z * v1x
    if abs(denominator) < FLAT:
        return False, ZERO
    u = v1z * v2x - v1x * v2z
    v = v0x * v2z - v0z * v2x
    if denominator < ZERO:
        denominator, u, v = -denominator, -u, -v
    if u >= ZERO and v >= ZERO and (u + v) <= denominator:
        return True, ay + (v0y * u + v1y * v) / denominator
    return False, ZERO


@inner()
def side(ax: Scalar, az: Scalar, bx: Scalar, bz: Scalar, cx: Scalar, cz: Scalar) -> Scalar:
    """Twice the signed area of a, b, c: which side of a-b the point c lies on."""
    return (cx - ax) * (bz - az) - (bx - ax) * (cz - az)


@inner()
def length(dx: Scalar, dy: Scalar, dz: Scalar) -> Scalar:
    return np.float32(math.sqrt(dx * dx + dy * dy + dz * dz))


@inner()
def cut(
    corners: Floats, count: int, ax: Scalar, az: Scalar, bx: Scalar, bz: Scalar
) -> tuple[bool, Scalar, Scalar, int, int]:
    """Where the segment a-b enters and leaves a convex polygon: (touches, t in, t out, edge in, edge out).

    An edge of -1 means that this end of the segment lies inside.

    corners: (C, 3), of which `count` rows hold; metres.
    """
    t_in, t_out, edge_in, edge_out = ZERO, ONE, -1, -1
    dir_x, dir_z = bx - ax, bz - az
    j = count - 1
    for i in range(count):
        edge_x, edge_z = corners[i, 0] - corners[j, 0], corners[i, 2] - corners[j, 2]
        diff_x, diff_z = ax - corners[j, 0], az - corners[j, 2]
        n = edge_z * diff_x - edge_x * diff_z
        d = dir_z * edge_x - dir_x * edge_z
        if abs(d) < FLAT:
            if n < ZERO:
                return False, t_in, t_out, edge_in, edge_out
            j = i
            continue
        t = n / d
        if d < ZERO:
            if t > t_in:
                t_in, edge_in = t, j
                if t_in > t_out:
                    return False, t_in, t_out, edge_in, edge_out
        elif t < t_out:
            t_out, edge_out = t, j
            if t_out < t_in:
                return False, t_in, t_out, edge_in, edge_out
        j = i
    return True, t_in, t_out, edge_in, edge_out
