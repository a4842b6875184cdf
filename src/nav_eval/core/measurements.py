"""The metrics of one episode, updated in an order that respects what each of them requires."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import StepRecord
from nav_eval.errors import ConfigError


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

    def reset(self, context: MetricContext) -> None:
        for metric in self._metrics:
            metric.reset_metric(context)

    def update(self, step: StepRecord) -> None:
        current: dict[str, Any] = {}
        for metric in self._metrics:
            metric.update_metric(step, current)
            if metric.name in self._required:
                current[metric.name] = metric.get_metric()

    @property
    def values(self) -> Mapping[str, Any]:
        """Metric name -> value so far."""
        return {metric.name: metric.get_metric() for metric in self._metrics}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(metric.name for metric in self._metrics)

    @property
    def failure_values(self) -> Mapping[str, float]:
        """What a failed episode counts as, for the metrics that say so."""
        return {metric.name: metric.on_failure for metric in self._metrics if metric.on_failure is not None}
