"""The one action union of every wire, record and simulator: a name and its arguments.

An ActionSpace says which names a task allows and what arguments they take; what a participant sends is checked
against it once, at the edge, and is never mapped to something else.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nav_eval.errors import ConfigError, InvalidAction
from nav_eval.registry import nearest

LARGEST = sys.float_info.max
"""JSON's integers have no end: one beyond is no number that anything here can reckon with."""


@dataclass(frozen=True, slots=True)
class Action:
    """For example Action("velocity", {"linear": 0.5, "angular": 0.1, "duration": 1.0})."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Action | str | Mapping[str, Any]) -> Action:
        """From a bare name or {"action": name, "action_args": {...}}; raises InvalidAction for anything else."""
        if isinstance(given, Action):
            return given
        if isinstance(given, str):
            return cls(given)
        name = given.get("action") if isinstance(given, Mapping) else None
        if not isinstance(name, str):
            raise InvalidAction(
                f"{str(given)[:80]!r} is no action: give a name or {{'action': ..., 'action_args': ...}}."
            )
        return cls(name, dict(given.get("action_args") or {}))

    def to_record(self) -> dict[str, Any]:
        return {"action": self.name, "action_args": dict(self.args)}


STOP = Action("stop")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of an action: `kind` is "float", "text" or "node" (a graph node's id, which disclosure may hide)."""

    kind: str = "float"
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf

    def fault(self, value: object) -> str | None:
        """Why `value` is no such argument, or None."""
        if self.kind in ("text", "node"):
            return None if isinstance(value, str) else "must be a string"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "must be a number"
        if not -LARGEST <= value <= LARGEST:
            return "must be finite"
        return None if self.low <= value <= self.high else f"must lie in [{self.low:g}, {self.high:g}]"


ARGUMENTS: Mapping[str, Mapping[str, Argument]] = {
    "stop": {},
    "move_forward": {},
    "turn_left": {},
    "turn_right": {},
    "look_up": {},
    "look_down": {},
    "found": {},
    "move_to": {"viewpoint": Argument("node")},
    "velocity": {
        "linear": Argument(unit="m/s"),
        "angular": Argument(unit="rad/s"),
        "duration": Argument(unit="s", low=0.0),
    },
    "waypoint": {
        "range": Argument(unit="m", low=0.0),
        "heading": Argument(unit="rad", low=-2 * math.pi, high=2 * math.pi),
    },
}


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """The actions that a task allows, by name."""

    actions: Mapping[str, Mapping[str, Argument]]

    @classmethod
    def of(cls, names: Iterable[str]) -> ActionSpace:
        """Raises ConfigError for a name that is no action."""
        names = tuple(names)
        for name in names:
            if name not in ARGUMENTS:
                raise ConfigError(f"task.actions: there is no action {name!r}.{nearest(name, ARGUMENTS)}")
        return cls({name: ARGUMENTS[name] for name in names})

    def __contains__(self, name: str) -> bool:
        return name in self.actions

    def parse(self, name: object, args: object = None) -> Action:
        """The action that an agent asked for; raises InvalidAction, the participant's fault."""
        if not isinstance(name, str) or name not in self.actions:
            raise InvalidAction(f"action {str(name)[:80]!r} is not one of {', '.join(self.actions)}.")
        given = {} if args is None else args
        if not isinstance(given, Mapping):
            raise InvalidAction(f"action_args of {name!r} must be an object, not {type(given).__name__}.")
        expected = self.actions[name]
        if set(given) != set(expected):
            raise InvalidAction(
                f"{name!r} takes the arguments {sorted(expected)}, not {sorted(str(key)[:40] for key in given)[:8]}."
            )
        for key, argument in expected.items():
            fault = argument.fault(given[key])
            if fault:
                raise InvalidAction(f"argument {key!r} of {name!r} {fault}.")
        return Action(name, {key: given[key] for key in expected})
