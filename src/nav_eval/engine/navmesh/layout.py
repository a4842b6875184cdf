"""Flat arrays that the kernels read, made once from a file's tiles.

Vertices are copied to each polygon, portals, their midpoints, detail triangles and borders are written out, so that
a query reads memory in order and decides nothing twice. What a polygon may do is decided here as Habitat's
PathFinder does on loading (facebookresearch/habitat-sim, src/esp/nav/PathFinder.cpp, MIT): islands first, over
links between polygons with the walk flag, then polygons of less than 1e-5 m2 are shut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh.file import EXTERNAL_LINK, OFF_MESH_POLYGON, NavmeshFile, Tile
from nav_eval.engine.navmesh.links import INTERNAL, Link, build_links

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

WALK_FLAG = 1
MIN_AREA = np.float32(1e-5)
WALL, EXTERNAL = -1, -2
BOUNDARY_EDGE = 1
CELL_REACH = 1.0
MAX_CELLS = 250_000
MAX_CELL_ENTRIES = 8_000_000
"""More come from polygons that all cover everything: a damaged mesh, which the tree serves as well."""
MAX_CLIMB = 2.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Arrays over P polygons, L links, T detail triangles, B tree nodes, G tiles; lengths in metres, float32."""

    corners: Floats  # (P, 6, 3) vertices, padded by the last one
    counts: Ints  # (P,) vertices in use
    walkable: Ints  # (P,) 1 where an agent may be
    island: Ints  # (P,)
    edges: Ints  # (P, 6) polygon behind an edge, WALL, or EXTERNAL: see the links
    box: Floats  # (P, 6) bounds of corners and detail vertices, least then most
    flat_box: Floats  # (P, 6) bounds of the corners alone
    link_start: Ints  # (P + 1,)
    link_to: Ints  # (L,)
    link_node: Ints  # (L,) search node entered: polygon * states + side
    link_edge: Ints  # (L,)
    link_side: Ints  # (L,) 0xff inside a tile
    link_span: Ints  # (L, 2) open part of the edge in 255ths
    portal: Floats  # (L, 2, 3) left and right end of the first link to the same neighbour
    middle: Floats  # (L, 3) its midpoint
    triangle_start: Ints  # (P + 1,)
    triangles: Floats  # (T, 3, 3) detail triangles
    rim_start: Ints  # (P + 1,)
    rims: Floats  # (R, 2, 3) detail edges on the polygon's border, in Detour's order
    seam_start: Ints  # (P + 1,)
    seams: Floats  # (S, 2, 3) each detail edge once, in Detour's order
    tree: Ints  # (B, 7) quantised bounds, then the polygon of a leaf, else minus the nodes to skip
    tile_place: Ints  # (G, 6) x, y, first tree node, one past the last, first polygon, one past the last
    tile_size: Floats  # (G, 8) least, most, quantisation factor, walkable climb
    grid: Floats  # (4,) origin x, z and tile width, depth
    cell_start: Ints  # (C + 1,) of the cells, row by row; none where the short cut does not hold
    cell_polygons: Ints  # walkable polygons within CELL_REACH of a cell, in the tree's order
    cell_grid: Floats  # (4,) origin x, z; cells per metre; columns
    areas: Floats  # (P,) of the detail mesh, m2
    states: int  # search nodes per polygon: 4 where a path may enter across a tile's side


def build_layout(file: NavmeshFile) -> Layout:
    """The arrays of a checked file; polygons and islands are numbered through the tiles, in file order."""
    tiles = file.tiles
    polys = [tile.sections["polys"] for tile in tiles]
    links = build_links(tiles)
    flags = np.concatenate([p["flags"] & WALK_FLAG for p in polys]) if polys else np.zeros(0, np.uint16)
    ground = np.concatenate([p["area"] >> 6 != OFF_MESH_POLYGON for p in polys]) if polys else flags == 1
    walkable = (flags == 1) & ground
    corners = _stack([_corners(tile) for tile in tiles], (6, 3))
    counts = _ints([p["count"] for p in polys])
    details = [part for tile in tiles for part in _details(tile)]
    areas = np.array([_area(d.triangles) for d in details], np.float32)
    island = _islands(links, walkable)
    shut = areas < MIN_AREA
    triangles = _ragged([d.triangles for d in details], (3, 3))
    rims = _ragged([d.rims for d in details], (2, 3))
    seams = _ragged([d.seams for d in details], (2, 3))
    box = _boxes([np.concatenate([c[:n], d.vertices]) for c, n, d in zip(corners, counts, details)])
    tile_arrays = _tile_arrays(tiles)
    states = 4 if any(link.side != INTERNAL for found in links for link in found) else 1
    return Layout(
        corners=corners,
        counts=counts,
        walkable=(walkable & ~shut).astype(np.int32),
        island=island,
        edges=_edges(tiles, walkable & ~shut),
        box=box,
        flat_box=_boxes([c[:n] for c, n in zip(corners, counts)]),
        **_link_arrays(links, corners, counts, states),
        triangle_start=triangles[0],
        triangles=triangles[1],
        rim_start=rims[0],
        rims=rims[1],
        seam_start=seams[0],
        seams=seams[1],
        **tile_arrays,
        **_cells(box, walkable & ~shut, tile_arrays),
        grid=np.array(
            [file.params.origin[0], file.params.origin[2], file.params.tile_width, file.params.tile_depth], np.float32
        ),
        areas=areas,
        states=states,
    )


@dataclass(frozen=True, slots=True)
class _Detail:
    vertices: Floats
    triangles: Floats
    rims: Floats
    seams: Floats


def _corners(tile: Tile) -> Floats:
    polys, verts = tile.sections["polys"], tile.sections["verts"]
    last = np.maximum(polys["count"].astype(int) - 1, 0)
    slot = np.minimum(np.arange(6), last[:, None])
    index = np.take_along_axis(polys["verts"].astype(int), slot, axis=1)
    found: Floats = verts[index] if len(verts) else np.zeros((len(polys), 6, 3), np.float32)
    return found


def _details(tile: Tile) -> Iterator[_Detail]:
    parts = tile.sections
    corners = _corners(tile)
    none = np.zeros((0, 3), np.float32)
    for index, poly in enumerate(parts["polys"]):
        if poly["area"] >> 6 == OFF_MESH_POLYGON or index >= len(parts["details"]):
            yield _Detail(none, none.reshape(0, 3, 3), none.reshape(0, 2, 3), none.reshape(0, 2, 3))
            continue
        detail = parts["details"][index]
        first, base = int(detail["tri_base"]), int(detail["vert_base"])
        extra = parts["detail_verts"][base : base + int(detail["verts"])]
        vertices = np.concatenate([corners[index, : poly["count"]], extra])
        tris = parts["detail_tris"][first : first + int(detail["tris"])].astype(int)
        rims, seams = _detail_edges(tris)
        yield _Detail(extra, vertices[tris[:, :3]], vertices[rims], vertices[seams])


def _detail_edges(tris: npt.NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Vertex pairs of the border edges, and of all edges once, per triangle in the order (2,0), (0,1), (1,2)."""
    start, end = np.array([2, 0, 1]), np.array([0, 1, 2])
    pairs = np.stack([tris[:, start], tris[:, end]], axis=-1)
    border = (tris[:, 3:4] >> (2 * start)) & BOUNDARY_EDGE == 1
    once = border | ~(pairs[..., 0] < pairs[..., 1])
    return pairs[border].astype(np.int32), pairs[once].astype(np.int32)


def _area(triangles: Floats) -> np.float32:
    total = np.float32(0)
    for a, b, c in triangles:
        u, v = b - a, c - b
        cross = np.array([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
        total += np.float32(0.5) * np.sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2])
    return total


def _islands(links: Sequence[Sequence[Link]], walkable: npt.NDArray[np.bool_]) -> Ints:
    """Island of each polygon: depth first from each polygon not yet seen, walkable or not, as Habitat does."""
    island = np.full(len(links), -1, np.int32)
    number = 0
    for seed in range(len(links)):
        if island[seed] >= 0:
            continue
        island[seed], stack = number, [seed]
        while stack:
            for link in links[stack.pop()]:
                if island[link.to] < 0 and walkable[link.to]:
                    island[link.to] = number
                    stack.append(link.to)
        number += 1
    return island


def _edges(tiles: Sequence[Tile], walkable: npt.NDArray[np.bool_]) -> Ints:
    base, rows = 0, []
    for tile in tiles:
        neis = tile.sections["polys"]["neis"].astype(np.int32)
        inside = (neis > 0) & (neis & EXTERNAL_LINK == 0)
        inside &= np.arange(6) < tile.sections["polys"]["count"][:, None]
        to = np.where(inside, neis - 1 + base, 0)
        open_ = inside & walkable[to] if len(walkable) else inside
        rows.append(np.where(open_, to, np.where(neis & EXTERNAL_LINK != 0, EXTERNAL, WALL)))
        base += len(neis)
    return _ints(rows).reshape(-1, 6)


def _link_arrays(links: Sequence[Sequence[Link]], corners: Floats, counts: Ints, states: int) -> dict[str, Any]:
    flat = [link for found in links for link in found]
    owners = [p for p, found in enumerate(links) for _ in found]
    portals = np.zeros((len(flat), 2, 3), np.float32)
    first: dict[tuple[int, int], int] = {}
    for index, (owner, link) in enumerate(zip(owners, flat)):
        first.setdefault((owner, link.to), index)
        portals[index] = _portal(corners[owner], int(counts[owner]), link)
    same = [first[owner, link.to] for owner, link in zip(owners, flat)]
    portals = portals[same] if flat else portals
    side = [link.side >> 1 if link.side != INTERNAL else 0 for link in flat]
    return {
        "link_start": np.cumsum([0, *map(len, links)], dtype=np.int32),
        "link_to": np.array([link.to for link in flat], np.int32),
        "link_node": np.array([link.to * states + s for link, s in zip(flat, side)], np.int32),
        "link_edge": np.array([link.edge for link in flat], np.int32),
        "link_side": np.array([link.side for link in flat], np.int32),
        "link_span": np.array([(link.low, link.high) for link in flat], np.int32).reshape(-1, 2),
        "portal": portals,
        "middle": (portals[:, 0] + portals[:, 1]) * np.float32(0.5),
    }


def _portal(corners: Floats, count: int, link: Link) -> Floats:
    a, b = corners[link.edge], corners[(link.edge + 1) % count]
    if link.side == INTERNAL or (link.low == 0 and link.high == 255):
        return np.stack([a, b])
    step = np.float32(1) / np.float32(255)
    low, high = np.float32(link.low) * step, np.float32(link.high) * step
    return np.stack([a + (b - a) * low, a + (b - a) * high])


def _tile_arrays(tiles: Sequence[Tile]) -> dict[str, Any]:
    """Tiles in the order that a box query meets them: by y, by x, the last added first."""
    polys = np.cumsum([0, *(len(t.sections["polys"]) for t in tiles)])
    nodes = np.cumsum([0, *(len(t.sections["bv_nodes"]) for t in tiles)])
    order = sorted(range(len(tiles)), key=lambda i: (tiles[i].header["y"], tiles[i].header["x"], -i))
    place, size = np.zeros((len(tiles), 6), np.int32), np.zeros((len(tiles), 8), np.float32)
    for row, i in enumerate(order):
        header = tiles[i].header
        place[row] = header["x"], header["y"], nodes[i], nodes[i + 1], polys[i], polys[i + 1]
        size[row, :3], size[row, 3:6] = header["bmin"], header["bmax"]
        size[row, 6:] = header["bv_quant_factor"], header["walkable_climb"]
    trees = [t.sections["bv_nodes"] for t in tiles]
    index = [np.where(t["index"] >= 0, t["index"] + b, t["index"]) for t, b in zip(trees, polys)]
    rows = [np.column_stack([t["bmin"], t["bmax"], i]) for t, i in zip(trees, index)]
    return {"tree": _ints(rows).reshape(-1, 7), "tile_place": place, "tile_size": size}


def _cells(box: Floats, walkable: npt.NDArray[np.bool_], tiles: dict[str, Any]) -> dict[str, Any]:
    """A grid of cells with the polygons near each, for meshes of one tile with a tree; else no cells."""
    rank = tiles["tree"][:, 6]
    rank = rank[rank >= 0][:-1] if len(rank) and rank[-1] == 0 else rank[rank >= 0]
    members = np.array([p for p in dict.fromkeys(rank.tolist()) if walkable[p]], np.int64)
    plain = len(tiles["tile_place"]) == 1 and tiles["tile_size"][0, 7] < MAX_CLIMB
    none = {
        "cell_start": np.zeros(1, np.int32),
        "cell_polygons": np.zeros(0, np.int32),
        "cell_grid": np.ones(4, np.float32),
    }
    if not plain or not len(members):
        return none
    reach = CELL_REACH + 1e-3
    low, high = box[members][:, [0, 2]] - reach, box[members][:, [3, 5]] + reach
    origin, span = low.min(axis=0), high.max(axis=0) - low.min(axis=0)
    per_metre = min(2.0, float(np.sqrt(MAX_CELLS / span.prod(dtype=float))), MAX_CELLS / float(span.max()))
    first, last = ((edge - origin) * per_metre for edge in (low, high))
    first, last = np.floor(first - 1e-3).clip(0).astype(int), np.floor(last + 1e-3).astype(int)
    if (last - first + 1).prod(axis=1).sum() > MAX_CELL_ENTRIES:
        return none
    columns, rows = last.max(axis=0) + 1
    spots = [
        (np.arange(r0, r1 + 1)[:, None] * columns + np.arange(c0, c1 + 1)).ravel()
        for (c0, r0), (c1, r1) in zip(first, last)
    ]
    cells, owners = np.concatenate(spots), np.repeat(members, [len(s) for s in spots])
    order = np.argsort(cells, kind="stable")
    return {
        "cell_start": np.searchsorted(cells[order], np.arange(columns * rows + 1)).astype(np.int32),
        "cell_polygons": owners[order].astype(np.int32),
        "cell_grid": np.array([*origin, per_metre, columns], np.float32),
    }


def _stack(parts: Sequence[Floats], shape: tuple[int, ...]) -> Floats:
    return np.ascontiguousarray(np.concatenate([np.zeros((0, *shape), np.float32), *parts]))


def _ints(parts: Sequence[npt.NDArray[Any]]) -> Ints:
    return np.concatenate(parts).astype(np.int32) if parts else np.zeros(0, np.int32)


def _ragged(parts: Sequence[Floats], shape: tuple[int, ...]) -> tuple[Ints, Floats]:
    return np.cumsum([0, *map(len, parts)], dtype=np.int32), _stack(parts, shape)


def _boxes(points: Sequence[Floats]) -> Floats:
    return np.array([[*p.min(axis=0), *p.max(axis=0)] if len(p) else [0] * 6 for p in points], np.float32).reshape(
        -1, 6
    )
