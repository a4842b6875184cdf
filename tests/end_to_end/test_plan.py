"""What is called valid runs, what does not run is said before anything is written, and no split is guessed."""

from __future__ import annotations

import contextlib
import json
import random
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

import nav_eval as nav_eval_package
from end_to_end.mutations import applied, draw_changes
from graphs import write_r2r
from nav_eval.cli import main
from nav_eval.config.loader import load_config, validate
from nav_eval.errors import ConfigError, NavEvalError
from nav_eval.runs import builder
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.plan import resolved
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import VLNAgent
from playing import document
from rooms import write_room
from specification import SECTION_9

STOP = "agent_service.agent=stop"
QUIET = ("--progress", "none")


@pytest.fixture
def r2r(tmp_path, monkeypatch):
    """Overrides for a tiny R2R, without a split; the working directory is where it lies."""
    monkeypatch.chdir(tmp_path)
    return [word for word in write_r2r(tmp_path) if not word.startswith("dataset.split")]


def nav_eval(capsys, *words):
    """Exit code and what was said."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["nav-eval", *words])
        patch.setattr(sys, "path", list(sys.path))
        with pytest.raises(SystemExit) as ended:
            main()
    said = capsys.readouterr()
    return ended.value.code, said.out + said.err


def why_not(benchmark, overrides):
    """What is said against a configuration."""
    with pytest.raises(ConfigError) as told, resolved(benchmark_config(benchmark, overrides=overrides)):
        pass
    return str(told.value)


def succeeded(capsys, *words):
    """What was said."""
    code, said = nav_eval(capsys, *words)
    assert code == 0, said
    return said


def renamed(tmp_path, name):
    shutil.copy(tmp_path / "R2R_val.json", tmp_path / name)
    return f"dataset.data_path={tmp_path / name}"


@pytest.mark.parametrize(
    ("name", "given", "label"),
    [
        ("R2R_val_unseen.json", [], "val_unseen"),
        ("R2R_val_unseen.json", ["dataset.split=val_unseen"], "val_unseen"),
        ("mine.json", [], None),
        ("mine.json", ["dataset.split=secret"], "secret"),
    ],
)
def test_a_run_is_labelled_with_what_is_known(r2r, tmp_path, capsys, name, given, label):
    words = [*r2r, renamed(tmp_path, name), *given]
    said = succeeded(capsys, "run", "r2r", *words, STOP, "--out", "run", *QUIET)
    assert [document(tmp_path / "run", name)["split"] for name in ("results.json", "manifest.json")] == [label, label]
    assert f"r2r ({label or 'split unknown'})" in said
    succeeded(capsys, "score", "run/submission.json", "--benchmark", "r2r", *words, "--out", "s.json")
    assert document(tmp_path, "s.json")["split"] == label
    succeeded(capsys, "replay", "run")


def test_no_measurements_are_none(r2r, tmp_path, capsys):
    """And not the task's own, which no list at all stands for."""
    for given, measured in (["task.measurements=[]"], 0), (["task.measurements=[success]"], 1):
        run = f"run{measured}"
        said = succeeded(capsys, "run", "r2r", *r2r, *given, STOP, "--out", run, *QUIET)
        results = document(tmp_path / run)
        assert (len(results["metrics"]), results["n_not_scored"]) == (measured, 0)
        assert "hidden test split" not in said
        succeeded(capsys, "report", run, "--out", "report.html")


def test_a_contradiction_names_both(r2r, tmp_path, capsys):
    words = [*r2r, renamed(tmp_path, "R2R_val_unseen.json"), "dataset.split=val_seen"]
    for command in (["run", "r2r", "--out", "run", *QUIET], ["config", "validate", "r2r"]):
        code, said = nav_eval(capsys, *command, *words)
        assert code == 2
        assert "'val_seen'" in said
        assert "'val_unseen'" in said
    assert not (tmp_path / "run").exists()


def test_a_benchmarks_own_pattern_takes_the_split_that_is_set_else_its_default(r2r, tmp_path, monkeypatch):
    monkeypatch.setenv("NAV_EVAL_DATA", str(tmp_path))
    folder = tmp_path / "datasets/vln/R2R"
    folder.mkdir(parents=True)
    for split in ("val_seen", "val_unseen"):
        shutil.copy(tmp_path / "R2R_val.json", folder / f"R2R_{split}.json")
    for given, label in (([], "val_seen"), (["dataset.split=val_unseen"], "val_unseen")):
        with resolved(benchmark_config("r2r", overrides=given)) as plan:
            assert plan.config.dataset.split == label
            assert plan.episodes.dataset.files == (str(folder / f"R2R_{label}.json"),)


def test_section_9_with_an_r2r_file_is_one_message_that_can_be_pasted(r2r, tmp_path, capsys):
    (tmp_path / "mine.yaml").write_text(SECTION_9)
    folder = tmp_path / "data/datasets/vln/R2R"
    folder.mkdir(parents=True)
    shutil.copy(tmp_path / "R2R_val.json", folder / "val_seen.json.gz")
    shutil.copytree(tmp_path / "connectivity", folder / "connectivity")
    code, said = nav_eval(capsys, "run", "--config", "mine.yaml", *QUIET)
    assert code == 2
    assert len(said.splitlines()) == 1
    pasted = shlex.split(said.partition("Add: ")[2])
    assert nav_eval(capsys, "config", "validate", "mine.yaml", *pasted) == (0, "valid\n")
    local = ["agent_service.type=local", "agent_service.agent=shortest_path"]
    succeeded(capsys, "run", "--config", "mine.yaml", *pasted, *local, "--out", "run", *QUIET)
    results = document(tmp_path / "run")
    assert results["metrics"]["success"]["mean"] == 1.0
    assert results["split"] == "val_seen"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["simulator.connectivity_dir=nowhere"], "nowhere"),
        (["dataset.data_path=nowhere.json"], "nowhere.json"),
        (["simulator.sensors.rgb={}"], "simulator.sensors.rgb"),
        (["task.actions=[stop,move_forward]"], "move_forward"),
        (["agent_service.agent=nosuch:Agent"], "nosuch"),
        (["agent_service.agent=json:Agent"], "no attribute 'Agent'"),
        (["agent_service.type=remote", "agent_service.token_file=nowhere"], "nowhere"),
        (["agent_service.type=remote", "agent_service.tls.enabled=true", "agent_service.tls.ca=nowhere"], "tls.ca"),
        (["output.video=all", "evaluation.parallel.workers=2"], "evaluation.parallel.workers=1"),
        (["dataset.episodes=[nosuch]"], "no episode is left"),
        (["dataset.scenes=[nosuch]"], "no episode is left"),
        (["dataset.languages=[fr]"], "no episode is left"),
    ],
)
def test_what_is_not_valid_does_not_run_for_the_same_reason(r2r, tmp_path, capsys, given, message):
    code, said = nav_eval(capsys, "config", "validate", "r2r", *r2r, *given)
    assert code == 2
    assert message in said
    assert nav_eval(capsys, "run", "r2r", *r2r, *given, "--out", "run", *QUIET) == (2, said)
    assert not (tmp_path / "run").exists()


def test_all_faults_of_the_configuration_come_at_once(r2r):
    bad = ["agent_service.agent=rando", "task.measurements=[sucess]", "simulator.backend=nav_grap"]
    told = why_not("r2r", [*r2r, *bad])
    assert "3 faults" in told
    assert told.count("Did you mean") == 3


def test_scores_and_environments_are_refused_in_the_same_words(r2r, capsys, tmp_path):
    bad = "simulator.options.discrete_view=true"
    told = why_not("r2r", [*r2r, bad])
    with pytest.raises(ConfigError, match=re.escape(told.replace("the command line", "overrides"))):
        nav_eval_package.make_env("r2r", overrides=[*r2r, bad])
    (tmp_path / "submission.json").write_text('[{"instr_id": "7_0", "trajectory": [["a", 0, 0]]}]')
    succeeded(capsys, "run", "r2r", *r2r, STOP, "--out", "run", *QUIET)
    for command in (["score", "submission.json", "--benchmark", "r2r", *r2r], ["rescore", "run"]):
        code, said = nav_eval(capsys, *command, bad)
        assert code == 2
        assert told in said


def test_the_agents_code_is_looked_at_and_not_run(r2r, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    package = tmp_path / "team_x"
    package.mkdir()
    for name in ("__init__.py", "agent.py"):
        (package / name).write_text("raise SystemExit('was run')\nclass Agent: ...\n")
    with resolved(benchmark_config("r2r", overrides=[*r2r, "agent_service.agent=team_x.agent:Agent"])):
        assert "team_x" not in sys.modules
    assert "no attribute 'Agnet'" in why_not("r2r", [*r2r, "agent_service.agent=team_x.agent:Agnet"])


def test_walkers_and_graphs_are_not_mixed_up(r2r, tmp_path):
    walked = {
        "episode_id": "1",
        "scene_id": "tinyhouse",
        "start_position": [0, 0, 0],
        "start_rotation": [0, 0, 0, 1],
        "goals": [{"position": [1, 0, 0], "radius": 3}],
        "instruction": {"instruction_text": "Go."},
        "reference_path": [[0, 0, 0], [1, 0, 0]],
    }
    path = tmp_path / "walked.json"
    path.write_text(json.dumps({"episodes": [walked]}))
    assert "backend=custom" in why_not("r2r", [*r2r, f"dataset.data_path={path}", "dataset.type=r2r-ce"])


@pytest.mark.parametrize("command", ["config validate", "run"])
def test_a_goal_rule_that_finds_no_goal_is_said_before_anything_is_played(capsys, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    words = ["pointnav", *write_room(tmp_path), "task.goal_rule=reference_end", STOP]
    code, said = nav_eval(capsys, *command.split(), *words)
    assert code == 2, said
    assert "the task pointnav finds no goal in it; task.goal_rule says where goals are" in " ".join(said.split())
    assert not (tmp_path / "logs").exists()


NUMBER, LONG = 150, 2_500


class Stops(VLNAgent):
    """Notes that it was asked."""

    asked = 0

    def reset(self, episode):
        pass

    def act(self, observation):
        Stops.asked += 1
        return "stop"


class NoLayers:
    """In place of a file and a command line."""

    def origin(self, key):
        return "[the test]"

    def given_now(self, key):
        return False


@pytest.fixture
def bases(tmp_path, monkeypatch):
    """Configurations of two tiny worlds that do run; whoever is to play, an agent that stops plays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.fsync", lambda file: None)  # a thousand runs that nobody will need after a power cut
    real = builder.Plan.service

    def service(plan, secret, agent=None):
        real(plan, secret, agent).close()
        return builder.local_service(plan.config, Stops, secret, limited=False)

    monkeypatch.setattr(builder.Plan, "service", service)
    graph, room = write_r2r(tmp_path / "graph"), write_room(tmp_path / "room")
    (tmp_path / "R2R_train.json").write_bytes((tmp_path / "graph" / "R2R_val.json").read_bytes())
    limit = ["dataset.limit=1", "agent_service.agent=random"]
    return [
        load_config(name, environment={}, overrides=[*words, *limit]).model_dump()
        for name, words in (("r2r", graph), ("pointnav", room))
    ]


def validated(content):
    """What `config validate` says against a configuration, or None."""
    try:
        with resolved(validate(content, NoLayers())):
            return None
    except NavEvalError as error:
        return str(error)


def begun(content, out: Path):
    """What `run` says against it, or None if it came to the agent's first action."""
    before = Stops.asked
    said = "no action was asked for"
    try:
        run_benchmark(validate(content, NoLayers()), out)
    except NavEvalError as error:
        said = str(error)
    return None if Stops.asked > before else said


def agree(bases, seeds, folder):
    """How many configurations were valid. Fails at the first on which the two do not agree."""
    valid = 0
    for seed in seeds:
        chance = random.Random(seed)
        changes = draw_changes(chance)
        content, out = applied(chance.choice(bases), changes), folder / str(seed)
        verdict, outcome = validated(content), begun(content, out)
        assert verdict == outcome, f"seed {seed}: {changes}"
        assert verdict is None or not out.exists(), f"seed {seed}: {changes} left {out}"
        valid += verdict is None
    return valid


def test_the_bases_run(bases, tmp_path):
    for number, content in enumerate(bases):
        assert (validated(content), begun(content, tmp_path / str(number))) == (None, None)


def test_a_hundred_changed_configurations(bases, tmp_path):
    valid = agree(bases, range(NUMBER), tmp_path / "runs")
    assert NUMBER / 5 < valid < NUMBER * 4 / 5, "both verdicts were put to the test"


@pytest.mark.soak
def test_many_changed_configurations(bases, tmp_path):
    with contextlib.chdir(tmp_path):
        agree(bases, range(NUMBER, LONG), tmp_path / "runs")
