"""Names are once: who takes one that another has is told so; nobody is told whose an e-mail address is.

And an organiser's list of people: what a spreadsheet writes is read, each link lets one person in, and only once.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from nav_eval_server import events
from nav_eval_server.merging import merge_teams
from nav_eval_server.models import Event, Invitation, Membership, Method, Notice, Team, Token, User
from nav_eval_server.organising import rename
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.web import roster
from nav_eval_server.web.roster import Denied, create
from nav_eval_server.web.roster_file import Listed, read
from server.competition import phase
from server.conftest import Make
from server.crowd import PASSWORD, Crowd, crowd, person
from server.mailbox import Mailbox
from server.test_notices import deliver, rules

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


def test_a_taken_name_is_told(full: Crowd) -> None:
    """Of people and of teams, in the reader's language."""
    for name, (language, said) in product(("member", "MEMBER", "organiser", "mеmber", "0rganiser"), TAKEN.items()):
        answer = sign_up(name, language=language)
        assert (answer.status_code, errors(answer)) == (200, [("username", said)]), name
    teams = ("Aurora", "aurora", " Aurora ", "Аurоrа", "Auгога", "Ａurora", "AURΟRA", "Au rora")
    for name, (language, said) in product(teams, TAKEN.items()):
        answer = found_team(full, name, language)
        assert (answer.status_code, errors(answer)) == (200, [("name", said)]), name
    assert not Membership.objects.filter(user__username="third").exists()


def found_team(full: Crowd, name: str, language: str = "en") -> Any:
    if not User.objects.filter(username="third").exists():
        person("third")
    return full.visitor("third").post(reverse("team"), {"name": name}, headers={"accept-language": language})


def test_a_name_has_a_letter_can_be_seen_and_is_as_short_as_it_is_kept(full: Crowd) -> None:
    """One sign may stand for eighteen; a table of PostgreSQL takes no more than it says."""
    for names, said in (
        (("123", "--", "２３", "🙂🙂"), "Use one letter at least."),
        (("a\u202eb", "a\u200bb", "\ufdfa" * 4), SIGNS),
        (("a\x00b",), "Null characters are not allowed."),
        ((" ",), "This field is required."),
        (("x" * 61,), "Ensure this value has at most 60 characters (it has 61)."),
    ):
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


# An organiser's list of people


ADA, BO = Listed("Ada Byron", "ada@example.org", "Aurora"), Listed("王波", "bo@example.org", "")


@pytest.mark.parametrize(
    "data",
    [
        "Ada Byron,ada@example.org,Aurora\n王波,bo@example.org\n".encode(),
        "\ufeffname;email;team\r\nAda Byron;ADA@example.org;Aurora\r\n;;\r\n王波;bo@example.org;\r\n".encode(),
        "学号\t邮箱\t姓名\t队伍\n1\tada@example.org\t Ada  Byron \tAurora\n2\tbo@example.org\t王波\t\n".encode(),
        'E-Mail,Team,Name\n"ada@example.org","Aurora","Ada Byron"\nbo@example.org,,王波'.encode(),
    ],
)
def test_what_spreadsheets_write_is_read(data: bytes) -> None:
    assert read(data, ["Zenith"]) == ([ADA, BO], [])


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"name,email\nAda,ada@example.org\nBo,bo\n", 3, "not an e-mail address"),
        (b"Ada,ada@example.org\n\nBo,ADA@example.org\n", 3, "stands above"),
        (b"Ada,ada@example.org,A B\nBo,bo@example.org,Ab\n", 2, "looks like another"),
        (b"Ada,ada@example.org,zenith\n", 1, "looks like another"),
        (b"Ada,ada@example.org,12\n", 1, "one letter at least"),
        (b",ada@example.org\n", 1, "write name, email"),
        (b"Ada,ada@example.org,Aurora,more\n", 1, "write name, email"),
        ("Ada,ada@example.org\n王波,bo@example.org\n".encode("gbk"), 2, "not UTF-8"),
        (b"name,email\n", 1, "nobody stands"),
        (b"a,a@example.org\n" * 2001, 1, "more than 2000 lines"),
    ],
)
def test_what_is_wrong_is_told_by_its_line(data: bytes, line: int, said: str) -> None:
    found = read(data, ["Zenith"])[1]
    assert [(one.line, said in one.said["en"]) for one in found] == [(line, True)]


def upload(browser: Client, text: str) -> Any:
    return browser.post(reverse("listed"), {"roster": SimpleUploadedFile("r.csv", text.encode())}, follow=True)


def links(browser: Client) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(browser.get(reverse("links")).content.decode("utf-8-sig")))
    return {row["email"].partition("@")[0]: row["link"].removeprefix("http://localhost") for row in rows}


def signed_up(name: str, link: str) -> Client:
    """By the form that the link leads to."""
    browser = Client(SERVER_NAME="localhost")
    way = f"{reverse('signup')}?next={quote(link)}"
    assert way in browser.get(link).content.decode()
    told = {"username": name, "email": f"{name}@example.net", "next": link}
    told |= dict.fromkeys(("password1", "password2"), PASSWORD)
    assert browser.post(way, told)["Location"] == link
    return browser


def organiser() -> Client:
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(person("organiser", is_staff=True), "django.contrib.auth.backends.ModelBackend")
    return browser


def test_who_is_listed_is_let_in(make: Make) -> None:
    """Two of one team, one of a team of their own, one who had signed up before."""
    make(teams={"approval": True})
    office = organiser()
    person("dan", Team.objects.create(name="Dawn"))
    four = ("Ada,ada@example.org,Aurora", "Bo,bo@example.org,Aurora", "Cy,cy@example.org", "=Dan,dan@example.org")
    assert "This server sends no mail" in upload(office, "\n".join(four)).content.decode()
    sent = links(office)
    assert [*sent] == ["ada", "bo", "cy", "dan"]
    person("squatter")
    squatter = Client(SERVER_NAME="localhost")
    squatter.force_login(User.objects.get(username="squatter"), "django.contrib.auth.backends.ModelBackend")
    assert "This name is taken" in squatter.post(reverse("team"), {"name": "aurora"}).content.decode()
    for name in ("ada", "bo"):
        assert "Your team: Aurora" in (browser := signed_up(name, sent[name])).get(sent[name]).content.decode()
        assert browser.post(sent[name], {"name": "Mine"})["Location"] == reverse("team")
    cy = signed_up("cy", sent["cy"])
    assert "This name is taken" in cy.post(sent["cy"], {"name": "Dawn"}, follow=True).content.decode()
    cy.post(sent["cy"], {"name": "Cygnus"})
    dan = Client(SERVER_NAME="localhost")
    dan.force_login(User.objects.get(username="dan"), "django.contrib.auth.backends.ModelBackend")
    dan.post(sent["dan"])
    assert {*Team.objects.values_list("name", "state")} == {(name, "approved") for name in ("Aurora", "Cygnus", "Dawn")}
    captains = {row.user.username: row.captain for row in Membership.objects.select_related("user")}
    assert captains == {"ada": True, "bo": False, "cy": True, "dan": True}
    assert {squatter.get(link).status_code for link in sent.values()} == {404}
    assert links(office) == {}
    assert "Bo" in upload(office, "Bo,bo@example.org,Zenith").content.decode()
    assert Invitation.objects.get(email="bo@example.org").team == "Aurora"
    assert events.broken() is None


def test_an_invitation_follows_its_team_to_another_name(make: Make) -> None:
    """And no team takes the name of one that is listed, or of an agent of ours."""
    challenge, office = make(baselines=["random"]), organiser()
    lines = [f"{name},{name}@example.org,{team}" for name, team in zip("abcde", "AACCE", strict=True)]
    upload(office, "\n".join(f"{one}quila" for one in lines))
    sent, boss = links(office), User.objects.get(username="organiser")
    for name in "ac":
        signed_up(name, sent[name]).post(sent[name])
    one, other = (Team.objects.get(name=f"{letter}quila") for letter in "AC")
    for taken in ("Equila", "random"):
        with pytest.raises(Refusal, match="taken"):
            rename(challenge, one, taken, "Asked for.", boss, timezone.now())
    rename(challenge, one, "Zenith", "Asked for.", boss, timezone.now())
    merge_teams(challenge, other, one, "One lab.", boss, timezone.now())
    for name in "bd":
        signed_up(name, sent[name]).post(sent[name])
    assert [*Membership.objects.values_list("team__name", flat=True)] == ["Zenith"] * 4
    person("squatter")
    with pytest.raises(Denied):
        create(challenge, User.objects.get(username="squatter"), "Random")


def test_nothing_is_done_where_a_line_is_wrong(make: Make, box: Mailbox) -> None:
    challenge, office = make(notify=rules(box)), organiser()
    told = upload(office, "Ada,ada@example.org\nBo,bo\n")
    assert (told.status_code, "Line 2: this is not an e-mail address." in told.content.decode()) == (422, True)
    assert (Invitation.objects.count(), Notice.objects.count(), Event.objects.count()) == (0, 0, 0)
    upload(office, "Ada,ada@example.org\nBo,bo@example.org\n")
    office.post(reverse("withdraw", args=[Invitation.objects.get(name="Bo").pk]))
    upload(office, "Ada,ada@example.org,Aurora\n")
    deliver(challenge)
    assert sorted(to for to, _ in box.mails) == ["ada@example.org", "ada@example.org", "bo@example.org"]
    link = links(office)["ada"]
    assert all(link in mail.get_content() for to, mail in box.mails if to == "ada@example.org")  # type: ignore[attr-defined]
    assert [*links(office)] == ["ada"]
