"""Each sensor on a real scene, against what the simulator knows."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

import nav_eval
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.dataset.episode import Episode, Goal, ImageGoal, Instruction
from nav_eval.engine.navmesh.mesh import load_navmesh
from nav_eval.errors import ConfigError
from nav_eval.geometry import euclidean, yaw_rotation
from nav_eval.simulator.backends.custom import CustomBackend
from nav_eval.simulator.sensors.noise import make_noise
from nav_eval.testing import FakeSimulator, fake_episode

SMALL = {"width": 64, "height": 48}
SUITE = {
    "rgb": SMALL,
    "depth": SMALL,
    "semantic": SMALL,
    "objects": SMALL,
    "gps": {},
    "compass": {},
    "heading": {},
    "instruction": {},
    "collision": {},
    "proximity": {},
    "pointgoal": {},
    "objectgoal": {},
    "imagegoal": SMALL,
    "panorama": {"width": 64},
    "views": {"type": "panorama", "width": 32, "height": 24, "options": {"kind": "views12"}},
    "depth_panorama": {"width": 64, "normalize": True},
    "depths": {"type": "depth_panorama", "width": 32, "height": 24, "options": {"kind": "views36"}},
}


@pytest.fixture(scope="module")
def cafe(released, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cafe")
    shutil.copy(released / "scenes" / "gz_cafe.glb", folder / "cafe.glb")
    shutil.copy(released / "habitat-parity" / "gz_cafe" / "scene.navmesh", folder / "cafe.navmesh")
    return folder / "cafe.glb"


@pytest.fixture
def episode(cafe):
    mesh = load_navmesh(cafe.with_suffix(".navmesh"))
    begin, end = mesh.random_point(seed=1, island=0), mesh.random_point(seed=2, island=0)
    return Episode(
        episode_id="7",
        scene_id="cafe.glb",
        start_position=begin,
        start_rotation=yaw_rotation(0.7),
        instruction=Instruction(text="Find the chair.", tokens=("find", "the", "chair", ".")),
        goals=(Goal(position=end, category="chair"),),
    )


def simulator(cafe, sensors=SUITE, **settings):
    return nav_eval.make_simulator("custom", scene=cafe, sensors=sensors, **settings)


def test_every_reading_fits_its_spec_at_every_step(cafe, episode):
    sim = simulator(cafe)
    seen = [sim.reset(episode)] + [sim.step(name) for name in ("move_forward", "turn_left", "look_up", "stop")]
    for observations in seen:
        faults = {name: spec.fault(observations[name]) for name, spec in sim.observation_spec.items()}
        assert set(faults.values()) == {None}, faults


def test_gps_compass_and_pointgoal_follow_the_pose(cafe, episode):
    sim = simulator(cafe, {"gps": {}, "compass": {}, "pointgoal": {}, "heading": {}})
    first = sim.reset(episode)
    assert first["gps"].tolist() == [0, 0]
    assert first["heading"][0] == pytest.approx(0.7, abs=1e-6)
    goal = episode.goals[0].position
    begin = episode.start_position
    flat = math.hypot(goal[0] - begin[0], goal[2] - begin[2])
    assert first["pointgoal"][0] == pytest.approx(flat, rel=1e-5)
    seen = sim.step("turn_left")
    assert seen["compass"][0] == pytest.approx(math.radians(15), abs=1e-6)
    assert math.remainder(seen["pointgoal"][1] - (first["pointgoal"][1] - math.radians(15)), 2 * math.pi) < 1e-5
    step = sim.advance(Action("move_forward"))
    seen, state = sim.observe(), sim.get_agent_state()
    walked = euclidean((state.position[0], 0, state.position[2]), (begin[0], 0, begin[2]))
    assert np.hypot(*seen["gps"]) == pytest.approx(walked, abs=1e-5)
    if not step.collided:
        assert math.atan2(-seen["gps"][1], seen["gps"][0]) == pytest.approx(math.radians(15), abs=1e-3)


def test_depth_is_clipped_and_normalised(cafe, episode):
    raw, clipped, unit = (
        simulator(cafe, {"depth": SMALL | more}).reset(episode)["depth"]
        for more in ({"max_depth": 50.0}, {"min_depth": 0.5, "max_depth": 3.0}, {"max_depth": 4.0, "normalize": True})
    )
    assert np.array_equal(clipped, np.clip(raw, 0.5, 3.0))
    assert np.allclose(unit, np.clip(raw, 0, 4.0) / 4.0)


@pytest.mark.parametrize("more", [{}, {"min_depth": 1.0, "max_depth": 3.0, "normalize": True}])
def test_a_depth_panorama_shows_what_a_depth_camera_sees_once_turned_there(cafe, episode, more):
    plain = SMALL | {"hfov": 70.0} | more
    around = plain | {"type": "depth_panorama", "options": {"kind": "views36"}}
    sim = simulator(cafe, {"depth": plain, "around": around}, motion={"turn_angle": 30.0, "tilt_angle": 30.0})
    seen = sim.reset(episode)["around"]
    for row, tilt in ((0, "look_down"), (1, None), (2, "look_up")):
        turned = sim.reset(episode)["depth"] if tilt is None else (sim.reset(episode), sim.step(tilt))[1]["depth"]
        for heading in range(12):
            assert np.allclose(seen[12 * row + heading], turned, atol=1e-4)
            turned = sim.step("turn_right")["depth"]
    level = {"depths": around | {"options": {"kind": "views12"}}}
    assert np.array_equal(simulator(cafe, level).reset(episode)["depths"], seen[12:24])


def test_a_depth_cube_has_a_depth_cameras_faces_and_the_sphere_their_rays(cafe, episode):
    side = {"width": 64, "height": 64, "hfov": 90.0, "max_depth": 50.0}
    sensors = {
        "depth": side,
        "cube": {"type": "depth_panorama", "width": 64, "max_depth": 50.0, "options": {"kind": "cube"}},
        "sphere": {"type": "depth_panorama", "width": 256, "max_depth": 100.0},
    }
    sim = simulator(cafe, sensors, motion={"turn_angle": 90.0})
    first = sim.reset(episode)
    sphere, depth = first["sphere"][..., 0], first["depth"]
    for face in range(4):
        assert np.allclose(first["cube"][face], depth, atol=1e-4)
        depth = sim.step("turn_left")["depth"]
    column, row = 150, 60  # 22 columns to the right of the middle, 4 rows above the horizon
    yaw, up = (column + 0.5 - 128) / 256 * 2 * math.pi, math.pi / 2 - (row + 0.5) / 128 * math.pi
    ray = np.array([math.cos(up) * math.sin(yaw), math.sin(up), math.cos(up) * math.cos(yaw)])
    x, y = (int((1 + ray[0] / ray[2]) * 32), int((1 - ray[1] / ray[2]) * 32))
    assert sphere[row, column] == pytest.approx(first["depth"][y, x, 0] / ray[2], rel=1e-4)


def test_rgb_and_depth_of_one_lens_are_one_frame_and_a_batch_gives_the_same(cafe, episode):
    sensors = {name: SensorConfig(**SMALL) for name in ("rgb", "depth")}
    backend = CustomBackend(SimulatorConfig(sensors=sensors, options={"scene": str(cafe)}))

    def turned(times):
        session = backend.open_session()
        session.start(episode)
        for _ in range(times):
            session.advance(Action("turn_left"))
        return session

    for times, observations in enumerate(backend.observe([turned(times) for times in range(3)])):
        single = turned(times).observe()
        assert all(np.array_equal(single[name], observations[name]) for name in single)


def test_noise_depends_on_seed_episode_and_step_alone(cafe, episode):
    sensors = {
        "rgb": SMALL | {"options": {"noise": "gaussian", "noise_multiplier": 0.5}},
        "depth": SMALL | {"options": {"noise": "redwood"}},
    }
    one, same, other = (simulator(cafe, sensors, seed=seed).reset(episode) for seed in (1, 1, 2))
    clean = simulator(cafe, {"rgb": SMALL, "depth": SMALL}).reset(episode)
    for name in sensors:
        assert np.array_equal(one[name], same[name])
        assert not np.array_equal(one[name], other[name])
    grey = np.full((64, 64, 3), 128, np.uint8)
    noisy = make_noise("gaussian", 0.5)(grey, np.random.default_rng(0))
    assert noisy.astype(float).std() == pytest.approx(0.1 * 255, rel=0.05)
    near = (clean["depth"] > 0) & (clean["depth"] < 3)
    assert np.median(np.abs(one["depth"] - clean["depth"])[near]) < 0.1


def test_the_goal_picture_is_what_the_camera_would_see_there(cafe, episode):
    goal = episode.goals[0]
    x, y, z = goal.position
    photo = ImageGoal(position=(x, y + 1.25, z), rotation=yaw_rotation(0.3), hfov=90.0, image_size=(48, 64))
    pictured = (Goal(position=goal.position, image_goals=(photo,)),)
    shown = replace(episode, goals=pictured, extra={"goal_image_id": 0})
    there = replace(episode, start_position=goal.position, start_rotation=yaw_rotation(0.3))
    picture = simulator(cafe, {"imagegoal": SMALL}).reset(shown)["imagegoal"]
    view = simulator(cafe, {"rgb": SMALL}).reset(there)["rgb"]
    assert np.array_equal(picture, view)


@pytest.mark.parametrize(
    "sensors",
    [
        {"viewpoint": {}},
        {"depth": {"min_depth": 3.0, "max_depth": 1.0}},
        {"rgb": {"options": {"noise": "salt"}}},
        {"panorama": {"options": {"kind": "round"}}},
        {"smell": {}},
        {"rgb": {"width": 0}},
        {"rgb": {"wdth": 3}},
    ],
)
def test_a_suite_that_cannot_be_is_refused(cafe, sensors):
    with pytest.raises(ConfigError):
        simulator(cafe, sensors)


def test_what_is_due_depends_on_found_not_on_looks():
    goals = tuple(Goal(position=(0.0, 0.0, -1.0), category=name) for name in ("chair", "bed", "sofa", "sink"))
    session = FakeSimulator(sensors=("objectgoal",)).open_session()
    for _ in range(2):
        session.start(replace(fake_episode(), goals=goals))
        shown = []
        for action in ("turn_left", "found", "turn_left", "found"):
            session.advance(Action(action))
            shown += [session.observe()["objectgoal"] for _ in range(3)]
        assert shown == ["chair"] * 3 + ["bed"] * 6 + ["sofa"] * 3
