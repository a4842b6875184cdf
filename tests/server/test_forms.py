"""Whoever is shown a form may send it: every form of every page, as each kind of visitor finds it, is accepted.

The other direction, who may do what, is in test_pages. Each form is sent by itself and then undone.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from nav_eval_server import appeals
from nav_eval_server.models import Endpoint, Membership, Team, User
from nav_eval_server.queue import slots
from nav_eval_server.web import roster
from server.competition import phase
from server.conftest import Make
from server.crowd import PASSWORD, Crowd, crowd, person
from server.test_pages import PAGES, address

ROLES = ("nobody", "newcomer", "member", "helper", "other", "waiting", "blocked", "organiser")
"""member, other: captains of two teams; helper: in member's team, no captain; waiting, blocked: captains, too."""
NOTHING_THERE = "http://127.0.0.1:9"
WRITTEN = {"email": "new@example.org", "password": PASSWORD, "number": "1", "file": "", "url": NOTHING_THERE}


@dataclass
class Form:
    """`data`: what a browser sends, less the button; `buttons`: names and values of those that can be pressed."""

    action: str
    data: dict[str, Any] = field(default_factory=dict)
    buttons: list[dict[str, str]] = field(default_factory=list)


class Forms(HTMLParser):
    """The forms of a page that post, filled in as a person would: what must be written is, of a list the first."""

    def __init__(self, at: str, text: str) -> None:
        super().__init__()
        self.at, self.found, self._form, self._select = at, list[Form](), Form(""), ""
        self._any = True
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        name = told.get("name", "")
        if tag == "form":
            self._form = Form(told.get("action", self.at))
            if told.get("method") == "post":
                self.found.append(self._form)
        elif tag == "select":
            self._select, self._any = name, "required" not in told
        elif tag == "option" and (self._any or told["value"]):
            self._form.data.setdefault(self._select, told["value"])
        elif tag == "button" and "disabled" not in told:
            self._form.buttons.append({name: told["value"]} if name else {})
        elif tag in ("input", "textarea"):
            self._form.data[name] = told.get("value") or (self._written(told) if "required" in told else "")

    @staticmethod
    def _written(told: dict[str, str]) -> Any:
        if told.get("type") == "file":
            return SimpleUploadedFile("file", b"Ada,ada@example.org" if "csv" in told.get("accept", "") else b"[]")
        return WRITTEN.get(told.get("inputmode", told.get("type", "")), "something")


@pytest.fixture
def full(make: Make) -> Crowd:
    """Every kind of form is on some page: hours are booked, an appeal is open, a file can be sent."""
    phases = {"dev": phase(), "hidden": phase() | {"board": "private"}, "files": phase("predictions")}
    found = crowd(make(phases=phases, slots={"per_week": 5}, dry_run={}, endpoints={"probe_seconds": 0.05}))
    Endpoint.objects.update(url=NOTHING_THERE)
    roster.join(found.team, person("helper"))
    person("newcomer")
    for name, state in (("waiting", Team.State.PENDING), ("blocked", Team.State.BLOCKED)):
        person(name, Team.objects.create(name=name, state=state))
    now = timezone.now()
    slots.book(found.challenge, found.team, slots.free_hours(found.challenge, now)[5], 1, "member", now)
    appeals.appeal(found.challenge, found.mine["failed"], "why?", User.objects.get(username="member"), now)
    return found


def pages(full: Crowd) -> list[str]:
    shown = {address(full, name, state) for name in PAGES for state in full.mine}
    return sorted(shown | {reverse("join", args=[roster.invitation(full.team)])})


@pytest.mark.parametrize("role", ROLES)
def test_every_form_that_is_shown_is_accepted(full: Crowd, role: str) -> None:
    sent: set[tuple[str, ...]] = set()
    visitor = full.visitor(role)
    visitor.handler.enforce_csrf_checks = True  # as a browser: a form is worth nothing without its page
    for page in pages(full):
        answer = visitor.get(page)
        text = answer.content.decode() if answer.status_code == 200 else ""
        for n, form in enumerate(Forms(page, text).found):
            for button in form.buttons:
                key = (form.action, *form.data, *(f"{name}={value}" for name, value in button.items()))
                if key not in sent:
                    sent.add(key)
                    assert press(visitor, Forms(page, text).found[n], button) == 200, (page, key)
    assert (role == "nobody") != (reverse("logout") in {action for action, *_ in sent})
    assert (role == "member") == any(action.endswith("/choose/") for action, *_ in sent)


def press(visitor: Client, form: Form, button: dict[str, str]) -> int:
    """The status of the page that a browser is at then."""
    cookies = deepcopy(visitor.cookies)
    with transaction.atomic():
        answer = visitor.post(form.action, form.data | button, follow=True)
        transaction.set_rollback(True)
    visitor.cookies = cookies
    return int(answer.status_code)


def test_a_captain_chooses_and_a_member_is_told_so(full: Crowd) -> None:
    """The member reads how many are chosen; the server accepts only the captain's choice."""
    page = address(full, "submission", "done")
    for role in ("member", "helper"):
        text = full.visitor(role).get(page).content.decode()
        assert ("0 of 1 are chosen" in text, "Your captain chooses" in text) == (True, role == "helper")
    choose = address(full, "choose", "done")
    assert full.visitor("helper").post(choose, {"chosen": "yes"}).status_code == 404
    Membership.objects.filter(user__username="helper").update(captain=True)
    assert full.visitor("helper").post(choose, {"chosen": "yes"}, follow=True).status_code == 200
