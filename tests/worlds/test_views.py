"""Pictures for people: sizes, rooms in their places, and views that show something."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import SceneError
from nav_eval.report.views import contact_sheet, floor_plan, room_view, view_image
from nav_eval.worlds.plan import Kind
from nav_eval.worlds.world import World

MakeWorld = Callable[[int, int, int, Kind], World]


def test_a_view_shows_the_room(make_world: MakeWorld) -> None:
    scene = make_world(2, 7, 1, "home").scene()
    position, yaw = room_view(scene, scene.regions[0])
    picture = np.asarray(view_image(scene, position, yaw, size=(96, 64)))
    assert picture.shape == (64, 96, 3)
    assert picture.std() > 20
    assert (picture.max(axis=2) > 0).mean() > 0.99


def test_the_plan_colours_each_room_where_it_lies(make_world: MakeWorld) -> None:
    scene = make_world(7, 9, 2, "home").scene()
    for storey in (0, 1):
        own = [r for r in scene.regions if r.storey == storey]
        plan = floor_plan(scene, storey, 50)
        wide = max(r.high[0] for r in own) - min(r.low[0] for r in own) + 0.8
        assert plan.width == pytest.approx(wide * 50, abs=1)
    with pytest.raises(SceneError, match="no storey 2"):
        floor_plan(scene, 2)


def test_a_sheet_has_a_picture_of_each_room(make_world: MakeWorld) -> None:
    scene = make_world(2, 7, 1, "home").scene()
    sheet = contact_sheet(scene, 3, (80, 60))
    assert sheet.size == (240, 60 * -(-len(scene.regions) // 3))


def test_a_scene_without_rooms_is_refused() -> None:
    empty = np.zeros((0, 3))
    scene = Scene("bare", empty.astype(np.float32), empty.astype(np.int32), np.zeros(0, np.int32), ())
    for ask in (contact_sheet, floor_plan):
        with pytest.raises(SceneError, match="bare"):
            ask(scene)
