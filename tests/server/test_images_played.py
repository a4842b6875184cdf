"""Teams' container images on a real engine: played, confined, bounded, removed. As root, where cgroups let it limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nav_eval.errors import ConfigError
from nav_eval.results.audit import check_files
from nav_eval_server.challenge import Images
from nav_eval_server.folder import Folder
from nav_eval_server.images import engine
from nav_eval_server.images.loading import IMAGES as LOADED
from nav_eval_server.models import Attempt, Episode, Submission, Team, Token
from nav_eval_server.queue.states import State
from nav_eval_server.tokens import issue
from patience import PATIENCE, until
from server.competition import DATES, evaluation
from server.conftest import Make
from server.image_file import python_layer, save
from server.serving import Served, serving

pytestmark = pytest.mark.soak
AGENT = """
import os, pathlib, socket, sys, threading, time
from nav_eval_sdk.examples.random_agent import RandomAgent


class Good(RandomAgent):
    def __init__(self):
        super().__init__()
        for place in (("10.0.2.2", 53), ("1.1.1.1", 53)):
            try:
                socket.create_connection(place, 2)
                print("reached", place, flush=True)
            except OSError as error:
                print("no network:", error.strerror, flush=True)
        for name in ("/app/x", "/x", "/usr/x"):
            try:
                pathlib.Path(name).write_text("x")
                print("wrote", name, flush=True)
            except OSError:
                pass
        pathlib.Path("/tmp/x").write_text("x")
        told = pathlib.Path("/proc/self/status").read_text()
        status = dict(line.split(":\\t", 1) for line in told.splitlines())
        print(os.getuid(), status["CapBnd"], status["NoNewPrivs"], flush=True)


class Talking(RandomAgent):
    def reset(self, episode):
        super().reset(episode)
        threading.Thread(target=self.talk, daemon=True).start()

    def talk(self):
        while True:
            print("x" * 1000, flush=True)


class Hanging(RandomAgent):
    def act(self, observation):
        time.sleep(10000)


class Crashing(RandomAgent):
    def act(self, observation):
        print("on my way", flush=True)
        os._exit(7)


class Eating(RandomAgent):
    def act(self, observation):
        self.eaten = [bytearray(os.urandom(1 << 20)) for _ in range(2000)]


class Forking(RandomAgent):
    def __init__(self):
        while True:
            try:
                if not os.fork():
                    time.sleep(10000)
            except OSError:
                time.sleep(0.1)


class Endless(RandomAgent):
    def __init__(self):
        time.sleep(10000)
"""
SERVE = ("nav-eval-agent", "serve")
IMAGES = {
    "good": (*SERVE, "agent:Good"),
    "grpc": (*SERVE, "agent:Good", "--protocol", "grpc", "--host", "0.0.0.0"),
    "talking": (*SERVE, "agent:Talking"),
    "hanging": (*SERVE, "agent:Hanging"),
    "crashing": (*SERVE, "agent:Crashing"),
    "raising": ("nav-eval-agent", "serve", "agent:Absent"),
    "eating": (*SERVE, "agent:Eating"),
    "forking": (*SERVE, "agent:Forking"),
    "endless": (*SERVE, "agent:Endless"),
    "nothing": ("no-such-command",),
}
ENDS = {
    "good": (State.DONE, "", ""),
    "grpc": (State.DONE, "", ""),
    "talking": (State.DONE, "", ""),
    "hanging": (State.FAILED, "service_lost", ""),
    "crashing": (State.FAILED, "image_ended", "7"),
    "raising": (State.FAILED, "image_ended", "2"),
    "eating": (State.FAILED, "image_memory", "0.5"),
    "forking": (State.FAILED, "image_silent", "20"),
    "endless": (State.FAILED, "image_silent", "20"),
    "nothing": (State.FAILED, "image_unfit", "its command could not be started."),
}
OTHER_RUNTIME = """
[engine]
runtime = "runc"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
"""
RULES = {"memory_gb": 0.5, "cpus": 1, "pids": 64, "size_gb": 1, "keep": 20, "ready_seconds": 20}
PHASE = DATES | {"split": "val", "images": "also", "quota": {"per_day": 100, "concurrent": 100}}
SETTINGS = {"phases": {"dev": PHASE}, "images": RULES, "queue": {"breaker": 1}, "endpoints": {"retry_seconds": 1}}


@pytest.fixture
def competition(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    patience = {"timeout": 3, "episode_restarts": 0, "deadlines": {"ready": 10, "reset": 10}}
    service = evaluation()["agent_service"] | patience
    challenge = make(**SETTINGS, evaluation={"agent_service": service}, web={"upload_mb": 8})
    have_engine(challenge.images, tmp_path / "containers.conf", monkeypatch)
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    (tmp_path / "token").write_text(issue(Token.Scope.TEAM, "at home", aurora))
    (tmp_path / "token").chmod(0o600)
    with serving(challenge) as served:
        until(lambda: served.healthz() == 200, "healthz")
        yield served
    assert containers() == ""
    for note in (Folder(challenge.folder).work / LOADED).iterdir():
        subprocess.run(["podman", "rmi", note.read_text()], check=True, stdout=subprocess.DEVNULL)


def have_engine(rules: Images, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's podman as it is set up, else with another runtime and within this process's limits."""
    engine.probe.cache_clear()  # of a test that has set it up for itself
    try:
        engine.refuse(rules)
    except ConfigError:
        file.write_text(OTHER_RUNTIME)
        monkeypatch.setenv("CONTAINERS_CONF", str(file))
        try:
            engine.refuse(rules)
        except ConfigError as error:
            pytest.skip(str(error))


def test_two_processes_may_probe_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have_engine(Images(), tmp_path / "containers.conf", monkeypatch)
    with ThreadPoolExecutor(3) as pool:
        assert len({*pool.map(engine.probe.__wrapped__, 3 * [Images()])}) == 1


def containers() -> str:
    return subprocess.run(
        ["podman", "ps", "-aq", f"--filter=label={engine.LABEL}"], check=True, capture_output=True, text=True
    ).stdout


def agent(served: Served, folder: Path, *words: object) -> str:
    """What a command of the team says on stdout."""
    there = ["--server", served.url, "--token-file", str(folder / "token")]
    command = [sys.executable, "-m", "nav_eval_sdk", *map(str, words), *there]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=PATIENCE).stdout


def test_every_image_ends_as_it_deserves(competition: Served, tmp_path: Path) -> None:
    layer, made = python_layer(AGENT), {}
    for name, command in IMAGES.items():
        archive = tmp_path / f"{name}.tar"
        sha256 = save(archive, layer, command, Volumes={"/cache": {}})
        assert f"sha256:{sha256} has arrived." in agent(competition, tmp_path, "push", archive)
        archive.unlink()
        made[name] = json.loads(agent(competition, tmp_path, "submit", name, "--json"))["id"]
    until(lambda: not Submission.objects.filter(state__in=("queued", "running", "waiting_service")).exists(), "all")
    found = {row.id: (row.state, row.why, row.detail) for row in Submission.objects.all()}
    assert {name: found[one] for name, one in made.items()} == ENDS, list(Attempt.objects.values())
    for name in ("good", "grpc", "talking"):
        assert set(Episode.objects.filter(submission=made[name]).values_list("status", flat=True)) == {"ok"}
        assert check_files(competition.folder / "state" / "runs" / made[name]) == []
    said = {name: log(competition, tmp_path, one) for name, one in made.items() if name != "nothing"}
    assert "10001 0000000000000000 1\n" in said["good"]
    assert said["good"].count("no network:") == 2
    assert "reached" not in said["good"]
    assert "wrote" not in said["good"]
    assert "on my way" in said["crashing"]
    assert len(said["talking"]) == 64 << 10


def log(served: Served, folder: Path, submission: str) -> str:
    """As the team reads it."""
    agent(served, folder, "status", submission, "--save", folder / submission)
    return (folder / submission / "agent.txt").read_text()


@pytest.mark.parametrize(("end", "number"), [(os.kill, signal.SIGKILL), (os.killpg, signal.SIGINT)])
def test_a_worker_that_ends_leaves_no_container_and_fails_no_run(
    competition: Served, tmp_path: Path, end: Callable[[int, int], None], number: int
) -> None:
    save(tmp_path / "endless.tar", python_layer(AGENT), IMAGES["endless"])
    agent(competition, tmp_path, "push", tmp_path / "endless.tar")
    submission = agent(competition, tmp_path, "submit", "endless", "--json")
    until(containers, "a container")
    before = containers()
    end(competition.pids()["worker"], number)
    until(lambda: containers() not in ("", before), "another container in the place of that")
    assert len(containers().split()) == 1
    agent(competition, tmp_path, "cancel", json.loads(submission)["id"])
    until(lambda: not containers(), "the end")
