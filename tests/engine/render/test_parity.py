"""Both renderers against frames that Habitat recorded, against cast rays, and against each other."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.render.shapes import WALL_UVS, cast, make_scene, rays, room, wall
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.people.kinds import Posed
from nav_eval.engine.render.frame import OUTPUTS, Frame
from nav_eval.engine.render.opengl import OpenGLRenderer, create_context
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.scene import load_scene
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.errors import ConfigError
from nav_eval.geometry import rotate, yaw_rotation
from recordings import OWN_SCENES, SCENES, arrays, file_of, folder_of


@cache
def scene_of(path: Path) -> Scene:
    return load_scene(path)


@pytest.fixture(scope="session")
def opengl() -> None:
    """Skips where OpenGL cannot start."""
    try:
        create_context().release()
    except ConfigError as error:
        pytest.skip(str(error).splitlines()[0])


def check_parity(kind: str, name: str) -> None:
    """Bounds over the six frames of a scene: 1 level on average, 100 ppm beyond 8 levels, 20 pixels beyond 1 cm."""
    if name in OWN_SCENES:
        check_against_rays(kind, name)
        return
    recorded = np.load(folder_of(name) / "frames.npz")
    renderer = make_renderer(kind, scene_of(file_of(name)), hfov=float(recorded["hfov_deg"]))
    wrong = []
    for rgb, depth, pose, yaw in zip(recorded["rgb"], recorded["depth"], recorded["cam_to_world"], recorded["yaw"]):
        frame = renderer.render(pose[:3, 3], float(yaw))
        difference = abs(rgb.astype(int) - frame.rgb)
        assert difference.mean() <= 1.0
        assert np.median(abs(depth - frame.depth)) < 1e-4
        assert (abs(depth - frame.depth) > 0.01).sum() <= 20
        wrong.append((difference.max(axis=-1) > 8).mean())
    # Where two surfaces lie within one step of a float32 depth buffer, which one shows is noise, so the mean counts.
    assert np.mean(wrong) <= 100e-6
    renderer.close()


LENS: Any = {"width": 120, "height": 90, "hfov": 79.0}
AXES: Any = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]


@cache
def cast_views(name: str) -> list[tuple[tuple[float, float, float], float, NDArray[np.float64], NDArray[np.int64]]]:
    """Six views of a scene of ours, each towards another place of it: eye, yaw, depth and the triangle that is met."""
    scene, asked = scene_of(file_of(name)), arrays(name, "nav")
    triangles = scene.positions[scene.triangles].astype(np.float64)
    views = []
    for start, end in zip(asked["start"][:6].tolist(), asked["end"][:6].tolist(), strict=True):
        eye, yaw = (start[0], start[1] + 1.25, start[2]), math.atan2(start[0] - end[0], start[2] - end[2])
        camera = np.array([rotate(yaw_rotation(yaw), axis) for axis in AXES])
        found = cast((triangles - eye) @ camera.T, rays(**LENS).reshape(-1, 3))
        views.append((eye, yaw, found[0].reshape(90, 120), found[1].reshape(90, 120)))
    return views


def check_against_rays(kind: str, name: str) -> None:
    """Depth, surface and colour of six small frames of a scene of ours.

    All but two pixels of a frame, whose centres may lie on an edge, where either surface is right.
    """
    scene = scene_of(file_of(name))
    scene = replace(scene, object_ids=scene.material_ids + 1)
    colours = np.array([[0.0, 0.0, 0.0], *(material.base_color[:3] for material in scene.materials)])
    renderer = make_renderer(kind, scene, outputs=OUTPUTS, **LENS)
    shown: set[int] = set()
    for eye, yaw, depth, seen in cast_views(name):
        surface = np.where(seen < 0, 0, scene.material_ids[seen] + 1)
        frame = renderer.render(eye, yaw)
        right = (frame.semantic == surface) & (abs(frame.depth - depth) < 1e-4)
        assert (~right).sum() <= 2
        assert abs(frame.rgb - 255 * colours[surface])[right].max() <= 1.0
        shown |= {*surface.ravel().tolist()}
    assert shown - {0} == {*(scene.material_ids + 1).tolist()}
    renderer.close()


@pytest.mark.parametrize("name", SCENES)
def test_cpu_frames_are_habitats(name: str) -> None:
    check_parity("cpu", name)


@pytest.mark.usefixtures("opengl")
@pytest.mark.parametrize("name", SCENES)
def test_opengl_frames_are_habitats(name: str) -> None:
    check_parity("opengl", name)


def differences(a: Frame, b: Frame) -> np.ndarray[Any, Any]:
    """Each of the four bounds' quantities in units of the bound."""
    rgb = abs(a.rgb.astype(int) - b.rgb)
    depth = abs(a.depth - b.depth)
    return np.array(
        [rgb.mean() / 1.0, (rgb.max(axis=-1) > 8).mean() / 100e-6, np.median(depth) / 1e-4, (depth > 0.01).sum() / 20]
    )


@pytest.mark.usefixtures("opengl")
@pytest.mark.parametrize("poses", [25, pytest.param(200, marks=pytest.mark.soak)])
def test_cpu_and_opengl_agree_on_random_poses(released: Path, poses: int) -> None:
    """Positions anywhere in the building, also inside furniture and a centimetre from walls; any pitch and roll."""
    rng = np.random.default_rng(11)
    found = []
    for name in ("house_200k", "gz_aws_small_house", "gz_cafe"):
        scene = scene_of(released / "scenes" / f"{name}.glb")
        cpu, gl = (make_renderer(kind, scene, hfov=79) for kind in ("cpu", "opengl"))
        file = released / "habitat-parity" / name / "scene.navmesh"
        points = NavMesh.from_bytes(file.read_bytes()).random_points(200, seed=1)
        for _ in range(poses):
            place = points[rng.integers(len(points))] + np.array([0, rng.uniform(0.02, 2.0), 0])
            angles = rng.uniform(-np.pi, np.pi), rng.uniform(-1.5, 1.5), rng.uniform(-0.5, 0.5)
            found.append(differences(cpu.render(place, *angles), gl.render(place, *angles)))
        gl.close()
    worst = np.array(found).max(axis=1)
    assert (worst <= 1.0).mean() >= 0.99, np.array(found)[worst > 1.0].round(2).tolist()
    assert worst.max() <= 10.0


@pytest.mark.usefixtures("opengl")
def test_people_look_the_same_on_both() -> None:
    """Near and far, standing and walking, lit and in the dark, with their shadows, in the bounds of random poses."""
    scene, rng = room(3), np.random.default_rng(3)
    both = [make_renderer(kind, scene, width=320, height=240, hfov=79, outputs=OUTPUTS) for kind in ("cpu", "opengl")]  # type: ignore[arg-type]
    floor = float(scene.positions[:, 1].min())
    for _ in range(2):
        people = [
            Posed(
                k, 100 + k, (rng.uniform(-0.6, 0.6) * far, floor, -far), rng.uniform(-3, 3), rng.random(), k / 4, light
            )
            for k, (far, light) in enumerate([(0.6, (1.0, 0.9, 0.8)), (1.5, (0.1, 0.1, 0.2)), (3.0, (1.0, 1.0, 1.0))])
        ]
        eye = (0, floor + 1.25, 0)
        batches = [each.render_batch([eye] * 2, [0.2, 0.2], [-0.3, -0.3], [people, ()]) for each in both]
        for a, b, some in zip(*batches, (True, False), strict=True):
            assert (a.semantic >= 100).any() == some
            assert (a.semantic != b.semantic).mean() < 5e-4
            assert (differences(a, b) <= [1.0, 10.0, 1.0, 1.0]).all()
            assert ((a.normal * b.normal).sum(axis=-1) < 0.99).mean() < 0.01
        floors = (batches[0][0].semantic < 100) & (batches[0][1].semantic < 100)
        for peopled, empty in batches:
            assert peopled.rgb[floors].min() < 0.8 * empty.rgb[floors].min(), "the shadows"
    both[1].close()


@pytest.mark.usefixtures("opengl")
def test_odd_materials_look_the_same_on_both() -> None:
    rng = np.random.default_rng(2)
    count = 60
    corners = rng.normal(0, 1.5, (count, 1, 3)) + np.array([0, 0, -5]) + rng.normal(0, 0.8, (count, 3, 3))
    textures = tuple(rng.integers(0, 256, (h, w, 4), dtype=np.uint8) // 64 * 64 for h, w in ((4, 4), (5, 9), (1, 2)))
    materials = [
        Material(texture=0, double_sided=True, base_color=(0.4, 0.9, 1, 1)),
        Material(texture=1, wrap=("mirror", "clamp"), double_sided=True),
        Material(texture=2, wrap=("repeat", "mirror")),
        Material(base_color=(0.3, 0.5, 0.7, 0.2), alpha_mode="blend", double_sided=True),
        Material(texture=0, lightmap=1, base_color=(1, 0.6, 1, 1)),
    ]
    scene = make_scene(
        corners, materials=materials, material_ids=rng.integers(0, 5, count),
        uvs=rng.uniform(-2, 3, (count * 3, 2)).astype(np.float32),
        light_uvs=rng.uniform(0, 1, (count * 3, 2)).astype(np.float32),
        colors=rng.integers(100, 256, (count * 3, 4), dtype=np.uint8), textures=textures,
        object_ids=rng.integers(0, 9, count).astype(np.int32),
    )  # fmt: skip
    for shading in ("unlit", "headlight"):
        both = [
            make_renderer(kind, scene, width=203, height=149, hfov=70, outputs=OUTPUTS, shading=shading)  # type: ignore[arg-type]
            for kind in ("cpu", "opengl")
        ]
        a, b = (renderer.render((0, 0, 0), 0.1, 0.05) for renderer in both)
        assert abs(a.rgb.astype(int) - b.rgb).mean() < 1.0
        assert (abs(a.rgb.astype(int) - b.rgb).max(axis=-1) > 12).mean() < 0.002
        assert (a.semantic != b.semantic).mean() < 1e-3
        assert (abs(a.normal - b.normal).max(axis=-1) > 0.02).mean() < 0.01
        assert (abs(a.depth - b.depth) > 1e-3).mean() < 1e-3


@pytest.mark.usefixtures("opengl")
def test_masks_agree() -> None:
    texture = np.full((32, 32, 4), 255, np.uint8)
    texture[..., 3] = np.random.default_rng(0).integers(0, 2, (8, 8)).repeat(4, 0).repeat(4, 1) * 255
    both = np.concatenate([wall(-3.0), wall(-2.0, half=2.0)])
    materials = [Material(base_color=(1, 0, 0, 1)), Material(texture=0, alpha_mode="mask", alpha_cutoff=0.4)]
    uvs = np.concatenate([np.zeros((6, 2), np.float32), WALL_UVS])
    scene = make_scene(both, materials=materials, material_ids=[0, 0, 1, 1], uvs=uvs, textures=(texture,))
    a, b = (make_renderer(kind, scene, width=200, height=160).render((0, 0, 0), 0.2, 0.1) for kind in ("cpu", "opengl"))
    assert (abs(a.depth - b.depth) > 1e-3).mean() < 2e-3


@pytest.mark.usefixtures("opengl")
def test_opengl_batches_answer_as_single_views() -> None:
    rng = np.random.default_rng(4)
    gl = make_renderer("opengl", room(2), width=60, height=2000, outputs=OUTPUTS, shading="auto")
    places, yaws, pitches = rng.uniform(-1, 1, (9, 3)), rng.uniform(-3, 3, 9), rng.uniform(-1, 1, 9)
    batch = gl.render_batch(places, yaws, pitches)
    for frame, place, yaw, pitch in zip(batch, places, yaws, pitches):
        single = gl.render(place, yaw, pitch)
        for name in OUTPUTS:  # the place in the framebuffer changes the last bit of what is interpolated
            assert np.percentile(abs(getattr(frame, name) - getattr(single, name).astype(float)), 99.9) <= 1.0
    assert isinstance(gl, OpenGLRenderer)
    assert gl.device
    gl.close()
    gl.close()
    with pytest.raises(ConfigError, match="closed"):
        gl.render((0, 0, 0), 0.0)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    moderngl = pytest.importorskip("moderngl")

    def fail(**_: Any) -> None:
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setattr(moderngl, "create_context", fail)
    with pytest.raises(ConfigError, match=r"nav-eval\[gl\].*libegl1 libgl1-mesa-dri"):
        create_context()
