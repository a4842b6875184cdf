"""The metrics of one episode, updated in an order that respects what each of them requires.

A metric that raises, or whose value is none, loses its own value in that episode and that of the metrics which
require it; the others stand. What the world under it lacks (a scene, memory) is no fault of a metric and is raised.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from nav_eval.core.definitions import Definition, definitions
from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import Kind, StepRecord
from nav_eval.errors import ConfigError, InputError, SimulatorError, as_reason, exhausted
from nav_eval.frozen import frozen
from nav_eval.logging import get_logger

P = ParamSpec("P")
T = TypeVar("T")


def in_order(metrics: Iterable[Metric]) -> list[Metric]:
    """Sorted so that each metric comes after those it requires; raises ConfigError for a gap or a circle."""
    by_name = {metric.name: metric for metric in metrics}
    for metric in by_name.values():
        missing = [name for name in metric.requires if name not in by_name]
        if missing:
            raise ConfigError(f"metric {metric.name!r} requires {', '.join(missing)}: add it to task.measurements.")
    try:
        order = TopologicalSorter({name: metric.requires for name, metric in by_name.items()}).static_order()
        return [by_name[name] for name in order]
    except CycleError as error:
        raise ConfigError(f"metrics require each other in a circle: {' -> '.join(error.args[1])}.") from None


class Measurements:
    """Online and offline scoring alike feed this: reset with a context, update with each step, read the values."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = in_order(metrics)
        self._required = {name for metric in self._metrics for name in metric.requires}
        self._faults: dict[str, str] = {}
        self._told: set[str] = set()

    def reset(self, context: MetricContext) -> None:
        self._faults = {}
        for metric in self._metrics:
            if self._sound(metric):
                self._guard(metric, metric.reset_metric, context)

    def update(self, step: StepRecord) -> None:
        current: dict[str, Any] = {}
        others = MappingProxyType(current)
        for metric in self._metrics:
            if not self._faults or self._sound(metric):
                try:
                    metric.update_metric(step, others)
                    if metric.name in self._required:
                        current[metric.name] = frozen(_value(metric))
                except Exception as error:
                    if not self._note_fault(metric, error):
                        raise

    @property
    def values(self) -> Mapping[str, Any]:
        """Metric name -> value so far; without those in `faults`."""
        values = {each.name: self._guard(each, _value, each) for each in self._metrics if self._sound(each)}
        return {name: value for name, value in values.items() if name not in self._faults}

    @property
    def faults(self) -> Mapping[str, str]:
        """Metric name -> why it has no value in this episode."""
        return dict(self._faults)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(metric.name for metric in self._metrics)

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """Metric name -> what it says of itself."""
        return definitions(type(metric) for metric in self._metrics)

    @property
    def failure_values(self) -> Mapping[str, float]:
        """What a failed episode counts as, for the metrics that say so."""
        return {metric.name: metric.on_failure for metric in self._metrics if metric.on_failure is not None}

    def _sound(self, metric: Metric) -> bool:
        """Whether a metric, when its turn comes, neither failed before nor requires one that did."""
        lost = next((name for name in metric.requires if name in self._faults), None)
        if lost is not None:
            self._faults.setdefault(metric.name, f"requires {lost}, which has no value")
        return metric.name not in self._faults

    def _guard(self, metric: Metric, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T | None:
        try:
            return call(*args, **named)
        except Exception as error:
            if not self._note_fault(metric, error):
                raise
            return None

    def _note_fault(self, metric: Metric, error: Exception) -> bool:
        """Note why a metric has no value in this episode, unless the fault is not its own."""
        if isinstance(error, InputError | SimulatorError) or exhausted(error):
            return False
        self._faults[metric.name] = reason = as_reason(error)
        get_logger(__name__).debug("metric %s", metric.name, exc_info=True)
        if metric.name not in self._told:
            self._told.add(metric.name)
            get_logger(__name__).warning(
                "metric %s has no value: %s. The other metrics stand; once it is fixed, `nav-eval rescore`.",
                metric.name,
                reason,
            )
        return True


def _value(metric: Metric) -> Any:
    value = metric.get_metric()
    if fault := value_fault(value, metric.kind):
        raise ValueError(fault)
    return value


def value_fault(value: Any, kind: Kind = "mean") -> str | None:
    """Why `value` is no metric's value, or None: a number (inf allowed, NaN never), or plain JSON for a record."""
    if kind == "rate" and value not in (0, 1):
        return f"its value is {value!r:.40}; a rate is 0 or 1 in each episode, else its `kind` is 'mean'"
    if isinstance(value, int | float):
        return "its value is NaN; say inf, or a number" if math.isnan(value) else None
    if value is None:
        return "its value is None; end get_metric with return float(...), or plain JSON for a record"
    named = f"its value is of the type {type(value).__name__}"
    if kind != "record":
        return (
            f"{named}, not a float; end get_metric with return float(...), or say kind = 'record' if it is plain JSON"
        )
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return f"{named}, neither a float nor plain JSON ({error})"
    return None
