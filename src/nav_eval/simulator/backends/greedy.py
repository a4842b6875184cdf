"""An expert for simulators that offer none: it asks distances and tries every heading, as the greedy follower does.

A heading counts if one forward step along it is free: its end is navigable, and the way there is as long as the step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nav_eval.core.actions import STOP, Action
from nav_eval.core.interfaces import Simulator
from nav_eval.core.types import Place
from nav_eval.errors import SimulatorError
from nav_eval.geometry import Vec3, yaw_of

TURN_COST = 0.0125
"""Metres of progress that a turn must be worth, per metre of step."""
SLACK = 1.05


def greedy_action(simulator: Simulator, goals: Sequence[Place], within: float, step: float, turn: float) -> Action:
    """The next action towards the nearest goal; lengths in metres, `turn` in rad."""
    state = simulator.get_agent_state()
    left = simulator.distance_to(state.place, goals)
    if left < within:
        return STOP
    best, choice = 0.0, ""
    for turns in range(math.ceil(math.pi / turn) + 1):
        for side, name in ((1, "turn_left"), (-1, "turn_right")):
            end = _ahead(state.position, yaw_of(state.rotation) + side * turns * turn, step)
            gain = _gain(simulator, state.place, end, goals, left, step) - TURN_COST * step * turns
            if gain > best:
                best, choice = gain, name if turns else "move_forward"
        if best > 0.99 * step - TURN_COST * step * turns:
            break
    if not choice:
        raise SimulatorError(f"episode {simulator.episode.episode_id}: no way leads from here to the goal.")
    return Action(choice)


def _ahead(position: Vec3, yaw: float, step: float) -> Place:
    x, y, z = position
    return Place((x - math.sin(yaw) * step, y, z - math.cos(yaw) * step))


def _gain(simulator: Simulator, here: Place, end: Place, goals: Sequence[Place], left: float, step: float) -> float:
    if not simulator.is_navigable(end.position) or simulator.distance_to(here, [end]) > SLACK * step:
        return -math.inf
    return left - simulator.distance_to(end, goals)
