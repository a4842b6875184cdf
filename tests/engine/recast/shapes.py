"""Simple scenes as triangles, and what a navmesh file says about itself, without the product's queries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from nav_eval.engine.navmesh.file import parse_navmesh

Mesh = tuple[NDArray[np.float32], NDArray[np.int32]]


def rectangle(x0: float, x1: float, z0: float, z1: float, y: float = 0.0, rise: float = 0.0) -> Mesh:
    """A floor facing up, `rise` metres higher at x1 than at x0."""
    points = [[x0, y, z0], [x1, y + rise, z0], [x1, y + rise, z1], [x0, y, z1]]
    return np.array(points, np.float32), np.array([[0, 2, 1], [0, 3, 2]], np.int32)


def box(x0: float, x1: float, y0: float, y1: float, z0: float, z1: float) -> Mesh:
    """A closed box whose faces look outwards."""
    points = [[x, y, z] for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)]
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])]
    return np.array(points, np.float32), np.array(triangles, np.int32)


def join(*meshes: Mesh) -> Mesh:
    """All triangles in one mesh."""
    offsets = np.cumsum([0] + [len(p) for p, _ in meshes])
    triangles = [t + offset for (_, t), offset in zip(meshes, offsets)]
    return np.concatenate([p for p, _ in meshes]), np.concatenate(triangles).astype(np.int32)


class Summary:
    """Area in square metres seen from above, islands and vertices of a one-tile navmesh file."""

    def __init__(self, data: bytes) -> None:
        (tile,) = parse_navmesh(data).tiles
        polys = tile.sections["polys"]
        self.vertices = tile.sections["verts"]
        self.rings = [self.vertices[p["verts"][: p["count"]]] for p in polys]
        self.areas = np.array([plan_area(ring[:, [0, 2]]) for ring in self.rings])
        self.area = float(self.areas.sum())
        owner, edge = np.nonzero(polys["neis"])
        other = polys["neis"][owner, edge].astype(int) - 1
        graph = coo_matrix((np.ones(len(owner)), (owner, other)), (len(polys), len(polys)))
        self.islands, self.island_of = connected_components(graph, directed=False)


def plan_area(ring: NDArray[Any]) -> float:
    """Area of a polygon (N, 2), by the shoelace formula."""
    x, z = ring.astype(float).T
    return abs(float(x @ np.roll(z, -1) - z @ np.roll(x, -1))) / 2
