"""The one action union of every wire, record and simulator: a name and its arguments.

An ActionSpace says which names a task allows and what arguments they take; what a participant sends is checked
against it once, at the edge, and is never mapped to something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nav_eval.errors import ConfigError, InvalidAction
from nav_eval.registry import nearest
from nav_eval_sdk.protocol.actions import ACTIONS, action_fault
from nav_eval_sdk.protocol.specs import ActionSpec


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
class ActionSpace:
    """The actions that a task allows, by name."""

    actions: Mapping[str, ActionSpec]

    @classmethod
    def of(cls, names: Iterable[str]) -> ActionSpace:
        """Raises ConfigError for a name that is no action."""
        names = tuple(names)
        for name in names:
            if name not in ACTIONS:
                raise ConfigError(f"task.actions: there is no action {name!r}.{nearest(name, ACTIONS)}")
        return cls({name: ACTIONS[name] for name in names})

    def __contains__(self, name: str) -> bool:
        return name in self.actions

    def parse(self, name: object, args: object = None) -> Action:
        """The action that an agent asked for; raises InvalidAction, the participant's fault."""
        given = {} if args is None else args
        if not isinstance(name, str):
            raise InvalidAction(f"action {str(name)[:80]!r} is no name.")
        if not isinstance(given, Mapping):
            raise InvalidAction(f"action_args of {name[:80]!r} must be an object, not {type(given).__name__}.")
        if fault := action_fault(self.actions, name, given):
            raise InvalidAction(fault)
        return Action(name, {key: given[key] for key in self.actions[name].arguments})
