"""Storeys, top-down maps and meshes, against the navmesh's own map, Habitat's recorded map, and hand-made shapes."""

from __future__ import annotations

import base64
import itertools
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nav_eval.dataset.connectivity import NavigationGraph
from nav_eval.engine.navmesh.mesh import NavMesh, load_navmesh
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.report.mesh import clustered, scene_mesh, triangle_colours
from nav_eval.report.storeys import find_storeys, storey_of
from nav_eval.report.topdown import GridMap, graph_maps, navmesh_maps, probed_maps
from recordings import SHARED_DATA, arrays, folder_of
from worlds.buildings import HOME, make_world


def test_two_floors_and_stairs() -> None:
    heights = [0.0] * 50 + [3.0] * 40 + list(np.linspace(0, 3, 8))
    assert find_storeys(heights) == pytest.approx([0.0, 3.0], abs=0.15)


def test_a_table_top_lifts_no_storey() -> None:
    assert find_storeys([0.1, 0.8], [8.0, 2.0]) == [0.1]


def test_no_floor_no_storey() -> None:
    assert find_storeys([]) == []
    assert storey_of(1.0, []) == 0


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=60))
def test_storeys_lie_apart_and_within(heights: list[float]) -> None:
    found = find_storeys(heights)
    assert found == sorted(found)
    assert all(min(heights) <= level <= max(heights) for level in found)
    assert all(b - a > 1.6 for a, b in itertools.pairwise(found))


def recorded_map() -> tuple[Path, Any]:
    """A navmesh of one storey and its map: Habitat's golden ones, or ours, which Detour answered."""
    if not SHARED_DATA.is_dir():
        return folder_of("rooms") / "scene.navmesh", arrays("rooms", "topdown")["map"]
    drawn = np.load(SHARED_DATA / "habitat-golden" / "van-gogh-room_topdown_binary.npy")
    return SHARED_DATA / "scenes" / "van-gogh-room.navmesh", drawn


def test_map_is_habitats() -> None:
    """Habitat's own map of the room, at its own height: every pixel."""
    path, drawn = recorded_map()
    navmesh = load_navmesh(path)
    assert navmesh is not None
    recorded = drawn.astype(bool)
    (storey,) = navmesh_maps(navmesh, 0.1)
    assert storey.floor.shape == recorded.shape
    # Habitat drew at the lowest height of the mesh, we at the floor's: the same floor, except what lies on furniture.
    assert not (storey.floor & ~recorded).any()
    assert np.array_equal(storey.floor, navmesh.topdown(0.1, storey.height, 0.5))


@pytest.fixture(scope="module")
def castle(released: Path) -> tuple[NavMesh, GridMap]:
    navmesh = load_navmesh(released / "scenes" / "skokloster-castle.navmesh")
    assert navmesh is not None
    (storey,) = navmesh_maps(navmesh)
    return navmesh, storey


def test_record_of_a_grid_unpacks_to_the_same_cells(castle: tuple[NavMesh, GridMap]) -> None:
    navmesh, storey = castle
    record = json.loads(json.dumps(storey.to_record()))
    bits = np.unpackbits(np.frombuffer(base64.b64decode(record["floor"]), np.uint8))
    cells = bits[: record["rows"] * record["columns"]].reshape(record["rows"], record["columns"]).astype(bool)
    assert np.array_equal(cells, storey.floor)
    area = cells.sum() * record["cell"] ** 2
    assert area == pytest.approx(navmesh.area, rel=0.05)


def test_a_point_falls_on_the_cell_that_it_stands_on(castle: tuple[NavMesh, GridMap]) -> None:
    navmesh, storey = castle
    points = navmesh.random_points(500, seed=4)
    x, z = storey.origin
    columns = ((points[:, 0] - x) / storey.meters_per_pixel).astype(int)
    rows = ((points[:, 2] - z) / storey.meters_per_pixel).astype(int)
    last_row, last_column = np.array(storey.floor.shape) - 1
    assert storey.floor[rows.clip(0, last_row), columns.clip(0, last_column)].mean() > 0.95


def test_graph_storeys() -> None:
    positions = {"a": (0.0, 1.5, 0.0), "b": (2.0, 1.5, 0.0), "c": (2.0, 4.5, 1.0), "d": (4.0, 4.5, 1.0)}
    edges = {"a": {"b": 2.0}, "b": {"a": 2.0, "c": 3.2}, "c": {"b": 3.2, "d": 2.0}, "d": {"c": 2.0}}
    low, high = graph_maps(NavigationGraph("s", positions, edges, dict.fromkeys(positions, 1.5)))
    assert (low.height, high.height) == (1.5, 4.5)
    assert len(low.nodes) == 3
    assert len(low.edges) == 2
    assert high.nodes.tolist() == [[200, 150, 0], [200, 450, 100], [400, 450, 100]]
    assert len(graph_maps(NavigationGraph("s", {}, {}, {}))) == 0


class Disc:
    """A simulator that only answers is_navigable: a disc of 2 m at height 0."""

    def is_navigable(self, position: tuple[float, float, float]) -> bool:
        return bool(np.hypot(position[0], position[2]) < 2)


def test_a_simulator_without_geometry_is_asked() -> None:
    (storey,) = probed_maps(Disc(), [(-1.9, 0.0, 0.0), (1.9, 0.0, 0.0), (0.0, 0.0, 1.9)])  # type: ignore[arg-type]
    record = storey.to_record()
    assert record["kind"] == "grid"
    floor = storey.floor  # type: ignore[union-attr]
    assert floor.sum() * 0.25**2 == pytest.approx(np.pi * 4 * 0.72, rel=0.15)
    assert probed_maps(Disc(), []) == []  # type: ignore[arg-type]
    (wide,) = probed_maps(Disc(), [(0.0, 0.0, 0.0), (500.0, 0.0, 500.0)])  # type: ignore[arg-type]
    assert wide.to_record()["kind"] == "none"


def plane(side: int) -> tuple[np.ndarray, np.ndarray]:
    x, z = np.meshgrid(np.linspace(0, 4, side), np.linspace(0, 4, side))
    places = np.stack([x.ravel(), 0 * x.ravel(), z.ravel()], axis=1)
    index = np.arange(side * side).reshape(side, side)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]
    return places, np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, c, b), (b, c, d))])


def area(places: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = np.moveaxis(places[triangles], 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def test_decimation_keeps_a_floor_whole() -> None:
    places, triangles = plane(101)
    vertices, kept, source = clustered(places, triangles, 0.25)
    assert len(kept) < len(triangles) / 20
    assert len(source) == len(kept)
    assert area(vertices, kept) == pytest.approx(16.0, rel=0.15)


def test_mesh_is_small_and_coloured() -> None:
    places, triangles = plane(160)
    texture = np.zeros((2, 2, 4), np.uint8)
    texture[:, 0] = (200, 0, 0, 255)
    texture[:, 1] = (0, 0, 200, 255)
    scene = Scene(
        name="plane",
        positions=places.astype(np.float32),
        triangles=triangles.astype(np.int32),
        material_ids=np.zeros(len(triangles), np.int32),
        materials=(Material(texture=0),),
        uvs=(places[:, [0, 2]] / 4.001).astype(np.float32),
        textures=(texture,),
    )
    colours = triangle_colours(scene)
    middle = places[triangles].mean(axis=1)[:, 0]
    assert (colours[middle < 1.9] == (200, 0, 0)).all()
    assert (colours[middle > 2.1] == (0, 0, 200)).all()
    whole, small = scene_mesh(scene), scene_mesh(scene, most=18_000)
    assert whole is not None
    assert small is not None
    assert len(whole.parts["triangles"]) == 12 * len(triangles)
    assert whole.head["textures"] == ["image/jpeg"]
    corners = np.frombuffer(small.parts["triangles"], "<u4")
    assert len(corners) <= 3 * 2000
    assert small.head["textures"] == []
    assert corners.max() < len(small.parts["places"]) // 8
    assert len(zlib.compress(b"".join(small.parts.values()))) < 18_000


def test_a_plan_has_the_rooms_of_a_home_and_the_floor_of_a_scan() -> None:
    world = make_world(*HOME)
    scene, navmesh = world.scene(), NavMesh.from_bytes(world.navmesh())
    (storey,) = navmesh_maps(navmesh, scene=scene)
    plan = storey.to_record()["plan"]
    assert [room[0] for room in plan["rooms"]] == [region.category for region in scene.regions]
    first = scene.regions[0]
    box = (first.low[0], first.low[2], first.high[0], first.high[2])
    assert plan["rooms"][0][1:] == pytest.approx([100 * value for value in box], abs=0.51)
    assert "floor" not in plan
    (bare,) = navmesh_maps(navmesh)
    record = bare.to_record()["plan"]
    assert not record["boxes"]
    flat = [np.array(polygon).reshape(-1, 2) / 100 for polygon in record["floor"]]
    rolled = [np.roll(polygon, -1, axis=0) for polygon in flat]
    area = sum(abs((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum()) / 2 for p, q in zip(flat, rolled, strict=True))
    assert area == pytest.approx(max(island.area for island in navmesh.islands), rel=0.05)


def test_a_scene_without_triangles_has_no_mesh() -> None:
    empty = Scene("empty", np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32), np.zeros(0, np.int32), ())
    assert scene_mesh(empty) is None
