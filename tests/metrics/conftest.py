"""An episode played by hand, and the official way to read a navigation graph, for the tests of the metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nav_eval.config.schema import TaskConfig
from nav_eval.core.actions import Action
from nav_eval.core.interfaces import MetricContext
from nav_eval.core.measurements import Measurements
from nav_eval.core.types import AgentState, Place, StepRecord
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.geometry import Vec3, euclidean
from nav_eval.metrics.registry import make_metrics
from official import OfficialGraphs

ORIGIN = (0.0, 0.0, 0.0)
Play = Callable[..., Mapping[str, Any]]


def straight(start: Place, ends: Sequence[Place]) -> float:
    """The distance in a world without walls."""
    return min(euclidean(start.position, end.position) for end in ends)


def _play(
    names: Iterable[str],
    path: Sequence[Any],
    reference: Sequence[Any] = (),
    goals: Sequence[Any] | None = None,
    stop: bool = True,
    distance: Any = straight,
    extra: Mapping[str, Any] | None = None,
    goal_nodes: Sequence[str] = (),
    success_distance: float = 3.0,
    **settings: Any,
) -> Mapping[str, Any]:
    """Values of metrics after an agent went along `path`: points, or node names with a graph's `distance`."""
    reached = reference[-1:] if goals is None else goals
    context = MetricContext(
        episode=Episode(
            episode_id="1", scene_id="s", extra=extra or {}, goals=tuple(Goal(node=node) for node in goal_nodes)
        ),
        start=_state(path[0]),
        goals=[_state(goal).place for goal in reached],
        reference=[_state(place).place for place in reference],
        reference_kind="test",
        distance=distance,
        success_distance=success_distance,
        settings=TaskConfig(**settings),
    )
    measurements = Measurements(make_metrics(names))
    measurements.reset(context)
    for place in path[1:]:
        measurements.update(StepRecord(Action("move_forward"), _state(place)))
    if stop:
        measurements.update(StepRecord(Action("stop"), _state(path[-1])))
    return measurements.values


def _state(place: str | Vec3) -> AgentState:
    return AgentState(ORIGIN, node=place) if isinstance(place, str) else AgentState(place)


@pytest.fixture(scope="session")
def play() -> Play:
    return _play


@pytest.fixture(scope="session")
def official(released: Path) -> OfficialGraphs:
    return OfficialGraphs(released / "r2r" / "connectivity")
