"""The follower against Habitat's recorded episodes, action for action."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState
from nav_eval.engine.navmesh.mesh import load_navmesh
from nav_eval.geometry import yaw_rotation
from nav_eval.simulator.follower import FollowerProfile, GreedyFollower, next_move
from nav_eval.simulator.motion import MotionProfile, perform

SCENES = ("gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors", "house_200k")
ACTIONS = ("stop", "move_forward", "turn_left", "turn_right")


@pytest.mark.parametrize("scene", SCENES)
def test_recorded_episodes(shared_data: Path, scene: str) -> None:
    folder = shared_data / "habitat-parity" / scene
    nav = load_navmesh(folder / "scene.navmesh")
    assert nav is not None
    recording = json.loads((folder / "follower_slide.json").read_text())
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


def test_no_way_and_near_enough(shared_data: Path) -> None:
    nav = load_navmesh(shared_data / "scenes" / "van-gogh-room.navmesh")
    assert nav is not None
    golden = json.loads((shared_data / "habitat-golden" / "geodesic_single_end.json").read_text())["single_end"]
    cut_off = next(case for case in golden if case["expected"] == math.inf)
    profile = FollowerProfile(0.2, 0.25, math.radians(15), sliding=True)
    facing = yaw_rotation(0.0)
    assert next_move(nav, tuple(cut_off["start"]), facing, cut_off["end"], profile) is None
    assert next_move(nav, tuple(cut_off["start"]), facing, cut_off["start"], profile) == "stop"
