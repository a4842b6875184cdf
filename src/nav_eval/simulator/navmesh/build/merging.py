"""Small regions are dropped or merged with their smallest neighbour.

Re-implements the region filter of Recast 1.6.0 (RecastRegion.cpp, zlib licence, Mikko Mononen). A region knows the
ring of regions met along its contour (0 = wall; one neighbour can come twice, then the two do not merge, since a
hole would result) and the regions above or below it. Rings live in one pool, `ring[begin[r] : begin[r] + size[r]]`,
packed again when it is full; the regions of other storeys are linked lists in `above` rows [region, next].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel

Ints = NDArray[np.int32]

MAX_CONTOUR_STEPS = 40_000


@kernel(inline="always")
def _across(i: int, direction: int, region: Ints, near: Ints) -> int:
    """The region that floor i sees in a direction; 0 is a wall."""
    k = near[i, direction]
    return 0 if k == -1 else region[k]


@kernel()
def _drop_repeats(ring: Ints, begin: int, size: int) -> int:
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


@kernel()
def _walk(i: int, direction: int, region: Ints, near: Ints, out: Ints) -> int:
    """Regions met along the contour of floor i's region, starting at its side `direction`; how many in `out`."""
    start = i
    start_direction = direction
    seen = _across(i, direction, region, near)
    out[0] = seen
    count = 1
    for _ in range(MAX_CONTOUR_STEPS - 1):
        other = _across(i, direction, region, near)
        if other != region[i]:
            if other != seen:
                seen = other
                out[count] = seen
                count += 1
            direction = (direction + 1) & 3
        else:
            i = near[i, direction]
            direction = (direction + 3) & 3
        if i == start and direction == start_direction:
            break
    return _drop_repeats(out, 0, count)


@kernel()
def _room(ring: Ints, begin: Ints, size: Ints, end: int, wanted: int) -> tuple[Ints, int]:
    """(ring, end) with at least `wanted` free entries behind `end`; packs the live rings if it must."""
    if end + wanted <= len(ring):
        return ring, end
    live = 0
    for r in range(len(size)):
        live += size[r]
    packed = np.empty(2 * (live + wanted), np.int32)
    end = 0
    for r in range(len(size)):
        for j in range(size[r]):
            packed[end + j] = ring[begin[r] + j]
        begin[r] = end
        end += size[r]
    return packed, end


@kernel()
def _overlaps(r: int, other: int, head: Ints, above: Ints) -> bool:
    """Whether `other` is listed above or below r."""
    entry = head[r]
    while entry != -1:
        if above[entry, 0] == other:
            return True
        entry = above[entry, 1]
    return False


@kernel()
def _note_overlap(r: int, other: int, head: Ints, above: Ints, used: int) -> tuple[Ints, int]:
    """List `other` above or below r, once; the table and its length, which may have grown."""
    if _overlaps(r, other, head, above):
        return above, used
    if used == len(above):
        larger = np.empty((2 * used, 2), np.int32)
        larger[:used] = above
        above = larger
    above[used, 0] = other
    above[used, 1] = head[r]
    head[r] = used
    return above, used + 1


@kernel()
def _mergeable(a: int, b: int, name_b: int, ring: Ints, begin: Ints, size: Ints, head: Ints, above: Ints) -> bool:
    """Whether region a meets b along one stretch at most and never lies above or below it."""
    meetings = 0
    for j in range(begin[a], begin[a] + size[a]):
        meetings += ring[j] == name_b
    return meetings <= 1 and not _overlaps(a, name_b, head, above)


@kernel()
def _index(ring: Ints, begin: int, size: int, value: int) -> int:
    for j in range(size):
        if ring[begin + j] == value:
            return j
    return -1


@kernel()
def _drop_small_groups(name: Ints, cells: Ints, ring: Ints, begin: Ints, size: Ints, least: int) -> None:
    """Groups of connected regions with fewer than `least` cells lose their name and cells, in place."""
    visited = np.zeros(len(name), np.uint8)
    group = np.empty(len(name), np.int32)
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


@kernel()
def merge_regions(
    region: Ints, start: Ints, area: NDArray[np.uint8], near: Ints, count: int, least: int, small: int
) -> int:
    """Rename regions in place to 1..n and return n.

    `least`: cells below which a group of connected regions goes; `small`: cells up to which a region is merged.
    Regions that lie above themselves (a spiral stair) are left as they are.
    """
    name = np.arange(count + 1).astype(np.int32)
    cells = np.zeros(count + 1, np.int32)
    kind = np.zeros(count + 1, np.uint8)
    spiral = np.zeros(count + 1, np.uint8)
    head = np.full(count + 1, -1, np.int32)
    above = np.empty((256, 2), np.int32)
    used = 0
    begin = np.zeros(count + 1, np.int32)
    size = np.zeros(count + 1, np.int32)
    ring = np.empty(4096, np.int32)
    end = 0
    walk = np.empty(MAX_CONTOUR_STEPS + 1, np.int32)
    for c in range(len(start) - 1):
        for i in range(start[c], start[c + 1]):
            r = region[i]
            if r == 0:
                continue
            cells[r] += 1
            for k in range(start[c], start[c + 1]):
                if k != i and region[k] != 0:
                    if region[k] == r:
                        spiral[r] = 1
                    above, used = _note_overlap(r, region[k], head, above, used)
            if size[r] > 0:
                continue
            kind[r] = area[i]
            for direction in range(4):
                if _across(i, direction, region, near) != r:
                    length = _walk(i, direction, region, near, walk)
                    ring, end = _room(ring, begin, size, end, length)
                    ring[end : end + length] = walk[:length]
                    begin[r] = end
                    size[r] = length
                    end += length
                    break
    _drop_small_groups(name, cells, ring, begin, size, least)

    merged = True
    while merged:
        merged = False
        for r in range(1, count + 1):
            if name[r] == 0 or spiral[r] or cells[r] == 0:
                continue
            if cells[r] > small and _index(ring, begin[r], size[r], 0) != -1:
                continue
            fewest = 0xFFFFFFF
            target = name[r]
            for j in range(begin[r], begin[r] + size[r]):
                other = ring[j]
                if (
                    name[other] != 0
                    and not spiral[other]
                    and cells[other] < fewest
                    and kind[other] == kind[r]
                    and _mergeable(r, other, name[other], ring, begin, size, head, above)
                    and _mergeable(other, r, name[r], ring, begin, size, head, above)
                ):
                    fewest = cells[other]
                    target = name[other]
            if target == name[r]:
                continue
            old = name[r]
            at_target = _index(ring, begin[target], size[target], old)
            at_own = _index(ring, begin[r], size[r], target)
            if at_target == -1 or at_own == -1:
                continue
            length = size[target] + size[r] - 2
            ring, end = _room(ring, begin, size, end, length)
            for j in range(size[target] - 1):
                ring[end + j] = ring[begin[target] + (at_target + 1 + j) % size[target]]
            for j in range(size[r] - 1):
                ring[end + size[target] - 1 + j] = ring[begin[r] + (at_own + 1 + j) % size[r]]
            begin[target] = end
            size[target] = _drop_repeats(ring, end, length)
            size[r] = 0
            end += length
            entry = head[r]
            while entry != -1:
                following = above[entry, 1]
                above, used = _note_overlap(target, above[entry, 0], head, above, used)
                entry = following
            cells[target] += cells[r]
            cells[r] = 0
            for other in range(1, count + 1):
                if name[other] == 0:
                    continue
                if name[other] == old:
                    name[other] = target
                changed = False
                for j in range(begin[other], begin[other] + size[other]):
                    if ring[j] == old:
                        ring[j] = target
                        changed = True
                entry = head[other]
                while entry != -1:
                    if above[entry, 0] == old:
                        above[entry, 0] = target
                    entry = above[entry, 1]
                if changed:
                    size[other] = _drop_repeats(ring, begin[other], size[other])
            merged = True

    final = np.zeros(count + 1, np.int32)
    ids = 0
    for r in range(1, count + 1):
        if name[r] != 0 and final[name[r]] == 0:
            ids += 1
            final[name[r]] = ids
    for i in range(len(region)):
        region[i] = final[name[region[i]]]
    return ids
