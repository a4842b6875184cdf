"""The Habitat-sim host behind the wire, on what habitat-sim itself answered, or might have where that is absent."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from end_to_end.replayed_habitat import ACTIONS, install
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.types import Place
from nav_eval.dataset.episode import Episode
from nav_eval.geometry import yaw_rotation
from nav_eval.simulator.backends.external import ExternalBackend
from nav_eval_sdk.simulator_host import start

HOST = Path(__file__).parents[2] / "examples" / "habitat_sim" / "host.py"
SCENES = ("gz_cafe", "house_200k")


@pytest.fixture(params=SCENES)
def replay(request, released, monkeypatch):
    """(recording, a function that opens a session on the host)."""
    recording = install(released / "habitat-parity" / request.param, monkeypatch)
    spec = importlib.util.spec_from_file_location("habitat_host", HOST)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cameras = {name: SensorConfig(width=640, height=480, hfov=79, max_depth=100.0) for name in ("rgb", "depth")}
    with start(module.HabitatHost) as server:

        def open_session(*, sliding=True):
            config = SimulatorConfig(
                backend="external",
                endpoint=server.endpoint,
                sensors={"gps": SensorConfig(), **cameras},
                motion={"sliding": sliding},
                options={"host": {"scenes_dir": "scenes"}},
            )
            return ExternalBackend(config).open_session()

        yield recording, open_session


def episode(position, yaw=0.0):
    return Episode(
        episode_id="1", scene_id="a.glb", start_position=tuple(map(float, position)), start_rotation=yaw_rotation(yaw)
    )


def test_distances_and_navigable_points(replay):
    recording, open_session = replay
    session, nav = open_session(), recording.nav
    session.start(episode(nav["start"][0]))
    for a, b, found, length in zip(nav["start"], nav["end"], nav["found"], nav["geodesic"], strict=True):
        expected = float(length) if found else math.inf
        assert session.geodesic_distance(tuple(a.tolist()), tuple(b.tolist())) == expected
    same = np.flatnonzero((nav["start"] == nav["start"][0]).all(axis=1))
    ends = [Place(tuple(nav["end"][i].tolist())) for i in same]
    assert session.distance_to(Place(tuple(nav["start"][0].tolist())), ends) == nav["geodesic"][same].min()
    for point, navigable in zip(nav["random_points"], nav["is_navigable"], strict=True):
        assert session.is_navigable(tuple(point.tolist())) == navigable
    session.close()
    assert recording.closed


@pytest.mark.parametrize("sliding", [True, False])
def test_a_recorded_walk(replay, sliding):
    recording, open_session = replay
    walk = recording.walks["slide" if sliding else "noslide"]
    recording.steps = iter(walk["steps"])
    session = open_session(sliding=sliding)
    session.start(episode(walk["start"]))
    for action, collided, *pose in walk["steps"]:
        step = session.advance(Action(ACTIONS[action]))
        state = session.get_agent_state()
        w, x, y, z = pose[3:]
        assert state.position == pytest.approx(pose[:3], abs=1e-6)
        assert state.rotation == pytest.approx((x, y, z, w), abs=1e-9)
        assert step.collided == bool(collided)
    session.close()


def test_the_follower_is_habitats(replay):
    recording, open_session = replay
    session = open_session()
    walked = recording.follower["episodes"][0]
    steps = walked["steps"]
    recording.plan, recording.steps = iter([step[0] for step in steps]), iter(steps)
    start_at, goal = np.array(walked["start"], np.float32), np.array(walked["goal"], np.float32)
    session.start(episode(start_at, walked["yaw"]))
    for step in steps:
        action = session.expert_action([Place(tuple(goal.tolist()))], 0.5)
        assert action.name == ACTIONS[step[0]]
        if action.name != "stop":
            session.advance(action)
    assert recording.goal_radius == 0.5
    session.close()


def test_recorded_frames(replay):
    recording, open_session = replay
    session, frames = open_session(), recording.frames
    for index, (position, (w, x, y, z)) in enumerate(
        zip(frames["agent_position"], frames["agent_quat_wxyz"], strict=True)
    ):
        begin = Episode(
            episode_id=str(index),
            scene_id="a.glb",
            start_position=tuple(map(float, position)),
            start_rotation=(float(x), float(y), float(z), float(w)),
        )
        seen = session.reset(begin)
        assert np.array_equal(seen["rgb"], frames["rgb"][index])
        depth = frames["depth"][index]
        assert np.array_equal(seen["depth"][:, :, 0], np.where(depth > 0, depth, 100))
    session.close()
