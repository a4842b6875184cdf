"""All-round cameras: one equirectangular picture, R2R's 36 or 12 views, or six cube faces.

`options.kind`: "equirectangular" (default; (W/2, W, 3)), "views36" and "views12" ((36 or 12, H, W, 3), hfov of the
views 60 degrees by default), "cube" ((6, S, S, 3): front, left, back, right, up, down). The first view looks along the
agent's heading. Depth has the same layouts with one channel; the equirectangular one holds lengths of rays, because a
sphere has no optical axis.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, cast

import numpy as np
from pydantic import Field

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasRenderer
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import Spec, TensorSpec
from nav_eval.engine.render.camera import Lens
from nav_eval.simulator.sensors.frame import DepthRange

WIDTH, HEIGHT, VIEW_HFOV = 640, 480, 60.0


class PanoramaSensor(Sensor):
    """uint8 RGB all around the agent; the shape depends on the kind."""

    class Options(Sensor.Options):
        """How the surroundings are laid out."""

        kind: Literal["equirectangular", "views36", "views12", "cube"] = Field(
            "equirectangular",
            description="equirectangular: (W/2, W, C); views36, views12: (36, H, W, C), (12, H, W, C), hfov 60 degrees "
            "by default; cube: (6, W, W, C) in the order front, left, back, right, up, down; C: 3 of colour, "
            "1 of depth",
        )

    needs = (HasRenderer,)
    output: ClassVar[str] = "rgb"
    channels: ClassVar[int] = 3

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._kind = self.Options.of(config.options).kind
        self._width = config.width or WIDTH
        self._lens = self._make_lens(config)

    def _make_lens(self, config: SensorConfig) -> Lens:
        if self._kind.startswith("views"):
            return Lens(self._width, config.height or HEIGHT, config.hfov or VIEW_HFOV)
        side = self._width if self._kind == "cube" else max(self._width // 4, 16)
        return Lens(side, side, 90.0)

    @property
    def spec(self) -> Spec:
        return TensorSpec(shape=self._shape(), dtype="uint8", low=0, high=255, description=f"{self._kind} panorama")

    def _shape(self) -> tuple[int, ...]:
        if self._kind == "equirectangular":
            return (self._width // 2, self._width, self.channels)
        count = {"views36": 36, "views12": 12, "cube": 6}[self._kind]
        return (count, self._lens.height, self._lens.width, self.channels)

    def observe(self, simulator: Simulator) -> Any:
        from nav_eval.engine.render.panorama import FACES, cube_faces, equirectangular, vln_views

        world = cast("HasRenderer", simulator)
        renderer, (position, yaw, _) = self._renderer(world), world.camera()
        people, shown = simulator.people(), (self.output,)
        if self._kind == "equirectangular":
            frame = equirectangular(renderer, position, yaw, width=self._width, outputs=shown, people=people)
            return self._read(frame)
        if self._kind == "cube":
            faces = cube_faces(renderer, position, yaw, people)
            return np.stack([self._read(faces[face]) for face in FACES])
        views = vln_views(renderer, position, yaw, views=int(self._kind[5:]), people=people)
        return np.stack([self._read(frame) for frame in views])

    def _renderer(self, simulator: HasRenderer) -> Any:
        return simulator.renderer(self._lens)

    def _read(self, frame: Any) -> Any:
        return frame.rgb


class DepthPanoramaSensor(PanoramaSensor):
    """float32 depth all around the agent, in the layouts of `panorama` with one channel, read as `depth` is; the
    equirectangular one holds lengths of rays.
    """

    output = "depth"
    channels = 1

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        super().__init__(name, config, simulator)
        self._range = DepthRange.of(name, config)

    @property
    def spec(self) -> Spec:
        return self._range.spec(self._shape(), f"{self._kind} panorama of depth")

    def _renderer(self, simulator: HasRenderer) -> Any:
        return simulator.renderer(self._lens, (self.output,))

    def _read(self, frame: Any) -> Any:
        return self._range.clipped(self._range.filled(frame.depth))
