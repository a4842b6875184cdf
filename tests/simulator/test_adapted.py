"""A class with the specification's five methods (3.2), and nothing of ours, is a simulator."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import nav_eval
from nav_eval import AgentState, Episode, register_simulator
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval.simulator.registry import SIMULATORS

EPISODE = Episode(episode_id="e", scene_id="plain", start_position=(0.0, 0.0, 0.0))


class Plain:
    """Open ground without end, north of a wall at z = -2; a step is 0.25 m, a turn 15 degrees."""

    def __init__(self):
        self.heard = []

    def reset(self, episode):
        self.place, self.yaw = np.array(episode.start_position, float), 0.0
        return self.seen()

    def step(self, action):
        self.heard.append(action)
        if action == "move_forward":
            ahead = self.place + 0.25 * np.array([-math.sin(self.yaw), 0, -math.cos(self.yaw)])
            self.place = ahead if self.is_navigable(ahead) else self.place
        elif action in ("turn_left", "turn_right"):
            self.yaw += math.radians(15 if action == "turn_left" else -15)
        return self.seen()

    def seen(self):
        return {"rgb": np.full((4, 6, 3), abs(round(10 * self.place[2])), np.uint8), "unasked": 1}

    def get_agent_state(self):
        return AgentState(self.place, (0, math.sin(self.yaw / 2), 0, math.cos(self.yaw / 2)))

    def geodesic_distance(self, start, end):
        return np.linalg.norm(np.subtract(start, end))

    def is_navigable(self, position):
        return position[2] >= -2


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """What is registered here is forgotten afterwards."""
    monkeypatch.setattr(SIMULATORS, "_members", dict(SIMULATORS._members))
    register_simulator("plain")(Plain)


def made(**settings):
    motion = {"forward_step": 0.25, "turn_angle": 15}
    return nav_eval.make_simulator("plain", motion=motion, **settings)


def test_its_own_values_are_shown_and_the_pose_is_sensed_by_ours():
    simulator = made(sensors={"rgb": {"width": 6, "height": 4}, "gps": {}, "collision": {}})
    assert set(simulator.reset(EPISODE)) == {"rgb", "gps", "collision"}
    for _ in range(8):
        seen = simulator.step("move_forward")
    assert (seen["rgb"] == 20).all()
    assert seen["gps"].tolist() == [2.0, 0.0]
    assert seen["collision"].tolist() == [0]
    assert simulator.step("move_forward")["collision"].tolist() == [1]
    assert simulator.get_agent_state() == AgentState((0.0, 0.0, -2.0), (0.0, 0.0, 0.0, 1.0))
    assert simulator.geodesic_distance((0, 0, 0), [(3, 0, 4), (0, 0, 1)]) == 1.0
    simulator.step({"action": "velocity", "action_args": {"linear": 1}})
    told = {"action": "velocity", "action_args": {"linear": 1}}
    assert simulator._own.heard == [*["move_forward"] * 9, told]


def test_what_it_says_of_a_collision_is_taken():
    class Bumpy(Plain):
        def seen(self):
            return {"collision": np.array([self.yaw != 0], np.uint8)}

    register_simulator("bumpy")(Bumpy)
    simulator = nav_eval.make_simulator("bumpy")
    simulator.start(EPISODE)
    assert [simulator.advance(nav_eval.Action(name)).collided for name in ("move_forward", "turn_left")] == [
        False,
        True,
    ]


def test_a_benchmark_is_played_in_it(tmp_path):
    episode = {"episode_id": "1", "scene_id": "plain", "start_position": [0, 0, 0], "start_rotation": [0, 0, 0, 1]}
    (tmp_path / "e.json").write_text(json.dumps({"episodes": [episode | {"goals": [{"position": [0, 0, 3]}]}]}))
    words = ["simulator.backend=plain", "simulator.sensors={gps: {}}", "dataset.type=pointnav", "task.type=pointnav"]
    words += [f"dataset.data_path={tmp_path}/e.json", "agent_service.agent=shortest_path"]
    words += ["simulator.motion.turn_angle=15", "simulator.motion.forward_step=0.25"]
    (played,) = nav_eval.evaluate(overrides=[*words, "evaluation.success_distance=0.3"]).episodes
    assert (played.status, played.metrics["success"], played.steps) == ("ok", 1.0, 12 + 11 + 1)  # turns, steps, stop


def test_a_class_that_is_made_of_what_backends_are_made_of_is_given_it():
    class Told(Plain):
        def __init__(self, config, seed):
            self.given = config.backend, seed

    register_simulator("told")(Told)
    assert nav_eval.make_simulator("told", seed=7)._own.given == ("told", 7)


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"is_navigable": None}, r"\(test_adapted.py\): .*A has no is_navigable. Define all five: reset, step"),
        ({"__init__": lambda self, scene, width, height: None}, r"Write def __init__\(self, config, seed\):"),
    ],
)
def test_one_that_is_not_whole_is_refused_when_it_is_registered(members, said):
    with pytest.raises(ConfigError, match=said):
        register_simulator("part")(type("A", (Plain,), {"__module__": __name__, **members}))
    assert "part" not in SIMULATORS


def test_a_session_is_no_backend():
    with pytest.raises(ConfigError, match=r"A is a session. Register the SimulatorBackend whose open_session makes it"):
        register_simulator("session")(type("A", (Plain, nav_eval.Simulator), {}))


@pytest.mark.parametrize(
    ("members", "error", "said"),
    [
        ({"get_agent_state": lambda self: None}, ConfigError, r"get_agent_state returned None. Return nav_eval.AgentS"),
        ({"reset": lambda self, episode: None}, ConfigError, r"reset returned None. Return a dict of sensor"),
        ({"reset": lambda self, episode: {}}, ConfigError, r"simulator.sensors.rgb: reset and step .* return no 'rgb'"),
        ({"reset": lambda self, episode: {}["x"]}, SimulatorError, r"A.reset failed \(test_adapted.py, line \d+: KeyE"),
    ],
)
def test_what_it_returns_wrongly_is_told_with_its_name(members, error, said):
    register_simulator("odd")(type("A", (Plain,), {"__module__": __name__, **members}))
    simulator = nav_eval.make_simulator("odd", sensors={"rgb": {"width": 6, "height": 4}})
    with pytest.raises(error, match=said):
        _ = simulator.reset(EPISODE), simulator.get_agent_state()
