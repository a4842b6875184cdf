"""The follower against recorded episodes of Habitat's, and of its rules over Detour, action for action."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState
from nav_eval.engine.navmesh.mesh import load_navmesh
from nav_eval.geometry import yaw_rotation
from nav_eval.simulator.follower import FollowerProfile, GreedyFollower, next_move
from nav_eval.simulator.motion import MotionProfile, perform
from recordings import SCENES, SHARED_DATA, folder_of, read

ACTIONS = ("stop", "move_forward", "turn_left", "turn_right")


@pytest.mark.parametrize("scene", SCENES)
def test_recorded_episodes(scene: str) -> None:
    nav = load_navmesh(folder_of(scene) / "scene.navmesh")
    assert nav is not None
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
    return SHARED_DATA / "scenes" / "van-gogh-room.navmesh", next(
        case for case in golden if case["expected"] == math.inf
    )


def test_no_way_and_near_enough() -> None:
    path, pair = cut_off()
    nav = load_navmesh(path)
    assert nav is not None
    profile = FollowerProfile(0.2, 0.25, math.radians(15), sliding=True)
    facing = yaw_rotation(0.0)
    assert next_move(nav, tuple(pair["start"]), facing, pair["end"], profile) is None
    assert next_move(nav, tuple(pair["start"]), facing, pair["start"], profile) == "stop"
