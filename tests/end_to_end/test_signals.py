"""Real signals to evaluators and services: what becomes of slots, episodes and exit codes, and who waits for whom."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest

from end_to_end.agents import DigestAgent
from forked import Running
from graphs import item, node, write_r2r
from nav_eval.core.stopping import SECONDS_BETWEEN_STEPS
from nav_eval_sdk import TestClient, start
from nav_eval_sdk.client import synthetic_episode
from nav_eval_sdk.protocol.messages import ActionSpec, TextSpec
from patience import PATIENCE, until
from playing import document, lines, play, remote

NAV_EVAL = [sys.executable, "-c", "from nav_eval.cli import main; main()"]
PARALLEL = {
    1: ["evaluation.parallel.sessions=2"],
    2: ["evaluation.parallel.workers=2", "evaluation.parallel.sessions=1"],
    "ray": ["evaluation.parallel.executor=ray", "evaluation.parallel.workers=2", "evaluation.parallel.sessions=1"],
}


class Thinker(DigestAgent):
    """Thinks from the second step on until it is let go; counts who was begun."""

    free = threading.Event()
    thinking = threading.Event()
    begun: ClassVar[Counter[str]] = Counter()

    def reset(self, episode):
        super().reset(episode)
        Thinker.begun[episode["episode_id"]] += 1

    def act(self, observation):
        if self._steps:
            Thinker.thinking.set()
            Thinker.free.wait(PATIENCE)
        return super().act(observation)


@pytest.fixture
def world(tmp_path):
    paths = [[node(x, y), node(x + 1, y), node(x + 2, y)] for x in range(2) for y in range(2)]
    items = [item(number, path, ["Walk.", "Go on."]) for number, path in enumerate(paths)]
    return [*write_r2r(tmp_path, items=items), "agent_service.secret=s3"]


@pytest.fixture(params=["rest", "grpc"])
def service(request):
    Thinker.free.clear()
    Thinker.thinking.clear()
    Thinker.begun.clear()
    with start(Thinker, protocol=request.param, port=0, max_sessions=2, idle_timeout=PATIENCE).wait_loaded() as server:
        server.protocol = request.param
        yield server
        Thinker.free.set()


@contextmanager
def cluster(workers):
    """For "ray": a cluster of our own, of which the key of its address is yielded."""
    if workers != "ray":
        yield []
        return
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    utils = pytest.importorskip("ray.cluster_utils")
    made = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    try:
        yield [f"evaluation.parallel.address='{made.address}'"]
    finally:
        made.shutdown()


def overrides(world, service, workers):
    return [*world, *remote(service.endpoint, service.protocol), "agent_service.episode_restarts=0", *PARALLEL[workers]]


def started(folder, options):
    return Running("run", "r2r", *options, "--out", folder, "--quiet")


def sessions(service):
    """How many the service holds, as it says itself."""
    client = TestClient(service.endpoint, wire="rest-json" if service.protocol == "rest" else "grpc-unary")
    try:
        return int(client.health().detail.split()[0])
    finally:
        client.close()


SOON = 60
"""Seconds: three where nothing else is running. An agent thinks for ten minutes."""


def await_free(service):
    begun = time.monotonic()
    until(lambda: not sessions(service), "no session")
    assert time.monotonic() - begun < SOON


def all_thinking(count):
    """Both workers are there, and their agents think."""
    assert Thinker.thinking.wait(PATIENCE)
    until(lambda: len(Thinker.begun) >= count, "episodes")


def drain(process):
    """Until it says that it does, and its workers know."""
    process.send_signal(signal.SIGUSR1)
    assert "draining: the running episodes are finished" in process.stderr.readline()
    time.sleep(2)  # the process says it first and tells its workers then; all agents are held meanwhile


def resume(world, service, folder):
    """To the end. What the evaluator had cut short is marked, and has cost no restart."""
    finished, shown = (
        [line["episode_id"] for line in lines(folder, name)] for name in ("episodes.jsonl", "tries.jsonl")
    )
    cut_short = [name for name in shown if name not in finished]
    Thinker.free.set()
    results = play(folder, overrides(world, service, 1), resume=True).results
    assert results.statuses == {"ok": 8}
    assert results.resumed == len(cut_short)
    marked = {line["episode_id"]: line["timing"] for line in lines(folder) if "tries" in line["timing"]}
    assert sorted(marked) == sorted(cut_short)
    assert all((timing["tries"], timing["resumes"], timing["restarts"]) == (2, 1, 0) for timing in marked.values())
    return cut_short


@pytest.mark.parametrize(
    ("service", "workers"),
    [
        ("rest", 1),
        ("grpc", 2),
        pytest.param("rest", 2, marks=pytest.mark.soak),
        pytest.param("grpc", 1, marks=pytest.mark.soak),
        pytest.param("rest", "ray", marks=pytest.mark.soak),
    ],
    indirect=["service"],
)
def test_sigterm_ends_the_sessions_at_the_service(world, service, tmp_path, workers):
    """Although both agents think, and will for long."""
    with cluster(workers) as address:
        process = started(tmp_path / "run", [*overrides(world, service, workers), *address])
        all_thinking(2)
        process.terminate()
        await_free(service)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143, said
    assert said.splitlines()[-1] == "nav-eval: stopped. What was finished is safe; --resume continues the run."
    assert "Traceback" not in said
    assert "service_unavailable" not in said
    assert 1 <= len(resume(world, service, tmp_path / "run")) <= 2


@pytest.mark.parametrize("numbers", [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)])
@pytest.mark.parametrize("service", ["rest"], indirect=True)
def test_a_second_signal_ends_at_once(world, service, tmp_path, numbers):
    process = started(tmp_path / "run", overrides(world, service, 1))
    assert Thinker.thinking.wait(PATIENCE)
    begun = time.monotonic()
    process.send_signal(numbers[0])
    time.sleep(0.2)
    process.send_signal(numbers[1])
    # On a machine that stood still the first one has its way.
    in_time = time.monotonic() - begun < SECONDS_BETWEEN_STEPS
    assert process.wait(PATIENCE) == 128 + numbers[-1]
    said = process.stderr.read()
    assert "Traceback" not in said
    assert not in_time or "stopped" not in said  # which is what a first signal alone ends with


@pytest.mark.parametrize("service", ["rest"], indirect=True)
def test_workers_of_a_killed_evaluator_end_their_sessions(world, service, tmp_path):
    process = started(tmp_path / "run", overrides(world, service, 2))
    assert Thinker.thinking.wait(PATIENCE)
    # A worker says what it shows before it does; the evaluator, which writes it down, may come later than the agent.
    until(lambda: lines(tmp_path / "run", "tries.jsonl"), "an attempt noted")
    process.kill()
    await_free(service)
    process.communicate()
    assert 1 <= len(resume(world, service, tmp_path / "run")) <= 2


@pytest.mark.parametrize(
    ("service", "workers"),
    [("rest", 1), ("grpc", 2), pytest.param("rest", "ray", marks=pytest.mark.soak)],
    indirect=["service"],
)
def test_drained_finishes_what_runs_and_begins_nothing(world, service, tmp_path, workers):
    with cluster(workers) as address:
        process = started(tmp_path / "run", [*overrides(world, service, workers), *address])
        all_thinking(2)
        drain(process)
        assert process.poll() is None
        Thinker.free.set()
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGUSR1
    assert said.splitlines()[-1] == "nav-eval: drained: what had begun is finished. --resume plays the rest."
    assert {line["status"] for line in lines(tmp_path / "run")} == {"ok"}
    assert len(lines(tmp_path / "run")) == len(Thinker.begun) == 2
    assert sessions(service) == 0
    assert resume(world, service, tmp_path / "run") == []
    assert set(Thinker.begun.values()) == {1}


@pytest.mark.parametrize("service", ["rest"], indirect=True)
def test_drained_when_nothing_is_left_is_a_finished_run(world, service, tmp_path):
    process = started(tmp_path / "run", [*overrides(world, service, 1), "dataset.limit=2"])
    all_thinking(2)
    drain(process)
    Thinker.free.set()
    assert process.wait(PATIENCE) == 0
    assert document(tmp_path / "run")["n_episodes"] == 2


@pytest.mark.soak
def test_a_demonstration_that_is_stopped_leaves_no_process(tmp_path):
    out = tmp_path / "demo"
    process = subprocess.Popen(
        [*NAV_EVAL, "demo", "--quick", "--out", str(out)], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.poll() is None and not (out / "random" / "episodes.jsonl").exists():
        time.sleep(0.05)
    process.terminate()
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    assert "Traceback" not in said
    # Python's own helper processes end when they see their parent gone, not before it.
    until(lambda: not _alive(process.pid), "no process of its group")


def _alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_the_shell_ignores_stays_ignored(tmp_path, ignored):
    """nohup, and a shell's background jobs."""
    code = "import os, signal\nfrom nav_eval.core.stopping import heeded\n"
    code += f"with heeded():\n    os.kill(os.getpid(), {int(ignored)})\nprint('went on')"
    shell = f'trap "" {ignored.name.removeprefix("SIG")}; exec "$0" -c "$1"'
    done = subprocess.run(["sh", "-c", shell, sys.executable, code], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("went on\n", "", 0)


TESTS = Path(__file__).parents[1]
GRANTED = 20.0
"""Seconds: one where nothing else is running; an evaluator that may still come back is waited for thirty."""


@contextmanager
def serving(protocol, seconds):
    """A service whose agent thinks so long, as its process and its endpoint."""
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", "end_to_end.agents:Turner", "--port", "0"]
    with subprocess.Popen(
        [*command, "--protocol", protocol], cwd=TESTS, env=os.environ | {"SECONDS": str(seconds)},
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            line = process.stderr.readline()
            assert line.startswith("Serving at "), line
            endpoint = line.split()[-1].rstrip(".")
            until_says(protocol, endpoint, lambda health: health.status == "ready")
            yield process, endpoint
        finally:
            process.kill()


@contextmanager
def evaluating(folder, protocol, endpoint):
    """A run without end."""
    endless = ["evaluation.max_steps=1000000", "agent_service.timeout=300", "--quiet", "--out", folder / "run"]
    process = Running("run", "r2r", *write_r2r(folder), *remote(endpoint, protocol), *endless)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until_says(protocol, endpoint, expected):
    """Until the service's health is as expected."""
    client = TestClient(endpoint, wire="rest-json" if protocol == "rest" else "grpc-unary")
    until(lambda: expected(client.health()), "the service's health")
    client.close()


@pytest.mark.parametrize("seconds", [0.01, 60], ids=["between two steps", "while the agent thinks"])
@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_service_does_not_wait_for_an_evaluator_that_was_killed(protocol, seconds, tmp_path):
    with serving(protocol, seconds) as (service, endpoint), evaluating(tmp_path, protocol, endpoint) as evaluator:
        until_says(protocol, endpoint, lambda health: health.detail.startswith("1 "))
        time.sleep(1)
        evaluator.kill()
        evaluator.wait()
        service.send_signal(signal.SIGTERM)
        assert service.wait(GRANTED) == 0


def played(client, pauses, *, keeps):
    """Act after each pause; whether the connection is kept meanwhile."""
    for pause in pauses:
        if not keeps:
            client.close()
        time.sleep(pause)
        assert client.act({"x": "a"}).action == "turn_left"


@pytest.mark.parametrize(
    ("wire", "keeps"), [("rest-json", True), ("grpc-stream", True), ("rest-json", False), ("grpc-unary", False)]
)
def test_an_evaluator_that_lives_is_waited_for(wire, keeps):
    """One that is slow and holds its connection, and one that is quick and opens one for each call."""
    with serving(wire.split("-")[0], 0) as (service, endpoint):
        client = TestClient(endpoint, wire=wire)
        client.reset(synthetic_episode({"x": TextSpec()}, {"turn_left": ActionSpec()}))
        played(client, [0], keeps=True)
        service.send_signal(signal.SIGTERM)
        played(client, [3] if keeps else [0.4] * 7, keeps=keeps)
        assert service.poll() is None
        client.end()
        client.close()
        assert service.wait(GRANTED) == 0
