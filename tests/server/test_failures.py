"""What teams and organisers learn of failed episodes, and of faults of the server itself."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server import disk
from nav_eval_server.evaluator import environment
from nav_eval_server.folder import Folder
from nav_eval_server.models import Episode, Notice, Submission, User
from nav_eval_server.queue import health
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import State
from nav_eval_server.queue.tally import Tally, own
from nav_eval_server.settings import current
from nav_eval_server.web import teams as views
from server.calling import Caller
from server.conftest import Make
from server.crowd import EPISODE, SCENE, Crowd
from server.mailbox import Hook, Mailbox
from server.test_dispatcher import Bench
from server.test_notices import deliver, rules
from server.test_worker import Double, play

BOOM = "the service refused: agent_error: ValueError: <b>canary of the service</b>"
HIDDEN_TEXT = "the service cannot be reached: 10.1.2.3:9 canary-address"
STATUSES = ("ok", "agent_error", "agent_timeout", "invalid_action", "service_unavailable", "budget_exceeded")


@given(st.lists(st.sampled_from(STATUSES), max_size=40))
def test_counts_say_how_much_failed_and_on_which_side(ends: list[str]) -> None:
    counts = Counter(ends)
    found, good = Tally(counts), ends.count("ok")
    assert (found.played, found.failed) == (len(ends), len(ends) - good)
    share = (len(ends) - good) / len(ends) if ends else 0
    assert found.failures == ("" if not share else "all" if share == 1 else "most" if share > 0.5 else "some")
    said = found.sentence("en")
    named = {status: int(n) for n, status in re.findall(r"(\d+) (\w+_\w+)", said)}
    assert named == {status: n for status, n in counts.items() if status != "ok"}
    assert ("on ours" in said) == ("budget_exceeded" in ends)
    assert ("your side" in said) == bool(set(ends) - {"ok", "budget_exceeded"})
    assert found.sentence("zh").isascii() == (said == "")


@pytest.mark.parametrize(
    ("status", "text", "shown"),
    [
        ("agent_error", BOOM, True),
        ("invalid_action", "action 'fly' is not one of stop, move_forward.", True),
        ("agent_timeout", "the service gave no answer within 5 s.", True),
        ("service_unavailable", "the service lost the session, as after a restart (unknown_session: gone)", True),
        ("service_unavailable", HIDDEN_TEXT, False),
        ("agent_error", "/data/private/scene.glb: ours", False),
        ("budget_exceeded", "evaluation.budget.total_seconds is used up.", False),
    ],
)
def test_only_the_services_own_words_are_a_teams(status: str, text: str, shown: bool) -> None:
    assert own(status, text) is shown


def fail(full: Crowd, state: str, count: int, reason: str = BOOM, status: str = "agent_error") -> None:
    """The first `count` of a submission's twelve episodes; those that it does not have yet are made."""
    attempt = full.mine["done"].attempts.get()
    for n in range(12):
        end = {"status": status, "reason": reason} if n < count else {"status": "ok", "reason": ""}
        told = {"attempt": attempt, "metrics": {"spl": 0.0}, **end}
        key = {"submission": full.mine[state], "scene": SCENE, "episode": f"{EPISODE}-{n}"}
        Episode.objects.update_or_create(**key, defaults=told)


def page(full: Crowd, who: str, state: str, name: str = "submission", language: str = "en") -> str:
    answer = full.visitor(who).get(reverse(name, args=[full.mine[state].pk]), headers={"accept-language": language})
    return " ".join(unescape(answer.content.decode()).split())


@pytest.mark.parametrize("state", ["done", "hidden", "running"])
@pytest.mark.parametrize("name", ["submission", "progress"])
def test_a_team_reads_that_everything_failed_and_why(full: Crowd, state: str, name: str) -> None:
    """Also of a phase whose figures are hidden, and while it plays; nobody else reads a word of it. It is text."""
    fail(full, state, 12)
    raw = full.visitor("member").get(reverse(name, args=[full.mine[state].pk])).content.decode()
    assert ("&lt;b&gt;canary of the service&lt;/b&gt;" in raw, "<b>canary" in raw) == (True, False)
    told = page(full, "member", state, name)
    assert "12 of 12 episodes failed: 12 agent_error on your side." in told
    assert "every episode failed" in told
    assert "badge running failing" in told or "badge done failing" in told
    assert "canary of the service" in told
    assert "12 个回合中有 12 个失败：您一方 12 agent_error" in page(full, "member", state, name, "zh-hans")
    for who in ("other", "nobody"):
        assert "agent_error" not in page(full, who, state, name)
    assert EPISODE not in told
    assert SCENE not in told


@pytest.mark.parametrize(("count", "said"), [(0, ""), (6, "some"), (7, "most"), (12, "all")])
def test_the_api_and_the_list_tell_it_too(full: Crowd, count: int, said: str) -> None:
    fail(full, "done", count)
    told = Caller(full.token)("GET", f"/submissions/{full.mine['done'].pk}").json()
    expected = {"agent_error": count, "ok": 12 - count}
    assert told["by_status"] == {status: n for status, n in expected.items() if n}
    assert (told["failed_episodes"], told["failures"], told["played"]) == (count, said, 12)
    assert [one["status"] for one in told["reasons"]] == (["agent_error"] if count else [])
    words = {"some": "some episodes failed", "most": "most episodes failed", "all": "every episode failed"}
    for who, address in (("member", "team"), ("organiser", "organiser")):
        text = full.visitor(who).get(reverse(address)).content.decode()
        assert [kind for kind, word in words.items() if word in text] == [said] * (said != "")


def test_an_address_behind_ours_is_the_organisers_to_read(full: Crowd) -> None:
    fail(full, "done", 12, reason=HIDDEN_TEXT, status="service_unavailable")
    assert "canary-address" not in page(full, "member", "done")
    assert "12 service_unavailable" in page(full, "member", "done")
    assert "canary-address" in page(full, "organiser", "done")
    assert Caller(full.token)("GET", f"/submissions/{full.mine['done'].pk}").json()["reasons"] == []


def play_in_vain(bench: Bench) -> None:
    """A submission whose three episodes all failed."""
    _, claim = bench.begun()
    row = {"scene_id": "s", "status": "agent_error", "failure_reason": BOOM}
    lines = b"".join(json.dumps(row | {"episode_id": str(n)}).encode() + b"\n" for n in range(3))
    bench.dispatcher.receive(bench.worker, claim.attempt, claim.fence, "episodes.jsonl", 0, lines)
    assert bench.complete(claim) == State.DONE


def test_a_mail_begins_with_it_and_the_webhook_tells_it(make: Make, box: Mailbox, hook: Hook) -> None:
    bench = Bench(make(notify=rules(box, hook)), teams=1)
    Folder(bench.dispatcher.challenge.folder).write_secret("webhook.key", "k" * 64)
    User.objects.create(username="m", email="member@example.org").teams.add(bench.teams[0])
    play_in_vain(bench)
    assert {row.reason for row in Episode.objects.all()} == {BOOM}
    deliver(bench.dispatcher.challenge)
    (ended,) = [one for one in (json.loads(body) for _, body in hook.seen) if one["event"] == "ended"]
    assert ended["facts"]["failed_episodes"] == "3"
    assert "3 of 3 episodes failed: 3 agent_error on your side." in ended["text"]
    assert "Every episode failed." in ended["text"]
    ((_, mail),) = box.mails
    subject, text = str(mail["Subject"]).strip(), mail.get_content()  # type: ignore[attr-defined]
    assert subject.startswith("Every episode failed. Submission ")
    assert "所有回合均失败。" in subject
    assert "no episode was played to its end. 3 of 3 episodes failed: 3 agent_error on your side." in text
    assert "没有一个回合正常结束" in text
    assert text.count(f"agent_error: {BOOM}") == 1
    assert not Notice.objects.filter(state="waiting").exists()


# The server's own faults


@pytest.fixture
def visitor(full: Crowd) -> Client:
    client = full.visitor("member")
    client.raise_request_exception = False
    return client


def test_a_fault_has_a_number_that_finds_its_traceback(
    full: Crowd, visitor: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(views, "stand_for", None)
    answer = visitor.get(reverse("submission", args=[full.mine["done"].pk]))
    number = answer["X-Request-Number"]
    assert (answer.status_code, number in answer.content.decode()) == (500, True)
    assert b"Traceback" not in answer.content
    said = capsys.readouterr().err
    assert f"request {number}: GET /submissions/<str:key>/" in said
    assert "TypeError: 'NoneType' object is not callable" in said
    monkeypatch.setattr("nav_eval_server.api.teams.timezone", None)
    crashed = Caller(full.token)("GET", "/me")
    told, number = crashed.json(), crashed["X-Request-Number"]
    assert (crashed.status_code, told["code"], told["request"]) == (500, "internal", number)
    assert (number in told["detail"], b"Traceback" in crashed.content) == (True, False)
    assert f"request {number}" in capsys.readouterr().err


@pytest.fixture
def locked(full: Crowd, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """By another process's unfinished write, for longer than anybody waits."""
    monkeypatch.setattr(health, "LOCKED_SECONDS", 0.2)
    monkeypatch.setattr(health, "ASKED_SECONDS", 0.0)
    connections["default"].cursor().execute("PRAGMA busy_timeout = 200")
    with closing(sqlite3.connect(Folder(full.challenge.folder).database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_locked_database_is_told_and_passes(full: Crowd, visitor: Client, locked: None) -> None:
    key = full.mine["queued"].pk
    answer = visitor.post(reverse("cancel", args=[key]))
    assert (answer.status_code, int(answer["Retry-After"]) > 0) == (503, True)
    assert "The server is busy." in answer.content.decode()
    told = Caller(full.token)("POST", f"/submissions/{key}/cancel")
    assert (told.status_code, told.json()["code"], "Retry-After" in told) == (503, "busy", True)
    assert Submission.objects.get(pk=key).state == State.QUEUED
    assert not health.writable(current())


@pytest.mark.parametrize("trouble", ["", "locked", "full", "gone"])
def test_healthz_is_unwell_where_nothing_can_be_written(
    full: Crowd, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, trouble: str
) -> None:
    monkeypatch.setattr(health, "ASKED_SECONDS", 0.0)
    Submission.objects.all().update(deadline=None, state=State.DONE)
    Dispatcher(full.challenge).sweep()
    if trouble == "locked":
        request.getfixturevalue("locked")
    elif trouble == "full":
        monkeypatch.setattr(disk, "ROOM", 1 << 60)
    elif trouble == "gone":
        monkeypatch.setattr(health, "has_room", lambda folder: True)
        connections.close_all()
        database = Folder(full.challenge.folder).database
        database.rename(database.with_suffix(".away"))
        database.mkdir()
    answer = Client(SERVER_NAME="localhost").get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == ((503, "unwell") if trouble else (200, "ok"))


# The evaluator's environment


def test_the_evaluator_is_told_nothing_of_who_began_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its process sees it."""
    for name in ("NAV_EVAL_COMPETITION_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "canary")
    for name, value in (("EVALUATION__MAX_STEPS", "1"), ("LANG", "zh"), ("CACHE", str(tmp_path))):
        monkeypatch.setenv(f"NAV_EVAL_{name}", value)
    script = "import json, os, pathlib; pathlib.Path('seen').write_text(json.dumps(dict(os.environ)))"
    with start(RandomAgent, protocol="rest", port=0, token="t") as agent:
        play(Double(), tmp_path, agent.endpoint, command=[sys.executable, "-c", script]).play()
    seen = json.loads((tmp_path / "seen").read_text())
    ours = {name: value for name, value in seen.items() if name.startswith("NAV_EVAL_") or name == "OPENAI_API_KEY"}
    assert ours == {"NAV_EVAL_CACHE": str(tmp_path), "NAV_EVAL_LANG": "en"}
    assert seen["PATH"] == environment()["PATH"]
