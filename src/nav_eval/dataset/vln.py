"""The specification's own episodes (3.5): R2R-CE's but for the instruction, {text, tokens}, and ids that are strings.

The specification prints the instruction as a list of maps, [{text}, {tokens}]: that is the one object that they make.
Tokens that the file gives are words, and the agent gets them; without them they come from the text.
"""

from __future__ import annotations

from typing import Any, ClassVar

from nav_eval.dataset.episode import Instruction
from nav_eval.dataset.fields import Fields, record_of
from nav_eval.dataset.r2r_ce import R2RCEDataset
from nav_eval.dataset.tokens import tokenize


class VLNDataset(R2RCEDataset):
    """What dataset.type=vln reads where the file is of no family of its own."""

    type: ClassVar[str] = "vln"

    def instruction_of(self, record: Fields) -> Fields:
        return record.merged("instruction")

    def read_instruction(self, instruction: Fields) -> Instruction:
        text = instruction.text("text")
        return Instruction(
            text=text,
            tokens=instruction.texts("tokens") or tokenize(text),
            language=instruction.text("language") if "language" in instruction else "en",
            instruction_id=instruction.identifier("instruction_id") if "instruction_id" in instruction else None,
            extra=instruction.rest("text", "language", "instruction_id"),
        )

    @classmethod
    def instruction_record(cls, instruction: Instruction) -> dict[str, Any]:
        return record_of(
            instruction.extra,
            instruction_id=instruction.instruction_id,
            text=instruction.text,
            language=None if instruction.language == "en" else instruction.language,
        )
