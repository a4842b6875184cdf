"""A region with holes becomes one outline, joined to each hole by a cut walked both ways.

Re-implements hole merging of Recast 1.6.0 (RecastContour.cpp, zlib licence, Mikko Mononen): holes from left to
right, each joined from its leftmost corner to the nearest visible corner of the outline so far. Two quirks are kept,
since they choose the polygons: equal distances fall back to the corner's number (a stable sort), and the outline's
edges at the *i-th* nearest corner, not at the one under test, are left out of the visibility test of the i-th hole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel
from nav_eval.simulator.navmesh.build.predicates import in_cone, meet, same

Ints = NDArray[np.int32]


@kernel()
def _winding(corners: Ints, begin: int, size: int) -> int:
    """1 for an outline, -1 for a hole."""
    total = np.int64(0)
    j = begin + size - 1
    for i in range(begin, begin + size):
        total += np.int64(corners[i, 0]) * corners[j, 2] - np.int64(corners[j, 0]) * corners[i, 2]
        j = i
    return -1 if total < -2 else 1


@kernel()
def _sort(keys: NDArray[np.int64], count: int) -> None:
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


@kernel()
def _hits(p: Ints, a: int, q: Ints, b: int, ring: Ints, begin: int, size: int, skip: int) -> bool:
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


@kernel()
def _joint(
    outline: Ints,
    n: int,
    corners: Ints,
    begin: Ints,
    size: Ints,
    holes: NDArray[np.int64],
    rank: int,
    corner: int,
    keys: NDArray[np.int64],
) -> int:
    """The outline corner to cut to from `corner` of the hole of that rank, or -1."""
    candidates = 0
    for j in range(n):
        if in_cone(outline, j - 1 if j > 0 else n - 1, j, j + 1 if j + 1 < n else 0, corners, corner):
            dx = np.int64(outline[j, 0]) - corners[corner, 0]
            dz = np.int64(outline[j, 2]) - corners[corner, 2]
            keys[candidates] = (dx * dx + dz * dz) << 20 | j
            candidates += 1
    _sort(keys, candidates)
    skip = keys[rank] & 0xFFFFF
    for j in range(candidates):
        end = keys[j] & 0xFFFFF
        blocked = _hits(outline, end, corners, corner, outline, 0, n, skip)
        for k in range(rank, len(holes)):
            if blocked:
                break
            blocked = _hits(outline, end, corners, corner, corners, begin[holes[k]], size[holes[k]], -1)
        if not blocked:
            return end
    return -1


@kernel()
def _leftmost(corners: Ints, begin: int, size: int) -> int:
    best = begin
    for i in range(begin + 1, begin + size):
        if corners[i, 0] < corners[best, 0] or (
            corners[i, 0] == corners[best, 0] and corners[i, 2] < corners[best, 2]
        ):
            best = i
    return best


@kernel()
def _holes_of(
    region: int, kinds: NDArray[np.int64], corners: Ints, begin: Ints, size: Ints, regions: Ints
) -> NDArray[np.int64]:
    """Numbers of a region's holes, from left to right, then in z, then in the order found."""
    found = np.empty(len(begin), np.int64)
    count = 0
    for k in range(len(begin)):
        if regions[k] == region and kinds[k] < 0:
            corner = _leftmost(corners, begin[k], size[k])
            place = np.int64(corners[corner, 0]) << 16 | np.int64(corners[corner, 2])
            found[count] = place << 24 | k
            count += 1
    _sort(found, count)
    return found[:count] & 0xFFFFFF


@kernel()
def _merge(
    outline: Ints, n: int, corners: Ints, begin: Ints, size: Ints, holes: NDArray[np.int64], other: Ints
) -> tuple[Ints, int]:
    """Join holes into an outline of n corners; (outline, its corners). Joined holes get size 0.

    `outline` and `other` are scratch arrays with room for the result; they change places at each join.
    """
    keys = np.zeros(len(outline), np.int64)
    for rank in range(len(holes)):
        hole = holes[rank]
        corner = _leftmost(corners, begin[hole], size[hole])
        end = -1
        for _ in range(size[hole]):
            end = _joint(outline, n, corners, begin, size, holes, rank, corner, keys)
            if end != -1:
                break
            corner = corner + 1 if corner + 1 < begin[hole] + size[hole] else begin[hole]
        if end == -1:
            continue
        for j in range(n + 1):
            other[j] = outline[(end + j) % n]
        for j in range(size[hole] + 1):
            other[n + 1 + j] = corners[begin[hole] + (corner - begin[hole] + j) % size[hole]]
        n += size[hole] + 2
        size[hole] = 0
        outline, other = other, outline
    return outline, n


@kernel()
def merge_holes(corners: Ints, begin: Ints, size: Ints, regions: Ints) -> Ints:
    """`corners` with the merged outlines appended; begin and size (K,) change in place, to 0 for a joined hole.

    A hole that cannot be joined, or has no outline, stays a contour of its own, as in Recast.
    """
    kinds = np.empty(len(begin), np.int64)
    outline_of = np.full(regions.max() + 1 if len(regions) > 0 else 1, -1, np.int64)
    holed = np.zeros(len(outline_of), np.uint8)
    for k in range(len(begin)):
        kinds[k] = _winding(corners, begin[k], size[k])
        if kinds[k] > 0:
            outline_of[regions[k]] = k
        else:
            holed[regions[k]] = 1
    for region in range(len(holed)):
        target = outline_of[region]
        if not holed[region] or target == -1:
            continue
        holes = _holes_of(region, kinds, corners, begin, size, regions)
        n = np.int64(size[target])
        room = n
        for k in range(len(holes)):
            room += size[holes[k]] + 2
        outline = np.empty((room, 4), np.int32)
        outline[:n] = corners[begin[target] : begin[target] + n]
        outline, n = _merge(outline, n, corners, begin, size, holes, np.empty((room, 4), np.int32))
        begin[target] = len(corners)
        size[target] = n
        corners = np.concatenate((corners, outline[:n]))
    return corners
