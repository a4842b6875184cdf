"""Open floor cells and who is next to whom; and the margin that an agent's radius takes from them.

Re-implements Recast 1.6.0's compact heightfield and erosion (Recast.cpp, RecastArea.cpp, zlib licence, Mikko
Mononen). Recast packs the neighbour of a span as a layer number in the neighbouring column; here `near` holds the
neighbour's own index, so every later stage is a walk over flat arrays.

A floor is an index into: `start` (columns + 1,) first floor of each column, columns in rows of z; `level` (N,) its
height in cells; `area` (N,) uint8, 0 = nothing walks here; `near` (N, 4) the floor reached in direction 0 -x, 1 +z,
2 +x, 3 -z, or -1; `column` (N,) the column that it is in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.filters import NO_CEILING
from nav_eval.engine.recast.raster import AREA, HIGH, LOW, NEXT
from nav_eval.jit import inner, kernel

MAX_CLEARANCE = 0xFF
MAX_LAYERS = 62
FAR = 0xFFFF

Ints = NDArray[np.int32]


@kernel()
def floors(
    first: Ints, spans: Ints, width: int, depth: int, height: int, climb: int
) -> tuple[Ints, Ints, NDArray[np.uint8], Ints, Ints]:
    """(start, level, area, near, column) of the walkable spans of a heightfield.

    Two floors of neighbouring columns are connected if a gap of `height` is open across both and the step is at
    most `climb`, both in cells; the lowest such floor is taken, among the 63 lowest of the column.

    first (W * D,), spans (S, 5); of F floors: start (W * D + 1,), level (F,), area (F,), near (F, 4), column (F,).
    """
    columns = width * depth
    count = 0
    for c in range(columns):
        span = first[c]
        while span != -1:
            count += spans[span, AREA] != 0
            span = spans[span, NEXT]
    start = np.empty(columns + 1, np.int32)
    level = np.empty(count, np.int32)
    clearance = np.empty(count, np.int32)
    area = np.empty(count, np.uint8)
    column = np.empty(count, np.int32)
    near = np.empty((count, 4), np.int32)
    n = 0
    for c in range(columns):
        start[c] = n
        span = first[c]
        while span != -1:
            above = spans[span, NEXT]
            if spans[span, AREA] != 0:
                top = NO_CEILING if above == -1 else spans[above, LOW]
                level[n] = spans[span, HIGH]
                clearance[n] = max(0, min(MAX_CLEARANCE, top - spans[span, HIGH]))
                area[n] = spans[span, AREA]
                column[n] = c
                n += 1
            span = above
    start[columns] = n
    for i in range(count):
        x = column[i] % width
        z = column[i] // width
        for direction in range(4):
            nx = x + (direction == 2) - (direction == 0)
            nz = z + (direction == 1) - (direction == 3)
            near[i, direction] = -1
            if nx < 0 or nz < 0 or nx >= width or nz >= depth:
                continue
            lowest = start[nx + nz * width]
            for k in range(lowest, min(start[nx + nz * width + 1], lowest + MAX_LAYERS + 1)):
                bottom = max(level[i], level[k])
                top = min(level[i] + clearance[i], level[k] + clearance[k])
                if top - bottom >= height and abs(level[k] - level[i]) <= climb:
                    near[i, direction] = k
                    break
    return start, level, area, near, column


@inner(_nrt=False)
def chamfer(distance: Ints, near: Ints) -> None:
    """Lower each distance to its neighbours' + 2 (sides) or + 3 (diagonals), in place, in two sweeps.

    The diagonal of direction d is reached through d, then turning left: the way that Recast goes.

    distance (S,), in half cells; near (S, 4): the span in each direction, or -1.
    """
    for sweep in range(2):
        for step in range(len(distance)):
            i = step if sweep == 0 else len(distance) - 1 - step
            nearest = distance[i]
            for side in range(2):
                direction = (0, 3, 2, 1)[2 * sweep + side]
                a = near[i, direction]
                if a != -1:
                    nearest = min(nearest, distance[a] + 2)
                    b = near[a, (direction + 3) & 3]
                    if b != -1:
                        nearest = min(nearest, distance[b] + 3)
            distance[i] = nearest


@kernel()
def erode(area: NDArray[np.uint8], near: Ints, radius: int) -> None:
    """Make floors within `radius` cells of a border or a wall unwalkable, in place.

    area (S,), 0: unwalkable; near (S, 4).
    """
    distance = np.empty(len(area), np.int32)
    for i in range(len(area)):
        open_sides = 0
        for direction in range(4):
            k = near[i, direction]
            open_sides += k != -1 and area[k] != 0
        distance[i] = FAR if area[i] != 0 and open_sides == 4 else 0
    chamfer(distance, near)
    for i in range(len(area)):
        if distance[i] < 2 * radius:
            area[i] = 0
