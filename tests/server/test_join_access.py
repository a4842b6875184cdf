"""Who may join and who may ask for a team, as the database decides it."""

from __future__ import annotations

import socket
from typing import get_args

from django.test import Client
from django.utils import timezone

from nav_eval_server.api.teams import EndpointOut
from nav_eval_server.folder import Folder
from nav_eval_server.join import fd_passing, presence
from nav_eval_server.join.tickets import admitted
from nav_eval_server.models import Endpoint, Submission, Team, Token
from nav_eval_server.queue import endpoints
from nav_eval_server.queue.attempts import Claim
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.verdict import Ending
from nav_eval_server.serving import children
from nav_eval_server.tokens import find, issue
from server.conftest import Make


def claimed(dispatcher: Dispatcher, worker: Token) -> Claim:
    claim = dispatcher.claim(worker, "i")
    assert claim is not None
    return claim


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


def test_a_ticket_is_good_while_its_attempt_is_live(make: Make) -> None:
    challenge = make()
    dispatcher, worker = Dispatcher(challenge), find(issue(Token.Scope.WORKER, "w"), Token.Scope.WORKER)
    assert worker is not None
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    presence.note(aurora.pk, True)
    made = [dispatcher.submit(aurora, "dev", endpoint=aurora.endpoints.get()) for _ in range(2)]
    first = claimed(dispatcher, worker)
    assert (first.protocol, first.url, first.networks, first.ports) == ("join", "", ("any",), ("1-65535",))
    assert admitted(first.token) == (first.fence, aurora.pk)
    assert dispatcher.claim(worker, "i") is None, "a team's process plays one run at a time"
    assert [admitted(text) for text in ("", "x", first.token[:-1], f"{first.token}x")] == [None] * 4
    dispatcher.finish(worker, first.attempt, first.fence, Ending("interrupted"))
    assert admitted(first.token) is None
    second = claimed(dispatcher, worker)
    found = admitted(second.token)
    assert found is not None
    assert found[0] > first.fence
    assert {submission.endpoint_key for submission in made} == {f"join:{aurora.pk}"}


def test_a_ticket_is_good_for_a_service_that_joins_only(make: Make) -> None:
    dispatcher, worker = Dispatcher(make()), find(issue(Token.Scope.WORKER, "w"), Token.Scope.WORKER)
    assert worker is not None
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    presence.note(aurora.pk, True)
    dispatcher.submit(aurora, "dev", endpoint=aurora.endpoints.get())
    claim = claimed(dispatcher, worker)
    Submission.objects.update(protocol="rest")
    assert admitted(claim.token) is None


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


def test_the_api_tells_of_a_service_that_joins(make: Make) -> None:
    make()
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    presence.note(aurora.pk, True)
    headers = {"Authorization": f"Bearer {issue(Token.Scope.TEAM, 'a', aurora)}"}
    answer = Client(headers=headers, SERVER_NAME="localhost").get("/api/v1/endpoints")
    assert answer.status_code == 200, answer.content
    told = answer.json()[0]
    assert (told["name"], told["protocol"], told["url"], told["probe"]) == ("join", "join", "", "ready")
    assert told["sentence"].startswith("Here since ")
    protocols = {value for value, _ in Endpoint._meta.get_field("protocol").choices or ()}
    assert protocols == set(get_args(EndpointOut.model_fields["protocol"].annotation))


def test_no_relay_where_nobody_may_join(make: Make) -> None:
    challenge = make(endpoints={"join": False})
    file = Folder(challenge.folder).challenge
    family = {child.name: child for child in children(file, challenge, "127.0.0.1", 1, 1)}
    assert family.keys() == {"worker", "scheduler", "web"}
    assert list(family["web"].fds) == []
