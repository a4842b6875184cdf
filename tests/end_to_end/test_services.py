"""Services that misbehave, refuse, go away and come back, through whole runs."""

from __future__ import annotations

import csv
import threading
import time
from collections import Counter
from typing import ClassVar

import pytest

from api.hostile import grpc_service, rest_service
from end_to_end.agents import DigestAgent
from graphs import item, node, write_r2r
from nav_eval.errors import ServiceUnavailable
from nav_eval.results import audit
from nav_eval_sdk import start
from nav_eval_sdk.protocol.messages import EpisodeEnd
from patience import PATIENCE
from playing import document, lines, play, records, remote

HOSTILE = {"rest": rest_service, "grpc": grpc_service}
STATUS = {"hang": "agent_timeout", "unknown_action": "invalid_action", "traceback": "agent_error"}
"""One of each kind; tests/api/test_hostile.py has every way to misbehave."""


@pytest.mark.parametrize("protocol", HOSTILE)
@pytest.mark.parametrize("mode", STATUS)
def test_a_run_survives_a_service_that_misbehaves(tmp_path, protocol, mode):
    timeout = 0.5 if mode == "hang" else 20
    with HOSTILE[protocol](mode, seconds=1.5) as hostile:
        more = [f"agent_service.timeout={timeout}", "dataset.limit=2"]
        evaluated = play(tmp_path / "run", [*write_r2r(tmp_path), *remote(hostile.endpoint, protocol), *more])
        assert {step for _, step, _ in hostile.asked} == {0}
    played = records(tmp_path / "run")
    assert [line["status"] for line in played] == [STATUS[mode]] * 2
    assert all(line["failure_reason"] and line["steps"] == 0 for line in played)
    assert all(line["metrics"]["success"] == 0.0 for line in played)
    assert (evaluated.document["n_failed"], evaluated.document["metrics"]["success"]["mean"]) == (2, 0.0)


@pytest.mark.parametrize("protocol", HOSTILE)
def test_a_service_that_dies_ends_the_run_which_another_one_resumes(tmp_path, protocol):
    overrides = [*write_r2r(tmp_path), "agent_service.deadlines={ready: 2, connect: 2}"]
    with (
        HOSTILE[protocol]("die") as hostile,
        pytest.raises(ServiceUnavailable, match=r"(?s)Is the service running.*--resume") as caught,
    ):
        play(tmp_path / "run", [*overrides, *remote(hostile.endpoint, protocol)])
    assert caught.value.exit_code == 3
    assert records(tmp_path / "run") == []
    with start(DigestAgent, protocol=protocol, port=0) as server:
        evaluated = play(tmp_path / "run", [*overrides, *remote(server.endpoint, protocol)], resume=True)
    assert evaluated.results.statuses == {"ok": 5}


class Lingerer(DigestAgent):
    """Answers twice, then no more in time."""

    def act(self, observation):
        self._steps += 1
        time.sleep(0.1 if self._steps < 3 else 3)
        return "turn_left"


@pytest.mark.parametrize("served", [True, False])
def test_an_answer_that_the_episodes_deadline_cuts_names_that_key(tmp_path, served):
    overrides = [*write_r2r(tmp_path), "dataset.limit=1", "agent_service.deadlines.episode=1.5"]
    if served:
        with start(Lingerer, port=0) as server:
            play(tmp_path / "run", [*overrides, *remote(server.endpoint)])
    else:
        play(tmp_path / "run", overrides, agent=Lingerer)
    (line,) = lines(tmp_path / "run")
    told = "the episode took longer than agent_service.deadlines.episode = 1.5 s."
    assert (line["status"], line["failure_reason"], line["steps"]) == ("agent_timeout", told, 2)


@pytest.mark.parametrize("protocol", HOSTILE)
def test_a_refused_token_ends_the_run_before_it_begins(tmp_path, protocol):
    with (
        start(DigestAgent, protocol=protocol, port=0, token="right") as server,
        pytest.raises(ServiceUnavailable, match="token"),
    ):
        play(tmp_path / "run", [*write_r2r(tmp_path), *remote(server.endpoint, protocol), "agent_service.token=wrong"])


class Noticed(DigestAgent):
    """Tells how often it was asked, over all sessions, and how many acted at once."""

    asked = threading.Semaphore(0)
    lock = threading.Lock()
    acting = most = 0

    def act(self, observation):
        Noticed.asked.release()
        with Noticed.lock:
            Noticed.acting += 1
            Noticed.most = max(Noticed.most, Noticed.acting)
        time.sleep(0.005)
        with Noticed.lock:
            Noticed.acting -= 1
        return super().act(observation)


def test_the_services_limit_holds_over_all_workers_and_changes_no_record(world, undisturbed, tmp_path):
    Noticed.most = 0
    with start(Noticed, protocol="grpc", port=0, max_sessions=3) as server:
        parallel = "evaluation.parallel={workers: 2, sessions: 8}"
        play(tmp_path / "run", [*world, *remote(server.endpoint, "grpc"), parallel])
    assert records(tmp_path / "run") == undisturbed
    assert 2 <= Noticed.most <= 3


def stop_after(server, count):
    """Stop a service of Noticed agents when it was asked so often."""
    for _ in range(count):
        Noticed.asked.acquire(timeout=PATIENCE)
    server.stop()


def run_while_restarting(folder, overrides, protocol):
    """A service that goes away twice in the middle of episodes, and comes back empty on the same port."""
    Noticed.asked = threading.Semaphore(0)
    served = [start(Noticed, protocol=protocol, port=0, max_sessions=4)]

    def restart_twice():
        for _ in range(2):
            stop_after(served[-1], 9)
            served.append(start(Noticed, protocol=protocol, port=served[0].port, max_sessions=4))

    restarting = threading.Thread(target=restart_twice)
    restarting.start()
    try:
        more = [*remote(served[0].endpoint, protocol), "evaluation.parallel.sessions=4"]
        return play(folder, [*overrides, *more])
    finally:
        restarting.join()
        served[-1].stop()


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_service_that_is_restarted_costs_nothing(world, undisturbed, tmp_path, protocol):
    run_while_restarting(tmp_path / "run", world, protocol)
    assert records(tmp_path / "run") == undisturbed


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_without_restarts_a_restart_costs_the_episodes_in_flight_and_no_others(world, undisturbed, tmp_path, protocol):
    results = run_while_restarting(tmp_path / "run", [*world, "agent_service.episode_restarts=0"], protocol).results
    lost = results.statuses["service_unavailable"]
    assert 1 <= lost <= 8
    assert results.statuses == {"ok": 18 - lost, "service_unavailable": lost}
    assert not any("restarts" in line["timing"] for line in lines(tmp_path / "run"))
    kept = {line["episode_id"]: line for line in records(tmp_path / "run") if line["status"] == "ok"}
    assert list(kept.values()) == [line for line in undisturbed if line["episode_id"] in kept]


@pytest.mark.parametrize("restarts", [0, 2])
def test_a_service_that_stays_away_ends_the_run_with_what_is_finished(world, undisturbed, tmp_path, restarts):
    """Without restarts, what was lost has failed."""
    Noticed.asked = threading.Semaphore(0)
    server = start(Noticed, port=0, max_sessions=2)
    more = [f"agent_service.episode_restarts={restarts}", "agent_service.deadlines.ready=2"]
    overrides = [*world, *more, "evaluation.parallel.sessions=2"]
    stopping = threading.Thread(target=stop_after, args=(server, 9))
    stopping.start()
    with pytest.raises(ServiceUnavailable, match="--resume"):
        play(tmp_path / "run", [*overrides, *remote(server.endpoint)])
    stopping.join()
    played = records(tmp_path / "run")
    lost = [line for line in played if line["status"] == "service_unavailable"]
    assert len(played) < 18
    assert (not lost) if restarts else 1 <= len(lost) <= 2
    assert all(line["metrics"]["success"] == 0.0 for line in lost)
    with start(DigestAgent, port=0, max_sessions=2) as again:
        play(tmp_path / "run", [*overrides, *remote(again.endpoint)], resume=True)
    gone = [line["episode_id"] for line in lost]
    expected = [line for line in undisturbed if line["episode_id"] not in gone]
    assert [line for line in records(tmp_path / "run") if line["episode_id"] not in gone] == expected


class Watched(DigestAgent):
    """Counts how often each episode began to be seen; the last one is remembered."""

    seen: ClassVar[Counter[str]] = Counter()
    thinking = threading.Event()
    free = threading.Event()

    def reset(self, episode):
        super().reset(episode)
        self._id = episode["episode_id"]

    def act(self, observation):
        if self._steps == 0:
            Watched.seen[self._id] += 1
        if self._steps == 1:
            Watched.thinking.set()
            Watched.free.wait(PATIENCE)
        action = super().act(observation)
        return {**(action if isinstance(action, dict) else {"action": action}), "usage": {"requests": 1}}


@pytest.fixture
def watched():
    Watched.seen.clear()
    Watched.thinking.clear()
    Watched.free.clear()
    yield Watched
    Watched.free.set()


def three_walks(folder, server, protocol, workers):
    items = [item(number, [node(0, number), node(1, number), node(2, number)], ["Walk."]) for number in range(3)]
    more = ["agent_service.secret=s3", "agent_service.deadlines.ready=2", f"evaluation.parallel.workers={workers}"]
    return [*write_r2r(folder, items=items), *more, *remote(server.endpoint, protocol)]


def lose_and_load(server):
    """When an agent has seen enough, its session is gone, and the service says "loading" for as long as we wait."""
    assert Watched.thinking.wait(PATIENCE)
    server.service._status = "loading"
    for key in list(server.service._sessions):
        server.service.end(EpisodeEnd(session_id=key))
    Watched.free.set()


@pytest.mark.parametrize(("protocol", "workers"), [("rest", 1), ("grpc", 1), ("rest", 2)])
def test_a_service_that_goes_away_late_gets_no_fresh_restarts_with_every_resume(watched, tmp_path, protocol, workers):
    run, run_segments = tmp_path / "run", 0
    with start(Watched, protocol=protocol, port=0, max_sessions=1).wait_loaded() as server:
        overrides = three_walks(tmp_path, server, protocol, workers)
        while not lines(run) and run_segments < 8:
            server.service._status = "ready"
            Watched.thinking.clear()
            Watched.free.clear()
            leaving = threading.Thread(target=lose_and_load, args=(server,))
            leaving.start()
            with pytest.raises(ServiceUnavailable, match="--resume"):
                play(run, overrides, resume=run_segments > 0)
            leaving.join()
            run_segments += 1
        (failed,) = lines(run)
        assert run_segments == 3
        assert list(watched.seen.values()) == [3]  # agent_service.episode_restarts is 2
        assert failed["status"] == "service_unavailable"
        assert [failed["timing"][name] for name in ("tries", "restarts", "resumes")] == [3, 2, 0]
        spent = failed["usage"]["requests"]
        lost = [line.get("usage", {}) for line in lines(run, "tries.jsonl") if line["event"] == "lost"]
        assert spent == failed["steps"] + sum(usage["requests"] for usage in lost) >= 3
        server.service._status = "ready"
        evaluated = play(run, overrides, resume=True)
    assert evaluated.results.statuses == {"ok": 2, "service_unavailable": 1}
    results = document(run)
    assert (results["n_restarted"], results["n_resumed"]) == (1, 0)
    assert results["usage"]["requests"] == spent + sum(line["steps"] for line in lines(run) if line["status"] == "ok")
    assert any("Shown to the agent again" in note for note in results["notes"])
    table = list(csv.DictReader((run / "results.csv").open()))
    assert [(row["tries"], row["restarts"]) for row in table[:-1]] == [("3", "2"), ("1", "0"), ("1", "0")]
    assert len(document(run, "manifest.json")["sittings"]) == 4
    assert audit.verify(run) == []
    assert "tries.jsonl" not in audit.publish(run, tmp_path / "public")
    assert audit.verify(tmp_path / "public") == []


def test_an_episode_that_kills_its_worker_is_recorded_and_the_others_are_not_harmed(world, undisturbed, tmp_path):
    run = tmp_path / "run"
    deadly = "agent_service.agent='end_to_end.agents:DeadlyAgent'"
    evaluated = play(run, [*world, "evaluation.parallel={workers: 2, sessions: 3}", deadly])
    assert evaluated.results.statuses == {"ok": 16, "worker_crash": 2}
    assert (evaluated.results.n_failed, evaluated.results.lost) == (0, 2)
    crashed, others = ([line for line in records(run) if (line["status"] == "ok") == ok] for ok in (False, True))
    assert {line["episode_id"] for line in crashed} == {"4_0", "4_1"}
    assert all(line["metrics"] == {} and "SIGKILL" in line["failure_reason"] for line in crashed)
    assert {row["instr_id"] for row in document(run, "submission.json")} == {line["episode_id"] for line in others}
    assert others == [line for line in undisturbed if line["episode_id"] not in ("4_0", "4_1")]
