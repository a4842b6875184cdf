"""What an episode may take at most: one structure for the rules of the evaluator, for the wire and for the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from nav_eval_sdk.protocol.structs import Message, known


class Limits(Message, frozen=True):
    """What the evaluator grants, None = no limit: seconds, except for `max_steps` (actions) and `max_moves` (those that
    are move_to, on a graph). `max_chunk`: actions in one answer, where it may be more than one. `step_seconds`: where
    the world does not wait, so much thinking is a step of the episode."""

    max_steps: int | None = None
    reset_timeout: float | None = None
    act_timeout: float | None = None
    episode_timeout: float | None = None
    max_moves: int | None = None
    max_chunk: int | msgspec.UnsetType = msgspec.UNSET
    step_seconds: float | msgspec.UnsetType = msgspec.UNSET

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Limits:
        """Those of its fields that `given` names; a chunk of one action is left unset, as from an evaluator that knows
        of no other."""
        told = {name: given[name] for name in cls.__struct_fields__ if name in given}
        return cls(**{name: value for name, value in told.items() if (name, value) != ("max_chunk", 1)})

    @property
    def chunk(self) -> int:
        """How many actions one answer may hold."""
        return self.max_chunk or 1


known(globals())
