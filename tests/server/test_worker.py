"""What a worker does when the server is away, hangs, or takes an attempt back. The server is a double."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nav_eval.errors import InputError
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server import disk
from nav_eval_server.evaluator import COMMAND
from nav_eval_server.images import engine
from nav_eval_server.parent_death import killed_with_parent
from nav_eval_server.queue.client import Away, Fenced, Server
from nav_eval_server.queue.play import Play, without_folders
from nav_eval_server.queue.probe import parsed
from nav_eval_server.queue.run_folder import RunFolder
from nav_eval_server.queue.worker import Worker
from patience import until
from server.image_file import add, save

TICKING = """
import pathlib, signal, sys, time
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(138))
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
out.mkdir(parents=True, exist_ok=True)
for n in range(500):
    with (out.parent / "alive").open("a") as file:
        file.write(f"{time.monotonic()}\\n")
    with (out / "episodes.jsonl").open("a") as file:
        file.write('{"scene_id": "s", "episode_id": "%d"}\\n' % n)
    time.sleep(0.02)
"""
"""An evaluator that never ends and says when it was last alive."""
LEASE = 4.0


class Double:
    """A server in memory. `heartbeat` and `upload` do what the test says."""

    def __init__(self, heartbeat: Callable[[], None] = lambda: None) -> None:
        self.arrived: dict[str, bytes] = {}
        self.endings: list[Mapping[str, Any]] = []
        self.claims: list[dict[str, Any]] = []
        self.images: list[bool] = []
        self._heartbeat = heartbeat

    def heartbeat(self, attempt: int, fence: int, total: int | None) -> None:
        self._heartbeat()

    def image(self, attempt: int, fence: int, offset: int) -> bytes:
        return self.arrived["image"][offset:]

    def files(self, attempt: int, fence: int) -> list[dict[str, Any]]:
        return [
            {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in self.arrived.items()
        ]

    def download(self, attempt: int, fence: int, name: str) -> bytes:
        return self.arrived[name]

    def upload(self, attempt: int, fence: int, name: str, offset: int, data: bytes, whole: int | None = None) -> int:
        self.arrived[name] = self.arrived.get(name, b"")[:offset] + data
        return len(self.arrived[name])

    def hello(self, instance: str) -> None:
        pass

    def claim(self, instance: str, *, images: bool) -> dict[str, Any] | None:
        self.images.append(images)
        return self.claims.pop() if self.claims else None

    def finish(self, attempt: int, ending: Mapping[str, Any]) -> str:
        self.endings.append(ending)
        return "queued"


def claim_of(protocol: str, url: str, **more: Any) -> dict[str, Any]:
    """What the server says of a run; all of it is allowed."""
    return {
        "attempt": 1, "fence": 1, "submission": "abc", "kind": "service", "evaluation": "{}", "overrides": [],
        "log": False, "protocol": protocol, "url": url, "token": "t", "networks": ["loopback"], "ports": ["1-65535"],
        "lease_seconds": LEASE, "probe_seconds": 2.0, "patience_seconds": 60.0,
    } | more  # fmt: skip


def play(
    server: Double,
    work: Path,
    url: str,
    *,
    stop: threading.Event | None = None,
    command: Sequence[str] = (),
    **more: object,
) -> Play:
    """`more`: of the claim."""
    script = work / "ticking.py"
    script.write_text(TICKING)
    options: Any = {"command": command or [sys.executable, str(script)], "stop": stop or threading.Event()}
    claim = claim_of("rest", url, **more)
    return Play(server, claim, work=work, data=work, tick=0.1, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def agent() -> Any:
    with start(RandomAgent, protocol="rest", port=0, token="t") as served:
        yield served.endpoint


def last_alive(work: Path) -> float:
    """0 before it has begun."""
    told = work / "abc" / "alive"
    lines = told.read_text().rpartition("\n")[0].splitlines() if told.exists() else []
    return float(lines[-1]) if lines else 0.0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("dataset: {data_path: absent.json}", ["absent.json"]),
        ("evaluation: {max_stepz: 1, succes_distance: 2}", ["max_stepz", "succes_distance"]),
    ],
)
def test_the_evaluator_says_what_is_wrong_with_its_configuration(
    agent: str, tmp_path: Path, forks: None, wrong: str, told: list[str]
) -> None:
    """By its exit code and its last message, all lines of it: the real one's."""
    server = Double()
    play(server, tmp_path, agent, lease_seconds=60, command=COMMAND, evaluation=wrong).play()
    ending = server.endings[-1]
    assert (ending["outcome"], ending["rc"]) == ("played", 2)
    assert [word for word in told if word not in ending["message"]] == []


@pytest.mark.parametrize("way", ["away", "hangs"])
def test_the_evaluator_is_dead_before_the_lease_is_over(agent: str, tmp_path: Path, way: str) -> None:
    """The server takes the submission back `LEASE` after the last heartbeat that it heard."""
    heard: list[float] = []

    def heartbeat() -> None:
        if len(heard) < 3 or not last_alive(tmp_path):
            heard.append(time.monotonic())
            return
        if way == "hangs":
            time.sleep(2 * LEASE)
        raise Away("no route")

    server = Double(heartbeat)
    play(server, tmp_path, agent).play()
    assert heard[-1] < last_alive(tmp_path) < heard[-1] + LEASE
    assert server.endings[-1]["outcome"] == "interrupted"


def test_what_is_taken_back_is_ended_at_once(agent: str, tmp_path: Path) -> None:
    beats: list[float] = []

    def heartbeat() -> None:
        beats.append(time.monotonic())
        if last_alive(tmp_path):
            raise Fenced

    server = Double(heartbeat)
    play(server, tmp_path, agent, lease_seconds=60).play()
    assert 0 < last_alive(tmp_path) < beats[-1] + 30
    assert server.endings[-1]["outcome"] == "stopped"
    assert not (tmp_path / "abc" / "token").exists()


def test_a_worker_that_is_to_end_lets_episodes_end_and_loses_nothing(agent: str, tmp_path: Path) -> None:
    stop, server, journal = threading.Event(), Double(), tmp_path / "abc" / "run" / "episodes.jsonl"
    threading.Thread(target=lambda: (until(lambda: journal.exists() and journal.read_bytes()), stop.set())).start()
    play(server, tmp_path, agent, lease_seconds=60, stop=stop).play()
    assert {"outcome": "interrupted", "rc": 138}.items() <= server.endings[-1].items()
    assert server.arrived["episodes.jsonl"] == journal.read_bytes() != b""


@pytest.mark.parametrize("change", [{"url": "127.0.0.1:9"}, {"networks": ["public"]}, {"ports": ["443"]}])
def test_a_service_that_is_away_or_forbidden_is_not_played(agent: str, tmp_path: Path, change: dict[str, Any]) -> None:
    server = Double()
    play(server, tmp_path, **{"url": agent, "patience_seconds": 0} | change).play()
    assert server.endings == [{"fence": 1, "outcome": "not_ready"}]


@pytest.mark.parametrize("here", [None, b"a\n", b"a\nb\nc\n", b"x\ny\nz\n"])
def test_a_run_goes_on_from_what_the_server_has(tmp_path: Path, here: bytes | None) -> None:
    """From what is here only if that is the same, and perhaps more."""
    server = Double()
    server.arrived = {"episodes.jsonl": b"a\nb\n", "manifest.json": b"{}"}
    run = RunFolder(tmp_path / "run", server, 1, 1)  # type: ignore[arg-type]
    if here is not None:
        run.path.mkdir()
        (run.path / "episodes.jsonl").write_bytes(here)
        (run.path / "manifest.json").write_bytes(b"{}")
    run.fetch()
    kept = here == b"a\nb\nc\n"
    assert (run.path / "episodes.jsonl").read_bytes() == (here if kept else b"a\nb\n")
    with (run.path / "episodes.jsonl").open("ab") as file:
        file.write(b"d\ntorn")
    run.send()
    assert server.arrived["episodes.jsonl"] == (b"a\nb\nc\nd\n" if kept else b"a\nb\nd\n")


def test_a_journal_that_was_put_in_order_is_sent_whole(tmp_path: Path) -> None:
    server = Double()
    run = RunFolder(tmp_path, server, 1, 1)  # type: ignore[arg-type]
    (tmp_path / "episodes.jsonl").write_bytes(b"b\n")
    run.send()
    (tmp_path / "new").write_bytes(b"a\nb\n")
    (tmp_path / "new").replace(tmp_path / "episodes.jsonl")
    run.send()
    assert server.arrived["episodes.jsonl"] == b"b\n"
    run.send_ended()
    assert server.arrived["episodes.jsonl"] == b"a\nb\n"


def test_a_line_for_others_tells_no_folder() -> None:
    for line, told in (
        ("kept in /home/somebody/.cache/nav_eval/worlds/2a/scenes.  ", "kept in scenes."),
        ("nav-eval: /srv/a b/x.json, '/data/y.json': no", "nav-eval: a b/x.json, 'y.json': no"),
        ("http://127.0.0.1:80/api/v1/info, data/dev/x", "http://127.0.0.1:80/api/v1/info, data/dev/x"),
        ("about 1/2 of it; ~/team/key.pem", "about 1/2 of it; key.pem"),
        ("(/a/b/c)=/d/e", "(c)=e"),
    ):
        assert without_folders(line) == told


def test_a_worker_whose_engine_runs_nothing_leaves_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "docker").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "docker").chmod(0o755)
    engine.probe.cache_clear()
    image = {"protocol": "image", "url": f"sha256:{'0' * 64}", "image": {"engine": "docker"}}
    ending, asks = ended(Double(), tmp_path, image)
    assert (ending["outcome"], asks) == ("unable", False)


ENGINE = """#!/bin/sh
case "$1 $2" in
    "import "*|"rmi "*) ;;
    "info "*) echo "$ROOT" ;;
    "run --rm") [ -e "$ROOT/broken" ] && exit 1; echo 67108864 16 ;;
    "load "*) [ -e "$ROOT/breaks" ] && touch "$ROOT/broken"; exit 1 ;;
    *) exit 1 ;;
esac
"""
"""It runs our own image, until what is to be loaded has broken it, and loads nothing."""


@pytest.mark.parametrize(
    ("trouble", "outcome", "asks"), [("", "image_unfit", True), ("breaks", "unable", False), ("full", "unable", True)]
)
def test_what_the_engine_does_not_load_is_the_teams_fault_only_if_it_loads_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trouble: str, outcome: str, asks: bool
) -> None:
    (tmp_path / "docker").write_text(ENGINE)
    (tmp_path / "docker").chmod(0o755)
    (tmp_path / "root").mkdir()
    if trouble == "breaks":
        (tmp_path / "root" / "breaks").touch()
    elif trouble == "full":
        monkeypatch.setattr(engine.shutil, "disk_usage", lambda place: SimpleNamespace(free=4095))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("ROOT", str(tmp_path / "root"))
    engine.probe.cache_clear()
    server, raw = Double(), io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        add(tar, "x", "x")
    sha256 = save(tmp_path / "image.tar", raw.getvalue(), ["x"])
    server.arrived["image"] = (tmp_path / "image.tar").read_bytes()
    image = {"protocol": "image", "url": f"sha256:{sha256}", "image": {"engine": "docker"}}
    ending, asked = ended(server, tmp_path, image)
    assert (ending["outcome"], asked) == (outcome, asks), ending


def ended(server: Double, work: Path, claim: Mapping[str, Any], **more: Any) -> tuple[Mapping[str, Any], bool]:
    """How a claim ends on a worker, and whether that then asks for images."""
    server.claims = [claim_of(**claim)]
    worker = Worker(server, work=work / "work", data=work, tick=0.05, **more)  # type: ignore[arg-type]
    thread = threading.Thread(target=worker.run)
    thread.start()
    until(lambda: server.endings and server.images[1:2], "a second question")
    worker.stop.set()
    thread.join()
    return server.endings[0], server.images[1]


def test_a_worker_whose_disk_is_full_leaves_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, agent: str) -> None:
    """Whatever the evaluator ends with there; it goes on once there is room."""
    monkeypatch.setattr(disk, "ROOM", 1 << 60)
    monkeypatch.setattr("nav_eval_server.queue.worker.has_room", lambda folder: True)  # it fills up while it plays
    monkeypatch.setattr("nav_eval_server.queue.worker.FULL_SECONDS", 0.5)
    server, began = Double(), time.monotonic()
    claim = {"protocol": "rest", "url": agent}
    ending, _ = ended(server, tmp_path, claim, command=[sys.executable, "-c", "raise SystemExit(4)"])
    assert (ending["outcome"], "No space left" in ending["message"]) == ("unable", True)
    assert time.monotonic() - began > 0.5


def test_a_worker_without_room_takes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = Double()
    worker = Worker(server, work=tmp_path / "work", data=tmp_path, tick=0.01)  # type: ignore[arg-type]
    (tmp_path / "work").mkdir()
    for room in (1 << 60, 1):  # not asked again at once
        monkeypatch.setattr(disk, "ROOM", room)
        assert (worker._claimed("i"), server.images) == (None, [])


def test_two_workers_do_not_share_a_folder(tmp_path: Path) -> None:
    server = Server("http://127.0.0.1:9", "t")
    first = Worker(server, work=tmp_path, data=tmp_path, tick=0.05)
    thread = threading.Thread(target=first.run)
    thread.start()
    try:
        until((tmp_path / ".lock").exists, "the first one's lock")
        time.sleep(0.3)
        with pytest.raises(InputError, match="another worker works here"):
            Worker(server, work=tmp_path, data=tmp_path).run()
    finally:
        first.stop.set()
        thread.join()


def test_a_process_tied_to_its_parent_dies_with_it(tmp_path: Path) -> None:
    inner = killed_with_parent(
        [sys.executable, "-c", "import time, os; print(os.getpid(), flush=True); time.sleep(60)"]
    )
    script = (
        "import os, subprocess, sys, time; from nav_eval_server.parent_death import killed_with_parent\n"
        f"p = subprocess.Popen(killed_with_parent({inner[6:]!r}), stdout=subprocess.PIPE)\n"
        "print(p.stdout.readline().decode(), flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    with suppress(FileNotFoundError):
        until(lambda: "Z" in Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0], "its end")


@pytest.mark.parametrize(
    "url",
    ["", "ftp://a", "http://a b", "http://a:1/${oc.env:HOME}", "http://a'x", "a:b:c", "http://u:p@a", "http://a?q"],
)
def test_an_address_is_nothing_but_an_address(url: str) -> None:
    with pytest.raises(InputError, match="This is not an address"):
        parsed(url)
    for good in ("a.example:80", "http://127.0.0.1:80/agent", "grpcs://[::1]:443", "localhost"):
        assert parsed(good).host
