"""Pictures for people: sizes, rooms in their places, and views that show something."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import SceneError
from nav_eval.report.labels import category_colour, depth_image, semantic_image
from nav_eval.report.sheet import pose_sheet, random_poses
from nav_eval.report.views import contact_sheet, floor_plan, room_view, view_image
from worlds.buildings import ATTIC, HOME, make_site, make_world


def test_a_view_shows_the_room() -> None:
    scene = make_world(*HOME).scene()
    position, yaw = room_view(scene, scene.regions[0])
    picture = np.asarray(view_image(scene, position, yaw, size=(96, 64)))
    assert picture.shape == (64, 96, 3)
    assert picture.std() > 20
    assert (picture.max(axis=2) > 0).mean() > 0.99


def test_the_plan_colours_each_room_where_it_lies() -> None:
    scene = make_world(*ATTIC).scene()
    for storey in (0, 1):
        own = [r for r in scene.regions if r.storey == storey]
        plan = floor_plan(scene, storey, 50)
        wide = max(r.high[0] for r in own) - min(r.low[0] for r in own) + 0.8
        assert plan.width == pytest.approx(wide * 50, abs=1)
    with pytest.raises(SceneError, match="no storey 2"):
        floor_plan(scene, 2)


def test_a_sheet_has_a_picture_of_each_room() -> None:
    scene = make_world(*HOME).scene()
    sheet = contact_sheet(scene, 3, (80, 60))
    assert sheet.size == (240, 60 * -(-len(scene.regions) // 3))


def test_random_poses_stand_on_the_floor_and_are_marked_on_their_storey() -> None:
    site = make_site(*ATTIC)
    poses = random_poses(site.navmesh, 12, 3, 1.25)
    assert poses == random_poses(site.navmesh, 12, 3, 1.25)
    assert all(abs(site.navmesh.snap((x, y - 1.25, z))[1] - (y - 1.25)) < 0.01 for (x, y, z), _ in poses)
    sheet = np.asarray(pose_sheet(site.scene, poses, 4, (40, 30)))
    plans = [floor_plan(site.scene, storey, 46) for storey in (0, 1)]
    marked = 0
    for plan, top in zip(plans, (0, plans[0].height + 6), strict=True):
        beside = sheet[top : top + plan.height, : plan.width]
        marked += int(((beside == (196, 30, 58)).all(axis=2)).sum())
    assert 12 * 60 < marked < 12 * 250
    assert sheet.shape[1] == max(plan.width for plan in plans) + 6 + 4 * 46 - 6


def test_depth_and_semantics_are_drawn_as_the_sensors_give_them() -> None:
    scene = make_world(*HOME).scene()
    position, yaw = room_view(scene, scene.regions[0])
    camera = make_renderer("cpu", scene, width=96, height=64, hfov=79, outputs=("depth", "semantic"))
    frame = camera.render(position, yaw)
    drawn = np.asarray(depth_image(scene, position, yaw, size=(96, 64)), int)[:64].sum(axis=2)
    hit = np.where(frame.depth > 0, frame.depth, np.inf)
    near, far = np.unravel_index(hit.argmin(), (64, 96)), np.unravel_index(frame.depth.argmax(), (64, 96))
    assert drawn[near] > drawn[far] + 100
    picture = np.asarray(semantic_image(scene, position, yaw, size=(96, 64)))
    inside = (frame.semantic[:-1, :-1] == frame.semantic[1:, :-1]) & (
        frame.semantic[:-1, :-1] == frame.semantic[:-1, 1:]
    )
    names = {thing.id: thing.category for thing in scene.objects}
    for row, column in np.argwhere(inside & (frame.semantic[:-1, :-1] > 0))[::97]:
        assert tuple(picture[row, column]) == category_colour(names[int(frame.semantic[row, column])])


def test_a_scene_without_rooms_is_refused() -> None:
    empty = np.zeros((0, 3))
    scene = Scene("bare", empty.astype(np.float32), empty.astype(np.int32), np.zeros(0, np.int32), ())
    asks: list[Callable[[], object]] = [
        lambda: contact_sheet(scene), lambda: floor_plan(scene), lambda: semantic_image(scene, (0, 0, 0), 0.0)
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(SceneError, match="bare"):
            ask()
