"""Where the detail mesh looks at the floor: along the edges of a polygon, and on a grid inside it.

Re-implements the sampling of Recast 1.6.0's detail mesh (RecastMeshDetail.cpp, zlib licence, Mikko Mononen). Points
are rows (x, y, z) of float32 arrays, metres above the lower bound; `cell` is [cell size, its inverse, cell height],
`box` [x, z, width, depth] the cells that `heights` holds (see patch.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.recast.patch import height_at
from nav_eval.engine.recast.planar import segment_gap3, signed_border_gap
from nav_eval.engine.recast.scalars import long, single
from nav_eval.jit import inner

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_VERTICES = 127
MAX_PER_EDGE = 32

_FACTOR_X, _FACTOR_Z = long(0x8DA6B343), long(0xD8163841)
_FIRST = long(0)
_ONE = single(1.0)
_TWO = single(2.0)
_TENTH = single(0.1)
_EQUAL = single(1e-6)


@inner()
def sample_edge(
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

    points (N, 3) and edge (E, 3), metres; cell (3,); box (4,); heights (D * W,), in cell heights.
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


@inner(_nrt=False)
def _jitter(i: int, factor: int) -> float:
    """A fixed number in [-1, 1] for sample i: samples of a regular grid would make ambiguous triangles."""
    return single((i * factor) & 0xFFFF) / single(65535) * _TWO - _ONE


@inner()
def grid_samples(
    points: Floats, count: int, spacing: float, cell: Floats, radius: int, box: Longs, heights: Ints
) -> Floats:
    """(S, 3) jittered points of the world's sampling grid well inside the polygon, at floor height.

    points (>= count, 3), the polygon's corners, and result: metres; cell (3,); box (4,); heights (D * W,), in cells.
    """
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
                point[0, 0], point[0, 1], point[0, 2], cell[1], cell[2], radius, box[0], box[1], box[2], box[3], heights
            )
            samples[n, 0] = point[0, 0] + _jitter(n, _FACTOR_X) * cell[0] * _TENTH
            samples[n, 1] = single(h) * cell[2]
            samples[n, 2] = point[0, 2] + _jitter(n, _FACTOR_Z) * cell[0] * _TENTH
            n += 1
    return samples[:n]
