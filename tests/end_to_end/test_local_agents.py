"""An agent class of the user's is judged as a service is: deadlines hold, and its crash is its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from end_to_end.agents import Breaks, DigestAgent
from graphs import write_r2r
from nav_eval import evaluate
from nav_eval.errors import ServiceUnavailable
from patience import PATIENCE
from playing import play, records

TESTS = Path(__file__).parents[1]


def run(tmp_path: Path, agent: str, *overrides: str, name: str = "run") -> list[dict[str, Any]]:
    where = f"agent_service.agent='end_to_end.agents:{agent}'" if agent[0].isupper() else f"agent_service.agent={agent}"
    play(tmp_path / name, [*write_r2r(tmp_path), where, *overrides])
    return records(tmp_path / name)


@pytest.mark.parametrize(
    ("agent", "status", "words"),
    [
        ("SlowToAnswer", "agent_timeout", "within 1 s"),
        ("KeepsPython", "agent_timeout", "within 1 s"),
        ("Exits", "agent_error", "exit code 3"),
        ("Crashes", "agent_error", "SIGSEGV"),
        ("Forks", "agent_error", "exit code 5"),
        ("Leaves", "agent_error", "SystemExit: 2 (agents.py, line "),
        ("Breaks", "agent_error", r"ValueError: first \x1b[31msecond (agents.py, line "),
    ],
)
def test_what_an_agent_does_is_its_own_fault_and_the_run_goes_on(
    tmp_path: Path, agent: str, status: str, words: str
) -> None:
    begun = time.monotonic()
    lines = run(tmp_path, agent, "agent_service.timeout=1", "dataset.limit=2")
    assert [line["status"] for line in lines] == [status] * 2
    assert all(words in line["failure_reason"] for line in lines), lines[0]["failure_reason"]
    assert time.monotonic() - begun < PATIENCE / 2


def test_a_crash_costs_the_episode_that_it_happens_in(tmp_path: Path) -> None:
    lines = run(tmp_path, "BreaksOnce", "evaluation.parallel.sessions=2")
    undisturbed = run(tmp_path, "DigestAgent", name="undisturbed")
    ((lost, _),) = [(a, b) for a, b in zip(lines, undisturbed, strict=True) if a != b]
    assert lost["status"] == "agent_error"


@pytest.mark.parametrize(
    ("agent", "ready", "words"),
    [("HasNoWeights", 60, r"FileNotFoundError: weights.pt \(agents.py"), ("LoadsForEver", 1, "within 1 s")],
)
def test_an_agent_that_cannot_be_made_ends_the_run_before_it_begins(
    tmp_path: Path, agent: str, ready: int, words: str
) -> None:
    with pytest.raises(ServiceUnavailable, match=words):
        run(tmp_path, agent, f"agent_service.deadlines.ready={ready}")
    assert not (tmp_path / "run" / "episodes.jsonl").exists() or not records(tmp_path / "run")


def test_an_object_of_this_process_is_held_to_its_deadlines(tmp_path: Path) -> None:
    awake = threading.Event()

    class Local(DigestAgent):
        """No other process could import it."""

        def act(self, observation: dict[str, Any]) -> str:
            awake.wait(PATIENCE)
            return "stop"

    overrides = [*write_r2r(tmp_path), "dataset.limit=1", "agent_service.timeout=0.5"]
    begun = time.monotonic()
    for agent in (Local, Local()):
        assert dict(evaluate("r2r", agent=agent, overrides=overrides).statuses) == {"agent_timeout": 1}
    assert time.monotonic() - begun < PATIENCE / 2
    awake.set()
    assert dict(evaluate("r2r", agent=Breaks, overrides=overrides).statuses) == {"agent_error": 1}


@pytest.mark.parametrize("disclosure", ["competition", "full"])
def test_the_seed_reproduces_a_local_run(tmp_path: Path, disclosure: str) -> None:
    """The ids that the agent is told are part of what DigestAgent decides by."""
    told = f"agent_service.disclosure={disclosure}"
    for agent in ("random", "DigestAgent"):
        seeds = (1, 1, 2)
        first, again, other = (run(tmp_path, agent, told, f"seed={s}", name=f"{agent}{n}") for n, s in enumerate(seeds))
        assert first == again != other
    results = [evaluate("r2r", agent=DigestAgent, overrides=[*write_r2r(tmp_path), told]) for _ in range(2)]
    assert results[0].metrics == results[1].metrics


ORDER = """
import json
from api.test_wires import FORMS
from api.worlds import Fingerprinting, observation, offer
from nav_eval.api.connecting import connect
from nav_eval.api.local import LocalService
from nav_eval.api.process import ProcessService
from nav_eval_sdk import start
from order_agent import Told

def played(service):
    client = service.open_session()
    client.reset_episode(offer())
    client.get_action(observation(0))
    client.close()
    service.close()

played(LocalService(Told))
played(LocalService(Told, limited=False))
played(ProcessService("order_agent:Told", Told))
for protocol, encoding in FORMS:
    with start(Told, protocol=protocol, port=0).wait_loaded() as server:
        played(connect(server.endpoint, protocol, encoding=encoding))
"""
TOLD = """
import json, os
from nav_eval_sdk import VLNAgent

def keys(value):
    if isinstance(value, dict):
        return [[key, keys(part)] for key, part in value.items()]
    return [keys(part) for part in value] if isinstance(value, list) else None

class Told(VLNAgent):
    def reset(self, episode):
        self.episode = episode
    def act(self, observation):
        for spec in [self.episode["observation_spec"], *self.episode["observation_spec"].values()]:
            spec.pop("encoding", None)
        with open("told.txt", "a") as file:
            file.write(json.dumps([keys(self.episode), keys(observation)]) + "\\n")
        return "stop"
"""


def test_an_agent_meets_its_keys_in_one_order_on_every_wire_and_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "order_agent.py").write_text(TOLD)
    for seed in ("0", "1"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{TESTS}:{tmp_path}"}
        subprocess.run([sys.executable, "-c", ORDER], check=True, cwd=tmp_path, env=environment)
    lines = (tmp_path / "told.txt").read_text().splitlines()
    assert len(lines) == 2 * 13
    assert len(set(lines)) == 1
