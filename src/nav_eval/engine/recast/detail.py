"""Heights inside polygons: each polygon gets triangles that follow the floor.

Re-implements Recast 1.6.0's detail mesh (RecastMeshDetail.cpp, zlib licence, Mikko Mononen): edges are sampled and
simplified, in an order that both neighbours share, then points of a grid are added where the triangles stray most
from the floor, until none strays more than allowed. Habitat's floor heights are the heights of these triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.delaunay import delaunay, strip
from nav_eval.engine.recast.patch import gather_heights
from nav_eval.engine.recast.planar import FAR, mesh_gap, segment_gap2
from nav_eval.engine.recast.samples import MAX_PER_EDGE, MAX_VERTICES, grid_samples, sample_edge
from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner, kernel

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_TRIANGLES = 255

_TWO = single(2.0)
_ON_EDGE = single(0.001) * single(0.001)


@inner(_nrt=False)
def _least_width(points: Floats, count: int) -> float:
    """The least, over a polygon's edges, of its extent away from the edge."""
    least = FAR
    for a in range(count):
        b = (a + 1) % count
        widest = single(0)
        for i in range(count):
            if i != a and i != b:
                widest = max(widest, segment_gap2(points, long(i), points, long(a), b))
        least = min(least, widest)
    return single(np.sqrt(least))


@inner()
def _detail(
    points: Floats,
    count: int,
    spacing: float,
    max_error: float,
    cell: Floats,
    radius: int,
    box: Longs,
    heights: Ints,
    edge: Floats,
    hull: Longs,
    edges: Longs,
    triangles: Longs,
) -> tuple[int, int]:
    """Detail mesh of the polygon points[:count]: (points, triangles) used."""
    used = count
    hull_count = long(0)
    least_width = _least_width(points, count)
    j = count - 1
    for i in range(count):
        hull[hull_count] = j
        hull_count += 1
        before = used
        if spacing > single(0):
            used = sample_edge(points, used, long(j), long(i), spacing, max_error, cell, radius, box, heights, edge)
        for k in range(before, used):
            hull[hull_count] = k
            hull_count += 1
        j = i
    found = strip(points, hull, hull_count, count, triangles)
    if least_width < spacing * _TWO or not spacing > single(0):
        return used, found
    samples = grid_samples(points, count, spacing, cell, radius, box, heights)
    added = np.zeros(len(samples), np.uint8)
    for _ in range(len(samples)):
        if used >= MAX_VERTICES:
            break
        worst = single(0)
        best = -1
        for i in range(len(samples)):
            if not added[i]:
                gap = mesh_gap(samples, long(i), points, triangles, found)
                if gap > worst:
                    worst = gap
                    best = i
        if best == -1 or worst <= max_error:
            break
        added[best] = 1
        for k in range(3):
            points[used, k] = samples[best, k]
        used += 1
        found = delaunay(points, used, hull, hull_count, edges, triangles)
    return used, min(found, long(MAX_TRIANGLES))


@inner(_nrt=False)
def _on_border(points: Floats, a: int, b: int, polygon: Floats, count: int) -> int:
    """1 if the segment a-b lies on an edge of the polygon, else 0."""
    j = count - 1
    for i in range(count):
        if segment_gap2(points, a, polygon, j, i) < _ON_EDGE and segment_gap2(points, b, polygon, j, i) < _ON_EDGE:
            return 1
        j = i
    return 0


@inner(_nrt=False)
def _box(corners: Longs, count: int, columns: int, rows: int, box: Longs) -> None:
    """[x, z, width, depth] of the cells around a polygon, one more on each side."""
    x0, x1, z0, z1 = columns, 0, rows, 0
    for i in range(count):
        x0 = min(x0, corners[i, 0])
        x1 = max(x1, corners[i, 0])
        z0 = min(z0, corners[i, 2])
        z1 = max(z1, corners[i, 2])
    box[0] = max(0, x0 - 1)
    box[1] = max(0, z0 - 1)
    box[2] = min(columns, x1 + 1) - box[0]
    box[3] = min(rows, z1 + 1) - box[1]


@kernel()
def _build(
    vertices: Longs,
    polygons: Longs,
    sizes: Longs,
    regions: Longs,
    start: Ints,
    level: Ints,
    region: Ints,
    near: Ints,
    column: Ints,
    columns: int,
    rows: int,
    low: Floats,
    cell: Floats,
    spacing: float,
    max_error: float,
    radius: int,
    table: Longs,
    out_points: Floats,
    out_triangles: NDArray[np.uint8],
) -> None:
    """build_detail into arrays that hold the most points and triangles there can be."""
    n_points = long(0)
    n_triangles = long(0)
    heights = np.empty(1, np.int32)
    queue = np.empty(3, np.int32)
    box = np.empty(4, np.int64)
    corners = np.empty((polygons.shape[1], 3), np.int64)
    points = np.empty((256, 3), np.float32)
    border = np.empty((polygons.shape[1], 3), np.float32)
    edge = np.empty((MAX_PER_EDGE + 1, 3), np.float32)
    hull = np.empty(2 * MAX_VERTICES, np.int64)
    edges = np.empty((10 * 256, 4), np.int64)
    triangles = np.empty((10 * 256, 3), np.int64)
    for p in range(len(sizes)):
        size = sizes[p]
        for i in range(size):
            for k in range(3):
                corners[i, k] = vertices[polygons[p, i], k]
                points[i, k] = single(corners[i, k]) * cell[2 if k == 1 else 0]
                border[i, k] = points[i, k] + low[k]
        _box(corners, size, columns, rows, box)
        if box[2] * box[3] > len(heights):
            heights = np.empty(box[2] * box[3], np.int32)
            queue = np.empty(2 * box[2] * box[3] + 1, np.int32)
        gather_heights(
            corners,
            size,
            regions[p],
            box[0],
            box[1],
            box[2],
            box[3],
            start,
            level,
            region,
            near,
            column,
            columns,
            heights,
            queue,
        )
        used, found = _detail(
            points, size, spacing, max_error, cell, radius, box, heights, edge, hull, edges, triangles
        )
        for i in range(used):
            for k in range(3):
                points[i, k] += low[k] + cell[2] if k == 1 else low[k]
                out_points[n_points + i, k] = points[i, k]
        for t in range(found):
            flags = 0
            for k in range(3):
                a, b = triangles[t, k], triangles[t, (k + 1) % 3]
                flags |= _on_border(points, a, b, border, size) << 2 * k
                out_triangles[n_triangles + t, k] = a
            out_triangles[n_triangles + t, 3] = flags
        table[p, 0] = n_points
        table[p, 1] = used
        table[p, 2] = n_triangles
        table[p, 3] = found
        n_points += used
        n_triangles += found


def build_detail(
    vertices: Longs,
    polygons: Longs,
    sizes: Longs,
    regions: Longs,
    start: Ints,
    level: Ints,
    region: Ints,
    near: Ints,
    column: Ints,
    columns: int,
    rows: int,
    low: Floats,
    cell: Floats,
    spacing: float,
    max_error: float,
    radius: int,
) -> tuple[Longs, Floats, NDArray[np.uint8]]:
    """(table (P, 4), points (N, 3) float32 metres, triangles (T, 4) uint8) of the detail mesh.

    `table` rows are [first point, points, first triangle, triangles]; a polygon's points start with its corners.
    Triangles are [a, b, c, flags], two bits of flags an edge, 1 = on the polygon's border. `cell` is [cell size,
    its inverse, cell height]; `low` the lower bound of the heightfield; spacing and max_error in metres; `radius`
    how far, in cells, a height is looked for where a sample has none.
    """
    count = len(sizes)
    table = np.empty((count, 4), np.int64)
    points = np.empty((count * MAX_VERTICES, 3), np.float32)  # memory is taken only where something is written
    triangles = np.empty((count * MAX_TRIANGLES, 4), np.uint8)
    _build(
        vertices,
        polygons,
        sizes,
        regions,
        start,
        level,
        region,
        near,
        column,
        columns,
        rows,
        low,
        cell,
        spacing,
        max_error,
        radius,
        table,
        points,
        triangles,
    )
    return table, points[: table[-1, 0] + table[-1, 1]].copy(), triangles[: table[-1, 2] + table[-1, 3]].copy()
