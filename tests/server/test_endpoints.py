"""What a team learns of its service, and what nobody learns of a network."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from nav_eval.errors import InputError
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Endpoint, Team, Token
from nav_eval_server.queue import endpoints
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.probe import WRITTEN
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.tokens import find, issue
from nav_eval_server.vault import Vault
from nav_eval_server.web.forms import Service
from patience import until
from served import free_port
from server.conftest import Make

NOW = datetime(2026, 1, 1, 10, 2, tzinfo=UTC)
SECONDS = 0.5
LONG = 8.0
"""For what is to be ready: an answer takes so long however early it is known, and a busy machine is slow."""


@pytest.fixture
def agent() -> Iterator[str]:
    with start(RandomAgent, protocol="rest", port=0, token="right") as served:
        yield served.endpoint


def endpoint(challenge: Challenge, url: str, token: str = "") -> Endpoint:
    team = Team.objects.create(name=f"team{Team.objects.count()}")
    sealed = Vault(Folder(challenge.folder)).seal(token)
    return Endpoint.objects.create(team=team, name="a", protocol="rest", url=url, sealed_token=sealed)


def describe(one: Endpoint) -> str:
    return endpoints.sentence(Endpoint.objects.get(pk=one.pk), "en", zone=ZoneInfo("Asia/Shanghai"), now=NOW)


@pytest.mark.parametrize(
    ("token", "answer", "said"),
    [("right", "ready", "Ready at 18:02."), ("wrong", "wrong token", "At 18:02 the service refused our token.")],
)
def test_the_answer_and_its_time_are_kept(make: Make, agent: str, token: str, answer: str, said: str) -> None:
    challenge = make(endpoints={"probe_seconds": LONG})
    one = endpoint(challenge, agent, token)
    assert describe(one) == "Not asked yet."
    assert endpoints.check(challenge, one, NOW) == answer
    assert describe(one) == said


def test_what_is_not_ready_is_told_in_one_way_and_the_same_time(make: Make, agent: str) -> None:
    """A closed port, a forbidden one, something that is no service, a forbidden network with a service in it."""
    challenge = make(endpoints={"probe_seconds": SECONDS})
    with socket.create_server(("127.0.0.1", 0)) as mute:
        seen = set()
        for url in (f"127.0.0.1:{free_port()}", "127.0.0.1:9", f"127.0.0.1:{mute.getsockname()[1]}"):
            seen.add(_check_timed(challenge, endpoint(challenge, url)))
        elsewhere = challenge.model_copy(update={"endpoints": challenge.endpoints.model_copy(update=PUBLIC)})
        seen.add(_check_timed(elsewhere, endpoint(challenge, agent, "right")))
    assert len(seen) == 1, seen


PUBLIC = {"allowed_networks": ("public",)}


def _check_timed(challenge: Challenge, one: Endpoint) -> tuple[str, str, bool]:
    began = time.monotonic()
    answer = endpoints.check(challenge, one, NOW)
    return answer, describe(one), SECONDS <= time.monotonic() - began < SECONDS + 1


def test_a_service_is_called_by_the_protocol_that_its_address_names(make: Make) -> None:
    challenge, team = make(), Team.objects.create(name="a")
    for url, protocols in (
        ("http://a.example.org:1", ("rest", "grpc")),
        ("https://a.example.org", ("rest", "grpc")),
        ("grpc://a.example.org:1", ("grpc",)),
        ("grpcs://a.example.org", ("grpc",)),
        ("a.example.org:1", ("rest", "grpc")),
    ):
        for protocol in ("rest", "grpc"):
            told = {"name": "a", "protocol": protocol, "url": url, "token": ""}
            form = Service(told)
            assert form.is_valid() == (protocol in protocols), url
            if protocol in protocols:
                endpoints.save(challenge, team, **told)
            else:
                with pytest.raises(InputError, match="Choose gRPC, or write http://"):
                    endpoints.save(challenge, team, **told)
                assert form.errors == {"url": [WRITTEN]}


def test_questions_are_few(make: Make) -> None:
    challenge = make(endpoints={"probe_seconds": SECONDS})
    one = endpoint(challenge, "127.0.0.1:9")
    endpoints.check(challenge, one, NOW)
    with pytest.raises(Refusal) as refusal:
        endpoints.check(challenge, one, NOW + timedelta(seconds=1))
    assert refusal.value.code == "too_soon"
    endpoints.check(challenge, one, NOW + timedelta(seconds=11))


def test_questions_at_a_time_are_few(make: Make) -> None:
    challenge = make(endpoints={"probe_seconds": SECONDS})
    made = [endpoint(challenge, "127.0.0.1:9") for _ in range(endpoints.AT_ONCE + 1)]
    threads = [threading.Thread(target=endpoints.check, args=(challenge, one, NOW)) for one in made[1:]]
    for thread in threads:
        thread.start()
    until(lambda: endpoints._asking._value == 0, "all questions")
    with pytest.raises(Refusal) as refusal:
        endpoints.check(challenge, made[0], NOW)
    assert refusal.value.code == "busy"
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("probed", [True, False])
def test_a_service_under_two_names_plays_one_run_at_a_time(make: Make, probed: bool) -> None:
    """Once it was asked for, by where the names lead; organisers see that two teams name one machine."""
    challenge = make(endpoints={"probe_seconds": LONG, "allowed_networks": ["loopback", "private"]})
    with start(RandomAgent, protocol="rest", port=0) as agent:
        names = [f"{host}:{agent.port}" for host in ("localhost", "127.0.0.1", "10.0.0.1")]
        some = [endpoint(challenge, url) for url in names]
        for one in some[: 2 * probed]:
            endpoints.check(challenge, one, NOW)
    worker = find(issue(Token.Scope.WORKER, "w"), Token.Scope.WORKER)
    assert worker is not None
    Team.objects.update(state=Team.State.APPROVED)
    for one in Endpoint.objects.all():
        Dispatcher(challenge).submit(one.team, "dev", endpoint=one)
    claims = [claim for _ in names if (claim := Dispatcher(challenge).claim(worker, "i")) is not None]
    assert [claim.url for claim in claims] == (names[::2] if probed else names)
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


def test_a_service_that_asks_for_no_token_is_warned_of(make: Make) -> None:
    challenge = make(endpoints={"probe_seconds": LONG})
    with start(RandomAgent, protocol="rest", port=0).wait_loaded() as agent:
        one = endpoint(challenge, agent.endpoint)
        endpoints.check(challenge, one, NOW)
    assert describe(one).startswith("Ready at 18:02. It asks for no token: a rival could enter it")
