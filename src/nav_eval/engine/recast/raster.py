"""Triangles to a heightfield: the first stage of a navmesh build.

Re-implements, over flat arrays, how Recast 1.6.0 voxelises triangles (recastnavigation/recastnavigation,
Recast.cpp and RecastRasterization.cpp, zlib licence, Mikko Mononen): each triangle is cut by the planes between grid
rows, each strip by the planes between columns, and the piece left in a cell becomes a solid span. The order of the
cuts and of the merging of spans decides the last bit of the result, so both follow Recast.

A heightfield here is `first` (width * depth,) int32, the index of each column's lowest span or -1, and
`spans` (N, 4) int32 rows [bottom, top, area, next], heights in cells above the lower bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner, kernel

WALKABLE = 63
MAX_SPAN_HEIGHT = 0x1FFF
"""Highest cell of a column; what is higher is pressed down to it."""
LOW, HIGH, AREA, NEXT = 0, 1, 2, 3

_ZERO = single(0.0)
_ONE = single(1.0)
_X, _Z = long(0), long(2)
_ROW, _CELL = long(2), long(4)


@kernel()
def survey(
    positions: NDArray[np.float32], triangles: NDArray[np.int32], min_normal_y: float, cell_size: float
) -> tuple[NDArray[np.uint8], float, float]:
    """(areas (T,), work, highest) of triangles: WALKABLE where the unit normal points up enough, else 0.

    `work` is about how many cells of the grid all triangles cover, `highest` the lowest corner of the highest
    walkable one (metres, -inf if there is none).
    """
    areas = np.zeros(len(triangles), np.uint8)
    work = 0.0
    highest = single(-np.inf)
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux = positions[b, 0] - positions[a, 0]
        uy = positions[b, 1] - positions[a, 1]
        uz = positions[b, 2] - positions[a, 2]
        vx = positions[c, 0] - positions[a, 0]
        vy = positions[c, 1] - positions[a, 1]
        vz = positions[c, 2] - positions[a, 2]
        nx = uy * vz - uz * vy
        ny = uz * vx - ux * vz
        nz = ux * vy - uy * vx
        if ny * (_ONE / np.sqrt(nx * nx + ny * ny + nz * nz)) > min_normal_y:
            areas[t] = WALKABLE
            highest = max(highest, min(positions[a, 1], min(positions[b, 1], positions[c, 1])))
        work += abs(ny) / (2.0 * cell_size * cell_size) + (abs(ux) + abs(uz) + abs(vx) + abs(vz)) / cell_size
    return areas, work, highest


@inner()
def _split(
    pool: NDArray[np.float32], source: int, count: int, below: int, above: int, plane: float, axis: int
) -> tuple[int, int]:
    """Cut polygon `source` of the pool at axis = plane into polygons `below` and `above`; their vertex counts.

    A vertex on the plane goes to both sides, and a cut edge's new vertex is computed once for both.
    """
    n_below = long(0)
    n_above = long(0)
    j = count - 1
    dj = plane - pool[source, j, axis]
    for i in range(count):
        di = plane - pool[source, i, axis]
        if (di >= _ZERO) != (dj >= _ZERO):
            s = dj / (dj - di)
            for k in range(3):
                cut = pool[source, j, k] + (pool[source, i, k] - pool[source, j, k]) * s
                pool[below, n_below, k] = cut
                pool[above, n_above, k] = cut
            n_below += 1
            n_above += 1
            keep_below = di > _ZERO
            keep_above = di < _ZERO
        else:
            keep_below = di >= _ZERO
            keep_above = di <= _ZERO
        if keep_below:
            for k in range(3):
                pool[below, n_below, k] = pool[source, i, k]
            n_below += 1
        if keep_above:
            for k in range(3):
                pool[above, n_above, k] = pool[source, i, k]
            n_above += 1
        j = i
        dj = di
    return n_below, n_above


@inner()
def _add_span(first: NDArray[np.int32], spans: NDArray[np.int32], new: int, column: int, merge_threshold: int) -> int:
    """Link span row `new` into its column, swallowing the spans that it touches; the head of the swallowed list.

    Swallowed rows stay chained by NEXT (from the returned row to -1) so that the caller can use them again.
    """
    freed = long(-1)
    previous = long(-1)
    current = long(first[column])
    while current != -1:
        if spans[current, LOW] > spans[new, HIGH]:
            break
        following = long(spans[current, NEXT])
        if spans[current, HIGH] < spans[new, LOW]:
            previous = current
        else:
            spans[new, LOW] = min(spans[new, LOW], spans[current, LOW])
            spans[new, HIGH] = max(spans[new, HIGH], spans[current, HIGH])
            if spans[new, HIGH] - spans[current, HIGH] <= merge_threshold:
                spans[new, AREA] = max(spans[new, AREA], spans[current, AREA])
            if previous != -1:
                spans[previous, NEXT] = following
            else:
                first[column] = following
            spans[current, NEXT] = freed
            freed = current
        current = following
    if previous != -1:
        spans[new, NEXT] = spans[previous, NEXT]
        spans[previous, NEXT] = new
    else:
        spans[new, NEXT] = first[column]
        first[column] = new
    return freed


@inner()
def _grown(spans: NDArray[np.int32]) -> NDArray[np.int32]:
    larger = np.empty((2 * len(spans), 4), np.int32)
    for i in range(len(spans)):
        for k in range(4):
            larger[i, k] = spans[i, k]
    return larger


@kernel()
def rasterize(
    positions: NDArray[np.float32],
    triangles: NDArray[np.int32],
    areas: NDArray[np.uint8],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    width: int,
    depth: int,
    cell_size: float,
    cell_height: float,
    merge_threshold: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The heightfield (first, spans) of triangles within [low, high]; merge_threshold in cells.

    Where spans merge, the top one's area wins unless their tops are within merge_threshold of each other.
    """
    first = np.empty(width * depth, np.int32)
    for column in range(width * depth):
        first[column] = -1
    spans = np.empty((4096, 4), np.int32)
    used = long(0)
    free = long(-1)
    pool = np.empty((5, 12, 3), np.float32)  # polygons: 0 and 1 rest of the triangle, 2 and 3 of the row, 4 cell
    inverse_size = _ONE / cell_size
    inverse_height = _ONE / cell_height
    room = high[1] - low[1]
    for t in range(len(triangles)):
        tri_low_z = positions[triangles[t, 0], 2]
        tri_high_z = tri_low_z
        outside = False
        for k in range(3):
            a = positions[triangles[t, 0], k]
            b = positions[triangles[t, 1], k]
            c = positions[triangles[t, 2], k]
            smallest = min(a, min(b, c))
            largest = max(a, max(b, c))
            outside = outside or smallest > high[k] or largest < low[k]
            if k == 2:
                tri_low_z = smallest
                tri_high_z = largest
            pool[0, 0, k] = a
            pool[0, 1, k] = b
            pool[0, 2, k] = c
        if outside:
            continue
        z0 = max(-1, min(depth - 1, int((tri_low_z - low[2]) * inverse_size)))
        z1 = max(0, min(depth - 1, int((tri_high_z - low[2]) * inverse_size)))
        rest, spare = long(0), long(1)
        n_rest = long(3)
        for z in range(z0, z1 + 1):
            edge_z = (low[2] + single(z) * cell_size) + cell_size
            n_row, n_rest = _split(pool, rest, n_rest, _ROW, spare, edge_z, _Z)
            rest, spare = spare, rest
            if n_row < 3 or z < 0:
                continue
            smallest = pool[_ROW, 0, 0]
            largest = smallest
            for i in range(1, n_row):
                smallest = min(smallest, pool[_ROW, i, 0])
                largest = max(largest, pool[_ROW, i, 0])
            x0 = int((smallest - low[0]) * inverse_size)
            x1 = int((largest - low[0]) * inverse_size)
            if x1 < 0 or x0 >= width:
                continue
            x0 = max(-1, min(width - 1, x0))
            x1 = max(0, min(width - 1, x1))
            row, other = _ROW, _ROW + 1
            for x in range(x0, x1 + 1):
                edge_x = (low[0] + single(x) * cell_size) + cell_size
                n_cell, n_row = _split(pool, row, n_row, _CELL, other, edge_x, _X)
                row, other = other, row
                if n_cell < 3 or x < 0:
                    continue
                bottom = pool[_CELL, 0, 1]
                top = bottom
                for i in range(1, n_cell):
                    bottom = min(bottom, pool[_CELL, i, 1])
                    top = max(top, pool[_CELL, i, 1])
                bottom -= low[1]
                top -= low[1]
                if top < _ZERO or bottom > room:
                    continue
                bottom = max(bottom, _ZERO)
                top = min(top, room)
                span_low = max(0, min(MAX_SPAN_HEIGHT, int(np.floor(bottom * inverse_height))))
                span_high = max(span_low + 1, min(MAX_SPAN_HEIGHT, int(np.ceil(top * inverse_height))))
                if free != -1:
                    new = free
                    free = long(spans[new, NEXT])
                else:
                    if used == len(spans):
                        spans = _grown(spans)
                    new = used
                    used += 1
                spans[new, LOW] = span_low
                spans[new, HIGH] = span_high
                spans[new, AREA] = areas[t]
                freed = _add_span(first, spans, new, x + z * width, merge_threshold)
                while freed != -1:
                    following = long(spans[freed, NEXT])
                    spans[freed, NEXT] = free
                    free = freed
                    freed = following
    return first, spans


def min_normal_y(max_slope: float) -> float:
    """The least upward part of a walkable triangle's unit normal; max_slope in degrees."""
    radians = single(max_slope) / single(180.0) * single(np.pi)
    return single(np.cos(float(radians)))
