"""A polygon mesh with its detail mesh as the bytes of one Detour tile.

Re-implements Detour 1.6.0's tile builder (DetourNavMeshBuilder.cpp, zlib licence, Mikko Mononen) for one tile
without off-mesh connections, and what Habitat does to it before saving (facebookresearch/habitat-sim,
src/esp/nav/PathFinder.cpp, MIT): the links are in place and polygons without area are disabled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.navmesh.file import BV_NODE, DETAIL, LINK, MESH_HEADER, POLY, TILE_MAGIC, TILE_VERSION
from nav_eval.engine.navmesh.settings import NavmeshSettings

Longs = NDArray[np.int64]

NO_LINK = 0xFFFFFFFF
INTERNAL = 0xFF
WALK, DISABLED = 1, 4
MIN_AREA = 1e-5


@dataclass(frozen=True)
class PolygonMesh:
    """What the build stages hand over.

    vertices (V, 3) int64 cells; polygons (P, n) int64, -1 past the last; sizes (P,); across (P, n) neighbour or -1;
    table (P, 4), points (N, 3) float32 metres, triangles (T, 4) uint8: the detail mesh (see detail.build_detail);
    low, high (3,) float32: the bounds, metres.
    """

    vertices: Longs
    polygons: Longs
    sizes: Longs
    across: Longs
    table: Longs
    points: NDArray[np.float32]
    triangles: NDArray[np.uint8]
    low: NDArray[np.float32]
    high: NDArray[np.float32]


def tile_bytes(mesh: PolygonMesh, settings: NavmeshSettings, first_ref: int) -> bytes:
    """The tile's data; `first_ref` is Detour's reference of its first polygon."""
    cell, height = np.float32(settings.cell_size), np.float32(settings.cell_height)
    vertices = mesh.low + mesh.vertices.astype(np.float32) * np.array([cell, height, cell])
    details, extra = _details(mesh)
    polys = _polys(mesh)
    links = _links(mesh, polys, first_ref)
    polys["flags"] = np.where(_areas(mesh) < MIN_AREA, DISABLED, WALK)
    nodes = _bounding_volumes(mesh, np.float32(1) / cell)
    header = _header(mesh, settings, len(links), len(extra))
    parts = (header, vertices.astype("<f4"), polys, links, details, extra, mesh.triangles, nodes)
    return b"".join(part.tobytes() for part in parts)


def _header(mesh: PolygonMesh, settings: NavmeshSettings, links: int, extra: int) -> NDArray[np.void]:
    header = np.zeros((), MESH_HEADER)
    count = len(mesh.sizes)
    header["magic"], header["version"] = TILE_MAGIC, TILE_VERSION
    header["polys"], header["verts"], header["links"] = count, len(mesh.vertices), links
    header["details"], header["detail_verts"], header["detail_tris"] = count, extra, len(mesh.triangles)
    header["bv_nodes"], header["off_mesh_base"] = 2 * count, count
    header["walkable_height"] = settings.agent_height
    header["walkable_radius"] = settings.agent_radius
    header["walkable_climb"] = settings.agent_max_climb
    header["bmin"], header["bmax"] = mesh.low, mesh.high
    header["bv_quant_factor"] = np.float32(1) / np.float32(settings.cell_size)
    return header


def _polys(mesh: PolygonMesh) -> NDArray[np.void]:
    polys = np.zeros(len(mesh.sizes), POLY)
    width = mesh.polygons.shape[1]
    polys["verts"][:, :width] = np.maximum(mesh.polygons, 0)
    polys["neis"][:, :width] = mesh.across + 1
    polys["count"] = mesh.sizes
    return polys


def _links(mesh: PolygonMesh, polys: NDArray[np.void], first_ref: int) -> NDArray[np.void]:
    """One link for each inner edge, taken in turn from a list with room for every edge; sets polys.first_link.

    A polygon's chain runs from its first edge to its last, so it is filled from the end.
    """
    links = np.zeros(int(mesh.sizes.sum()), LINK)
    links["next"] = np.arange(1, len(links) + 1)
    links["next"][-1:] = NO_LINK
    polygon, edge = np.nonzero(mesh.across[:, ::-1] >= 0)
    edge = mesh.across.shape[1] - 1 - edge
    used = links[: len(edge)]
    used["ref"] = first_ref | mesh.across[polygon, edge]
    used["edge"], used["side"] = edge, INTERNAL
    starts = np.diff(polygon, prepend=-1) != 0
    used["next"] = np.where(starts, NO_LINK, np.arange(len(edge)) - 1)
    polys["first_link"] = NO_LINK
    polys["first_link"][polygon] = np.arange(len(edge))
    return links


def _details(mesh: PolygonMesh) -> tuple[NDArray[np.void], NDArray[np.float32]]:
    """Detail meshes without the points that are polygon corners, and the points that are left."""
    own = mesh.table[:, 1] - mesh.sizes
    details = np.zeros(len(own), DETAIL)
    details["vert_base"] = np.cumsum(own) - own
    details["tri_base"] = mesh.table[:, 2]
    details["verts"], details["tris"] = own, mesh.table[:, 3]
    owner = np.repeat(np.arange(len(own)), mesh.table[:, 1])
    rank = np.arange(len(mesh.points)) - mesh.table[owner, 0]
    return details, mesh.points[rank >= mesh.sizes[owner]]


def _areas(mesh: PolygonMesh) -> NDArray[np.float32]:
    """(P,) square metres of each polygon's detail triangles."""
    owner = np.repeat(np.arange(len(mesh.sizes)), mesh.table[:, 3])
    a, b, c = (mesh.points[mesh.table[owner, 0] + mesh.triangles[:, k]].astype(float) for k in range(3))
    doubled = np.linalg.norm(np.cross(b - a, c - b), axis=1)
    return np.bincount(owner, doubled / 2, len(mesh.sizes)).astype(np.float32)


def _bounding_volumes(mesh: PolygonMesh, quantum: np.float32) -> NDArray[np.void]:
    """2 P nodes, the last one unused: a box tree in depth-first order, halved along the longest side.

    A negative index is how many nodes to skip when a box is missed. Equal boxes keep their order (a stable sort).
    """
    low = np.minimum.reduceat(mesh.points, mesh.table[:, 0])
    high = np.maximum.reduceat(mesh.points, mesh.table[:, 0])
    boxes = [((x - mesh.low) * quantum).astype(np.int64).clip(0, 0xFFFF) for x in (low, high)]
    nodes = np.zeros(2 * len(low), BV_NODE)
    used = 0

    def subdivide(items: NDArray[Any]) -> None:
        nonlocal used
        node = used
        used += 1
        nodes["bmin"][node] = corner = boxes[0][items].min(axis=0)
        nodes["bmax"][node] = opposite = boxes[1][items].max(axis=0)
        if len(items) == 1:
            nodes["index"][node] = items[0]
            return
        axis = int(np.argmax(opposite - corner))
        items = items[np.argsort(boxes[0][items, axis], kind="stable")]
        subdivide(items[: len(items) // 2])
        subdivide(items[len(items) // 2 :])
        nodes["index"][node] = node - used

    subdivide(np.arange(len(low)))
    return nodes
