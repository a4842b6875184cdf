"""Addresses that a team registers, wherever one is used: the page, the API's probe, a worker, the evaluator.

127.0.0.1 is the allowed machine. Canaries listen on every other address of this machine and must hear nothing;
addresses beyond it are tried with a socket that connects to nothing. Whatever is not ready has one answer.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
from django.test import Client
from django.urls import reverse

from attacks.raw_rest import Reply, Request, answer, rest_service
from nav_eval.api.connecting import connect
from nav_eval.errors import NavEvalError
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Endpoint, Membership, Submission, Team, Token, User
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.play import Play
from nav_eval_server.tokens import find, issue
from patience import until
from sdk.test_address import CANARY, INNER, Canary, Resolver
from served import free_port
from server.calling import Caller
from server.conftest import Make
from server.test_worker import Double

Protocol = Literal["rest", "grpc"]
PROTOCOLS: tuple[Protocol, ...] = ("rest", "grpc")
HERE = ["127.0.0.1/32"]
SECONDS = 0.02
MORE = ["127.1.1.1", "127.255.255.254", "0x7f.1.1", "2130772225", "[::ffff:127.1.1.1]", "0.0", "0.0.0", "127.0.0.02"]
FORMS = [*CANARY, *MORE]


class Bench:
    """A team that registers addresses, in all the ways that there are; `said` is every answer that it got."""

    def __init__(self, challenge: Challenge, work: Path) -> None:
        self.challenge, self._work = challenge, work
        self.team = Team.objects.create(name="Aurora", state=Team.State.APPROVED)
        user = User.objects.create(username="ada")
        Membership.objects.create(team=self.team, user=user, captain=True)
        self._page = Client(SERVER_NAME="localhost")
        self._page.force_login(user, "django.contrib.auth.backends.ModelBackend")
        self._api = Caller(issue(Token.Scope.TEAM, "t", self.team, user))
        self._worker = find(issue(Token.Scope.WORKER, "w"), Token.Scope.WORKER)
        self.said: set[tuple[object, ...]] = set()

    def page(self, url: str, protocol: Protocol) -> None:
        """Register it and ask, as a form does."""
        Endpoint.objects.all().delete()
        answer = self._page.post(reverse("save_service"), {"name": "a", "protocol": protocol, "url": url})
        assert (answer.status_code, Endpoint.objects.count()) in ((302, 1), (422, 0))
        if answer.status_code == 302:
            shown = self._page.get(reverse("team")).content.decode()
            found = re.search(r"No ready \w+ service was found there at|Ready at", shown)
            self.said.add(("page", found and _of_either(found[0])))

    def api(self, url: str, protocol: Protocol) -> bool:
        """The same; whether it could be registered."""
        Endpoint.objects.all().delete()
        made = self._api("POST", "/endpoints", {"name": "a", "protocol": protocol, "url": url})
        if made.status_code == 422:
            self.said.add(("no address", made.content))
            return False
        began = time.monotonic()
        asked = self._api("POST", f"/endpoints/{made.json()['id']}/probe")
        assert SECONDS <= time.monotonic() - began < SECONDS + 1
        self.said.add(("api", asked.status_code, asked.json()["probe"], _of_either(asked.json()["sentence"])))
        return True

    def run(self) -> None:
        """Submit what is registered, and have a worker play it."""
        dispatcher = Dispatcher(self.challenge)
        dispatcher.submit(self.team, "dev", endpoint=Endpoint.objects.get())
        claim = dispatcher.claim(self._worker, "i")  # type: ignore[arg-type]
        assert claim is not None
        server = Double()
        options: Any = {"work": self._work, "data": self._work, "command": ["false"], "stop": threading.Event()}
        Play(server, asdict(claim), tick=0.01, **options).play()  # type: ignore[arg-type]
        self.said.add(("run", *(ending["outcome"] for ending in server.endings)))
        Submission.objects.all().delete()

    def all(self, forms: Sequence[str], port: int) -> None:
        """Each by the API, in turn as either protocol's, and every ninth in every way: what they call is the same, and
        sdk/test_address knows that it is asked before a protocol is spoken."""
        for n, form in enumerate(forms):
            (self.api if n % 9 else self.every_way)(f"{form}:{port}", PROTOCOLS[n % 2])
        time.sleep(0.1)  # whatever was begun may arrive

    def every_way(self, url: str, protocol: Protocol) -> None:
        self.page(url, protocol)
        if self.api(url, protocol):
            self.run()


def _of_either(sentence: str) -> str:
    """Without its time, and the protocol that was registered."""
    return re.sub("REST|gRPC", "P", re.sub(r"\d+", "0", sentence))


ONE_ANSWER = {
    ("page", "No ready P service was found there at"),
    (
        "api",
        200,
        "refused",
        "No ready P service was found there at 0:0. Does it run and speak P, can it be reached from outside, and do "
        "the rules let services lie there?",
    ),
    ("run", "not_ready"),
}


@pytest.fixture
def bench(make: Make, tmp_path: Path) -> Bench:
    rules = {"allowed_networks": HERE, "probe_seconds": SECONDS, "patience_seconds": 0}
    return Bench(make(endpoints=rules), tmp_path)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Where sockets of this process are to be connected to; none is."""
    addresses: list[object] = []

    def connect_to_nothing(_: socket.socket, address: object) -> None:
        addresses.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", connect_to_nothing)
    return addresses


def reach(bench: Bench, tried: list[object], place: tuple[str, int], protocol: Protocol) -> None:
    """Ask until it is called: on a slow machine an answer is due before that."""
    until(lambda: bench.api(f"{place[0]}:{place[1]}", protocol) and place in tried, place)


def asked(bench: Bench) -> set[tuple[object, ...]]:
    """What was said of all that are addresses; of those that are none one thing is said at most."""
    found = {one for one in bench.said if one[0] != "no address"}
    assert len(bench.said - found) <= 1
    return found


def test_forbidden_addresses_of_this_machine_hear_nothing(bench: Bench, canary: Canary) -> None:
    """Nor do they differ from an allowed address where nobody is, or somebody who is no service."""
    assert len(set(FORMS)) >= 40
    bench.all(FORMS, canary.port)
    assert (canary.heard, asked(bench), bench.said > ONE_ANSWER) == (0, ONE_ANSWER, True)
    for port, protocol in product((free_port(), canary.port), PROTOCOLS):
        bench.every_way(f"127.0.0.1:{port}", protocol)
    assert asked(bench) == ONE_ANSWER
    assert canary.heard > 0  # it can hear


def test_nothing_beyond_this_machine_is_called(
    bench: Bench, tried: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = bench.challenge.endpoints.model_copy(update={"allowed_networks": ("public",)})
    bench.challenge = bench.challenge.model_copy(update={"endpoints": rules})
    monkeypatch.setattr("django.conf.settings.CHALLENGE", bench.challenge)
    bench.all(INNER, 80)
    assert (tried, asked(bench)) == ([], ONE_ANSWER)
    for protocol in PROTOCOLS:
        reach(bench, tried, ("8.8.8.8", 80), protocol)
        assert set(tried) == {("8.8.8.8", 80)}
        tried.clear()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_forbidden_ports_hear_nothing(
    bench: Bench, canary: Canary, monkeypatch: pytest.MonkeyPatch, protocol: Protocol
) -> None:
    """Of an allowed machine, whoever listens there; a ready service is none while its port is not allowed."""

    def allow(*ports: str, seconds: float = SECONDS) -> None:
        bench.said.clear()
        told = {"allowed_ports": ports, "probe_seconds": seconds}
        bench.challenge = bench.challenge.model_copy(
            update={"endpoints": bench.challenge.endpoints.model_copy(update=told)}
        )
        monkeypatch.setattr("django.conf.settings.CHALLENGE", bench.challenge)

    with start(RandomAgent, protocol=protocol, port=0) as agent:
        agent.wait_loaded()
        for port in (canary.port, agent.port):
            allow(f"1-{port - 1}", f"{port + 1}-65535")
            bench.every_way(f"127.0.0.1:{port}", protocol)
            bench.every_way(f"127.0.0.1:{free_port()}", protocol)
            assert bench.said == ONE_ANSWER
        assert canary.heard == 0
        allow(f"{canary.port}")
        bench.every_way(f"127.0.0.1:{canary.port}", protocol)
        assert bench.said == ONE_ANSWER
        assert canary.heard > 0  # it can hear
        allow(f"{agent.port}", seconds=3.0)
        bench.page(f"127.0.0.1:{agent.port}", protocol)
        assert bench.said == {("page", "Ready at")}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_by_default_the_webs_ports_alone_are_called_below_1024(
    bench: Bench, tried: list[object], protocol: Protocol
) -> None:
    """SSH, mail, file shares: nothing."""
    allowed = (80, 443, 1024, 65535)
    for port in (22, 25, 79, 80, 81, 443, 445, 1023, 1024, 65535):
        if port in allowed:
            reach(bench, tried, ("127.0.0.1", port), protocol)
        else:
            bench.api(f"127.0.0.1:{port}", protocol)
    assert [*dict.fromkeys(tried)] == [("127.0.0.1", port) for port in allowed]
    assert bench.said < ONE_ANSWER


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_name_that_is_bound_anew_gains_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, protocol: Protocol
) -> None:
    """Allowed when it is registered, forbidden from then on: what is asked is what was looked at."""
    rules = bench.challenge.endpoints.model_copy(update={"probe_seconds": 8.0})
    monkeypatch.setattr("django.conf.settings.CHALLENGE", bench.challenge.model_copy(update={"endpoints": rules}))
    with start(RandomAgent, protocol=protocol, port=0) as agent:
        agent.wait_loaded()
        trap = socket.create_server(("127.0.0.2", agent.port))
        trap.setblocking(False)
        resolver = Resolver(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
        bench.page(f"team.test:{agent.port}", protocol)
        assert (bench.said, resolver.asked) == ({("page", "Ready at")}, 1)
        bench.run()
        Endpoint.objects.update(probed_at=None)
        service = connect(f"team.test:{agent.port}", protocol=protocol, networks=HERE)
        with pytest.raises(NavEvalError, match="no allowed network"):
            service.health_check()
        bench.said.clear()
        monkeypatch.setattr("django.conf.settings.CHALLENGE", bench.challenge)
        bench.every_way(f"team.test:{agent.port}", protocol)
        assert bench.said == ONE_ANSWER
        with pytest.raises(BlockingIOError):
            trap.accept()
        trap.close()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_redirects_are_not_followed(bench: Bench, protocol: Protocol) -> None:
    canary = Canary("127.0.0.2")
    statuses = iter([301, 302, 303, 307, 308] * 20)

    def send_elsewhere(request: Request) -> Reply:
        where = f"Location: http://127.0.0.2:{canary.port}/api/v1/{request.call}\r\n"
        return answer(b"", status=f"{next(statuses)} Elsewhere", head=where)

    with rest_service(send_elsewhere) as server:
        for _ in range(5):
            bench.every_way(f"http://{server.endpoint}", protocol)
    assert bench.said == ONE_ANSWER
    assert canary.heard == 0
    canary.close()
