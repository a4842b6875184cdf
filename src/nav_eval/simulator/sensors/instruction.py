"""What the agent is told to do: text and tokens of the episode's instruction."""

from __future__ import annotations

from typing import Any

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.interfaces import Sensor, Simulator
from nav_eval.core.specs import ListSpec, Spec, StructSpec, TextSpec
from nav_eval.dataset.episode import MAX_INSTRUCTION


class InstructionSensor(Sensor):
    """{"text", "tokens", "language"}, or None in an episode without an instruction."""

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        self._spec = StructSpec(
            description="the natural-language instruction",
            optional=True,
            parts={
                "text": TextSpec(max_length=MAX_INSTRUCTION),
                "tokens": ListSpec(item=TextSpec(max_length=MAX_INSTRUCTION), max_items=MAX_INSTRUCTION),
                "language": TextSpec(),
            },
        )

    @property
    def spec(self) -> Spec:
        return self._spec

    def observe(self, simulator: Simulator) -> Any:
        instruction = simulator.episode.instruction
        if instruction is None:
            return None
        return {"text": instruction.text, "tokens": list(instruction.tokens), "language": instruction.language}
