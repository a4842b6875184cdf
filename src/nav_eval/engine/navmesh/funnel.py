"""String pulling: the corners of the shortest line within a corridor, as Detour's findStraightPath draws it.

The line runs between the points as they were asked for, each moved to its polygon only where its xz lies outside it,
so a requested height survives. Points closer than 1/16384 m are one corner; a first portal within 1 mm of the start
is passed over; 256 corners or more are no path.
Source: recastnavigation 1.6.0, DetourNavMeshQuery.cpp (findStraightPath, appendVertex), zlib, re-implemented.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.navmesh import memory
from nav_eval.engine.navmesh.memory import MAX_POLYS
from nav_eval.engine.navmesh.plane import (
    SAME_POINT,
    ZERO,
    Floats,
    Scalar,
    between,
    distance_to_segment,
    holds,
    length,
    side,
)
from nav_eval.jit import inner

NEAR_PORTAL = np.float32(0.001) * np.float32(0.001)
GOING_ON, ARRIVED, FULL = 0, 1, 2


@inner()
def clamp_to_polygon(mesh: int, polygon: int, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The point itself if its xz lies in the polygon, else the nearest point of the polygon's edges."""
    corners, count = memory.corners(mesh)[polygon], memory.counts(mesh)[polygon]
    if holds(corners, count, x, z):
        return x, y, z
    best, best_t = distance_to_segment(x, z, corners[0], corners[1])
    edge = 0
    for k in range(1, count):
        distance, t = distance_to_segment(x, z, corners[k], corners[(k + 1) % count])
        if distance < best:
            best, best_t, edge = distance, t, k
    return between(corners[edge], corners[(edge + 1) % count], best_t)


@inner()
def _same(ax: Scalar, ay: Scalar, az: Scalar, bx: Scalar, by: Scalar, bz: Scalar) -> bool:
    dx, dy, dz = bx - ax, by - ay, bz - az
    return bool(dx * dx + dy * dy + dz * dz < SAME_POINT)


@inner()
def _append(path: Floats, count: int, x: Scalar, y: Scalar, z: Scalar, last: bool) -> tuple[int, int]:
    """Add a corner unless it equals the one before: (corners, GOING_ON | ARRIVED | FULL)."""
    if count > 0 and _same(path[count - 1, 0], path[count - 1, 1], path[count - 1, 2], x, y, z):
        return count, GOING_ON
    path[count, 0], path[count, 1], path[count, 2] = x, y, z
    count += 1
    if count >= MAX_POLYS:
        return count, FULL
    return count, ARRIVED if last else GOING_ON


@inner()
def _portal_link(mesh: int, polygon: int, to: int) -> int:
    start, link_to = memory.link_start(mesh), memory.link_to(mesh)
    for link in range(start[polygon], start[polygon + 1]):
        if link_to[link] == to:
            return link
    return -1


@inner()
def pull_string(
    mesh: int, scratch: int, polygons: int, sx: Scalar, sy: Scalar, sz: Scalar, ex: Scalar, ey: Scalar, ez: Scalar
) -> int:
    """Write the corners through the scratch corridor to the scratch path; their number, 0 where there are too many."""
    corridor, path, portal = memory.corridor(scratch), memory.path(scratch), memory.portal(mesh)
    ax, ay, az = clamp_to_polygon(mesh, corridor[0], sx, sy, sz)
    ex, ey, ez = clamp_to_polygon(mesh, corridor[polygons - 1], ex, ey, ez)
    count, status = _append(path, 0, ax, ay, az, False)
    lx, ly, lz, rx, ry, rz = ax, ay, az, ax, ay, az
    left_index, right_index = 0, 0
    left_last, right_last = False, False
    i = 0
    while polygons > 1 and i < polygons:
        last = i + 1 == polygons
        if last:
            plx, ply, plz, prx, pry, prz = ex, ey, ez, ex, ey, ez
        else:
            link = _portal_link(mesh, corridor[i], corridor[i + 1])
            if link < 0:
                return 0
            left, right = portal[link, 0], portal[link, 1]
            plx, ply, plz = left[0], left[1], left[2]
            prx, pry, prz = right[0], right[1], right[2]
            if i == 0 and distance_to_segment(ax, az, left, right)[0] < NEAR_PORTAL:
                i += 1
                continue
        if side(ax, az, rx, rz, prx, prz) <= ZERO:
            if _same(ax, ay, az, rx, ry, rz) or side(ax, az, lx, lz, prx, prz) > ZERO:
                rx, ry, rz, right_last, right_index = prx, pry, prz, last, i
            else:
                ax, ay, az = lx, ly, lz
                count, status = _append(path, count, ax, ay, az, left_last)
                if status != GOING_ON:
                    return count if status == ARRIVED else 0
                rx, ry, rz = ax, ay, az
                right_index = left_index
                i = left_index + 1
                continue
        if side(ax, az, lx, lz, plx, plz) >= ZERO:
            if _same(ax, ay, az, lx, ly, lz) or side(ax, az, rx, rz, plx, plz) < ZERO:
                lx, ly, lz, left_last, left_index = plx, ply, plz, last, i
            else:
                ax, ay, az = rx, ry, rz
                count, status = _append(path, count, ax, ay, az, right_last)
                if status != GOING_ON:
                    return count if status == ARRIVED else 0
                lx, ly, lz = ax, ay, az
                left_index = right_index
                i = right_index + 1
                continue
        i += 1
    count, status = _append(path, count, ex, ey, ez, True)
    return 0 if count >= MAX_POLYS else count


@inner()
def path_length(path: Floats, count: int) -> Scalar:
    """Sum of the 3-D segments, metres. path: (N, 3), of which `count` rows hold."""
    total = ZERO
    for k in range(1, count):
        total += length(path[k - 1, 0] - path[k, 0], path[k - 1, 1] - path[k, 1], path[k - 1, 2] - path[k, 2])
    return total
