from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest

from graphs import write_r2r
from nav_eval.cli.progress import Latencies, Progress, show_progress, worked
from nav_eval.core.actions import STOP
from nav_eval.core.orchestrator import MemoryStore
from nav_eval.core.types import AgentState, EpisodeResult, StepRecord
from nav_eval_worlds.collection import find_sites, make_episodes, make_scenes
from playing import play


@pytest.mark.parametrize("scale", [1e-5, 0.1, 30.0])
def test_quantiles_are_those_of_numpy_to_three_percent(scale):
    durations = np.random.default_rng(0).gamma(2.0, scale, 20_000)
    latencies = Latencies()
    for part in np.array_split(durations, 700):
        latencies.add(part.tolist())
    for share in (0.5, 0.95):
        assert latencies.quantile(share) == pytest.approx(np.quantile(durations, share), rel=0.03)


def test_durations_at_the_edges_are_counted():
    latencies = Latencies()
    assert latencies.quantile(0.5) is None
    latencies.add([])
    latencies.add([0.0, 1e9])
    assert latencies.quantile(0.1) < 2e-6
    assert latencies.quantile(0.9) > 5e4


def test_the_time_left_counts_this_sitting_only():
    now = iter([0.0, 0.0, 10.0])
    progress = Progress(lambda _: None, clock=lambda: next(now))
    before = MemoryStore()
    for number in range(60):
        before.add(EpisodeResult("s", str(number), "ok", None, {}, 1, {}))
    progress.begin([("s", str(number)) for number in range(100)], before)
    step = StepRecord(STOP, AgentState((0.0, 0.0, 0.0)), latency=0.25)
    for status in ("ok", "agent_error"):
        progress.take(EpisodeResult("s", "e", status, None, {}, 1, {}, trajectory=(step,)))
    figures = progress.figures
    assert (figures["done"], figures["total"], figures["failed"]) == (62, 100, 1)
    assert figures["eta"] == pytest.approx(10.0 / 2 * 38)
    assert figures["latency_p50"] == pytest.approx(0.25, rel=0.03)


def test_json_lines_tell_the_beginning_and_the_end(tmp_path):
    out = io.StringIO()
    with show_progress("json", out) as bar:
        play(tmp_path / "run", write_r2r(tmp_path), watchers=[bar])
    lines = [json.loads(line)["progress"] for line in out.getvalue().splitlines()]
    assert lines[0]["done"] == 0
    assert lines[-1]["done"] == lines[-1]["total"] == 5
    assert lines[-1]["latency_p95"] >= lines[-1]["latency_p50"] > 0


@pytest.mark.parametrize(("style", "words"), [("bar", ["5/5", "0 failed", "ms"]), ("auto", []), ("none", [])])
def test_a_bar_is_for_people_and_auto_knows_that_a_file_is_none(tmp_path, style, words):
    out = io.StringIO()
    with show_progress(style, out) as bar:
        play(tmp_path / "run", write_r2r(tmp_path), watchers=[bar])
    assert all(word in out.getvalue() for word in words)
    assert bool(out.getvalue()) is bool(words)


def test_without_a_terminal_a_long_run_has_sentences(tmp_path, monkeypatch):
    monkeypatch.setattr("nav_eval.cli.progress.SECONDS_BETWEEN_SENTENCES", 0.0)
    out = io.StringIO()
    with show_progress("auto", out) as bar:
        play(tmp_path / "run", write_r2r(tmp_path), watchers=[bar])
    told = [re.sub(r"\d+ s left", "N s left", line) for line in out.getvalue().splitlines()]
    assert told == [f"{done} of 5 episodes, 0 failed, about N s left" for done in range(5)]


def test_work_of_many_seconds_tells_the_time_left_and_short_work_nothing():
    told = ["10%, about 54 s left", "30%, about 42 s left", "50%, about 30 s left"]
    for seconds, lines in ((0.2, []), (6.0, told)):
        out, now = io.StringIO(), iter(seconds * count for count in range(12))
        with worked("homes", out, lambda now=now: next(now)) as on_progress:
            for _ in range(10):
                on_progress(0.1)
        assert out.getvalue().splitlines()[:3] == [f"homes: {line}" for line in lines]


def test_on_a_terminal_work_has_a_bar_that_leaves_no_trace():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    out = Terminal()
    with worked("homes", out) as on_progress:
        on_progress(0.25)
    assert "homes" in out.getvalue()
    assert "25%" in out.getvalue()


@pytest.mark.parametrize("task", [pytest.param("vln", marks=pytest.mark.soak), "pointnav"])
def test_the_shares_of_generating_sum_to_one(tmp_path, task):
    shares = []
    list(make_scenes(tmp_path / "scenes", ["a"], 2, 1, "home", 20_000, on_progress=shares.append))
    assert sum(shares) == pytest.approx(1.0)
    assert len(shares) > 4
    shares.clear()
    make_episodes(task, find_sites(tmp_path / "scenes"), tmp_path / task, 1, "s", on_progress=shares.append)
    assert sum(shares) == pytest.approx(1.0)
