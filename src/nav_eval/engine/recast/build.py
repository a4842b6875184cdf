"""A navmesh from triangles: Recast's stages in Recast's order, with Habitat's parameters, to the bytes of a file.

The order of the stages, the single tile and its flags follow facebookresearch/habitat-sim,
src/esp/nav/PathFinder.cpp (MIT), so that a mesh built here is the mesh that Habitat builds: on the same float32
triangles the bytes are the same. What Habitat would crash on or never finish is refused here with a NavmeshError.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.navmesh.file import NavmeshParams, assemble
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast.grid import Grid, Mask, Positions, Triangles, clean, fit_grid
from nav_eval.engine.recast.scalars import single
from nav_eval.engine.recast.tile import PolygonMesh, tile_bytes
from nav_eval.errors import NavmeshError

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

MAX_WORK = 4_000_000_000
"""Cells that all triangles cover together; about a minute of work."""
FINE = 0.025
"""Highest cell where floors and obstacles are told apart, metres: half a cell's side, so that shoes are obstacles."""
MAX_POLYGONS = 0x7FFE
MAX_VERTICES = 0xFFFE


@dataclass(frozen=True)
class Floors:
    """Walkable cells, their neighbours and regions; see compact.py for the arrays."""

    start: Ints
    level: Ints
    area: NDArray[np.uint8]
    near: Ints
    column: Ints
    region: Ints


@dataclass(frozen=True)
class Polygons:
    """vertices (V, 3) cells, polygons (P, n), sizes (P,), the region of each polygon (P,); see polymesh.py."""

    vertices: Longs
    polygons: Longs
    sizes: Longs
    regions: Longs


def build_navmesh(
    positions: Positions, triangles: Triangles, settings: NavmeshSettings, walked: Mask | None = None
) -> bytes:
    """The bytes of a `.navmesh` file (version 2, one tile) for triangles (T, 3) of vertices (V, 3), metres, y up.

    walked (T,): the triangles that are walked on, where that is known. Heights are counted in cells of FINE or less
    then, and all others are obstacles, however level, where they rise more than a cell. Without it any level surface is
    a floor, as in Habitat.
    Triangles with a vertex that is not finite are left out, with a warning. NavmeshError if there is nothing to walk
    on, an index is out of range, or the mesh does not fit one tile.
    """
    settings = settings.checked()
    positions, triangles, kept = clean(positions, triangles)
    first_obstacle = len(triangles)
    if walked is not None:
        settings = replace(settings, cell_height=min(settings.cell_height, FINE), filter_low_hanging_obstacles=False)
        triangles = np.concatenate([triangles[walked[kept]], triangles[~walked[kept]]])
        first_obstacle = int(walked[kept].sum())
    grid = fit_grid(positions, settings)
    floors = _floors(positions, triangles, first_obstacle, settings, grid)
    polygons = _polygons(floors, settings, grid)
    mesh = _with_details(polygons, floors, settings, grid)
    x, y, z = (float(v) for v in mesh.low)
    width, _, depth = (float(v) for v in mesh.high - mesh.low)
    count = len(mesh.sizes)
    first_ref = 1 << (count - 1).bit_length()
    params = NavmeshParams((x, y, z), width, depth, 1, count)
    return assemble(settings, params, [tile_bytes(mesh, settings, first_ref)])


def _floors(
    positions: Positions, triangles: Triangles, first_obstacle: int, settings: NavmeshSettings, grid: Grid
) -> Floors:
    """Voxels, walkable cells, erosion by the agent's radius, regions."""
    from nav_eval.engine.recast import compact, merging, regions

    first, spans = _heightfield(positions, triangles, first_obstacle, settings, grid)
    start, level, area, near, column = compact.floors(first, spans, grid.width, grid.depth, grid.height, grid.climb)
    del first, spans
    compact.erode(area, near, grid.radius)
    distance, largest = regions.distance_field(area, near)
    region, ids = regions.watershed(area, near, distance, largest)
    if ids < 0:
        raise NavmeshError(_too_fine("regions", regions.MAX_REGIONS))
    region = merging.merge_regions(region, start, area, near, ids, grid.least_region, grid.small_region)
    return Floors(start, level, area, near, column, region)


def _heightfield(
    positions: Positions, triangles: Triangles, first_obstacle: int, settings: NavmeshSettings, grid: Grid
) -> tuple[Ints, Ints]:
    """(first, spans) of raster.py after the filters that the settings ask for."""
    from nav_eval.engine.recast import filters, raster

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
    walkable[first_obstacle:] = 0
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
        first_obstacle,
    )
    if settings.filter_low_hanging_obstacles:
        filters.allow_low_obstacles(first, spans, grid.climb)
    if settings.filter_ledge_spans:
        filters.remove_ledges(first, spans, grid.width, grid.depth, grid.height, grid.climb)
    if settings.filter_walkable_low_height_spans:
        filters.remove_low_ceilings(first, spans, grid.height)
    return first, spans


def _polygons(floors: Floors, settings: NavmeshSettings, grid: Grid) -> Polygons:
    """Contours of the regions, holes joined, cut into convex polygons."""
    from nav_eval.engine.recast import contours, holes, polymesh

    corners, table = contours.trace_contours(
        floors.level,
        floors.area,
        floors.region,
        floors.near,
        floors.column,
        grid.width,
        single(settings.edge_max_error),
        grid.max_edge,
    )
    corners, table = holes.merge_holes(corners, table)
    found = Polygons(*polymesh.build_polygons(corners, table, int(settings.verts_per_poly)))
    if len(found.sizes) == 0:
        raise NavmeshError(
            f"there is no floor for an agent of {settings.agent_height:g} m height and {settings.agent_radius:g} m "
            "radius: check simulator.scale, simulator.up (--scale, --up) and which way its triangles face"
        )
    if len(found.sizes) > MAX_POLYGONS or len(found.vertices) > MAX_VERTICES:
        raise NavmeshError(_too_fine("polygons", MAX_POLYGONS))
    return found


def _with_details(found: Polygons, floors: Floors, settings: NavmeshSettings, grid: Grid) -> PolygonMesh:
    """The polygons with their neighbours and floor heights; bounds as Habitat stores them."""
    from nav_eval.engine.recast import detail, polymesh

    spacing = single(settings.detail_sample_dist)
    table, points, triangles = detail.build_detail(
        found.vertices,
        found.polygons,
        found.sizes,
        found.regions,
        floors.start,
        floors.level,
        floors.region,
        floors.near,
        floors.column,
        grid.width,
        grid.depth,
        grid.low,
        np.array([grid.cell, single(1) / grid.cell, grid.cell_height], np.float32),
        single(0) if spacing < single(0.9) else single(grid.cell * spacing),
        single(grid.cell_height * single(settings.detail_sample_max_error)),
        max(1, int(np.ceil(single(settings.edge_max_error)))),
    )
    high = grid.high.copy()
    high[1] += single(grid.height) * grid.cell_height
    across = polymesh.neighbours(found.polygons, found.sizes)
    return PolygonMesh(found.vertices, found.polygons, found.sizes, across, table, points, triangles, grid.low, high)


def _too_fine(what: str, most: int) -> str:
    return (
        f"the navmesh would have more than {most} {what}, the most that one tile holds: "
        "raise cell_size, region_min_size or edge_max_error, or build the scene in parts"
    )


def warm() -> None:
    """Compile every kernel of the builder, or read it from the cache, by building a small floor and joining a hole."""
    from nav_eval.engine.recast import holes

    positions = np.array([[0, 0, 0], [5, 0, 0], [5, 0, 5], [0, 0, 5]], np.float32)
    build_navmesh(positions, np.array([[0, 2, 1], [0, 3, 2]], np.int32), NavmeshSettings())
    outline = [[0, 0, 0, 0], [0, 0, 9, 0], [9, 0, 9, 0], [9, 0, 0, 0]]
    hole = [[3, 0, 3, 0], [6, 0, 3, 0], [6, 0, 6, 0], [3, 0, 6, 0]]
    holes.merge_holes(np.array(outline + hole), np.array([[0, 4, 1], [4, 4, 1]]))
