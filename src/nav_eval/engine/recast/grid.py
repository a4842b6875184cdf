"""The voxel grid of a build: settings in cells, bounds in metres, and refusals of what no grid can hold.

The roundings are Habitat's (facebookresearch/habitat-sim, src/esp/nav/PathFinder.cpp, MIT), in float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast.scalars import single
from nav_eval.errors import NavmeshError
from nav_eval.logging import get_logger

Positions = NDArray[np.float32]
"""(V, 3), a single one (3,): metres, world frame (y up)."""
Triangles = NDArray[np.int32]
"""(T, 3) numbers of vertices."""
Mask = NDArray[np.bool_]
"""(T,) or (V,) which of them."""

MAX_SIDE = 0xFFFF
"""Cells along a side: vertices are stored as 16-bit cells."""
MAX_CELLS = 1 << 25
MAX_CLEARANCE = 0xFF
MAX_COUNT = 1 << 24
"""What settings come to in cells is cut to this: no grid that fits is larger."""


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


def clean(positions: Positions, triangles: Triangles) -> tuple[Positions, Triangles, Mask]:
    """Contiguous float32 and int32 arrays without triangles that are not finite, and which are kept.

    (V, 3) metres and (T, 3). NavmeshError if none is left.
    """
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
        return positions, triangles, np.ones(len(triangles), bool)
    finite = np.asarray(np.isfinite(positions).all(axis=1))
    usable = np.asarray(finite[triangles].all(axis=1))
    if not usable.any():
        raise NavmeshError("every triangle has a vertex that is NaN or infinite: the mesh is broken, export it again")
    get_logger(__name__).warning(
        "navmesh: left out %d of %d triangles, which have NaN or infinite vertices",
        np.count_nonzero(~usable),
        len(usable),
    )
    positions = np.where(finite[:, None], positions, positions[finite][0])
    return positions, np.ascontiguousarray(triangles[usable]), usable


def _bounds(positions: Positions) -> Positions:
    """(2, 3) the lowest and highest coordinates of all vertices, used or not, as Habitat takes them; NaN if any is."""
    return np.array([[column.min() for column in positions.T], [column.max() for column in positions.T]])


def fit_grid(positions: Positions, settings: NavmeshSettings) -> Grid:
    """The grid around all vertices (V, 3), metres, y up; NavmeshError if it is too large, too small or too fine."""
    low, high = _bounds(positions)
    cell, height = single(settings.cell_size), single(settings.cell_height)
    sides = (high.astype(float) - low) / float(cell) + 0.5
    if max(sides[0], sides[2]) > MAX_SIDE or sides[0] * sides[2] > MAX_CELLS:
        raise NavmeshError(_too_large(positions, low, high, settings.cell_size))
    width, depth = (int((high[k] - low[k]) / cell + single(0.5)) for k in (0, 2))
    if width < 1 or depth < 1:
        raise NavmeshError(
            f"the mesh is {high[0] - low[0]:g} x {high[2] - low[2]:g} m, less than a cell of {cell:g} m: "
            "check simulator.scale and simulator.up (--scale, --up)"
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
        f"{cell:g} m; its farthest vertex is ({where}): remove what lies out there, give "
        "the file's unit as simulator.scale (--scale), such as 0.001, or raise cell_size"
    )
