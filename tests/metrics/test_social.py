"""Measures of the people nearby, against walks written by hand and formulas as they were published."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from nav_eval.core.actions import Action
from nav_eval.core.measurements import Measurements
from nav_eval.core.types import AgentState, NearbyPedestrians, StepRecord
from nav_eval.errors import SimulatorError
from nav_eval.metrics import functional
from nav_eval.metrics.registry import METRICS, make_metrics
from nav_eval.testing import fake_context
from nav_eval.testing.fakes import fake_episode

SOCIAL = ("human_collisions", "human_collision_rate", "personal_space_compliance", "min_person_distance")


def measured(name: str, walk: list[NearbyPedestrians | None], **settings: Any) -> Any:
    metric = METRICS.get(name)()
    metric.reset_metric(fake_context(**settings))
    for nearby in walk:
        events = {} if nearby is None else {"people": nearby.to_record()}
        metric.update_metric(StepRecord(Action("move_forward"), AgentState((0.0, 0.0, 0.0)), events=events), {})
    return metric.get_metric()


def near(nearest: float | None, seconds: float = 1.0, *touched: int) -> NearbyPedestrians:
    return NearbyPedestrians(seconds, (), nearest, touched)


def test_a_touch_counts_as_it_begins_and_for_each_person() -> None:
    walk = [near(0.3, 1, 2), near(0.3, 1, 2), near(0.9), near(0.3, 1, 2), near(0.2, 1, 0, 2), near(0.2, 1, 0)]
    assert measured("human_collisions", walk) == 3
    assert measured("human_collision_rate", walk) == 1
    assert measured("human_collisions", [near(0.4)]) == measured("human_collision_rate", [near(None)]) == 0


def test_personal_space_is_kept_for_a_share_of_the_time() -> None:
    """iGibson's half metre: 0.5 keeps it, less does not; 3 of 4 s, whatever the steps."""
    walk = [near(0.5, 1.0), near(0.499, 0.75), near(None, 2.0), near(0.1, 0.25), near(0.2, 0.0)]
    assert measured("personal_space_compliance", walk) == pytest.approx(3 / 4)
    assert measured("personal_space_compliance", walk, personal_space=0.3) == pytest.approx(3.75 / 4)
    assert measured("personal_space_compliance", []) == 1.0


def test_the_nearest_that_anybody_came() -> None:
    assert measured("min_person_distance", [near(2.0), near(None), near(0.7), near(1.1)]) == 0.7
    assert measured("min_person_distance", [near(None)]) == math.inf


@pytest.mark.parametrize("name", [*SOCIAL])
def test_a_walk_that_tells_of_nobody_is_not_a_polite_one(name: str) -> None:
    measured(name, [None, near(None)])
    with pytest.raises(SimulatorError, match=r"Set simulator\.people\.count"):
        measured(name, [None])


@pytest.mark.parametrize(("seconds", "expected"), [(4.0, 1.0), (5.0, 1.0), (10.0, 0.5), (20.0, 0.25)])
def test_stl_is_success_times_the_least_time_over_the_time(seconds: float, expected: float) -> None:
    assert functional.stl(1.0, 5.0, seconds) == pytest.approx(expected)
    assert functional.stl(0.0, 5.0, seconds) == 0.0
    assert functional.stl(1.0, math.inf, seconds) == 0.0


def test_times_of_a_walk_at_half_speed_with_a_wait() -> None:
    """The goal is 2 m off, full speed 0.5 m/s: 4 s at best. 8 steps of 0.25 m in 1 s each and 2 s of waiting."""
    episode = fake_episode()
    x, y, z = episode.start_position
    episode = replace(episode, goals=(replace(episode.goals[0], position=(x, y, z - 2.0)),))
    measurements = Measurements(make_metrics(["success", "stl", "time_lost"]))
    measurements.reset(replace(fake_context(episode), full_speed=0.5))
    told = {"people": near(None, 1.0).to_record()}
    for step in range(1, 9):
        state = AgentState((x, y, z - 0.25 * step), episode.start_rotation)
        measurements.update(StepRecord(Action("move_forward"), state, events=told))
    assert measurements.values["time_lost"] == pytest.approx(8 - 4)
    measurements.update(StepRecord(Action("wait"), state, events={"people": near(None, 2.0).to_record()}))
    measurements.update(StepRecord(Action("stop"), state, events={"people": near(None, 0.0).to_record()}))
    assert measurements.values["success"] == 1.0
    assert measurements.values["stl"] == pytest.approx(4 / 10)
    assert measurements.values["time_lost"] == pytest.approx(6)


def test_half_a_way_loses_only_what_it_did_not_need() -> None:
    assert functional.time_lost(10.0, 3.0, 0.5) == pytest.approx(4.0)
    assert functional.time_lost(10.0, -math.inf, 0.5) == math.inf
    assert functional.time_lost(10.0, math.nan, 0.5) == math.inf
