"""Metrics with the specification's signatures (3.3), which are Habitat's, made into Metrics when they are found.

`reset_metric(episode, task)` is called with the Episode and, as the task, with the MetricContext: start, goals,
reference, distances, success distance and settings. `update_metric(*args, **kwargs)` is called with the StepRecord, and
with the keywords `episode`, `task`, `action` and `others` (the values of the metrics in `requires`). As in Habitat,
whatever a method names is given by name, and the rest where it takes **kwargs; `observations` is None, because metrics
are computed from poses and actions alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any, ClassVar

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import StepRecord
from nav_eval.errors import ConfigError

RESET = ("episode", "task", "observations")
UPDATE = (*RESET, "action", "others")
"""What Habitat gives these methods by name, and the values of the metrics in `requires`."""
METHODS = ("reset_metric", "update_metric", "get_metric")
_SETTINGS = ("category", "kind", "unit", "better", "label", "short", "needs", "requires", "on_failure", "Options")


@dataclass(frozen=True, slots=True)
class Call:
    """How a method is called: which values it is given by place, and which by name."""

    placed: tuple[str, ...]
    named: tuple[str, ...]

    def of(self, method: Any, values: Mapping[str, Any]) -> None:
        method(*(values[name] for name in self.placed), **{name: values[name] for name in self.named})


class AdaptedMetric(Metric):
    """Calls an object of the class `own` as the specification writes it."""

    category = "navigation"
    own: ClassVar[type]
    resets: ClassVar[Call]
    updates: ClassVar[Call]

    def __init__(self) -> None:
        self._own = self.own()

    def reset_metric(self, context: MetricContext) -> None:
        self._values = {"episode": context.episode, "task": context, "observations": None}
        self.resets.of(self._own.reset_metric, self._values)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        now = self._values | {"step": step, "action": step.action, "others": others}
        self.updates.of(self._own.update_metric, now)

    def get_metric(self) -> Any:
        return self._own.get_metric()


def as_metric(name: str, cls: type) -> type[Metric]:
    """`cls` itself, or the Metric made of it. Raises ConfigError that says what to change where neither is possible."""
    missing = [method for method in METHODS if not callable(getattr(cls, method, None))]
    if missing:
        raise ConfigError(f"metric {name!r}: {cls.__qualname__} has no {', '.join(missing)}. Define all three methods.")
    origin = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    reset, update = inspect.signature(cls.reset_metric), inspect.signature(cls.update_metric)  # type: ignore[attr-defined]
    if _binds(reset, 1) and _binds(update, 2) and (issubclass(cls, Metric) or not _speaks_of_episodes(reset)):
        return cls if issubclass(cls, Metric) else type(cls.__name__, (cls, Metric), origin)
    resets = _call(reset, (), RESET) or _call(reset, ("episode", "task"), ())
    updates = _call(update, ("step",), UPDATE) or _call(update, (), ("step", *UPDATE))
    if resets is None or updates is None:
        raise ConfigError(
            f"metric {name!r}: {cls.__qualname__} cannot be called. Write these two lines:\n"
            "def reset_metric(self, context):\ndef update_metric(self, step, others):"
        )
    if not _made_of_nothing(cls):
        raise ConfigError(
            f"metric {name!r}: it is made as {cls.__qualname__}(), without a simulator or a configuration. "
            "Take what it needs from `task` in reset_metric."
        )
    given = {key: getattr(cls, key) for key in _SETTINGS if hasattr(cls, key)}
    return type(cls.__name__, (AdaptedMetric,), given | origin | {"own": cls, "resets": resets, "updates": updates})


def _speaks_of_episodes(reset: Signature) -> bool:
    """Whether a method that could be given our context asks for an episode, or for anything that it may be given."""
    first = list(reset.parameters.values())[1]
    return first.kind is Parameter.VAR_POSITIONAL or bool({"episode", "task"} & {*reset.parameters})


def _call(method: Signature, placed: tuple[str, ...], names: tuple[str, ...]) -> Call | None:
    """The call with `placed` by place and whatever of `names` it takes by name; None where it cannot be made."""
    takes_any = any(one.kind is Parameter.VAR_KEYWORD for one in method.parameters.values())
    named = tuple(name for name in names if takes_any or name in method.parameters)
    return Call(placed, named) if (placed or named) and _binds(method, len(placed), *named) else None


def _made_of_nothing(cls: type) -> bool:
    try:
        inspect.signature(cls).bind()
    except TypeError:
        return False
    return True


def _binds(method: Signature, count: int, *names: str) -> bool:
    """Whether an object's `method` can be called with `count` arguments and these keywords."""
    try:
        method.bind(None, *range(count), **dict.fromkeys(names))
    except TypeError:
        return False
    return True
