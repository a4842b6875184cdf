"""An episode played by hand, and the official way to read a navigation graph, for the tests of the metrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from nav_eval.config.schema import TaskConfig
from nav_eval.core.actions import Action
from nav_eval.core.interfaces import MetricContext
from nav_eval.core.measurements import Measurements
from nav_eval.core.types import AgentState, Place, StepRecord
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.geometry import Vec3, euclidean
from nav_eval.metrics.registry import make_metrics

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


class OfficialGraphs:
    """Connectivity read with networkx, as the benchmarks' own scripts do; shares no code with the product."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._graphs: dict[str, nx.Graph] = {}
        self._lengths: dict[tuple[str, str], dict[str, float]] = {}

    def graph(self, scan: str) -> nx.Graph:
        if scan not in self._graphs:
            rows = json.loads((self._folder / f"{scan}_connectivity.json").read_text())
            graph = self._graphs[scan] = nx.Graph()
            for row in rows:
                for other, free in zip(rows, row["unobstructed"], strict=True):
                    if free and row["included"] and other["included"]:
                        gaps = [(row["pose"][k] - other["pose"][k]) ** 2 for k in (3, 7, 11)]
                        graph.add_edge(row["image_id"], other["image_id"], weight=sum(gaps) ** 0.5)
        return self._graphs[scan]

    def distance(self, scan: str, a: str, b: str) -> float:
        if (scan, a) not in self._lengths:
            self._lengths[scan, a] = nx.single_source_dijkstra_path_length(self.graph(scan), a)
        return self._lengths[scan, a][b]

    def function(self, scan: str) -> Any:
        """A DistanceFunction over the scan's nodes."""
        return lambda start, ends: min(self.distance(scan, start.node, end.node) for end in ends)


@pytest.fixture(scope="session")
def official(released: Path) -> OfficialGraphs:
    return OfficialGraphs(released / "r2r" / "connectivity")
