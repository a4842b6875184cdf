"""`nav-eval competition serve` with real evaluations: a service and a file, from submission to a proved result."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal

import pytest
from django.utils import timezone

from nav_eval.errors import ConfigError, InputError
from nav_eval.results.audit import check_files
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server import events
from nav_eval_server.board import places
from nav_eval_server.challenge import Challenge
from nav_eval_server.cli import COMMANDS
from nav_eval_server.evaluator import COMMAND
from nav_eval_server.folder import Folder
from nav_eval_server.models import Attempt, Endpoint, Episode, Event, Submission, Team
from nav_eval_server.opening import OPENED
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.files import LOG
from nav_eval_server.queue.standing import stand
from nav_eval_server.queue.states import FINAL, State
from nav_eval_server.serving import module, serve
from nav_eval_server.settings import current
from nav_eval_server.vault import Vault
from nav_eval_server.web.connections import MAX_CONNECTIONS
from patience import PATIENCE, until
from served import free_port
from server.competition import phase
from server.conftest import Command, Make
from server.serving import Served, children_of, joined, nav_eval, serving
from variables_set import values

TOKEN = "a-token-of-the-team"
QUICK = {"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 1}


def finished(*submissions: Submission) -> bool:
    return all(Submission.objects.get(pk=one.pk).state in FINAL for one in submissions)


def team(name: str, url: str = "", token: str = "") -> Team:
    made = Team.objects.create(name=name, state=Team.State.APPROVED)
    if url:
        sealed = Vault(Folder(current().folder)).seal(token)
        Endpoint.objects.create(team=made, name="a", protocol="rest", url=url, sealed_token=sealed)
    return made


@pytest.fixture
def web(make: Make) -> Iterator[int]:
    """The port of the web alone, behind a proxy at 127.0.0.3."""
    folder, port = make().folder, free_port()
    process = subprocess.Popen(module("web", str(Folder(folder).challenge), "127.0.0.1", str(port), "127.0.0.3"))
    try:
        until(lambda: not socket.socket().connect_ex(("127.0.0.1", port)), "the web")
        yield port
    finally:
        process.terminate()
        process.wait()


def test_only_the_named_proxy_is_believed(web: int) -> None:
    """A cookie is Secure where whoever tells that it came by TLS is believed."""

    def secure(source: str) -> bool:
        browser = HTTPConnection("127.0.0.1", web, timeout=PATIENCE, source_address=(source, 0))
        browser.request("GET", "/login/", headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"})
        return "Secure" in (browser.getresponse().getheader("Set-Cookie") or "")

    assert (secure("127.0.0.3"), secure("127.0.0.1")) == (True, False)


def test_who_holds_thousands_of_silent_connections_shuts_out_nobody_else(web: int) -> None:
    """Nor does one network that opens more and more; whoever was there before them is still there."""

    def ask(browser: HTTPConnection) -> int:
        browser.request("GET", "/static/icon.svg")
        answer = browser.getresponse()
        answer.read()
        return answer.status

    def browser() -> HTTPConnection:
        return HTTPConnection("127.0.0.1", web, timeout=PATIENCE / 10)  # silent ones are sent away after 120 s

    early = browser()
    assert ask(early) == 200
    with ExitStack() as kept:
        for count in (MAX_CONNECTIONS, *[100] * 10):
            for _ in range(count):
                one = kept.enter_context(socket.socket())
                one.bind(("127.0.0.2", 0))
                one.connect(("127.0.0.1", web))
            assert count == MAX_CONNECTIONS or ask(browser()) == 200
        assert early.sock is not None
        assert ask(early) == 200


def test_services_and_files_are_judged_whatever_is_set(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a shell that speaks Chinese, and is also used to enter other competitions."""
    for name, value in values(tmp_path).items():
        monkeypatch.setenv(name, value)
    phases = {"dev": phase(), "files": phase("predictions"), "final": phase() | {"board": "private"}}
    challenge = make(endpoints=QUICK, phases=phases, baselines=["shortest_path"])
    dispatcher = Dispatcher(challenge)
    predictions = _predictions(challenge.evaluation["dataset"]["data_path"])
    with (
        start(RandomAgent, protocol="rest", port=0, token=TOKEN) as agent,
        start(Raising, protocol="rest", port=0) as broken,
        serving(challenge, jobs=2) as served,
    ):
        aurora, boreas = team("aurora", agent.endpoint, TOKEN), team("boreas", broken.endpoint)
        live = dispatcher.submit(aurora, "dev", endpoint=aurora.endpoints.get())
        failing = dispatcher.submit(boreas, "final", endpoint=boreas.endpoints.get())
        file = dispatcher.submit(aurora, "files", predictions=predictions)
        bad = dispatcher.submit(aurora, "files", predictions=b"[{}]")
        deep = dispatcher.submit(aurora, "files", predictions=b"[" * 100_000)
        until(lambda: served.healthz() == 200, "healthz")
        until(lambda: finished(live, failing, file, bad, deep), "five submissions")
        until(lambda: len(ours()) == 2 and finished(*ours()), "an agent of ours in both phases for services")
    played = Submission.objects.get(pk=live.pk)
    assert (played.state, played.episodes_total) == (State.DONE, 5), list(Attempt.objects.values())
    assert Episode.objects.filter(submission=live).count() == 5
    run = Folder(challenge.folder).runs / live.id
    assert check_files(run) == []
    document = Submission.objects.get(pk=live.pk).result.document
    assert document == json.loads((run / "results.json").read_text())
    mean = sum(row.metrics["spl"] for row in Episode.objects.filter(submission=live)) / 5
    assert document["metrics"]["spl"]["mean"] == pytest.approx(mean, abs=1e-12)
    assert Submission.objects.get(pk=file.pk).result.document["metrics"]["success"]["mean"] == 1.0
    scores = [row.metrics["success"] for row in Episode.objects.filter(submission=file)]
    assert scores == [1.0] * len(json.loads(predictions))
    told = Submission.objects.get(pk=bad.pk)
    assert (told.why, str(challenge.folder) in told.detail) == ("bad_file", False)
    assert Submission.objects.get(pk=deep.pk).detail.startswith("predictions.json: cannot be read as JSON")
    assert {one.attempts.count() for one in (bad, deep)} == {1}
    assert not list(Folder(challenge.folder).work.glob("*/run"))
    assert events.broken() is None
    held = [path for path in challenge.folder.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert held == []
    raised_in_every_episode(challenge, failing.id)
    oracle = places.document(challenge, "dev", places.Board.PUBLIC)["entries"][0]
    assert (oracle["team"], oracle["role"], oracle["rank"]) == ("shortest_path", "oracle", None)
    assert oracle["score"] == pytest.approx(1.0)


def ours() -> list[Submission]:
    return list(Submission.objects.filter(protocol=OURS))


def raised_in_every_episode(challenge: Challenge, key: str) -> None:
    """A team is told why, in a phase whose figures are hidden; its log says so too, and not where it lies."""
    found = stand(challenge, Submission.objects.get(pk=key), "en", timezone.now())
    assert found.submission.state == State.DONE
    assert found.tally.by_status == {"agent_error": 5}
    assert [("ValueError: canary: my model is not loaded" in reason.text) for reason in found.reasons] == [True]
    log = Dispatcher(challenge).inbox(key).read(LOG).decode()
    assert log.count("canary: my model is not loaded") >= 5
    assert str(challenge.folder) not in log


def _predictions(data: str) -> bytes:
    """The reference paths: every episode a success."""
    rows = [
        {"instr_id": f"{item['path_id']}_{n}", "trajectory": [[node, 0, 0] for node in item["path"]]}
        for item in json.loads(Path(data).read_text())
        for n in range(len(item["instructions"]))
    ]
    return json.dumps(rows).encode()


class Raising(RandomAgent):
    def act(self, observation: dict[str, Any]) -> Any:
        raise ValueError("canary: my model is not loaded")


class Slow(RandomAgent):
    """Long enough at each step for something to happen in between."""

    def act(self, observation: dict[str, Any]) -> Any:
        time.sleep(0.15)
        return super().act(observation)


@pytest.mark.soak
@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_another_machine_goes_on_where_one_was_lost(make: Make, protocol: Literal["rest", "grpc"]) -> None:
    """The first worker never comes back; what it had sent is enough to resume by the evaluator's own strict rules."""
    challenge = make(endpoints=QUICK, queue={"lease_seconds": 6})
    with (
        start(Slow, protocol=protocol, port=0) as agent,
        serving(challenge, jobs=0) as served,
        joined(challenge, served, "-", 1) as first,
    ):
        aurora = team("aurora", agent.endpoint)
        Endpoint.objects.update(protocol=protocol)
        submission = Dispatcher(challenge).submit(aurora, "dev", endpoint=aurora.endpoints.get())
        until(lambda: Episode.objects.count() >= 2, "two episodes")
        first.kill()
        with joined(challenge, served, "-", 2):
            until(lambda: finished(submission), "the end")
    found = Submission.objects.get()
    assert found.state == State.DONE, list(Attempt.objects.values())
    outcomes = list(Attempt.objects.order_by("n").values_list("outcome", flat=True))
    assert (outcomes[0], outcomes[-1]) == ("lost", "played")  # in between the service may still hold the lost session
    by_attempt = Counter(Episode.objects.values_list("attempt__n", flat=True))
    assert by_attempt[1] >= 2
    assert sum(by_attempt.values()) == 5
    run = Folder(challenge.folder).runs / submission.id
    replayed = nav_eval("replay", run)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert len(json.loads((run / "manifest.json").read_text())["sittings"]) >= 2
    assert not Event.objects.filter(action="contradiction").exists()


def test_what_is_served_is_in_the_way_of_a_second_and_holds_three_hundred_browsers(make: Make) -> None:
    """A port that is taken, a folder that is being served, a token that the server does not know; and each browser has
    its answer while all the others are still there: then all that is served takes less than 400 MB."""
    file, port = Folder(make().folder).challenge, free_port()
    command = [*COMMAND, "competition", "serve", str(file), "--jobs", "1", "--port", str(port)]
    first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert first.stderr is not None
        assert first.stderr.readline() == "Playing a step of each phase ...\n"
        assert f"http://127.0.0.1:{port}" in first.stderr.readline()
        until(lambda: Served(file.parent, port, first).healthz() == 200, "healthz")  # type: ignore[arg-type]
        for where, told in ((port, "Choose another --port"), (free_port(), "is being served already")):
            with pytest.raises(InputError, match=told):
                serve(file, port=where)
        (file.parent / "token").write_text("x")
        join = ["--join", f"http://127.0.0.1:{port}", "--token-file", "token", "--work-in", "other"]
        said = nav_eval("competition", "worker", *join, cwd=file.parent)
        assert (said.returncode, "does not know this worker's token" in said.stderr) == (2, True), said.stderr
        with ExitStack() as kept:
            for _ in range(300):
                browser = kept.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
                browser.sendall(b"GET /static/icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert browser.recv(64).startswith(b"HTTP/1.1 200 OK")
            processes = [first.pid, *children_of(first.pid)]
            assert len(processes) >= 4
            assert sum(map(resident_mb, processes)) < 400
        first.terminate()
        assert first.wait(PATIENCE) == 0
    finally:
        first.kill()
        first.communicate()


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024  # type: ignore[index]


LEAVES_FREE: dict[str, dict[str, Any]] = {
    "token": {"name": "a"},
    "organiser": {"name": "a"},
    "backup": {"out": "backup.tar", "without_data": True},
    "publish": {"out": "site"},
    "doctor": {},
    "capacity": {"teams": 2},
    "grades": {},
}


def change_rules() -> None:
    file = Folder(current().folder).challenge
    file.write_text(file.read_text().replace("per_day: 1", "per_day: 11"))


def openings() -> int:
    return Event.objects.filter(action=OPENED).count()


def test_the_table_above_names_every_command_that_locks_nothing() -> None:
    assert COMMANDS.keys() - LEAVES_FREE == {"serve", "freeze", "init", "people", "worker", "restore"}


def test_a_command_that_serves_nobody_leaves_the_rules_free(command: Command) -> None:
    """Though a phase is open: an organiser may look, and make a token, before the rules are what they shall be."""
    found = {}
    for name, options in LEAVES_FREE.items():
        command(name, **options)
        found[name] = openings()
    assert found == dict.fromkeys(LEAVES_FREE, 0)
    change_rules()
    command("serve", port=free_port())
    assert openings() == 1


@pytest.mark.parametrize(("name", "options"), [("serve", {"port": 0}), ("freeze", {"phase": "dev"})])
def test_changed_rules_are_not_served(command: Command, name: str, options: dict[str, Any]) -> None:
    """Once they have been served, or a phase is ended; and no command works by them then."""
    command(name, **options)
    command("token", name="a")
    assert openings() == 1
    change_rules()
    for refused in ("serve", *LEAVES_FREE):
        with pytest.raises(ConfigError, match=r"rules were changed after .+ found the competition anew in another"):
            command(refused, **LEAVES_FREE.get(refused, {"port": free_port()}))
