"""Which polygon lies behind which edge: the links that Detour builds when a tile is added.

A file's own link table is working memory of the program that wrote it; what counts are the polygons' `neis`.
Order matters, because a search visits neighbours and breaks ties in it: inside a tile from the lowest edge to the
highest, links to other tiles put before those, the latest first (recastnavigation/recastnavigation,
Detour/Source/DetourNavMesh.cpp: connectIntLinks, connectExtLinks, findConnectingPolys, zlib).
Off-mesh connections, which Habitat never writes, are kept in the file and not followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh.file import EXTERNAL_LINK, OFF_MESH_POLYGON, Tile

INTERNAL = 0xFF
MAX_NEIGHBOURS = 4
MAX_LAYERS = 32
SIDE_STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
TOUCH = np.float32(0.01)

Floats: TypeAlias = npt.NDArray[np.float32]
Vertex: TypeAlias = Sequence[np.float32] | Floats


class Link(NamedTuple):
    """One way out of a polygon: through `edge` to polygon `to`; `low`..`high` of 255 of the edge is open."""

    to: int
    edge: int
    side: int = INTERNAL
    low: int = 0
    high: int = 0


class Border(NamedTuple):
    """The edges of a tile that may touch a neighbour on one side, k of them in the order of their polygons.

    `low` and `high` are the ends, (k, 2) as (along, height); `across` (k,) is where the edge lies.
    """

    polys: npt.NDArray[np.int64]
    low: Floats
    high: Floats
    across: Floats


class Neighbour(NamedTuple):
    """What of a tile its neighbours are linked to. `base`: the number of its first polygon."""

    borders: Mapping[int, Border]
    climb: np.float32
    base: int


def build_links(tiles: Sequence[Tile]) -> list[list[Link]]:
    """The links of every polygon, in Detour's order; polygons are numbered through all tiles."""
    first = np.concatenate([[0], np.cumsum([len(t.sections["polys"]) for t in tiles])])
    links = [found for tile, base in zip(tiles, first) for found in _internal(tile, int(base))]
    added: dict[tuple[int, int], list[int]] = {}
    sides = [
        Neighbour(_borders(tile), np.float32(tile.header["walkable_climb"]), int(base))
        for tile, base in zip(tiles, first)
    ]
    for index, tile in enumerate(tiles):
        for other, side in _neighbours(tile, added):
            _connect(tile, sides[other], side, links, sides[index].base)
            back = side if side < 0 else (side + 4) & 7
            _connect(tiles[other], sides[index], back, links, sides[other].base)
        added.setdefault(_place(tile), []).append(index)
    return links


def _internal(tile: Tile, base: int) -> Iterator[list[Link]]:
    for poly in tile.sections["polys"].tolist():
        _, _, neis, _, count, area = poly
        if area >> 6 == OFF_MESH_POLYGON:
            yield []
        else:
            yield [Link(base + n - 1, e) for e, n in enumerate(neis[:count]) if n and not n & EXTERNAL_LINK]


def _place(tile: Tile) -> tuple[int, int]:
    return int(tile.header["x"]), int(tile.header["y"])


def _neighbours(tile: Tile, added: Mapping[tuple[int, int], Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Tiles by place that were `added` before and touch this one, the latest first, with the side they lie on.

    Side -1 is another layer of the same place; of one place's layers Detour looks at MAX_LAYERS.
    """
    x, y = _place(tile)
    for side, (dx, dy) in [(-1, (0, 0)), *enumerate(SIDE_STEPS)]:
        yield from ((other, side) for other in added.get((x + dx, y + dy), ())[: -MAX_LAYERS - 1 : -1])


def _borders(tile: Tile) -> dict[int, Border]:
    """Side -> the edges that a file says lie on it."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    for index, poly in enumerate(tile.sections["polys"].tolist()):
        _, corners, neis, _, count, _ = poly
        for edge in range(count):
            if neis[edge] & EXTERNAL_LINK:
                ends = corners[edge], corners[(edge + 1) % count]
                found.setdefault(int(neis[edge]) ^ EXTERNAL_LINK, []).append((index, *ends))
    return {side: _border(tile, side, np.array(edges)) for side, edges in found.items()}


def _border(tile: Tile, side: int, edges: npt.NDArray[np.int64]) -> Border:
    along, across = _axes(side)
    c, d = tile.sections["verts"][edges[:, 1]], tile.sections["verts"][edges[:, 2]]
    swapped = (c[:, along] > d[:, along])[:, None]
    axes = [along, 1]
    low, high = np.where(swapped, d[:, axes], c[:, axes]), np.where(swapped, c[:, axes], d[:, axes])
    return Border(edges[:, 0], low, high, c[:, across])


def _axes(side: int) -> tuple[int, int]:
    """The axis along a side, and the one across it."""
    return (2, 0) if side in (0, 4) else (0, 2)


def _connect(tile: Tile, target: Neighbour, side: int, links: list[list[Link]], base: int) -> None:
    verts = tile.sections["verts"]
    for index, poly in enumerate(tile.sections["polys"].tolist()):
        _, corners, neis, _, count, _ = poly
        for edge in range(count):
            direction = neis[edge] & 0xFF
            if not neis[edge] & EXTERNAL_LINK or side not in (-1, direction):
                continue
            a, b = verts[corners[edge]], verts[corners[(edge + 1) % count]]
            for to, low, high in _touching(a, b, target, (direction + 4) & 7):
                links[base + index].insert(
                    0, Link(target.base + to, edge, direction, *_span(a, b, direction, low, high))
                )


def _touching(a: Vertex, b: Vertex, target: Neighbour, side: int) -> list[tuple[int, np.float32, np.float32]]:
    """The first polygons of `target` with an edge on `side` that overlaps the edge a-b, and the shared interval."""
    border = target.borders.get(side)
    if border is None:
        return []
    along, across = _axes(side)
    low, high = sorted(((a[along], a[1]), (b[along], b[1])), key=lambda end: float(end[0]))
    with np.errstate(all="ignore"):
        near = np.flatnonzero(~(abs(a[across] - border.across) > TOUCH))
        near = near[_overlap(low, high, border.low[near].T, border.high[near].T, target.climb)]
    polys, first = np.unique(border.polys[near], return_index=True)
    chosen = near[first[:MAX_NEIGHBOURS]]
    shared = zip(polys.tolist(), np.maximum(low[0], border.low[chosen, 0]), np.minimum(high[0], border.high[chosen, 0]))
    return list(shared)


def _overlap(a: Vertex, b: Vertex, c: Floats, d: Floats, climb: np.float32) -> npt.NDArray[np.bool_]:
    """Whether the slabs a-b and c-d, as (along, height) pairs, touch within the climb height; c and d are (2, k)."""
    low, high = np.maximum(a[0] + TOUCH, c[0] + TOUCH), np.minimum(b[0] - TOUCH, d[0] - TOUCH)
    slope, other_slope = (b[1] - a[1]) / (b[0] - a[0]), (d[1] - c[1]) / (d[0] - c[0])
    offset, other_offset = a[1] - slope * a[0], c[1] - other_slope * c[0]
    gap_low = (other_slope * low + other_offset) - (slope * low + offset)
    gap_high = (other_slope * high + other_offset) - (slope * high + offset)
    reach = (climb * np.float32(2)) * (climb * np.float32(2))
    touches = (gap_low * gap_high < 0) | (gap_low * gap_low <= reach) | (gap_high * gap_high <= reach)
    return np.asarray(touches & ~(low > high))


def _span(a: Vertex, b: Vertex, side: int, low: np.float32, high: np.float32) -> tuple[int, int]:
    """The open part of the edge a-b in 255ths, as Detour stores it."""
    if side not in (0, 2, 4, 6):
        return 0, 0
    along = 2 if side in (0, 4) else 0
    width = b[along] - a[along]
    ends = sorted(((low - a[along]) / width, (high - a[along]) / width))
    steps = [np.float32(min(max(end, np.float32(0)), np.float32(1))) * np.float32(255) for end in ends]
    return int(np.floor(steps[0] + np.float32(0.5))), int(np.floor(steps[1] + np.float32(0.5)))
