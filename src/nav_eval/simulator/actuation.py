"""Actuation noise: what a real LoCoBot does when it is told to move 0.25 m or to turn 10 degrees.

Means and variances were measured for three controllers by the makers of PyRobot (Murali et al., "PyRobot: An
Open-source Robotics Framework for Research and Benchmarking", arXiv:1906.08236, pyrobot.org) and are the ones that
habitat-sim ships (facebookresearch/habitat-sim, habitat_sim/agent/controls/pyrobot_noisy_controls.py, MIT).
Each error is a normal variable cut at three standard deviations. A draw depends on its seed alone, so that an
episode replays whatever ran before it; derive the seed from run seed, episode and step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nav_eval.errors import ConfigError
from nav_eval.registry import nearest

Kind = Literal["linear", "rotational"]
KINDS: tuple[Kind, ...] = ("linear", "rotational")
CUT = 3.0
MIN_SHARE = 0.95
"""A robot overshoots or undershoots, but by less than this share of what it was told."""


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Mean and variance of one error, metres or rad."""

    mean: float
    variance: float


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of one kind of motion: along the heading, across it (positive = right), and of the heading."""

    along: Gaussian
    across: Gaussian
    turn: Gaussian


@dataclass(frozen=True, slots=True)
class Disturbance:
    """What is added to a motion: metres forward, metres to the right, rad to the left."""

    forward: float = 0.0
    right: float = 0.0
    turn: float = 0.0


def _errors(along: tuple[float, float], across: tuple[float, float], turn: tuple[float, float]) -> Errors:
    return Errors(Gaussian(*along), Gaussian(*across), Gaussian(*turn))


MODELS: Mapping[str, Mapping[Kind, Errors]] = {
    "LoCoBot/ILQR": {
        "linear": _errors((0.014, 0.006), (0.009, 0.005), (0.008, 0.004)),
        "rotational": _errors((0.003, 0.002), (0.003, 0.003), (0.023, 0.012)),
    },
    "LoCoBot/Proportional": {
        "linear": _errors((0.017, 0.007), (0.042, 0.023), (0.031, 0.026)),
        "rotational": _errors((0.001, 0.001), (0.005, 0.004), (0.043, 0.017)),
    },
    "LoCoBot/Movebase": {
        "linear": _errors((0.074, 0.019), (0.036, 0.033), (0.189, 0.038)),
        "rotational": _errors((0.002, 0.0), (0.003, 0.002), (0.219, 0.019)),
    },
    "LoCoBot-Lite/ILQR": {
        "linear": _errors((0.142, 0.008), (0.023, 0.008), (0.031, 0.028)),
        "rotational": _errors((0.002, 0.001), (0.002, 0.002), (0.122, 0.03)),
    },
    "LoCoBot-Lite/Proportional": {
        "linear": _errors((0.135, 0.007), (0.043, 0.009), (0.049, 0.009)),
        "rotational": _errors((0.002, 0.002), (0.002, 0.001), (0.054, 0.061)),
    },
    "LoCoBot-Lite/Movebase": {
        "linear": _errors((0.192, 0.055), (0.117, 0.144), (0.128, 0.143)),
        "rotational": _errors((0.002, 0.001), (0.001, 0.001), (0.173, 0.025)),
    },
}


@dataclass(frozen=True, slots=True)
class ActuationNoise:
    """A noise model by name ("LoCoBot/ILQR") and a factor on all its errors."""

    model: str = "LoCoBot/ILQR"
    multiplier: float = 1.0

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ConfigError(f"actuation noise: there is no model {self.model!r}.{nearest(self.model, MODELS)}")
        if not 0 <= self.multiplier < math.inf:
            raise ConfigError(f"actuation noise: multiplier is {self.multiplier}, give a number >= 0")

    def draw(self, kind: Kind, amount: float, seed: int) -> Disturbance:
        """The disturbance of a motion by `amount` (metres or rad, signed); the same for the same seed."""
        errors = MODELS[self.model][kind]
        stream = np.random.SeedSequence([seed, KINDS.index(kind)])
        uniform = np.random.Generator(np.random.PCG64(stream)).random(3)
        floor = -MIN_SHARE * abs(amount)
        along = _cut_normal(errors.along, uniform[0], floor if kind == "linear" else -math.inf)
        across = _cut_normal(errors.across, uniform[1], -math.inf)
        turn = _cut_normal(errors.turn, uniform[2], floor if kind == "rotational" else -math.inf)
        sign = -self.multiplier if amount < 0 else self.multiplier
        if kind == "linear":
            return Disturbance(sign * along, sign * across, self.multiplier * turn)
        return Disturbance(self.multiplier * along, self.multiplier * across, sign * turn)


def _cut_normal(error: Gaussian, uniform: float, floor: float) -> float:
    """A normal variable within three deviations and above `floor`, from a uniform one, by its inverse distribution."""
    from scipy.special import ndtr, ndtri

    deviation = math.sqrt(error.variance)
    if deviation == 0:
        return max(error.mean, floor)
    low = ndtr(max((floor - error.mean) / deviation, -CUT))
    return float(error.mean + deviation * ndtri(low + uniform * (ndtr(CUT) - low)))
