"""The cameras: RGB, depth and semantic ids of one frame, drawn once for all sensors that share a lens.

Depth is planar z in metres (not ray length), clipped to [min_depth, max_depth]; where nothing is hit it is max_depth,
as in Habitat-Lab. With `normalize` it becomes (d - min) / (max - min). Noise models come from sensors/noise.py.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
from pydantic import Field

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasFrame
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec, TensorSpec
from nav_eval.engine.render.camera import Lens
from nav_eval.errors import ConfigError
from nav_eval.simulator.sensors.noise import NoiseModel, Strength, make_noise, noise_generator

WIDTH, HEIGHT, HFOV = 640, 480, 90.0
MIN_DEPTH, MAX_DEPTH = 0.0, 10.0


@dataclass(frozen=True)
class DepthRange:
    """What a camera's depth is clipped to, metres, and whether it is sent as 0 to 1.

    `DepthRange.of("depth", SensorConfig(max_depth=5.0))`
    """

    low: float
    high: float
    normalize: bool

    @classmethod
    def of(cls, name: str, config: SensorConfig) -> DepthRange:
        """Raises ConfigError where the range is empty."""
        low = MIN_DEPTH if config.min_depth is None else config.min_depth
        high = MAX_DEPTH if config.max_depth is None else config.max_depth
        if low >= high:
            raise ConfigError(f"simulator.sensors.{name}: min_depth {low:g} is not below max_depth {high:g}.")
        return cls(low, high, bool(config.normalize))

    def spec(self, shape: tuple[int, ...], description: str) -> TensorSpec:
        low, high, unit = (0.0, 1.0, "") if self.normalize else (self.low, self.high, "m")
        return TensorSpec(shape=shape, dtype="float32", low=low, high=high, unit=unit, description=description)

    def filled(self, depth: Any) -> Any:
        """The largest reading where no surface is."""
        return depth if depth.min() > 0 else np.where(depth > 0, depth, np.float32(self.high))

    def clipped(self, depth: Any) -> Any:
        if depth.min() < self.low or depth.max() > self.high:
            depth = np.clip(depth, np.float32(self.low), np.float32(self.high))
        if self.normalize:
            depth = (depth - np.float32(self.low)) / np.float32(self.high - self.low)
        return depth[..., None]


class FrameSensor(Sensor):
    """A pinhole camera on the agent's body. `output`: which image of the frame it shows."""

    needs: ClassVar[tuple[type, ...]] = (HasFrame,)
    output = "rgb"

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self.name = name
        self.lens = Lens(config.width or WIDTH, config.height or HEIGHT, config.hfov or HFOV)
        self._noise: NoiseModel | None = None

    def observe(self, simulator: Simulator) -> Any:
        image = self._read(cast("HasFrame", simulator).frame(self.lens))
        return image if self._noise is None else self._noise(image, noise_generator(simulator, self.name))

    @abstractmethod
    def _read(self, frame: Any) -> Any: ...


class RgbSensor(FrameSensor):
    """(H, W, 3) uint8, sRGB."""

    class Options(FrameSensor.Options):
        """Noise of the camera."""

        noise: Literal["gaussian"] | None = Field(
            None, description="normal noise of 0.2 per channel on the scale from 0 to 1, as habitat-sim's; null: none"
        )
        noise_multiplier: Strength = Field(1.0, description="strength of the noise")

    output = "rgb"

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        super().__init__(name, config, simulator)
        options = self.Options.of(config.options)
        self._noise = make_noise(options.noise, options.noise_multiplier)

    @property
    def spec(self) -> Spec:
        shape = (self.lens.height, self.lens.width, 3)
        return TensorSpec(shape=shape, dtype="uint8", low=0, high=255, description="colour image, row 0 at the top")

    def _read(self, frame: Any) -> Any:
        return frame.rgb


class DepthSensor(FrameSensor):
    """(H, W, 1) float32, metres along the optical axis, or 0 to 1 when normalised.

    Where no surface is, as in the sky behind a window, it is the largest reading: `max_depth`, 1 when normalised.
    """

    class Options(FrameSensor.Options):
        """Noise of the camera."""

        noise: Literal["redwood"] | None = Field(
            None,
            description="the PrimeSense model of Choi, Zhou and Koltun (CVPR 2015), without the lens distortion table; "
            "null: none",
        )
        noise_multiplier: Strength = Field(1.0, description="strength of the noise")

    output = "depth"

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        super().__init__(name, config, simulator)
        options = self.Options.of(config.options)
        self._noise = make_noise(options.noise, options.noise_multiplier)
        self._range = DepthRange.of(name, config)

    @property
    def spec(self) -> Spec:
        return self._range.spec((self.lens.height, self.lens.width, 1), "planar depth")

    def observe(self, simulator: Simulator) -> Any:
        return self._range.clipped(super().observe(simulator))

    def _read(self, frame: Any) -> Any:
        return self._range.filled(frame.depth)


class SemanticSensor(FrameSensor):
    """(H, W) int32 object ids of the scene's annotation; 0 where there is none, as in the sky behind a window."""

    output = "semantic"

    @property
    def spec(self) -> Spec:
        shape = (self.lens.height, self.lens.width)
        return TensorSpec(shape=shape, dtype="int32", low=0, high=2**31 - 1, description="object ids, 0 = none")

    def _read(self, frame: Any) -> Any:
        return frame.semantic
