"""Floor heights around one polygon.

Re-implements how Recast 1.6.0 gathers heights for the detail mesh (RecastMeshDetail.cpp, zlib licence, Mikko
Mononen): heights are copied from the polygon's own region and spread from its rim over the rest of the polygon's
box, breadth first, so that a floor above or below is never sampled. A polygon whose box holds no cell of its region
is filled from its middle instead.

A patch is a flat int32 array of width * depth heights in cells, UNSET where no floor was reached.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

UNSET = 0xFFFF
_AROUND_X = np.array([0, -1, 0, 1, 1, 1, 0, -1, -1], np.int64)
_AROUND_Z = np.array([0, -1, -1, -1, 0, 1, 1, 1, 0], np.int64)


@inner(_nrt=False)
def _closest_floor(
    corners: Longs, count: int, x0: int, z0: int, w: int, d: int, start: Ints, level: Ints, columns: int
) -> int:
    """The floor closest in height to a corner, among the nine columns around it; the first if equal, -1 if none."""
    best = long(-1)
    least = UNSET
    for j in range(count):
        for k in range(9):
            x = corners[j, 0] + _AROUND_X[k]
            z = corners[j, 2] + _AROUND_Z[k]
            if x < x0 or x >= x0 + w or z < z0 or z >= z0 + d:
                continue
            c = x + z * columns
            for i in range(start[c], start[c + 1]):
                gap = abs(corners[j, 1] - level[i])
                if gap < least:
                    least = gap
                    best = long(i)
            if least == 0:
                return best
    return best


@inner()
def _walk_to_middle(
    i: int,
    corners: Longs,
    count: int,
    x0: int,
    z0: int,
    w: int,
    d: int,
    near: Ints,
    column: Ints,
    columns: int,
    heights: Ints,
    queue: Ints,
) -> int:
    """The floor under the mean of the corners, reached from floor i by a depth-first walk straight at it.

    The last floor visited if the middle cannot be reached. `heights` serves as the list of visited cells.
    """
    mx = 0
    mz = 0
    for j in range(count):
        mx += corners[j, 0]
        mz += corners[j, 2]
    mx //= count
    mz //= count
    for k in range(w * d):
        heights[k] = 0
    order = np.empty(4, np.int64)
    for k in range(4):
        order[k] = k
    queue[0] = i
    top = 1
    while top > 0:
        top -= 1
        i = long(queue[top])
        x = column[i] % columns
        z = column[i] // columns
        if x == mx and z == mz:
            break
        if x == mx:
            straight = 1 if mz > z else 3
        else:
            straight = 2 if mx > x else 0
        order[straight], order[3] = order[3], order[straight]
        for turn in range(4):
            k = near[i, order[turn]]
            if k == -1:
                continue
            cell_x = column[k] % columns - x0
            cell_z = column[k] // columns - z0
            if cell_x < 0 or cell_x >= w or cell_z < 0 or cell_z >= d or heights[cell_x + cell_z * w] != 0:
                continue
            heights[cell_x + cell_z * w] = 1
            queue[top] = k
            top += 1
        order[straight], order[3] = order[3], order[straight]
    return i


@inner()
def gather_heights(
    corners: Longs,
    count: int,
    own: int,
    x0: int,
    z0: int,
    w: int,
    d: int,
    start: Ints,
    level: Ints,
    region: Ints,
    near: Ints,
    column: Ints,
    columns: int,
    heights: Ints,
    queue: Ints,
) -> None:
    """Fill `heights` for the box of w x d cells at (x0, z0) around a polygon of region `own`.

    corners (>= count, 3) int32 in cells; `columns` is the width of the heightfield; `queue` is scratch.

    corners (count, 4), in cells; start (W * D + 1,), level, region and column (F,), near (F, 4) as in compact.py;
    heights (w * d,), in cells; queue: scratch.
    """
    for k in range(w * d):
        heights[k] = UNSET
    end = 0
    empty = True
    for cell_z in range(d):
        for cell_x in range(w):
            c = cell_x + x0 + (cell_z + z0) * columns
            for i in range(start[c], start[c + 1]):
                if region[i] != own:
                    continue
                heights[cell_x + cell_z * w] = level[i]
                empty = False
                for direction in range(4):
                    k = near[i, direction]
                    if k != -1 and region[k] != own:
                        queue[end] = i
                        end += 1
                        break
                break
    if empty:
        i = _closest_floor(corners, count, x0, z0, w, d, start, level, columns)
        if i == -1:
            return
        i = _walk_to_middle(i, corners, count, x0, z0, w, d, near, column, columns, heights, queue)
        for k in range(w * d):
            heights[k] = UNSET
        heights[column[i] % columns - x0 + (column[i] // columns - z0) * w] = level[i]
        queue[0] = i
        end = 1
    head = 0
    while head < end:
        i = queue[head]
        head += 1
        for direction in range(4):
            k = near[i, direction]
            if k == -1:
                continue
            cell_x = column[k] % columns - x0
            cell_z = column[k] // columns - z0
            if cell_x < 0 or cell_x >= w or cell_z < 0 or cell_z >= d or heights[cell_x + cell_z * w] != UNSET:
                continue
            heights[cell_x + cell_z * w] = level[k]
            queue[end] = k
            end += 1


@inner(_nrt=False)
def height_at(
    x: float,
    y: float,
    z: float,
    inverse_size: float,
    cell_height: float,
    radius: int,
    x0: int,
    z0: int,
    w: int,
    d: int,
    heights: Ints,
) -> int:
    """Height in cells at (x, z) metres; where unset, the one closest to y in the nearest ring that has any.

    Rings up to `radius` cells are searched; UNSET if all are empty.

    heights: (W * D,) of the box.
    """
    nudge = single(0.01)
    cx = min(max(int(np.floor(x * inverse_size + nudge)) - x0, 0), w - 1)
    cz = min(max(int(np.floor(z * inverse_size + nudge)) - z0, 0), d - 1)
    found = heights[cx + cz * w]
    if found != UNSET:
        return long(found)
    dx, dz, step_x, step_z = 1, 0, 1, 0
    ring_end = 8
    ring = 16
    least = single(np.inf)
    for i in range((2 * radius + 1) ** 2 - 1):
        if 0 <= cx + dx < w and 0 <= cz + dz < d:
            other = heights[cx + dx + (cz + dz) * w]
            if other != UNSET:
                gap = abs(single(other) * cell_height - y)
                if gap < least:
                    found = other
                    least = gap
        if i + 1 == ring_end:
            if found != UNSET:
                break
            ring_end += ring
            ring += 8
        if dx == dz or (dx < 0 and dx == -dz) or (dx > 0 and dx == 1 - dz):
            step_x, step_z = -step_z, step_x
        dx += step_x
        dz += step_z
    return long(found)
