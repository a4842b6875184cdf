"""Navmesh files made by hand: polygons in, `.navmesh` bytes out, structure by structure as conventions 5 lists them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

Vertex = tuple[float, float, float]
Polygon = Sequence[Vertex]


def tile(
    polygons: Sequence[Polygon],
    *,
    order: Sequence[int] | None = None,
    walls: Sequence[tuple[int, int]] = (),
    flags: dict[int, int] | None = None,
    place: tuple[int, int] = (0, 0),
    sides: dict[tuple[int, int], int] | None = None,
    climb: float = 0.2,
    bounds: tuple[Vertex, Vertex] | None = None,
) -> bytes:
    """Detour tile data. `order`: polygons as leaves of the tree (none: no tree). `walls`: pairs that share an edge
    but no link. `sides`: (polygon, edge) -> side of an edge on the tile's border."""
    vertices = list(dict.fromkeys(v for p in polygons for v in p))
    number = {v: i for i, v in enumerate(vertices)}
    owners: dict[frozenset[int], list[int]] = {}
    for i, p in enumerate(polygons):
        for a, b in zip(p, [*p[1:], p[0]]):
            owners.setdefault(frozenset((number[a], number[b])), []).append(i)
    barred = {frozenset(pair) for pair in walls}
    body = b"".join(struct.pack("<3f", *v) for v in vertices)
    details, tris = b"", b""
    for i, p in enumerate(polygons):
        ids = [number[v] for v in p]
        neis = []
        for k, (a, b) in enumerate(zip(ids, [*ids[1:], ids[0]])):
            others = [o for o in owners[frozenset((a, b))] if o != i and frozenset((i, o)) not in barred]
            side = (sides or {}).get((i, k))
            neis.append(0x8000 | side if side is not None else others[0] + 1 if others else 0)
        pad = [0] * (6 - len(ids))
        flag = (flags or {}).get(i, 1)
        body += struct.pack("<I6H6HHBB", 0xFFFFFFFF, *ids, *pad, *neis, *pad, flag, len(ids), 0)
    links = 6 * len(polygons)
    body += b"\0" * 12 * links
    count = 0
    for p in polygons:
        details += struct.pack("<IIBBxx", 0, count, 0, len(p) - 2)
        for k in range(1, len(p) - 1):
            edges = (1 if k == 1 else 0) | 1 << 2 | (1 << 4 if k == len(p) - 2 else 0)
            tris += struct.pack("<4B", 0, k, k + 1, edges)
            count += 1
    low, high = bounds or (tuple(map(min, zip(*vertices))), tuple(map(max, zip(*vertices))))  # type: ignore[assignment]
    nodes, factor = b"", 20.0
    for i in order or ():
        box: list[int] = []
        for pick in (min, max):
            box += [int((pick(v[a] for v in polygons[i]) - low[a]) * factor) for a in range(3)]
        nodes += struct.pack("<6Hi", *box, i)
    if order:
        nodes += b"\0" * 16 * (2 * len(polygons) - len(order))
    header = struct.pack(
        "<5iI9i3f3f3ff",
        0x444E4156, 7, place[0], place[1], 0, 0,
        len(polygons), len(vertices), links, len(polygons), 0, count, len(nodes) // 16, 0, len(polygons),
        1.5, 0.1, climb, *low, *high, factor,
    )  # fmt: skip
    return header + body + details + tris + nodes


def navmesh(tiles: Sequence[bytes], size: float = 1000.0, origin: Vertex = (0.0, 0.0, 0.0), version: int = 1) -> bytes:
    """A `.navmesh` of tiles on a grid of `size` metres."""
    polygons = max((struct.unpack_from("<i", t, 24)[0] for t in tiles), default=1)
    bits, tile_bits = max(polygons - 1, 0).bit_length(), max(len(tiles) - 1, 0).bit_length()
    data = struct.pack("<3i3f2f2i", 0x4D534554, version, len(tiles), *origin, size, size, max(len(tiles), 1), polygons)
    if version == 2:
        data += struct.pack("<13f4?", *range(1, 14), True, False, True, False)
    for i, t in enumerate(tiles):
        data += struct.pack("<Ii", 1 << (bits + tile_bits) | i << bits, len(t)) + t
    return data


def single(polygons: Sequence[Polygon], **options: Any) -> bytes:
    """A `.navmesh` of one tile with a tree of leaves."""
    options.setdefault("order", range(len(polygons)))
    low = tuple(min(v[a] for p in polygons for v in p) for a in range(3))
    size = max(v[a] - low[a] for p in polygons for v in p for a in (0, 2))
    return navmesh([tile(polygons, **options)], size=size, origin=low)  # type: ignore[arg-type]


def rectangle(x0: float, z0: float, x1: float, z1: float, y: float = 0.0) -> Polygon:
    """A flat rectangle, wound as Detour winds its polygons."""
    return ((x0, y, z0), (x0, y, z1), (x1, y, z1), (x1, y, z0))


def grid(columns: int, rows: int, size: float = 1.0) -> list[Polygon]:
    """Squares row by row."""
    return [rectangle(c * size, r * size, (c + 1) * size, (r + 1) * size) for r in range(rows) for c in range(columns)]
