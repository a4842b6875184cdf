"""The actions of one answer, carried out one after the other without further questions.

Each is a step of its own, measured and recorded as if it had been answered alone. What is left when the episode ends,
or at a collision where the rules say so, is dropped, and the step that dropped it tells.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from nav_eval.core.environment import Environment
from nav_eval.core.interfaces import Decision
from nav_eval.core.types import StepRecord


class Chunk:
    """An answer that is being carried out; without one it is done."""

    def __init__(self, decision: Decision | None = None) -> None:
        self._left = deque(() if decision is None else (decision.action, *decision.rest))
        self._latency = 0.0 if decision is None else decision.latency
        self._place = 0

    @property
    def done(self) -> bool:
        """Whether the agent is to be asked."""
        return not self._left

    def carry_on(self, environment: Environment) -> StepRecord:
        """Take the next action; the answer's time is the first one's."""
        step = environment.step(self._left.popleft(), self._latency, self._place)
        self._latency, self._place = 0.0, self._place + 1
        cut = environment.rules.cut_at_collision and step.collided
        if not self._left or not (environment.over or cut):
            return step
        dropped = tuple(self._left)
        self._left.clear()
        return replace(step, dropped=dropped)
