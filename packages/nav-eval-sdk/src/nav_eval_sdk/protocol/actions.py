"""The actions that every program here knows, with their arguments; a task may bring others, which reset declares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nav_eval_sdk.protocol.specs import ActionSpec, Argument

DISCRETE = ("stop", "move_forward", "turn_left", "turn_right")
ACTIONS: Mapping[str, ActionSpec] = {
    "stop": ActionSpec(),
    "move_forward": ActionSpec(),
    "turn_left": ActionSpec(),
    "turn_right": ActionSpec(),
    "look_up": ActionSpec(),
    "look_down": ActionSpec(),
    "found": ActionSpec(),
    "move_to": ActionSpec({"viewpoint": Argument("node")}),
    "velocity": ActionSpec(
        {"linear": Argument(unit="m/s"), "angular": Argument(unit="rad/s"), "duration": Argument(unit="s", low=0.0)}
    ),
    "waypoint": ActionSpec(
        {"range": Argument(unit="m", low=0.0), "heading": Argument(unit="rad", low=-2 * math.pi, high=2 * math.pi)}
    ),
}


def action_fault(space: Mapping[str, ActionSpec], name: str, given: Mapping[str, Any]) -> str | None:
    """Why this is no action of `space`, naming the action and its argument; None if it is one."""
    if name not in space:
        return f"action {name[:80]!r} is not one of {', '.join(space)}."
    expected = space[name].arguments
    if set(given) != set(expected):
        return f"{name!r} takes the arguments {sorted(expected)}, not {sorted(str(key)[:40] for key in given)[:8]}."
    faults = ((key, argument.fault(given[key])) for key, argument in expected.items())
    return next((f"argument {key!r} of {name!r} {fault}." for key, fault in faults if fault), None)
