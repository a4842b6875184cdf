"""What an agent says its answers cost, from its own count to every file of a run, over every wire."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from end_to_end.agents import CostlyAgent, SilentAgent
from end_to_end.records import records
from graphs import item, node, write_r2r
from nav_eval.cli.score import rescore
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import VLNAgent, start

WIRES = ["in this process", "in a process", "rest json", "rest msgpack", "grpc unary", "grpc stream"]


def play(agent: type[VLNAgent], wire: str, folder: Path, items: list[dict[str, Any]] | None = None) -> Path:
    data = write_r2r(folder / "data", items=items)
    if wire == "in this process":
        return run_benchmark(benchmark_config("r2r", overrides=data), folder / "run", agent=agent).path
    if wire == "in a process":
        own = f"agent_service.agent='end_to_end.agents:{agent.__name__}'"
        return run_benchmark(benchmark_config("r2r", overrides=[*data, own]), folder / "run").path
    protocol, encoding = wire.split()
    with start(agent, protocol=protocol, port=0) as server:
        remote = ["agent_service.type=remote", f"agent_service.protocol={protocol}"]
        more = [f"agent_service.endpoint={server.endpoint}", f"agent_service.encoding={encoding}"]
        run_benchmark(benchmark_config("r2r", overrides=[*data, *remote, *more]), folder / "run")
    return folder / "run"


@pytest.mark.parametrize("wire", WIRES)
def test_the_run_counts_what_the_agent_counted(wire: str, tmp_path: Path) -> None:
    CostlyAgent.spent.clear()
    run = play(CostlyAgent, wire, tmp_path)
    usage = json.loads((run / "results.json").read_text())["usage"]
    by_hand = {"input_tokens": 5 * 600, "output_tokens": 5 * 6, "requests": 5 * 3}
    assert {name: usage[name] for name in by_hand} == by_hand
    if wire != "in a process":
        assert CostlyAgent.spent == by_hand
    assert usage["cost"] == {"USD": pytest.approx(3.75)}
    assert (usage["n_episodes"], usage["per_episode"]["input_tokens"]) == (5, 600)
    rows = list(csv.DictReader((run / "results.csv").read_text().splitlines()))
    assert [row["output_tokens"] for row in rows] == ["6"] * 5 + ["6.0"]
    assert [float(row["cost.USD"]) for row in rows] == pytest.approx([0.75] * 6)


def test_its_words_stand_beside_the_step_that_they_led_to(tmp_path: Path) -> None:
    run = play(CostlyAgent, "rest json", tmp_path)
    for line in (run / "trajectories.jsonl").read_text("utf-8").splitlines():
        steps = json.loads(line)["steps"]
        assert [step["said"] for step in steps] == [f"step {n}\nstill <b>turning</b>\\u202e" for n in (1, 2, 3)]
        assert [step["usage"]["input_tokens"] for step in steps] == [100, 200, 300]


def test_scores_that_are_computed_anew_keep_what_it_cost(tmp_path: Path) -> None:
    run = play(CostlyAgent, "in this process", tmp_path)
    assert rescore(run, "task.measurements=[success]") == 0
    written, again = (json.loads((run / f"{name}.json").read_text())["usage"] for name in ("results", "rescored"))
    assert again == written


def test_a_run_whose_agent_tells_nothing_has_no_such_key(tmp_path: Path) -> None:
    run = play(SilentAgent, "rest json", tmp_path)
    assert "usage" not in json.loads((run / "results.json").read_text())
    assert "usage" not in (run / "episodes.jsonl").read_text() + (run / "results.csv").read_text()


WRONG = [
    ({"tokens": 3}, "", "usage has no 'tokens'; it has input_tokens, output_tokens"),
    ({"input_tokens": -1}, "", "input_tokens is -1, not a number from 0 on"),
    ({"accelerator_seconds": float("nan")}, "", "accelerator_seconds is nan"),
    ({"cost": {"USD": float("inf")}}, "", "cost.USD is inf"),
    ({"cost": {"US dollars": 1.0}}, "", "give at most 4 currencies"),
    ({"requests": 1.5}, "", "Expected `int`"),
    (7, "", "Expected `object`"),
    (None, 7, "said must be a text, not int"),
]


class Wrong(VLNAgent):
    """A different account for each episode; its instruction says which."""

    def reset(self, episode: dict[str, Any]) -> None:
        self.usage, self.said, _ = WRONG[int(episode["instruction"]["text"])]

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        return {"action": "stop", "usage": self.usage, "said": self.said}


@pytest.mark.parametrize("wire", ["in this process", "rest json"])
def test_a_wrong_account_is_named(wire: str, tmp_path: Path) -> None:
    paths = [item(number, [node(0, 0), node(1, 0)], [str(number)]) for number in range(len(WRONG))]
    lines = records(play(Wrong, wire, tmp_path, paths))
    assert {line["status"] for line in lines} == {"invalid_action"}
    told = {line["episode_id"]: line["failure_reason"] for line in lines}
    assert [(n, told[f"{n}_0"]) for n, (*_, reason) in enumerate(WRONG) if reason not in told[f"{n}_0"]] == []
