"""Metrics of the path, grown step by step, against the same formulas over the whole path at once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.alignment import cheapest
from nav_eval.core.types import Place
from nav_eval.metrics import functional
from nav_eval.metrics.dtw import fastdtw_points

NAMES = ["path_length", "dtw", "ndtw", "sdtw", "cls", "path_coverage", "waypoint_coverage", "coverage"]
points = st.tuples(*[st.floats(-20, 20, width=16)] * 3)
walks = st.lists(points, min_size=1, max_size=12)


def without_repeats(path: Sequence[Any]) -> list[Any]:
    return [place for i, place in enumerate(path) if i == 0 or place != path[i - 1]]


@given(path=walks, reference=walks, repeats=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_online_equals_offline_on_points(play: Any, path: Any, reference: Any, repeats: int) -> None:
    values = play(NAMES, [point for point in path for _ in range(repeats)], reference)
    agent = without_repeats(path)
    distances = np.linalg.norm(np.array(agent)[:, None] - np.array(reference)[None], axis=2)
    cost, coverage = cheapest(distances), functional.path_coverage(functional.nearest(distances))
    length = functional.path_length(path)
    assert values["dtw"] == pytest.approx(cost, rel=1e-12)
    assert values["ndtw"] == pytest.approx(functional.ndtw(cost, len(reference)), rel=1e-12)
    assert values["sdtw"] == values["success"] * values["ndtw"]
    assert values["path_length"] == pytest.approx(length)
    assert values["path_coverage"] == pytest.approx(coverage)
    assert values["cls"] == pytest.approx(functional.cls(coverage, functional.path_length(reference), length))
    assert values["coverage"] == values["waypoint_coverage"]


HOUSE = {name: 4.0 * i for i, name in enumerate("abcdefg")}


def corridor(start: Place, ends: Sequence[Place]) -> float:
    return min(abs(HOUSE[start.node or ""] - HOUSE[end.node or ""]) for end in ends)


nodes = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=10)


@given(path=nodes, reference=nodes)
@settings(deadline=None)
def test_online_equals_offline_on_a_graph(play: Any, path: list[str], reference: list[str]) -> None:
    values = play(NAMES, path, reference, distance=corridor)
    agent, ways = without_repeats(path), without_repeats(reference)
    distances = np.array([[abs(HOUSE[a] - HOUSE[b]) for b in ways] for a in agent])
    coverage = functional.path_coverage(functional.nearest(distances))
    length, ways_length = (sum(abs(HOUSE[a] - HOUSE[b]) for a, b in pairwise(p)) for p in (agent, ways))
    assert values["dtw"] == cheapest(distances)
    assert values["ndtw"] == functional.ndtw(values["dtw"], len(ways))
    assert values["path_length"] == length
    assert values["cls"] == functional.cls(coverage, ways_length, length)


def walk(generator: np.random.Generator, size: int) -> list[tuple[float, ...]]:
    return [tuple(point) for point in generator.normal(size=(size, 3)).cumsum(axis=0).tolist()]


def test_fastdtw_is_an_option_of_points_only(play: Any) -> None:
    generator = np.random.default_rng(6)
    path, reference = walk(generator, 30), walk(generator, 21)
    approximate, exact = play(NAMES, path, reference, dtw="fastdtw"), play(NAMES, path, reference)
    assert approximate["dtw"] == fastdtw_points(path, reference)
    assert approximate["dtw"] > exact["dtw"]
    graph = {"path": list("abca"), "reference": list("ad"), "distance": corridor}
    assert play(NAMES, **graph, dtw="fastdtw") == play(NAMES, **graph)


def test_the_distances_are_the_profiles(play: Any) -> None:
    path, reference = [(0.0, 0.0, 0.0)], [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)]
    assert play(NAMES, path, reference)["ndtw"] == math.exp(-2 / (2 * 3))
    assert play(NAMES, path, reference, ndtw_distance=1.0)["ndtw"] == math.exp(-1)
    assert play(NAMES, path, reference)["coverage"] == 1.0
    assert play(NAMES, path, reference, coverage_distance=1.0)["coverage"] == 0.5


def test_a_reference_point_that_repeats_is_kept_outside_a_graph(play: Any) -> None:
    reference = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (6.0, 0.0, 0.0)]
    assert play(NAMES, reference[:1], reference)["ndtw"] == math.exp(-6 / 9)


def test_no_reference_at_all(play: Any) -> None:
    values = play(NAMES, [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], [], goals=[(1.0, 0.0, 0.0)])
    assert values["dtw"] == math.inf
    assert values["ndtw"] == values["sdtw"] == values["cls"] == values["path_coverage"] == values["coverage"] == 0.0


@pytest.mark.parametrize("kind", ["exact", "fastdtw"])
def test_a_pose_that_is_not_a_number_never_gives_nan(play: Any, kind: str) -> None:
    path = [(0.0, 0.0, 0.0), (math.nan, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)]
    values = play(NAMES, path, [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (3.0, 0.0, 0.0)], dtw=kind)
    assert not any(math.isnan(value) for value in values.values())
    assert values["path_length"] == values["dtw"] == math.inf


def test_disconnected_nodes_make_an_infinite_path(play: Any) -> None:
    values = play([*NAMES, "spl"], ["a", "b"], ["a", "b"], distance=lambda start, ends: math.inf, stop=True)
    assert values["path_length"] == math.inf
    assert values["cls"] == values["ndtw"] == values["spl"] == 0.0


def test_the_trajectory_is_plain_json(play: Any) -> None:
    record = play(["trajectory"], [(0.0, 0.0, 0.0), (0.0, 0.0, -0.25)])["trajectory"]
    assert json.loads(json.dumps(record)) == record
    assert [row.get("action") for row in record] == [None, "move_forward", "stop"]
    assert record[1]["position"] == [0.0, 0.0, -0.25]
    assert play(["trajectory"], ["a"], distance=corridor)["trajectory"][0]["node"] == "a"
