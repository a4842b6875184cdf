"""What the built-in metrics share: distances that are never NaN, and values of the metrics that they require.

Required values come with each step. Before the first one (an agent that fails at once, a submission of one
viewpoint) they are those at the start, asked of a fresh metric of that name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import Need, Place, StepRecord
from nav_eval.metrics.functional import not_nan
from nav_eval.metrics.registry import METRICS


def distance_between(context: MetricContext, start: Place, ends: Sequence[Place]) -> float:
    """Geodesic distance (m) to the nearest of `ends`; inf if there is none."""
    return not_nan(context.distance(start, ends)) if ends else math.inf


def node_place(node: str) -> Place:
    """A place known by its node only: graph distances ask for no more."""
    return Place((0.0, 0.0, 0.0), node)


def value_at_start(name: str, context: MetricContext) -> Any:
    """What the metric `name` says of an agent that never moved."""
    metric = METRICS.get(name)()
    metric.reset_metric(context)
    return metric.get_metric()


class DerivedMetric(Metric):
    """Computed from the values of `requires`; one that asks for more itself says so in `needs`."""

    needs: ClassVar[tuple[Need, ...]] = ()

    def reset_metric(self, context: MetricContext) -> None:
        self.context = context
        self._others: Mapping[str, Any] | None = None

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._others = others

    def value(self, name: str) -> float:
        """The current value of a required metric."""
        if self._others is None:
            self._others = {required: value_at_start(required, self.context) for required in self.requires}
        return float(self._others[name])


def shortest_length(context: MetricContext) -> float:
    """L of SPL: the distance to the goal at the start, m; asked for once in an episode, when it is needed."""
    if __name__ not in context.shared:
        context.shared[__name__] = float(value_at_start("distance_to_goal", context))
    return float(context.shared[__name__])


class ShortestPathMetric(DerivedMetric):
    """Also knows L of SPL."""

    needs: ClassVar[tuple[Need, ...]] = ("distance",)

    @property
    def shortest(self) -> float:
        return shortest_length(self.context)
