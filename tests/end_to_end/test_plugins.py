"""A real third-party package that adds one of each kind, installed by pip and used from the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import scipy

import forked
from playing import document, lines, remote
from rooms import write_room
from served import served

PACKAGE = Path(__file__).parents[1] / "plugin_package"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package, for PYTHONPATH."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", str(target), str(PACKAGE)], check=True, capture_output=True)
    return target


def nav_eval(installed, *arguments, cwd):
    return forked.nav_eval(*arguments, cwd=cwd, PYTHONPATH=str(installed))


def done(installed, *arguments, cwd):
    """What it printed; it must have succeeded."""
    told = nav_eval(installed, *arguments, cwd=cwd)
    assert told.returncode == 0, told.stderr
    return told.stdout


def corridors(folder, *lengths):
    """The words that run its benchmark in corridors as long as this."""
    (folder / "lengths.txt").write_text("".join(f"{length}\n" for length in lengths))
    return ["corridor-walk", "dataset.data_path=lengths.txt"]


KINDS = {
    "tasks": "patrol",
    "metrics": "longest_step",
    "simulators": "corridor",
    "physics": "bumper",
    "crowds": "pacers",
    "sensors": "odometer",
    "datasets": "lines",
    "generators": "shelf",
    "agents": "walker",
    "benchmarks": "corridor-walk",
    "scene_formats": "xyz",
    "perturbations": "whisper",
}


def test_it_is_listed(installed, tmp_path):
    said = {kind: done(installed, "list", kind, "--json", cwd=tmp_path) for kind in KINDS}
    listed = {kind: {row["name"] for row in json.loads(said[kind])} for kind in KINDS}
    assert [kind for kind, name in KINDS.items() if name not in listed[kind]] == []


@pytest.fixture(scope="module")
def ran(installed, tmp_path_factory):
    """A folder with the run of its benchmark: two corridors of 3.2 m and one of 9 m, in which the walker stops at 3."""
    folder = tmp_path_factory.mktemp("corridors")
    done(installed, "run", *corridors(folder, 3.2, 9, 3.2), "--out", "run", cwd=folder)
    return folder


def test_its_benchmark_runs_with_its_parts(installed, ran):
    results = document(ran / "run")
    assert results["metrics"]["success"]["mean"] == pytest.approx(2 / 3)
    assert results["metrics"]["longest_step"]["mean"] == 1.0
    assert results["profile"] == {"name": "corridor", "version": "1"}
    done(installed, "replay", "run", cwd=ran)


def test_its_metrics_are_summed_up_by_what_they_are_and_not_by_their_names(ran):
    """A rate gets Wilson's interval, as scipy has it; what is called success and is a share gets none of a rate."""
    metrics = document(ran / "run")["metrics"]
    expected = scipy.stats.binomtest(1, 3).proportion_ci(method="wilson")
    assert metrics["stopped_short"]["method"] == "wilson"
    assert metrics["stopped_short"]["ci95"] == pytest.approx([expected.low, expected.high])
    assert metrics["soft_success"]["method"] == "bootstrap"
    assert metrics["soft_success"]["mean"] == pytest.approx((2 * 3 / 3.2 + 3 / 9) / 3)


def test_a_table_points_to_the_better_end(installed, ran):
    done(installed, "report", "run", "--out", "t.tex", "--columns", "all", cwd=ran)
    heading = next(line for line in (ran / "t.tex").read_text().splitlines() if line.startswith("agent"))
    assert [cell.strip() for cell in heading.removesuffix(r"\\").split("&")] == [
        "agent",
        r"success $\uparrow$",
        r"soft\_success",
        r"stopped\_short (per walk) $\downarrow$",
        r"longest\_step (m) $\downarrow$",
        "steps",
    ]


def test_compared_runs_get_the_test_of_their_kind(installed, ran):
    """A longest step of 1.0 m everywhere is no rate; whoever compares needs no plug-in."""
    shutil.copytree(ran / "run", ran / "again", dirs_exist_ok=True)
    tests = {row["metric"]: row["test"] for row in json.loads(done("", "compare", "run", "again", "--json", cwd=ran))}
    assert (tests["stopped_short"], tests["longest_step"]) == ("mcnemar", "permutation")


def test_who_reads_a_run_needs_no_plugin(ran):
    """What its metrics are stands in results.json."""
    done("", "report", "run", "--out", "elsewhere.md", cwd=ran)
    assert "longest\\_step (m) ↓" in (ran / "elsewhere.md").read_text()


def test_the_page_points_to_the_better_end(installed, ran):
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("chromium is not installed")
    done(installed, "report", "run", cwd=ran)
    page = (ran / "run" / "report.html").as_uri()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--lang=en", "--virtual-time-budget=5000", "--dump-dom"]
    shown = subprocess.run([browser, *options, page], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"<[^>]*>", "", shown)
    assert "Stopped short (per walk) (%) ↓1 if it stopped before the end of the corridor" in text
    assert "Longest step (m) ↓Metres of the longest step" in text
    assert "Soft successShare of the corridor walked" in text


@pytest.mark.parametrize(("sensor", "drawn"), [("clearance", False), ("glimpse", True)])
def test_the_manifest_names_a_renderer_if_its_sensor_draws(installed, tmp_path, sensor, drawn):
    where = [part for part in write_room(tmp_path) if not part.startswith("simulator.sensors")]
    where += ["~simulator.sensors.rgb", "~simulator.sensors.depth"]
    short = [f"simulator.sensors={{{sensor}: {{}}}}", "dataset.limit=1", "evaluation.max_steps=3"]
    done(installed, "run", "pointnav", *where, *short, "agent_service.agent=forward", "--out", "run", cwd=tmp_path)
    assert (document(tmp_path / "run", "manifest.json")["renderer"] is not None) == drawn


def test_its_options_are_known_and_misspelt_ones_are_told(installed, tmp_path):
    command = ["run", *corridors(tmp_path, 3.2, 9)]
    known = ["task.options={rounds: 2, at_least: 1.5}", "simulator.sensors.odometer.options.scale=2"]
    done(installed, *command, *known, "simulator.options.echo=true", "--out", "run", cwd=tmp_path)
    results = document(tmp_path / "run")
    assert results["metrics"]["longest_step"]["mean"] == 1.5
    assert results["metrics"]["success"]["mean"] == 0.0, "the walker takes 3 m to be 1.5 m"
    misspelt = ["task.options={round: 2, at_last: 1, rounds: many}", "simulator.sensors.odometer.options.scal=2"]
    said = nav_eval(installed, *command, *misspelt, "simulator.options.ecko=true", cwd=tmp_path)
    assert said.returncode == 2
    for key, near in (
        ("task.options.round", "rounds"),
        ("task.options.at_last", "at_least"),
        ("simulator.sensors.odometer.options.scal", "scale"),
        ("simulator.options.ecko", "echo"),
    ):
        assert f"{key}: unknown key. Did you mean '{near}'? Known here: " in said.stderr
    assert "task.options.rounds: Input should be a valid integer" in said.stderr


def test_its_simulator_says_itself_which_actions_it_lacks(installed, tmp_path):
    words = [*corridors(tmp_path, 3.2), "task.actions=[stop,move_forward,turn_left]"]
    for command in (("config", "validate"), ("run",)):
        said = nav_eval(installed, *command, *words, cwd=tmp_path)
        assert said.returncode == 2
        assert "task.actions: turn_left are not supported by simulator.backend=corridor." in said.stderr


@contextmanager
def talking(installed, folder, protocol, talk=""):
    """A real service of the package's agent; gives what the evaluator is told of it."""
    environment = os.environ | {"PYTHONPATH": str(installed), "TALK": talk}
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", "example_plugins:TalkingAgent", "--port", "0"]
    with served([*command, "--protocol", protocol], folder, environment) as endpoint:
        yield remote(endpoint, protocol)


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_an_action_of_the_tasks_own_is_said_carried_out_recorded_and_replayed(installed, tmp_path, protocol):
    with talking(installed, tmp_path, protocol) as service:
        done(installed, "run", *corridors(tmp_path, 3.2, 9), *service, "--out", "run", cwd=tmp_path)
    assert document(tmp_path / "run")["metrics"]["longest_step"]["mean"] == 3.0
    first, *_ = lines(tmp_path / "run", "trajectories.jsonl")
    steps = [[step["action"], step["action_args"], step["position"][2]] for step in first["steps"]]
    assert steps == [["say", {"words": "从这里跳 ↷"}, 0.0], ["jump", {"metres": 3.0}, -3.0], ["stop", {}, -3.0]]
    done(installed, "replay", "run", cwd=tmp_path)


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_an_argument_that_it_does_not_take_is_the_participants_fault(installed, tmp_path, protocol):
    with talking(installed, tmp_path, protocol, "wrong") as service:
        arguments = ["run", *corridors(tmp_path, 3.2, 3.3, 3.4, 3.5), *service, "--out", "run"]
        assert nav_eval(installed, *arguments, cwd=tmp_path).returncode == 1
    records = lines(tmp_path / "run")
    assert {record["status"] for record in records} == {"invalid_action"}
    told = [
        "argument 'metres' of 'jump' must be in [0, 3]",
        "argument 'metres' of 'jump' must be a number",
        "'jump' takes the arguments ['metres'], not []",
        "'jump' takes the arguments ['metres'], not ['meters']",
    ]
    assert all(part in record["failure_reason"] for part, record in zip(told, records, strict=True))


def test_its_scene_format_loads(installed, tmp_path):
    (tmp_path / "one.xyz").write_text("0 0 0 1 0 0 0 0 1\n")
    assert json.loads(done(installed, "scene", "info", "one.xyz", "--json", cwd=tmp_path))["triangles"] == 1


def test_its_physics_keeps_the_contract_as_the_command_finds(installed, tmp_path):
    told = done(installed, "simulator", "check", "custom", "simulator.physics=bumper", cwd=tmp_path)
    assert "ok       contacts are reported" in told


def test_its_physics_moves_a_benchmark_whose_forces_are_measured_and_replayed(installed, tmp_path):
    """A press of 0.25 m at 2000 N/m is 500 N; whoever walks straight on ends at a wall, held by it."""
    keys = ["simulator.physics=bumper", "agent_service.agent=forward", "dataset.limit=1", "evaluation.max_steps=60"]
    asked = "task.measurements=[collisions,collision_force,stuck_rate,fall_rate]"
    done(installed, "run", "pointnav-demo", *keys, asked, "simulator.sensors={}", "--out", "run", cwd=tmp_path)
    metrics = document(tmp_path / "run")["metrics"]
    assert 450 < metrics["collision_force"]["mean"] <= 500
    assert (metrics["stuck_rate"]["mean"], metrics["fall_rate"]["mean"]) == (1.0, 0.0)
    done(installed, "replay", "run", cwd=tmp_path)


def test_an_option_of_its_physics_is_checked_with_its_key(installed, tmp_path):
    keys = ["simulator.physics=bumper", "simulator.options.stifness=3"]
    told = nav_eval(installed, "config", "validate", "pointnav-demo", *keys, cwd=tmp_path)
    assert told.returncode == 2
    assert "simulator.options.stifness" in told.stderr
    assert "stiffness" in told.stderr


def test_its_generator_makes_what_is_played_and_names_what_scores_are_filed_under(installed, tmp_path):
    made = ["dataset.generate.generator=shelf", "dataset.generate.version=3", "simulator.sensors={}"]
    words = [*made, "agent_service.agent=shortest_path", "--out", "run"]
    assert "pointnav-demo, shelf v3" in done(installed, "run", "pointnav-demo", *words, cwd=tmp_path)
    results = document(tmp_path / "run")
    assert (results["n_episodes"], results["metrics"]["success"]["mean"]) == (1, 1.0)
    assert results["metrics"]["path_length"]["mean"] == pytest.approx(2.0, abs=0.25)
    other = nav_eval(installed, "run", "pointnav-demo", made[0], "--out", "other", cwd=tmp_path)
    assert (other.returncode, "this release makes version 3 only" in other.stderr) == (2, True)
    assert nav_eval(installed, "run", "pointnav-demo", "dataset.generate.generator=shelv", cwd=tmp_path).returncode == 2
