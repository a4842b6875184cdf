"""The one action union of every wire, record and simulator: a name and its arguments.

An ActionSpace says which names a task allows and what arguments they take; what a participant sends is checked
against it once, at the edge, and is never mapped to something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nav_eval.core.specs import declaration_fault
from nav_eval.errors import ConfigError, InvalidAction
from nav_eval.frozen import FrozenDict, frozen
from nav_eval.registry import nearest
from nav_eval_sdk.protocol.actions import ACTIONS, action_fault
from nav_eval_sdk.protocol.specs import KINDS, ActionSpec, Argument


@dataclass(frozen=True, slots=True)
class Action:
    """For example Action("velocity", {"linear": 0.5, "angular": 0.1, "duration": 1.0}).

    >>> Action("move_to", {"viewpoint": "a1"}).args["viewpoint"]
    'a1'
    """

    name: str
    args: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        if type(self.args) is not FrozenDict:
            object.__setattr__(self, "args", frozen(self.args))

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
                f"{str(given)[:80]!r} is not an action: give a name or {{'action': ..., 'action_args': ...}}."
            )
        return cls(name, dict(given.get("action_args") or {}))

    def to_record(self) -> dict[str, Any]:
        return {"action": self.name, "action_args": dict(self.args)}


STOP = Action("stop")


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """The actions that a task allows, by name.

    >>> ActionSpace.of(["stop", "move_forward"]).parse("move_forward").name
    'move_forward'
    """

    actions: Mapping[str, ActionSpec]

    @classmethod
    def of(cls, names: Iterable[str], own: Mapping[str, ActionSpec] | None = None) -> ActionSpace:
        """`own`: the task's own actions. Raises ConfigError for a name that is no action, and for an own one that
        takes a name of ours or an argument of no kind.
        """
        own = own or {}
        check_own_actions(own)
        known, names = {**ACTIONS, **own}, tuple(names)
        for name in names:
            if name not in known:
                raise ConfigError(f"task.actions: there is no action {name!r}.{nearest(name, known)}")
        return cls({name: known[name] for name in names})

    def __contains__(self, name: str) -> bool:
        return name in self.actions

    def parse(self, name: object, args: object = None) -> Action:
        """The action that an agent asked for; raises InvalidAction, the participant's fault."""
        given = {} if args is None else args
        if not isinstance(name, str):
            raise InvalidAction(f"action {str(name)[:80]!r} is not a name.")
        if not isinstance(given, Mapping):
            raise InvalidAction(f"action_args of {name[:80]!r} must be an object, not {type(given).__name__}.")
        if fault := action_fault(self.actions, name, given):
            raise InvalidAction(fault)
        return Action(name, {key: given[key] for key in self.actions[name].arguments})


def check_own_actions(own: Mapping[str, ActionSpec]) -> None:
    """Raises ConfigError for what is no declaration of actions beside ours."""
    if not isinstance(own, Mapping):
        raise ConfigError(f"task.own_actions: is {own!r:.60}; write {{NAME: ActionSpec({{...}})}}.")
    for name, spec in own.items():
        if name in ACTIONS:
            raise ConfigError(f"task.own_actions: {name!r} is a built-in action; choose another name.")
        if not isinstance(spec, ActionSpec):
            raise ConfigError(
                f"task.own_actions: {name!r} is {spec!r:.60}; write ActionSpec({{ARGUMENT: Argument(...)}})."
            )
        if not isinstance(spec.arguments, Mapping):
            raise ConfigError(
                f"task.own_actions: {name!r} takes {spec.arguments!r:.60}; write {{ARGUMENT: Argument(...)}}."
            )
        for key, argument in spec.arguments.items():
            if not isinstance(argument, Argument):
                raise ConfigError(
                    f"task.own_actions: argument {key!r} of {name!r} is {argument!r:.60}; write Argument(...)."
                )
            if fault := declaration_fault(argument):
                raise ConfigError(f"task.own_actions: argument {key!r} of {name!r}: {fault}.")
            if argument.kind not in KINDS:
                raise ConfigError(
                    f"task.own_actions: argument {key!r} of {name!r} is of kind {argument.kind!r}; "
                    f"kinds are {', '.join(KINDS)}."
                )
