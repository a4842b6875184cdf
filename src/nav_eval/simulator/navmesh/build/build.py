"""A navmesh from triangles: Recast's stages in Recast's order, with Habitat's parameters, to the bytes of a file.

How the settings become cells, the bounds, the single tile and its flags follow facebookresearch/habitat-sim,
src/esp/nav/PathFinder.cpp (MIT), so that a mesh built here is the mesh that Habitat builds: on the same float32
triangles the bytes are the same. What Habitat would crash on or never finish is refused here with a NavmeshError.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.errors import NavmeshError
from nav_eval.logging import get_logger
from nav_eval.simulator.navmesh.build.scalars import single
from nav_eval.simulator.navmesh.file import NavmeshParams, assemble
from nav_eval.simulator.navmesh.settings import NavmeshSettings

Positions = NDArray[np.float32]
Triangles = NDArray[np.int32]

MAX_SIDE = 0xFFFF
"""Cells along a side: vertices are stored as 16-bit cells."""
MAX_CELLS = 1 << 25
MAX_CLEARANCE = 0xFF
MAX_WORK = 4_000_000_000
"""Cells that all triangles cover together; about a minute of work."""
MAX_COUNT = 1 << 24
"""What settings come to in cells is cut to this: no grid that fits is larger."""
MAX_POLYGONS = 0x7FFE
MAX_VERTICES = 0xFFFE


@dataclass(frozen=True)
class Grid:
    """Settings in cells, as Habitat rounds them, and the bounds of the triangles in metres."""

    low: Positions
    high: Positions
    cell: float
    cell_height: float
    width: int
    depth: int
    height: int
    climb: int
    radius: int
    max_edge: int
    least_region: int
    small_region: int


def build_navmesh(positions: Positions, triangles: Triangles, settings: NavmeshSettings) -> bytes:
    """The bytes of a `.navmesh` file (version 2, one tile) for triangles (T, 3) of vertices (V, 3), metres, y up.

    Triangles with a vertex that is not finite are left out, with a warning. NavmeshError if there is nothing to walk
    on, an index is out of range, or the mesh does not fit one tile.
    """
    settings = settings.checked()
    positions, triangles = _clean(positions, triangles)
    grid = _grid(positions, settings)
    return _build(positions, triangles, settings, grid)


def _clean(positions: Positions, triangles: Triangles) -> tuple[Positions, Triangles]:
    """Contiguous float32 and int32 arrays without triangles that no grid can hold."""
    positions = np.ascontiguousarray(positions, np.float32)
    triangles = np.ascontiguousarray(triangles, np.int32)
    if positions.ndim != 2 or positions.shape[1:] != (3,) or triangles.ndim != 2 or triangles.shape[1:] != (3,):
        raise NavmeshError(
            f"navmesh input has shapes {positions.shape} and {triangles.shape}: "
            "give positions (V, 3) and triangles (T, 3)"
        )
    if len(triangles) == 0:
        raise NavmeshError("the mesh has no triangles: there is nothing to build a navmesh from")
    if triangles.min() < 0 or triangles.max() >= len(positions):
        raise NavmeshError(
            f"a triangle names vertex {triangles.min() if triangles.min() < 0 else triangles.max()} "
            f"of {len(positions)}: the mesh is broken, export it again"
        )
    if np.isfinite(_bounds(positions)).all():
        return positions, triangles
    finite = np.asarray(np.isfinite(positions).all(axis=1))
    usable = np.asarray(finite[triangles].all(axis=1))
    if not usable.any():
        raise NavmeshError("every triangle has a vertex that is NaN or infinite: the mesh is broken, export it again")
    get_logger(__name__).warning(
        "navmesh: left out %d of %d triangles, which have NaN or infinite vertices",
        np.count_nonzero(~usable),
        len(usable),
    )
    return np.where(finite[:, None], positions, positions[finite][0]), np.ascontiguousarray(triangles[usable])


def _bounds(positions: Positions) -> Positions:
    """(2, 3) the lowest and highest coordinates of all vertices, used or not, as Habitat takes them; NaN if any is."""
    return np.array([[column.min() for column in positions.T], [column.max() for column in positions.T]])


def _grid(positions: Positions, settings: NavmeshSettings) -> Grid:
    low, high = _bounds(positions)
    cell, height = single(settings.cell_size), single(settings.cell_height)
    sides = (high.astype(float) - low) / float(cell) + 0.5
    if max(sides[0], sides[2]) > MAX_SIDE or sides[0] * sides[2] > MAX_CELLS:
        raise NavmeshError(_too_large(positions, low, high, settings.cell_size))
    width, depth = (int((high[k] - low[k]) / cell + single(0.5)) for k in (0, 2))
    if width < 1 or depth < 1:
        raise NavmeshError(
            f"the mesh is {high[0] - low[0]:g} x {high[2] - low[2]:g} m, less than a cell of {cell:g} m: "
            "check its scale and up axis"
        )
    clearance = float(settings.agent_height) / float(height)
    if clearance > MAX_CLEARANCE:
        raise NavmeshError(
            f"agent_height is {clearance:.0f} cells of {height:g} m, the most is {MAX_CLEARANCE}: raise cell_height"
        )
    return Grid(
        low,
        high,
        cell,
        height,
        width,
        depth,
        height=_count(np.ceil(single(settings.agent_height) / height)),
        climb=_count(np.floor(single(settings.agent_max_climb) / height)),
        radius=_count(np.ceil(single(settings.agent_radius) / cell)),
        max_edge=_count(single(settings.edge_max_len) / cell),
        least_region=_count(single(min(settings.region_min_size, MAX_COUNT)) ** 2),
        small_region=_count(single(min(settings.region_merge_size, MAX_COUNT)) ** 2),
    )


def _count(cells: float) -> int:
    return int(min(cells, MAX_COUNT))


def _too_large(positions: Positions, low: Positions, high: Positions, cell: float) -> str:
    """What is wrong with a mesh that no grid can hold: its extent, and its farthest vertex."""
    middle = np.median(positions.astype(float), axis=0)
    farthest = positions[np.argmax(np.abs(positions - middle).max(axis=1))]
    where = ", ".join(f"{x:g}" for x in farthest)
    return (
        f"the mesh spans {float(high[0]) - low[0]:g} x {float(high[2]) - low[2]:g} m, too much for cells of "
        f"{cell:g} m; its farthest vertex is ({where}): remove what lies out there, or raise cell_size"
    )


def _build(positions: Positions, triangles: Triangles, settings: NavmeshSettings, grid: Grid) -> bytes:
    from nav_eval.simulator.navmesh.build import compact, contours, detail, holes, merging, polymesh, regions
    from nav_eval.simulator.navmesh.build.tile import PolygonMesh, tile_bytes

    first, spans = _heightfield(positions, triangles, settings, grid)
    start, level, area, near, column = compact.floors(first, spans, grid.width, grid.depth, grid.height, grid.climb)
    del first, spans
    compact.erode(area, near, grid.radius)
    distance, largest = regions.distance_field(area, near)
    region, ids = regions.watershed(area, near, distance, largest)
    del distance
    if ids < 0:
        raise NavmeshError(_too_fine("regions", regions.MAX_REGIONS))
    region = merging.merge_regions(region, start, area, near, ids, grid.least_region, grid.small_region)

    max_error = single(settings.edge_max_error)
    corners, table = contours.trace_contours(level, area, region, near, column, grid.width, max_error, grid.max_edge)
    corners, table = holes.merge_holes(corners, table)
    vertices, polygons, sizes, owners = polymesh.build_polygons(corners, table, int(settings.verts_per_poly))
    if len(sizes) == 0:
        raise NavmeshError(
            f"there is no floor for an agent of {settings.agent_height:g} m height and {settings.agent_radius:g} m "
            "radius: check the scene's scale, up axis and which way its triangles face, or lower region_min_size"
        )
    if len(sizes) > MAX_POLYGONS or len(vertices) > MAX_VERTICES:
        raise NavmeshError(_too_fine("polygons", MAX_POLYGONS))
    spacing = single(settings.detail_sample_dist)
    cells = np.array([grid.cell, single(1) / grid.cell, grid.cell_height])
    table, points, flagged = detail.build_detail(
        vertices,
        polygons,
        sizes,
        owners,
        start,
        level,
        region,
        near,
        column,
        grid.width,
        grid.depth,
        grid.low,
        cells,
        single(0) if spacing < single(0.9) else single(grid.cell * spacing),
        single(grid.cell_height * single(settings.detail_sample_max_error)),
        max(1, int(np.ceil(max_error))),
    )
    high = grid.high.copy()
    high[1] += single(grid.height) * grid.cell_height
    across = polymesh.neighbours(polygons, sizes)
    mesh = PolygonMesh(vertices, polygons, sizes, across, table, points, flagged, grid.low, high)
    x, y, z = (float(v) for v in grid.low)
    params = NavmeshParams((x, y, z), float(high[0] - grid.low[0]), float(high[2] - grid.low[2]), 1, len(sizes))
    first_ref = 1 << (len(sizes) - 1).bit_length()
    return assemble(settings, params, [tile_bytes(mesh, settings, first_ref)])


def _heightfield(
    positions: Positions, triangles: Triangles, settings: NavmeshSettings, grid: Grid
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    from nav_eval.simulator.navmesh.build import filters, raster

    steepest = raster.min_normal_y(settings.agent_max_slope)
    walkable, work, highest = raster.survey(positions, triangles, steepest, grid.cell)
    if work > MAX_WORK:
        raise NavmeshError(
            f"{len(triangles)} triangles cover {work:.2g} cells of {grid.cell:g} m, over {MAX_WORK:.0e}: "
            "raise cell_size, or simplify the mesh"
        )
    if highest - float(grid.low[1]) > raster.MAX_SPAN_HEIGHT * grid.cell_height:
        raise NavmeshError(
            f"there is floor at y = {highest:g} m, {highest - float(grid.low[1]):g} m above the lowest vertex, over "
            f"{raster.MAX_SPAN_HEIGHT} cells of {grid.cell_height:g} m: remove what lies that low or high, or raise "
            "cell_height"
        )
    first, spans = raster.rasterize(
        positions,
        triangles,
        walkable,
        grid.low,
        grid.high,
        grid.width,
        grid.depth,
        grid.cell,
        grid.cell_height,
        grid.climb,
    )
    if settings.filter_low_hanging_obstacles:
        filters.allow_low_obstacles(first, spans, grid.climb)
    if settings.filter_ledge_spans:
        filters.remove_ledges(first, spans, grid.width, grid.depth, grid.height, grid.climb)
    if settings.filter_walkable_low_height_spans:
        filters.remove_low_ceilings(first, spans, grid.height)
    return first, spans


def _too_fine(what: str, most: int) -> str:
    return (
        f"the navmesh would have more than {most} {what}, the most that one tile holds: "
        "raise cell_size, region_min_size or edge_max_error, or build the scene in parts"
    )
