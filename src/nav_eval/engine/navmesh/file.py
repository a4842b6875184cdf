"""Habitat's `.navmesh` files, read and written byte for byte.

A file is a set header ('MSET', version 1 or 2), in version 2 the settings it was built with, and Detour tiles
(recastnavigation/recastnavigation, Detour/Include/DetourNavMesh.h, zlib: little-endian, 32-bit references).
A tile's bytes are kept as they are and its arrays are views of them, so that writing what was read changes nothing.
Everything that a query would follow (counts, indices, coordinates) is checked here, once, so that the kernels
need not: a file that does not hold what it promises is one NavmeshError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.errors import NavmeshError

Structured = npt.NDArray[np.void]

SET_MAGIC = 0x4D534554  # 'MSET'
TILE_MAGIC = 0x444E4156  # 'DNAV'
TILE_VERSION = 7
VERTS_PER_POLY = 6
EXTERNAL_LINK = 0x8000
LAST_SIDE = 7
OFF_MESH_POLYGON = 1
MAX_TILES = 1 << 16
FARTHEST = 1e7
"""Metres: coordinates beyond are damage, and would overflow in float32 products."""

PARAMS = np.dtype(
    [("origin", "<f4", 3), ("tile_width", "<f4"), ("tile_depth", "<f4"), ("max_tiles", "<i4"), ("max_polys", "<i4")]
)
SET_HEADER = np.dtype([("magic", "<i4"), ("version", "<i4"), ("tiles", "<i4"), ("params", PARAMS)])
SETTINGS = np.dtype([(f.name, "?" if f.type == "bool" else "<f4") for f in fields(NavmeshSettings)])
TILE_HEADER = np.dtype([("ref", "<u4"), ("size", "<i4")])
MESH_HEADER = np.dtype(
    [(name, "<i4") for name in ("magic", "version", "x", "y", "layer")]
    + [("user_id", "<u4")]
    + [(name, "<i4") for name in ("polys", "verts", "links", "details", "detail_verts", "detail_tris")]
    + [(name, "<i4") for name in ("bv_nodes", "off_mesh", "off_mesh_base")]
    + [(name, "<f4") for name in ("walkable_height", "walkable_radius", "walkable_climb")]
    + [("bmin", "<f4", 3), ("bmax", "<f4", 3), ("bv_quant_factor", "<f4")]
)
POLY = np.dtype(
    [("first_link", "<u4"), ("verts", "<u2", 6), ("neis", "<u2", 6), ("flags", "<u2"), ("count", "u1"), ("area", "u1")]
)
LINK = np.dtype([("ref", "<u4"), ("next", "<u4"), ("edge", "u1"), ("side", "u1"), ("bmin", "u1"), ("bmax", "u1")])
DETAIL = np.dtype([("vert_base", "<u4"), ("tri_base", "<u4"), ("verts", "u1"), ("tris", "u1"), ("padding", "V2")])
BV_NODE = np.dtype([("bmin", "<u2", 3), ("bmax", "<u2", 3), ("index", "<i4")])
OFF_MESH = np.dtype(
    [("pos", "<f4", 6), ("radius", "<f4"), ("poly", "<u2"), ("flags", "u1"), ("side", "u1"), ("user_id", "<u4")]
)
POINT = np.dtype(("<f4", 3))
DETAIL_TRI = np.dtype(("u1", 4))

SECTIONS: tuple[tuple[str, Any], ...] = (
    ("verts", POINT),
    ("polys", POLY),
    ("links", LINK),
    ("details", DETAIL),
    ("detail_verts", POINT),
    ("detail_tris", DETAIL_TRI),
    ("bv_nodes", BV_NODE),
    ("off_mesh", OFF_MESH),
)


@dataclass(frozen=True, slots=True)
class NavmeshParams:
    """Where the tile grid lies (metres) and how many tiles and polygons its references can name."""

    origin: tuple[float, float, float]
    tile_width: float
    tile_depth: float
    max_tiles: int
    max_polys: int


@dataclass(frozen=True)
class Tile:
    """One Detour tile: its reference and its bytes; the properties are views of them."""

    ref: int
    data: bytes

    @cached_property
    def header(self) -> Structured:
        """The mesh header, a structured scalar array of shape ()."""
        return np.frombuffer(self.data, MESH_HEADER, 1).reshape(())

    @cached_property
    def sections(self) -> dict[str, npt.NDArray[Any]]:
        """Arrays by name: verts and detail_verts (N, 3) float32, metres, world frame; detail_tris (N, 4) uint8; the
        structured polys, links, details, bv_nodes and off_mesh (N,)."""
        offset, found = MESH_HEADER.itemsize, {}
        for name, dtype in SECTIONS:
            count = int(self.header[name])
            found[name] = np.frombuffer(self.data, dtype, count, offset)
            offset += dtype.itemsize * count
        return found


@dataclass(frozen=True)
class NavmeshFile:
    """What a `.navmesh` file holds. `settings` is None in version 1."""

    params: NavmeshParams
    tiles: tuple[Tile, ...]
    settings: NavmeshSettings | None

    def to_bytes(self) -> bytes:
        """The file's bytes; equal to the bytes it was read from."""
        header = np.zeros((), SET_HEADER)
        header["magic"], header["version"] = SET_MAGIC, 1 if self.settings is None else 2
        header["tiles"], header["params"] = len(self.tiles), astuple(self.params)
        parts = [header.tobytes()]
        if self.settings is not None:
            parts.append(np.array(astuple(self.settings), SETTINGS).tobytes())
        for tile in self.tiles:
            parts += [np.array((tile.ref, len(tile.data)), TILE_HEADER).tobytes(), tile.data]
        return b"".join(parts)


def assemble(settings: NavmeshSettings | None, params: NavmeshParams, tiles: Sequence[bytes]) -> bytes:
    """The `.navmesh` bytes of Detour tile data, numbered in the given order; version 1 without settings."""
    poly_bits = _bits(params.max_polys)
    tile_bits = _bits(params.max_tiles)
    if len(tiles) > params.max_tiles or poly_bits + tile_bits > 22:
        raise NavmeshError(
            f"{len(tiles)} tiles of up to {params.max_polys} polygons do not fit Detour's 32-bit references: "
            "use larger cells or fewer, larger tiles"
        )
    first = 1 << (tile_bits + poly_bits)
    numbered = tuple(Tile(first | i << poly_bits, data) for i, data in enumerate(tiles))
    return NavmeshFile(params, numbered, settings).to_bytes()


def parse_navmesh(data: bytes, name: str = "navmesh") -> NavmeshFile:
    """Check and split the bytes of a `.navmesh` file; `name` is what error messages call it."""
    if len(data) < SET_HEADER.itemsize:
        raise NavmeshError(f"{name} is not a .navmesh file: {len(data)} bytes, the header alone has 40")
    header = np.frombuffer(data, SET_HEADER, 1)[0]
    if header["magic"] != SET_MAGIC:
        raise NavmeshError(f"{name} is not a .navmesh file: it does not start with Habitat's 'MSET' mark")
    if header["version"] not in (1, 2):
        raise NavmeshError(f"{name} is a .navmesh of version {header['version']}; versions 1 and 2 are known")
    params = _params(header["params"], name)
    if not 0 <= header["tiles"] <= min(params.max_tiles, MAX_TILES):
        raise NavmeshError(f"{name} promises {header['tiles']} tiles, its limit is {params.max_tiles}: damaged header")
    offset, settings = SET_HEADER.itemsize, None
    if header["version"] == 2:
        settings, offset = _settings(data, offset, name)
    tiles = []
    for number in range(int(header["tiles"])):
        tile, offset = _tile(data, offset, f"{name}, tile {number}")
        tiles.append(tile)
    if offset != len(data):
        raise NavmeshError(f"{name} has {len(data) - offset} bytes after its last tile: damaged file")
    _check_references(tiles, params, name)
    return NavmeshFile(params, tuple(tiles), settings)


def _bits(count: int) -> int:
    """log2 of the next power of two: the bits that Detour gives to `count` numbers."""
    return max(count - 1, 0).bit_length()


def _params(raw: Structured, name: str) -> NavmeshParams:
    origin = tuple(float(x) for x in raw["origin"])
    params = NavmeshParams(
        (origin[0], origin[1], origin[2]),
        float(raw["tile_width"]),
        float(raw["tile_depth"]),
        int(raw["max_tiles"]),
        int(raw["max_polys"]),
    )
    sizes = (params.tile_width, params.tile_depth)
    if not np.isfinite([*origin, *sizes]).all() or min(sizes) <= 0 or min(params.max_tiles, params.max_polys) < 0:
        raise NavmeshError(f"{name} has an impossible tile grid (origin {origin}, tile {sizes} m): damaged header")
    return params


def _settings(data: bytes, offset: int, name: str) -> tuple[NavmeshSettings, int]:
    end = offset + SETTINGS.itemsize
    if len(data) < end:
        raise NavmeshError(f"{name} ends within its settings: truncated file")
    flags = np.frombuffer(data, "u1", 4, end - 4)
    values = np.frombuffer(data, SETTINGS, 1, offset)[0]
    if (flags > 1).any() or not np.isfinite(values.tolist()).all():
        raise NavmeshError(f"{name} has settings that are not numbers or flags: damaged file")
    return NavmeshSettings(**dict(zip(SETTINGS.names or (), values.tolist()))), end


def _tile(data: bytes, offset: int, name: str) -> tuple[Tile, int]:
    start = offset + TILE_HEADER.itemsize
    if len(data) < start:
        raise NavmeshError(f"{name}: the file ends before it: truncated file")
    head = np.frombuffer(data, TILE_HEADER, 1, offset)[0]
    size = int(head["size"])
    if not MESH_HEADER.itemsize <= size <= len(data) - start:
        raise NavmeshError(f"{name} has {size} bytes by its header, the file holds {len(data) - start} more")
    tile = Tile(int(head["ref"]), data[start : start + size])
    check_tile(tile, name)
    return tile, start + size


def check_tile(tile: Tile, name: str) -> None:
    """Refuse a tile whose counts, indices or coordinates no query could follow (NavmeshError)."""
    header = tile.header
    if header["magic"] != TILE_MAGIC or header["version"] != TILE_VERSION:
        raise NavmeshError(f"{name} is not a Detour tile of version 7")
    counts = [int(header[section]) for section, _ in SECTIONS]
    expected = MESH_HEADER.itemsize + sum(n * d.itemsize for n, (_, d) in zip(counts, SECTIONS))
    if min(counts) < 0 or expected != len(tile.data):
        raise NavmeshError(f"{name} should have {expected} bytes by its counts, it has {len(tile.data)}")
    if header["details"] < header["polys"] - header["off_mesh"]:
        raise NavmeshError(f"{name} has {header['polys']} polygons but {header['details']} detail meshes")
    _check_numbers(tile, name)
    _check_polygons(tile, name)
    _check_details(tile, name)
    _check_bv_tree(tile, name)


def _check_numbers(tile: Tile, name: str) -> None:
    header, parts = tile.header, tile.sections
    numbers = ("walkable_height", "walkable_radius", "walkable_climb", "bv_quant_factor", "bmin", "bmax")
    if not all(np.isfinite(header[key]).all() for key in numbers) or (header["bmin"] > header["bmax"]).any():
        raise NavmeshError(f"{name} has bounds or sizes that are not finite or out of order: damaged tile")
    if not (np.abs(header["bmin"]) < FARTHEST).all() or not (np.abs(header["bmax"]) < FARTHEST).all():
        raise NavmeshError(f"{name} has bounds beyond 10,000 km: damaged tile")
    for key in ("verts", "detail_verts"):
        if not (np.abs(parts[key]) < FARTHEST).all():
            raise NavmeshError(f"{name} has {key} that are not finite or beyond 10,000 km: damaged tile")


def _check_polygons(tile: Tile, name: str) -> None:
    polys, nverts = tile.sections["polys"], len(tile.sections["verts"])
    ground = (polys["area"] >> 6) != OFF_MESH_POLYGON
    count = polys["count"].astype(int)
    bad = np.where(ground, (count < 3) | (count > VERTS_PER_POLY), count != 2)
    used = np.arange(VERTS_PER_POLY) < count[:, None]
    neis = polys["neis"].astype(int)
    external = neis & EXTERNAL_LINK != 0
    bad |= (used & (polys["verts"] >= nverts)).any(axis=1)
    bad |= (used & (neis > np.where(external, EXTERNAL_LINK | LAST_SIDE, len(polys)))).any(axis=1)
    if bad.any():
        raise NavmeshError(f"{name}, polygon {int(bad.argmax())}: vertex or neighbour out of range")


def _check_details(tile: Tile, name: str) -> None:
    parts = tile.sections
    details, tris = parts["details"], parts["detail_tris"]
    polys = parts["polys"][: len(details)]
    details = details[: len(polys)]
    ends = details["tri_base"].astype(np.int64) + details["tris"]
    vert_ends = details["vert_base"].astype(np.int64) + details["verts"]
    if details["tris"].sum() > len(tris) or details["verts"].sum() > len(parts["detail_verts"]):
        raise NavmeshError(f"{name}: its polygons share detail meshes, which Detour never writes: damaged tile")
    bad = (ends > len(tris)) | (vert_ends > len(parts["detail_verts"]))
    if not bad.any() and len(details):
        owner = np.repeat(np.arange(len(details)), details["tris"])
        first = np.repeat(ends - np.cumsum(details["tris"], dtype=np.int64), details["tris"])
        limit = polys["count"].astype(int) + details["verts"]
        over = (tris[first + np.arange(len(owner)), :3] >= limit[owner, None]).any(axis=1)
        bad[owner[over]] = True
    if bad.any():
        raise NavmeshError(f"{name}, polygon {int(bad.argmax())}: detail mesh out of range")


def _check_bv_tree(tile: Tile, name: str) -> None:
    index = tile.sections["bv_nodes"]["index"].astype(np.int64)
    if (index >= len(tile.sections["polys"])).any() or (index < -len(index)).any():
        raise NavmeshError(f"{name}: its bounding volume tree points outside the tile")


def _check_references(tiles: Sequence[Tile], params: NavmeshParams, name: str) -> None:
    """Distinct grid places and reference slots, as Detour's addTile demands."""
    poly_bits = _bits(params.max_polys)
    places = {(int(t.header["x"]), int(t.header["y"]), int(t.header["layer"])) for t in tiles}
    slots = {(t.ref >> poly_bits) & ((1 << _bits(params.max_tiles)) - 1) for t in tiles}
    if len(places) < len(tiles) or len(slots) < len(tiles) or any(s >= params.max_tiles for s in slots):
        raise NavmeshError(f"{name} has two tiles in one place or a tile number out of range: damaged file")
    if any(len(t.sections["polys"]) > max(params.max_polys, 1) for t in tiles):
        raise NavmeshError(f"{name} has a tile with more polygons than its header allows: damaged file")
