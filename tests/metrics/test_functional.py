"""The formulas against hand-worked cases, figures published with their code, and each other's bounds."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.alignment import cheapest
from nav_eval.metrics import functional

INF, NAN = math.inf, math.nan
any_float = st.floats(min_value=0.0, allow_nan=False) | st.just(NAN)
share = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("success", "shortest", "length", "expected"),
    [
        (1.0, 10.0, 10.0, 1.0),
        (1.0, 10.0, 20.0, 0.5),
        (1.0, 10.0, 8.0, 1.0),
        (0.0, 10.0, 10.0, 0.0),
        (1.0, 0.0, 0.0, 1.0),
        (0.0, 0.0, 0.0, 0.0),
        (1.0, 0.0, 0.1, 0.0),
        (1.0, INF, 5.0, 0.0),
        (1.0, INF, INF, 0.0),
        (1.0, NAN, 5.0, 0.0),
        (1.0, 5.0, NAN, 0.0),
    ],
)
def test_spl(success: float, shortest: float, length: float, expected: float) -> None:
    assert functional.spl(success, shortest, length) == expected


@pytest.mark.parametrize(
    ("distance", "shortest", "length", "expected"),
    [
        (0.0, 10.0, 10.0, 1.0),
        (5.0, 10.0, 5.0, 0.5),
        (5.0, 10.0, 20.0, 0.25),
        (12.0, 10.0, 2.0, 0.0),
        (0.0, 0.0, 0.0, 1.0),
        (1.0, 0.0, 1.0, 0.0),
        (0.0, 0.0, 2.0, 0.0),
        (INF, 10.0, 1.0, 0.0),
        (1.0, INF, 1.0, 0.0),
        (INF, INF, 0.0, 0.0),
        (NAN, 10.0, 1.0, 0.0),
    ],
)
def test_soft_spl(distance: float, shortest: float, length: float, expected: float) -> None:
    assert functional.soft_spl(distance, shortest, length) == expected


def test_success_is_strict_and_never_for_nan() -> None:
    assert functional.success(2.999999, 3.0) == 1.0
    assert functional.success(3.0, 3.0) == 0.0
    assert functional.success(NAN, 3.0) == 0.0
    assert functional.success(0.0, 3.0, stopped=False) == 0.0


def test_oracle_values_ignore_nan_and_survive_nothing() -> None:
    assert functional.oracle_navigation_error([5.0, NAN, 2.0, INF]) == 2.0
    assert functional.oracle_navigation_error([]) == INF
    assert functional.oracle_success([9.0, 2.9], 3.0) == 1.0
    assert functional.oracle_success([9.0, 3.0], 3.0) == 0.0


def test_lengths_and_euclidean_error() -> None:
    assert functional.path_length([(0.0, 0.0, 0.0), (3.0, 4.0, 0.0), (3.0, 4.0, 12.0)]) == 17.0
    assert functional.path_length([]) == functional.path_length([(1.0, 2.0, 3.0)]) == 0.0
    assert functional.path_length([(0.0, 0.0, 0.0), (NAN, 0.0, 0.0)]) == INF
    assert functional.navigation_error_euclidean((0.0, 0.0, 0.0), [(9.0, 0.0, 0.0), (0.0, 3.0, 4.0)]) == 5.0
    assert functional.navigation_error_euclidean((0.0, 0.0, 0.0), []) == INF


def test_goal_progress_and_collision_rate() -> None:
    assert functional.goal_progress(10.0, 4.0) == 6.0
    assert functional.goal_progress(INF, INF) == functional.goal_progress(3.0, NAN) == -INF
    assert functional.collision_rate(3, 12) == 0.25
    assert functional.collision_rate(0, 0) == 0.0


GRID = nx.grid_graph([3, 4])
LENGTHS = dict(nx.all_pairs_dijkstra_path_length(GRID))
REFERENCE = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)]
SHORT = [(0, 1), (1, 1), (2, 1), (3, 1)]
OTHER = [(0, 0), (0, 1), (1, 1), (2, 1), (3, 1), (3, 2)]


def grid_distances(prediction: list[tuple[int, int]], reference: list[tuple[int, int]]) -> np.ndarray:
    return np.array([[LENGTHS[p][r] for r in reference] for p in prediction])


def grid_cls(prediction: list[tuple[int, int]], reference: list[tuple[int, int]]) -> float:
    coverage = functional.path_coverage(functional.nearest(grid_distances(prediction, reference)))
    return functional.cls(coverage, len(reference) - 1, len(prediction) - 1)


@pytest.mark.parametrize(
    ("prediction", "reference", "published"),
    [
        (REFERENCE, REFERENCE, 1.0),
        (REFERENCE, OTHER, 0.81994915125863865),
        (REFERENCE, SHORT, 0.44197196102702557),
        (SHORT, REFERENCE, 0.6435694620652272),
    ],
)
def test_cls_gives_the_published_figures(
    prediction: list[tuple[int, int]], reference: list[tuple[int, int]], published: float
) -> None:
    assert grid_cls(prediction, reference) == pytest.approx(published, rel=1e-15)


def test_dtw_gives_the_published_figures() -> None:
    prediction, reference = [(0, 0), (1, 0), (2, 0), (3, 0)], [(0, 0), (1, 0), (2, 1), (3, 2)]
    cost = cheapest(grid_distances(prediction, reference))
    assert cost == 3.0
    assert functional.ndtw(cost, len(reference)) == pytest.approx(0.77880078307140488, rel=1e-15)
    assert functional.sdtw(1.0, functional.ndtw(cost, 4)) == functional.ndtw(cost, 4)
    assert functional.sdtw(0.0, functional.ndtw(cost, 4)) == 0.0


def test_coverage() -> None:
    nearest = functional.nearest([[0.0, 3.0, INF], [2.0, 5.0, NAN]])
    assert nearest.tolist() == [0.0, 3.0, INF]
    assert functional.path_coverage(nearest) == pytest.approx((1 + math.exp(-1)) / 3)
    assert functional.waypoint_coverage(nearest, 3.0) == pytest.approx(2 / 3)
    assert functional.path_coverage([]) == functional.waypoint_coverage([], 1.0) == 0.0
    assert functional.nearest(np.empty((0, 2))).tolist() == [INF, INF]


@pytest.mark.parametrize(
    ("coverage", "reference_length", "length", "expected"),
    [(1.0, 0.0, 0.0, 1.0), (1.0, 0.0, 2.0, 0.0), (0.5, 4.0, INF, 0.0), (0.0, 4.0, 0.0, 0.0), (1.0, 4.0, 0.0, 0.5)],
)
def test_cls_where_the_formula_has_no_value(
    coverage: float, reference_length: float, length: float, expected: float
) -> None:
    assert functional.cls(coverage, reference_length, length) == expected


@given(success=st.sampled_from([0.0, 1.0]), shortest=any_float, length=any_float, distance=any_float)
@settings(deadline=None)
def test_shares_stay_shares_whatever_comes_in(success: float, shortest: float, length: float, distance: float) -> None:
    assert 0.0 <= functional.spl(success, shortest, length) <= success
    assert 0.0 <= functional.soft_spl(distance, shortest, length) <= 1.0


@given(coverage=share, reference_length=st.floats(0, 1e6), length=any_float)
@settings(deadline=None)
def test_cls_never_exceeds_coverage(coverage: float, reference_length: float, length: float) -> None:
    assert 0.0 <= functional.cls(coverage, reference_length, length) <= coverage


@given(cost=any_float, size=st.integers(0, 1000))
@settings(deadline=None)
def test_ndtw_is_a_share(cost: float, size: int) -> None:
    assert 0.0 <= functional.ndtw(cost, size) <= 1.0
