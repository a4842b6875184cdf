"""A stand-in for the module habitat_sim that answers from recordings of the real one, and refuses all else.

Only names of habitat-sim's documented API are here, with its signatures; anything more raises AttributeError.
"""

from __future__ import annotations

import json
import sys
import types

import numpy as np

ACTIONS = {0: "stop", 1: "move_forward", 2: "turn_left", 3: "turn_right"}


class Bag:
    """A configuration object with a fixed set of fields, as pybind11's are."""

    fields = ()

    def __setattr__(self, name, value):
        if name not in self.fields:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        object.__setattr__(self, name, value)


def bag(title, *fields):
    return type(title, (Bag,), {"fields": fields})


class NavMeshSettings(bag("NavMeshSettings", "agent_radius", "agent_height", "agent_max_climb", "agent_max_slope")):
    def set_defaults(self):
        self.agent_radius = 0.1


class ActuationSpec:
    def __init__(self, amount, constraint=None):
        self.amount = amount


class ActionSpec:
    def __init__(self, name, actuation=None):
        self.name, self.actuation = name, actuation


class Recording:
    """One scene's recordings, and which walk is being replayed."""

    def __init__(self, folder):
        self.nav = np.load(folder / "nav.npz")
        self.frames = np.load(folder / "frames.npz")
        self.walks = {s: json.loads((folder / f"agent_walk_{s}.json").read_text()) for s in ("slide", "noslide")}
        self.follower = json.loads((folder / "follower_slide.json").read_text())
        self.steps = iter(())
        self.plan = iter(())


class PathFinder:
    is_loaded = True

    def __init__(self, recording):
        nav = recording.nav
        self.lengths = {}
        for a, b, found, forth, back in zip(
            nav["start"], nav["end"], nav["found"], nav["geodesic"], nav["geodesic_reverse"], strict=True
        ):
            self.lengths[a.tobytes(), b.tobytes()] = float(forth) if found else np.inf
            self.lengths[b.tobytes(), a.tobytes()] = float(back) if found else np.inf
        self.navigable = {
            p.tobytes(): bool(ok) for p, ok in zip(nav["random_points"], nav["is_navigable"], strict=True)
        }

    def find_path(self, path):
        path.geodesic_distance = min(
            self.lengths[path.requested_start.tobytes(), end.tobytes()] for end in path.requested_ends
        )
        return bool(np.isfinite(path.geodesic_distance))

    def is_navigable(self, point, max_y_delta=0.5):
        return self.navigable[point.tobytes()]


class Agent:
    def __init__(self, recording, configuration):
        self._recording, self._configuration = recording, configuration
        self._state = None

    def set_state(self, state, reset_sensors=True, infer_sensor_states=True, is_initial=False):
        assert state.position.dtype == np.float32
        self._state = state

    def get_state(self):
        return self._state

    def act(self, action_id):
        """The recorded outcome; the recording and the caller must agree on the action."""
        assert action_id in self._configuration.action_space
        recorded = next(self._recording.steps)
        assert ACTIONS[recorded[0]] == action_id
        state = sys.modules["habitat_sim"].AgentState()
        state.position = np.array(recorded[2:5], np.float32)
        state.rotation = tuple(recorded[5:9])
        self._state = state
        return bool(recorded[1])


class Follower:
    def __init__(self, recording):
        self._recording = recording

    def next_action_along(self, goal_pos):
        action = ACTIONS[next(self._recording.plan)]
        return None if action == "stop" else action


class Simulator:
    def __init__(self, config):
        self.recording = sys.modules["habitat_sim"].recording
        self.config = config
        self.pathfinder = PathFinder(self.recording)
        self._agent = Agent(self.recording, config.agents[0])

    def get_agent(self, agent_id):
        assert agent_id == 0
        return self._agent

    def make_greedy_follower(self, agent_id=None, goal_radius=None):
        self.recording.goal_radius = goal_radius
        return Follower(self.recording)

    def get_sensor_observations(self):
        """The recorded frame at the agent's pose, by sensor."""
        frames, state = self.recording.frames, self._agent.get_state()
        off = np.abs(frames["agent_position"] - state.position).max(axis=1)
        index = int(off.argmin())
        assert off[index] < 1e-6
        assert np.allclose(frames["agent_quat_wxyz"][index], state.rotation)
        images = {}
        for spec in self.config.agents[0].sensor_specifications:
            assert (spec.resolution, round(spec.hfov, 6)) == ([480, 640], float(frames["hfov_deg"]))
            assert spec.position == [0.0, float(frames["sensor_height"]), 0.0]
            rgb = np.dstack([frames["rgb"][index], np.full((480, 640), 255, np.uint8)])
            images[spec.uuid] = rgb if spec.sensor_type == "COLOR" else frames["depth"][index]
        return images

    def close(self):
        self.recording.closed = True


def install(folder, monkeypatch):
    """habitat_sim, replaying the recordings in `folder`; quaternions are (w, x, y, z), as numpy-quaternion's."""
    module = types.ModuleType("habitat_sim")
    module.__version__ = "0.3.4"
    module.recording = Recording(folder)
    module.SimulatorConfiguration = bag("SimulatorConfiguration", "scene_id", "allow_sliding", "enable_physics")
    body = bag("AgentConfiguration", "height", "radius", "sensor_specifications", "action_space")
    module.agent = types.SimpleNamespace(AgentConfiguration=body, ActionSpec=ActionSpec, ActuationSpec=ActuationSpec)
    module.AgentState = bag("AgentState", "position", "rotation")
    module.CameraSensorSpec = bag("CameraSensorSpec", "uuid", "sensor_type", "resolution", "position", "hfov")
    module.MultiGoalShortestPath = bag(
        "MultiGoalShortestPath", "requested_start", "requested_ends", "geodesic_distance"
    )
    module.SensorType = types.SimpleNamespace(COLOR="COLOR", DEPTH="DEPTH", SEMANTIC="SEMANTIC")
    module.Configuration = lambda sim, agents: types.SimpleNamespace(sim=sim, agents=agents)
    for kind in (NavMeshSettings, Simulator):
        setattr(module, kind.__name__, kind)
    utils, common = types.ModuleType("habitat_sim.utils"), types.ModuleType("habitat_sim.utils.common")
    common.quat_from_coeffs = lambda c: (c[3], c[0], c[1], c[2])
    common.quat_to_coeffs = lambda q: np.array([q[1], q[2], q[3], q[0]])
    for name, value in (("", module), (".utils", utils), (".utils.common", common)):
        monkeypatch.setitem(sys.modules, f"habitat_sim{name}", value)
    return module.recording
