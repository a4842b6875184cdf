"""The actions of one answer, carried out one after the other without further questions.

Each is a step of its own, measured and recorded as if it had been answered alone. What is left when the episode ends,
or at a collision where the rules say so, is dropped, and the step that dropped it tells. Where the world does not wait,
the time of the answer passes first, in steps of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from nav_eval.core.actions import Action
from nav_eval.core.environment import Environment, Rules
from nav_eval.core.interfaces import Decision
from nav_eval.core.types import MEANWHILE, StepRecord


class Chunk:
    """An answer that is being carried out; without one it is done. `last`: the action before it, if there was one."""

    def __init__(self, decision: Decision | None = None, rules: Rules | None = None, last: Action | None = None):
        self._left = deque(() if decision is None else (decision.action, *decision.rest))
        self._latency = 0.0 if decision is None else decision.latency
        self._usage, self._said = (None, "") if decision is None else (decision.usage, decision.said)
        self._place = 0
        self._charged = 0.0
        self._meanwhile: Iterator[Action] = iter(())
        if rules is not None and rules.clock is not None:
            self._charged = rules.clock.charge(self._latency)
            self._meanwhile = rules.clock.meanwhile(last, self._charged)

    @property
    def done(self) -> bool:
        """Whether the agent is to be asked."""
        return not self._left

    def carry_on(self, environment: Environment) -> StepRecord:
        """Take the next step; the answer's time is told by its first action's."""
        passing = next(self._meanwhile, None)
        if passing is not None:
            step = environment.step(passing, place=MEANWHILE)
            return self._cut(step) if environment.over else step
        step = environment.step(self._left.popleft(), self._latency, self._place)
        step = replace(step, charged=self._charged) if self._charged else step
        step = self._with_remarks(step)
        self._latency, self._charged, self._place = 0.0, 0.0, self._place + 1
        cut = environment.over or (environment.rules.cut_at_collision and step.collided)
        return self._cut(step) if cut and self._left else step

    def _cut(self, step: StepRecord) -> StepRecord:
        """The step after which nothing more of the answer is carried out."""
        dropped = tuple(self._left)
        self._left.clear()
        latency = step.latency or self._latency
        step = replace(step, latency=latency, charged=step.charged or self._charged, dropped=dropped)
        return self._with_remarks(step)

    def _with_remarks(self, step: StepRecord) -> StepRecord:
        """With the answer's usage and words, if this is the first step that can hold them."""
        if self._usage is None and not self._said:
            return step
        step = replace(step, usage=self._usage, said=self._said)
        self._usage, self._said = None, ""
        return step
