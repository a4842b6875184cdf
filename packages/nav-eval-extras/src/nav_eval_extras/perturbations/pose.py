"""Perturbation of where the agent believes to be."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from nav_eval.core.interfaces import Perturbation, RngSource
from nav_eval.geometry import wrap_angle


class PoseDrift(Perturbation):
    """GPS and compass that drift as dead reckoning does: a random walk, one increment for every action taken.

    Increments are normal, independent for each axis: 0.01, 0.03 and 0.1 m for GPS, 0.5, 1 and 2 degrees for the
    compass, so that after n actions the error's deviation is the square root of n times that. The random walk is the
    plainest of the odometry models in Thrun, Burgard and Fox, Probabilistic Robotics (2005), chapter 5; the amounts
    are ours.
    """

    sensors = ("gps", "compass")
    DEVIATIONS: ClassVar = {"gps": (0.01, 0.03, 0.1), "compass": (math.radians(0.5), math.radians(1), math.radians(2))}

    def reading(self, name: str, kind: str, value: Any, rng: RngSource) -> Any:
        increments = rng.of_episode(kind).normal(0.0, 1.0, (rng.step, value.size))
        drift = increments.sum(axis=0) * self.DEVIATIONS[kind][self.severity - 1]
        moved = value + drift
        if kind == "compass":
            moved = np.array([wrap_angle(float(moved[0]))])
        return moved.astype(value.dtype)
