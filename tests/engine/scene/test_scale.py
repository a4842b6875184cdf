"""Scenes as they are: in millimetres, without colours, broken; and what `scene view` shows of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

import nav_eval
from engine.scene.made import SQUARE, simple
from nav_eval.cli import _call, scene
from nav_eval.cli.exit import guarded
from nav_eval.config.schema import SimulatorConfig
from nav_eval.dataset.episode import Episode
from nav_eval.engine.scene import Scene, load_scene, scene_info
from nav_eval.engine.scene.cache import SceneCache
from nav_eval.errors import NavmeshError, SceneError
from nav_eval.report.views import open_pose
from nav_eval.simulator.buildings import World

LONG = 14.0


def corridor(unit: float = 1.0) -> trimesh.Trimesh:
    """A closed corridor, 2.4 m wide and high, LONG along -z from the origin, with inner walls only."""
    box = trimesh.creation.box((2.4, 2.4, LONG)).subdivide().subdivide()
    box.invert()
    box.apply_translation((0.0, 1.2, -LONG / 2))
    box.apply_scale(unit)
    return box


def saved(folder: Path, name: str, unit: float = 1.0, **visual: object) -> Path:
    made = corridor(unit)
    if visual:
        made.visual = trimesh.visual.ColorVisuals(made, **visual)
    made.export(folder / name)
    return folder / name


@pytest.mark.parametrize("ending", ["ply", "obj", "glb"])
def test_millimetres_become_metres(tmp_path: Path, ending: str) -> None:
    metres = load_scene(saved(tmp_path, f"m.{ending}"), "y")
    millimetres = load_scene(saved(tmp_path, f"mm.{ending}", 1000.0), "y", 0.001)
    assert np.allclose(np.sort(millimetres.positions, axis=0), np.sort(metres.positions, axis=0), atol=1e-5)
    assert millimetres.build_navmesh().area == pytest.approx(metres.build_navmesh().area)


def test_z_up_is_scaled_too(tmp_path: Path) -> None:
    plain = load_scene(saved(tmp_path, "m.ply"), "z")
    assert np.allclose(load_scene(tmp_path / "m.ply", "z", 2.5).positions, 2.5 * plain.positions, rtol=1e-6)


def test_caches_tell_scales_apart(tmp_path: Path) -> None:
    path, cache = saved(tmp_path, "m.ply"), SceneCache()
    scenes = [cache.get(path, "y", scale) for scale in (1.0, 0.5, 1.0)]
    assert scenes[0] is scenes[2]
    assert scenes[0].digest != scenes[1].digest
    assert scenes[1].positions.max() == pytest.approx(scenes[0].positions.max() / 2)


def test_the_key_reaches_the_simulator(tmp_path: Path) -> None:
    saved(tmp_path, "mm.ply", 1000.0)
    world = World(SimulatorConfig(scenes_dir=str(tmp_path), scale=0.001), "mm.ply")
    assert np.ptp(world.scene.positions, axis=0).tolist() == pytest.approx([2.4, 2.4, LONG], rel=1e-5)
    assert world.navmesh.area > 20


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_no_length_is_refused(tmp_path: Path, scale: float) -> None:
    with pytest.raises(SceneError, match=r"scale.*0\.001 for millimetres"):
        load_scene(saved(tmp_path, "m.ply"), "y", scale)


@pytest.mark.parametrize(
    ("unit", "warned"), [(1000.0, "--scale 0.001"), (1.0, None), (0.25, None), (0.001, "--scale 1000")]
)
def test_info_warns_of_an_implausible_size(tmp_path: Path, unit: float, warned: str | None) -> None:
    notes = [note for note in scene_info(saved(tmp_path, "x.ply", unit)).notes if "for a building" in note]
    assert len(notes) == (warned is not None)
    assert warned is None or warned in notes[0]


def test_the_navmesh_error_names_the_key(tmp_path: Path) -> None:
    for unit in (5000.0, 0.001):
        with pytest.raises(NavmeshError, match=r"simulator\.scale"):
            load_scene(saved(tmp_path, "x.ply", unit), "y").build_navmesh()


def colours(count: int, *, same: bool) -> np.ndarray:
    grey = np.full((count, 4), 180, np.uint8)
    grey[:, 3] = 255
    if not same:
        grey[-1, :3] = 10
    return grey


def test_what_has_one_colour_is_bare(tmp_path: Path) -> None:
    vertices = len(corridor().vertices)
    same, other = (colours(vertices, same=same) for same in (True, False))
    assert load_scene(saved(tmp_path, "none.ply"), "y").bare
    assert load_scene(saved(tmp_path, "same.ply", vertex_colors=same), "y").bare
    assert not load_scene(saved(tmp_path, "other.ply", vertex_colors=other), "y").bare


@pytest.mark.parametrize("name", ["none.ply", "same.ply"])
def test_view_draws_what_an_agent_would_see(tmp_path: Path, name: str) -> None:
    visual = {"vertex_colors": colours(len(corridor().vertices), same=True)} if name == "same.ply" else {}
    path = saved(tmp_path, name, 1000.0, **visual)
    pose = ["--position", "0.3", "1.25", "-2", "--yaw", "20", "--size", "64", "48", "--hfov", "90"]
    view = ["scene", "view", path, *pose, "--scale", "0.001", "--up", "y", "--out", tmp_path / "view.png"]
    assert guarded(_call, list(map(str, view)), debug=False) == 0
    sensors = {"rgb": {"width": 64, "height": 48, "hfov": 90}}
    simulator = nav_eval.make_simulator("custom", scene=path, sensors=sensors, up="y", scale=0.001)
    simulator.reset(Episode(episode_id="0", scene_id="x", start_position=(0.3, 0.0, -2.0), start_rotation=TURNED))
    drawn = np.asarray(Image.open(tmp_path / "view.png"))
    assert np.array_equal(drawn, simulator.observe()["rgb"])
    assert len(np.unique(drawn.reshape(-1, 3), axis=0)) >= 4  # walls, floor and ceiling can be told apart


TURNED = (0.0, float(np.sin(np.radians(10))), 0.0, float(np.cos(np.radians(10))))


def test_the_open_view_is_along_the_corridor(tmp_path: Path) -> None:
    made = load_scene(saved(tmp_path, "m.ply"), "y")
    for z, yaw in (-1.0, 0.0), (1.0 - LONG, np.pi):
        assert open_pose(made, [(0.0, 1.25, z)])[1] == pytest.approx(yaw)
    assert open_pose(made, [(1.1, 1.25, -7.0), (0.0, 1.25, -7.0), (0.0, 9.0, -7.0)])[0] == (0.0, 1.25, -7.0)


def test_a_view_needs_no_pose(tmp_path: Path) -> None:
    scene.view(saved(tmp_path, "m.ply"), out=tmp_path / "view.png", up="y", size=(64, 48))
    assert len(np.unique(np.asarray(Image.open(tmp_path / "view.png")))) >= 4


def load(folder: Path, positions: object, triangles: object) -> Scene:
    made = simple(np.asarray(positions, np.float32), np.asarray(triangles))
    return load_scene(made.save(folder / "x.glb"))


def test_vertices_that_are_not_finite_are_dropped(tmp_path: Path) -> None:
    positions = [*SQUARE, [np.nan, 0, 0], [0, np.inf, 0], [3, 3, 3]]
    scene = load(tmp_path, positions, [[0, 1, 2], [0, 1, 4], [5, 2, 3], [2, 3, 6]])
    np.testing.assert_array_equal(
        scene.positions[scene.triangles], np.array([*SQUARE, *[[3, 3, 3]] * 3])[[[0, 1, 2], [2, 3, 6]]]
    )
    assert scene.notes == ("dropped 2 vertices that are not finite, and 2 triangles on them",)


def test_a_prop_at_343_km_is_dropped(tmp_path: Path) -> None:
    grid = np.stack([*np.meshgrid(np.arange(9), np.arange(9)), np.zeros((9, 9))], axis=-1).reshape(-1, 3)
    faces = [[i, i + 1, i + 9] for i in range(70)]
    prop = SQUARE[:3] + np.array([343_000, 0, 0])
    scene = load(tmp_path, [*grid, *prop], [*faces, [81, 82, 83]])
    assert float(scene.positions.max()) == 8
    assert len(scene.triangles) == 70
    assert "343 km" in scene.notes[0]


def test_a_large_scene_is_left_alone(tmp_path: Path) -> None:
    positions = np.random.default_rng(0).uniform(0, 4000, (99, 3))
    scene = load(tmp_path, positions, np.arange(99).reshape(-1, 3))
    assert len(scene.positions) == 99
    assert scene.notes == ()


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="no triangle is left"):
        load(tmp_path, np.full((3, 3), np.nan), [[0, 1, 2]])
    with pytest.raises(SceneError, match="km across"):
        load(tmp_path, SQUARE * 1e9, [[0, 1, 2], [0, 2, 3]])
