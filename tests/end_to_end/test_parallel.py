"""Whatever the concurrency, the executor or the wire, the same agent leaves the same records."""

from __future__ import annotations

import json
import threading
import time
from contextlib import nullcontext

import pytest

from end_to_end.agents import DigestAgent, GpsAgent
from end_to_end.records import records
from graphs import item, node, write_r2r
from nav_eval import evaluate
from nav_eval.errors import ConfigError, ServiceUnavailable
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import start
from patience import PATIENCE
from rooms import write_room

AGENTS = {"r2r": DigestAgent, "pointnav": GpsAgent}
HARD = [
    "perturbations=[{name: pose_drift, severity: 3}, {name: depth_noise}, {name: dropped_frames, severity: 2}]",
    "simulator.people={count: 3, options: {crossing: 1.0}}",
]
"""Drawn for each episode. The agents decide by a digest of all that they saw: one other bit leads elsewhere."""
PATHS = [[node(x, 0), node(1, y), node(2, y)] for x in range(3) for y in range(3)]


def parallel(workers, sessions):
    return [f"evaluation.parallel.workers={workers}", f"evaluation.parallel.sessions={sessions}"]


def run(folder, benchmark, overrides, protocol="local"):
    """Both journals, timing apart, of one run with the benchmark's agent in this process or behind a wire."""
    agent = AGENTS[benchmark]
    serving = nullcontext() if protocol == "local" else start(agent, protocol=protocol, port=0, max_sessions=32)
    with serving as server:
        service = [f"agent_service.agent='end_to_end.agents:{agent.__name__}'"]
        if server is not None:
            endpoint = f"agent_service.endpoint={server.endpoint}"
            service = ["agent_service.type=remote", f"agent_service.protocol={protocol}", endpoint]
        config = benchmark_config(benchmark, overrides=[*overrides, *service, "agent_service.secret=s3"])
        run_benchmark(config, folder)
    return [records(folder, name) for name in ("episodes.jsonl", "trajectories.jsonl")]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worlds")
    names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    texts = [[f"Walk path {name}.", f"Go path {name} on."] for name in ["zero", *names]]
    items = [item(number, path, texts[number]) for number, path in enumerate(PATHS)]
    return {"r2r": write_r2r(folder, items=items), "pointnav": [*write_room(folder, scenes=2), *HARD]}


@pytest.fixture(scope="module")
def alone(worlds, tmp_path_factory):
    """Each benchmark played in one session."""
    folder = tmp_path_factory.mktemp("alone")
    return {name: run(folder / name, name, overrides) for name, overrides in worlds.items()}


@pytest.mark.parametrize(
    ("benchmark", "protocol", "workers", "sessions"),
    [("r2r", "local", 2, 4), ("r2r", "rest", 1, 32), ("pointnav", "local", 2, 2), ("pointnav", "grpc", 1, 8)],
)
def test_concurrency_changes_no_record(worlds, alone, tmp_path, benchmark, protocol, workers, sessions):
    overrides = [*worlds[benchmark], *parallel(workers, sessions)]
    assert run(tmp_path / "run", benchmark, overrides, protocol) == alone[benchmark]
    assert len(alone[benchmark][0]) == {"r2r": 18, "pointnav": 6}[benchmark]
    assert {line["status"] for line in alone[benchmark][0]} == {"ok"}


def test_people_and_perturbations_change_what_is_walked(worlds, alone, tmp_path):
    clean = [override for override in worlds["pointnav"] if override not in HARD]
    assert run(tmp_path / "clean", "pointnav", clean)[1] != alone["pointnav"][1]


@pytest.mark.soak
@pytest.mark.parametrize("benchmark", AGENTS)
@pytest.mark.parametrize("protocol", ["local", "rest", "grpc"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("sessions", [1, 8, 32])
def test_no_combination_changes_a_record(worlds, alone, tmp_path, benchmark, protocol, workers, sessions):
    overrides = [*worlds[benchmark], *parallel(workers, sessions)]
    assert run(tmp_path / "run", benchmark, overrides, protocol) == alone[benchmark]


class Counting(DigestAgent):
    """Notes how many agents act at once."""

    lock = threading.Lock()
    acting = most = 0

    def act(self, observation):
        with Counting.lock:
            Counting.acting += 1
            Counting.most = max(Counting.most, Counting.acting)
        threading.Event().wait(0.005)
        with Counting.lock:
            Counting.acting -= 1
        return super().act(observation)


def test_the_services_limit_holds_over_all_workers_and_changes_no_record(worlds, alone, tmp_path):
    with start(Counting, protocol="grpc", port=0, max_sessions=3) as server:
        remote = ["agent_service.type=remote", "agent_service.protocol=grpc", "agent_service.secret=s3"]
        overrides = [*worlds["r2r"], *remote, f"agent_service.endpoint={server.endpoint}", *parallel(2, 8)]
        run_benchmark(benchmark_config("r2r", overrides=overrides), tmp_path / "run")
    assert records(tmp_path / "run") == alone["r2r"][0]
    assert 2 <= Counting.most <= 3


def test_an_agent_object_cannot_be_sent_to_workers(worlds):
    with pytest.raises(ConfigError, match="MODULE:CLASS"):
        evaluate("r2r", agent=DigestAgent, overrides=[*worlds["r2r"], *parallel(2, 1)])


def test_an_episode_that_kills_its_worker_is_recorded_and_the_others_are_not_harmed(worlds, alone, tmp_path):
    overrides = [
        *worlds["r2r"],
        *parallel(2, 3),
        "agent_service.agent='end_to_end.agents:DeadlyAgent'",
        "agent_service.secret=s3",
    ]
    evaluated = run_benchmark(benchmark_config("r2r", overrides=overrides), tmp_path / "run")
    lines = records(tmp_path / "run")
    assert evaluated.results.statuses == {"ok": 16, "worker_crash": 2}
    crashed = [line for line in lines if line["status"] == "worker_crash"]
    assert {line["episode_id"] for line in crashed} == {"4_0", "4_1"}
    assert all(line["metrics"] == {} and "SIGKILL" in line["failure_reason"] for line in crashed)
    assert (evaluated.results.n_failed, evaluated.results.lost) == (0, 2)
    submitted = {row["instr_id"] for row in json.loads((tmp_path / "run" / "submission.json").read_text())}
    assert submitted == {line["episode_id"] for line in lines if line["status"] == "ok"}
    assert [line for line in lines if line["status"] == "ok"] == [
        line for line in alone["r2r"][0] if line["episode_id"] not in ("4_0", "4_1")
    ]


class Noticed(DigestAgent):
    """Tells how often it was asked, over all sessions."""

    asked = threading.Semaphore(0)

    def act(self, observation):
        Noticed.asked.release()
        time.sleep(0.005)
        return super().act(observation)


def stop_after(server, count):
    """Stop a service of Noticed agents when it was asked so often."""
    for _ in range(count):
        Noticed.asked.acquire(timeout=PATIENCE)
    server.stop()


def run_while_restarting(overrides, run, protocol):
    """A service that goes away twice in the middle of episodes, and comes back empty on the same port."""
    Noticed.asked = threading.Semaphore(0)
    server = start(Noticed, protocol=protocol, port=0, max_sessions=4)
    served = [server]
    remote = ["agent_service.type=remote", f"agent_service.protocol={protocol}", "agent_service.secret=s3"]
    overrides = [*overrides, *remote, f"agent_service.endpoint={server.endpoint}", *parallel(1, 4)]

    def restart_twice():
        for _ in range(2):
            stop_after(served[-1], 9)
            served.append(start(Noticed, protocol=protocol, port=server.port, max_sessions=4))

    restarting = threading.Thread(target=restart_twice)
    restarting.start()
    try:
        return run_benchmark(benchmark_config("r2r", overrides=overrides), run)
    finally:
        restarting.join()
        served[-1].stop()


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_service_that_is_restarted_costs_nothing(worlds, alone, tmp_path, protocol):
    run_while_restarting(worlds["r2r"], tmp_path / "run", protocol)
    assert records(tmp_path / "run") == alone["r2r"][0]


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_without_restarts_a_restart_costs_the_episodes_in_flight_and_no_others(worlds, alone, tmp_path, protocol):
    overrides = [*worlds["r2r"], "agent_service.episode_restarts=0"]
    results = run_while_restarting(overrides, tmp_path / "run", protocol).results
    lost = results.statuses["service_unavailable"]
    assert 1 <= lost <= 8
    assert results.statuses == {"ok": 18 - lost, "service_unavailable": lost}
    lines = [json.loads(line) for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()]
    assert not any("restarts" in line["timing"] for line in lines)
    whole = {line["episode_id"]: line for line in alone["r2r"][0]}
    kept = [line for line in records(tmp_path / "run") if line["status"] == "ok"]
    assert kept == [whole[line["episode_id"]] for line in kept]


def test_without_restarts_a_lost_episode_has_failed_even_if_the_service_stays_away(worlds, tmp_path):
    Noticed.asked = threading.Semaphore(0)
    server = start(Noticed, protocol="rest", port=0, max_sessions=2)
    remote = ["agent_service.type=remote", f"agent_service.endpoint={server.endpoint}"]
    patience = ["agent_service.episode_restarts=0", "agent_service.deadlines.ready=2"]
    config = benchmark_config("r2r", overrides=[*worlds["r2r"], *remote, *patience, *parallel(1, 2)])
    stopping = threading.Thread(target=stop_after, args=(server, 9))
    stopping.start()
    with pytest.raises(ServiceUnavailable, match="--resume"):
        run_benchmark(config, tmp_path / "run")
    stopping.join()
    lines = records(tmp_path / "run")
    lost = [line for line in lines if line["status"] == "service_unavailable"]
    assert 1 <= len(lost) <= 2
    assert all(line["metrics"]["success"] == 0.0 for line in lost)
    assert len(lines) < 18


def test_a_service_that_stays_away_ends_the_run_with_what_is_finished(worlds, alone, tmp_path):
    Noticed.asked = threading.Semaphore(0)
    server = start(Noticed, protocol="rest", port=0, max_sessions=2)
    remote = ["agent_service.type=remote", "agent_service.secret=s3", "agent_service.deadlines.ready=2"]
    overrides = [*worlds["r2r"], *remote, *parallel(1, 2)]
    config = benchmark_config("r2r", overrides=[*overrides, f"agent_service.endpoint={server.endpoint}"])
    stopping = threading.Thread(target=stop_after, args=(server, 9))
    stopping.start()
    with pytest.raises(ServiceUnavailable, match="--resume") as caught:
        run_benchmark(config, tmp_path / "run")
    assert caught.value.exit_code == 3
    stopping.join()
    with RunDirectory(tmp_path / "run") as directory:
        directory.open_for_reading()
        assert len(directory.journal.finished()) < 18
    with start(DigestAgent, protocol="rest", port=0, max_sessions=2) as again:
        config = benchmark_config("r2r", overrides=[*overrides, f"agent_service.endpoint={again.endpoint}"])
        run_benchmark(config, tmp_path / "run", resume=True)
    assert records(tmp_path / "run") == alone["r2r"][0]


def test_videos_with_workers_are_refused_before_anything_is_written(worlds, tmp_path):
    overrides = [*worlds["r2r"], "output.video=all", "agent_service.agent=stop", *parallel(2, 2)]
    with pytest.raises(ConfigError, match=r"evaluation\.parallel\.workers=1"):
        run_benchmark(benchmark_config("r2r", overrides=overrides), tmp_path / "run")
    assert not (tmp_path / "run").exists()
