"""What the body feels: a bump, and how far the nearest obstacle is."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasNavmesh
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec, TensorSpec
from nav_eval.core.types import StepRecord
from nav_eval.simulator.sensors.plain import PlainSensor

REACH = 2.0


class CollisionSensor(PlainSensor):
    """(1,) uint8: 1 if the last action was cut short by an obstacle; a slide counts."""

    spec = TensorSpec(shape=(1,), dtype="uint8", low=0, high=1, description="did the last step hit something")
    _collided = False

    def begin(self, simulator: Simulator) -> None:
        self._collided = False

    def update(self, step: StepRecord) -> None:
        self._collided = step.collided

    def observe(self, simulator: Simulator) -> Any:
        return np.array([self._collided], np.uint8)


class ProximitySensor(Sensor):
    """(1,) float32, metres to the nearest edge of the walkable area, at most 2 (Habitat-Lab's ProximitySensor)."""

    needs = (HasNavmesh,)

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._reach = config.max_depth or REACH
        self._spec = TensorSpec(
            shape=(1,), dtype="float32", low=0.0, high=self._reach, unit="m", description="distance to an obstacle"
        )

    @property
    def spec(self) -> Spec:
        return self._spec

    def observe(self, simulator: Simulator) -> Any:
        navmesh = cast("HasNavmesh", simulator).navmesh()
        distance = navmesh.distance_to_obstacle(simulator.get_agent_state().position, self._reach)
        return np.array([min(distance, self._reach)], np.float32)
