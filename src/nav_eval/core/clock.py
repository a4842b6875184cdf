"""What an answer costs where the world does not wait: the time that passes while the agent thinks, in steps.

The clock is charged with the seconds of each answer, measured or declared by the rules. They pass in ticks, each of
which is a step of the episode: the body keeps its velocity if `velocity` was its last action, else it stands (`wait`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from nav_eval.core.actions import Action

WAIT = Action("wait")
"""A tick in which the body stands. No agent may answer it."""
SLACK = 1e-9
"""Of a tick: so much of it is rounding."""


@dataclass(frozen=True, slots=True)
class ChargedClock:
    """`tick`: seconds of a step; `declared`: seconds of every answer, None: as measured."""

    tick: float
    declared: float | None = None

    def charge(self, latency: float) -> float:
        """Seconds that an answer costs which took `latency` seconds."""
        return latency if self.declared is None else self.declared

    def meanwhile(self, last: Action | None, seconds: float) -> Iterator[Action]:
        """The steps that pass in so many seconds after the action `last`.

        A body that drives goes on for all of them, the last tick a shorter one; one that stands waits for whole ticks.
        """
        ticks = math.floor(seconds / self.tick + SLACK)
        rest = seconds - ticks * self.tick
        drives = last is not None and last.name == "velocity"
        for _ in range(ticks):
            yield self._keep_driving(last, self.tick) if drives else WAIT
        if drives and rest > SLACK * self.tick:
            yield self._keep_driving(last, rest)

    @staticmethod
    def _keep_driving(last: Action | None, seconds: float) -> Action:
        assert last is not None
        return Action("velocity", {**last.args, "duration": seconds})
