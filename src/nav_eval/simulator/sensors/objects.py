"""The names behind the ids of the semantic image: a perfect detector for agents that have none of their own."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.capabilities import HasFrame, HasScene
from nav_eval.core.interfaces import Simulator
from nav_eval.core.specs import ListSpec, NumberSpec, StructSpec, TextSpec
from nav_eval.simulator.sensors.frame import FrameSensor


class ObjectsSensor(FrameSensor):
    """[{"id", "category", "pixels"}] of the annotated objects in view, most pixels first.

    Give it the same width, height and hfov as the semantic sensor, so that the frame is drawn once.
    """

    needs: ClassVar[tuple[type, ...]] = (HasFrame, HasScene)
    output = "semantic"
    _object = StructSpec(parts={"id": NumberSpec(low=0), "category": TextSpec(), "pixels": NumberSpec(low=1)})
    spec = ListSpec(item=_object, description="annotated objects in view")

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        super().__init__(name, config, simulator)
        self._names: tuple[str, dict[int, str]] = ("", {})

    def observe(self, simulator: Simulator) -> Any:
        names = {**self._categories(simulator), **_people(simulator)}
        ids, counts = np.unique(super().observe(simulator), return_counts=True)
        seen = [(int(i), names[int(i)], int(n)) for i, n in zip(ids, counts, strict=True) if int(i) in names]
        seen.sort(key=lambda row: -row[2])
        return [{"id": i, "category": category, "pixels": pixels} for i, category, pixels in seen]

    def _categories(self, simulator: Simulator) -> dict[int, str]:
        scene_id = simulator.episode.scene_id
        if self._names[0] != scene_id:
            objects = cast("HasScene", simulator).scene().objects
            self._names = (scene_id, {thing.id: thing.category for thing in objects})
        return self._names[1]

    def _read(self, frame: Any) -> Any:
        return frame.semantic


def _people(simulator: Simulator) -> dict[int, str]:
    """Those who walk about are of the category `person`."""
    return {one.object_id: "person" for one in simulator.people()}
