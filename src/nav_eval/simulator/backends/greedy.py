"""An expert for simulators that offer none: it asks distances and tries every heading, as the greedy follower does.

A heading counts if one forward step along it is free: its end is navigable, and the way there is as long as the step.
Where a step turns out to be blocked all the same, that heading is not tried again from there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nav_eval.core.actions import STOP, Action
from nav_eval.core.interfaces import Simulator
from nav_eval.core.types import AgentState, Place
from nav_eval.errors import SimulatorError
from nav_eval.geometry import euclidean, yaw_of

TURN_COST = 0.0125
"""Metres of progress that a turn must be worth, per metre of step."""
SLACK = 1.01


class GreedyExpert:
    """One episode's expert. `step`: m; `turn`: rad."""

    def __init__(self, step: float, turn: float) -> None:
        self._step = step
        self._turn = turn
        self._tried: AgentState | None = None
        self._blocked: set[tuple[int, ...]] = set()

    def next_action(self, simulator: Simulator, goals: Sequence[Place], within: float) -> Action:
        """The next action towards the nearest goal; raises SimulatorError where no way leads on."""
        here = simulator.get_agent_state()
        self._learn(here)
        left = simulator.distance_to(here.place, goals)
        name = "stop" if left < within else self._best(simulator, here, goals, left)
        self._tried = here if name == "move_forward" else None
        return STOP if name == "stop" else Action(name)

    def _learn(self, here: AgentState) -> None:
        tried = self._tried
        if tried is not None and euclidean(tried.position, here.position) < self._step / 2:
            self._blocked |= {_key(state, yaw_of(state.rotation)) for state in (tried, here)}

    def _best(self, simulator: Simulator, here: AgentState, goals: Sequence[Place], left: float) -> str:
        best, choice = 0.0, ""
        for turns in range(math.ceil(math.pi / self._turn) + 1):
            cost = TURN_COST * self._step * turns
            for side, name in ((1, "turn_left"), (-1, "turn_right")):
                gain = self._gain(simulator, here, side * turns * self._turn, goals, left) - cost
                if gain > best:
                    best, choice = gain, name if turns else "move_forward"
            if best > 0.99 * self._step - cost:
                break
        if not choice:
            raise SimulatorError(f"episode {simulator.episode.episode_id}: no path leads from here to the goal.")
        return choice

    def _gain(self, simulator: Simulator, here: AgentState, angle: float, goals: Sequence[Place], left: float) -> float:
        """Metres by which a step after turning by `angle` brings the goal nearer."""
        yaw = yaw_of(here.rotation) + angle
        x, y, z = here.position
        end = Place((x - math.sin(yaw) * self._step, y, z - math.cos(yaw) * self._step))
        blocked = _key(here, yaw) in self._blocked or not simulator.is_navigable(end.position)
        if blocked or simulator.distance_to(here.place, [end]) > SLACK * self._step:
            return -math.inf
        return left - simulator.distance_to(end, goals)


def _key(state: AgentState, yaw: float) -> tuple[int, ...]:
    """A pose to the centimetre and the degree."""
    degrees = round(math.degrees(yaw)) % 360
    return (*(round(100 * length) for length in state.position), degrees)
