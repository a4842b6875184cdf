"""What the agent is told to do: text and tokens of the episode's instruction."""

from __future__ import annotations

from typing import Any

from nav_eval.core.interfaces import Simulator
from nav_eval.core.specs import ListSpec, StructSpec, TextSpec
from nav_eval.dataset.episode import MAX_INSTRUCTION
from nav_eval.simulator.sensors.plain import PlainSensor


class InstructionSensor(PlainSensor):
    """{"text", "tokens", "language"}, or None in an episode without an instruction."""

    spec = StructSpec(
        description="the natural-language instruction",
        optional=True,
        parts={
            "text": TextSpec(max_length=MAX_INSTRUCTION),
            "tokens": ListSpec(item=TextSpec(max_length=MAX_INSTRUCTION), max_items=MAX_INSTRUCTION),
            "language": TextSpec(),
        },
    )

    def observe(self, simulator: Simulator) -> Any:
        instruction = simulator.episode.instruction
        if instruction is None:
            return None
        return {"text": instruction.text, "tokens": list(instruction.tokens), "language": instruction.language}
