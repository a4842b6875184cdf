"""A region with holes becomes one outline, joined to each hole by a cut walked both ways.

Re-implements hole merging of Recast 1.6.0 (RecastContour.cpp, zlib licence, Mikko Mononen): holes from left to
right, each joined from its leftmost corner to the nearest visible corner of the outline so far. Two quirks are kept,
since they choose the polygons: equal distances fall back to the corner's number (a stable sort), and the outline's
edges at the *i-th* nearest corner, not at the one under test, are left out of the visibility test of the i-th hole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.predicates import in_cone, meet, same
from nav_eval.engine.recast.scalars import long
from nav_eval.jit import inner, kernel

Longs = NDArray[np.int64]

BEGIN, SIZE, REGION = 0, 1, 2
_NUMBER = (1 << 20) - 1
_START, _NOTHING = long(0), long(-1)


def windings(corners: Longs, table: Longs) -> Longs:
    """(K,) 1 for an outline, -1 for a hole, which is walked the other way round. corners: (C, 4), in cells; table:
    (K, 3)."""
    following = np.arange(1, len(corners) + 1)
    following[table[:, BEGIN] + table[:, SIZE] - 1] = table[:, BEGIN]
    x, z = corners[:, 0], corners[:, 2]
    doubled = np.add.reduceat(x[following] * z - x * z[following], table[:, BEGIN])
    return np.where(doubled < -2, -1, 1)


@inner(_nrt=False)
def _sort(keys: Longs, count: int) -> None:
    """Shell sort, in place, of the first `count` (all different) keys."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            key = keys[i]
            j = i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 3


@inner(_nrt=False)
def _hits(p: Longs, a: int, q: Longs, b: int, ring: Longs, begin: int, size: int, skip: int) -> bool:
    """Whether p[a]-q[b] meets an edge of the ring that shares no corner with it and does not touch corner `skip`."""
    for k in range(size):
        after = k + 1 if k + 1 < size else 0
        if k == skip or after == skip:
            continue
        c, d = begin + k, begin + after
        if same(p, a, ring, c) or same(q, b, ring, c) or same(p, a, ring, d) or same(q, b, ring, d):
            continue
        if meet(p, a, q, b, ring, c, d):
            return True
    return False


@inner(_nrt=False)
def _joint(
    outline: Longs, n: int, corners: Longs, table: Longs, holes: Longs, rank: int, corner: int, keys: Longs
) -> int:
    """The outline corner to cut to from `corner` of the hole of that rank, or -1.

    `keys` is scratch that outlives the call: the quirk above may read what an earlier call left.
    """
    candidates = long(0)
    for j in range(n):
        if in_cone(outline, (j + n - 1) % n, long(j), (j + 1) % n, corners, corner):
            dx = outline[j, 0] - corners[corner, 0]
            dz = outline[j, 2] - corners[corner, 2]
            keys[candidates] = (dx * dx + dz * dz) << 20 | j
            candidates += 1
    _sort(keys, candidates)
    skip = keys[rank] & _NUMBER
    for j in range(candidates):
        end = keys[j] & _NUMBER
        blocked = _hits(outline, end, corners, corner, outline, _START, n, skip)
        for k in range(rank, len(holes)):
            hole = holes[k]
            if blocked:
                break
            blocked = _hits(outline, end, corners, corner, corners, table[hole, BEGIN], table[hole, SIZE], _NOTHING)
        if not blocked:
            return long(end)
    return long(-1)


@kernel(_nrt=False)
def _leftmost(corners: Longs, begin: int, size: int) -> int:
    best = begin
    for i in range(begin + 1, begin + size):
        if corners[i, 0] < corners[best, 0] or (corners[i, 0] == corners[best, 0] and corners[i, 2] < corners[best, 2]):
            best = i
    return best


@kernel()
def join_holes(outline: Longs, n: int, corners: Longs, table: Longs, holes: Longs, other: Longs) -> tuple[Longs, int]:
    """Join holes (numbers of contours) into an outline of n corners; (outline, its corners). Joined ones get size 0.

    `outline` and `other` are scratch arrays with room for the result; they change places at each join. A hole that
    sees no corner of the outline stays a contour of its own.

    outline, other and corners: (C, 4), in cells; table: (K, 3); holes: (H,).
    """
    keys = np.zeros(len(outline), np.int64)
    for rank in range(len(holes)):
        hole = holes[rank]
        begin, size = table[hole, BEGIN], table[hole, SIZE]
        corner = _leftmost(corners, begin, size)
        end = long(-1)
        for _ in range(size):
            end = _joint(outline, n, corners, table, holes, long(rank), corner, keys)
            if end != -1:
                break
            corner = begin + (corner - begin + 1) % size
        if end == -1:
            continue
        for k in range(4):
            for j in range(n + 1):
                other[j, k] = outline[(end + j) % n, k]
            for j in range(size + 1):
                other[n + 1 + j, k] = corners[begin + (corner - begin + j) % size, k]
        n += size + 2
        table[hole, SIZE] = 0
        outline, other = other, outline
    return outline, n


def merge_holes(corners: Longs, table: Longs) -> tuple[Longs, Longs]:
    """Contours (corners, table) with the holes of each region joined to its outline.

    Rows of the table keep their places; joined holes have size 0. A region without an outline keeps its holes as
    contours; of several outlines the last is the one.

    corners: (C, 4), in cells; table: (K, 3).
    """
    if len(table) == 0:
        return corners, table
    table = table.copy()
    winding = windings(corners, table)
    parts = [corners]
    total = len(corners)
    for region in np.unique(table[winding < 0, REGION]):
        own = np.flatnonzero(table[:, REGION] == region)
        outlines, holes = own[winding[own] > 0], own[winding[own] < 0]
        if len(outlines) == 0:
            continue
        target = outlines[-1]
        begin, size = table[target, BEGIN], table[target, SIZE]
        outline = np.empty((size + (table[holes, SIZE] + 2).sum(), 4), np.int64)
        outline[:size] = corners[begin : begin + size]
        holes = _left_to_right(corners, table, holes)
        outline, size = join_holes(outline, size, corners, table, holes, np.empty_like(outline))
        table[target, BEGIN], table[target, SIZE] = total, size
        parts.append(outline[:size])
        total += size
    return np.concatenate(parts), table


def _left_to_right(corners: Longs, table: Longs, holes: Longs) -> Longs:
    """Holes sorted by their leftmost corner's x, then z, then as given."""
    places = [corners[_leftmost(corners, table[h, BEGIN], table[h, SIZE]), 0:3:2] for h in holes]
    x, z = np.transpose(places)
    return holes[np.lexsort((z, x))]
