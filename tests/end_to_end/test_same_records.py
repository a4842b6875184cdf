"""Whatever the concurrency or the wire, and whatever happens on the way, an agent leaves the same records."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from functools import partial
from itertools import product

import pytest

from api.lossy import Fate, lossy_grpc, lossy_rest
from end_to_end.agents import DigestAgent, GpsAgent
from end_to_end.processes import limited, started
from nav_eval.results.journal import Journal
from nav_eval_sdk import start
from patience import PATIENCE, until
from playing import lines, play, records, remote
from rooms import write_room

AGENTS = {"r2r": DigestAgent, "pointnav": GpsAgent}
HARD = [
    "perturbations=[{name: pose_drift, severity: 3}, {name: depth_noise}, {name: dropped_frames, severity: 2}]",
    "simulator.people={count: 3, options: {crossing: 1.0}}",
]
"""Drawn for each episode. The agents decide by a digest of all that they saw: one other bit leads elsewhere."""
WIRES = ("rest-json", "rest-msgpack", "grpc-unary", "grpc-stream")


@pytest.fixture(scope="module")
def worlds(world, tmp_path_factory):
    agent = ["agent_service.agent='end_to_end.agents:GpsAgent'", "agent_service.secret=s3"]
    return {"r2r": world, "pointnav": [*write_room(tmp_path_factory.mktemp("rooms"), scenes=2), *agent, *HARD]}


def both(folder):
    return [records(folder, name) for name in ("episodes.jsonl", "trajectories.jsonl")]


@pytest.fixture(scope="module")
def alone(worlds, journals, tmp_path_factory):
    """Both journals of each benchmark played in one session."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    play(folder, worlds["pointnav"], "pointnav")
    return {"r2r": journals, "pointnav": both(folder)}


def concurrent(folder, overrides, benchmark="r2r", wire="local", workers=1, sessions=1):
    overrides = [*overrides, f"evaluation.parallel={{workers: {workers}, sessions: {sessions}}}"]
    if wire == "local":
        play(folder, overrides, benchmark)
        return
    protocol, encoding = wire.split("-")
    with start(AGENTS[benchmark], protocol=protocol, port=0, max_sessions=32) as server:
        play(folder, [*overrides, *remote(server.endpoint, protocol, encoding)], benchmark)


def lossy(folder, overrides, wire, seed=1):
    """A tenth of all answers are dropped, delayed or doubled on the way."""
    protocol, encoding = wire.split("-")
    proxy, fate = {"rest": lossy_rest, "grpc": lossy_grpc}[protocol], Fate(0.1, seed)
    with (
        start(DigestAgent, protocol=protocol, port=0, max_sessions=4, idle_timeout=2.0) as server,
        proxy(server.endpoint, fate) as endpoint,
    ):
        more = ["agent_service.retries=5", "evaluation.parallel.sessions=4"]
        play(folder, [*overrides, *remote(endpoint, protocol, encoding), *more])
    assert min(fate.happened[one] for one in ("drop", "delay", "double")) >= 1


def killed(folder, overrides, workers, times, seed=0, most=0.2):
    """SIGKILL, a moment after another episode has been finished, so many times. How often each was shown is marked."""
    journal = folder / "episodes.jsonl"
    parallel = f"evaluation.parallel={{workers: {workers}, sessions: 2}}"
    for number in range(seed, seed + times):
        process = started(folder, [*overrides, parallel])
        before = journal.stat().st_size if journal.exists() else 0
        while process.poll() is None and not (journal.exists() and journal.stat().st_size > before):
            time.sleep(0.01)
        time.sleep(random.Random(number).uniform(0.0, most))
        process.kill()
        process.wait()
    play(folder, overrides, resume=True)
    shown = Counter(line["episode_id"] for line in lines(folder, "tries.jsonl"))
    marked = {line["episode_id"]: line["timing"] for line in lines(folder)}
    counts = {name: (timing.get("tries", 1), timing.get("resumes", 0)) for name, timing in marked.items()}
    assert counts == {name: (count, count - 1) for name, count in shown.items()}


def interrupted(folder, overrides, workers):
    """Ctrl+C."""
    process = started(folder, [*overrides, f"evaluation.parallel.workers={workers}"])
    until(lambda: lines(folder), "a first episode")
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "--resume continues the run" in said
    assert "Traceback" not in said
    play(folder, overrides, resume=True)


def truncated(folder, overrides):
    """Its last line is."""
    play(folder, overrides, agent=DigestAgent)
    path = folder / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    play(folder, overrides, resume=True, agent=DigestAgent)


def out_of_room(folder, overrides):
    """A file may grow no more."""
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, resource.RLIM_INFINITY))"
    done = limited(limit, folder, overrides)
    assert done.returncode == 4
    assert ".jsonl: " in done.stderr
    assert 0 < len(Journal(folder).finished()) < 18
    play(folder, overrides, resume=True)


WAYS = {
    "two workers": partial(concurrent, workers=2, sessions=4),
    "a service": partial(concurrent, wire="rest-json", sessions=32),
    **{f"lossy {wire}": partial(lossy, wire=wire) for wire in WIRES},
    "killed": partial(killed, workers=1, times=3),
    "killed with its workers": partial(killed, workers=2, times=2),
    "interrupted": partial(interrupted, workers=1),
    "interrupted with its workers": partial(interrupted, workers=2),
    "truncated": truncated,
    "out of room": out_of_room,
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_the_end_changes_a_record(world, journals, tmp_path, way):
    WAYS[way](tmp_path / "run", world)
    assert both(tmp_path / "run") == journals
    assert len(journals[0]) == 18
    assert {line["status"] for line in journals[0]} == {"ok"}


@pytest.mark.parametrize(("wire", "workers", "sessions"), [("local", 2, 2), ("grpc-stream", 1, 8)])
def test_people_and_perturbations_are_the_same_for_every_session(worlds, alone, tmp_path, wire, workers, sessions):
    concurrent(tmp_path / "run", worlds["pointnav"], "pointnav", wire, workers, sessions)
    assert both(tmp_path / "run") == alone["pointnav"]
    assert [line["status"] for line in alone["pointnav"][0]] == ["ok"] * 6


def test_people_and_perturbations_change_what_is_walked(worlds, alone, tmp_path):
    play(tmp_path / "clean", [override for override in worlds["pointnav"] if override not in HARD], "pointnav")
    assert records(tmp_path / "clean", "trajectories.jsonl") != alone["pointnav"][1]


@pytest.mark.soak
@pytest.mark.parametrize("benchmark", AGENTS)
@pytest.mark.parametrize("wire", ["local", "rest-json", "grpc-stream"])
@pytest.mark.parametrize(("workers", "sessions"), [*product([1, 2], [1, 8, 32])])
def test_no_combination_changes_a_record(worlds, alone, tmp_path, benchmark, wire, workers, sessions):
    concurrent(tmp_path / "run", worlds[benchmark], benchmark, wire, workers, sessions)
    assert both(tmp_path / "run") == alone[benchmark]


@pytest.mark.soak
@pytest.mark.parametrize("wire", WIRES)
def test_lossy_wires_again_and_again(world, undisturbed, tmp_path, wire):
    for seed in range(15):
        lossy(tmp_path / str(seed), world, wire, seed)
        assert records(tmp_path / str(seed)) == undisturbed, seed


@pytest.mark.soak
def test_fifty_killed_runs(world, undisturbed, tmp_path):
    for run in range(50):
        killed(tmp_path / str(run), world, random.Random(run).choice([1, 2]), times=1, seed=run, most=0.4)
        assert records(tmp_path / str(run)) == undisturbed, run
