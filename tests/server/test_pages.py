"""Who sees what: every address of the pages times four kinds of visitors; what they may do, and what they may not."""

from __future__ import annotations

import csv
import hashlib
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import django.contrib.auth
import pytest
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext, override

import nav_eval_server.web
from nav_eval_server import events
from nav_eval_server.archive import site
from nav_eval_server.board.places import Keeper
from nav_eval_server.folder import Folder
from nav_eval_server.models import (
    Endpoint,
    Event,
    Mark,
    Membership,
    Method,
    Ranking,
    Result,
    Submission,
    Team,
    Token,
    User,
)
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import State
from nav_eval_server.web import alike, rate_limit, roster, urls
from nav_eval_server.web.columns import columns
from nav_eval_server.web.rules import facts
from nav_eval_server.web.standings import standings
from server.boards import done
from server.competition import phase
from server.conftest import Make
from server.crowd import (
    EPISODE,
    HIDDEN,
    NOTE,
    OTHER_FIGURE,
    PASSWORD,
    SCENE,
    SCORE,
    SEED,
    SERVICE,
    SERVICE_TOKEN,
    SHOWN,
    Crowd,
    crowd,
    person,
)
from server.site_of_ones_own import write_site

WEB = Path(nav_eval_server.web.__file__).parent
VISITORS = ("nobody", "member", "other", "organiser")
AWAY = 302
MSGID, CHINESE = r'^msgid "(.+)"$', Path("locale", "zh_Hans", "LC_MESSAGES", "django.po")
FOREIGN = re.compile(r"""<style|<script(?! src="/static/)|\sstyle=|\son\w+=|(?:src|href|action)="(?:https?:)?//""")
"""Inline code, or an address of somebody else's."""
SEEN: Mapping[tuple[int, int, int, int], str] = {
    (200, 200, 200, 200): "front board entry page signup forgotten new_password",
    (200, AWAY, AWAY, AWAY): "login",
    (AWAY, AWAY, AWAY, AWAY): "code terms",
    (AWAY, 200, 200, 200): "account password second export erase team",
    (AWAY, 200, 404, 200): "submission progress",
    (AWAY, 200, 404, AWAY): "about",
    (AWAY, 404, 404, 404): "join record",
    (404, 404, 404, 200): "organiser log people export_person manage workers announce listed links",
    (404, 404, 404, 404): "entry_report entry_file entry_archive page_file accept",
    (503, 503, 503, 503): "healthz",
}
"""What GET answers to nobody, a member of the team that owns the thing, a member of another, an organiser."""
PAGES = {name: statuses for statuses, names in SEEN.items() for name in names.split()}
PHASES = {"dev": phase(), "hidden": phase() | {"board": "private"}}
ORGANISERS = ("decide", "assign", "rerun", "void", "close", "reveal", "password_link", "lift", "erase_person", "place",
              "move", "revoke", "decide_all", "judge", "merge_person", "withdraw")  # fmt: skip
ANYBODYS = ("logout", "set_language", "new_token", "save_service")
DEEDS = (*ORGANISERS, *ANYBODYS, "probe_service", "remove_service", "revoke_token", "submit", "cancel", "choose",
         "remove_member", "appeal", "second_off", "book", "give_back")  # fmt: skip
"""What is done by POST only."""
REFUSED = {
    "nobody": [name for name in DEEDS if name not in ANYBODYS],
    "other": [name for name in DEEDS if name not in ANYBODYS],
    "member": [*ORGANISERS, "manage", "announce"],
}
RECORDS = ("log", "export", "export_person", "links")
"""Which programs read too, so that they are in English."""
PEOPLE = ("remove_member", "password_link", "lift", "export_person", "erase_person", "merge_person")


@pytest.fixture
def full(make: Make) -> Crowd:
    made = make(evaluation={"seed": SEED}, phases=PHASES)
    place = write_site(made.folder)
    for foot in place.glob("foot.*"):
        foot.unlink()  # which has links to elsewhere
    return crowd(made)


def address(full: Crowd, name: str, state: str = "done") -> str:
    (pattern,) = (p for p in urls.urlpatterns if isinstance(p, URLPattern) and p.name == name)
    values: dict[str, Callable[[], object]] = {
        "key": lambda: full.mine[state].pk,
        "phase": lambda: "hidden" if state == "hidden" else "dev",
        "invitation": lambda: "forged",
        "name": lambda: "rules" if name == "page" else "episodes.jsonl",
        "uidb64": lambda: "MQ",
        "token": lambda: "forged",
        "pk": lambda: number(full, name),
    }
    return reverse(name, kwargs={key: values[key]() for key in pattern.pattern.converters})


def number(full: Crowd, name: str) -> int:
    """Of what an address is about."""
    if name in PEOPLE:
        return User.objects.get(username="member").pk
    if name in ("decide", "assign", "manage"):
        return full.team.pk
    if name == "revoke":
        return Token.objects.filter(scope=Token.Scope.WORKER).latest("pk").pk
    if name == "revoke_token":
        return Token.objects.get(name="canary-token").pk
    return Endpoint.objects.get().pk


def test_a_first_page_begins_with_what_counts_now_and_says_how_it_is_counted(make: Make) -> None:
    ended, coming = {"closes": "2021-01-01T00:00"}, {"opens": "2098-01-01T00:00"}
    changes = {"first": ended, "dev": {"finals": 3, "ladder": 0.05}, "standard": {}, "final": coming}
    challenge = make(phases={name: phase() | change for name, change in changes.items()})
    Keeper(challenge).refresh(timezone.now())

    def read(path: str, language: str = "en") -> str:
        return Client(SERVER_NAME="localhost", headers={"Accept-Language": language}).get(path).content.decode()

    for language, said in (("en", "Now"), ("zh-hans", "当前阶段")):
        order = re.findall(r'<h3>\s*<a href="/board/(\w+)/', read("/", language))
        assert order == ["standard", "dev", "final", "first"]
        assert re.search(rf'<dt>{said}</dt>\s*<dd><a href="/board/standard/">', read("/", language))
    for text, count in (("3 for each team", 1), ("1 for each team", 3), ("only by more than 0.05", 1)):
        assert read("/").count(text) == count, text
    told = read("/board/final/")
    assert re.search(r"This phase opens at (<[^>]*>)*2098-01-01", told)
    assert ("No entry" in told, "No entry is finished yet" in read("/board/standard/")) == (False, True)


def test_the_tables_above_name_every_address() -> None:
    named = {pattern.name for pattern in urls.urlpatterns}
    assert named == set(PAGES) | set(DEEDS)
    others = [str(p.pattern) for p in get_resolver().url_patterns]
    assert others == ["api/v1/", ""]


def secrets_of(full: Crowd) -> Iterator[str]:
    """Nobody's, whoever asks."""
    folder = Folder(full.challenge.folder)
    yield from (path.read_text().strip() for path in folder.private.iterdir())
    yield from (full.token, SERVICE_TOKEN, str(SEED), SCENE, EPISODE, str(folder.path))
    yield str(full.challenge.evaluation["dataset"]["data_path"])
    yield from Endpoint.objects.values_list("sealed_token", flat=True)
    yield from Token.objects.values_list("digest", flat=True)
    yield from User.objects.values_list("password", flat=True)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("visitor", VISITORS)
def test_every_page_to_every_visitor(full: Crowd, visitor: str, language: str) -> None:
    """Its status, what it tells nobody, and that it is whole, in one language."""
    client = full.visitor(visitor)
    hidden = [*secrets_of(full)]
    if visitor not in ("member", "organiser"):
        unknown = (made.pk for state, made in full.mine.items() if state != "done")  # which is on the board
        hidden += [SERVICE, "canary-endpoint", f"{OTHER_FIGURE}", SHOWN[OTHER_FIGURE], *unknown]
    if visitor != "organiser":
        hidden += [NOTE, "Bobby", f"{HIDDEN}", SHOWN[HIDDEN]]
    if visitor != "member":
        hidden += ["canary-token"]
    more = [("progress", "hidden"), ("board", "hidden"), *(("submission", state) for state in full.mine)]
    for name, state in dict.fromkeys([*((name, "done") for name in PAGES), *more]):
        answer = client.get(address(full, name, state), headers={"accept-language": language})
        assert answer.status_code == PAGES[name][VISITORS.index(visitor)], name
        text = unescape(answer.content.decode())
        asked = [full.mine[state].pk] if answer.status_code == AWAY else []  # the address that was asked for
        assert [secret for secret in hidden if secret in text and secret not in asked] == [], name
        assert answer["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'")
        assert not FOREIGN.search(text), name
        raw = answer.content.decode()
        assert "<b>Bobby" not in raw  # names are text
        assert "&lt;b&gt;Bobby" in raw or (name, visitor) != ("organiser", "organiser")
        headings = re.findall(r"<h2[^>]*>(.+?)</h2>", raw)
        assert len(headings) == len(set(headings)), (name, state)
        assert not re.search(r"</h2>\s*(</section>|<h2)", raw), (name, state)
        if language == "zh-CN" and answer.status_code == 200 and name not in RECORDS:
            words = re.sub(r"<[^>]+>|&#?\w+;", " ", raw)
            assert not re.search(r"\b(the|your|of|and|submission|team|since)\b", words), name
            assert "你" not in words, name  # our pages say 您; Django's own words said the other


def test_absent_and_hidden_look_the_same(full: Crowd) -> None:
    other = full.visitor("other")
    for name, state, path in (("submission", "done", "submissions"), ("entry", "hidden", "entries")):
        hidden, absent = other.get(address(full, name, state)), other.get(f"/{path}/000000000000/")
        assert (hidden.status_code, without_token(hidden)) == (404, without_token(absent))


def without_token(answer: Any) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="\w+"', b"", answer.content)


def everything() -> list[Any]:
    rows = [model.objects.order_by("pk").values_list() for model in (Submission, Team, Endpoint, Token, Membership)]
    return [list(row) for row in rows] + [Event.objects.count()]


@pytest.mark.parametrize("visitor", REFUSED)
@pytest.mark.parametrize("state", ["running", "failed"])
def test_nobody_changes_what_is_not_theirs(full: Crowd, visitor: str, state: str) -> None:
    """Another team's, and of one's own what organisers decide."""
    client, before = full.visitor(visitor), everything()
    data = {"phase": "dev", "endpoint": Endpoint.objects.get().pk, "reason": "because", "state": "blocked"}
    for name in REFUSED[visitor]:
        answer = client.post(address(full, name, state), data | {"role": "oracle"})
        assert answer.status_code in ((404,) if visitor == "member" else (AWAY, 404)), name
    assert everything() == before


def test_only_captains_remove_and_not_the_last(full: Crowd) -> None:
    client, second = full.visitor("member"), person("second")
    roster.join(full.team, second)
    assert full.visitor("second").post(address(full, "remove_member")).status_code == 404
    assert client.post(reverse("remove_member", args=[second.pk])).status_code == AWAY
    assert roster.team_of(second) is None
    assert client.post(address(full, "remove_member")).status_code == AWAY
    assert roster.team_of(User.objects.get(username="member")) == full.team


def test_what_changes_something_wants_post_and_a_token(full: Crowd) -> None:
    client = full.visitor("organiser")
    strict = Client(enforce_csrf_checks=True, SERVER_NAME="localhost")
    strict.cookies = client.cookies
    answers = {
        name: (client.get(address(full, name)).status_code, strict.post(address(full, name)).status_code)
        for name in DEEDS
        if name != "set_language"
    }
    assert answers == dict.fromkeys(answers, (405, 403))
    # Its form stands on pages that all share.
    assert strict.post(address(full, "set_language")).status_code == AWAY


def test_sign_up_found_invite_join(make: Make) -> None:
    make(teams={"approval": True})
    captain, friend = Client(SERVER_NAME="localhost"), Client(SERVER_NAME="localhost")
    for client, name in ((captain, "ada"), (friend, "bob")):
        told = {"username": name, "email": f"{name}@example.org", "password1": PASSWORD, "password2": PASSWORD}
        assert client.post(reverse("signup"), told).status_code == AWAY
    captain.post(reverse("team"), {"name": "Cygnus"})
    (link,) = re.findall(r'value="http://localhost(/team/join/[^"]+)"', captain.get(reverse("team")).content.decode())
    assert "Cygnus" in friend.get(link).content.decode()
    friend.post(link)
    team = Team.objects.get(name="Cygnus")
    assert team.state == Team.State.PENDING
    assert {m.user.username: m.captain for m in Membership.objects.filter(team=team)} == {"ada": True, "bob": False}
    friend.post(reverse("team"), {"name": "Second"})
    assert Team.objects.count() == 1
    assert events.broken() is None


def test_a_token_is_shown_once_and_works(full: Crowd) -> None:
    client = full.visitor("member")
    made = client.post(reverse("new_token"), {"name": "ci"}).content.decode()
    (shown,) = {*re.findall(r"nav_team_[\w-]+", made)}
    assert shown not in client.get(reverse("team")).content.decode()
    client.post(reverse("revoke_token", args=[Token.objects.get(name="ci").pk]))
    assert Token.objects.get(name="ci").revoked_at is not None


def test_submit_cancel_and_what_is_refused(full: Crowd) -> None:
    client = full.visitor("member")
    form = {"phase": "dev", "endpoint": Endpoint.objects.get().pk, "key": "one"}
    first, again = client.post(reverse("submit"), form), client.post(reverse("submit"), form)
    assert first["Location"] == again["Location"]
    made = Submission.objects.get(idempotency_key="one")
    client.post(reverse("cancel", args=[made.pk]))
    assert Submission.objects.get(pk=made.pk).state == State.CANCELLED
    Team.objects.update(state=Team.State.BLOCKED)
    told = client.post(reverse("submit"), form | {"key": "two"}, follow=True)
    assert "Your team is blocked. Write to the organisers." in told.content.decode()


def test_the_page_of_the_log_says_whether_it_was_changed(full: Crowd) -> None:
    client = full.visitor("organiser")
    client.post(address(full, "decide"), {"state": "blocked"})
    assert Event.objects.filter(action="team_blocked", actor="organiser", subject="Aurora").exists()
    assert "The chain holds" in client.get(reverse("log")).content.decode()
    Event.objects.filter(action="team_blocked").update(actor="somebody")
    assert "The chain is broken at event" in client.get(reverse("log")).content.decode()


def test_a_board_names_the_sensors_of_an_entry_in_the_readers_language(full: Crowd) -> None:
    """Of its results.json; one from before that named them has a dash."""
    board = reverse("board", args=["dev"])

    def told(language: str) -> str:
        page = full.visitor("nobody").get(board, headers={"accept-language": language}).content.decode()
        return re.findall(r'<td class="roomy quiet">([^<]*)</td>', page)[0]

    assert told("en") == "–"
    for result in Result.objects.all():
        result.document |= {"sensor_class": "RGB-D+pose", "convention": "duet"}
        result.save()
    assert (told("en"), told("zh-hans")) == ("RGB-D + pose", "RGB-D + 位姿")
    assert '<span class="of">dev · duet</span>' in full.visitor("nobody").get(board).content.decode()
    (shown,) = standings("dev", AnonymousUser())
    row = next(csv.DictReader(shown.table.splitlines()))
    assert (shown.published["convention"], row["convention"]) == ("duet", "duet")


def test_a_team_says_what_its_entry_is_and_a_board_shows_one_class_of_sensors(full: Crowd) -> None:
    client, away = full.visitor("member"), full.visitor("nobody")
    board, page = reverse("board", args=["dev"]), address(full, "about")
    whole, *_, without = full.challenge.conditions.sensor_classes
    told = {"name": "Way <b>", "affiliation": "A Lab", "paper": "https://paper.example/1", "sensors": without}
    for wrong in ({"paper": "javascript:alert(1)"}, {"code": "ftp://a.example"}, {"sensors": "smell"}):
        assert client.post(page, told | wrong).status_code == 200
    assert not Method.objects.exists()
    assert full.visitor("other").post(page, told).status_code == 404
    assert client.post(page, told).status_code == AWAY
    assert 'value="Way &lt;b&gt;"' in client.get(address(full, "about", "running")).content.decode()  # of the last one
    other = done(Team.objects.get(name="Borealis"), {(SCENE, f"{EPISODE}-{n}"): 0.5 for n in range(12)}).result
    other.document |= {"sensor_class": whole}
    other.save()
    done(Team.objects.create(name="stop", role="baseline"), {(SCENE, f"{EPISODE}-{n}"): 0.0 for n in range(12)})
    Keeper(full.challenge).refresh(timezone.now())

    def teams(query: str) -> list[str]:
        return re.findall(r'<a href="/entries/[^"]+"><bdi>(\w+)<', away.get(f"{board}{query}").content.decode())

    assert (teams(""), teams("?sensors=smell")) == (["Aurora", "Borealis", "stop"],) * 2
    assert teams(f"?sensors={quote(whole)}") == ["Borealis", "stop"]
    assert teams(f"?sensors={without}") == ["Aurora", "stop"]
    own = away.get(address(full, "entry")).content.decode()
    assert [text in own for text in ("Way &lt;b&gt;", "<dd>no camera</dd>")] == [True, True]
    assert "A Lab" in away.get(board).content.decode()
    assert re.search('<a href="https://paper.example/1" rel="[^"]*nofollow[^"]*">', own)
    (shown,) = standings("dev", AnonymousUser())
    assert shown.published["entries"][0]["method"] == told
    assert next(csv.DictReader(shown.table.splitlines()))["method_paper"] == told["paper"]
    again = Dispatcher(full.challenge).rerun(full.mine["done"], "organiser", "a fault of ours")
    assert Method.objects.get().submission_id == again.pk


def test_board_and_entry_say_what_an_episode_cost_where_the_service_tells(full: Crowd) -> None:
    client, board = full.visitor("nobody"), reverse("board", args=["dev"])
    assert "Tokens per episode" not in client.get(board).content.decode()
    result = Result.objects.filter(submission__phase="dev").first()
    assert result is not None
    result.document["usage"] = {"per_episode": {"input_tokens": 41200.5, "output_tokens": 80, "cost.USD": 0.0821}}
    result.save()

    def read(page: str, language: str) -> str:
        return client.get(page, headers={"accept-language": language}).content.decode()

    own = reverse("entry", args=[result.submission_id])
    for language, head, cost in (("en", "Tokens per episode", "Cost"), ("zh-hans", "每回合词元数", "费用")):
        columns = re.findall(r'class="number roomy">([^<]*)<', read(board, language))
        assert (columns[0:2], columns[4:6]) == ([head, cost], ["41,280", "0.0821 USD"])
        told = re.findall(r'<th scope="row">([^<]*)</th><td class="number">([^<]*)<', read(own, language))
        assert [amount for _, amount in told] == ["41,200.5", "80.0", "0.0821 USD"]
        assert told[2][0] == cost


def test_organisers_say_which_team_is_a_baseline(full: Crowd) -> None:
    """The board marks it and ranks it no more; the audit log says who did it, once."""
    board, organiser = reverse("board", args=["dev"]), full.visitor("organiser")
    assert organiser.post(address(full, "assign"), {"role": "winner"}).status_code == 404
    for _ in range(2):
        assert organiser.post(address(full, "assign"), {"role": "baseline"}).status_code == AWAY
    assert Team.objects.get(pk=full.team.pk).role == "baseline"
    told = Event.objects.filter(action="team_role").values_list("actor", "subject", "details")
    assert [*told] == [("organiser", "Aurora", {"role": "baseline"})]
    assert events.broken() is None
    assert '<option value="baseline" selected>' in organiser.get(reverse("organiser")).content.decode()

    def first_line() -> str:
        Keeper(full.challenge).refresh(timezone.now())
        return full.visitor("nobody").get(board).content.decode().split("<tbody>")[1].split("</tr>")[0]

    found = re.findall(r'class="(measured|first)"|<td class="place">\s*(.)|<span class="badge">(\w+)', first_line())
    assert found == [("measured", "", ""), ("", "–", ""), ("", "", "baseline")]
    organiser.post(address(full, "assign"), {"role": "team"})
    assert ('class="first"' in first_line(), "badge" in first_line()) == (True, False)


def test_finals_are_chosen_and_a_private_board_is_revealed(full: Crowd) -> None:
    member, organiser, nobody = (full.visitor(name) for name in ("member", "organiser", "nobody"))
    assert "SPL" in full.visitor("nobody").get("/board/dev/").content.decode()
    member.post(address(full, "choose", "hidden"), {"chosen": "yes"})
    assert Submission.objects.get(pk=full.mine["hidden"].pk).chosen_at is not None
    page = unescape(member.get(address(full, "submission", "hidden")).content.decode())
    assert re.search(r"1 of 1 are chosen; this may be changed until <time [^>]+>2099-01-01 00:00", page)
    assert member.get(reverse("team")).content.decode().count("chosen for the final board") == 1
    for wrong in ({"chosen": "1"}, {}):
        assert member.post(address(full, "choose", "hidden"), wrong).status_code == 404
    assert Submission.objects.get(pk=full.mine["hidden"].pk).chosen_at is not None
    told = organiser.post(reverse("reveal", args=["hidden"]), follow=True).content.decode()
    assert "The phase hidden still takes submissions." in told
    organiser.post(reverse("close", args=["hidden"]))
    assert SHOWN[HIDDEN] in organiser.get("/board/hidden/").content.decode()
    assert SHOWN[HIDDEN] not in nobody.get("/board/hidden/").content.decode()
    organiser.post(reverse("reveal", args=["hidden"]))
    assert SHOWN[HIDDEN] in nobody.get("/board/hidden/").content.decode()


def test_a_phase_that_was_closed_early_shows_when(full: Crowd, tmp_path: Path) -> None:
    """Wherever its end is shown: to organisers, on the first page and the board's, to programs, and published."""
    moment, planned = timezone.now().strftime("%Y-%m-%d"), "2099-01-01"
    full.visitor("organiser").post(reverse("close", args=["dev"]))
    full.visitor("organiser").post(reverse("close", args=["hidden"]))
    site.write(full.challenge, tmp_path, [], None, timezone.now())
    pages = [full.visitor("organiser").get(path).content.decode() for path in ("/organiser/", "/", "/board/dev/")]
    bearer = {"authorization": f"Bearer {full.token}"}
    pages += [Client(SERVER_NAME="localhost").get("/api/v1/phases", headers=bearer).content.decode()]
    for text in (*pages, (tmp_path / "index.html").read_text()):
        assert (planned in text, moment in text) == (False, True)


def test_a_page_reveals_once_and_freezes_as_the_command_does(full: Crowd) -> None:
    """Again only after the board has changed: the page offers nothing that is refused."""
    organiser, address = full.visitor("organiser"), reverse("reveal", args=["hidden"])
    frozen = Folder(full.challenge.folder).path / "state" / "frozen" / "hidden.json"
    organiser.post(reverse("close", args=["hidden"]))
    told = Event.objects.get(action="frozen", subject="hidden").details
    assert told == {"sha256": hashlib.sha256(frozen.read_bytes()).hexdigest()}

    def page() -> tuple[bool, bool]:
        text = organiser.get(reverse("organiser")).content.decode()
        return f'action="{address}"' in text, ">revealed<" in text

    assert page() == (True, False)
    organiser.post(address)
    assert page() == (False, True)
    assert "is revealed already" in organiser.post(address, follow=True).content.decode()
    assert Event.objects.filter(action="revealed").count() == 1
    Dispatcher(full.challenge).void(full.mine["hidden"], "cheated", "organiser")
    assert page() == (True, True)
    organiser.post(address)
    assert page() == (False, True)
    assert [Event.objects.filter(action=name).count() for name in ("revealed", "frozen")] == [2, 2]
    assert events.broken() is None


def test_guessing_passwords_is_shut_out(full: Crowd) -> None:
    client, wrong = Client(SERVER_NAME="localhost"), {"username": "member"}
    statuses = [client.post(reverse("login"), wrong | {"password": f"x{n}"}).status_code for n in range(9)]
    assert statuses == [200] * 7 + [429] * 2
    right = {"username": "member", "password": PASSWORD}
    assert client.post(reverse("login"), right).status_code == 429
    elsewhere = Client(SERVER_NAME="localhost", REMOTE_ADDR="192.0.2.7")
    assert elsewhere.post(reverse("login"), right).status_code == AWAY


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::"),
        ("fe80::1%eth0", "fe80::"),
        ("192.0.2.7:443", "unknown"),
        ("", "unknown"),
    ],
)
def test_who_knocks(address: str, network: str) -> None:
    assert rate_limit.network(RequestFactory(REMOTE_ADDR=address).get("/")) == network


@pytest.mark.parametrize(("door", "most"), [("signup", 200), ("login", 200), ("forgotten", 30)])
def test_posting_often_is_shut_out_come_what_may(
    make: Make, monkeypatch: pytest.MonkeyPatch, door: str, most: int
) -> None:
    """One answer for a name that there is and one that there is not; who shares the /64 is shut out too. Forty students
    behind one address, each with four mistakes, are not.
    """
    monkeypatch.setattr(rate_limit, "time", SimpleNamespace(time=lambda: 1e9))  # no quarter ends meanwhile
    make()
    person("ada")
    here, there = (Client(SERVER_NAME="localhost", REMOTE_ADDR=f"2001:db8::{n}") for n in (1, 2))
    elsewhere = Client(SERVER_NAME="localhost", REMOTE_ADDR="2001:db8:0:1::1")
    told = [{"username": name} for name in ("ada", "nobody")]
    before = {here.post(reverse(door), told[n % 2]).status_code for n in range(most)}
    shut = [client.post(reverse(door), one) for one in told for client in (here, there)]
    assert (before, {one.status_code for one in shut}, len({without_token(one) for one in shut})) == ({200}, {429}, 1)
    assert 0 < int(shut[0]["Retry-After"]) <= 900
    assert elsewhere.post(reverse(door), told[0]).status_code == 200
    assert here.get(reverse(door)).status_code == 200


def test_the_login_tells_nothing_sends_nobody_elsewhere_and_keeps_its_cookies_on_tls(full: Crowd) -> None:
    """A wrong name and a wrong password look the same."""

    def log_in(**more: str) -> Any:
        told = {"username": "member", "password": PASSWORD} | more
        return Client(SERVER_NAME="localhost").post(reverse("login"), told, secure=True)

    pages = [log_in(password="x", username=name).content.decode() for name in ("member", "xyz")]
    errors = [re.findall(r"errorlist.*?</ul>", page, re.S) for page in pages]
    assert errors[0] == errors[1] != []
    answer = log_in(next="https://evil.example/")
    assert answer["Location"] == reverse("team")
    assert all(cookie["secure"] for cookie in answer.cookies.values())
    assert (answer.cookies["sessionid"]["httponly"], answer.cookies["sessionid"]["samesite"]) == (True, "Lax")


def test_a_number_of_too_many_digits_is_no_fault_of_ours(full: Crowd) -> None:
    member, organiser = full.visitor("member"), full.visitor("organiser")
    for digits in ("9" * 5000, "٣" * 5000, "9" * 30):
        assert member.post(reverse("submit"), {"phase": "dev", "endpoint": digits}).status_code == 404
        for page in (f"/team/services/{digits}/remove/", f"/team/tokens/{digits}/revoke/"):
            assert member.post(page).status_code == 404
        told = {"deed": "grant", "places": digits, "phase": "dev", "reason": "x"}
        answer = organiser.post(reverse("manage", args=[full.team.pk]), told, follow=True)
        assert (answer.status_code, b"Grant 1 to 100 submissions." in answer.content) == (200, True)


def words() -> set[str]:
    """Every text of the sources that is meant to be translated, as a catalogue has it; of plurals the singular."""
    pages = re.compile(r"""{% translate ["'](.+?)["'] %}""")
    code = re.compile(r'(?:\b_|gettext_lazy|ngettext)\(\s*"(.+?)"\s*[,)]')
    found = {text for file in WEB.rglob("*.html") for text in pages.findall(file.read_text())}
    return found | formats() | {text for file in WEB.glob("*.py") for text in code.findall(file.read_text())}


def formats() -> set[str]:
    """Those in which a page fills in what stands in %(...)s."""
    block = re.compile(r"{% blocktranslate[^%]*%}(.+?)(?:{% plural %}.+?)?{% endblocktranslate %}", re.S)
    pages = (file.read_text() for file in WEB.rglob("*.html"))
    return {re.sub(r"{{ (\w+) }}", r"%(\1)s", " ".join(text.split())) for page in pages for text in block.findall(page)}


def test_what_a_page_fills_in_can_be_filled_in_in_chinese() -> None:
    """Where it cannot, as in "95% of", Django shows the English without a word."""
    with override("zh-hans"):
        for text in formats():
            assert (ngettext(text, text, 1) if gettext(text) == text else gettext(text)) % defaultdict(str)


def test_every_word_is_there_in_chinese_and_no_other() -> None:
    """Against the sources; the catalogue in use is the compiled one."""
    found = words()
    assert len(found) > 120
    with override("zh-hans"):
        assert sorted(text for text in found if gettext(text) == text and ngettext(text, text, 1) == text) == []
    catalogue = (WEB / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po").read_text()
    own, djangos = catalogue.split("# Django's own words")
    assert sorted(text for text in re.findall(MSGID, own, re.M) if text not in found) == []
    theirs = (Path(django.contrib.auth.__file__).parent / CHINESE).read_text()
    assert set(re.findall(MSGID, djangos, re.M)) <= set(re.findall(MSGID, theirs, re.M))


def test_the_rules_tell_of_chunks_and_of_a_world_that_does_not_wait(make: Make) -> None:
    challenge = make()
    before = facts(challenge)
    rules = {"max_chunk": 8, "clock": "charged", "latency_s": 0.25}
    told = challenge.evaluation | {"evaluation": {**(challenge.evaluation.get("evaluation") or {}), **rules}}
    new = [fact for fact in facts(challenge.model_copy(update={"evaluation": told})) if fact not in before]
    assert [text for _, text in new] == ["8", "0.5 s", "0.25 s"]


def test_a_phase_has_one_word_in_chinese() -> None:
    """On the pages, in the API's refusals and in the documentation."""
    with override("zh-hans"):
        assert {gettext("Phase"), gettext("Phases")} == {"阶段"}
    root = Path(__file__).parents[2]
    texts = [*(root / "docs" / "zh").rglob("*.md"), *WEB.parent.rglob("*.py"), *WEB.rglob("*.po")]
    assert [file.name for file in texts if "赛程" in file.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(("language", "folder"), [("en", "docs"), ("zh-hans", "docs/zh")])
def test_the_documentation_calls_the_counts_what_boards_call_them(language: str, folder: str) -> None:
    text = (Path(__file__).parents[2] / folder / "concepts" / "competition-server.md").read_text(encoding="utf-8")
    with override(language):
        titles = [column.title for column in columns([], {}) if column.name in ("failed", "excluded")]
    quoted = "`{}`" if language == "en" else "“{}”"
    assert len(titles) == 2
    assert [title for title in titles if quoted.format(title) not in text] == []


def test_a_submissions_page_names_its_service_its_place_its_measures_and_when_its_figures_come(full: Crowd) -> None:
    """A share is in percent."""
    result, member = full.mine["done"].result, full.visitor("member")
    result.document["metrics"]["navigation_error"] = {"mean": 2.5}
    result.document["definitions"] = {"navigation_error": {"unit": "m"}, "spl": {"unit": "share"}}
    result.save()

    def read(state: str) -> str:
        return " ".join(member.get(address(full, "submission", state)).content.decode().split())

    table = re.findall(r'<th scope="row"[^>]*>([^<]*)</th>\s*<td class="number">([^<]*)</td>', read("done"))
    figures = {"SPL (%)": SHOWN[SCORE], "Success (%)": SHOWN[OTHER_FIGURE], "Navigation error (m)": "2.5000"}
    assert dict(table) == figures
    said = "Its results follow with the reveal"
    assert (said in read("hidden"), said in read("done"), f"rest · https://{SERVICE}" in read("done")) == (
        True, False, True,
    )  # fmt: skip
    Submission.objects.filter(pk=full.mine["done"].pk).update(protocol="join", url="")
    assert ("join · it calls us" in read("done"), "in the queue." in read("queued")) == (True, True)


def test_an_organiser_reads_why_the_server_is_unwell(full: Crowd) -> None:
    said, mark = "The scheduler is not at work", Mark.objects.get_or_create(name="sweep")[0]
    for age, told in ((300, True), (1, False)):
        mark.at = timezone.now() - timedelta(seconds=age)
        mark.save()
        assert (said in full.visitor("organiser").get(reverse("organiser")).content.decode()) is told


def test_what_is_told_to_one_is_shown_to_no_other(full: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message to somebody without an account stands on their next page alone."""
    monkeypatch.setattr(alike, "SECONDS", 60.0)
    monkeypatch.setattr(alike, "_KEPT", {})
    told, address = full.visitor("nobody"), reverse("board", args=["dev"])
    told.cookies["messages"] = cookie_of("For one reader")
    pages = [visitor.get(address).content.decode() for visitor in (told, full.visitor("nobody"), told)]
    assert ["For one reader" in page for page in pages] == [True, False, False]


def cookie_of(text: str) -> str:
    """As Django keeps a message for the next page."""
    request = RequestFactory().get("/")
    storage, answer = CookieStorage(request), HttpResponse()
    storage.add(messages.INFO, text)
    storage.update(answer)
    return answer.cookies["messages"].value


def test_nobody_waits_for_a_page_that_another_makes_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """They see the last one; without any they wait, and it is made once."""
    monkeypatch.setattr(alike, "_KEPT", {})
    made, go = [], threading.Event()

    def make() -> int:
        made.append(len(made))
        if len(made) > 1:
            assert go.wait(20)
        return made[-1]

    def kept() -> int:
        return alike.kept(("page",), make)

    monkeypatch.setattr(alike, "SECONDS", 60.0)
    assert [kept(), kept()] == [0, 0]
    alike._KEPT[("page",)] = (time.monotonic() - 1.0, 0)
    with ThreadPoolExecutor() as readers:
        slow = readers.submit(kept)
        while len(made) < 2:
            time.sleep(0.01)
        assert readers.submit(kept).result(5) == 0
        alike._KEPT[("page",)] = (time.monotonic() - 61.0, 0)
        waits = readers.submit(kept)
        go.set()
        assert [slow.result(5), waits.result(5)] == [1, 1]
    assert made == [0, 1]


def test_spectators_share_a_page_for_a_moment(full: Crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's is made once in each language; a member's, and the next moment's, are their own."""
    for name, value in (("SECONDS", 60.0), ("_KEPT", {}), ("_LOCKS", defaultdict(threading.Lock))):
        monkeypatch.setattr(alike, name, value)
    address, entry = reverse("board", args=["dev"]), reverse("entry", args=[full.mine["done"].pk])
    assert full.visitor("nobody").get(reverse("entry", args=["0" * 12])).status_code == 404
    assert not alike._LOCKS
    assert full.visitor("nobody").get(entry).status_code == 200
    first = full.visitor("nobody").get(address).content.decode()
    Ranking.objects.all().delete()
    chinese = {"accept-language": "zh-CN"}
    again = full.visitor("nobody").get(address).content.decode()
    shown = full.visitor("nobody").get(entry).content.decode()
    assert SHOWN[SCORE] in shown
    assert "csrf" not in shown
    assert f"{timezone.localtime(full.mine['done'].accepted_at, full.challenge.zone):%Y-%m-%d}" in shown
    assert full.visitor("member").get(entry).status_code == 404
    assert SHOWN[SCORE] in first
    assert SHOWN[SCORE] in again
    assert SHOWN[SCORE] not in full.visitor("nobody").get(address, headers=chinese).content.decode()
    assert SHOWN[SCORE] not in full.visitor("member").get(address).content.decode()
    assert full.visitor("nobody").get(reverse("board", args=["hidden"])).content.decode() != again
    monkeypatch.setattr(alike, "SECONDS", 0.0)
    monkeypatch.setattr(alike, "_KEPT", {})
    for language in ("en", "zh-CN"):
        page = full.visitor("nobody").get(address, headers={"accept-language": language}).content.decode()
        assert SHOWN[SCORE] not in page
    assert len(alike._KEPT) == len(alike._LOCKS) == 1
