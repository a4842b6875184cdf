"""What an agent says its answers cost, from its own count to every file of a run, over every wire."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from end_to_end.agents import CostlyAgent, SilentAgent
from graphs import item, node, write_r2r
from nav_eval.cli.score import rescore
from nav_eval_sdk import VLNAgent, start
from playing import document, lines, play, records, remote

WIRES = ["in this process", "in a process", "rest json", "rest msgpack", "grpc unary", "grpc stream"]


def played(agent: type[VLNAgent], wire: str, folder: Path, items: list[dict[str, Any]] | None = None) -> Path:
    data, out = write_r2r(folder / "data", items=items), folder / "run"
    if wire == "in this process":
        return play(out, data, agent=agent).path
    if wire == "in a process":
        return play(out, [*data, f"agent_service.agent='end_to_end.agents:{agent.__name__}'"]).path
    protocol, encoding = wire.split()
    with start(agent, protocol=protocol, port=0) as server:
        return play(out, [*data, *remote(server.endpoint, protocol, encoding)]).path


@pytest.mark.parametrize("wire", WIRES)
def test_the_run_counts_what_the_agent_counted_and_keeps_its_words_and_scores_anew(wire: str, tmp_path: Path) -> None:
    CostlyAgent.spent.clear()
    run = played(CostlyAgent, wire, tmp_path)
    usage = document(run)["usage"]
    by_hand = {"input_tokens": 5 * 600, "output_tokens": 5 * 6, "requests": 5 * 3}
    assert {name: usage[name] for name in by_hand} == by_hand
    if wire != "in a process":
        assert CostlyAgent.spent == by_hand
    assert usage["cost"] == {"USD": pytest.approx(3.75)}
    assert (usage["n_episodes"], usage["per_episode"]["input_tokens"]) == (5, 600)
    rows = list(csv.DictReader((run / "results.csv").read_text().splitlines()))
    assert [row["output_tokens"] for row in rows] == ["6"] * 5 + ["6.0"]
    assert [float(row["cost.USD"]) for row in rows] == pytest.approx([0.75] * 6)
    for line in lines(run, "trajectories.jsonl"):
        said = [f"step {n}\nstill <b>turning</b>\\u202e" for n in (1, 2, 3)]
        assert [step["said"] for step in line["steps"]] == said
        assert [step["usage"]["input_tokens"] for step in line["steps"]] == [100, 200, 300]
    assert rescore(run, "task.measurements=[success]") == 0
    assert document(run, "rescored.json")["usage"] == usage


def test_a_run_whose_agent_tells_nothing_has_no_such_key(tmp_path: Path) -> None:
    run = played(SilentAgent, "rest json", tmp_path)
    assert "usage" not in document(run)
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
    refused = records(played(Wrong, wire, tmp_path, paths))
    assert {line["status"] for line in refused} == {"invalid_action"}
    told = {line["episode_id"]: line["failure_reason"] for line in refused}
    assert [(n, told[f"{n}_0"]) for n, (*_, reason) in enumerate(WRONG) if reason not in told[f"{n}_0"]] == []
