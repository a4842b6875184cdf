"""Metrics with the specification's signatures (3.3), which are Habitat's, made into Metrics when they are found.

`reset_metric(episode, task)` is called with the Episode and, as the task, with the MetricContext: start, goals,
reference, distances, success distance and settings. `update_metric(*args, **kwargs)` is called with the StepRecord, and
with the keywords `episode`, `task` and `others` (the values of the metrics in `requires`).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import StepRecord
from nav_eval.errors import ConfigError

METHODS = ("reset_metric", "update_metric", "get_metric")
_SETTINGS = ("category", "kind", "unit", "better", "needs", "requires", "on_failure", "Options")


class AdaptedMetric(Metric):
    """Calls an object of the class `own` as the specification writes it."""

    category = "navigation"
    own: ClassVar[type]

    def __init__(self) -> None:
        self._own = self.own()

    def reset_metric(self, context: MetricContext) -> None:
        self._context = context
        self._own.reset_metric(context.episode, context)

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._own.update_metric(step, episode=self._context.episode, task=self._context, others=others)

    def get_metric(self) -> Any:
        return self._own.get_metric()


def as_metric(name: str, cls: type) -> type[Metric]:
    """`cls` itself, or the Metric made of it. Raises ConfigError that says what to change where neither is possible."""
    missing = [method for method in METHODS if not callable(getattr(cls, method, None))]
    if missing:
        raise ConfigError(f"metric {name!r}: {cls.__qualname__} has no {', '.join(missing)}. Define all three methods.")
    origin = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    if _takes(cls.reset_metric, 1) and _takes(cls.update_metric, 2):  # type: ignore[attr-defined]
        return cls if issubclass(cls, Metric) else type(cls.__name__, (cls, Metric), origin)
    if not _takes(cls.reset_metric, 2) or not _takes(cls.update_metric, 1, "episode", "task", "others"):  # type: ignore[attr-defined]
        raise ConfigError(
            f"metric {name!r}: {cls.__qualname__} cannot be called. Write these two lines:\n"
            "def reset_metric(self, context):\ndef update_metric(self, step, others):"
        )
    given = {key: getattr(cls, key) for key in _SETTINGS if hasattr(cls, key)}
    return type(cls.__name__, (AdaptedMetric,), given | origin | {"own": cls})


def _takes(method: Any, count: int, *keywords: str) -> bool:
    """Whether an object's `method` can be called with `count` arguments and these keywords."""
    try:
        inspect.signature(method).bind(None, *range(count), **dict.fromkeys(keywords))
    except TypeError:
        return False
    return True
