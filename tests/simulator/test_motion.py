"""Motion and the follower against recorded walks, Habitat's and those of its rules over Detour, and closed forms."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import truncnorm

from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval.geometry import Quaternion, Vec3, yaw_of, yaw_rotation
from nav_eval.simulator.actuation import MODELS, ActuationNoise
from nav_eval.simulator.follower import FollowerProfile, GreedyFollower, next_move
from nav_eval.simulator.motion import MotionProfile, perform, tilt, turn
from recordings import SCENES, SHARED_DATA, folder_of, read

ACTIONS = ("stop", "move_forward", "turn_left", "turn_right")


class Floor:
    """An endless floor with a wall at z = -1."""

    def step(self, start: Vec3, end: Vec3, sliding: bool = True) -> Vec3:
        return (end[0], end[1], max(end[2], -1.0))


@pytest.mark.parametrize("sliding", [True, False])
@pytest.mark.parametrize("scene", SCENES)
def test_recorded_walks(scene: str, sliding: bool) -> None:
    nav = NavMesh.from_bytes((folder_of(scene) / "scene.navmesh").read_bytes())
    walk = read(scene, f"agent_walk_{'slide' if sliding else 'noslide'}")
    profile = MotionProfile(turn_angle=math.radians(15), sliding=sliding)
    state = AgentState(tuple(walk["start"]))
    poses, flags = [], []
    for action, collided, x, y, z, qw, qx, qy, qz in walk["steps"]:
        moved = perform(nav, state, Action(ACTIONS[action]), profile)
        state = AgentState((x, y, z), (qx, qy, qz, qw))
        near = math.dist(moved.state.position, state.position) < 1e-5
        turned = 2 * math.acos(min(abs(np.dot(moved.state.rotation, state.rotation)), 1.0))
        poses.append(near and turned < 1e-3)
        flags.append(moved.collided == bool(collided))
    assert np.mean(poses) >= 0.995
    assert np.mean(flags) >= 0.995


def test_discrete_moves_follow_the_conventions() -> None:
    profile = MotionProfile(turn_angle=math.radians(30), tilt_angle=math.radians(15))
    state = AgentState((0.0, 0.0, 0.0), yaw_rotation(math.pi / 2))
    assert perform(Floor(), state, Action("move_forward"), profile).state.position == pytest.approx((-0.25, 0, 0))
    for name, yaw in (("turn_left", math.pi * 2 / 3), ("turn_right", math.pi / 3)):
        assert yaw_of(perform(Floor(), state, Action(name), profile).state.rotation) == pytest.approx(yaw)
    assert perform(Floor(), state, Action("look_up"), profile).state.elevation == pytest.approx(math.radians(15))
    assert perform(Floor(), state, Action("stop"), profile).state == state


def test_collision_flag_at_a_wall() -> None:
    state = AgentState((0.0, 0.0, -0.9))
    moved = perform(Floor(), state, Action("move_forward"), MotionProfile())
    assert moved.collided
    assert moved.state.position == (0.0, 0.0, -1.0)
    assert not perform(Floor(), AgentState((0.0, 0.0, 0.0)), Action("move_forward"), MotionProfile()).collided


def test_tilt_is_limited() -> None:
    assert tilt(1.5, 0.5, math.pi / 2) == math.pi / 2
    assert tilt(-1.5, -0.5, math.pi / 2) == -math.pi / 2


@given(st.floats(0.05, 1), st.floats(-2, 2), st.floats(0.1, 2))
def test_velocity_follows_the_circle(linear: float, angular: float, duration: float) -> None:
    """Against the closed form of a unicycle."""
    action = Action("velocity", {"linear": linear, "angular": angular, "duration": duration})
    start = AgentState((0.0, 0.0, 100.0))
    moved = perform(Floor(), start, action, MotionProfile(max_angular=math.pi))
    angle = angular * duration
    radius = linear * duration if abs(angle) < 1e-9 else linear / angular
    ahead, left = (radius, 0.0) if abs(angle) < 1e-9 else (radius * math.sin(angle), radius * (1 - math.cos(angle)))
    assert moved.state.position == pytest.approx((-left, 0, 100 - ahead), abs=2e-3)
    assert math.cos(yaw_of(moved.state.rotation) - angle) == pytest.approx(1, abs=1e-9)
    assert not moved.collided
    assert not moved.clipped


def test_limits_cut_and_say_so() -> None:
    profile = MotionProfile(max_linear=0.5, max_duration=1.0, max_range=1.0)
    start = AgentState((0.0, 0.0, 100.0))
    fast = perform(Floor(), start, Action("velocity", {"linear": 9.0, "angular": 0.0, "duration": 9.0}), profile)
    assert fast.clipped
    assert fast.state.position == pytest.approx((0, 0, 99.5))
    far = perform(Floor(), start, Action("waypoint", {"range": 5.0, "heading": 0.0}), profile)
    assert far.clipped
    assert far.state.position == pytest.approx((0, 0, 99))


def test_waypoint_turns_then_walks() -> None:
    start = AgentState((0.0, 0.0, 0.0))
    moved = perform(Floor(), start, Action("waypoint", {"range": 0.8, "heading": math.pi / 2}), MotionProfile())
    assert moved.state.position == pytest.approx((-0.8, 0, 0))
    assert yaw_of(moved.state.rotation) == pytest.approx(math.pi / 2)
    assert perform(Floor(), start, Action("waypoint", {"range": 2.0, "heading": 0.0}), MotionProfile()).collided


def test_turns_keep_the_quaternion_a_unit() -> None:
    rotation: Quaternion = (0.0, 0.0, 0.0, 1.0)
    for _ in range(10_000):
        rotation = turn(rotation, 0.1)
    assert math.hypot(*rotation) == pytest.approx(1, abs=1e-12)


def test_unknown_motion_is_our_fault() -> None:
    with pytest.raises(SimulatorError, match="move_to"):
        perform(Floor(), AgentState((0.0, 0.0, 0.0)), Action("move_to", {"viewpoint": "a"}), MotionProfile())


@pytest.mark.parametrize("model", sorted(MODELS))
def test_noise_has_the_published_mean_and_is_cut(model: str) -> None:
    """Against scipy's truncated normal, which habitat-sim draws from."""
    noise = ActuationNoise(model)
    draws = np.array([noise.draw("linear", 0.25, seed).forward for seed in range(2000)])
    error = MODELS[model]["linear"].along
    deviation = math.sqrt(error.variance)
    low = max((-0.95 * 0.25 - error.mean) / deviation, -3)
    reference = truncnorm(low, 3, error.mean, deviation)
    assert draws.mean() == pytest.approx(reference.mean(), abs=5 * reference.std() / math.sqrt(len(draws)))
    assert draws.min() >= -0.95 * 0.25 - 1e-12
    assert draws.max() <= error.mean + 3 * deviation + 1e-12


def test_noise_replays_by_seed_and_scales() -> None:
    noise = ActuationNoise("LoCoBot/ILQR")
    assert noise.draw("linear", 0.25, 7) == noise.draw("linear", 0.25, 7)
    assert noise.draw("linear", 0.25, 7) != noise.draw("linear", 0.25, 8)
    none = ActuationNoise("LoCoBot/ILQR", 0.0).draw("rotational", 0.2, 7)
    assert (none.forward, none.right, none.turn) == (0, 0, 0)
    profile = MotionProfile(noise=noise)
    state = AgentState((0.0, 0.0, 50.0))
    first = perform(Floor(), state, Action("move_forward"), profile, seed=3)
    assert first == perform(Floor(), state, Action("move_forward"), profile, seed=3)
    assert first.state.position != (0.0, 0.0, 49.75)


def test_unknown_noise_model_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="LoCoBot/ILQR"):
        ActuationNoise("LoCoBot/ILRQ")
    with pytest.raises(ConfigError, match="multiplier"):
        ActuationNoise(multiplier=math.nan)


@pytest.mark.parametrize("scene", SCENES)
def test_recorded_episodes(scene: str) -> None:
    nav = NavMesh.from_bytes((folder_of(scene) / "scene.navmesh").read_bytes())
    recording = read(scene, "follower_slide")
    follower = GreedyFollower(nav, FollowerProfile(recording["goal_radius"], 0.25, math.radians(15), sliding=True))
    same = []
    for episode in recording["episodes"]:
        expected = [ACTIONS[step[0]] for step in episode["steps"]]
        follower.reset()
        state = AgentState(tuple(episode["start"]), yaw_rotation(episode["yaw"]))
        ours: list[str] = []
        while len(ours) < len(expected) and ours == expected[: len(ours)]:
            move = follower.next_move(state.position, state.rotation, episode["goal"])
            ours.append(move or "none")
            state = perform(nav, state, Action(move or "stop"), MotionProfile()).state
        same.append(ours == expected)
    assert np.mean(same) >= 0.95


def cut_off() -> tuple[Path, dict[str, Any]]:
    """A navmesh, and a start and an end between which there is no way: Habitat's golden ones, or ours."""
    if not SHARED_DATA.is_dir():
        pair = next(pair for pair in read("rooms", "nav")["pairs"] if pair["geodesic"] == math.inf)
        return folder_of("rooms") / "scene.navmesh", pair
    golden = json.loads((SHARED_DATA / "habitat-golden" / "geodesic_single_end.json").read_text())["single_end"]
    pair = next(case for case in golden if case["expected"] == math.inf)
    return SHARED_DATA / "scenes" / "van-gogh-room.navmesh", pair


def test_no_way_and_near_enough() -> None:
    path, pair = cut_off()
    nav = NavMesh.from_bytes(path.read_bytes())
    profile = FollowerProfile(0.2, 0.25, math.radians(15), sliding=True)
    facing = yaw_rotation(0.0)
    assert next_move(nav, tuple(pair["start"]), facing, pair["end"], profile) is None
    assert next_move(nav, tuple(pair["start"]), facing, pair["start"], profile) == "stop"
