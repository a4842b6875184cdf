"""Which spans of a heightfield can be stood on.

Re-implements the three filters of Recast 1.6.0 (RecastFilter.cpp, zlib licence, Mikko Mononen), which Habitat runs
in this order. All change only the area of spans, in place; heights and climbs are in cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.raster import AREA, HIGH, LOW, NEXT
from nav_eval.jit import inner, kernel

NO_CEILING = 0xFFFF


@kernel(_nrt=False)
def allow_low_obstacles(first: NDArray[np.int32], spans: NDArray[np.int32], climb: int) -> None:
    """A span that is too steep becomes walkable if it is a step up from the walkable span below it (a kerb).

    first (W * D,): a column's lowest span; spans (S, 5), heights in cells.
    """
    for column in range(len(first)):
        below = -1
        below_was_walkable = False
        below_area = 0
        span = first[column]
        while span != -1:
            walkable = spans[span, AREA] != 0
            if not walkable and below_was_walkable and abs(spans[span, HIGH] - spans[below, HIGH]) <= climb:
                spans[span, AREA] = below_area
            below_was_walkable = walkable
            below_area = spans[span, AREA]
            below = span
            span = spans[span, NEXT]


@inner(inline="always", _nrt=False)
def _ceiling(spans: NDArray[np.int32], span: int) -> int:
    """Bottom of the span above, or NO_CEILING."""
    above = spans[span, NEXT]
    return NO_CEILING if above == -1 else spans[above, LOW]


@kernel(_nrt=False)
def remove_ledges(
    first: NDArray[np.int32], spans: NDArray[np.int32], width: int, depth: int, height: int, climb: int
) -> None:
    """A span next to a drop of more than `climb`, or on a slope that steep across its neighbours, is no floor.

    first (W * D,), spans (S, 5); heights in cells.
    """
    for column in range(width * depth):
        span = first[column]
        if span == -1:
            continue
        x = column % width
        z = column // width
        while span != -1:
            if spans[span, AREA] != 0:
                floor = spans[span, HIGH]
                top = _ceiling(spans, span)
                deepest = NO_CEILING
                lowest = floor
                highest = floor
                for direction in range(4):
                    nx = x + (direction == 2) - (direction == 0)
                    nz = z + (direction == 1) - (direction == 3)
                    if nx < 0 or nz < 0 or nx >= width or nz >= depth:
                        deepest = min(deepest, -climb - floor)
                        continue
                    near = first[nx + nz * width]
                    near_top = NO_CEILING if near == -1 else spans[near, LOW]
                    if min(top, near_top) - max(floor, -climb) > height:
                        deepest = min(deepest, -climb - floor)
                    while near != -1:
                        near_floor = spans[near, HIGH]
                        if min(top, _ceiling(spans, near)) - max(floor, near_floor) > height:
                            deepest = min(deepest, near_floor - floor)
                            if abs(near_floor - floor) <= climb:
                                lowest = min(lowest, near_floor)
                                highest = max(highest, near_floor)
                        near = spans[near, NEXT]
                if deepest < -climb or highest - lowest > climb:
                    spans[span, AREA] = 0
            span = spans[span, NEXT]


@kernel(_nrt=False)
def remove_low_ceilings(first: NDArray[np.int32], spans: NDArray[np.int32], height: int) -> None:
    """A span with less than `height` free above it is no floor. first (W * D,), spans (S, 5); heights in cells."""
    for column in range(len(first)):
        span = first[column]
        while span != -1:
            if _ceiling(spans, span) - spans[span, HIGH] < height:
                spans[span, AREA] = 0
            span = spans[span, NEXT]
