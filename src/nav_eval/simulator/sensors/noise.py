"""Noise models of cameras, options of a sensor; each draw depends on (run seed, episode, step, sensor) alone.

`gaussian` (RGB): N(0, 0.2) per channel on the 0 to 1 scale, clipped, as habitat-sim's
habitat_sim/sensors/noise_models/gaussian_noise_model.py with its defaults. `redwood` (depth): the PrimeSense model of
Choi, Zhou and Koltun, "Robust Reconstruction of Indoor Scenes" (CVPR 2015) with the amounts of habitat-sim's
redwood_depth_noise_model.py: pixels shifted, half resolution, disparity noise and steps of 1/8; nothing beyond 10 m.
The lens distortion table of one Asus sensor, which that file downloads, is left out: "redwood-like".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import Field

from nav_eval.core.environment import derived_seed
from nav_eval.core.interfaces import Simulator

Strength: TypeAlias = Annotated[float, Field(ge=0, lt=100)]
NoiseModel: TypeAlias = Callable[[Any, np.random.Generator], Any]

FOCAL_BASELINE = 35.130
"""Disparity = FOCAL_BASELINE / depth (m), in the sensor's own units."""
FARTHEST = 10.0


def make_noise(kind: Literal["gaussian", "redwood"] | None, strength: float) -> NoiseModel | None:
    """The model of this name, its amounts multiplied by `strength`; None where no noise is wanted."""
    return None if kind is None else {"gaussian": _gaussian, "redwood": _redwood}[kind](strength)


def noise_generator(simulator: Simulator, sensor: str) -> np.random.Generator:
    """The generator of one reading: its seed is the session's noise key for this episode, step and sensor."""
    return np.random.Generator(np.random.PCG64(derived_seed(*simulator.noise_key, sensor)))


def _gaussian(strength: float) -> NoiseModel:
    def add(image: Any, generator: np.random.Generator) -> Any:
        noisy = image / np.float32(255) + generator.normal(0.0, 0.2 * strength, image.shape)
        return (np.clip(noisy, 0, 1) * 255).astype(np.uint8)

    return add


def _redwood(strength: float) -> NoiseModel:
    def add(depth: Any, generator: np.random.Generator) -> Any:
        draws = generator.standard_normal((3, *depth.shape), np.float32)
        rows, columns = (
            _half(np.arange(size).reshape(shape) + draws[axis] * 0.25 * strength, size)
            for axis, (size, shape) in enumerate(zip(depth.shape, ((-1, 1), (1, -1)), strict=True))
        )
        shifted = depth[rows, columns]
        valid = (shifted > 0) & (shifted < FARTHEST)
        disparity = FOCAL_BASELINE / np.where(valid, shifted, 1) + draws[2] * 0.027778 * strength
        steps = np.rint(disparity * 8)
        seen = FOCAL_BASELINE * 8 / np.maximum(steps, 1)
        return np.where(valid & (steps >= 1), seen, 0).astype(np.float32)

    return add


def _half(places: Any, size: int) -> Any:
    """Nearest pixel at half resolution, kept inside the image."""
    index = np.rint(np.clip(places, 0, size - 1)).astype(int)
    return index - index % 2
