"""Where the agent is, relative to where it began: GPS and compass as in Habitat-Lab; heading for evaluators only.

GPS = [forward, right] = [-z, x] of R_start^-1 (p - p_start), metres. Compass = yaw relative to the start, rad,
positive = left. Both are free of noise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nav_eval.core.interfaces import Simulator
from nav_eval.core.specs import TensorSpec
from nav_eval.core.types import AgentState
from nav_eval.geometry import conjugate, multiply, to_start_frame, wrap_angle, yaw_of
from nav_eval.simulator.sensors.plain import PlainSensor


class _PoseSensor(PlainSensor):
    """Remembers the pose at which the episode began."""

    _start = AgentState((0.0, 0.0, 0.0))

    def begin(self, simulator: Simulator) -> None:
        self._start = simulator.get_agent_state()


class GpsSensor(_PoseSensor):
    """(2,) float32, metres: how far forward and how far right of the start."""

    spec = TensorSpec(shape=(2,), dtype="float32", unit="m", description="[forward, right] in the start frame")

    def observe(self, simulator: Simulator) -> Any:
        start, here = self._start, simulator.get_agent_state()
        x, _, z = to_start_frame(here.position, start.position, start.rotation)
        return np.array([-z, x], np.float32)


class CompassSensor(_PoseSensor):
    """(1,) float32, rad: yaw relative to the start, positive = left."""

    spec = TensorSpec(
        shape=(1,), dtype="float32", unit="rad", low=-3.1415928, high=3.1415928, description="yaw since the start"
    )

    def observe(self, simulator: Simulator) -> Any:
        start, here = self._start, simulator.get_agent_state()
        turned = yaw_of(multiply(conjugate(start.rotation), here.rotation))
        return np.array([wrap_angle(turned)], np.float32)


class HeadingSensor(PlainSensor):
    """(1,) float32, rad: global yaw. It tells where the building's north is, so competitions do not offer it."""

    spec = TensorSpec(
        shape=(1,), dtype="float32", unit="rad", low=-4.0, high=4.0, description="global yaw (evaluators only)"
    )

    def observe(self, simulator: Simulator) -> Any:
        yaw = yaw_of(simulator.get_agent_state().rotation)
        return np.array([math.remainder(yaw, 2 * math.pi)], np.float32)
