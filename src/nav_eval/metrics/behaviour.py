"""What the agent did: steps, turns, collisions, and the time it took (which never enters a score)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import StepRecord
from nav_eval.metrics import functional
from nav_eval.metrics.formula import metric
from nav_eval.metrics.registry import register_metric


class _Count(Metric):
    """Counts the steps for which `counts` holds."""

    def reset_metric(self, context: MetricContext) -> None:
        self._count = 0

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._count += self.counts(step)

    def get_metric(self) -> float:
        return float(self._count)

    def counts(self, step: StepRecord) -> bool:
        raise NotImplementedError


@register_metric("steps")
class Steps(_Count):
    """Actions, STOP among them, and where the world does not wait the ticks of thinking."""

    category = "efficiency"
    needs = ("actions",)

    def counts(self, step: StepRecord) -> bool:
        return True


@register_metric("turns")
class Turns(_Count):
    """Actions turn_left and turn_right."""

    category = "efficiency"
    needs = ("actions",)

    def counts(self, step: StepRecord) -> bool:
        return step.action.name in ("turn_left", "turn_right")


@register_metric("collisions")
class Collisions(_Count):
    """Steps that moved the agent less than it asked for; sliding along a wall is one.

    As in habitat-sim.
    """

    category = "safety"
    better = "lower"
    needs = ("actions",)

    def counts(self, step: StepRecord) -> bool:
        return step.collided


@metric("collision_rate", category="safety", unit="share", better="lower")
def collision_rate(*, collisions: float, steps: float) -> float:
    """Collisions per step."""
    return functional.collision_rate(int(collisions), int(steps))


@register_metric("episode_time")
class EpisodeTime(Metric):
    """Seconds from the reset to the last step."""

    category = "efficiency"
    unit = "s"
    needs = ("actions", "clock")

    def reset_metric(self, context: MetricContext) -> None:
        self._began = self._now = time.perf_counter()

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._now = time.perf_counter()

    def get_metric(self) -> float:
        return self._now - self._began


@register_metric("agent_latency")
class AgentLatency(Metric):
    """Median of the agent's answer times in an episode; 0 before the first step."""

    category = "efficiency"
    unit = "s"
    better = "lower"
    needs = ("actions", "clock")
    quantile = 0.5

    def reset_metric(self, context: MetricContext) -> None:
        self._latencies: list[float] = []

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        if step.asked:
            self._latencies.append(step.latency)

    def get_metric(self) -> float:
        import numpy as np

        return float(np.quantile(self._latencies, self.quantile)) if self._latencies else 0.0


@register_metric("agent_latency_p95")
class AgentLatencyP95(AgentLatency):
    """95th percentile of the agent's answer times in an episode."""

    label = "Agent latency, p95"
    quantile = 0.95
