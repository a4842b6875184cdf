"""Watershed partition of the floors into regions without holes.

Re-implements Recast 1.6.0's distance field and watershed (RecastRegion.cpp, zlib licence, Mikko Mononen; after
Haumont, Debunne and Sillion, "Volumetric cell-and-portal generation", 2003): floors are flooded from the farthest
from any border down, two distance units at a time; a level first widens the regions that exist, breadth first for
a few rounds, and what is still dry starts new ones. Small regions are merged or dropped afterwards (merging.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.compact import FAR, chamfer
from nav_eval.engine.recast.scalars import long
from nav_eval.jit import inner, kernel

Ints = NDArray[np.int32]

MAX_REGIONS = 0x7FFF
"""Region ids are 15 bits in Recast; the 16th marks the border of a tile."""
LEVELS_PER_SORT = 8
_ROUNDS, _UNTIL_DONE = long(8), long(-1)


@kernel()
def distance_field(area: NDArray[np.uint8], near: Ints) -> tuple[Ints, int]:
    """(N,) distance of each floor to the border of its area, 2 per cell, blurred; and the largest before blurring."""
    sharp = np.empty(len(area), np.int32)
    for i in range(len(area)):
        alike = 0
        for direction in range(4):
            k = near[i, direction]
            alike += k != -1 and area[k] == area[i]
        sharp[i] = FAR if alike == 4 else 0
    chamfer(sharp, near)
    largest = 0
    blurred = np.empty(len(area), np.int32)
    for i in range(len(area)):
        own = sharp[i]
        largest = max(largest, own)
        if own <= 2:
            blurred[i] = own
            continue
        total = own
        for direction in range(4):
            a = near[i, direction]
            if a == -1:
                total += 2 * own
                continue
            b = near[a, (direction + 1) & 3]
            total += sharp[a] + (own if b == -1 else sharp[b])
        blurred[i] = (total + 5) // 9
    return blurred, largest


@inner(_nrt=False)
def _expand(
    rounds: int, dry: Ints, count: int, region: Ints, reach: Ints, area: NDArray[np.uint8], near: Ints, fresh: Ints
) -> int:
    """Give dry floors the region of their closest neighbour, round by round; how many of `dry` stay dry.

    A round sees the regions as they were before it. `rounds` < 0: until nothing changes. `fresh` is scratch.
    """
    kept = 0
    for j in range(count):
        if region[dry[j]] == 0:
            dry[kept] = dry[j]
            kept += 1
    count = kept
    while count > 0:
        kept = 0
        wet = 0
        for j in range(count):
            i = dry[j]
            found = 0
            nearest = FAR
            for direction in range(4):
                k = near[i, direction]
                if k != -1 and area[k] == area[i] and region[k] > 0 and reach[k] + 2 < nearest:
                    found = region[k]
                    nearest = reach[k] + 2
            if found != 0:
                fresh[wet, 0] = i
                fresh[wet, 1] = found
                fresh[wet, 2] = nearest
                wet += 1
            else:
                dry[kept] = i
                kept += 1
        for j in range(wet):
            region[fresh[j, 0]] = fresh[j, 1]
            reach[fresh[j, 0]] = fresh[j, 2]
        count = kept
        rounds -= 1
        if wet == 0 or rounds == 0:
            break
    return count


@inner(_nrt=False)
def _touches_other(i: int, own: int, region: Ints, area: NDArray[np.uint8], near: Ints) -> bool:
    """Whether one of the eight floors around i is in a region other than `own`."""
    for direction in range(4):
        a = near[i, direction]
        if a == -1 or area[a] != area[i]:
            continue
        if region[a] != 0 and region[a] != own:
            return True
        b = near[a, (direction + 1) & 3]
        if b != -1 and area[b] == area[i] and region[b] != 0 and region[b] != own:
            return True
    return False


@inner(_nrt=False)
def _flood(
    seed: int,
    own: int,
    level: int,
    distance: Ints,
    region: Ints,
    reach: Ints,
    area: NDArray[np.uint8],
    near: Ints,
    stack: Ints,
) -> bool:
    """Start region `own` at a floor and fill what is at least `level` - 2 deep; False if nothing could be kept."""
    region[seed] = own
    reach[seed] = 0
    stack[0] = seed
    top = 1
    kept = 0
    while top > 0:
        top -= 1
        i = long(stack[top])
        if _touches_other(i, own, region, area, near):
            region[i] = 0
            continue
        kept += 1
        for direction in range(4):
            k = near[i, direction]
            if k != -1 and area[k] == area[seed] and distance[k] >= max(0, level - 2) and region[k] == 0:
                region[k] = own
                reach[k] = 0
                stack[top] = k
                top += 1
    return kept > 0


@inner(_nrt=False)
def _sort_by_level(level: int, distance: Ints, region: Ints, area: NDArray[np.uint8], order: Ints, begin: Ints) -> None:
    """Dry floors of the next 8 levels into `order`, bucket b in order[begin[b]:begin[b + 1]], stable."""
    for b in range(len(begin)):
        begin[b] = 0
    for turn in range(2):
        for i in range(len(area)):
            if area[i] == 0 or region[i] != 0:
                continue
            bucket = max(0, (level >> 1) - (distance[i] >> 1))
            if bucket >= LEVELS_PER_SORT:
                continue
            if turn == 0:
                begin[bucket + 2] += 1
            else:
                order[begin[bucket + 1]] = i
                begin[bucket + 1] += 1
        if turn == 0:
            for b in range(LEVELS_PER_SORT):
                begin[b + 2] += begin[b + 1]


@kernel()
def watershed(area: NDArray[np.uint8], near: Ints, distance: Ints, largest: int) -> tuple[Ints, int]:
    """Region id of each floor (N,), 0 = none, and the highest id; -1 for that if ids ran out."""
    n = len(area)
    region = np.zeros(n, np.int32)
    reach = np.zeros(n, np.int32)
    order = np.empty(n, np.int32)
    begin = np.zeros(LEVELS_PER_SORT + 2, np.int32)
    dry = np.empty(n, np.int32)
    stack = np.empty(n, np.int32)
    fresh = np.empty((n, 3), np.int32)
    ids = long(0)
    count = long(0)
    bucket = -1
    level = (largest + 1) & ~1
    while level > 0:
        level = max(0, level - 2)
        bucket = (bucket + 1) % LEVELS_PER_SORT
        if bucket == 0:
            _sort_by_level(level, distance, region, area, order, begin)
            count = long(0)
        added = begin[bucket + 1] - begin[bucket]
        for j in range(count - 1, -1, -1):
            dry[added + j] = dry[j]
        for j in range(added):
            dry[j] = order[begin[bucket] + j]
        rounds = _ROUNDS if level > 0 else _UNTIL_DONE
        count = _expand(rounds, dry, added + count, region, reach, area, near, fresh)
        for j in range(count):
            if region[dry[j]] == 0 and _flood(long(dry[j]), ids + 1, level, distance, region, reach, area, near, stack):
                ids += 1
                if ids == MAX_REGIONS:
                    return region, -1
    count = long(0)
    for i in range(n):
        if region[i] == 0 and area[i] != 0:
            dry[count] = i
            count += 1
    _expand(_UNTIL_DONE, dry, count, region, reach, area, near, fresh)
    return region, ids
