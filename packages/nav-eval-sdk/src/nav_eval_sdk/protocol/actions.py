"""The actions that every program here knows, with their arguments; a task may bring others, which reset declares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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


def chunk_fault(space: Mapping[str, ActionSpec], parts: Sequence[tuple[str, Mapping[str, Any]]]) -> str | None:
    """The fault of the first of several (name, arguments) that has one; says which it is."""
    faults = (action_fault(space, name, given) for name, given in parts)
    found = next(((index, fault) for index, fault in enumerate(faults) if fault), None)
    return found and f"{named(found[0], len(parts))}{found[1]}"


def named(index: int, count: int) -> str:
    """How a message begins that tells of one of `count` actions of an answer."""
    return f"actions[{index}]: " if count > 1 else ""


class ActionFault(ValueError):
    """The agent's answer is no action; the message says why."""


def chunk_of(actions: Any, most: int) -> list[Any]:
    """`actions`, if it is a list of one up to `most`; raises ActionFault, which names the key."""
    if not isinstance(actions, list):
        raise ActionFault(f"actions must be a list of actions, not {type(actions).__name__}.")
    if not actions:
        raise ActionFault("actions is empty: answer at least one action.")
    if len(actions) > most:
        raise ActionFault(f"actions holds {len(actions)} actions, max_chunk allows {most}.")
    return actions


def answered(actions: Any, most: int) -> list[tuple[str, Mapping[str, Any]]]:
    """(name, arguments) of each, as a wire's answer holds them; raises ActionFault. A bare name has no arguments."""
    return [_part(f"actions[{index}]", part) for index, part in enumerate(chunk_of(actions, most))]


def _part(where: str, given: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(given, str):
        return given, {}
    if not isinstance(given, Mapping):
        raise ActionFault(f"{where} must be a name or an object, not {type(given).__name__}.")
    name, arguments = given.get("action"), given.get("action_args")
    if not isinstance(name, str):
        raise ActionFault(f"{where} has no 'action' that is a name.")
    if not isinstance(arguments, Mapping | None):
        raise ActionFault(f"{where}: action_args must be an object, not {type(arguments).__name__}.")
    return name, arguments or {}
