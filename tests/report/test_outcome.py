"""The failure taxonomy and the histogram's bins, on hand-made cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nav_eval.core.types import EpisodeResult
from nav_eval.report.columns import significant
from nav_eval.report.figures import length_bins, nice_edges
from nav_eval.report.outcome import Thresholds, outcome
from nav_eval.report.track import Track, centimetres, deltas

FAR = Thresholds(success_distance=3.0, shortest=10.0)


def result(status: str = "ok", **metrics: Any) -> EpisodeResult:
    return EpisodeResult("s", "e", status, None, metrics, 5, {})  # type: ignore[arg-type]


def track(xs: list[float], actions: str) -> Track:
    points = centimetres([(x, 0.0, 0.0) for x in xs])
    return Track(points, np.zeros(len(xs), np.int32), actions, (), np.zeros(len(actions), np.float32))


WALK = track([0, 1, 2, 2], "ffs")


@pytest.mark.parametrize(
    ("metrics", "way", "expected"),
    [
        ({"success": 1.0, "navigation_error": 1.0}, WALK, "success"),
        ({"success": 0.0, "navigation_error": 9.0, "oracle_success": 1.0}, WALK, "passed_goal"),
        ({"success": 0.0, "navigation_error": 3.0, "oracle_success": 1.0}, track([0, 1, 2], "ff"), "not_stopped"),
        ({"success": 0.0, "navigation_error": 3.1, "oracle_success": 1.0}, track([0, 1, 2], "ff"), "passed_goal"),
        ({"success": 0.0, "navigation_error": 5.9}, WALK, "stopped_near"),
        ({"success": 0.0, "navigation_error": 6.0}, WALK, "stopped_far"),
        ({"success": 0.0, "navigation_error": 10.0}, WALK, "stopped_away"),
        ({"success": 0.0, "distance_to_goal": 10.0}, WALK, "stopped_away"),
        ({"success": 0.0, "navigation_error": 10.0}, track([0, 0], "s"), "no_move"),
        ({"success": 0.0, "navigation_error": 9.0}, track([0, 1, 2, 3], "fff"), "out_of_steps"),
        ({"success": 0.0, "navigation_error": 9.0}, track([0, 1, *[2.0] * 30], "f" * 31), "stuck"),
        ({"success": 0.0, "navigation_error": math.inf}, WALK, "unreachable"),
        ({"success": 0.0}, WALK, "other"),
        ({"goals_found": 1.0, "all_goals_found": 1.0}, WALK, "success"),
        ({"subtask_success": 0.8, "all_subtasks": 0.0}, WALK, "other"),
        ({}, WALK, "not_scored"),
        ({"success": 0.0, "navigation_error": 7.0}, None, "stopped_far"),
    ],
)
def test_outcomes(metrics: dict[str, Any], way: Track | None, expected: str) -> None:
    assert outcome(result(**metrics), way, FAR) == expected


def test_who_ends_no_nearer_than_he_began_went_astray_however_near_that_is() -> None:
    assert outcome(result(success=0.0, navigation_error=4.9), WALK, Thresholds(3.0, 4.3)) == "stopped_away"


def test_a_status_comes_before_everything() -> None:
    assert outcome(result("agent_timeout", success=1.0), WALK, FAR) == "agent_timeout"
    assert outcome(result("something new"), None, FAR) == "other"


def test_length_bins() -> None:
    name = length_bins([0.0, 12.0, 29.9, None, math.inf])
    assert [name(x) for x in (0.0, 4.9, 5.0, 29.9, None, math.inf)] == ["0-5", "0-5", "5-10", "25-30", "", ""]
    assert length_bins([])(1.0) == "1-2"


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_edges_cover_and_are_few(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assume(high - low > 1e-6)
    edges = nice_edges(low, high)
    assert edges[0] <= low
    assert edges[-1] >= high
    assert 2 <= len(edges) <= 29


@given(st.lists(st.tuples(*[st.floats(-300, 300)] * 3), max_size=30))
def test_deltas_add_up_to_the_points(points: list[tuple[float, float, float]]) -> None:
    flat = np.array(deltas(centimetres(points))).reshape(-1, 3)
    assert np.allclose(np.cumsum(flat, axis=0) / 100, np.array(points).reshape(-1, 3), atol=0.0051)


def test_numbers() -> None:
    assert significant(1.23456789) == 1.2346
    assert significant(math.inf) == "inf"
    assert centimetres([(math.nan, 0.0, 0.0), (1.0, 2.0, 3.0)]).tolist() == [[100, 200, 300]]
