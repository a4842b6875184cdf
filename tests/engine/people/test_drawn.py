"""People in frames against the renderer itself: the same posed bodies as triangles of the scene."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from nav_eval.engine.people.figure import figure
from nav_eval.engine.people.kinds import Posed
from nav_eval.engine.people.overlay import bent, bones_of
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.render.cpu import CpuRenderer
from nav_eval.engine.render.prepared import build
from nav_eval.engine.scene.scene import Material, Scene

LENS = Lens(160, 120, 79)
OUTPUTS = ("rgb", "depth", "semantic", "normal")
EYE = (0.0, 1.25, 0.0)
PEOPLE = [
    Posed(3, 77, (-0.5, 0.0, -2.2), 2.5, 0.1, 1.0),
    Posed(9, 78, (0.4, 0.0, -2.6), 0.3, 0.6, 0.8),
    Posed(21, 79, (0.1, 0.0, -4.5), -1.5, 0.3, 0.0),
]


def hall() -> Scene:
    """A floor, and a pillar that hides half of the first person."""
    points = [
        (-9, 0, 9), (9, 0, 9), (9, 0, -9), (-9, 0, -9),
        (-0.9, 0, -1.5), (-0.5, 0, -1.5), (-0.5, 3, -1.5), (-0.9, 3, -1.5),
    ]  # fmt: skip
    return Scene(
        name="hall",
        positions=np.array(points, np.float32),
        triangles=np.array([(0, 1, 2), (0, 2, 3), (4, 5, 6), (4, 6, 7)], np.int32),
        material_ids=np.zeros(4, np.int32),
        materials=(Material(base_color=(0.7, 0.6, 0.5, 1.0)),),
        object_ids=np.array([1, 1, 2, 2], np.int32),
    )


def peopled(scene: Scene) -> Scene:
    """The same with the bodies as a part of the scene."""
    points, triangles, ids = [scene.positions], [scene.triangles], [scene.object_ids]
    count = len(scene.positions)
    for person in PEOPLE:
        body = figure(person.look, 4)
        points.append(bent(body, bones_of(person, body)).astype(np.float32))
        triangles.append(body.solid.triangles + count)
        ids.append(np.full(len(body.solid.triangles), person.object_id, np.int32))
        count += len(points[-1])
    every = np.concatenate(triangles).astype(np.int32)
    materials = np.zeros(len(every), np.int32)
    objects = np.concatenate(ids)
    return replace(scene, positions=np.concatenate(points), triangles=every, material_ids=materials, object_ids=objects)


@pytest.fixture(scope="module")
def frames():
    """With the people laid over, as a part of the scene, and without them."""
    over, within = (CpuRenderer(build(scene), LENS, OUTPUTS) for scene in (hall(), peopled(hall())))
    return over.render(EYE, 0.0, -0.15, people=PEOPLE), within.render(EYE, 0.0, -0.15), over.render(EYE, 0.0, -0.15)


def test_depth_ids_and_normals_are_those_of_the_same_triangles_in_the_scene(frames) -> None:
    over, within, _ = frames
    assert {77, 78, 79} <= set(np.unique(within.semantic))
    assert (over.semantic != within.semantic).sum() <= 3  # where two surfaces are equally near
    same = (over.semantic == within.semantic) & (within.depth > 0)
    assert np.allclose(over.depth[same], within.depth[same], rtol=2e-4)  # corners are snapped to 1/256 pixel
    turned = (over.normal[same] * within.normal[same]).sum(axis=-1)
    assert (turned > 0.99).mean() > 0.998


def test_what_nobody_stands_before_stays_bit_by_bit(frames) -> None:
    over, _, empty = frames
    building = over.semantic < 77
    for name in ("depth", "semantic", "normal"):
        assert np.array_equal(getattr(over, name)[building], getattr(empty, name)[building])
    wall = over.semantic == 2
    assert np.array_equal(over.rgb[wall], empty.rgb[wall])
    changed = (over.rgb != empty.rgb).any(axis=-1) & building
    assert 20 < changed.sum() < 0.2 * changed.size, "the shadows under three bodies, and nothing else"
    assert (over.rgb[changed].astype(int) <= empty.rgb[changed]).all()


def test_bodies_are_lit_from_above(frames) -> None:
    over, _, _ = frames
    seen = (over.semantic == 78) & (over.depth < 3.5)
    up, down = (over.rgb[seen & side].mean() for side in (over.normal[..., 1] > 0.3, over.normal[..., 1] < -0.3))
    assert up > 1.1 * down


def test_people_in_a_batch_are_those_of_single_views() -> None:
    """Also where nothing but the semantics is drawn."""
    prepared = build(hall())
    frame = CpuRenderer(prepared, LENS, ("semantic",)).render(EYE, 0.0, people=PEOPLE)
    assert {77, 78, 79} <= set(np.unique(frame.semantic))
    renderer = CpuRenderer(prepared, LENS, ("rgb", "depth"))
    alone = [
        renderer.render(EYE, yaw, 0.0, 0.0, people) for yaw, people in ((0.0, PEOPLE), (0.3, PEOPLE[:1]), (0.0, ()))
    ]
    batch = renderer.render_batch([EYE] * 3, [0.0, 0.3, 0.0], None, [PEOPLE, PEOPLE[:1], ()])
    for one, other in zip(alone, batch, strict=True):
        assert np.array_equal(one.rgb, other.rgb)
        assert np.array_equal(one.depth, other.depth)


def test_a_camera_inside_somebody_or_facing_away_draws_on() -> None:
    renderer = CpuRenderer(build(hall()), LENS, OUTPUTS)
    here = Posed(0, 5, (0.0, -0.2, 0.05), 0.0)
    assert np.isfinite(renderer.render(EYE, 0.0, people=[here]).depth).all()
    behind = renderer.render(EYE, math.pi, people=PEOPLE)
    for name in OUTPUTS:
        assert np.array_equal(getattr(behind, name), getattr(renderer.render(EYE, math.pi), name))
