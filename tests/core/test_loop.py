from __future__ import annotations

import errno
import inspect
import logging
import sys
import time
from typing import Any, ClassVar

import pytest

from graphs import item, node, write_r2r
from nav_eval import evaluate
from nav_eval.config.loader import load_config
from nav_eval.core.deadline import Deadline
from nav_eval.core.loop import Meter, Policy, resident_mb
from nav_eval.errors import AgentError, AgentTimeout, BudgetExceeded, ConfigError, ServiceUnavailable, exhausted
from nav_eval.runs.evaluation import run_benchmark
from nav_eval_sdk import VLNAgent, start
from playing import document, lines, play, remote

BUDGET = "evaluation.budget"


class Dawdling(VLNAgent):
    """Slow in paths with an even number, else it stops at once; `hoard` keeps memory."""

    hoard = 0

    def reset(self, episode):
        self.slow = "slowly" in episode["instruction"]["text"]
        self.kept = []

    def act(self, observation):
        if not self.slow:
            return "stop"
        time.sleep(0.02)
        self.kept.append(b"x" * self.hoard)
        return "turn_left"


class Hoarding(Dawdling):
    hoard = 20_000_000


@pytest.fixture
def world(tmp_path):
    texts = ["Walk slowly.", "Walk.", "Go slowly.", "Go."]
    items = [item(number, [node(0, 0), node(1, 0)], [words]) for number, words in enumerate(texts)]
    return [*write_r2r(tmp_path, items=items), "evaluation.max_steps=40"]


@pytest.mark.parametrize(
    ("agent", "limit"), [(Dawdling, f"{BUDGET}.episode_seconds=0.2"), (Hoarding, f"{BUDGET}.memory_mb=150")]
)
def test_an_episode_over_its_budget_is_counted_apart_and_in_no_figure(world, agent, limit):
    world = [*world, "evaluation.max_steps=15"]
    free = evaluate("r2r", agent=agent, overrides=world)
    assert free.statuses == {"ok": 4}
    results = evaluate("r2r", agent=agent, overrides=[*world, limit])
    assert results.statuses == {"ok": 2, "budget_exceeded": 2}
    assert (results.n_episodes, results.n_failed, results.over_budget, results.not_scored) == (4, 0, 2, 0)
    assert {summary["n"] for summary in results.metrics.values()} == {2}
    assert results.metrics["steps"]["mean"] == 1.0


def test_a_renderer_that_is_not_installed_ends_the_run_and_blames_no_episode(monkeypatch):
    monkeypatch.setitem(sys.modules, "moderngl", None)
    opengl = ["simulator.renderer=opengl", "simulator.antialiasing=false"]
    with pytest.raises(ConfigError, match=r"nav-eval\[gl\]"):
        evaluate("pointnav-demo", agent=Dawdling, overrides=[*opengl, "dataset.limit=2"])


def test_the_total_budget_ends_what_runs_and_what_is_left(world, tmp_path):
    evaluated = play(tmp_path / "run", [*world, f"{BUDGET}.total_seconds=0.1"], agent=Dawdling)
    assert evaluated.results.statuses == {"budget_exceeded": 4}
    assert evaluated.results.metrics == {}
    assert evaluated.document["n_over_budget"] == 4
    assert any("evaluation.budget" in note for note in evaluated.document["notes"])


def test_the_services_own_limit_is_the_agents_failure():
    meter = Meter(Policy(episode_seconds=1e-9, budget_seconds=1e-9))
    with pytest.raises(AgentTimeout):
        meter.check()
    with pytest.raises(BudgetExceeded, match="total_seconds"):
        Meter(Policy(budget_run=Deadline(-1))).check()
    Meter(Policy()).check()


def test_memory_is_what_the_process_holds():
    before = resident_mb()
    kept = bytearray(b"x" * 100_000_000)
    assert 80 < resident_mb() - before < 150
    del kept


def wrapped(cause):
    """As a cause gets lost in practice: once named, once forgotten."""
    try:
        try:
            raise cause
        except (OSError, MemoryError):
            raise AgentError("inner") from None
    except AgentError as inner:
        outer = ServiceUnavailable("outer")
        outer.__cause__ = inner
        return outer


def test_what_the_machine_lacks_is_found_however_often_it_was_wrapped():
    assert "ulimit" in str(exhausted(wrapped(OSError(errno.EMFILE, "x"))))
    assert "disk" in str(exhausted(OSError(errno.ENOSPC, "x")))
    assert "memory" in str(exhausted(wrapped(MemoryError())))
    assert exhausted(wrapped(OSError(errno.ECONNREFUSED, "x"))) is None
    assert exhausted(ValueError()) is None


class Told(VLNAgent):
    """Notes its limits; turns for ever, or moves to and fro."""

    limits: ClassVar[list[dict[str, Any]]] = []

    def reset(self, episode):
        Told.limits.append(episode["limits"])

    def act(self, observation):
        return "turn_left"


class ToldMoving(Told):
    def act(self, observation):
        return {"action": "move_to", "action_args": {"viewpoint": observation["navigable"][0]["viewpoint"]}}


@pytest.mark.parametrize(("agent", "steps"), [(Told, 40), (ToldMoving, 7)])
@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_an_agent_is_told_the_limits_that_end_its_episodes(world, agent, steps, protocol):
    Told.limits.clear()
    granted = ["evaluation.max_moves=7", "agent_service.deadlines={reset: 5, act: 4, episode: 60}", "dataset.limit=1"]
    with start(agent, protocol=protocol, port=0) as server:
        results = evaluate("r2r", overrides=[*world, *granted, *remote(server.endpoint, protocol)])
    deadlines = {"reset_timeout": 5.0, "act_timeout": 4.0, "episode_timeout": 60.0}
    assert Told.limits == [{"max_steps": 40, "max_moves": 7} | deadlines]
    assert results.metrics["steps"]["mean"] == steps


class Raising(VLNAgent):
    name, version = "raising", "2.1"

    def reset(self, episode):
        pass

    def act(self, observation):
        return self.policy(observation)


def test_the_line_at_which_an_agent_of_this_process_raised_is_told(world, caplog):
    caplog.set_level(logging.DEBUG, "nav_eval")
    line = inspect.getsourcelines(Raising.act)[1] + 1
    assert evaluate("r2r", agent=Raising, overrides=[*world, "dataset.limit=1"]).statuses == {"agent_error": 1}
    told = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert f"has no attribute 'policy' (test_loop.py, line {line})" in told[0].getMessage()
    assert "Traceback" not in "".join(str(record.exc_text) for record in told)
    assert "return self.policy(observation)" in caplog.text


def test_the_manifest_keeps_what_a_service_calls_itself(world, tmp_path):
    with start(Raising, port=0) as server:
        overrides = [*world, *remote(server.endpoint), "dataset.limit=1"]
        play(tmp_path / "run", overrides)
    play(tmp_path / "run", overrides, resume=True)
    assert document(tmp_path / "run", "manifest.json")["service"] == {"name": "raising", "version": "2.1"}
    assert server.endpoint not in (tmp_path / "run" / "config.yaml").read_text()


def test_an_endpoint_that_would_not_be_asked_is_refused(world, tmp_path, caplog):
    endpoint = ["agent_service.endpoint=localhost:1", "agent_service.agent=stop", "dataset.limit=1"]
    with pytest.raises(ConfigError, match=r"endpoint: is given, .* 'stop' here\. Add agent_service.type=remote"):
        play(tmp_path / "refused", [*world, *endpoint])
    assert not (tmp_path / "refused").exists()
    play(tmp_path / "run", [*world, *endpoint[1:]])
    assert "is given" not in caplog.text
    again = load_config(file=tmp_path / "run" / "config.yaml")  # it holds type and endpoint, as all keys
    run_benchmark(again, tmp_path / "again")
    header = (tmp_path / "run" / "results.csv").read_text().splitlines()[0].split(",")
    assert len(set(header)) == len(header)
    assert "steps" in header


class LateOnce(VLNAgent):
    """Thinks far too long about one step of its first episode; one session, so the next episode finds it busy."""

    late = True

    def reset(self, episode):
        pass

    def act(self, observation):
        if LateOnce.late:
            LateOnce.late = False
            time.sleep(2)
        return "stop"


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_late_answer_costs_one_episode_and_is_counted_in_its_time(world, tmp_path, protocol):
    LateOnce.late = True
    hasty = ["agent_service.timeout=1", "agent_service.deadlines.reset=10", "agent_service.episode_restarts=0"]
    with start(LateOnce, protocol=protocol, port=0) as server:
        evaluated = play(tmp_path / "run", [*world, *hasty, *remote(server.endpoint, protocol)])
    assert evaluated.results.statuses == {"agent_timeout": 1, "ok": 3}
    first, *others = lines(tmp_path / "run")
    assert first["status"] == "agent_timeout"
    assert first["timing"]["agent"] >= 1
    assert not any("restarts" in line["timing"] for line in others)
