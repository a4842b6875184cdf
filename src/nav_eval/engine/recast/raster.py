"""Triangles to a heightfield: the first stage of a navmesh build.

Re-implements, over flat arrays, how Recast 1.6.0 voxelises triangles (recastnavigation/recastnavigation,
Recast.cpp and RecastRasterization.cpp, zlib licence, Mikko Mononen): each triangle is cut by the planes between grid
rows, each strip by the planes between columns, and the piece left in a cell becomes a solid span. The order of the
cuts and of the merging of spans decides the last bit of the result, so both follow Recast.

A heightfield here is `first` (width * depth,) int32, the index of each column's lowest span or -1, and
`spans` (N, 5) int32 rows [bottom, top, area, next, floor], heights in cells above the lower bound; `floor` is the top
without the obstacles that were merged in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner, kernel

WALKABLE = 63
MAX_SPAN_HEIGHT = 0x1FFF
"""Highest cell of a column; what is higher is pressed down to it."""
LOW, HIGH, AREA, NEXT, FLOOR = 0, 1, 2, 3, 4

_ZERO = single(0.0)
_ONE = single(1.0)
_HUGE = single(np.inf)
Index = np.uint64
"""Without a sign: numba need not ask whether an index counts from the end."""
_NEXT, _Y, _Z, _POLYGON = Index(1), Index(12), Index(24), Index(36)
"""Where a polygon's y and z, of at most twelve vertices, stand after its x, and where the next polygon begins."""


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


@inner(_nrt=False, forceinline=True)
def _cut_row(
    pool: NDArray[np.float32], source: Index, count: int, row: Index, rest: Index, plane: float
) -> tuple[int, int]:
    """Cut polygon `source` at z = plane into `row`, of which z is not kept, and `rest`; their vertex counts.

    A vertex on the plane goes to both sides, and a cut edge's new vertex is computed once for both.
    """
    below, above = row, rest
    j = source + Index(count - 1)
    dj = plane - pool[j + _Z]
    for step in range(count):
        i = source + Index(step)
        di = plane - pool[i + _Z]
        keep_below, keep_above = di >= _ZERO, di <= _ZERO
        if keep_below != (dj >= _ZERO):
            s = dj / (dj - di)
            x = pool[j] + (pool[i] - pool[j]) * s
            y = pool[j + _Y] + (pool[i + _Y] - pool[j + _Y]) * s
            pool[below], pool[below + _Y] = x, y
            pool[above], pool[above + _Y] = x, y
            pool[above + _Z] = pool[j + _Z] + (pool[i + _Z] - pool[j + _Z]) * s
            below += _NEXT
            above += _NEXT
            keep_below, keep_above = di > _ZERO, di < _ZERO
        if keep_below:
            pool[below], pool[below + _Y] = pool[i], pool[i + _Y]
            below += _NEXT
        if keep_above:
            pool[above], pool[above + _Y], pool[above + _Z] = pool[i], pool[i + _Y], pool[i + _Z]
            above += _NEXT
        j = i
        dj = di
    return long(below - row), long(above - rest)


@inner(_nrt=False, forceinline=True)
def _cut_cell(
    pool: NDArray[np.float32], source: Index, count: int, rest: Index, plane: float
) -> tuple[int, int, float, float]:
    """As `_cut_row` at x = plane; of the part below it only the vertex count, the least y and the greatest."""
    n_below, above = long(0), rest
    bottom, top = _HUGE, -_HUGE
    j = source + Index(count - 1)
    dj = plane - pool[j]
    for step in range(count):
        i = source + Index(step)
        di = plane - pool[i]
        y = pool[i + _Y]
        keep_below, keep_above = di >= _ZERO, di <= _ZERO
        if keep_below != (dj >= _ZERO):
            s = dj / (dj - di)
            cut = pool[j + _Y] + (y - pool[j + _Y]) * s
            pool[above], pool[above + _Y] = pool[j] + (pool[i] - pool[j]) * s, cut
            above += _NEXT
            n_below += 1
            bottom, top = min(bottom, cut), max(top, cut)
            keep_below, keep_above = di > _ZERO, di < _ZERO
        if keep_below:
            n_below += 1
            bottom, top = min(bottom, y), max(top, y)
        if keep_above:
            pool[above], pool[above + _Y] = pool[i], y
            above += _NEXT
        j = i
        dj = di
    return n_below, long(above - rest), bottom, top


@inner(_nrt=False, forceinline=True)
def _range(pool: NDArray[np.float32], start: Index, count: int) -> tuple[float, float]:
    """Least and greatest of `count` numbers of the pool."""
    least = greatest = pool[start]
    for i in range(start + _NEXT, start + Index(count)):
        least, greatest = min(least, pool[i]), max(greatest, pool[i])
    return least, greatest


@inner(_nrt=False, forceinline=True)
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
            # Not above HIGH: a toy of many small triangles would be climbed one cell with each.
            if spans[new, HIGH] - spans[current, FLOOR] <= merge_threshold:
                spans[new, AREA] = max(spans[new, AREA], spans[current, AREA])
            spans[new, FLOOR] = max(spans[new, FLOOR], spans[current, FLOOR])
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
    larger = np.empty((2 * len(spans), spans.shape[1]), np.int32)
    for i in range(len(spans)):
        for k in range(spans.shape[1]):
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
    first_obstacle: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The heightfield (first, spans) of triangles within [low, high]; merge_threshold in cells.

    Where spans merge, the top one's area wins unless their tops are within merge_threshold of each other. From triangle
    `first_obstacle` on, of which none is walkable, within one cell: what rises higher above a floor leaves none there.

    positions (V, 3), low and high (3,), metres; triangles (T, 3), areas (T,); first (W * D,), spans (S, 5), heights in
    cells.
    """
    first = np.empty(width * depth, np.int32)
    for column in range(width * depth):
        first[column] = -1
    spans = np.empty((4096, 5), np.int32)
    used = long(0)
    free = long(-1)
    pool = np.empty(4 * 36, np.float32)  # polygons: two for the rest of the triangle, two for that of the row
    inverse_size = _ONE / cell_size
    inverse_height = _ONE / cell_height
    room = high[1] - low[1]
    for t in range(len(triangles)):
        threshold = merge_threshold if t < first_obstacle else long(1)
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
            pool[12 * k + 0] = a
            pool[12 * k + 1] = b
            pool[12 * k + 2] = c
        if outside:
            continue
        z0 = max(-1, min(depth - 1, int((tri_low_z - low[2]) * inverse_size)))
        z1 = max(0, min(depth - 1, int((tri_high_z - low[2]) * inverse_size)))
        rest, spare = Index(0), _POLYGON
        n_rest = long(3)
        for z in range(z0, z1 + 1):
            edge_z = (low[2] + single(z) * cell_size) + cell_size
            row, other = _POLYGON + _POLYGON, _POLYGON + _POLYGON + _POLYGON
            if z == z1 and _range(pool, rest + _Z, n_rest)[1] <= edge_z:
                row, n_row = rest, n_rest
            else:
                n_row, n_rest = _cut_row(pool, rest, n_rest, row, spare, edge_z)
                rest, spare = spare, rest
            if n_row < 3 or z < 0:
                continue
            smallest, largest = _range(pool, row, n_row)
            x0 = int((smallest - low[0]) * inverse_size)
            x1 = int((largest - low[0]) * inverse_size)
            if x1 < 0 or x0 >= width:
                continue
            x0 = max(-1, min(width - 1, x0))
            x1 = max(0, min(width - 1, x1))
            for x in range(x0, x1 + 1):
                edge_x = (low[0] + single(x) * cell_size) + cell_size
                if x == x1 and _range(pool, row, n_row)[1] <= edge_x:
                    n_cell = n_row
                    bottom, top = _range(pool, row + _Y, n_row)
                else:
                    n_cell, n_row, bottom, top = _cut_cell(pool, row, n_row, other, edge_x)
                    row, other = other, row
                if n_cell < 3 or x < 0:
                    continue
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
                spans[new, FLOOR] = span_high if t < first_obstacle else 0
                freed = _add_span(first, spans, new, x + z * width, threshold)
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
