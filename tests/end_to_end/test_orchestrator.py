"""The specification's orchestrator (3.1) under its own names, and a run directory from Python."""

from __future__ import annotations

import ast
import csv
import json
from pathlib import Path

import pytest

import nav_eval
from graphs import write_r2r
from nav_eval.errors import ConfigError
from nav_eval.runs.plan import resolved
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import VLNAgent


class FirstDoor(VLNAgent):
    """Takes the first way on, then stops."""

    def reset(self, episode):
        self.moved = False

    def act(self, observation):
        if self.moved:
            return "stop"
        self.moved = True
        return {"action": "move_to", "action_args": {"viewpoint": observation["navigable"][0]["viewpoint"]}}


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_each_name_of_the_specification(tmp_path):
    """Edges are 2 m long, so every path of one move is too; the means are of what the single episodes say."""
    with nav_eval.Evaluation("r2r", overrides=write_r2r(tmp_path)) as evaluation:
        single = [evaluation.run_episode(episode, FirstDoor) for episode in evaluation.episodes]
        results = evaluation.run_evaluation(FirstDoor)
        assert [one.metrics["path_length"] for one in single] == [2.0] * 5
        assert [one.metrics for one in results.episodes] == [one.metrics for one in single]
        assert evaluation.aggregate_metrics(single) == results.metrics
        half = evaluation.aggregate_metrics(single[:3])
        assert half["path_length"]["n"] == 3
        evaluation.export_results(results, tmp_path / "exported")
    document = json.loads((tmp_path / "exported/results.json").read_text())
    assert document["split"] == "val"
    assert document["metrics"]["path_length"]["mean"] == 2.0
    table = rows(tmp_path / "exported/results.csv")
    assert [row["episode_id"] for row in table] == ["7_0", "7_1", "7_2", "8_0", "8_1", "mean"]
    assert [float(row["success"]) for row in table[:-1]] == [one.metrics["success"] for one in single]


@pytest.mark.parametrize("agent", [FirstDoor, FirstDoor()], ids=["class", "object"])
def test_evaluate_writes_a_run_directory_of_an_agent_that_it_is_given(tmp_path, agent):
    out = tmp_path / "run"
    results = nav_eval.evaluate("r2r", agent=agent, overrides=write_r2r(tmp_path), out=out)
    assert json.loads((out / "results.json").read_text())["metrics"]["path_length"]["mean"] == 2.0
    assert len(rows(out / "results.csv")) - 1 == results.n_episodes == 5
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["agent"] == f"{__name__}:FirstDoor"
    assert (out / "submission.json").exists()


def r2r_file(tmp_path):
    """A tiny R2R beside its graphs, without what the benchmark r2r says of the world."""
    return [word for word in write_r2r(tmp_path) if word.startswith("dataset.data_path")]


@pytest.mark.parametrize(
    ("benchmark", "given", "advice"),
    [
        ("nowhere", [], r"config=FILE"),
        (None, [], r"overrides=\['simulator"),
        ("r2r", ["task.actions=[stop,velocity]"], r"Add: overrides=\['task"),
    ],
)
def test_what_python_is_told_to_do_next_is_python(tmp_path, monkeypatch, benchmark, given, advice):
    monkeypatch.chdir(tmp_path)
    overrides = [*r2r_file(tmp_path), *given]
    with pytest.raises(ConfigError, match=advice) as told:
        nav_eval.Evaluation(benchmark, overrides=overrides)
    assert "--" not in str(told.value)
    with pytest.raises(ConfigError) as told, resolved(benchmark_config(benchmark, overrides=overrides)):
        pass
    assert "overrides=" not in str(told.value)  # a command line is told what a command line takes


def test_the_overrides_that_python_is_told_of_can_be_pasted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = [*r2r_file(tmp_path), "dataset.type=vln"]
    with pytest.raises(ConfigError) as told:
        nav_eval.Evaluation(overrides=given)
    more = ast.literal_eval(str(told.value).partition("overrides=")[2])
    with nav_eval.Evaluation(overrides=[*given, *more]) as evaluation:
        assert len(evaluation.episodes) == 5


def test_an_agent_that_cannot_be_sent_to_workers_is_refused(tmp_path):
    overrides = [*write_r2r(tmp_path), "evaluation.parallel.workers=2"]
    with pytest.raises(ConfigError, match="MODULE:CLASS"):
        nav_eval.evaluate("r2r", agent=FirstDoor, overrides=overrides, out=tmp_path / "run")


TWO = ["dataset.limit=2", "simulator.sensors={}", "task.measurements=[success,steps]"]


def test_an_agent_may_be_given_by_its_name():
    told = nav_eval.evaluate("pointnav-demo", agent="shortest_path", overrides=TWO)
    assert (told.metrics["success"]["mean"], told.n_episodes) == (1.0, 2)
    with pytest.raises(ConfigError, match="Did you mean 'shortest_path'"):
        nav_eval.evaluate("pointnav-demo", agent="shortest_pth", overrides=TWO)


@pytest.mark.parametrize(
    ("agent", "told"), [(3, r"agent: 3 has no reset and act\. Give"), (Path, "has no reset and act")]
)
def test_what_is_no_agent_is_refused_before_an_episode(agent, told):
    with pytest.raises(ConfigError, match=told):
        nav_eval.evaluate("pointnav-demo", agent=agent, overrides=TWO)


def test_an_evaluation_is_told_where_a_name_belongs():
    told = r"overrides=\['agent_service.agent=stop'\]"
    with nav_eval.Evaluation("pointnav-demo", overrides=TWO) as demo, pytest.raises(ConfigError, match=told):
        demo.run_evaluation("stop")


def test_a_named_agent_goes_to_workers_without_a_run_directory():
    words = [*TWO, "agent_service.agent=shortest_path", "evaluation.parallel.workers=2"]
    told = nav_eval.evaluate("pointnav-demo", overrides=words)
    alone = nav_eval.evaluate("pointnav-demo", overrides=words[:-1])
    assert [one.steps for one in told.episodes] == [one.steps for one in alone.episodes] != []
    with pytest.raises(ConfigError, match="MODULE:CLASS"):
        nav_eval.evaluate("pointnav-demo", agent=FirstDoor, overrides=words)
    with pytest.raises(ConfigError, match="ray needs a run directory"):
        nav_eval.evaluate("pointnav-demo", overrides=[*words, "evaluation.parallel.executor=ray"])
