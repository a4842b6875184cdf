"""Accounts: the second factor, forgotten passwords, and what is left of a person who has been erased."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
import segno
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from nav_eval_server import appeals, events, privacy, second_factor
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Endpoint, Event, Membership, Notice, Submission, Team, Token, User
from nav_eval_server.notices.delivery import MailSender
from nav_eval_server.queue.states import State
from nav_eval_server.settings import current
from nav_eval_server.vault import Vault
from nav_eval_server.web import roster
from server.competition import phase
from server.conftest import Make
from server.crowd import PASSWORD, Crowd, crowd, person
from server.mailbox import Mailbox
from server.serving import nav_eval
from server.test_notices import PHASES, rules

AWAY = 302
RFC_KEY = base64.b32encode(b"12345678901234567890").decode()
RFC_6238 = [(59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (2000000000, "279037")]
"""Appendix B, the last six of its eight digits."""


@pytest.mark.parametrize(("seconds", "code"), RFC_6238)
def test_codes_are_those_of_the_rfc(seconds: int, code: str) -> None:
    now, step = datetime.fromtimestamp(seconds, UTC), seconds // 30
    assert second_factor.step_of(RFC_KEY, code, now) == step
    assert second_factor.step_of(RFC_KEY, f" {code[:3]} {code[3:]}", now) == step
    assert second_factor.step_of(RFC_KEY, code, now, after=step) is None
    late = datetime.fromtimestamp(seconds + 60, UTC)
    assert second_factor.step_of(RFC_KEY, code, late) is None


def code_of(secret: str, later: int = 0) -> str:
    """As an app shows it `later` steps from now."""
    app = TOTP(base64.b32decode(secret), 6, SHA1(), 30)
    return app.generate(int(timezone.now().timestamp()) + 30 * later).decode()


@pytest.fixture
def organiser(make: Make) -> Client:
    """Their browser, once they have logged in."""
    make(phases={"dev": phase()})
    person("organiser", is_staff=True)
    browser = client()
    password(browser)
    return browser


def client() -> Client:
    return Client(SERVER_NAME="localhost")


def logged_in(browser: Client) -> bool:
    return browser.get(reverse("organiser")).status_code == 200


def password(browser: Client) -> Any:
    return browser.post(reverse("login"), {"username": "organiser", "password": PASSWORD})


def enrolled(browser: Client) -> tuple[str, list[str]]:
    """The app's secret and the recovery codes, as the pages show them."""
    (secret,) = re.findall(r'class="secret">([A-Z2-7 ]{39})<', browser.get(reverse("second")).content.decode())
    key = secret.replace(" ", "")
    answer = browser.post(reverse("second"), {"code": code_of(key, -1)})
    return key, re.findall(r"<code>([0-9a-f]{10})</code>", answer.content.decode())


def test_the_picture_for_the_phone_is_the_link(organiser: Client) -> None:
    shown = organiser.get(reverse("second")).content.decode()
    (link,) = re.findall(r'href="(otpauth://[^"]+)"', shown)
    (drawn,) = re.findall(r' d="([^"]+)"', segno.make(unescape(link), micro=False).svg_inline())
    assert drawn in shown


def test_a_second_factor_is_asked_for_and_no_code_works_twice(organiser: Client) -> None:
    assert logged_in(organiser)
    secret, recovery = enrolled(organiser)
    assert len(set(recovery)) == second_factor.RECOVERY_CODES
    kept = User.objects.get(username="organiser")
    assert secret not in kept.sealed_totp
    assert not set(recovery) & set(kept.recovery)
    for code, then in ((code_of(secret), True), (code_of(secret), False), (recovery[0], True), (recovery[0], False)):
        other = client()
        assert password(other)["Location"] == reverse("code")
        assert not logged_in(other)
        other.post(reverse("code"), {"code": code})
        assert logged_in(other) is then
    organiser.post(reverse("second_off"), {"code": "000000"})
    assert User.objects.get().sealed_totp
    organiser.post(reverse("second_off"), {"code": recovery[1].upper()})
    assert not User.objects.get().sealed_totp
    assert password(client())["Location"] == reverse("organiser")
    actions = set(Event.objects.values_list("action", flat=True))
    assert {"second_factor_on", "recovery_code_used", "second_factor_off"} <= actions
    assert events.broken() is None


def test_codes_cannot_be_guessed(organiser: Client) -> None:
    secret, _ = enrolled(organiser)
    other = client()
    password(other)
    statuses = [other.post(reverse("code"), {"code": f"00000{n}"}).status_code for n in range(9)]
    assert statuses[-1] == 429
    other.post(reverse("code"), {"code": code_of(secret, 1)})
    assert not logged_in(other)


def test_another_organiser_lifts_a_lost_factor(organiser: Client) -> None:
    vault = Vault(Folder(current().folder))
    person("second", is_staff=True)
    lost = User.objects.get(username="second")
    second_factor.enable(lost, RFC_KEY, code_of(RFC_KEY), vault, timezone.now())
    assert "second" in organiser.get(reverse("people") + "?q=sec").content.decode()
    organiser.post(reverse("lift", args=[lost.pk]))
    assert not User.objects.get(pk=lost.pk).sealed_totp


def test_the_command_line_lets_an_organiser_in_again(organiser: Client) -> None:
    """Who has lost both password and phone, and everybody else's help."""
    enrolled(organiser)
    file = Folder(current().folder).challenge
    said = nav_eval("competition", "organiser", file, "--name", "organiser")
    assert said.returncode == 0, said.stderr
    (fresh,) = re.findall(r"password (\S+) ", said.stdout)
    assert password(client()).status_code == 200
    answer = client().post(reverse("login"), {"username": "organiser", "password": fresh})
    assert answer["Location"] == reverse("organiser")
    assert not logged_in(organiser)


def choose(link: str, new: str) -> Any:
    """Follow a link to a new password as a browser does."""
    browser = client()
    path = re.sub(r"^https?://[^/]+", "", link)
    where = browser.get(path)
    if where.status_code == AWAY:
        return browser.post(where["Location"], {"new_password1": new, "new_password2": new})
    return where


def test_a_forgotten_password(make: Make, box: Mailbox) -> None:
    challenge = make(phases={"dev": phase()}, notify=rules(box))
    person("organiser", is_staff=True, email="Ada@example.org")
    pages = []
    for email in ("ada@example.org", "nobody@example.org", "ada@example.org"):
        text = client().post(reverse("forgotten"), {"email": email}).content.decode()
        pages.append(re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text))
    assert pages[0] == pages[1] == pages[2]
    MailSender(challenge).deliver()
    ((to, mail),) = box.mails
    assert to == "Ada@example.org"
    (link,) = re.findall(r"http://localhost/\S+", mail.get_content())  # type: ignore[attr-defined]
    assert choose(link, "a new horse battery")["Location"] == reverse("login")
    assert User.objects.get().check_password("a new horse battery")
    assert "has been used" in choose(link, "another horse battery").content.decode()
    assert not Notice.objects.exclude(body="").exists()


def test_an_organiser_hands_over_a_link(organiser: Client) -> None:
    someone = person("someone")
    page = organiser.post(reverse("password_link", args=[someone.pk])).content.decode()
    (link,) = re.findall(r"http://localhost/[^<\s]+", page)
    choose(link, "a new horse battery")
    assert User.objects.get(username="someone").check_password("a new horse battery")
    assert Event.objects.filter(action="password_link", subject="someone", actor="organiser").exists()
    assert "sends no mail" in client().get(reverse("forgotten")).content.decode()


CANARY, EMAIL = "canary-person", "canary@example.org"


@pytest.fixture
def full(make: Make, box: Mailbox) -> Crowd:
    """A competition that one person has left traces of every kind in."""
    found = crowd(make(phases=PHASES, notify=rules(box)))
    user = person(CANARY, email=EMAIL)
    roster.join(found.team, user)
    Submission.objects.filter(pk=found.mine["done"].pk).update(user=user)
    appeals.appeal(found.challenge, found.mine["done"], "why?", user, timezone.now())
    roster.decide(found.challenge, found.team, Team.State.APPROVED, User.objects.get(username="organiser"))
    client().post(reverse("login"), {"username": CANARY, "password": "wrong"})
    found.visitor(CANARY).get(reverse("team"))
    return found


def traces(challenge: Challenge) -> set[str]:
    """Tables that name the person, read without Django."""
    with closing(sqlite3.connect(Folder(challenge.folder).database)) as database:
        lines = [line for line in database.iterdump() if CANARY in line or EMAIL in line]
    return {re.findall(r'"(\w+)"', line)[0] for line in lines}


def test_export_holds_all_and_erasure_leaves_the_log_only(full: Crowd) -> None:
    tables = traces(full.challenge)
    assert {"competition_user", "competition_event", "competition_notice", "axes_accessattempt"} <= tables
    browser = full.visitor(CANARY)
    told = json.loads(browser.get(reverse("export")).content)
    assert told["account"]["email"] == EMAIL
    assert [one["id"] for one in told["submissions"]] == [full.mine["done"].pk]
    assert all(told[name] for name in ("teams", "appeals", "notices", "logins", "audit_log"))
    browser.post(reverse("erase"), {"password": "wrong"})
    assert User.objects.filter(username=CANARY).exists()
    browser.post(reverse("erase"), {"password": PASSWORD})
    assert traces(full.challenge) == {"competition_event"}
    assert browser.get(reverse("team")).status_code == AWAY
    assert Submission.objects.get(pk=full.mine["done"].pk).state == State.DONE
    assert events.broken() is None


def test_the_team_goes_on_or_is_closed(full: Crowd) -> None:
    """The captain goes first; with the last one go services, tokens and what was running."""
    captain, helper = User.objects.get(username="member"), User.objects.get(username=CANARY)
    privacy.erase(full.challenge, captain, "organiser")
    assert Membership.objects.get(team=full.team).captain
    assert Endpoint.objects.filter(team=full.team).exists()
    browser = full.visitor("organiser")
    browser.post(reverse("erase_person", args=[helper.pk]), {"name": "another"})
    assert User.objects.filter(pk=helper.pk).exists()
    browser.post(reverse("erase_person", args=[helper.pk]), {"name": CANARY})
    assert not User.objects.filter(pk=helper.pk).exists()
    assert not Endpoint.objects.filter(team=full.team).exists()
    assert not Token.objects.filter(team=full.team, revoked_at=None).exists()
    assert Submission.objects.get(pk=full.mine["queued"].pk).state == State.CANCELLED
    assert not Submission.objects.filter(team=full.team).exclude(sealed_token="").exists()


def test_the_last_organiser_stays(full: Crowd) -> None:
    browser = full.visitor("organiser")
    answer = browser.post(reverse("erase"), {"password": PASSWORD}).content.decode()
    assert "The last organiser cannot be removed" in answer
    assert User.objects.filter(username="organiser").exists()
