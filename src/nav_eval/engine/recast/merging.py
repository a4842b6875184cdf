"""Small regions are dropped or merged with their smallest neighbour.

Re-implements the region filter of Recast 1.6.0 (RecastRegion.cpp, zlib licence, Mikko Mononen). A region knows the
ring of regions met along its contour (0 = wall; one neighbour can come twice, then the two do not merge, since a
hole would result) and the regions above or below it. Rings live in one pool, `ring[begin[r] : begin[r] + size[r]]`,
packed again when it is full; the regions of other storeys are linked lists in `above` rows [region, next].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.scalars import long
from nav_eval.jit import inner, kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_CONTOUR_STEPS = 40_000
_WALL = long(0)


@inner(_nrt=False)
def _across(i: int, direction: int, region: Ints, near: Ints) -> int:
    """The region that floor i sees in a direction; 0 is a wall."""
    k = near[i, direction]
    return long(0) if k == -1 else long(region[k])


@inner(_nrt=False)
def _drop_repeats(ring: Longs, begin: int, size: int) -> int:
    """Make neighbours in a ring differ, in place; its new size, at least 1 if it had any."""
    i = 0
    while i < size and size > 1:
        if ring[begin + i] == ring[begin + (i + 1) % size]:
            for j in range(begin + i, begin + size - 1):
                ring[j] = ring[j + 1]
            size -= 1
        else:
            i += 1
    return size


@inner(_nrt=False)
def _walk(i: int, direction: int, region: Ints, near: Ints, out: Longs, begin: int) -> int:
    """Put the regions met along the contour through side `direction` of floor i into out[begin:]; how many."""
    start = i
    start_direction = direction
    seen = _across(i, direction, region, near)
    out[begin] = seen
    count = long(1)
    for _ in range(MAX_CONTOUR_STEPS - 1):
        other = _across(i, direction, region, near)
        if other != region[i]:
            if other != seen:
                seen = other
                out[begin + count] = seen
                count += 1
            direction = (direction + 1) & 3
        else:
            i = long(near[i, direction])
            direction = (direction + 3) & 3
        if i == start and direction == start_direction:
            break
    return _drop_repeats(out, begin, count)


@inner()
def _pack(ring: Longs, begin: Longs, size: Longs) -> tuple[Longs, int]:
    """(pool, end) with the live rings only; the pool is as large as before."""
    packed = np.empty(len(ring), np.int64)
    end = long(0)
    for r in range(len(size)):
        for j in range(size[r]):
            packed[end + j] = ring[begin[r] + j]
        begin[r] = end
        end += size[r]
    return packed, end


@inner(_nrt=False)
def _overlaps(r: int, other: int, head: Longs, above: Longs) -> bool:
    """Whether `other` is listed above or below r."""
    entry = head[r]
    while entry != -1:
        if above[entry, 0] == other:
            return True
        entry = above[entry, 1]
    return False


@inner()
def _note_overlap(r: int, other: int, head: Longs, above: Longs, used: int) -> tuple[Longs, int]:
    """List `other` above or below r, once; the table and its length, which may have grown."""
    if _overlaps(r, other, head, above):
        return above, used
    if used == len(above):
        larger = np.empty((2 * used, 2), np.int64)
        for entry in range(used):
            larger[entry, 0] = above[entry, 0]
            larger[entry, 1] = above[entry, 1]
        above = larger
    above[used, 0] = other
    above[used, 1] = head[r]
    head[r] = used
    return above, used + 1


@inner(_nrt=False)
def _mergeable(a: int, b: int, ring: Longs, begin: Longs, size: Longs, head: Longs, above: Longs) -> bool:
    """Whether region a meets b along one stretch at most and never lies above or below it."""
    meetings = 0
    for j in range(begin[a], begin[a] + size[a]):
        meetings += ring[j] == b
    return meetings <= 1 and not _overlaps(a, b, head, above)


@inner(_nrt=False)
def _index(ring: Longs, begin: int, size: int, value: int) -> int:
    for j in range(size):
        if ring[begin + j] == value:
            return long(j)
    return long(-1)


@inner()
def _drop_small_groups(name: Longs, cells: Longs, ring: Longs, begin: Longs, size: Longs, least: int) -> None:
    """Groups of connected regions with fewer than `least` cells lose their name and cells, in place."""
    visited = np.zeros(len(name), np.uint8)
    group = np.empty(len(name), np.int64)
    for r in range(1, len(name)):
        if cells[r] == 0 or visited[r]:
            continue
        visited[r] = 1
        group[0] = r
        found = 1
        done = 0
        total = 0
        while done < found:
            member = group[done]
            done += 1
            total += cells[member]
            for j in range(begin[member], begin[member] + size[member]):
                other = ring[j]
                if other != 0 and not visited[other]:
                    visited[other] = 1
                    group[found] = other
                    found += 1
        if total < least:
            for j in range(found):
                cells[group[j]] = 0
                name[group[j]] = 0


@inner(_nrt=False)
def _target(
    r: int, name: Longs, cells: Longs, kind: Longs, ring: Longs, begin: Longs, size: Longs, head: Longs, above: Longs
) -> int:
    """The smallest neighbour that region r can merge with, the first if equal, or r. A spiral's kind is -1."""
    fewest = 0xFFFFFFF
    target = r
    for j in range(begin[r], begin[r] + size[r]):
        other = ring[j]
        if name[other] == 0 or kind[other] != kind[r] or cells[other] >= fewest:
            continue
        if _mergeable(r, other, ring, begin, size, head, above) and _mergeable(
            other, r, ring, begin, size, head, above
        ):
            fewest = cells[other]
            target = other
    return target


@inner(_nrt=False)
def _rename(old: int, new: int, name: Longs, ring: Longs, begin: Longs, size: Longs, head: Longs, above: Longs) -> None:
    """Replace a region's name wherever it occurs."""
    for r in range(1, len(name)):
        if name[r] == 0:
            continue
        if name[r] == old:
            name[r] = new
        changed = False
        for j in range(begin[r], begin[r] + size[r]):
            if ring[j] == old:
                ring[j] = new
                changed = True
        entry = head[r]
        while entry != -1:
            if above[entry, 0] == old:
                above[entry, 0] = new
            entry = above[entry, 1]
        if changed:
            size[r] = _drop_repeats(ring, begin[r], size[r])


@kernel()
def _merge(
    region: Ints,
    start: Ints,
    area: NDArray[np.uint8],
    near: Ints,
    least: int,
    small: int,
    name: Longs,
    cells: Longs,
    kind: Longs,
    head: Longs,
    begin: Longs,
    size: Longs,
) -> None:
    """Fill the tables from the floors, then drop and merge regions in them; `name` is the result."""
    sides = 0
    for i in range(len(region)):
        for direction in range(4):
            sides += _across(long(i), long(direction), region, near) != region[i]
    # a walk notes a side of a region's border at most once, and merging only shortens rings
    ring = np.empty(2 * sides + 16, np.int64)
    end = long(0)
    above = np.empty((256, 2), np.int64)
    used = long(0)
    for c in range(len(start) - 1):
        for i in range(start[c], start[c + 1]):
            r = long(region[i])
            if r == 0:
                continue
            cells[r] += 1
            for k in range(start[c], start[c + 1]):
                if k != i and region[k] != 0:
                    if region[k] == r:
                        kind[r] = -1
                    above, used = _note_overlap(r, long(region[k]), head, above, used)
            if size[r] > 0:
                continue
            if kind[r] != -1:
                kind[r] = area[i]
            for direction in range(4):
                if _across(long(i), long(direction), region, near) != r:
                    begin[r] = end
                    size[r] = _walk(long(i), long(direction), region, near, ring, end)
                    end += size[r]
                    break
    _drop_small_groups(name, cells, ring, begin, size, least)
    merged = True
    while merged:
        merged = False
        for r in range(long(1), len(name)):
            if name[r] != r or kind[r] == -1 or cells[r] == 0:
                continue
            if cells[r] > small and _index(ring, begin[r], size[r], _WALL) != -1:
                continue
            target = _target(r, name, cells, kind, ring, begin, size, head, above)
            if target == r:
                continue
            at_target = _index(ring, begin[target], size[target], r)
            at_own = _index(ring, begin[r], size[r], target)
            if at_target == -1 or at_own == -1:
                continue
            if end + size[target] + size[r] > len(ring):
                ring, end = _pack(ring, begin, size)
            first = end
            for j in range(1, size[target]):
                ring[end] = ring[begin[target] + (at_target + j) % size[target]]
                end += 1
            for j in range(1, size[r]):
                ring[end] = ring[begin[r] + (at_own + j) % size[r]]
                end += 1
            begin[target] = first
            size[target] = _drop_repeats(ring, first, end - first)
            size[r] = 0
            entry = head[r]
            while entry != -1:
                above, used = _note_overlap(target, above[entry, 0], head, above, used)
                entry = above[entry, 1]
            cells[target] += cells[r]
            cells[r] = 0
            _rename(r, target, name, ring, begin, size, head, above)
            merged = True


def merge_regions(
    region: Ints, start: Ints, area: NDArray[np.uint8], near: Ints, count: int, least: int, small: int
) -> Ints:
    """The regions (N,) of the floors, 1..n, after merging; `count` is the highest id in `region`.

    `least`: cells below which a group of connected regions goes; `small`: cells up to which a region is merged.
    Regions that lie above themselves (a spiral stair) are left as they are.
    """
    name = np.arange(count + 1)
    cells, kind, begin, size = (np.zeros(count + 1, np.int64) for _ in range(4))
    head = np.full(count + 1, -1)
    _merge(region, start, area, near, least, small, name, cells, kind, head, begin, size)
    kept, first = np.unique(name[name > 0], return_index=True)
    final = np.zeros(count + 1, np.int32)
    final[kept] = np.argsort(np.argsort(first)) + 1
    return final[name][region]
