"""Between the wire's values and ours: poses, settings; whatever a simulator answers is checked here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.types import AgentState, Place
from nav_eval.errors import SimulatorError
from nav_eval_sdk.protocol import simulator as contract


def agent_state(state: contract.State) -> AgentState:
    """Raises SimulatorError for a pose that is none."""
    numbers = (*state.position, *state.rotation, state.elevation)
    if not all(math.isfinite(number) for number in numbers):
        raise SimulatorError(f"the simulator answered with a pose that is not finite: {state.position}.")
    if abs(math.hypot(*state.rotation) - 1) > 1e-3:
        raise SimulatorError(f"the simulator's rotation {list(state.rotation)} is not a unit quaternion [x, y, z, w].")
    return AgentState(state.position, state.rotation, state.node, state.elevation)


def plain_events(events: Mapping[str, Any]) -> Mapping[str, Any]:
    """What came of an action, if a journal can hold it; raises SimulatorError."""
    try:
        msgspec.json.encode(events)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise SimulatorError(f"the simulator answered with events that no journal holds: {str(error)[:200]}.") from None
    return events


def metres(distance: contract.Distance) -> float:
    """inf for null; raises SimulatorError for what is no length."""
    if distance.meters is None:
        return math.inf
    if not distance.meters >= 0:
        raise SimulatorError(f"the simulator answered with a distance of {distance.meters} m.")
    return distance.meters


def wire_place(place: Place) -> contract.Place:
    x, y, z = place.position
    return contract.Place((float(x), float(y), float(z)), place.node)


def wire_body(config: SimulatorConfig) -> contract.Body:
    """Degrees become rad."""
    fields = config.body.model_dump()
    return contract.Body(**fields | {"max_slope": math.radians(config.body.max_slope)})
