"""What an agent perceives on a navigation graph: its viewpoint, where it can go, and the panorama if there is one."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasGraph
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.errors import ConfigError, SceneError


class ViewpointSensor(Sensor):
    """The id of the viewpoint; opaque to participants unless disclosure is full."""

    needs = (HasGraph,)

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._spec = TextSpec(description="where the agent stands", is_node=True)

    @property
    def spec(self) -> Spec:
        return self._spec

    def observe(self, simulator: Simulator) -> Any:
        return simulator.get_agent_state().node


class NavigableSensor(Sensor):
    """The viewpoints that can be reached in one move, nearest to straight ahead first.

    heading: rad relative to the agent's, positive = left; elevation: rad above the horizontal; distance: m.
    """

    needs = (HasGraph,)

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        candidate = StructSpec(
            parts={
                "viewpoint": TextSpec(is_node=True),
                "heading": NumberSpec(unit="rad", low=-math.pi, high=math.pi),
                "elevation": NumberSpec(unit="rad", low=-math.pi / 2, high=math.pi / 2),
                "distance": NumberSpec(unit="m", low=0.0),
            }
        )
        self._spec = ListSpec(item=candidate, description="viewpoints within one move")

    @property
    def spec(self) -> Spec:
        return self._spec

    def observe(self, simulator: Simulator) -> Any:
        return cast("HasGraph", simulator).candidates()


class SkyboxSensor(Sensor):
    """(6, S, S, 3) uint8: Matterport3D's skybox faces of the viewpoint, in file order 0 (up), 1 to 4, 5 (down).

    Reads `<skybox_dir>/<scan>/<viewpoint>_skybox<i>_sami.jpg` or `..._skybox<i>_small.jpg`; `width` is S.
    """

    needs = (HasGraph,)

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        if not simulator.skybox_dir:
            raise ConfigError(
                f"simulator.sensors.{name}: set simulator.skybox_dir to your matterport_skybox_images, or drop it."
            )
        self._folder = simulator.skybox_dir
        self._size = config.width or 512
        self._spec = TensorSpec(
            shape=(6, self._size, self._size, 3), dtype="uint8", low=0, high=255, description="skybox faces, RGB"
        )

    @property
    def spec(self) -> Spec:
        return self._spec

    def observe(self, simulator: Simulator) -> Any:
        node = simulator.get_agent_state().node
        return np.stack([self._face(simulator.episode.scene_id, str(node), i) for i in range(6)])

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
                return np.asarray(image.convert("RGB").resize((self._size, self._size)))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise SceneError(f"{path}: the picture is damaged ({str(error)[:100]}). Download it again.") from error
