"""A service at one address or several: what a team learns of it, and nobody of a network; how it is kept from two
runs at a time, and played over all its addresses.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Sequence
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse

from api.test_replicas import process
from nav_eval.errors import InputError
from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Attempt, Endpoint, Episode, Membership, Submission, Team, Token, User
from nav_eval_server.queue import endpoints
from nav_eval_server.queue.attempts import Claim
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.probe import WRITTEN
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, State
from nav_eval_server.settings import current
from nav_eval_server.tokens import find, issue
from nav_eval_server.web.forms import Service
from patience import until
from sdk.test_address import Canary
from served import free_port
from server.calling import Caller
from server.competition import evaluation
from server.conftest import Make
from server.serving import serving
from server.test_worker import Double, play

NOW = datetime(2026, 1, 1, 10, 2, tzinfo=UTC)
QUICK = {"retry_seconds": 1, "patience_seconds": 5, "probe_seconds": 1}
SECONDS = 0.5
LONG = 8.0
"""For what is to be ready: an answer takes so long however early it is known, and a busy machine is slow."""


def registered(challenge: Challenge, urls: str, protocol: str = "rest", token: str = "") -> Endpoint:
    team = Team.objects.create(name=f"team{Team.objects.count()}", state=Team.State.APPROVED)
    return endpoints.save(challenge, team, name="a", protocol=protocol, url=urls, token=token)  # type: ignore[arg-type]


def submitted(challenge: Challenge, one: Endpoint) -> Submission:
    return Dispatcher(challenge).submit(one.team, "dev", endpoint=one)


def claims(challenge: Challenge) -> list[Claim]:
    """All that workers get now."""
    worker = find(issue(Token.Scope.WORKER, f"w{Token.objects.count()}"), Token.Scope.WORKER)
    assert worker is not None
    return [*iter(lambda: Dispatcher(challenge).claim(worker, "i"), None)]


def told(one: Endpoint) -> tuple[str, str]:
    row = Endpoint.objects.get(pk=one.pk)
    en, zh = (endpoints.sentence(row, language, zone=ZoneInfo("Asia/Shanghai"), now=NOW) for language in ("en", "zh"))
    return en, zh


# What is asked, and told


@pytest.mark.parametrize(
    ("token", "mine", "answer", "said"),
    [
        ("right", "right", "ready", "Ready at 18:02."),
        ("right", "wrong", "wrong token", "At 18:02 the service refused our token."),
        (None, "", "ready", "Ready at 18:02. It asks for no token"),
    ],
)
def test_the_answer_and_its_time_are_kept(make: Make, token: str | None, mine: str, answer: str, said: str) -> None:
    challenge = make(endpoints={"probe_seconds": LONG})
    with start(RandomAgent, protocol="rest", port=0, token=token).wait_loaded() as agent:
        one = registered(challenge, agent.endpoint, token=mine)
        assert told(one)[0] == "Not asked yet."
        assert endpoints.check(challenge, one, NOW) == answer
    assert told(one)[0].partition(": a rival could enter it")[0] == said


NAMES = ("nowhere.invalid", "0x7f.1.1", "2130772225")


def test_what_is_not_ready_is_told_in_one_way_and_the_same_time_alone_or_in_a_list(make: Make) -> None:
    """A closed port, a forbidden one, something that is no service, a forbidden network with a service in it."""
    challenge = make(endpoints={"probe_seconds": SECONDS, "allowed_networks": ["127.0.0.1/32"]})
    answers = set()
    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        start(RandomAgent, host="127.0.0.2", protocol="rest", port=0, token="t") as elsewhere,
    ):
        alone = (f"127.0.0.1:{free_port()}", "127.0.0.1:9", f"127.0.0.1:{mute.getsockname()[1]}", elsewhere.endpoint)
        for urls in (*alone, *(f"{alone[0]} {name}:9000" for name in NAMES)):
            made = registered(challenge, "127.0.0.1:8000")
            made.url = urls
            made.save()
            began = time.monotonic()
            answer = endpoints.check(challenge, made, NOW)
            answers.add((answer, *told(made), SECONDS <= time.monotonic() - began < SECONDS + 1))
    assert len(answers) == 1, answers


def test_questions_are_few_and_few_at_a_time(make: Make) -> None:
    challenge = make(endpoints={"probe_seconds": SECONDS})
    made = [registered(challenge, f"127.0.0.1:{free_port()}") for _ in range(endpoints.AT_ONCE + 1)]

    def refused(when: datetime) -> str:
        with pytest.raises(Refusal) as refusal:
            endpoints.check(challenge, made[0], when)
        return refusal.value.code

    endpoints.check(challenge, made[0], NOW)
    assert refused(NOW + timedelta(seconds=1)) == "too_soon"
    endpoints.check(challenge, made[0], NOW + timedelta(seconds=11))
    threads = [threading.Thread(target=endpoints.check, args=(challenge, one, NOW)) for one in made[1:]]
    for thread in threads:
        thread.start()
    until(lambda: endpoints._asking._value == 0, "all questions")
    assert refused(NOW + timedelta(seconds=22)) == "busy"
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("url", "protocols"),
    [
        ("http://a.example.org:1", ("rest", "grpc")),
        ("https://a.example.org", ("rest", "grpc")),
        ("grpc://a.example.org:1", ("grpc",)),
        ("grpcs://a.example.org", ("grpc",)),
        ("a.example.org:1", ("rest", "grpc")),
    ],
)
def test_a_service_is_called_by_the_protocol_of_its_address(make: Make, url: str, protocols: Sequence[str]) -> None:
    challenge, team = make(endpoints={"allowed_networks": ["any"]}), Team.objects.create(name="a")
    for protocol in ("rest", "grpc"):
        values: dict[str, Any] = {"name": "a", "protocol": protocol, "url": url, "token": ""}
        form = Service(values)
        assert form.is_valid() == (protocol in protocols), url
        if protocol in protocols:
            endpoints.save(challenge, team, **values)
        else:
            with pytest.raises(InputError, match="Choose gRPC, or write http://"):
                endpoints.save(challenge, team, **values)
            assert form.errors == {"url": [WRITTEN]}


# One run at a time


@pytest.mark.parametrize("probed", [True, False])
@pytest.mark.parametrize("other", ["", " 127.0.0.{n}:{free}"], ids=["alone", "beside another"])
def test_a_service_under_two_names_plays_one_run_at_a_time(make: Make, probed: bool, other: str) -> None:
    """Once it was asked for, by where the names lead; organisers see that two teams name one machine."""
    networks = ["loopback", "private"]
    challenge = make(endpoints={"probe_seconds": LONG if not other else SECONDS, "allowed_networks": networks})
    with start(RandomAgent, protocol="rest", port=0).wait_loaded() as agent:
        hosts = enumerate(("localhost", "127.0.0.1", "10.0.0.1"))
        names = [f"{host}:{agent.port}" + other.format(n=n + 2, free=free_port()) for n, host in hosts]
        some = [registered(challenge, url) for url in names]
        for one in some[: 2 * probed]:
            endpoints.check(challenge, one, NOW)
    for one in Endpoint.objects.all():
        submitted(challenge, one)
    expected = names[::2] if probed else names
    assert [claim.url.split()[0] for claim in claims(challenge)] == [url.split()[0] for url in expected]
    shared = [(machine, [one.url for one in services]) for machine, services in endpoints.shared_machines()]
    assert shared == ([("loopback", names[:2])] if probed else [])


@pytest.mark.parametrize(
    ("urls", "machine", "overlap"),
    [
        (("http://localhost:80", "http://127.0.0.1:80"), "loopback", True),
        (("https://a.example.org", "https://b.example.org"), "10.0.0.1", True),
        (("https://a.example.org", "https://b.example.org"), "8.8.8.8", False),
        (("https://a.example.org", "grpcs://A.example.org:8085/x"), "8.8.8.8", True),
    ],
)
def test_teams_behind_one_gateway_play_beside_each_other(urls: tuple[str, str], machine: str, overlap: bool) -> None:
    keys = {endpoints.key(Endpoint(protocol="grpc", url=url, machine=machine)) for url in urls}
    assert (len(keys) == 1) is overlap


@pytest.mark.parametrize(
    ("lists", "together"),
    [
        (("127.0.0.1:8001 127.0.0.1:8002", "127.0.0.1:8002 127.0.0.1:8003"), False),
        (("127.0.0.1:8001 127.0.0.1:8002", "http://127.0.0.1:8002/x"), False),
        (("127.0.0.1:8001 A.example:8002", "127.0.0.1:8003 a.EXAMPLE:8002"), False),
        (("127.0.0.1:8001 127.0.0.1:8002", "127.0.0.1:8003 127.0.0.1:8004"), True),
    ],
)
def test_services_that_share_an_address_take_turns(make: Make, lists: tuple[str, str], together: bool) -> None:
    challenge = make()
    for urls in lists:
        submitted(challenge, registered(challenge, urls))
    first = claims(challenge)
    assert len(first) == 1 + together
    Attempt.objects.update(live=False)
    assert len(claims(challenge)) == 1 - together


def test_some_are_ready_and_both_languages_say_which_are_not(make: Make) -> None:
    challenge = make(endpoints={"probe_seconds": 4})
    dead = f"127.0.0.1:{free_port()}"
    with (
        start(RandomAgent, protocol="rest", port=0, token="t") as one,
        start(RandomAgent, protocol="rest", port=0, token="other") as other,
    ):
        made = registered(challenge, f"{one.endpoint} {other.endpoint} {dead}", token="t")
        began = time.monotonic()
        assert endpoints.check(challenge, made, NOW) == "ready"
        assert 4 <= time.monotonic() - began < 8  # side by side
        assert told(made) == (
            f"1 of 3 ready at 18:02, not {other.endpoint}, {dead}.",
            f"18:02 检查：3 个地址中 1 个就绪，未就绪：{other.endpoint}, {dead}。",
        )
        made.refresh_from_db()
        endpoints.played(submitted(challenge, made), NOW)
        assert told(made)[0].startswith("1 of 3 ready")
        assert Submission.objects.get().url == one.endpoint
        whole = registered(challenge, f"{one.endpoint} localhost:{one.port}", token="t")
        endpoints.check(challenge, whole, NOW)
        assert told(whole)[0] == "Ready at 18:02."
        wrong = registered(challenge, f"{other.endpoint} {dead}", token="t")
        assert endpoints.check(challenge, wrong, NOW) == "wrong token"
        assert told(wrong)[0] == "At 18:02 the service refused our token."


def test_a_service_that_is_not_theirs_is_held_up_by_nobodys_list(make: Make) -> None:
    """It refuses the token of those who list it: it is away, and not played with their own."""
    challenge = make(endpoints={"probe_seconds": SECONDS})
    with (
        start(RandomAgent, protocol="rest", port=0, token="mine") as mine,
        start(RandomAgent, protocol="rest", port=0, token="theirs") as theirs,
    ):
        greedy = registered(challenge, f"{mine.endpoint} {theirs.endpoint}", token="mine")
        assert endpoints.check(challenge, greedy, NOW) == "ready"
        victim = registered(challenge, theirs.endpoint, token="theirs")
    for one in (greedy, victim):
        one.refresh_from_db()
        submitted(challenge, one)
    assert [claim.url for claim in claims(challenge)] == [mine.endpoint, theirs.endpoint]


def test_what_was_found_of_other_addresses_is_dropped(make: Make) -> None:
    """Of those that the service had when the question began."""
    challenge = make(endpoints={"probe_seconds": SECONDS})
    asked = registered(challenge, "127.0.0.1:8001 127.0.0.1:8002 127.0.0.1:8003")
    endpoints.save(challenge, asked.team, name="a", protocol="rest", url="127.0.0.1:8004", token="")
    endpoints.check(challenge, asked, NOW)
    found = Endpoint.objects.get()
    assert (found.url, found.machine, found.probe) == ("127.0.0.1:8004", "", "")


# Registering several


@pytest.fixture
def page(make: Make) -> Client:
    make()
    user = User.objects.create(username="ada")
    team = Team.objects.create(name="Aurora", state=Team.State.APPROVED)
    Membership.objects.create(team=team, user=user, captain=True)
    client = Client(SERVER_NAME="localhost")
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def api(page: Client) -> Caller:
    return Caller(issue(Token.Scope.TEAM, "t", Team.objects.get(), User.objects.get()))


NINE = " ".join(f"127.0.0.1:80{n:02}" for n in range(9))


@pytest.mark.parametrize(
    ("urls", "status", "said", "zh"),
    [
        (NINE, 409, "A service has 8 addresses at most.", "一个服务最多 8 个地址。"),
        ("127.0.0.1:8001 http://127.0.0.1:8001", 422, "Name each address once.", "每个地址只能写一次。"),
        ("127.0.0.1:8001 10.0.0.1:8001", 422, "The rules let no service lie at 10.0.0.1:8001.", "规则不允许服务位于"),
        ("127.0.0.1:8001 127.0.0.1:22", 422, "The rules let no service lie at 127.0.0.1:22.", "规则不允许服务位于"),
        ("[::1]:8001 [fe80::1]:8001", 422, "The rules let no service lie at [fe80::1]:8001.", "规则不允许服务位于"),
        ("127.0.0.1:8001 a?b", 422, "This is not an address.", "地址无效。"),
        (", ,", 422, "This is not an address.", "地址无效。"),
        ("127.0.0.1:8001 grpc://127.0.0.1:8002", 422, "Choose gRPC", "gRPC"),
    ],
)
def test_page_and_api_refuse_wrong_lists(page: Client, api: Caller, urls: str, status: int, said: str, zh: str) -> None:
    answer = api("POST", "/endpoints", {"name": "a", "protocol": "rest", "url": urls})
    assert (answer.status_code, said in answer.json()["detail"]) == (status, True), answer.content
    for language, words in (("en", said), ("zh-hans", zh)):
        told = {"name": "a", "protocol": "rest", "url": urls}
        shown = page.post(reverse("save_service"), told, headers={"accept-language": language}, follow=True)
        assert shown.content.decode().count(words) >= 1
    assert not Endpoint.objects.exists()


def test_what_is_too_long_is_refused_too(api: Caller) -> None:
    assert api("POST", "/endpoints", {"name": "a", "url": f"a{'b' * 1000}:1"}).status_code == 422
    kept = [f"{n}{'b' * 110}:80" for n in range(8)]
    made = api("POST", "/endpoints", {"name": "a", "url": "\n".join(kept)}).json()
    assert (made["url"], made["away"]) == (" ".join(kept), [])


def test_a_page_and_the_api_name_those_that_are_away(page: Client, api: Caller) -> None:
    dead = f"127.0.0.1:{free_port()}"
    with start(RandomAgent, protocol="rest", port=0) as one:
        told = {"name": "a", "protocol": "rest", "url": f"{one.endpoint}\r\n{dead}\r\n"}
        shown = page.post(reverse("save_service"), told, follow=True).content.decode()
    assert "1 of 2 ready at" in shown
    (listed,) = api("GET", "/endpoints").json()
    assert (listed["url"], listed["away"], listed["probe"]) == (f"{one.endpoint} {dead}", [dead], "ready")


# Played


def two_at_a_time() -> dict[str, Any]:
    rules = deepcopy(evaluation())
    rules["evaluation"]["parallel"]["sessions"] = 2
    return rules


class Counted(VLNAgent):
    """`begun`: how many episodes this replica was given."""

    name = "counted"
    begun: ClassVar[list[str]]

    def reset(self, episode: dict[str, Any]) -> None:
        self.begun.append(episode["episode_id"])
        self._left = 4

    def act(self, observation: dict[str, Any]) -> str:
        time.sleep(0.05)
        self._left -= 1
        return "turn_left" if self._left else "stop"


def counting() -> type[Counted]:
    return type("OfOne", (Counted,), {"begun": []})


def played(made: Submission) -> None:
    """Wait for the end of a run that loses no episode."""
    until(lambda: Submission.objects.get().state in FINAL, "the end")
    assert Submission.objects.get().state == State.DONE, list(Attempt.objects.values())
    assert [row.status for row in Episode.objects.all()] == ["ok"] * 5
    results = json.loads((Folder(current().folder).runs / made.id / "results.json").read_text())
    assert (results["n_episodes"], results["n_lost"]) == (5, 0)


FORMS = ["127.1.1.1", "0x7f.1.1", "2130772225", "[::ffff:127.1.1.1]", "[::1]", "localhost.localdomain", "0"]


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_run_is_played_over_all_replicas_that_are_there_and_allowed(make: Make, protocol: Any) -> None:
    """A forbidden address, which may come with new rules, hears nothing: neither the server's question nor, in the
    run, worker and evaluator."""
    rules = QUICK | {"allowed_networks": ["127.0.0.1/32"]}
    challenge = make(endpoints=rules, evaluation=two_at_a_time())
    kinds, canary = [counting(), counting()], Canary("127.1.1.1")
    with (
        start(kinds[0], protocol=protocol, port=0, token="t") as one,
        start(kinds[1], protocol=protocol, port=0, token="t") as other,
        serving(challenge),
    ):
        made = registered(challenge, f"{one.endpoint},\n{other.endpoint}", protocol, "t")
        away = [f"127.0.0.1:{free_port()}", *[f"{form}:{canary.port}" for form in FORMS]]
        Endpoint.objects.update(url=" ".join([away[0], made.url, *away[1:]]))
        made.refresh_from_db()
        assert endpoints.check(challenge, made, NOW) == "ready"
        assert told(made)[0].startswith("2 of 10 ready")
        played(submitted(challenge, made))
    assert Submission.objects.get().url == made.url  # all ten: what the question found came after it
    assert canary.heard == 0
    canary.close()
    assert all(kind.begun for kind in kinds)
    assert len({name for kind in kinds for name in kind.begun}) == sum(len(kind.begun) for kind in kinds) == 5


def test_a_replica_that_dies_loses_no_episode(make: Make, tmp_path: Path) -> None:
    challenge = make(endpoints=QUICK, evaluation=two_at_a_time())
    with process(tmp_path) as (first, kill), process(tmp_path) as (second, _), serving(challenge):
        made = submitted(challenge, registered(challenge, f"{first} {second}"))
        until(Episode.objects.exists, "an episode")
        kill()
        played(made)


def test_a_worker_gives_the_evaluator_no_address_but_those_that_were_ready(tmp_path: Path) -> None:
    """It knows no ports, and says in a log of what it meets: neither forbidden nor closed ones."""
    script = tmp_path / "saying.py"
    script.write_text("import sys, json, pathlib\npathlib.Path('argv').write_text(json.dumps(sys.argv))")
    with start(RandomAgent, port=0, token="t") as one, start(RandomAgent, port=0, token="t") as other:
        urls = [one.endpoint, f"127.0.0.1:{one.port + 1}", other.endpoint]
        alone, both = f"endpoint='{one.endpoint}'", f"endpoints={json.dumps([one.endpoint, other.endpoint])}"
        cases = (([one.port], alone), ([one.port, one.port + 1], alone), ([one.port, other.port], both))
        for ports, told in cases:
            told_ports = [*map(str, ports)]
            play(Double(), tmp_path, " ".join(urls), command=[sys.executable, str(script)], ports=told_ports).play()
            assert f"agent_service.{told}" in json.loads((tmp_path / "argv").read_text())
