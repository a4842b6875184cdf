"""Notices: a real mail server and a real listener, both on loopback; retries, deadlines, what a webhook may reach."""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from nav_eval_server import events
from nav_eval_server.board.decisions import close, reveal
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Appeal, Endpoint, Event, Notice, Submission, Team, User
from nav_eval_server.notices.delivery import MailSender
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.verdict import Ending
from server.boards import worker
from server.competition import phase
from server.conftest import Make
from server.crowd import Crowd, crowd
from server.mailbox import Hook, Mailbox, listener, mail_server

PHASES = {"dev": phase(), "hidden": phase() | {"board": "private"}}
TO_TEAM, TO_ORGANISER = "member@example.org", "organiser@example.org"


def rules(box: Mailbox | None = None, hook: Hook | None = None, networks: tuple[str, ...] = ("loopback",)) -> Any:
    found: dict[str, Any] = {"retry_seconds": 60, "give_up_seconds": 3600}
    if box is not None:
        sender = "Homes <homes@example.org>"
        found["mail"] = {"host": "127.0.0.1", "port": box.port, "security": "none", "sender": sender}
    if hook is not None:
        found["webhook"] = {"url": f"http://127.0.0.1:{hook.port}/in?a=b", "allowed_networks": list(networks)}
    return found


def full(make: Make, **notify: Any) -> Crowd:
    found = crowd(make(phases=PHASES, notify=notify, web={"hosts": ["homes.example.org"]}))
    Folder(found.challenge.folder).write_secret("webhook.key", "k" * 64)
    have_addresses()
    return found


def have_addresses() -> None:
    """Everybody has one, and has been told nothing."""
    for user in User.objects.all():
        User.objects.filter(pk=user.pk).update(email=f"{user.username}@example.org")
    Notice.objects.all().delete()


def approved(make: Make, **notify: Any) -> Crowd:
    """A team is told that it is, once that is delivered."""
    found = full(make, **notify)
    found.visitor("organiser").post(reverse("decide", args=[found.team.pk]), {"state": "approved"})
    return found


def deliver(challenge: Challenge, minutes: float = 0) -> int:
    """As if so many minutes had gone by."""
    gone = timedelta(minutes=minutes)
    for notice in Notice.objects.all():
        Notice.objects.filter(pk=notice.pk).update(next_at=notice.next_at - gone, deadline=notice.deadline - gone)
    return MailSender(challenge).deliver()


def test_each_event_reaches_whom_it_concerns(make: Make, box: Mailbox) -> None:
    crowded = full(make, **rules(box))
    member, organiser = crowded.visitor("member"), crowded.visitor("organiser")
    key, challenge = crowded.mine["failed"].pk, crowded.challenge

    def decide(state: str) -> None:
        organiser.post(reverse("decide", args=[crowded.team.pk]), {"state": state})

    def judge(decision: str) -> None:
        organiser.post(reverse("judge", args=[Appeal.objects.get().pk]), {"decision": decision, "text": "because"})

    def end() -> None:
        close("hidden", "organiser", timezone.now())
        reveal(challenge, "hidden", "organiser", timezone.now())

    own, ours = {TO_TEAM}, {TO_ORGANISER}
    for subject, whom, deed in (
        ("refused", own, lambda: decide("blocked")),
        ("approved", own, lambda: decide("approved")),
        ("appeals", ours, lambda: member.post(reverse("appeal", args=[key]), {"text": "why?"})),
        ("answered", own, lambda: judge("open")),
        ("decided", own, lambda: judge("rerun")),
        ("has ended", own, lambda: Dispatcher(challenge).void(crowded.mine["done"], "Seen twice.", "organiser")),
        ("revealed", {TO_TEAM, "other@example.org"}, end),
    ):
        deed()
        deliver(challenge)
        assert {to for to, mail in box.mails if subject in str(mail["Subject"])} == whom, subject
        box.mails.clear()


def test_a_silent_service_is_told_once(make: Make, box: Mailbox) -> None:
    crowded = full(make, **rules(box))
    dispatcher = Dispatcher(crowded.challenge)
    Submission.objects.exclude(state="done").delete()
    made = dispatcher.submit(crowded.team, "dev", endpoint=Endpoint.objects.get())
    for _ in range(2):
        Submission.objects.filter(pk=made.pk).update(retry_at=timezone.now())
        claim = dispatcher.claim(worker(), "i")
        assert claim is not None
        dispatcher.finish(worker(), claim.attempt, claim.fence, Ending("not_ready"))
    deliver(crowded.challenge)
    (to, mail), *more = box.mails
    assert (to, more) == (TO_TEAM, [])
    assert "does not answer" in str(mail["Subject"])
    text = mail.get_content()  # type: ignore[attr-defined]
    assert "service has not answered since" in text
    assert "没有应答" in text
    assert f"https://homes.example.org/submissions/{made.pk}/" in text
    assert str(mail["From"]) == "Homes <homes@example.org>"
    assert str(mail["Message-ID"]).endswith("@example.org>")


def test_a_mail_server_that_is_busy_is_tried_again_with_longer_pauses(make: Make, box: Mailbox) -> None:
    box.busy = 3
    crowded = approved(make, **rules(box))
    pauses = []
    for _ in range(4):
        before = timezone.now()
        assert deliver(crowded.challenge) == 1
        notice = Notice.objects.get()
        pauses.append(round((notice.next_at - before).total_seconds()))
        assert deliver(crowded.challenge) == 0
        Notice.objects.update(next_at=timezone.now())
    assert pauses[:3] == [60, 120, 240]
    assert len(box.mails) == 1
    notice = Notice.objects.get()
    assert (notice.state, notice.tries, notice.body, notice.said) == (Notice.State.SENT, 4, "", "")


def test_what_cannot_arrive_is_given_up_with_a_sentence(make: Make, box: Mailbox) -> None:
    box.refuse.add(TO_TEAM)
    crowded = approved(make, **rules(box))
    deliver(crowded.challenge)
    notice = Notice.objects.get()
    assert (notice.state, notice.tries, notice.body) == (Notice.State.GIVEN_UP, 1, "")
    page = crowded.visitor("organiser").get(reverse("organiser")).content.decode()
    assert "does not take mail for this address (550)" in page
    assert Event.objects.filter(action="notice_given_up").count() == 1
    assert events.broken() is None


def test_a_mail_server_that_is_away_until_the_deadline(make: Make, box: Mailbox) -> None:
    box.busy = 1000
    crowded = approved(make, **rules(box))
    for minutes, tried, state in ((0, 1, "waiting"), (30, 1, "waiting"), (30, 1, "given_up"), (600, 0, "given_up")):
        assert (deliver(crowded.challenge, minutes), Notice.objects.get().state) == (tried, state)
    assert "451" in Notice.objects.get().said


def test_the_webhook_hears_everything_and_can_trust_it(make: Make, hook: Hook) -> None:
    hook.answers = [503, 204]
    crowded = approved(make, **rules(hook=hook))
    deliver(crowded.challenge)
    assert "503" in Notice.objects.get().said
    Notice.objects.update(next_at=timezone.now())
    deliver(crowded.challenge)
    assert Notice.objects.get().state == Notice.State.SENT
    (headers, body), again = hook.seen
    assert again[1] == body
    expected = hmac.new(b"k" * 64, body, hashlib.sha256).hexdigest()
    assert headers["X-Nav-Eval-Signature"] == f"sha256={expected}"
    told = json.loads(body)
    assert (told["event"], told["facts"], told["competition"]) == ("team_approved", {"team": "Aurora"}, "homes")
    assert "Aurora" in told["text"]


@pytest.mark.parametrize(
    ("networks", "heard", "said"),
    [(("loopback",), 1, "answered 307"), (("public",), 0, "which is in no allowed network")],
)
def test_a_webhook_reaches_allowed_networks_only_and_is_not_followed_elsewhere(
    make: Make, hook: Hook, networks: tuple[str, ...], heard: int, said: str
) -> None:
    hook.answers = [307]
    crowded = approved(make, **rules(hook=hook, networks=networks))
    deliver(crowded.challenge)
    assert (len(hook.seen), said in Notice.objects.get().said) == (heard, True)


def tls_of(certificates: Path) -> ssl.SSLContext:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    return tls


PASSWORD = "canary-of-the-mail-server"


@pytest.mark.parametrize(
    ("offers", "known", "said"),
    [(True, True, ""), (True, False, "certificate verify failed"), (False, True, "STARTTLS extension not supported")],
)
def test_mail_turns_to_tls_before_anything_is_said(
    make: Make, certificates: Path, monkeypatch: pytest.MonkeyPatch, offers: bool, known: bool, said: str
) -> None:
    """By STARTTLS, the default. A server that does not offer it, or somebody else's, is told nothing: no password."""
    if known:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "authority.pem"))
    with mail_server(starttls=tls_of(certificates) if offers else None) as box:
        told = rules(box)
        told["mail"] |= {"security": "starttls", "user": "cup"}
        crowded = approved(make, **told)
        Folder(crowded.challenge.folder).write_secret("smtp.password", PASSWORD)
        deliver(crowded.challenge)
    notice = Notice.objects.get()
    assert (notice.state == Notice.State.SENT, said in notice.said) == (said == "", True)
    assert [to for to, _ in box.mails] == [TO_TEAM] * (said == "")
    assert box.users == [("cup", PASSWORD)] * (said == "")
    assert {line.split()[0].upper() for line in box.clear} <= {"EHLO", "STARTTLS", "QUIT"}


@pytest.mark.parametrize("known", [True, False])
def test_a_certificate_is_verified(
    make: Make, certificates: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """Of the mail server and of the webhook; `known`: its authority is one of this machine's."""
    if known:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "authority.pem"))
    tls = tls_of(certificates)
    with mail_server(tls) as box, listener(tls) as hook:
        told = rules(box, hook)
        told["mail"]["security"] = "tls"
        told["webhook"]["url"] = told["webhook"]["url"].replace("http:", "https:")
        crowded = approved(make, **told)
        deliver(crowded.challenge)
    assert (len(box.mails), len(hook.seen)) == ((1, 1) if known else (0, 0))
    assert all(known or "certificate verify failed" in notice.said for notice in Notice.objects.all())


def test_without_notify_nothing_is_written(make: Make) -> None:
    crowded = crowd(make(phases=PHASES))
    crowded.visitor("organiser").post(reverse("decide", args=[crowded.team.pk]), {"state": "approved"})
    assert not Notice.objects.exists()
    assert Team.objects.get(pk=crowded.team.pk).state == Team.State.APPROVED
