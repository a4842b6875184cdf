"""Navmesh files, and then every question to a mesh that loads.

The kernels check no bounds, so whatever loads must be safe to ask. To see an access out of bounds where it happens,
and not by luck, run with NUMBA_BOUNDSCHECK=1 and an NAV_EVAL_CACHE of its own (the kernels are compiled anew for it).
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from engine.navmesh.making import grid, navmesh, rectangle, single, tile
from fuzz.expect import only
from nav_eval.engine.navmesh.file import MESH_HEADER, SECTIONS, SET_HEADER, SETTINGS, TILE_HEADER, parse_navmesh
from nav_eval.engine.navmesh.mesh import NavMesh, Point
from nav_eval.errors import NavmeshError

NAME = "fuzz.navmesh"
MAX_LEN = 16384
ODD_POINTS: tuple[Point, ...] = (
    (0.5, 0.0, 0.5),
    (2.5, 0.1, 1.5),
    (-1.0, 3.0, 0.0),
    (1e30, -1e30, 0.0),
    (math.nan, 0.0, math.inf),
)


def seeds() -> list[bytes]:
    """One tile with and without a tree, polygons of six corners, a wall, tiles side by side and above each other."""
    hexagon = ((0.0, 0.0, 1.0), (1.0, 0.0, 2.0), (2.0, 0.2, 2.0), (3.0, 0.0, 1.0), (2.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    left, right = rectangle(0.0, 0.0, 2.0, 2.0), rectangle(2.0, 0.0, 4.0, 2.0)
    pair = [
        tile([left], sides={(0, 2): 0}, bounds=((0, 0, 0), (2, 1, 2)), order=(0,)),
        tile([right], sides={(0, 0): 4}, place=(1, 0), bounds=((2, 0, 0), (4, 1, 2)), order=(0,)),
    ]
    low = tile([left], sides={(0, 2): 0})
    high = bytearray(tile([tuple((x, y + 0.1, z) for x, y, z in right)], sides={(0, 0): 4}))
    struct.pack_into("<i", high, 16, 1)  # its layer
    return [
        single(grid(3, 2)),
        navmesh([tile(grid(2, 1), walls=[(0, 1)], flags={1: 0})], version=2),
        single([hexagon]),
        navmesh(pair, size=2.0),
        navmesh([low, bytes(high)]),
    ]


def one(data: bytes) -> None:
    with only(NavmeshError, names=NAME):
        file = parse_navmesh(data, NAME)
        assert file.to_bytes() == data
        _ask(NavMesh(file))


def _ask(nav: NavMesh) -> None:
    points = [*_points_of(nav), *ODD_POINTS]
    for point in points:
        _ask_place(nav, point)
    for start, end in [(points[0], points[-4]), *pairwise(points), *zip(points, points[2:])]:
        _ask_way(nav, start, end)
    _ask_whole(nav, np.array(points))


def _points_of(nav: NavMesh) -> list[Point]:
    """The middles of some polygons, and some corners."""
    corners = nav.layout.corners[:5].astype(np.float64)
    return [tuple(p) for p in [*corners.mean(axis=1).tolist(), *corners[:2, 1].tolist()]]


def _ask_place(nav: NavMesh, point: Point) -> None:
    snapped = nav.snap(point)
    known = nav.island_of(point) >= 0
    assert all(map(math.isfinite, snapped)) if known else all(map(math.isnan, snapped)), f"{point} snaps to {snapped}"
    assert nav.distance_to_obstacle(point) >= 0
    assert nav.island_radius(point) >= 0
    nav.is_navigable(point)


def _ask_way(nav: NavMesh, start: Point, end: Point) -> None:
    assert nav.geodesic_distance(start, end) >= 0
    for mode in ("detour", "exact"):
        path = nav.shortest_path(start, end, mode)
        assert path.length >= 0
        assert np.isfinite(path.points).all()
        assert (len(path.points) > 0) == (path.length < math.inf), f"{path} from {start} to {end}"
    if all(map(math.isfinite, start)):
        for sliding in (True, False):
            assert all(map(math.isfinite, nav.step(start, end, sliding))), f"a step from {start} to {end}"
    share, _ = nav.raycast(start, end)
    assert math.isnan(share) or 0 <= share <= 1


def _ask_whole(nav: NavMesh, points: np.ndarray) -> None:
    assert math.isfinite(nav.area)
    assert all(math.isfinite(island.radius) for island in nav.islands)
    nav.snap_all(points)
    nav.steps(points, points[::-1])
    nav.geodesic_distances(points, points[::-1])
    assert nav.geodesic_distance(ODD_POINTS[0], points.tolist()) >= 0
    with only(NavmeshError):
        assert np.isfinite(nav.random_points(5)).all()
    span = max(1.0, *(float(high - low) for low, high in zip(*nav.bounds)))
    with only(NavmeshError):
        nav.topdown(span / 20)


@dataclass(slots=True)
class _Parts:
    """A file taken apart; put together again its counts and sizes are right."""

    head: bytearray
    settings: bytes
    tiles: list[_TileParts] = field(default_factory=list)

    def joined(self) -> bytes:
        struct.pack_into("<i", self.head, 8, len(self.tiles))
        return bytes(self.head) + self.settings + b"".join(part.joined() for part in self.tiles)


@dataclass(slots=True)
class _TileParts:
    ref: int
    head: bytearray
    sections: list[bytearray]

    def joined(self) -> bytes:
        for (name, dtype), section in zip(SECTIONS, self.sections):
            offset = dict(MESH_HEADER.fields or {})[name][1]
            struct.pack_into("<i", self.head, offset, len(section) // dtype.itemsize)
        body = bytes(self.head) + b"".join(self.sections)
        return struct.pack("<Ii", self.ref, len(body)) + body


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change a few fields or records and keep the file whole, or (one time in five) any bytes of it."""
    import atheris

    chance = random.Random(seed)
    parts = None if chance.random() < 0.2 else _split(data)
    if parts is None:
        return bytes(atheris.Mutate(data, max_size))
    for _ in range(chance.randint(1, 4)):
        _change(parts, chance)
    changed = parts.joined()
    return changed if len(changed) <= max_size else data


def _split(data: bytes) -> _Parts | None:
    """None where the file does not even hold together."""
    try:
        file = parse_navmesh(data)
    except NavmeshError:
        return None
    at = SET_HEADER.itemsize
    parts = _Parts(bytearray(data[:at]), data[at : at + SETTINGS.itemsize] if file.settings else b"")
    at += len(parts.settings)
    for held in file.tiles:
        at += TILE_HEADER.itemsize
        sections = [bytearray(held.sections[name].tobytes()) for name, _ in SECTIONS]
        parts.tiles.append(_TileParts(held.ref, bytearray(held.data[: MESH_HEADER.itemsize]), sections))
    return parts


def _change(parts: _Parts, chance: random.Random) -> None:
    if not parts.tiles or chance.random() < 0.1:
        _set_field(parts.head, 0, SET_HEADER, chance)
        return
    held = chance.choice(parts.tiles)
    what = chance.random()
    if what < 0.15:
        _set_field(held.head, 0, MESH_HEADER, chance)
    elif what < 0.25:
        _copy_tile(parts, held, chance)
    else:
        number = chance.randrange(len(SECTIONS))
        _change_section(held.sections[number], SECTIONS[number][1], chance, resize=what < 0.4)


def _copy_tile(parts: _Parts, held: _TileParts, chance: random.Random) -> None:
    """One more tile beside or above another, with a slot of its own; room for it in the header."""
    copy = _TileParts(held.ref + chance.randint(-3, 3), bytearray(held.head), [bytearray(s) for s in held.sections])
    for offset in (8, 12, 16):
        (old,) = struct.unpack_from("<i", copy.head, offset)
        struct.pack_into("<i", copy.head, offset, max(-(2**31), min(2**31 - 1, old + chance.choice((-1, 0, 1)))))
    if len(parts.tiles) < 6:
        parts.tiles.append(copy)
        bits = max(struct.unpack_from("<i", parts.head, 36)[0] - 1, 0).bit_length()
        struct.pack_into("<i", parts.head, 32, 8)
        for number, each in enumerate(parts.tiles):
            each.ref = (1 << 30 | number << bits) & 0xFFFFFFFF


def _change_section(section: bytearray, dtype: np.dtype[Any], chance: random.Random, *, resize: bool) -> None:
    size = dtype.itemsize
    count = len(section) // size
    if not count or resize:
        at = chance.randint(0, count) * size
        record = section[at : at + size] or bytearray(size)
        section[at : at + (0 if chance.random() < 0.6 else size)] = record if chance.random() < 0.7 else b""
        return
    at = chance.randrange(count) * size
    if chance.random() < 0.2:
        other = chance.randrange(count) * size
        section[at : at + size] = section[other : other + size]
    else:
        _set_field(section, at, dtype, chance)


def _set_field(target: bytearray, at: int, dtype: np.dtype[Any], chance: random.Random) -> None:
    """A new value for one number of the record at `at`."""
    fields: dict[str, Any] = dict(dtype.fields or {"": (dtype, 0)})
    kind, offset = fields[chance.choice(list(fields))][:2]
    base, count = kind.base, max(1, math.prod(kind.shape))
    if base.names:
        _set_field(target, at + offset, base, chance)
        return
    place = at + offset + chance.randrange(count) * base.itemsize
    old = np.frombuffer(bytes(target[place : place + base.itemsize]), base)[0]
    with np.errstate(all="ignore"):
        target[place : place + base.itemsize] = np.array(_odd(old, base, chance)).astype(base).tobytes()


def _odd(old: np.generic, dtype: np.dtype[Any], chance: random.Random) -> float | int:
    if dtype.kind == "f":
        odd: Sequence[float] = (0.0, 1.0, -1.0, 1e-7, 0.5, 9.9e6, -9.9e6, 3e38, 1e-40, math.nan, math.inf, 2.0, 0.01)
        return chance.choice((float(str(old)), float(str(old)) + chance.choice(odd), chance.choice(odd)))
    if dtype.kind == "V":
        return 0
    bits = 8 * dtype.itemsize
    near = int(str(old)) + chance.choice((-1, 1, 2, -2))
    odd_ints = (0, 1, 2, 3, 5, 6, 7, 0x40, 0x80, 0xFF, 0x8000, 0x8004, 0x80FF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, -1)
    value = near if chance.random() < 0.4 else chance.choice((*odd_ints, chance.getrandbits(bits)))
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.kind == "i" and value >> (bits - 1) else value
