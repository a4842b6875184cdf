"""What the agent did: steps, turns, collisions, and the time it took (which never enters a score)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from nav_eval.core.interfaces import Metric, MetricContext
from nav_eval.core.types import StepRecord
from nav_eval.metrics import functional
from nav_eval.metrics.base import DerivedMetric


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


class Steps(_Count):
    """Steps of the episode: actions, stop among them, and where the world does not wait the ticks of thinking."""

    name = "steps"
    category = "efficiency"
    needs = ("actions",)

    def counts(self, step: StepRecord) -> bool:
        return True


class Turns(_Count):
    """turn_left and turn_right actions."""

    name = "turns"
    category = "efficiency"
    needs = ("actions",)

    def counts(self, step: StepRecord) -> bool:
        return step.action.name in ("turn_left", "turn_right")


class Collisions(_Count):
    """Steps in which the agent moved less than it asked for; a slide is one (conventions of habitat-sim)."""

    name = "collisions"
    category = "safety"
    better = "lower"
    needs = ("actions",)

    def counts(self, step: StepRecord) -> bool:
        return step.collided


class CollisionRate(DerivedMetric):
    """Collisions per step."""

    name = "collision_rate"
    category = "safety"
    unit = "share"
    better = "lower"
    requires = ("collisions", "steps")

    def get_metric(self) -> float:
        return functional.collision_rate(int(self.value("collisions")), int(self.value("steps")))


class EpisodeTime(Metric):
    """Seconds from the reset to the last step."""

    name = "episode_time"
    category = "efficiency"
    unit = "s"
    needs = ("actions", "clock")

    def reset_metric(self, context: MetricContext) -> None:
        self._began = self._now = time.perf_counter()

    def update_metric(self, step: StepRecord, others: Mapping[str, Any]) -> None:
        self._now = time.perf_counter()

    def get_metric(self) -> float:
        return self._now - self._began


class AgentLatency(Metric):
    """Median of the agent's answer times, s; 0 before the first step."""

    name = "agent_latency"
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


class AgentLatencyP95(AgentLatency):
    """95th percentile of the agent's answer times, s."""

    name = "agent_latency_p95"
    quantile = 0.95
