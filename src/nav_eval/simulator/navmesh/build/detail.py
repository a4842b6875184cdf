"""Heights inside polygons: each polygon gets triangles that follow the floor.

Re-implements Recast 1.6.0's detail mesh (RecastMeshDetail.cpp, zlib licence, Mikko Mononen): edges are sampled and
simplified, in an order that both neighbours share, then points of a grid are added where the triangles stray most
from the floor, until none strays more than allowed. Habitat's floor heights are the heights of these triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel
from nav_eval.simulator.navmesh.build.delaunay import delaunay, strip
from nav_eval.simulator.navmesh.build.patch import gather_heights, height_at
from nav_eval.simulator.navmesh.build.planar import (
    FAR,
    mesh_gap,
    segment_gap2,
    segment_gap3,
    signed_border_gap,
)
from nav_eval.simulator.navmesh.build.scalars import long, single

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_VERTICES = 127
MAX_TRIANGLES = 255
MAX_PER_EDGE = 32

_FACTOR_X, _FACTOR_Z = long(0x8DA6B343), long(0xD8163841)
_FIRST = long(0)
_ONE = single(1.0)
_TWO = single(2.0)
_TENTH = single(0.1)
_EQUAL = single(1e-6)
_ON_EDGE = single(0.001) * single(0.001)


@kernel()
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


@kernel()
def _sample_edge(
    points: Floats,
    used: int,
    a: int,
    b: int,
    spacing: float,
    max_error: float,
    cell: Floats,
    radius: int,
    box: Longs,
    heights: Ints,
    edge: Floats,
) -> int:
    """Append to `points` the samples needed along a -> b, in that order; the number of points then.

    The samples are computed from the end that is first in x, then z, so that both polygons of an edge agree.
    """
    if abs(points[a, 0] - points[b, 0]) < _EQUAL:
        swapped = points[a, 2] > points[b, 2]
    else:
        swapped = points[a, 0] > points[b, 0]
    if swapped:
        a, b = b, a
    dx = points[b, 0] - points[a, 0]
    dy = points[b, 1] - points[a, 1]
    dz = points[b, 2] - points[a, 2]
    steps = 1 + int(np.floor(np.sqrt(dx * dx + dz * dz) / spacing))
    steps = min(steps, MAX_PER_EDGE - 1, MAX_VERTICES - 1 - used)
    if steps <= 0:
        return used
    for k in range(steps + 1):
        u = single(k) / single(steps)
        edge[k, 0] = points[a, 0] + dx * u
        edge[k, 2] = points[a, 2] + dz * u
        y = points[a, 1] + dy * u
        h = height_at(edge[k, 0], y, edge[k, 2], cell[1], cell[2], radius, box[0], box[1], box[2], box[3], heights)
        edge[k, 1] = single(h) * cell[2]
    kept = np.zeros(MAX_PER_EDGE + 1, np.uint8)
    kept[0] = 1
    kept[steps] = 1
    low = long(0)
    while low < steps:
        high = low + 1
        while not kept[high]:
            high += 1
        worst = single(0)
        at = -1
        for m in range(low + 1, high):
            gap = segment_gap3(edge, long(m), low, high)
            if gap > worst:
                worst = gap
                at = m
        if at != -1 and worst > max_error * max_error:
            kept[at] = 1
        else:
            low = high
    for m in range(1, steps):
        k = steps - m if swapped else m
        if kept[k]:
            for axis in range(3):
                points[used, axis] = edge[k, axis]
            used += 1
    return used


@kernel()
def _jitter(i: int, factor: int) -> float:
    """A fixed number in [-1, 1] for sample i: samples of a regular grid would make ambiguous triangles."""
    return single((i * factor) & 0xFFFF) / single(65535) * _TWO - _ONE


@kernel()
def _grid_samples(
    points: Floats,
    count: int,
    spacing: float,
    cell: Floats,
    radius: int,
    box: Longs,
    heights: Ints,
) -> Floats:
    """(S, 3) jittered points of the world's sampling grid well inside the polygon, at floor height."""
    low = np.empty(3, np.float32)
    high = np.empty(3, np.float32)
    for k in range(3):
        low[k] = high[k] = points[0, k]
        for i in range(1, count):
            low[k] = min(low[k], points[i, k])
            high[k] = max(high[k], points[i, k])
    x0, x1 = int(np.floor(low[0] / spacing)), int(np.ceil(high[0] / spacing))
    z0, z1 = int(np.floor(low[2] / spacing)), int(np.ceil(high[2] / spacing))
    samples = np.empty((max(0, (x1 - x0) * (z1 - z0)), 3), np.float32)
    n = long(0)
    point = np.empty((1, 3), np.float32)
    for z in range(z0, z1):
        for x in range(x0, x1):
            point[0, 0] = single(x) * spacing
            point[0, 1] = (high[1] + low[1]) * single(0.5)
            point[0, 2] = single(z) * spacing
            if signed_border_gap(points, count, point, _FIRST) > -spacing / _TWO:
                continue
            h = height_at(
                point[0, 0],
                point[0, 1],
                point[0, 2],
                cell[1],
                cell[2],
                radius,
                box[0],
                box[1],
                box[2],
                box[3],
                heights,
            )
            samples[n, 0] = point[0, 0] + _jitter(n, _FACTOR_X) * cell[0] * _TENTH
            samples[n, 1] = single(h) * cell[2]
            samples[n, 2] = point[0, 2] + _jitter(n, _FACTOR_Z) * cell[0] * _TENTH
            n += 1
    return samples[:n]


@kernel()
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
            used = _sample_edge(points, used, long(j), long(i), spacing, max_error, cell, radius, box, heights, edge)
        for k in range(before, used):
            hull[hull_count] = k
            hull_count += 1
        j = i
    found = strip(points, hull, hull_count, count, triangles)
    if least_width < spacing * _TWO or not spacing > single(0):
        return used, found
    samples = _grid_samples(points, count, spacing, cell, radius, box, heights)
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


@kernel()
def _on_border(points: Floats, a: int, b: int, polygon: Floats, count: int) -> int:
    """1 if the segment a-b lies on an edge of the polygon, else 0."""
    j = count - 1
    for i in range(count):
        if segment_gap2(points, a, polygon, j, i) < _ON_EDGE and segment_gap2(points, b, polygon, j, i) < _ON_EDGE:
            return 1
        j = i
    return 0


@kernel()
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
