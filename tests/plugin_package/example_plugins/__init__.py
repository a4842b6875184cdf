"""One plug-in of every kind: a corridor of one dimension, and all that is needed to evaluate in it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from nav_eval import ActionSpec, Argument
from nav_eval.core.actions import Action
from nav_eval.core.capabilities import HasNavmesh
from nav_eval.core.interfaces import Metric, Perturbation, Sensor, SimulatorBackend, Task
from nav_eval.core.specs import TensorSpec
from nav_eval.core.types import AgentState, Place, StepRecord
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.engine.scene import Material, Scene
from nav_eval.geometry import euclidean
from nav_eval.simulator.base import SensorSession
from nav_eval.simulator.sensors.frame import FrameSensor
from nav_eval.simulator.sensors.registry import make_sensors
from nav_eval_sdk import VLNAgent


class PatrolTask(Task):
    name = "patrol"
    actions = ("stop", "move_forward", "jump", "say")
    own_actions: ClassVar = {
        "jump": ActionSpec({"metres": Argument(unit="m", low=0, high=3)}),
        "say": ActionSpec({"words": Argument("text")}),
    }
    measurements = ("success", "soft_success", "stopped_short", "longest_step", "steps")

    class Options(Task.Options):
        rounds: int = 1

    def __init__(self, config):
        self.Options.of(config.task.options)

    def carry_out(self, action, simulator):
        return simulator.advance(action) if action.name == "jump" else super().carry_out(action, simulator)

    def goals(self, episode):
        return [Place(goal.position) for goal in episode.goals]

    def reference(self, episode):
        return [], "none"


class LongestStep(Metric):
    """Metres of the longest step. It says all that can be said."""

    name, category = "longest_step", "efficiency"
    unit, better, needs = "m", "lower", ()

    class Options(Metric.Options):
        at_least: float = 0.0

    def reset_metric(self, context):
        self._last = context.start.position
        self._longest = self.Options.of(context.settings.options).at_least

    def update_metric(self, step, others):
        self._longest = max(self._longest, euclidean(self._last, step.state.position))
        self._last = step.state.position

    def get_metric(self):
        return self._longest


class StoppedShort(Metric):
    """1 if it stopped before the end of the corridor."""

    name, category = "stopped_short", "safety"
    kind, unit, better, on_failure = "rate", "per walk", "lower", 1.0

    def reset_metric(self, context):
        self._context, self._short = context, 0

    def update_metric(self, step, others):
        left = self._context.distance(step.state.place, self._context.goals)
        self._short = int(step.action.name == "stop" and left >= self._context.success_distance)

    def get_metric(self):
        return self._short


class SoftSuccess:
    """Share of the corridor walked, with the specification's signatures; it says nothing of itself."""

    def reset_metric(self, episode, task):
        self._end, self._at = episode.goals[0].position[2], 0.0

    def update_metric(self, *args, **kwargs):
        self._at = args[0].state.position[2]

    def get_metric(self):
        return min(self._at / self._end, 1.0)


class ClearanceSensor(Sensor):
    """Looks at the navmesh and draws nothing."""

    needs = (HasNavmesh,)

    def __init__(self, name, config, simulator):
        self.spec_ = TensorSpec(shape=(1,), dtype="float32", unit="m", low=0.0, high=3.0, description="way to a wall")

    @property
    def spec(self):
        return self.spec_

    def observe(self, simulator):
        here = simulator.get_agent_state().position
        return np.array([min(simulator.navmesh().distance_to_obstacle(here, 3.0), 3.0)], np.float32)


class GlimpseSensor(FrameSensor):
    """The brightness of what the camera sees."""

    @property
    def spec(self):
        return TensorSpec(shape=(1,), dtype="float32", low=0.0, high=255.0, description="mean brightness")

    def _read(self, frame):
        return np.array([frame.rgb.mean()], np.float32)


class Whisper(Perturbation):
    """Says everything in small letters."""

    severities, rewords = 1, True

    def instruction(self, given, others, rng):
        return replace(given, text=given.text.lower())


class OdometerSensor(Sensor):
    class Options(Sensor.Options):
        scale: float = 1.0

    def __init__(self, name, config, simulator):
        self._scale = self.Options.of(config.options).scale
        self.spec_ = TensorSpec(shape=(1,), dtype="float32", unit="m", description="metres along the corridor")

    @property
    def spec(self):
        return self.spec_

    def observe(self, simulator):
        return np.array([-simulator.get_agent_state().position[2] * self._scale], np.float32)


class CorridorSession(SensorSession):
    def __init__(self, config):
        super().__init__(make_sensors(config))

    def begin(self, episode):
        self._state = AgentState(episode.start_position)

    def move(self, action):
        x, y, z = self._state.position
        ahead = {"move_forward": 1.0, "jump": action.args.get("metres")}.get(action.name, 0.0)
        self._state = AgentState((x, y, z - ahead))
        return StepRecord(action, self._state)

    def get_agent_state(self):
        return self._state

    def distance_to(self, start, ends):
        return min(euclidean(start.position, end.position) for end in ends)

    def is_navigable(self, position):
        return position[0] == 0.0

    def expert_action(self, goals, within):
        near = self.distance_to(self._state.place, goals) < within
        return Action("stop" if near else "move_forward")


class CorridorBackend(SimulatorBackend):
    class Options(SimulatorBackend.Options):
        echo: bool = False

    starts_at = "position"
    lacks_actions = frozenset({"turn_left"})

    def __init__(self, config, seed):
        self._config = config

    def open_session(self):
        return CorridorSession(self._config)

    def assets(self, scene_id):
        return {scene_id: hashlib.sha256(scene_id.encode()).hexdigest()}


class LinesDataset:
    """A text file with one corridor length (m) per line."""

    def __init__(self, request):
        self._path = Path(request.data_path)
        self.files = [str(self._path)]

    def __iter__(self):
        for number, line in enumerate(self._path.read_text().split()):
            goal = Goal(position=(0.0, 0.0, -float(line)))
            yield Episode(episode_id=str(number), scene_id="corridor", start_position=(0.0, 0.0, 0.0), goals=(goal,))


def load_xyz(source):
    """A text file of triangle corners, nine numbers a line."""
    corners = np.array(source.read().split(), np.float32).reshape(-1, 3)
    triangles = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    return Scene(source.path.stem, corners, triangles, np.zeros(len(triangles), np.int32), (Material(),))


class WalkerAgent(VLNAgent):
    def reset(self, episode):
        pass

    def act(self, observation):
        return "stop" if observation["odometer"][0] >= 3 else "move_forward"


class TalkingAgent(VLNAgent):
    """Says where it is, jumps as far as it may, and stops; under TALK=wrong it jumps wrongly, each time otherwise."""

    name, action_space = "talking", ("stop", "jump", "say")

    def __init__(self):
        wrong = [{"metres": 99.0}, {"metres": "3"}, {}, {"meters": 1.0}]
        self._wrong = iter(wrong if os.environ.get("TALK") == "wrong" else ())

    def reset(self, episode):
        farthest = episode["action_space"]["jump"]["arguments"]["metres"]["high"]
        self._jump = {"action": "jump", "action_args": next(self._wrong, {"metres": farthest})}
        self._said = False

    def act(self, observation):
        if observation["odometer"][0] >= 3:
            return "stop"
        if not self._said:
            self._said = True
            return {"action": "say", "action_args": {"words": "从这里跳 ↷"}}
        return self._jump


def benchmark_file():
    return Path(__file__).with_name("corridor-walk.yaml")
