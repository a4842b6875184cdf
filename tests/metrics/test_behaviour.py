"""Counts and times."""

from __future__ import annotations

import time
from itertools import chain, repeat

import numpy as np
import pytest

from nav_eval.core.actions import Action
from nav_eval.core.interfaces import MetricContext
from nav_eval.core.measurements import Measurements
from nav_eval.core.types import AgentState, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.metrics.registry import make_metrics

HERE = AgentState((0.0, 0.0, 0.0))


def measured(*steps: StepRecord) -> dict[str, float]:
    names = ["steps", "turns", "collisions", "collision_rate", "agent_latency", "agent_latency_p95", "episode_time"]
    measurements = Measurements(make_metrics(names))
    episode = Episode(episode_id="1", scene_id="s")
    measurements.reset(MetricContext(episode, HERE, (), (), "none", lambda start, ends: 0.0, 3.0, {}))
    for step in steps:
        measurements.update(step)
    return dict(measurements.values)


def step(action: str, collided: bool = False, latency: float = 0.0) -> StepRecord:
    return StepRecord(Action(action), HERE, collided=collided, latency=latency)


def test_counts() -> None:
    values = measured(
        step("turn_left"), step("turn_right"), step("look_up"), step("move_forward", True), step("stop")
    )  # fmt: skip
    assert values["steps"] == 5.0
    assert values["turns"] == 2.0
    assert values["collisions"] == 1.0
    assert values["collision_rate"] == 0.2


def test_nothing_happened() -> None:
    assert set(measured().values()) == {0.0}


def test_latency_quantiles() -> None:
    seconds = [0.3, 0.1, 0.2, 5.0]
    values = measured(*(step("stop", latency=second) for second in seconds))
    assert values["agent_latency"] == pytest.approx(0.25)
    assert values["agent_latency_p95"] == pytest.approx(np.percentile(seconds, 95))


def test_episode_time_is_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = chain([100.0, 101.5], repeat(104.0))
    monkeypatch.setattr(time, "perf_counter", lambda: next(now))
    assert measured(step("stop"), step("stop"))["episode_time"] == 4.0
