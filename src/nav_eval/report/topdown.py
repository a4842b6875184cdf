"""Top-down maps of a building, one per storey, for every simulator: from its navmesh, its graph, or by asking it.

A grid map is Habitat's (NavMesh.topdown): rows along z, columns along x, true where an agent can stand within 0.5 m of
the storey's height; `stairs` are the further cells within REACH. Lengths in metres.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.core.capabilities import HasGraph, HasNavmesh, HasScene
from nav_eval.core.interfaces import Simulator
from nav_eval.dataset.connectivity import NavigationGraph
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.scene.scene import Scene
from nav_eval.geometry import Vec3
from nav_eval.report.plan import FLOOR_DELTA, Plan, storey_plan
from nav_eval.report.storeys import REACH, find_storeys
from nav_eval.report.track import centimetres, deltas

Bits = npt.NDArray[np.bool_]

RESOLUTIONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
MAX_CELLS = 400
PROBE = 0.25
MAX_PROBES = 4000


@dataclass(frozen=True, slots=True)
class GridMap:
    """One storey. `origin`: x and z (m) of the first cell's corner; `floor`, `stairs`: (rows, columns) cells.

    `plan`: what is drawn where more is known than cells.
    """

    height: float
    origin: tuple[float, float]
    meters_per_pixel: float
    floor: Bits
    stairs: Bits
    plan: Plan | None = None

    def to_record(self) -> dict[str, Any]:
        rows, columns = self.floor.shape
        return {
            "kind": "grid",
            "height": round(self.height, 3),
            "origin": self.origin,
            "cell": self.meters_per_pixel,
            "rows": rows,
            "columns": columns,
            "floor": _pack(self.floor),
            "stairs": _pack(self.stairs) if self.stairs.any() else None,
            "plan": None if self.plan is None else self.plan.to_record(),
        }


@dataclass(frozen=True, slots=True)
class GraphMap:
    """One storey of a navigation graph: node positions (N, 3) cm and edges between them (pairs of indices)."""

    height: float
    nodes: npt.NDArray[np.int32]
    edges: tuple[tuple[int, int], ...]

    def to_record(self) -> dict[str, Any]:
        return {
            "kind": "graph",
            "height": round(self.height, 3),
            "nodes": deltas(self.nodes),
            "edges": [end for edge in self.edges for end in edge],
        }


@dataclass(frozen=True, slots=True)
class EmptyMap:
    """A storey of which nothing is known but its height."""

    height: float

    def to_record(self) -> dict[str, Any]:
        return {"kind": "none", "height": round(self.height, 3)}


Map = GridMap | GraphMap | EmptyMap


def _pack(bits: Bits) -> str:
    """Rows one after the other, eight cells to a byte, the first in the highest bit; base64."""
    return base64.b64encode(np.packbits(bits).tobytes()).decode()


def scene_maps(session: Simulator, visited: Iterable[Vec3]) -> list[Map]:
    """Maps of the scene that `session` stands in, lowest storey first; `visited`: where agents have been."""
    if isinstance(session, HasGraph):
        return [*graph_maps(session.graph())]
    if isinstance(session, HasNavmesh):
        scene = session.scene() if isinstance(session, HasScene) else None
        return [*navmesh_maps(session.navmesh(), scene=scene)]
    return [*probed_maps(session, visited)]


def graph_maps(graph: NavigationGraph) -> list[GraphMap]:
    """An edge between storeys (stairs) is drawn on both."""
    names = graph.nodes
    index = {name: i for i, name in enumerate(names)}
    positions = np.array([graph.positions[name] for name in names], np.float64).reshape(-1, 3)
    edges = [(index[a], index[b]) for a in names for b in graph.neighbours[a] if index[a] < index[b]]
    levels = find_storeys(positions[:, 1])
    own = np.abs(positions[:, 1, None] - np.array(levels)[None]).argmin(axis=1) if levels else np.zeros(0, int)
    return [_graph_storey(level, k, positions, edges, own) for k, level in enumerate(levels)]


def _graph_storey(
    level: float, k: int, positions: npt.NDArray[np.float64], edges: Sequence[tuple[int, int]], own: npt.NDArray[Any]
) -> GraphMap:
    kept = [edge for edge in edges if own[edge[0]] == k or own[edge[1]] == k]
    used = sorted({end for edge in kept for end in edge} | set(np.flatnonzero(own == k).tolist()))
    place = {old: new for new, old in enumerate(used)}
    return GraphMap(level, centimetres(positions[used]), tuple((place[a], place[b]) for a, b in kept))


def navmesh_storeys(navmesh: NavMesh) -> list[float]:
    """Storeys from the triangles that can be walked on, by area."""
    layout = navmesh.layout
    triangles = layout.triangles[np.repeat(layout.walkable == 1, np.diff(layout.triangle_start))].astype(np.float64)
    areas = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1) / 2
    return find_storeys(triangles[:, :, 1].mean(axis=1), areas)


def navmesh_maps(navmesh: NavMesh, meters_per_pixel: float | None = None, scene: Scene | None = None) -> list[GridMap]:
    """A map per storey; the resolution is chosen so that a side has at most 400 cells."""
    low, high = (corner.tolist() for corner in navmesh.bounds)
    side = max(high[0] - low[0], high[2] - low[2])
    cell = meters_per_pixel or next((r for r in RESOLUTIONS if side / r <= MAX_CELLS), side / MAX_CELLS)
    maps = []
    for level in navmesh_storeys(navmesh):
        floor = navmesh.topdown(cell, level, FLOOR_DELTA)
        stairs = navmesh.topdown(cell, level, REACH) & ~floor
        plan = storey_plan(navmesh, level, scene)
        maps.append(GridMap(level, (low[0], low[2]), cell, floor, stairs, plan))
    return maps


def probed_maps(session: Simulator, visited: Iterable[Vec3]) -> list[Map]:
    """For a simulator that shows no geometry: ask it about points around where agents walked."""
    points = np.array(list(visited), np.float64).reshape(-1, 3)
    if not len(points):
        return []
    levels = find_storeys(points[:, 1])
    low, high = points.min(axis=0)[[0, 2]] - 1, points.max(axis=0)[[0, 2]] + 1
    columns, rows = np.ceil((high - low) / PROBE).astype(int).tolist()
    if rows * columns * len(levels) > MAX_PROBES:
        return [EmptyMap(level) for level in levels]
    grids = ((level, _probe(session, low, level, (rows, columns))) for level in levels)
    origin = (float(low[0]), float(low[1]))
    return [GridMap(level, origin, PROBE, floor, np.zeros_like(floor)) for level, floor in grids]


def _probe(session: Simulator, low: npt.NDArray[np.float64], level: float, shape: tuple[int, int]) -> Bits:
    floor = np.zeros(shape, np.bool_)
    for row, column in np.ndindex(shape):
        x, z = low + (np.array([column, row]) + 0.5) * PROBE
        floor[row, column] = session.is_navigable((float(x), level, float(z)))
    return floor
