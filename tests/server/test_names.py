"""Names are once: who takes one that another has is told so; nobody is told whose an e-mail address is."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from nav_eval_server.models import Membership, Method, Team, Token, User
from nav_eval_server.web import roster
from server.competition import phase
from server.conftest import Make
from server.crowd import PASSWORD, Crowd, crowd, person

TAKEN = {"en": "This name is taken. Choose another one.", "zh-CN": "该名称已被使用，请换一个。"}
SIGNS = "Use visible letters, digits and signs, 60 at most."


@pytest.fixture
def full(make: Make) -> Crowd:
    """With the person `member`, whose team is Aurora."""
    return crowd(make(phases={"dev": phase(), "hidden": phase()}))


def sign_up(name: str, email: str = "new@example.org", language: str = "en") -> Any:
    told = {"username": name, "email": email, "password1": PASSWORD, "password2": PASSWORD}
    return Client(SERVER_NAME="localhost").post(reverse("signup"), told, headers={"accept-language": language})


def errors(answer: Any) -> list[tuple[str, str]]:
    """Field and what is said of it."""
    return re.findall(r'class="errorlist" id="id_(\w+)_error"><li>(.+?)</li>', answer.content.decode())


@pytest.mark.parametrize("name", ["member", "MEMBER", "organiser", "mеmber", "0rganiser"])
def test_a_taken_user_name_is_told(full: Crowd, name: str) -> None:
    for language, said in TAKEN.items():
        answer = sign_up(name, language=language)
        assert (answer.status_code, errors(answer)) == (200, [("username", said)])


def found_team(full: Crowd, name: str, language: str = "en") -> Any:
    if not User.objects.filter(username="third").exists():
        person("third")
    return full.visitor("third").post(reverse("team"), {"name": name}, headers={"accept-language": language})


@pytest.mark.parametrize("name", ["Aurora", "aurora", " Aurora ", "Аurоrа", "Auгога", "Ａurora", "AURΟRA", "Au rora"])
def test_a_taken_team_name_is_told(full: Crowd, name: str) -> None:
    for language, said in TAKEN.items():
        answer = found_team(full, name, language)
        assert (answer.status_code, errors(answer)) == (200, [("name", said)])
    assert not Membership.objects.filter(user__username="third").exists()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("123", "--", "２３", "🙂🙂"), "Use one letter at least."),
        (("a\u202eb", "a\u200bb", "\ufdfa" * 4), SIGNS),
        (("a\x00b",), "Null characters are not allowed."),
        ((" ",), "This field is required."),
        (("x" * 61,), "Ensure this value has at most 60 characters (it has 61)."),
    ],
)
def test_a_name_has_a_letter_can_be_seen_and_is_as_short_as_it_is_kept(
    full: Crowd, names: tuple[str, ...], said: str
) -> None:
    """One sign may stand for eighteen; a table of PostgreSQL takes no more than it says."""
    for name in names:
        answer = found_team(full, name)
        assert (answer.status_code, errors(answer)) == (200, [("name", said)])
    assert not Membership.objects.filter(user__username="third").exists()


def test_names_of_people_and_tokens_are_as_short_as_they_are_kept(full: Crowd) -> None:
    assert errors(sign_up("\ufdfa" * 9))[0][0] == "username"
    full.visitor("member").post(reverse("new_token"), {"name": "\ufdfa" * 4})
    assert not Token.objects.filter(name__contains="صلى").exists()


@pytest.mark.parametrize("name", ["极光", "オーロラ", "Aurora 2", "Aurorae", "はこ", "はご"])
def test_other_names_are_free(full: Crowd, name: str) -> None:
    """Of two that differ by a mark that is part of a letter, too."""
    Team.objects.create(name="はこ" if name == "はご" else "はご")
    assert found_team(full, name).status_code == 302


def test_whose_an_address_is_is_not_told(full: Crowd) -> None:
    """Signing up answers the same for one that is known, whatever else is right or wrong."""
    User.objects.filter(username="member").update(email="known@example.org")
    for names in (("member", "member"), ("fresh", "fresh-fresh")):
        answers = [sign_up(name, f"{who}@example.org") for name, who in zip(names, ("KNOWN", "unknown"))]
        assert len({(one.status_code, one.headers.get("Location"), *errors(one)) for one in answers}) == 1
    assert User.objects.filter(username="fresh", email="KNOWN@example.org").exists()


def together(*deeds: Callable[[], object]) -> list[object]:
    """What each came to; all begin at once."""

    def do(deed: Callable[[], object]) -> object:
        try:
            return deed()
        except roster.Denied as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return [*pool.map(do, deeds)]


def test_of_two_at_once_one_is_told_that_the_name_is_taken(make: Make) -> None:
    """A button that is pressed twice: both are checked before one is entered, as hashing a password takes a while."""
    make()
    answers = together(*[lambda: sign_up("ada")] * 3)
    told = sorted((one.status_code, *errors(one)) for one in answers)  # type: ignore[attr-defined]
    assert told == [(200, ("username", TAKEN["en"]))] * 2 + [(302,)]
    assert User.objects.count() == 1


def test_what_an_entry_is_may_be_saved_twice_at_once(full: Crowd) -> None:
    address = reverse("about", args=[full.mine["done"].pk])
    browser = full.visitor("member")
    answers = together(*[lambda: browser.post(address, {"name": "Ours"})] * 4)
    assert [one.status_code for one in answers] == [302] * 4  # type: ignore[attr-defined]
    assert Method.objects.get().name == "Ours"


def test_of_two_teams_at_once_one_is_told_that_the_name_is_taken(make: Make) -> None:
    challenge = make()
    people = [person(f"person{n}") for n in range(4)]
    found = together(*[partial(roster.create, challenge, one, "Cygnus") for one in people])
    assert sorted(type(one).__name__ for one in found) == ["Denied"] * 3 + ["Team"]
    assert (Team.objects.count(), Membership.objects.count()) == (1, 1)
