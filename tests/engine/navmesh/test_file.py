"""The file format against conventions 5, byte for byte, and against damage of every kind."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.navmesh.making import grid, navmesh, single, tile
from nav_eval.engine.navmesh.file import NavmeshParams, assemble, parse_navmesh
from nav_eval.engine.navmesh.links import build_links
from nav_eval.engine.navmesh.mesh import NavMesh, load_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.errors import NavmeshError
from recordings import SCENES, SHARED_DATA, folder_of

SMALL = single(grid(3, 2))
TILE_AT, HEADER = 48, 100


def recorded() -> list[Path]:
    return [*(folder_of(scene) / "scene.navmesh" for scene in SCENES), *SHARED_DATA.glob("scenes/*.navmesh")]


def test_recorded_files_return_byte_for_byte(tmp_path: Path) -> None:
    files = recorded()
    assert len(files) == (8 if SHARED_DATA.is_dir() else 2)
    for path in files:
        file = parse_navmesh(path.read_bytes())
        assert file.to_bytes() == path.read_bytes()
        assert assemble(file.settings, file.params, [t.data for t in file.tiles]) == path.read_bytes()
        NavMesh.from_bytes(path.read_bytes()).save(tmp_path / "copy.navmesh")
        assert (tmp_path / "copy.navmesh").read_bytes() == path.read_bytes()


def test_structures_have_the_sizes_of_the_conventions() -> None:
    """A reader of its own: set header 40, settings 56, tile header 8, mesh header 100, poly 32, link 12, ..."""
    data = assemble(
        NavmeshSettings(), NavmeshParams((0.0, 0.0, 0.0), 9.0, 9.0, 1, 6), [tile(grid(3, 2), order=range(6))]
    )
    magic, version, tiles = struct.unpack_from("<3i", data)
    assert (magic, version, tiles) == (0x4D534554, 2, 1)
    values = struct.unpack_from("<13f4?", data, 40)
    assert values[:5] == pytest.approx((0.05, 0.2, 1.5, 0.1, 0.2))
    assert values[13:] == (True, True, True, False)
    ref, size = struct.unpack_from("<Ii", data, 96)
    assert (ref, size) == (1 << 3, len(data) - 104)
    head = struct.unpack_from("<5iI9i3f3f3ff", data, 104)
    polys, verts, links, details, detail_verts, detail_tris, nodes, off_mesh = head[6:14]
    sizes = 12 * verts + 32 * polys + 12 * links + 12 * details + 12 * detail_verts + 4 * detail_tris
    assert size == 100 + sizes + 16 * nodes + 36 * off_mesh


def test_settings_are_kept_in_version_2() -> None:
    file = parse_navmesh(navmesh([tile(grid(1, 1))], version=2))
    assert file.settings == NavmeshSettings(
        cell_size=1, cell_height=2, agent_height=3, agent_radius=4, agent_max_climb=5, agent_max_slope=6,
        region_min_size=7, region_merge_size=8, edge_max_len=9, edge_max_error=10, verts_per_poly=11,
        detail_sample_dist=12, detail_sample_max_error=13, filter_low_hanging_obstacles=True,
        filter_ledge_spans=False, filter_walkable_low_height_spans=True, include_static_objects=False,
    )  # fmt: skip
    assert parse_navmesh(SMALL).settings is None


def test_defaults_are_habitats() -> None:
    ours = NavmeshSettings()
    for scene in {"gz_cafe", "rooms"} & {*SCENES}:
        file = parse_navmesh((folder_of(scene) / "scene.navmesh").read_bytes())
        for name in NavmeshSettings.__slots__:
            assert getattr(file.settings, name) == pytest.approx(getattr(ours, name)), name


@pytest.mark.parametrize(("name", "value"), [("cell_size", 0), ("agent_radius", -1), ("agent_height", float("nan"))])
def test_settings_that_no_build_can_use(name: str, value: float) -> None:
    with pytest.raises(NavmeshError, match=name):
        NavmeshSettings(**{name: value}).checked()  # type: ignore[arg-type]


def test_no_file_is_none_and_no_mesh_is_an_error(tmp_path: Path) -> None:
    assert load_navmesh(tmp_path / "absent.navmesh") is None
    (tmp_path / "空.navmesh").write_bytes(b"")
    with pytest.raises(NavmeshError, match=r"空\.navmesh"):
        load_navmesh(tmp_path / "空.navmesh")


@pytest.mark.parametrize("end", [*range(0, len(SMALL), 61), len(SMALL) - 1])
def test_truncated_files(end: int) -> None:
    with pytest.raises(NavmeshError):
        parse_navmesh(SMALL[:end])


def patched(offset: int, fmt: str, *values: float) -> bytes:
    data = bytearray(SMALL)
    struct.pack_into(fmt, data, offset, *values)
    return bytes(data)


POLYS_AT = TILE_AT + HEADER + 12 * 12
DETAILS_AT = POLYS_AT + 6 * 32 + 36 * 12
TREE_AT = DETAILS_AT + 6 * 12 + 12 * 4


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (patched(0, "<i", 1), "MSET"),
        (patched(4, "<i", 3), "version 3"),
        (patched(8, "<i", 2**31 - 1), "tiles"),
        (patched(8, "<i", -1), "tiles"),
        (patched(12, "<f", float("nan")), "tile grid"),
        (patched(24, "<f", 0.0), "tile grid"),
        (patched(44, "<i", -5), "bytes"),
        (patched(44, "<i", 2**31 - 1), "bytes"),
        (patched(TILE_AT, "<i", 7), "Detour tile"),
        (patched(TILE_AT + 24, "<i", -1), "counts"),
        (patched(TILE_AT + 28, "<i", 2**30), "counts"),
        (patched(TILE_AT + 96, "<f", float("inf")), "not finite"),
        (patched(TILE_AT + HEADER, "<f", float("nan")), "not finite"),
        (patched(POLYS_AT + 4, "<H", 12), "polygon 0"),
        (patched(POLYS_AT + 32 + 16, "<H", 7), "polygon 1"),
        (patched(POLYS_AT + 30, "<B", 7), "polygon 0"),
        (patched(POLYS_AT + 30, "<B", 2), "polygon 0"),
        (patched(DETAILS_AT + 4, "<I", 2**32 - 1), "detail mesh"),
        (patched(DETAILS_AT + 12 * 6, "<B", 200), "polygon 0: detail mesh"),
        (patched(TREE_AT + 12, "<i", 6), "tree"),
        (patched(TREE_AT + 12, "<i", -(2**31)), "tree"),
        (patched(TILE_AT + 84, "<f", 1e38), "beyond 10,000 km"),
        (patched(POLYS_AT + 16, "<H", 0x8008), "polygon 0"),
        (patched(POLYS_AT + 16, "<H", 0x80FF), "polygon 0"),
        (patched(DETAILS_AT + 9, "<B", 3), "share detail meshes"),
        (SMALL + b"x", "after its last tile"),
    ],
)
def test_damage_is_named(data: bytes, message: str) -> None:
    with pytest.raises(NavmeshError, match=message):
        parse_navmesh(data, "house.navmesh")


def test_two_tiles_in_one_place() -> None:
    with pytest.raises(NavmeshError, match="one place"):
        parse_navmesh(navmesh([tile(grid(1, 1)), tile(grid(1, 1))]))


def test_a_map_of_too_many_pixels_is_refused() -> None:
    with pytest.raises(NavmeshError, match="give more"):
        NavMesh.from_bytes(SMALL).topdown(1e-5)


def test_a_mesh_that_does_not_find_itself_gives_no_random_points() -> None:
    """Its leaves are boxes elsewhere."""
    data = bytearray(single(grid(1, 1), climb=3.0))
    for end in (32, 16):
        struct.pack_into("<6H", data, len(data) - end, *[60000] * 6)
    with pytest.raises(NavmeshError, match="own surface"):
        NavMesh.from_bytes(bytes(data)).random_point()


def test_too_many_tiles_for_a_reference() -> None:
    with pytest.raises(NavmeshError, match="32-bit"):
        assemble(None, NavmeshParams((0.0, 0.0, 0.0), 1.0, 1.0, 1 << 16, 1 << 12), [tile(grid(1, 1))])


@given(st.integers(0, len(SMALL) - 4), st.binary(min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_any_damage_is_refused_or_harmless(offset: int, damage: bytes) -> None:
    """Whatever loads can be asked without harm."""
    data = SMALL[:offset] + damage + SMALL[offset + len(damage) :]
    try:
        nav = NavMesh.from_bytes(data)
    except NavmeshError:
        return
    nav.geodesic_distance((0.5, 0.0, 0.5), (2.5, 0.0, 1.5))
    nav.geodesic_distance((0.5, 0.0, 0.5), (2.5, 0.0, 1.5), "exact")
    nav.step((0.5, 0.0, 0.5), (1.5, 0.0, 0.5))
    nav.distance_to_obstacle((0.5, 0.0, 0.5))
    assert isinstance(nav.area, float)


def test_pickled_meshes_answer_alike() -> None:
    nav = NavMesh.from_bytes(SMALL)
    again = pickle.loads(pickle.dumps(nav))
    points = np.random.default_rng(0).uniform(0, 3, (20, 3)).astype(np.float32)
    ours, theirs = (one.geodesic_distances(points, points[::-1]) for one in (nav, again))
    np.testing.assert_array_equal(ours, theirs)


def test_a_border_of_many_edges_is_linked_edge_to_edge() -> None:
    """A thousand floors in each of two tiles, a centimetre apart and all on the shared border: each meets its own."""
    floors, climb = 1000, 0.001
    tiles = []
    for place in range(2):
        x = 4.0 * place
        polys = [[(x, y, 0.0), (x, y, 1.0), (x + 4, y, 1.0), (x + 4, y, 0.0)] for y in np.arange(floors) / 100.0]
        sides = {(i, edge): side for i in range(floors) for edge, side in ((0, 4), (2, 0))}
        tiles.append(tile(polys, sides=sides, place=(place, 0), climb=climb))
    links = build_links(parse_navmesh(navmesh(tiles, size=4.0)).tiles)
    other = [[link.to for link in found] for found in links]
    assert other == [[(i + floors) % (2 * floors)] for i in range(2 * floors)]
