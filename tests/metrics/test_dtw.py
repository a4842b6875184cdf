"""Exact DTW against dtaidistance and a recursion over cells; fastdtw against the package that VLN-CE calls."""

from __future__ import annotations

import gzip
import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from dtaidistance import dtw_ndim
from fastdtw import fastdtw
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metrics.alignment import cheapest
from nav_eval.metrics.dtw import dtw_points, fastdtw_points

coordinates = st.floats(-50, 50, width=32)


def paths(least: int = 1, most: int = 25) -> st.SearchStrategy[np.ndarray]:
    return st.integers(least, most).flatmap(lambda n: arrays(np.float64, (n, 3), elements=coordinates))


def norm(a: np.ndarray, b: np.ndarray) -> float:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)


@given(paths(), paths())
@settings(max_examples=60, deadline=None)
def test_exact_dtw_equals_dtaidistance_and_the_definition(agent: np.ndarray, reference: np.ndarray) -> None:
    ours = dtw_points(agent, reference)
    assert ours == pytest.approx(dtw_ndim.distance(agent, reference, inner_dist="euclidean"), rel=1e-9, abs=1e-9)
    distances = np.linalg.norm(agent[:, None] - reference[None], axis=2)
    assert ours == pytest.approx(cheapest(distances), rel=1e-9, abs=1e-9)
    assert ours == dtw_points(reference, agent)


@given(paths(most=40), paths(most=40), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_fastdtw_equals_the_package(agent: np.ndarray, reference: np.ndarray, radius: int) -> None:
    ours = fastdtw_points(agent, reference, radius)
    assert ours == fastdtw(agent, reference, radius=radius, dist=norm)[0]
    assert ours >= dtw_points(agent, reference) - 1e-9


def test_fastdtw_with_a_wide_radius_is_exact() -> None:
    generator = np.random.default_rng(3)
    agent, reference = generator.normal(size=(37, 3)), generator.normal(size=(20, 3))
    assert fastdtw_points(agent, reference, 40) == dtw_points(agent, reference)


def test_recorded_paths(released: Path) -> None:
    with gzip.open(released / "r2r-ce" / "val_seen_gt.json.gz") as file:
        recorded = [np.array(entry["locations"]) for entry in json.load(file).values()][:200]
    for agent, reference in pairwise(recorded):
        expected = dtw_ndim.distance_fast(agent, reference, inner_dist="euclidean")
        assert dtw_points(agent, reference) == pytest.approx(expected, rel=1e-12)
        assert dtw_points(agent, agent) == 0.0
    for agent, reference in pairwise(recorded[:20]):
        assert fastdtw_points(agent, reference) == fastdtw(agent, reference, radius=1, dist=norm)[0]


def test_empty_paths_have_no_alignment() -> None:
    point = [(0.0, 0.0, 0.0)]
    for a, b in (([], point), (point, []), ([], [])):
        assert dtw_points(a, b) == fastdtw_points(a, b) == math.inf


def test_a_missing_or_infinite_coordinate_never_gives_a_small_cost() -> None:
    good = np.arange(12.0).reshape(4, 3)
    for bad in (math.nan, math.inf, -math.inf, 1e300):
        broken = good.copy()
        broken[1, 2] = bad
        assert dtw_points(broken, good) == dtw_points(good, broken) == math.inf
        assert fastdtw_points(broken, good) == fastdtw_points(good, broken) == math.inf


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="radius"):
        fastdtw_points([(0, 0, 0)], [(0, 0, 0)], radius=0)
    with pytest.raises(ValueError, match=r"\(points, 3\)"):
        dtw_points(np.zeros((6, 2)), np.zeros((4, 3)))


def test_other_number_types_and_layouts_are_read() -> None:
    agent = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(4, 3))
    reference = np.arange(24).reshape(4, 6)[:, ::2]
    assert dtw_points(agent, reference) == dtw_points(agent.tolist(), reference.tolist())
