"""Outlines of regions: traced along the cells, then simplified to a few corners.

Re-implements contour tracing and simplification of Recast 1.6.0 (RecastContour.cpp, zlib licence, Mikko Mononen):
corners where the neighbouring region changes are kept, walls are simplified by farthest point within `max_error`
(Douglas and Peucker, in lexicographic order so that both sides of a border agree) and split where too long.

A contour is rows [x, height, z, side] in cells; `side` is the region on the other side of the edge that starts
there, with AREA_BORDER set where walkable floor ends. All contours of a mesh are rows of one array.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.merging import MAX_CONTOUR_STEPS
from nav_eval.engine.recast.predicates import same
from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner, kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

AREA_BORDER = 0x20000
REGION_MASK = 0xFFFF


@inner(_nrt=False)
def _corner_height(i: int, direction: int, level: Ints, near: Ints) -> int:
    """Highest of the up to four floors around the corner at the end of side `direction` of floor i."""
    turned = (direction + 1) & 3
    highest = level[i]
    a = near[i, direction]
    if a != -1:
        highest = max(highest, level[a])
        b = near[a, turned]
        if b != -1:
            highest = max(highest, level[b])
    a = near[i, turned]
    if a != -1:
        highest = max(highest, level[a])
        b = near[a, direction]
        if b != -1:
            highest = max(highest, level[b])
    return long(highest)


@inner(_nrt=False)
def _trace(
    i: int,
    sides: NDArray[np.uint8],
    level: Ints,
    area: NDArray[np.uint8],
    region: Ints,
    near: Ints,
    column: Ints,
    width: int,
    out: Longs,
) -> int:
    """Corners of the contour that floor i lies on into `out`, clearing the sides walked; how many."""
    direction = long(0)
    while not sides[i] & (1 << direction):
        direction += 1
    start, start_direction, own = i, direction, area[i]
    count = long(0)
    for _ in range(MAX_CONTOUR_STEPS - 1):
        if sides[i] & (1 << direction):
            k = near[i, direction]
            side = 0
            if k != -1:
                side = region[k]
                if area[k] != own:
                    side |= AREA_BORDER
            out[count, 0] = column[i] % width + (direction == 1 or direction == 2)
            out[count, 1] = _corner_height(i, direction, level, near)
            out[count, 2] = column[i] // width + (direction == 0 or direction == 1)
            out[count, 3] = side
            count += 1
            sides[i] &= ~(1 << direction) & 0xF
            direction = (direction + 1) & 3
        else:
            i = long(near[i, direction])
            direction = (direction + 3) & 3
        if i == start and direction == start_direction:
            break
    return count


@inner(_nrt=False)
def _deviation(x: int, z: int, ax: int, az: int, bx: int, bz: int) -> float:
    """Squared distance of (x, z) from the segment a-b, in cells."""
    abx = single(bx - ax)
    abz = single(bz - az)
    dx = single(x - ax)
    dz = single(z - az)
    length = abx * abx + abz * abz
    t = abx * dx + abz * dz
    if length > single(0):
        t /= length
    t = min(max(t, single(0)), single(1))
    dx = single(ax) + t * abx - single(x)
    dz = single(az) + t * abz - single(z)
    return dx * dx + dz * dz


@inner(_nrt=False)
def _first_corners(points: Longs, count: int, picked: Longs) -> int:
    """Corners to start from, as point numbers in `picked`: where the other side changes, else two extremes."""
    n = long(0)
    other_side = 0
    for i in range(count):
        other_side |= points[i, 3] & REGION_MASK
    if other_side != 0:
        for i in range(count):
            change = points[i, 3] ^ points[(i + 1) % count, 3]
            if change & (REGION_MASK | AREA_BORDER):
                picked[n] = i
                n += 1
    if n > 0:
        return n
    low = long(0)
    high = long(0)
    for i in range(count):
        x, z = points[i, 0], points[i, 2]
        if x < points[low, 0] or (x == points[low, 0] and z < points[low, 2]):
            low = i
        if x > points[high, 0] or (x == points[high, 0] and z > points[high, 2]):
            high = i
    picked[0] = low
    picked[1] = high
    return long(2)


@inner(_nrt=False)
def _insert(picked: Longs, n: int, at: int, value: int) -> int:
    for j in range(n, at, -1):
        picked[j] = picked[j - 1]
    picked[at] = value
    return n + 1


@inner(_nrt=False)
def _farthest(points: Longs, count: int, a: int, b: int, max_error: float) -> int:
    """The point between corners a and b that strays most from a-b on a wall, or -1 if none strays too far."""
    ax, az, bx, bz = points[a, 0], points[a, 2], points[b, 0], points[b, 2]
    if bx > ax or (bx == ax and bz > az):
        step, i, end = 1, (a + 1) % count, b
    else:
        step, i, end = count - 1, (b + count - 1) % count, a
        ax, az, bx, bz = bx, bz, ax, az
    if points[i, 3] & REGION_MASK != 0 and points[i, 3] & AREA_BORDER == 0:
        return long(-1)
    worst = single(0)
    found = long(-1)
    while i != end:
        d = _deviation(points[i, 0], points[i, 2], ax, az, bx, bz)
        if d > worst:
            worst = d
            found = i
        i = (i + step) % count
    return found if worst > max_error * max_error else long(-1)


@inner(_nrt=False)
def _middle(points: Longs, count: int, a: int, b: int, max_edge: int) -> int:
    """The point halfway along the wall from corner a to b if that is longer than max_edge, else -1."""
    if points[(a + 1) % count, 3] & REGION_MASK != 0:
        return long(-1)
    dx = points[b, 0] - points[a, 0]
    dz = points[b, 2] - points[a, 2]
    between = b - a if b >= a else b + count - a
    if dx * dx + dz * dz <= max_edge * max_edge or between <= 1:
        return long(-1)
    forward = dx > 0 or (dx == 0 and dz > 0)
    return (a + (between if forward else between + 1) // 2) % count


@inner(_nrt=False)
def _simplify(points: Longs, count: int, max_error: float, max_edge: int, picked: Longs) -> int:
    """Numbers of the points that stay corners, in order, into `picked`; how many."""
    n = _first_corners(points, count, picked)
    for turn in range(1 if max_edge <= 0 else 2):
        i = 0
        while i < n:
            a, b = picked[i], picked[(i + 1) % n]
            if turn == 0:
                extra = _farthest(points, count, a, b, max_error)
            else:
                extra = _middle(points, count, a, b, max_edge)
            if extra == -1:
                i += 1
            else:
                n = _insert(picked, n, i + 1, extra)
    return n


@inner(_nrt=False)
def _drop_repeats(corners: Longs, begin: int, n: int) -> int:
    """Remove those of n corners that equal their successor seen from above, in place; how many stay."""
    i = long(0)
    while i < n:
        if same(corners, begin + i, corners, begin + (i + 1) % n):
            for j in range(begin + i, begin + n - 1):
                for k in range(4):
                    corners[j, k] = corners[j + 1, k]
            n -= 1
        i += 1
    return n


@inner()
def _border_sides(region: Ints, near: Ints) -> tuple[NDArray[np.uint8], int]:
    """Bit d of a floor's entry: direction d leaves its region. And how many such bits there are."""
    sides = np.zeros(len(region), np.uint8)
    total = 0
    for i in range(len(region)):
        if region[i] != 0:
            for direction in range(4):
                k = near[i, direction]
                if k == -1 or region[k] != region[i]:
                    sides[i] |= 1 << direction
                    total += 1
    return sides, total


@kernel()
def _trace_all(
    level: Ints,
    area: NDArray[np.uint8],
    region: Ints,
    near: Ints,
    column: Ints,
    width: int,
    max_error: float,
    max_edge: int,
) -> tuple[Longs, Longs, int]:
    """trace_contours with (corners, table rows [begin, size, region], contours), both tables with rows to spare."""
    sides, total = _border_sides(region, near)
    corners = np.empty((total, 4), np.int64)
    table = np.empty((total // 4 + 1, 3), np.int64)
    points = np.empty((MAX_CONTOUR_STEPS, 4), np.int64)
    picked = np.empty(MAX_CONTOUR_STEPS + 2, np.int64)
    used = long(0)
    contours = 0
    for i in range(len(level)):
        if sides[i] == 0 or sides[i] == 0xF:
            sides[i] = 0
            continue
        count = _trace(long(i), sides, level, area, region, near, column, width, points)
        n = _simplify(points, count, max_error, max_edge, picked)
        for j in range(n):
            for k in range(3):
                corners[used + j, k] = points[picked[j], k]
            corners[used + j, 3] = points[(picked[j] + 1) % count, 3] & (REGION_MASK | AREA_BORDER)
        n = _drop_repeats(corners, used, n)
        if n < 3:
            continue
        table[contours, 0] = used
        table[contours, 1] = n
        table[contours, 2] = region[i]
        used += n
        contours += 1
    return corners, table, contours


def trace_contours(
    level: Ints,
    area: NDArray[np.uint8],
    region: Ints,
    near: Ints,
    column: Ints,
    width: int,
    max_error: float,
    max_edge: int,
) -> tuple[Longs, Longs]:
    """(corners (C, 4), table (K, 3)) of the contours, holes included, in the order found.

    Table rows are [first corner, corners, region]. max_error and max_edge in cells; max_edge 0 splits nothing.
    """
    corners, table, count = _trace_all(level, area, region, near, column, width, max_error, max_edge)
    table = table[:count].copy()
    return corners[: table[-1, 0] + table[-1, 1] if count else 0].copy(), table
