"""Who may join and who may ask for a team, as the database decides it."""

from __future__ import annotations

import socket
from typing import get_args

import pytest
from django.utils import timezone

from nav_eval_server.api.teams import EndpointOut
from nav_eval_server.folder import Folder
from nav_eval_server.join import fd_passing, presence
from nav_eval_server.join.tickets import admitted
from nav_eval_server.models import Endpoint, Submission, Team, Token
from nav_eval_server.queue import endpoints
from nav_eval_server.serving import children
from nav_eval_server.tokens import issue
from server.calling import Caller
from server.conftest import Make
from server.test_dispatcher import Bench


@pytest.fixture
def bench(make: Make) -> Bench:
    """A team whose process has joined."""
    bench = Bench(make(), teams=1)
    Endpoint.objects.all().delete()
    presence.note(bench.teams[0].pk, True)
    return bench


def test_a_team_joins_by_its_own_token(make: Make) -> None:
    make()
    aurora = Team.objects.create(name="aurora", state=Team.State.PENDING)
    text = issue(Token.Scope.TEAM, "a", aurora)
    assert presence.welcome(text) == aurora.pk
    assert [presence.welcome(other) for other in ("", "x", text[:-1], issue(Token.Scope.WORKER, "w"))] == [None] * 4
    Team.objects.update(state=Team.State.BLOCKED)
    assert presence.welcome(text) is None
    Team.objects.update(state=Team.State.APPROVED)
    Token.objects.update(revoked_at=timezone.now())
    assert presence.welcome(text) is None


def test_a_team_has_one_service_that_joins(make: Make) -> None:
    """It is made at the first time, also where the name is taken; later it only comes and goes."""
    challenge = make()
    aurora, taken = Team.objects.create(name="aurora"), Team.objects.create(name="borealis")
    Endpoint.objects.create(team=taken, name="join", protocol="rest", url="127.0.0.1:1")
    presence.note(aurora.pk, False)
    assert not Endpoint.objects.filter(team=aurora).exists()
    for team in (aurora, taken):
        for here in (True, False, True):
            presence.note(team.pk, here)
    ready = Endpoint.objects.filter(protocol="join", probe="ready")
    assert set(ready.values_list("team", flat=True)) == {aurora.pk, taken.pk}
    assert aurora.endpoints.get().name == "join"
    since = aurora.endpoints.get().probed_at
    presence.note(aurora.pk, True)
    assert aurora.endpoints.get().probed_at == since
    aurora.endpoints.all().delete()
    presence.note(aurora.pk, True)
    presence.nobody()
    assert endpoints.check(challenge, aurora.endpoints.get(), timezone.now()) == "refused"


def test_a_ticket_is_good_while_its_attempt_is_live(bench: Bench) -> None:
    team = bench.teams[0].pk
    made = [bench.submit() for _ in range(2)]
    first = bench.claim()
    assert (first.protocol, first.url, first.networks, first.ports) == ("join", "", ("any",), ("1-65535",))
    assert admitted(first.token) == (first.fence, team)
    assert bench.dispatcher.claim(bench.worker, "i") is None, "a team's process plays one run at a time"
    assert [admitted(text) for text in ("", "x", first.token[:-1], f"{first.token}x")] == [None] * 4
    bench.finish(first, "interrupted")
    assert admitted(first.token) is None
    second = bench.claim()
    found = admitted(second.token)
    assert found is not None
    assert found[0] > first.fence
    assert {submission.endpoint_key for submission in made} == {f"join:{team}"}
    Submission.objects.update(protocol="rest")
    assert admitted(second.token) is None, "a ticket is good for a service that joins only"


def test_what_is_handed_over_is_whole_or_nothing() -> None:
    web, relay = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with web, relay, socket.socket() as handed:
        web.send(b"{}")
        assert fd_passing.receive(relay) is None
        socket.send_fds(web, [b" " * (fd_passing.MAX_MESSAGE + 1)], [handed.fileno()])
        assert fd_passing.receive(relay) is None
        socket.send_fds(web, [b'{"path": "x"}'], [handed.fileno()])
        found = fd_passing.receive(relay)
        assert found is not None
        assert found[0] == {"path": "x"}
        found[1].close()


def test_the_api_tells_of_a_service_that_joins(bench: Bench) -> None:
    (told,) = Caller(issue(Token.Scope.TEAM, "a", bench.teams[0]))("GET", "/endpoints").json()
    assert (told["name"], told["protocol"], told["url"], told["probe"]) == ("join", "join", "", "ready")
    assert told["sentence"].startswith("Here since ")
    protocols = {value for value, _ in Endpoint._meta.get_field("protocol").choices or ()}
    assert protocols == set(get_args(EndpointOut.model_fields["protocol"].annotation))


def test_no_relay_where_nobody_may_join_and_the_web_is_told_of_its_proxy(make: Make) -> None:
    challenge = make(endpoints={"join": False})
    for given, told in (((), "127.0.0.1"), (("172.31.80.1",), "172.31.80.1")):
        found = children(Folder(challenge.folder).challenge, challenge, "0.0.0.0", 1, 1, *given)
        family = {child.name: child for child in found}
        assert family.keys() == {"worker", "scheduler", "web"}
        assert (list(family["web"].fds), family["web"].command[4:7]) == ([], ["0.0.0.0", "1", told])
