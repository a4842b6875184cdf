"""A fault of ours, wherever it is injected, costs no participant anything and changes no other episode's metrics."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import time
from contextlib import nullcontext

import numpy as np
import pytest

import playing
from graphs import item, node, write_r2r
from nav_eval import Metric, Sensor, register_metric, register_sensor
from nav_eval.cli import main
from nav_eval.core.orchestrator import Watcher
from nav_eval.core.specs import TensorSpec
from nav_eval.errors import NavEvalError, RunDirectoryError
from nav_eval.results.files import explained
from nav_eval.runs.comparison import compare_runs
from playing import document, lines, play
from rooms import write_room

SICK = "7_1"
"""The episode into which faults are injected."""
INJECTED = ""
"""Which fault is injected now."""


def injected(name):
    return name == INJECTED


@register_metric("fragile")
class Fragile(Metric):
    """Counts steps, unless a fault is injected."""

    category, on_failure = "efficiency", -1.0

    def reset_metric(self, context):
        self.sick, self.count = context.episode.episode_id == SICK, 0.0

    def update_metric(self, step, others):
        self.count += 1
        self._fail("update_metric")

    def get_metric(self):
        self._fail("get_metric")
        return math.nan if self.sick and injected("nan") else self.count

    def _fail(self, place):
        if self.sick and injected(place):
            raise ValueError("boom")


@register_metric("dependent")
class Dependent(Metric):
    category, requires = "efficiency", ("fragile",)

    def reset_metric(self, context):
        self.sum = 0.0

    def update_metric(self, step, others):
        self.sum += others["fragile"]

    def get_metric(self):
        return self.sum


@register_sensor("fragile")
class FragileSensor(Sensor):
    def __init__(self, name, sensor, simulator):
        self.late = False

    @property
    def spec(self):
        return TensorSpec(shape=(2,), dtype="float32")

    def begin(self, simulator):
        self.late = False

    def update(self, step):
        self.late = True

    def observe(self, simulator):
        sick = simulator.episode.episode_id == SICK
        if sick and (injected("sensor raises") or (self.late and injected("sensor raises late"))):
            raise RuntimeError("boom")
        if sick and self.late and injected("sensor shape"):
            return np.zeros((3,), np.float32)
        if sick and injected("sensor type"):
            return np.zeros((2,), np.float64)
        return None if sick and injected("sensor is silent") else np.zeros((2,), np.float32)


METRIC_FAULTS = ("update_metric", "nan")
"""tests/core/test_measurements.py has every way to fail."""
SENSOR_FAULTS = ("sensor raises", "sensor raises late", "sensor shape", "sensor type", "sensor is silent")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    paths = [[node(0, 0), node(1, 0), node(2, 0)], [node(0, 2), node(0, 1), node(0, 0)]]
    items = [item(number, path, ["Walk.", "Go on."]) for number, path in zip((7, 8), paths, strict=True)]
    return [
        *write_r2r(tmp_path_factory.mktemp("world"), items=items),
        "agent_service.agent=random",
        "agent_service.secret=s3",
        "simulator.sensors={navigable: {}, instruction: {}, fragile: {}}",
        "task.measurements=[success,spl,navigation_error,fragile,dependent]",
    ]


def nav_eval(monkeypatch, *words):
    """Its exit code."""
    monkeypatch.setattr("sys.argv", ["nav-eval", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def run(arguments, folder, monkeypatch, *more):
    """The exit code of `nav-eval run`, its lines of episodes.jsonl and results.json."""
    code = nav_eval(monkeypatch, "run", "r2r", *arguments, "--out", folder, *more)
    return code, records(folder), document(folder) if (folder / "results.json").exists() else None


def records(folder):
    return {line["episode_id"]: line for line in playing.records(folder)}


def others(episodes):
    return {name: line for name, line in episodes.items() if name != SICK}


@pytest.fixture(scope="module")
def sound_run(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound") / "run"
    with pytest.MonkeyPatch.context() as patch:
        code, episodes, results = run(world, folder, patch)
    assert (code, len(episodes), results["n_lost"], results["metric_faults"]) == (0, 4, 0, {})
    return folder


@pytest.fixture(scope="module")
def sound(sound_run):
    return records(sound_run)


@pytest.fixture
def inject(monkeypatch):
    return lambda name: monkeypatch.setitem(globals(), "INJECTED", name)


@pytest.mark.parametrize("fault", METRIC_FAULTS)
def test_a_metrics_fault_costs_its_values_and_rescore_heals_them(
    world, sound, inject, tmp_path, monkeypatch, capsys, fault
):
    inject(fault)
    code, episodes, results = run(world, tmp_path / "run", monkeypatch)
    assert code == 1
    lost = {"fragile", "dependent"}
    healthy = sound[SICK]["metrics"]
    assert episodes[SICK]["status"] == "ok"
    assert episodes[SICK]["metrics"] == {name: healthy[name] for name in healthy.keys() - lost}
    assert episodes[SICK]["unmeasured"].keys() == lost
    assert others(episodes) == others(sound)
    assert (results["n_failed"], results["n_lost"], results["statuses"]) == (0, 0, {"ok": 4})
    assert results["metric_faults"]["fragile"] == {"n": 1, "reason": episodes[SICK]["unmeasured"]["fragile"]}
    assert results["metrics"]["fragile"]["n"] == 3
    assert results["metrics"]["success"]["n"] == 4
    table = capsys.readouterr().out
    assert "fragile: no value in 1 episode, the evaluator's fault: ValueError: " in table
    assert "fragile: ValueError: " in (tmp_path / "run" / "results.csv").read_text()
    inject("")
    assert nav_eval(monkeypatch, "rescore", tmp_path / "run") == 0
    told = capsys.readouterr().out
    assert "fragile: the run has no value in 1 episode\n" in told
    assert "equal to what the run wrote" not in told
    assert f"written to {tmp_path / 'run' / 'rescored.json'}" in told
    rescored = document(tmp_path / "run", "rescored.json")
    assert (rescored["metric_faults"], rescored["metrics"]["fragile"]["n"]) == ({}, 4)


@pytest.mark.parametrize(
    ("fault", "on_error"),
    [
        *((fault, "fail_episode") for fault in SENSOR_FAULTS),
        *((fault, "stop") for fault in ("sensor raises", "sensor raises late", "sensor shape")),
    ],
)
def test_a_sensors_fault_costs_the_participant_nothing_and_resume_plays_the_episode(
    world, sound, inject, tmp_path, monkeypatch, capsys, fault, on_error
):
    inject(fault)
    overrides = [*world, f"agent_service.on_error={on_error}"]
    code, episodes, results = run(overrides, tmp_path / "run", monkeypatch)
    assert code == 1
    assert (episodes[SICK]["status"], episodes[SICK]["metrics"]) == ("evaluator_error", {})
    assert others(episodes) == others(sound)
    assert (results["n_failed"], results["n_lost"], results["metrics"]["success"]["n"]) == (0, 1, 3)
    assert "1 missing because of an evaluator error" in capsys.readouterr().out
    inject("")
    code, episodes, results = run(overrides, tmp_path / "run", monkeypatch, "--resume")
    assert (code, episodes, results["n_lost"]) == (0, sound, 0)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("call", ["JsonLines.sync", "trajectory_record"])
def test_a_fault_of_the_disk_ends_the_run_and_changes_no_value(
    world, sound, tmp_path, monkeypatch, capsys, number, call
):
    """Whether the file is named where it happens, or nobody explains it."""

    def fail(self, *_):
        with explained(self.path) if call == "JsonLines.sync" else nullcontext():
            raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(f"nav_eval.results.journal.{call}", fail)
        code, episodes, results = run(world, tmp_path / "run", patch)
    assert code == 4
    assert results is None
    assert "Traceback" not in capsys.readouterr().err
    assert all(line == sound[name] for name, line in episodes.items())
    code, episodes, _ = run(world, tmp_path / "run", monkeypatch, "--resume")
    assert (code, episodes) == (0, sound)


@pytest.mark.parametrize("jump", [-1e6, 1e6])
def test_a_clock_that_jumps_changes_nothing(world, sound, tmp_path, monkeypatch, jump):
    real, calls = time.time, iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: real() + (jump if next(calls) else 0.0))
    limited = [*world, "evaluation.budget.total_seconds=3600", "evaluation.budget.episode_seconds=600"]
    code, episodes, results = run(limited, tmp_path / "run", monkeypatch)
    assert (code, episodes, results["n_over_budget"]) == (0, sound, 0)


@pytest.mark.parametrize("damage", ["gone", "truncated"])
def test_a_navmesh_that_is_damaged_between_two_episodes_costs_only_time(tmp_path, damage):
    """Every other episode is finished; those of the scene are missing, and --resume plays them."""
    overrides = [*write_room(tmp_path, scenes=2), "agent_service.agent=forward", "simulator.navmesh=false"]
    play(tmp_path / "sound", overrides, "pointnav")
    scene = tmp_path / "rooms" / "room1.glb"
    whole = scene.read_bytes()

    class Spoils(Watcher):
        def begin(self, keys, store):
            scene.unlink() if damage == "gone" else scene.write_bytes(whole[: len(whole) // 2])

    with pytest.raises(NavEvalError, match=r"(?s)room1.*3 of the episodes could not be played.*--resume; a changed"):
        play(tmp_path / "run", overrides, "pointnav", watchers=[Spoils()])
    sound = records(tmp_path / "sound")
    assert records(tmp_path / "run") == {name: sound[name] for name in ("0", "2", "4")}
    scene.write_bytes(whole)
    assert play(tmp_path / "run", overrides, "pointnav", resume=True).results.blameless
    assert records(tmp_path / "run") == sound


def test_runs_with_faults_are_compared_and_summed_up_alike(world, sound_run, inject, tmp_path, monkeypatch, caplog):
    """An incomplete run is refused; a metric without all its values is left out, and said."""
    inject("get_metric")
    run(world, tmp_path / "unmeasured", monkeypatch)
    rows = compare_runs([sound_run, tmp_path / "unmeasured"])
    compared = {row["metric"] for row in rows}
    assert compared >= {"success", "spl", "navigation_error"}
    assert not compared & {"fragile", "dependent"}
    assert "fragile is not compared: 1 of the episodes" in caplog.text
    inject("sensor raises")
    run(world, tmp_path / "lost", monkeypatch)
    with pytest.raises(RunDirectoryError, match=r"lacks 1 .*--resume"):
        compare_runs([sound_run, tmp_path / "lost"])


def test_rescore_gives_an_old_run_what_its_agent_earned(sound_run, tmp_path, monkeypatch, capsys):
    """A metric that raised at the end once made success 0 of every episode; the trajectories are whole."""
    shutil.copytree(sound_run, tmp_path / "run")
    journal = tmp_path / "run" / "episodes.jsonl"
    old = {"status": "evaluator_error", "failure_reason": "ValueError: boom", "metrics": {"success": 0.0, "spl": 0.0}}
    journal.write_text("".join(json.dumps(line | old) + "\n" for line in lines(tmp_path / "run")))
    assert nav_eval(monkeypatch, "rescore", tmp_path / "run", "task.measurements=[success]") == 0
    rescored = document(tmp_path / "run", "rescored.json")
    earned = [line["metrics"]["success"] for line in lines(sound_run)]
    assert (rescored["n_lost"], rescored["statuses"]) == (0, {"ok": 4})
    assert rescored["metrics"]["success"]["mean"] == sum(earned) / len(earned)
    capsys.readouterr()
