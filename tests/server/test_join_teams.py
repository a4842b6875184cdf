"""Teams that join: who may, who may ask for one, and that a team that nobody can call is judged."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import pytest
from django.utils import timezone

from nav_eval.results.audit import check_files
from nav_eval_server.api.teams import EndpointOut
from nav_eval_server.folder import Folder
from nav_eval_server.join import fd_passing, presence
from nav_eval_server.join.tickets import admitted
from nav_eval_server.models import Attempt, Endpoint, Episode, Submission, Team, Token
from nav_eval_server.queue import endpoints
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import State
from nav_eval_server.serving import children
from nav_eval_server.tokens import issue
from patience import PATIENCE, until
from server.calling import Caller
from server.conftest import Make
from server.serving import serving
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


# A team that nobody can call completes a submission


QUICK = {"retry_seconds": 1, "patience_seconds": 1, "probe_seconds": 3}
RANDOM = "nav_eval_sdk.examples.random_agent:RandomAgent"
SERVER, TEAM = (f"10.213.{os.getpid() % 256}.{host}" for host in (1, 2))  # a killed run's may still be there
LISTENING = "0A"
"""The state of a socket in /proc/net/tcp."""


@contextmanager
def namespace() -> Iterator[list[str]]:
    """The words that run a command on a machine of its own, which has a wire to this one and takes no connection."""
    name = f"nav{os.getpid()}"
    try:
        run("ip", "netns", "add", name)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"a network namespace needs root and iproute2: {error}")
    try:
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "wire", "netns", name)
        run("ip", "address", "add", f"{SERVER}/24", "dev", name)
        run("ip", "link", "set", name, "up")
        inside = ["ip", "netns", "exec", name]
        run(*inside, "ip", "address", "add", f"{TEAM}/24", "dev", "wire")
        run(*inside, "ip", "link", "set", "wire", "up")
        yield inside
    finally:
        run("ip", "netns", "delete", name)


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def joined(inside: Sequence[str], url: str, token: Path, agent: str = RANDOM) -> Iterator[subprocess.Popen[str]]:
    token.chmod(0o600)
    command = [*inside, sys.executable, "-m", "nav_eval_sdk", "join", url, agent, "--token-file", str(token)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "without https" not in line)
        assert said.startswith("Joined ")
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()


def here(answer: str) -> bool:
    return Endpoint.objects.filter(protocol="join", probe=answer).exists()


def test_a_team_that_nobody_can_call_is_judged(make: Make) -> None:
    with namespace() as inside:
        judge(make, inside, SERVER)


@pytest.mark.soak
def test_a_team_on_this_machine_is_judged(make: Make) -> None:
    """Where there are no namespaces."""
    judge(make, [], "127.0.0.1")


def judge(make: Make, inside: list[str], host: str) -> None:
    """The team joins, and leaves; its submission waits for it; it comes back, and the submission is done."""
    challenge = make(endpoints=QUICK, web={"hosts": [host]})
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    token = challenge.folder / "token"
    token.write_text(issue(Token.Scope.TEAM, "at home", aurora))
    with serving(challenge, host=host) as served:
        until(lambda: served.healthz() == 200, "healthz")
        with joined(inside, served.url, token):
            until(lambda: here("ready"), "an endpoint")
            if inside:
                assert listening(inside) == []
        until(lambda: here("refused"), "a farewell")
        endpoint = aurora.endpoints.get()
        assert endpoints.check(challenge, endpoint, timezone.now()) == "refused"
        submission = Dispatcher(challenge).submit(aurora, "dev", endpoint=endpoint)
        until(lambda: state(submission) == State.WAITING_SERVICE, "somebody misses it")
        with joined(inside, served.url, token):
            until(lambda: state(submission) == State.DONE, f"the end {list(Attempt.objects.values())}")
    assert set(Episode.objects.values_list("status", flat=True)) == {"ok"}
    assert Episode.objects.filter(submission=submission).count() == 5
    folder = Folder(challenge.folder).runs / submission.id
    assert check_files(folder) == []
    assert not any("nav_team_" in path.read_text() for path in folder.iterdir())


def state(submission: Submission) -> str:
    return Submission.objects.values_list("state", flat=True).get(pk=submission.pk)


def listening(inside: list[str]) -> list[str]:
    rows = run(*inside, "cat", "/proc/net/tcp", "/proc/net/tcp6").splitlines()
    return [row for row in rows if row.split()[3] == LISTENING]


SLOW = """
import time
from nav_eval_sdk.examples.random_agent import RandomAgent
class Slow(RandomAgent):
    def act(self, observation):
        time.sleep(0.1)
        return super().act(observation)
"""


@pytest.mark.soak
@pytest.mark.parametrize("victim", ["relay", "web"])
def test_an_episode_outlasts_the_death_of_what_carries_it(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: str
) -> None:
    challenge = make(endpoints=QUICK)
    (tmp_path / "slow.py").write_text(SLOW)
    monkeypatch.chdir(tmp_path)
    aurora = Team.objects.create(name="aurora", state=Team.State.APPROVED)
    token = challenge.folder / "token"
    token.write_text(issue(Token.Scope.TEAM, "at home", aurora))
    with serving(challenge) as served:
        until(lambda: served.healthz() == 200, "healthz")
        with joined([], served.url, token, "slow:Slow"):
            until(lambda: here("ready"), "an endpoint")
            submission = Dispatcher(challenge).submit(aurora, "dev", endpoint=aurora.endpoints.get())
            for count in range(1, 4):
                until(lambda count=count: Episode.objects.count() >= count, "an episode")  # type: ignore[misc]
                time.sleep(2)
                until(lambda: served.kill(victim), f"a {victim} to kill")
            until(lambda: state(submission) == State.DONE, f"the end {list(Attempt.objects.values())}")
    assert list(Attempt.objects.values_list("outcome", flat=True)) == ["played"]
    assert list(Episode.objects.values_list("status", flat=True)) == ["ok"] * 5
