"""What an agent perceives on a navigation graph: its viewpoint, where it can go, and the panorama if there is one."""

from __future__ import annotations

import math
from typing import Any, Literal, cast

import numpy as np
from pydantic import Field

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasGraph
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.errors import ConfigError, SceneError
from nav_eval.geometry import yaw_of
from nav_eval.simulator.sensors.plain import PlainSensor


class ViewpointSensor(PlainSensor):
    """The id of the viewpoint; opaque to participants unless disclosure is full."""

    needs = (HasGraph,)
    spec = TextSpec(description="where the agent stands", is_node=True)

    def observe(self, simulator: Simulator) -> Any:
        return simulator.get_agent_state().node


class NavigableSensor(PlainSensor):
    """The viewpoints that can be reached in one move, nearest to straight ahead first.

    heading: rad relative to the agent's, positive = left; elevation: rad above the horizontal; distance: m.
    """

    needs = (HasGraph,)
    _candidate = StructSpec(
        parts={
            "viewpoint": TextSpec(is_node=True),
            "heading": NumberSpec(unit="rad", low=-math.pi, high=math.pi),
            "elevation": NumberSpec(unit="rad", low=-math.pi / 2, high=math.pi / 2),
            "distance": NumberSpec(unit="m", low=0.0),
        }
    )
    spec = ListSpec(item=_candidate, description="viewpoints within one move")

    def observe(self, simulator: Simulator) -> Any:
        return cast("HasGraph", simulator).candidates()


class SkyboxSensor(Sensor):
    """uint8: Matterport3D's skybox of the viewpoint; the shape depends on the kind.

    Reads `<skybox_dir>/<scan>/<viewpoint>_skybox<i>_sami.jpg` or `..._skybox<i>_small.jpg`; `width` is S.
    """

    class Options(Sensor.Options):
        """How the surroundings are laid out."""

        kind: Literal["faces", "equirectangular"] = Field(
            "faces",
            description="faces: (6, S, S, 3) in file order 0 (up), 1 to 4, 5 (down), turned as the scan is; "
            "equirectangular: (S, 2 S, 3), its middle looks along the agent's heading",
        )

    needs = (HasGraph,)

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._whole = self.Options.of(config.options).kind == "equirectangular"
        if not simulator.skybox_dir:
            raise ConfigError(
                f"simulator.sensors.{name}: set simulator.skybox_dir to your matterport_skybox_images, or drop it."
            )
        self._folder = simulator.skybox_dir
        self._size = config.width or 512
        self._side = max(self._size // 2, 16) if self._whole else self._size
        shape = (self._size, 2 * self._size, 3) if self._whole else (6, self._size, self._size, 3)
        told = "equirectangular skybox, RGB" if self._whole else "skybox faces, RGB"
        self._spec = TensorSpec(shape=shape, dtype="uint8", low=0, high=255, description=told)

    @property
    def spec(self) -> Spec:
        return self._spec

    def observe(self, simulator: Simulator) -> Any:
        state = simulator.get_agent_state()
        faces = np.stack([self._face(simulator.episode.scene_id, str(state.node), i) for i in range(6)])
        if not self._whole:
            return faces
        sky = cast("HasGraph", simulator).graph().skybox_yaws.get(str(state.node), 0.0)
        return _turn(faces, yaw_of(state.rotation) - sky, 2 * self._size)

    def _face(self, scan: str, node: str, index: int) -> Any:
        from pathlib import Path

        from PIL import Image

        names = [f"{node}_skybox{index}_{kind}.jpg" for kind in ("sami", "small")]
        path = next((p for p in (Path(self._folder) / scan / name for name in names) if p.is_file()), None)
        if path is None:
            raise SceneError(
                f"{Path(self._folder) / scan}: has neither {names[0]} nor {names[1]}. Complete the folder."
            )
        try:
            with Image.open(path, formats=["JPEG", "PNG"]) as image:
                return np.asarray(image.convert("RGB").resize((self._side, self._side)))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise SceneError(f"{path}: the picture is damaged ({str(error)[:100]}). Download it again.") from error


def _turn(skybox: Any, yaw: float, width: int) -> Any:
    """Equirectangular, its middle `yaw` (rad, left is positive) from face 3. To the right of a face is the next one.

    The tops of faces 0 and 5 are ahead and behind: the other way round than those of `panorama`.
    """
    from nav_eval.engine.render.panorama import sphere

    sides, ends = skybox[[3, 2, 1, 4]], skybox[[0, 5], ::-1, ::-1]
    whole = sphere(np.concatenate([sides, ends]), width)
    return np.roll(whole, round(yaw / (2 * math.pi) * width), axis=1)
