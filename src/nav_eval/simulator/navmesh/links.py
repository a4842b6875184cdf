"""Which polygon lies behind which edge: the links that Detour builds when a tile is added.

A file's own link table is working memory of the program that wrote it; what counts are the polygons' `neis`.
Order matters, because a search visits neighbours and breaks ties in it: inside a tile from the lowest edge to the
highest, links to other tiles put before those, the latest first (recastnavigation/recastnavigation,
Detour/Source/DetourNavMesh.cpp: connectIntLinks, connectExtLinks, findConnectingPolys, zlib).
Off-mesh connections, which Habitat never writes, are kept in the file and not followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nav_eval.simulator.navmesh.file import EXTERNAL_LINK, OFF_MESH_POLYGON, Tile

INTERNAL = 0xFF
MAX_NEIGHBOURS = 4
MAX_LAYERS = 32
SIDE_STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
TOUCH = np.float32(0.01)

Vertex = Sequence[np.float32] | npt.NDArray[np.float32]


class Link(NamedTuple):
    """One way out of a polygon: through `edge` to polygon `to`; `low`..`high` of 255 of the edge is open."""

    to: int
    edge: int
    side: int = INTERNAL
    low: int = 0
    high: int = 0


def build_links(tiles: Sequence[Tile]) -> list[list[Link]]:
    """The links of every polygon, in Detour's order; polygons are numbered through all tiles."""
    first = np.concatenate([[0], np.cumsum([len(t.sections["polys"]) for t in tiles])])
    links = [found for tile, base in zip(tiles, first) for found in _internal(tile, int(base))]
    added: dict[tuple[int, int], list[int]] = {}
    for index, tile in enumerate(tiles):
        for other, side in _neighbours(tile, added):
            _connect(tile, tiles[other], side, links, int(first[index]), int(first[other]))
            back = side if side < 0 else (side + 4) & 7
            _connect(tiles[other], tile, back, links, int(first[other]), int(first[index]))
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


def _connect(tile: Tile, target: Tile, side: int, links: list[list[Link]], base: int, target_base: int) -> None:
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
                    0, Link(target_base + to, edge, direction, *_span(a, b, direction, low, high))
                )


def _touching(a: Vertex, b: Vertex, target: Tile, side: int) -> list[tuple[int, np.float32, np.float32]]:
    """Polygons of `target` with an edge on `side` that overlaps the edge a-b, and the shared interval."""
    along, across = (2, 0) if side in (0, 4) else (0, 2)
    low, high = sorted(((a[along], a[1]), (b[along], b[1])), key=lambda end: float(end[0]))
    verts, climb = target.sections["verts"], np.float32(target.header["walkable_climb"])
    found: list[tuple[int, np.float32, np.float32]] = []
    for index, poly in enumerate(target.sections["polys"].tolist()):
        _, corners, neis, _, count, _ = poly
        for edge in range(count):
            if neis[edge] != EXTERNAL_LINK | side:
                continue
            c, d = verts[corners[edge]], verts[corners[(edge + 1) % count]]
            if abs(a[across] - c[across]) > TOUCH:
                continue
            other_low, other_high = sorted(((c[along], c[1]), (d[along], d[1])), key=lambda end: float(end[0]))
            if _overlap(low, high, other_low, other_high, climb):
                found.append((index, max(low[0], other_low[0]), min(high[0], other_high[0])))
                break
    return found[:MAX_NEIGHBOURS]


def _overlap(a: Vertex, b: Vertex, c: Vertex, d: Vertex, climb: np.float32) -> bool:
    """Whether the slabs a-b and c-d, as (along, height) pairs, touch within the climb height."""
    low, high = max(a[0] + TOUCH, c[0] + TOUCH), min(b[0] - TOUCH, d[0] - TOUCH)
    if low > high:
        return False
    with np.errstate(divide="ignore", invalid="ignore"):
        slope, other_slope = (b[1] - a[1]) / (b[0] - a[0]), (d[1] - c[1]) / (d[0] - c[0])
        offset, other_offset = a[1] - slope * a[0], c[1] - other_slope * c[0]
        gap_low = (other_slope * low + other_offset) - (slope * low + offset)
        gap_high = (other_slope * high + other_offset) - (slope * high + offset)
        reach = (climb * np.float32(2)) * (climb * np.float32(2))
        return bool(gap_low * gap_high < 0 or gap_low * gap_low <= reach or gap_high * gap_high <= reach)


def _span(a: Vertex, b: Vertex, side: int, low: np.float32, high: np.float32) -> tuple[int, int]:
    """The open part of the edge a-b in 255ths, as Detour stores it."""
    if side not in (0, 2, 4, 6):
        return 0, 0
    along = 2 if side in (0, 4) else 0
    width = b[along] - a[along]
    ends = sorted(((low - a[along]) / width, (high - a[along]) / width))
    steps = [np.float32(min(max(end, np.float32(0)), np.float32(1))) * np.float32(255) for end in ends]
    return int(np.floor(steps[0] + np.float32(0.5))), int(np.floor(steps[1] + np.float32(0.5)))
