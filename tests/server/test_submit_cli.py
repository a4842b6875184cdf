"""`nav-eval-agent submit`, `status` and `cancel` against the real server: what is said, and the exit codes."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.utils import timezone
from waitress.server import create_server

from attacks.raw_rest import Connection, answer, rest_service
from nav_eval_sdk import cli, competition, start, submissions
from nav_eval_sdk.competition import Competition, Refusal
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.challenge import DRY_RUN, FOREVER, Challenge
from nav_eval_server.models import (
    Attempt,
    Closing,
    Endpoint,
    Episode,
    Membership,
    Method,
    MovedDate,
    Result,
    Submission,
    Team,
    Token,
    User,
)
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.files import LOG
from nav_eval_server.queue.states import State
from nav_eval_server.tokens import issue
from patience import PATIENCE, until
from server.competition import phase
from server.conftest import Make
from server.serving import serving

Run = Callable[..., tuple[int, str, str]]
PLAIN = "nav-eval-agent: without https, others on the network can read your token.\n"
STAND_IN = str(Path(__file__).with_name("stand_in.py"))
FILES = phase("predictions", per_day=1)


@pytest.fixture
def challenge(make: Make) -> Challenge:
    return make(phases={"dev": phase() | {"images": "also"}, "files": FILES}, timezone="Asia/Shanghai")


@pytest.fixture
def token(challenge: Challenge) -> str:
    team = Team.objects.create(name="Aurora", state=Team.State.APPROVED)
    user = User.objects.create(username="ada")
    Membership.objects.create(team=team, user=user, captain=True)
    Endpoint.objects.create(team=team, name="robot", protocol="rest", url="http://127.0.0.1:9")
    return issue(Token.Scope.TEAM, "ci", team, user)


@pytest.fixture
def server(challenge: Challenge) -> Iterator[str]:
    """As nav-eval competition serve runs the web, in a thread."""
    made = create_server(get_wsgi_application(), host="127.0.0.1", port=0, threads=8)

    def run() -> None:
        with suppress(OSError):  # its sockets are closed under it: it has no other end
            made.run()

    thread = threading.Thread(target=run)
    thread.start()
    yield f"http://127.0.0.1:{made.effective_port}"
    made.task_dispatcher.shutdown()
    made.close()
    thread.join(PATIENCE)


def kept(token: str, folder: Path, mode: int = 0o600) -> list[str]:
    """The options that name a file with the token."""
    file = folder / "team token"
    file.write_text(f"{token}\n")
    file.chmod(mode)
    return ["--token-file", str(file)]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """`ask(server, token, *words)`: exit code, stdout, stderr; the token is in a file, and in neither."""
    monkeypatch.setattr(submissions, "BETWEEN", 0.05)
    monkeypatch.setattr(competition, "TRIES", (0.01,))

    def ran(server: str, token: str, *words: str, mode: int = 0o600) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main([words[0], "--server", server, *kept(token, tmp_path, mode), *words[1:]])
        out, err = capsys.readouterr()
        assert token not in out + err
        return int(str(ended.value.code)), out, err

    return ran


@pytest.fixture
def run(ask: Run, server: str, token: str) -> Run:
    """The same of this server, with a token of its team."""
    return partial(ask, server, token)


def test_submit_status_cancel(run: Run) -> None:
    said = {run("submit", "robot", "--key", "build-7") for _ in range(3)}
    made = Submission.objects.get()
    assert {one[:2] for one in said} == {(0, f"{made.id} is accepted in dev.\nNext: nav-eval-agent status {made.id}\n")}
    code, out, _ = run("status")
    assert (code, out.split()[:3]) == (0, [made.id, "dev", "queued"])
    assert json.loads(run("status", made.id, "--json")[1])["url"] == "http://127.0.0.1:9"
    for _ in range(2):
        code, out, _ = run("cancel", made.id)
        assert (code, out.split()[:3]) == (0, [made.id, "dev", "cancelled"])
    assert run("status", made.id)[1] == out


def test_check_of_a_competition_says_what_is_played_there(
    server: str, challenge: Challenge, capsys: pytest.CaptureFixture[str]
) -> None:
    MovedDate.objects.create(phase="dev", closes=FOREVER, at=timezone.now())
    for address in (server, f"{server}/"):
        with pytest.raises(SystemExit) as ended:
            cli.main(["check", address])
        said = capsys.readouterr().out
        assert (ended.value.code, said.splitlines()[0]) == (0, "homes is a competition (vln). In every phase:")
        assert f"at most {challenge.conditions.max_steps} steps" in said
        assert "files: takes predictions, open, from 2019-12-31 16:00 UTC to" in said
        assert "dev: takes service or container image, open, from 2019-12-31 16:00 UTC, no end" in said


def test_an_id_that_the_team_does_not_have(run: Run) -> None:
    for command, name in product(("status", "cancel"), ("abc", "0" * 12, "a/b", "../phases")):
        code, _, err = run(command, name)
        said = f"There is no submission {name!r} of your team: `nav-eval-agent status` lists yours."
        assert (code, err) == (2, f"nav-eval-agent: {said}\n")


@pytest.mark.skipif(os.name != "posix", reason="files have other rights there")
def test_a_token_that_others_can_read_is_told_in_a_line(run: Run, tmp_path: Path) -> None:
    for mode, lines in ((0o600, 0), (0o640, 1), (0o604, 1)):
        code, _, err = run("status", mode=mode)
        assert (code, err.count("\n"), err.count(f"chmod 600 '{tmp_path / 'team token'}'")) == (0, lines, lines)


def test_the_files_of_a_dry_run_are_saved(run: Run, challenge: Challenge, tmp_path: Path) -> None:
    dry, live = (Submission.objects.create(**row) for row in rows(DRY_RUN, "dev"))
    for one in (dry, live):
        for name in (LOG, "episodes.jsonl", "secret.key"):
            Dispatcher(challenge).inbox(one.id).append(name, 0, b"of " + one.id.encode())
    code, out, err = run("status", dry.id, "--save", str(tmp_path / "x" / "y"))
    assert (code, dry.id in out, "log.txt, episodes.jsonl in" in err) == (0, True, True)
    saved = {path.name: path.read_text() for path in (tmp_path / "x" / "y").iterdir()}
    assert saved == {LOG: f"of {dry.id}", "episodes.jsonl": f"of {dry.id}"}
    for words in ((live.id,), ()):
        code, _, err = run("status", *words, "--save", str(tmp_path / "z"))
        assert (code, "give the id of a dry run" in err) == (2, True)


def rows(*phases: str) -> list[dict[str, Any]]:
    """Of submissions that are done."""
    now = timezone.now()
    told = {"team": Team.objects.get(), "kind": "service", "accepted_at": now, "since": now, "retry_at": now}
    return [told | {"phase": name, "state": State.DONE} for name in phases]


def test_a_url_is_registered_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAV_EVAL_AGENT_TOKEN", "of-the-service")
    said = [run("submit", "grpc://127.0.0.1:10") for _ in range(2)]
    assert [code for code, _, _ in said] == [0, 0]
    assert ["No ready gRPC service was found there at" in err for _, _, err in said] == [True, False]
    code, _, err = run("submit", "grpc://127.0.0.1:11", "--protocol", "rest")
    assert (code, "Choose gRPC, or write http://" in err) == (2, True)
    made = Endpoint.objects.get(name="grpc://127.0.0.1:10")
    assert (made.protocol, bool(made.sealed_token)) == ("grpc", True)
    code, _, err = run("submit", "robot", "--protocol", "grpc")
    assert (code, "robot is registered as rest" in err) == (2, True)


def test_replicas_are_registered_as_one_service(run: Run) -> None:
    urls = ("127.0.0.1:9001", "127.0.0.1:9002")
    said = [run("submit", *urls) for _ in range(2)]
    assert [code for code, _, _ in said] == [0, 0]
    assert ["No ready REST service was found there at" in err for _, _, err in said] == [True, False]
    assert Endpoint.objects.get(name=" ".join(urls)).url == " ".join(urls)
    assert [one.url for one in Submission.objects.all()] == [" ".join(urls)] * 2


def test_an_entry_is_described_as_it_is_submitted_and_later(run: Run) -> None:
    words = ("--method", "Seq2Seq", "--affiliation", "Univ. of X", "--code", "https://example.org/x")
    code, out, err = run("submit", "robot", *words)
    made = Submission.objects.get()
    assert (code, f"{made.id} is accepted" in out, err) == (0, True, "")
    told = {"name": "Seq2Seq", "affiliation": "Univ. of X", "code": "https://example.org/x"}
    assert made.method.told == told
    code, out, _ = run("describe", made.id, "--method", "CMA", "--model-size", "7B", "--affiliation", "")
    assert (code, [line.split() for line in out.splitlines()]) == (
        0,
        [["name", "CMA"], ["code", "https://example.org/x"], ["model_size", "7B"]],
    )
    assert run("describe", made.id)[1] == out
    assert json.loads(run("status", made.id, "--json")[1])["method"]["name"] == "CMA"
    code, _, err = run("describe", made.id, "--paper", "javascript:alert(1)")
    assert (code, err) == (2, "nav-eval-agent: paper: Enter a valid URL.\n")
    code, _, err = run("describe", "0" * 12, "--method", "x")
    assert (code, "There is no submission" in err) == (2, True)


def test_what_is_said_of_an_entry_holds_up_no_submission(run: Run) -> None:
    code, _, err = run("submit", "robot", "--sensors", "sonar")
    made = Submission.objects.get()
    assert (code, made.state, Method.objects.exists()) == (0, State.QUEUED, False)
    assert "sensors: Choose one of these: " in err
    assert f"Say it again: nav-eval-agent describe {made.id} ..." in err


def test_what_cannot_be_submitted(run: Run) -> None:
    for words, code, said in (
        ([], 2, "--predictions FILE"),
        (["robto"], 2, "Yours: robot"),
        (["localhost:8085", "dev"], 2, "Yours: robot"),
        (["robot", "--phase", "final"], 2, "There is no phase 'final'"),
        (["robot", "--phase", "files"], 1, "takes a predictions"),
        (["--predictions", "nowhere.json"], 2, "nowhere.json cannot be read"),
        (["http://a?b"], 2, "Write for example https://agent.example.org:8085"),
    ):
        ended, _, err = run("submit", *words)
        assert (ended, said in err, err.count("\n")) == (code, True, 1), err
    assert not Submission.objects.exists()


def test_a_closed_phase(run: Run) -> None:
    Closing.objects.create(phase="dev", at=timezone.now())
    code, _, err = run("submit", "robot", "--phase", "dev")
    assert (code, err) == (1, "nav-eval-agent: The phase dev is not open.\n")
    code, _, err = run("submit", "robot")
    assert (code, "dev (closed, service), files (open, predictions)" in err) == (2, True)


def test_no_quota_says_when_there_is_one_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text("[]")
    words = ("submit", "--predictions", str(tmp_path / "p.json"))
    assert run(*words)[0] == 0
    code, _, err = run(*words)
    assert (code, err.count("\n")) == (1, 1)
    assert "the next day begins at" in err
    assert "00:00 CST" in err


def test_fifty_at_once_and_a_quota_of_one(server: str, token: str) -> None:
    """One is accepted, 49 are told when it resets; the same key at once is one submission, with one answer."""

    def ask(n: int) -> tuple[object, ...]:
        try:
            return ("accepted", *Competition(server, token).submit_file("files", b"[]", f"key-{n}").values())
        except Refusal as refusal:
            return (refusal.code, "the next day begins at" in str(refusal))

    with ThreadPoolExecutor(50) as pool:
        told = Counter(one[0] for one in pool.map(ask, range(50)))
        assert told == {"accepted": 1, "quota_day": 49}
        key = int(Submission.objects.get().idempotency_key.removeprefix("key-"))  # type: ignore[union-attr]
        again = set(pool.map(ask, [key] * 50))
    assert (len(again), Submission.objects.count()) == (1, 1)
    assert again.pop()[0] == "accepted"


def test_what_is_read_no_further_ends_quietly(server: str, token: str, tmp_path: Path) -> None:
    """`nav-eval-agent status | head -1`"""
    words = ["status", "--server", server, *kept(token, tmp_path)]
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "nav_eval_sdk", *words], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    os.close(reading)
    assert (process.communicate(timeout=PATIENCE)[1].replace(PLAIN, ""), process.returncode) == ("", 0)


def test_a_wrong_token_and_a_server_that_is_none(
    server: str, token: str, ask: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = ask(server, token[:-1] + "?", "status")
    assert (code, "team token is wrong or revoked" in err, err.count("\n")) == (2, True, 1)
    monkeypatch.setenv("NAV_EVAL_COMPETITION_TOKEN", "wrong")
    with pytest.raises(SystemExit):
        cli.main(["status", "--server", server])
    assert "the token in NAV_EVAL_COMPETITION_TOKEN is wrong" in capsys.readouterr().err
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        code, _, err = ask(f"http://127.0.0.1:{unused.getsockname()[1]}", token, "status")
    assert (code, "Try again later" in err, err.count("\n")) == (3, True, 1)
    with rest_service(lambda request: answer(b"<html>")) as other:
        code, _, err = ask(f"http://{other.endpoint}", token, "status")
    assert (code, "is not a competition server" in err) == (2, True)


def test_a_token_follows_no_redirect(token: str, ask: Run) -> None:
    def send_elsewhere(connection: Connection) -> None:
        where = f"Location: http://{connection.hostile.trap}/api/v1/submissions\r\n"
        connection.send(answer(b"", status="302 Found", head=where))

    with rest_service(lambda request: send_elsewhere) as other:
        code, _, err = ask(f"http://{other.endpoint}", token, "status")
    assert (code, other.trapped, "sends us on to" in err) == (2, [], True)


@contextmanager
def ending(end: Callable[[Submission], object]) -> Iterator[None]:
    """Whoever waits for the submission sees it end."""

    def ends() -> None:
        until(Submission.objects.exists, "the submission")
        end(Submission.objects.get())

    thread = threading.Thread(target=ends)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ({"state": State.DONE}, 0),
        ({"state": State.CANCELLED}, 1),
        ({"state": State.VOID, "detail": "No."}, 1),
        ({"state": State.FAILED, "why": "too_long", "fault": "participant"}, 1),
        ({"state": State.FAILED, "why": "bad_file", "fault": "participant", "detail": "line 3."}, 2),
        ({"state": State.FAILED, "why": "service_silent", "fault": "participant"}, 3),
        ({"state": State.FAILED, "why": "crashed", "fault": "ours"}, 4),
    ],
)
def test_the_exit_code_says_how_it_ended(run: Run, end: dict[str, str], code: int) -> None:
    def ends(made: Submission) -> None:
        Result.objects.create(submission=made, document={"metrics": {"spl": {"mean": 0.25}}}, at=timezone.now())
        Submission.objects.update(deadline=None, **end)

    with ending(ends):
        ended, out, err = run("submit", "robot", "--wait")
    assert ended == code, err
    assert ("spl" in out and "0.2500" in out) == (code == 0)
    told = run("status", Submission.objects.get().id)[1]
    assert ("0.2500" in told) == (code == 0)


@pytest.mark.parametrize(("failed", "code"), [(0, 0), (2, 0), (3, 1), (4, 1)])
def test_more_than_half_failed_is_no_success(run: Run, failed: int, code: int) -> None:
    """It is done, and says what was wrong in the service's own words."""
    lost = {"status": "agent_error", "reason": "the service refused: x: boom"}

    def ends(made: Submission) -> None:
        now = timezone.now()
        told = {"instance": "i", "started_at": now, "heartbeat_at": now}
        attempt = Attempt.objects.create(submission=made, n=1, fence=1, worker=Token.objects.get(), **told)
        for n in range(4):
            end = lost if n < failed else {"status": "ok"}
            Episode.objects.create(submission=made, attempt=attempt, scene="s", episode=str(n), metrics={}, **end)
        Submission.objects.update(deadline=None, state=State.DONE)

    with ending(ends):
        ended, _, err = run("submit", "robot", "--wait")
    assert (ended, f"{failed} of 4 episodes failed" in err) == (code, failed > 0), err
    assert ("agent_error: the service refused: x: boom" in err) == (failed > 0)
    again = run("status", Submission.objects.get().id)
    assert ("boom" in again[2], again[0]) == (failed > 0, 0)


def test_who_waits_no_longer_is_told_that_it_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(submissions.time, "sleep", interrupted)
    code, _, err = run("submit", "robot", "--wait")
    assert (code, f"nav-eval-agent cancel {Submission.objects.get().id}" in err) == (130, True)


@pytest.mark.soak
def test_a_served_competition_from_a_terminal(make: Make, ask: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes, a service and a worker; the web dies and comes back while we wait."""
    challenge = make(endpoints={"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 1})
    team = Team.objects.create(name="Aurora", state=Team.State.APPROVED)
    token = issue(Token.Scope.TEAM, "ci", team)
    monkeypatch.setenv("STAND_IN_SECONDS", "0.3")
    with start(RandomAgent, protocol="rest", port=0) as agent, serving(challenge, evaluator=STAND_IN) as served:
        until(lambda: served.healthz() == 200, "healthz")
        killing = threading.Thread(target=lambda: [until(Submission.objects.exists), served.kill("web")])
        killing.start()
        code, out, err = ask(served.url, token, "submit", agent.endpoint, "--wait")
        killing.join()
    assert (code, "spl" in out) == (0, True), err
    assert "It is asked again." in err
    assert Submission.objects.get().state == State.DONE


@pytest.mark.parametrize(
    ("url", "proxy", "reads"),
    [
        ("http://127.0.0.1:8000", "", 0),
        ("https://cup.example.org", "", 1),
        ("HTTPS://cup.example.org", "", 1),
        ("http://cup.example.org", "HTTPS://proxy.example.org:3128", 1),
    ],
)
def test_authorities_are_read_for_https_alone(
    monkeypatch: pytest.MonkeyPatch, url: str, proxy: str, reads: int
) -> None:
    made, real = [], ssl.create_default_context
    monkeypatch.setattr(ssl, "create_default_context", lambda **asked: made.append(asked) or real(**asked))
    monkeypatch.setattr("urllib.request.getproxies", lambda: {"http": proxy} if proxy else {})
    Competition(url, "token")
    assert len(made) == reads
