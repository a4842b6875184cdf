"""Windows are holes, and nothing else is: what is seen through them is the sky, and no light comes through a crack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nav_eval.engine.render.prepared import build
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.scene.load import load_scene
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval_worlds.light.daylight import draw_daylight
from nav_eval_worlds.outside.canvas import SIDE
from nav_eval_worlds.outside.exteriors import SITES
from nav_eval_worlds.outside.sky import make_sky
from nav_eval_worlds.plan.floor_plan import Plan, wall_line
from nav_eval_worlds.world import World, generate_world
from worlds.buildings import ATTIC, HOME, RELEASED, Case, make_world

OUT = 180
"""From a room's face to the outer end of a window's hole, mm."""


def glazed(world: World) -> Scene:
    """The world with a pane in the outer end of each window's hole, seen from both sides; without its sky."""
    scene = world.scene()
    corners = [scene.positions]
    for window in world.plan.windows:
        room = world.plan.room(window.room)
        at = wall_line(room.clear, window.side)[0] + OUT * (-1 if window.side in "nw" else 1)
        a, b, low, top = window.low - 6, window.high + 6, room.base + window.sill - 6, room.base + window.top + 6
        pane = np.array([(a, low, at), (b, low, at), (b, top, at), (a, top, at)], np.float32) / 1000
        corners.append(pane if window.side in "ns" else pane[:, ::-1])
    first = len(scene.positions) + 4 * np.arange(len(world.plan.windows))
    panes = first[:, None, None] + np.array([(0, 1, 2), (0, 2, 3), (0, 2, 1), (0, 3, 2)])
    triangles = np.concatenate([scene.triangles, panes.reshape(-1, 3).astype(np.int32)])
    return Scene("glazed", np.concatenate(corners), triangles, np.zeros(len(triangles), np.int32), (Material(),))


def holes(world: World, views: int, seed: int) -> int:
    """Pixels without a surface in random views of the glazed world."""
    camera = make_renderer("cpu", build(glazed(world)), width=160, height=120, hfov=90, outputs=("depth",))
    places, yaws, pitches = _poses(world.plan, views, np.random.default_rng(seed))
    return sum(int((camera.render(p, y, t).depth == 0).sum()) for p, y, t in zip(places, yaws, pitches, strict=True))


def _poses(
    plan: Plan, views: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Between the walls of rooms, and not above a sloping ceiling."""
    places: list[tuple[float, float, float]] = []
    while len(places) < views:
        room = plan.rooms[int(rng.integers(len(plan.rooms)))]
        r, off = room.clear, 150
        x, z = rng.uniform(r.x0 + off, r.x1 - off), rng.uniform(r.z0 + off, r.z1 - off)
        if room.slope is None or not room.slope.grown(off).holds(x, z):
            places.append((x / 1000, (room.base + rng.uniform(800, 1700)) / 1000, z / 1000))
    return np.asarray(places), rng.uniform(-np.pi, np.pi, views), rng.uniform(-0.5, 0.5, views)


@pytest.mark.parametrize("case", [HOME, ATTIC])
def test_a_glazed_home_has_no_pinhole(case: Case) -> None:
    assert holes(make_world(*case), 150, int(case[0])) == 0


@pytest.mark.soak
def test_ten_thousand_views_of_twenty_homes_have_no_pinhole() -> None:
    for seed in range(20):
        world = generate_world(f"soak{seed}", 6 + seed % 5, 1 + seed % 2, "office" if seed % 5 == 4 else "home", 60_000)
        assert holes(world, 500, seed) == 0, (seed, world.plan.grammar)


def test_one_looks_through_windows_and_nothing_is_there() -> None:
    world = make_world(*RELEASED[0])
    camera = make_renderer("cpu", build(world.scene()), width=64, height=48, outputs=("rgb", "depth", "semantic"))
    window = world.plan.windows[0]
    room = world.plan.room(window.room)
    line, _, _ = wall_line(room.clear, window.side)
    height, along = (room.base + (window.sill + window.top) / 2) / 1000, (window.low * 2 + window.high) / 3000
    x, z = ((centre + 4 * line) / 5000 for centre in room.clear.centre)
    eye = (along, height, z) if window.side in "ns" else (x, height, along)
    frame = camera.render(eye, {"n": 0.0, "w": np.pi / 2, "s": np.pi, "e": -np.pi / 2}[window.side])
    assert frame.depth[24, 32] == 0
    assert frame.semantic[24, 32] == 0
    assert frame.rgb[24, 32].any()


def test_the_sky_comes_back_from_the_file(tmp_path: Path) -> None:
    world = make_world(*RELEASED[0])
    sky: Any = load_scene(world.save(tmp_path)).sky
    assert sky.above == world.sky.above == (0.0, world.plan.pitch / 1000)
    assert np.array_equal(sky.faces, world.sky.faces)


def test_eight_exteriors_follow_the_hour() -> None:
    assert len(SITES) >= 8
    worlds = [make_world(*case) for case in RELEASED]
    skies = [(world.daylight, world.sky) for world in worlds]
    for hour in ("afternoon", "overcast", "evening"):
        days = (draw_daylight(f"{hour}{number}", "home") for number in range(100))
        day = next(day for day in days if day.hour == hour)
        skies.append((day, make_sky("any", worlds[1].plan, day)))
    bright = {day.hour: float(sky.faces[0, 4, ..., :3].mean()) for day, sky in skies}
    assert len(bright) == 5
    assert bright.pop("evening") < 60 < min(bright.values())


def test_the_side_faces_meet() -> None:
    """The sky goes on from one face to the next: the last column of one and the first of that to its right."""
    faces = make_world(*RELEASED[0]).sky.faces[0, :4, : SIDE // 4, :, :3].astype(int)
    for left, right in ((1, 0), (0, 3), (3, 2), (2, 1)):
        assert np.abs(faces[left, :, -1] - faces[right, :, 0]).mean() < 3
