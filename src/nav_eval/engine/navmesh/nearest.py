"""The polygon nearest to a point, as Detour's findNearestPoly finds it, and the height of the floor there.

Habitat snaps within half-extents of (2, 4, 2) m. A point over a polygon counts max(|dy| - climb, 0) squared, any other
its squared distance to the nearest border edge of the detail mesh; the first of equals in the order of the bounding
volume tree wins. Habitat's meshes of one tile take a short cut: a grid of cells lists the polygons within 1 m in that
order, and a polygon whose bounds are farther than the best so far cannot win. Where nothing lies so near, the tree is
walked: first with the bare point, where a distance of 0 ends the search, since no earlier polygon can have had it,
then with the box that the first walk leaves.
Source: recastnavigation 1.6.0, DetourNavMesh.cpp, DetourNavMeshQuery.cpp (zlib), re-implemented.
"""

from __future__ import annotations

import math

import numpy as np

from nav_eval.engine.navmesh import memory
from nav_eval.engine.navmesh.layout import CELL_REACH
from nav_eval.engine.navmesh.plane import (
    FLT_MAX,
    ONE,
    ZERO,
    Floats,
    Scalar,
    between,
    distance_to_segment,
    height_in_triangle,
    holds,
)
from nav_eval.jit import inner

REACH_XZ, REACH_Y = np.float32(2), np.float32(4)
NAN = np.float32(np.nan)
SURELY = np.float32(0.9999)  # bounds this much farther are farther in exact arithmetic too
MIN_GAP = np.float32(1e-6)
AROUND = np.float32(1e-4)  # rounding may put a point this far outside its polygon's bounds
NEAR = np.float32(0.98 * CELL_REACH**2)  # scores that a cell's list decides
MANY = np.float32(1e7)
BEYOND, BEYOND_GAP = np.float32(1.001), np.float32(1e-3)  # and this much farther out nothing can win

Found = tuple[int, Scalar, Scalar, Scalar]


@inner()
def nearest_on_edges(segments: Floats, start: int, end: int, x: Scalar, z: Scalar) -> Found:
    """(segment, point) nearest to (x, z) in the plane; segment -1 if there are none. segments: (S, 2, 3), metres."""
    best, best_t, chosen = FLT_MAX, ZERO, -1
    for k in range(start, end):
        distance, t = distance_to_segment(x, z, segments[k, 0], segments[k, 1])
        if distance < best:
            best, best_t, chosen = distance, t, k
    if chosen < 0:
        return -1, NAN, NAN, NAN
    px, py, pz = between(segments[chosen, 0], segments[chosen, 1], best_t)
    return chosen, px, py, pz


@inner()
def floor_height(mesh: int, polygon: int, x: Scalar, z: Scalar) -> tuple[bool, Scalar]:
    """Whether (x, z) lies in the polygon, and the height of its detail mesh there."""
    if not holds(memory.corners(mesh)[polygon], memory.counts(mesh)[polygon], x, z):
        return False, ZERO
    start, triangles = memory.triangle_start(mesh), memory.triangles(mesh)
    for k in range(start[polygon], start[polygon + 1]):
        inside, height = height_in_triangle(triangles[k], x, z)
        if inside:
            return True, height
    start = memory.seam_start(mesh)
    found, _, height, _ = nearest_on_edges(memory.seams(mesh), start[polygon], start[polygon + 1], x, z)
    return found >= 0, height


@inner()
def nearest_on_polygon(mesh: int, polygon: int, x: Scalar, y: Scalar, z: Scalar) -> tuple[bool, Scalar, Scalar, Scalar]:
    """Whether the point is over the polygon, and the nearest point of the polygon."""
    over, height = floor_height(mesh, polygon, x, z)
    if over:
        return True, x, height, z
    start = memory.rim_start(mesh)
    _, px, py, pz = nearest_on_edges(memory.rims(mesh), start[polygon], start[polygon + 1], x, z)
    return False, px, py, pz


@inner()
def _score(
    mesh: int, polygon: int, x: Scalar, y: Scalar, z: Scalar, climb: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """How far the point counts as from the polygon, and the nearest point."""
    over, px, py, pz = nearest_on_polygon(mesh, polygon, x, y, z)
    if over:
        d = abs(y - py) - climb
        return (d * d if d > ZERO else ZERO), px, py, pz
    dx, dy, dz = x - px, y - py, z - pz
    return dx * dx + dy * dy + dz * dz, px, py, pz


@inner()
def _gap(low: Scalar, high: Scalar, value: Scalar) -> Scalar:
    if value < low:
        return low - value
    return value - high if value > high else ZERO


@inner()
def _bound(box: Floats, x: Scalar, y: Scalar, z: Scalar, climb: Scalar) -> Scalar:
    """No score of a polygon with these bounds is less."""
    dx, dy, dz = _gap(box[0], box[3], x), _gap(box[1], box[4], y) - climb, _gap(box[2], box[5], z)
    if dy < ZERO:
        dy = ZERO
    return (dx * dx + dy * dy + dz * dz) * SURELY - MIN_GAP


@inner()
def _cell(value: Scalar, low: Scalar, high: Scalar, factor: Scalar, add: Scalar) -> int:
    """A coordinate clamped to the tile and quantised, as an unsigned short."""
    clamped = low if value < low else (high if value > high else value)
    return int(factor * (clamped - low) + add) & 0xFFFF


@inner()
def _scan(
    mesh: int, x: Scalar, y: Scalar, z: Scalar, reach: Scalar, limit: Scalar
) -> tuple[int, Scalar, Scalar, Scalar, Scalar]:
    """Best of the polygons whose bounds meet the box: (polygon, point, score).

    A score of 0 ends the scan. Polygons that must score more than `limit` are passed over.
    """
    best, chosen, bx, by, bz = FLT_MAX, -1, NAN, NAN, NAN
    boxes, flat, walkable = memory.box(mesh), memory.flat_box(mesh), memory.walkable(mesh)
    tree = memory.tree(mesh)
    places, sizes, grid = memory.tile_place(mesh), memory.tile_size(mesh), memory.grid(mesh)
    x0, x1, z0, z1 = x - REACH_XZ, x + REACH_XZ, z - REACH_XZ, z + REACH_XZ
    column0, column1 = math.floor((x0 - grid[0]) / grid[2]), math.floor((x1 - grid[0]) / grid[2])
    row0, row1 = math.floor((z0 - grid[1]) / grid[3]), math.floor((z1 - grid[1]) / grid[3])
    x0, x1, z0, z1 = x - reach, x + reach, z - reach, z + reach
    y0, y1 = y - REACH_Y, y + REACH_Y
    for tile in range(len(places)):
        if not (column0 <= places[tile, 0] <= column1 and row0 <= places[tile, 1] <= row1):
            continue
        size = sizes[tile]
        factor, climb = size[6], size[7]
        node, end = places[tile, 2], places[tile, 3]
        bare = node == end
        if bare:
            node, end = places[tile, 4], places[tile, 5]
        else:
            qx0 = _cell(x0, size[0], size[3], factor, ZERO) & 0xFFFE
            qy0 = _cell(y0, size[1], size[4], factor, ZERO) & 0xFFFE
            qz0 = _cell(z0, size[2], size[5], factor, ZERO) & 0xFFFE
            qx1 = _cell(x1, size[0], size[3], factor, ONE) | 1
            qy1 = _cell(y1, size[1], size[4], factor, ONE) | 1
            qz1 = _cell(z1, size[2], size[5], factor, ONE) | 1
        while node < end:
            if bare:
                b = flat[node]
                polygon = node
                node += 1
                if x0 > b[3] or x1 < b[0] or y0 > b[4] or y1 < b[1] or z0 > b[5] or z1 < b[2]:
                    continue
            else:
                q = tree[node]
                polygon = q[6]
                apart = qx0 > q[3] or qx1 < q[0] or qz0 > q[5] or qz1 < q[2] or qy0 > q[4] or qy1 < q[1]
                if apart and polygon < 0:
                    node -= polygon
                    continue
                node += 1
                if apart or polygon < 0:
                    continue
            if walkable[polygon] == 0 or _bound(boxes[polygon], x, y, z, climb) > limit:
                continue
            score, px, py, pz = _score(mesh, memory.index(polygon), x, y, z, climb)
            if score < best:
                best, chosen, bx, by, bz = score, polygon, px, py, pz
                if best == ZERO:
                    break
                if best < limit:
                    limit = best
        if best == ZERO:
            break
    return chosen, bx, by, bz, best


@inner()
def _walk_tree(mesh: int, x: Scalar, y: Scalar, z: Scalar) -> Found:
    polygon, px, py, pz, score = _scan(mesh, x, y, z, ZERO, FLT_MAX)
    if score == ZERO:
        return polygon, px, py, pz
    reach = REACH_XZ
    if score < REACH_XZ * REACH_XZ:
        far = np.float32(math.sqrt(score)) * BEYOND + BEYOND_GAP
        reach = far if far < reach else reach
    polygon, px, py, pz, _ = _scan(mesh, x, y, z, reach, score)
    return polygon, px, py, pz


@inner()
def _cell_of(mesh: int, x: Scalar, z: Scalar) -> int:
    """The cell of a point, -1 outside the grid."""
    grid = memory.cell_grid(mesh)
    column, row = (x - grid[0]) * grid[2], (z - grid[1]) * grid[2]
    if not (ZERO <= column < grid[3] and ZERO <= row < MANY):
        return -1
    cell = int(row) * int(grid[3]) + int(column)
    return cell if cell + 1 < len(memory.cell_start(mesh)) else -1


@inner()
def _search_cell(mesh: int, cell: int, x: Scalar, y: Scalar, z: Scalar) -> tuple[int, Scalar, Scalar, Scalar, Scalar]:
    """Best of a cell's polygons, (polygon, point, score): those around the point first, then any that can beat them."""
    start, polygons, boxes = memory.cell_start(mesh), memory.cell_polygons(mesh), memory.box(mesh)
    first, end = start[cell], start[cell + 1]
    climb = memory.tile_size(mesh)[0, 7]
    best, chosen, place, bx, by, bz = FLT_MAX, -1, end, NAN, NAN, NAN
    closest, nearby = NEAR, -1
    for k in range(first, end):
        polygon = memory.index(polygons[k])
        b = boxes[polygon]
        bound = _bound(b, x, y, z, climb)
        if bound > NEAR:
            continue
        if not (b[0] - AROUND <= x <= b[3] + AROUND and b[2] - AROUND <= z <= b[5] + AROUND):
            if bound < closest:
                closest, nearby = bound, k
            continue
        score, px, py, pz = _score(mesh, polygon, x, y, z, climb)
        if score < best:
            best, chosen, place, bx, by, bz = score, polygon, k, px, py, pz
            if best == ZERO:
                return chosen, bx, by, bz, best
    if nearby >= 0 and closest <= best:
        chosen_first = memory.index(polygons[nearby])
        score, px, py, pz = _score(mesh, chosen_first, x, y, z, climb)
        if score < best or (score == best and nearby < place):
            best, chosen, place, bx, by, bz = score, chosen_first, nearby, px, py, pz
        for k in range(first, end):
            polygon = memory.index(polygons[k])
            b = boxes[polygon]
            if k == nearby or _bound(b, x, y, z, climb) > best:
                continue
            if b[0] - AROUND <= x <= b[3] + AROUND and b[2] - AROUND <= z <= b[5] + AROUND:
                continue
            score, px, py, pz = _score(mesh, polygon, x, y, z, climb)
            if score < best or (score == best and k < place):
                best, chosen, place, bx, by, bz = score, polygon, k, px, py, pz
    return chosen, bx, by, bz, best


@inner()
def nearest_polygon(mesh: int, x: Scalar, y: Scalar, z: Scalar) -> Found:
    """(polygon, point) that Habitat snaps to; (-1, NaN...) where there is none within (2, 4, 2) m."""
    cell = _cell_of(mesh, x, z)
    if cell >= 0:
        polygon, px, py, pz, score = _search_cell(mesh, cell, x, y, z)
        if score < NEAR:
            return polygon, px, py, pz
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        return -1, NAN, NAN, NAN
    return _walk_tree(mesh, x, y, z)
