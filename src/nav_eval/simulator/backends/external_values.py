"""Between the wire's values and ours: specs, poses, settings; whatever a simulator answers is checked here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec
from nav_eval.core.types import AgentState, Place
from nav_eval.errors import SimulatorError
from nav_eval_sdk.protocol import messages
from nav_eval_sdk.protocol import simulator as contract


def core_spec(spec: messages.Spec) -> Spec:
    """The wire's spec as core has it."""
    common: dict[str, Any] = {"description": spec.description, "unit": spec.unit, "optional": spec.optional}
    match spec:
        case messages.TensorSpec():
            return TensorSpec(**common, **_bounds(spec), shape=tuple(spec.shape), dtype=spec.dtype)
        case messages.TextSpec():
            return TextSpec(**common, max_length=spec.max_length, is_node=spec.is_node)
        case messages.NumberSpec():
            return NumberSpec(**common, **_bounds(spec))
        case messages.StructSpec():
            return StructSpec(**common, parts={name: core_spec(part) for name, part in spec.parts.items()})
        case messages.ListSpec():
            return ListSpec(**common, item=core_spec(spec.item), max_items=spec.max_items)
    raise TypeError(f"{type(spec).__name__} is no spec.")


def _bounds(spec: messages.TensorSpec | messages.NumberSpec) -> dict[str, Any]:
    low = -math.inf if spec.low is None else spec.low
    return {"low": low, "high": math.inf if spec.high is None else spec.high}


def agent_state(state: contract.State) -> AgentState:
    """Raises SimulatorError for a pose that is none."""
    numbers = (*state.position, *state.rotation, state.elevation)
    if not all(math.isfinite(number) for number in numbers):
        raise SimulatorError(f"the simulator answered with a pose that is not finite: {state.position}.")
    if abs(math.hypot(*state.rotation) - 1) > 1e-3:
        raise SimulatorError(f"the simulator's rotation {list(state.rotation)} is no unit quaternion [x, y, z, w].")
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


def wire_motion(config: SimulatorConfig) -> contract.Motion:
    """Degrees become rad; actuation noise is the simulator's own business."""
    fields: Mapping[str, Any] = config.motion.model_dump(exclude={"noise", "noise_multiplier"})
    degrees = ("turn_angle", "tilt_angle", "max_tilt", "max_angular")
    values: dict[str, Any] = {k: math.radians(v) if k in degrees else v for k, v in fields.items()}
    return contract.Motion(**values)
