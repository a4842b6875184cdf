"""What tells the agent its goal: a point in its own frame, the name of what to look for, or a picture."""

from __future__ import annotations

import math
from typing import Any, Literal, cast

import numpy as np
from pydantic import Field

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasRenderer
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec, TensorSpec, TextSpec
from nav_eval.core.types import StepRecord
from nav_eval.dataset.episode import Episode, EpisodeKey, Goal
from nav_eval.dataset.imagenav import goal_rotation
from nav_eval.dataset.instance_imagenav import goal_image
from nav_eval.dataset.objectnav import object_category
from nav_eval.engine.render.camera import Lens
from nav_eval.errors import DatasetError
from nav_eval.geometry import Vec3, rotate, to_start_frame, yaw_of
from nav_eval.simulator.sensors.frame import HEIGHT, HFOV, WIDTH
from nav_eval.simulator.sensors.plain import PlainSensor


class PointGoalSensor(Sensor):
    """(2,) float32 polar [rho (m), phi (rad, positive = left)] of the first goal, horizontally.

    Relative to the present pose, as Habitat's PointGoalWithGPSCompass; with `options.frame: start`, to the start's.
    """

    class Options(Sensor.Options):
        """Relative to what the goal is told."""

        frame: Literal["agent", "start"] = Field(
            "agent", description="polar coordinates relative to the present pose, or to the start"
        )

    needs_goal = True
    spec = TensorSpec(shape=(2,), dtype="float32", unit="m, rad", description="[distance, bearing] of the goal")

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._from_start = self.Options.of(config.options).frame == "start"

    def observe(self, simulator: Simulator) -> Any:
        episode, here = simulator.episode, simulator.get_agent_state()
        origin = (here.position, here.rotation)
        if self._from_start and episode.start_position is not None:
            origin = (episode.start_position, episode.start_rotation)
        x, _, z = to_start_frame(_point(episode, first_goal(episode)), *origin)
        return np.array([math.hypot(x, z), math.atan2(-x, -z)], np.float32)


def _point(episode: Episode, goal: Goal) -> Vec3:
    if goal.position is None:
        raise DatasetError(f"episode {episode.episode_id}: its goal has no position, which sensor pointgoal needs.")
    return goal.position


def first_goal(episode: Episode) -> Goal:
    """Raises DatasetError for an episode without a goal."""
    if not episode.goals:
        raise DatasetError(f"episode {episode.episode_id}: has no goal to show. Use a split with goals.")
    return episode.goals[0]


class DueGoalSensor(PlainSensor):
    """Of the goal that is due: with several in order, the next one after each `found`."""

    _found = 0

    def begin(self, simulator: Simulator) -> None:
        self._found = 0

    def update(self, step: StepRecord) -> None:
        self._found += step.action.name == "found"

    def _due(self, simulator: Simulator) -> Goal:
        first_goal(simulator.episode)
        goals = simulator.episode.goals
        return goals[min(self._found, len(goals) - 1)]


class ObjectGoalSensor(DueGoalSensor):
    """The category of what to look for; "" where the goal that is due is told otherwise."""

    spec = TextSpec(description="category of the goal")

    def observe(self, simulator: Simulator) -> Any:
        if self._found == 0:
            return object_category(simulator.episode)  # hidden test splits have no goal, and name it
        return self._due(simulator).category or ""


class DescriptionGoalSensor(DueGoalSensor):
    """The description of what to look for; "" where the goal that is due is told otherwise."""

    needs_goal = True
    spec = TextSpec(description="description of the goal")

    def observe(self, simulator: Simulator) -> Any:
        return self._due(simulator).description or ""


class ImageGoalSensor(DueGoalSensor):
    """(H, W, 3) uint8: what the camera would see at the goal, or through the goal photograph's own camera.

    Black where the goal that is due is told otherwise.
    """

    needs = (HasRenderer,)
    needs_goal = True

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._size = (config.width or WIDTH, config.height or HEIGHT)
        self._hfov = config.hfov or HFOV
        self._camera_height = simulator.body.camera_height
        self._shown: tuple[tuple[EpisodeKey, int], Any] | None = None

    @property
    def spec(self) -> Spec:
        width, height = self._size
        shape = (height, width, 3)
        return TensorSpec(shape=shape, dtype="uint8", low=0, high=255, description="picture of the goal")

    def observe(self, simulator: Simulator) -> Any:
        due = (simulator.episode.key, self._found)
        if self._shown is None or self._shown[0] != due:
            self._shown = (due, self._draw(simulator))
        return self._shown[1]

    def _draw(self, simulator: Simulator) -> Any:
        episode, goal = simulator.episode, self._due(simulator)
        if goal.image_goals:
            image = goal_image(episode, goal)
            pitch = math.asin(max(-1.0, min(1.0, rotate(image.rotation, (0.0, 0.0, -1.0))[1])))
            return self._view(simulator, image.hfov, image.position, yaw_of(image.rotation), pitch)
        if goal.position is None and (goal.category or goal.description):
            return np.zeros((*self._size[::-1], 3), np.uint8)
        x, y, z = _point(episode, goal)
        yaw = yaw_of(goal_rotation(episode, goal))
        return self._view(simulator, self._hfov, (x, y + self._camera_height, z), yaw)

    def _view(self, simulator: Simulator, hfov: float, position: Vec3, yaw: float, pitch: float = 0.0) -> Any:
        renderer = cast("HasRenderer", simulator).renderer(Lens(*self._size, hfov))
        return renderer.render(position, yaw, pitch).rgb
