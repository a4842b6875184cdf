"""The times of a run, and its budget, while somebody sets the wall clock."""

from __future__ import annotations

import pickle
import time
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest

from graphs import write_r2r
from nav_eval.core.deadline import Deadline
from nav_eval.results import run_segments
from nav_eval.results.run_directory import RunDirectory
from nav_eval_sdk import VLNAgent
from playing import document, play


class Clock(datetime):
    """A wall clock that is set by an hour, forth or back, whenever somebody looks at it."""

    steps: ClassVar[list[int]] = []

    @classmethod
    def now(cls, tz=None):
        return datetime(2030, 1, 1, tzinfo=UTC) + timedelta(hours=cls.steps.pop(0))


@pytest.mark.parametrize("hours", [[5, 2, 0], [0, 2, 5], [3, 0, 5]])
def test_the_manifest_never_goes_back(tmp_path, monkeypatch, hours):
    monkeypatch.setattr(run_segments, "datetime", Clock)
    Clock.steps = list(hours)
    overrides = [*write_r2r(tmp_path), "agent_service.agent=random"]
    for resume in (False, True, True):
        play(tmp_path / "run", overrides, resume=resume)
    manifest = document(tmp_path / "run", "manifest.json")
    sat = manifest["sittings"]
    assert len(sat) == 3
    assert manifest["started"] == sat[0]["started"]
    times = [datetime.fromisoformat(text) for text in (*(one["started"] for one in sat), manifest["finished"])]
    assert times == sorted(times)
    assert all(0 < one["seconds"] < 60 for one in sat)
    assert times[-1] - times[-2] < timedelta(minutes=1)


class Dawdling(VLNAgent):
    def reset(self, episode):
        """Nothing to prepare."""

    def act(self, observation):
        time.sleep(0.5)
        return "stop"


def test_the_time_of_a_run_is_no_sum_over_episodes_that_are_played_side_by_side(tmp_path):
    overrides = [*write_r2r(tmp_path), "evaluation.parallel.sessions=5"]
    began = time.monotonic()
    first = play(tmp_path / "run", overrides, agent=Dawdling).document["timing"]
    elapsed = time.monotonic() - began
    assert 0.5 < first["wall_seconds"] < elapsed
    assert first["episode_seconds"] >= first["agent_seconds"] > 5 * 0.5
    again = play(tmp_path / "run", overrides, agent=Dawdling, resume=True).document["timing"]
    assert again["wall_seconds"] > first["wall_seconds"]
    assert again["episode_seconds"] == first["episode_seconds"]


def test_a_sitting_that_was_cut_off_is_seen(tmp_path):
    overrides = [*write_r2r(tmp_path), "agent_service.agent=random"]
    play(tmp_path / "run", overrides)
    directory = RunDirectory(tmp_path / "run")
    manifest = directory.manifest()
    manifest["sittings"][0]["seconds"] = None  # as kill -9 leaves it
    directory.write_json("manifest.json", manifest)
    play(tmp_path / "run", overrides, resume=True)
    assert [one["seconds"] is None for one in directory.manifest()["sittings"]] == [True, False]


def test_the_budget_of_a_run_heeds_no_wall_clock(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", iter(range(0, 10**9, 3600)).__next__)
    overrides = [*write_r2r(tmp_path), "agent_service.agent=random", "evaluation.budget.total_seconds=100"]
    assert set(play(tmp_path / "run", overrides).results.statuses) == {"ok"}


def test_a_countdown_is_sent_as_what_is_left(monkeypatch):
    sent = pickle.dumps(Deadline(100))
    monkeypatch.setattr(time, "monotonic", lambda: 5e6)  # another machine's
    there = pickle.loads(sent)
    assert 99 < there.left <= 100
    monkeypatch.setattr(time, "monotonic", lambda: 5e6 + 101)
    assert there.left < 0
