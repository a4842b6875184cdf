"""A connection that is turned round: what passes, who is led to whom, and what hostile ends can do."""

from __future__ import annotations

import itertools
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from msgspec.structs import replace

from nav_eval_sdk import TestClient, VLNAgent, start
from nav_eval_sdk.client import synthetic_episode
from nav_eval_sdk.conformance import Target, check
from nav_eval_sdk.errors import Refused, Unreachable
from nav_eval_sdk.protocol.messages import ActionSpec, EpisodeData, Limits, TensorSpec
from nav_eval_sdk.server import joining
from nav_eval_sdk.server.serving import start_joined
from nav_eval_sdk.transport.upgrade import DOT, JOIN, JOINED, WANTED
from nav_eval_server.join import relay
from patience import PATIENCE, until
from sdk.test_servers import client_tls, server_tls
from server.joining import Ground, Peer, asker, ground, guest, matched, tls_before

SPECS = {"rgb": TensorSpec(shape=(480, 640, 3), dtype="uint8")}
OF_AN_ADDRESS = "refuses nonsense"
"""A check that opens a connection of its own, past what turns it round."""
FRAME = {"rgb": np.random.default_rng(0).integers(0, 256, (480, 640, 3), np.uint8)}


class Summing(VLNAgent):
    """Answers by what it has seen so far; `acts` counts over all objects."""

    acts = 0
    held: threading.Event | None = None

    def reset(self, episode: dict[str, Any]) -> None:
        self.total = 0

    def act(self, observation: dict[str, Any]) -> str:
        type(self).acts += 1
        if self.held is not None:
            self.held.wait(PATIENCE)
        self.total = 31 * self.total + int(observation["rgb"].astype(np.int64).sum())
        return ("move_forward", "turn_left", "turn_right")[self.total % 3]


def episode() -> EpisodeData:
    return synthetic_episode(SPECS, {name: ActionSpec() for name in ("move_forward", "turn_left", "turn_right")})


@pytest.fixture
def here() -> Iterator[Ground]:
    with ground() as made:
        yield made


def played(endpoint: str, token: str | None = None, steps: int = 8, wire: str = "rest-json") -> list[str]:
    client = TestClient(endpoint, wire=wire, token=token)
    client.reset(episode())
    actions = [client.act({"rgb": np.roll(FRAME["rgb"], step)}).action for step in range(steps)]
    client.end()
    client.close()
    return actions


# What passes


@pytest.mark.parametrize(("protocol", "wire"), [("rest", "rest-json"), ("grpc", "grpc-stream")])
def test_an_episode_over_a_turned_connection_is_it(here: Ground, protocol: Literal["rest", "grpc"], wire: str) -> None:
    """Whichever way the class is served elsewhere: who joins chooses no protocol."""
    with start(Summing, protocol=protocol, port=0).wait_loaded() as direct:
        expected = played(direct.endpoint, wire=wire)
    with start_joined(Summing, here.url, "aurora", max_sessions=2):
        assert played(here.joined, "ticket") == expected
        findings = check(Target(here.joined, "rest-msgpack", "ticket"))
        faults = [found for found in findings if not found.ok and found.check != OF_AN_ADDRESS]
    assert faults == []


class Pairs(VLNAgent):
    """Answers two actions at once where it may."""

    def reset(self, episode: dict[str, Any]) -> None: ...

    def act(self, observation: dict[str, Any]) -> Any:
        return ["turn_left", {"action": "move_forward"}][: self.max_chunk]


def test_several_actions_come_over_a_turned_connection(here: Ground) -> None:
    with start_joined(Pairs, here.url, "aurora", max_sessions=2):
        client = TestClient(here.joined, token="ticket")
        for most, names in ((2, ["turn_left", "move_forward"]), (1, ["turn_left"])):
            client.reset(replace(episode(), limits=Limits(max_chunk=most)))
            assert [name for name, _ in client.act(FRAME).parts(most)] == names
            client.end()
        client.close()


def test_a_proxy_with_tls_stands_before_it(here: Ground, certificates: Path) -> None:
    tls = client_tls(certificates)
    with tls_before(here.port, server_tls(certificates, mutual=False).context()) as port:
        with start_joined(Summing, f"https://localhost:{port}", "aurora", ca=tls.ca, max_sessions=2):
            client = TestClient(f"https+join://localhost:{port}", token="ticket", tls=tls)
            client.reset(episode())
            assert [client.act(FRAME).step for _ in range(3)] == [0, 1, 2]
            client.end()
            client.close()
        stranger = start_joined(Summing, f"https://localhost:{port}", "aurora")
        time.sleep(0.3)
        assert not here.relay._processes, "a certificate that nobody vouches for"
        stranger.stop()


def test_bytes_pass_unchanged_both_ways(here: Ground) -> None:
    one, other = matched(here)
    there, back = os.urandom(5_000_000), os.urandom(3_000_000)
    for end, data in ((one, back), (other, there)):
        threading.Thread(target=end.sock.sendall, args=(data,), daemon=True).start()
    assert one.exactly(len(there)) == there
    assert other.exactly(len(back)) == back
    other.close()
    assert one.closed()


def test_the_ticket_stays_with_the_server(here: Ground) -> None:
    joined = guest(here)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(TestClient(here.joined, token="ticket").health)
        joined.wanted()
        said = joined.sock.recv(65536)
        joined.close()
        with pytest.raises(Unreachable):
            asked.result()
    assert said.startswith(b"GET /api/v1/health HTTP/1.1\r\n")
    assert b"ticket" not in said


def test_a_broken_connection_costs_no_decision(here: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same request comes again over another connection; the agent is asked once."""
    monkeypatch.setattr(Summing, "acts", 0)
    monkeypatch.setattr(Summing, "held", threading.Event())
    with start_joined(Summing, here.url, "aurora"):
        client = TestClient(here.joined, token="ticket")
        client.reset(episode())
        ask = client.ask(FRAME)
        breaking = threading.Timer(0.3, here.kill)
        breaking.start()
        with pytest.raises(Unreachable):
            client.transport.act(ask, client.deadline())
        breaking.join()
        here.begin()
        Summing.held.set()  # type: ignore[union-attr]
        assert client.transport.act(ask, client.deadline()).step == 0
        assert Summing.acts == 1
        client.end()
        client.close()


# Who is led to whom


@contextmanager
def asking(here: Ground) -> Iterator[Future[Peer]]:
    """Somebody with a ticket; their answer."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(asker, here)


def test_wrong_tokens_have_one_answer(here: Ground) -> None:
    """Nobody's, a wrong one, a ticket in a token's place, a token in a ticket's place."""
    answers = set()
    for path, token in ((JOIN, ""), (JOIN, "wrong"), (JOIN, "ticket"), (JOINED, ""), (JOINED, "x"), (JOINED, "aurora")):
        peer = Peer(here.port, path, token)
        answers.add((peer.head, peer.rest()))
    ((head, body),) = answers
    assert head.startswith("HTTP/1.1 401 ")
    assert b'"unauthorized"' in body
    assert here.notes == []


def test_everything_else_is_the_webs(here: Ground) -> None:
    for path, upgrade in ((JOIN, "websocket"), ("/api/v1/other", "nav-eval-join")):
        peer = Peer(here.port, path, "aurora", upgrade=upgrade)
        assert (peer.status, peer.exactly(6)) == (200, b"a page")


def test_a_teams_ticket_leads_to_that_team(here: Ground) -> None:
    joined = guest(here, "aurora")
    other, asked = matched(here, "other", "borealis")
    asked.sock.sendall(b"hello")
    assert other.exactly(5) == b"hello"
    assert not joined.closed(1)


def test_nobody_is_here_until_somebody_comes(here: Ground) -> None:
    began = time.monotonic()
    alone = asker(here)
    assert (alone.status, b"Nobody has joined" in alone.rest()) == (503, True)
    assert relay.WAIT - 0.1 < time.monotonic() - began < PATIENCE
    with asking(here) as answer:
        time.sleep(0.3)
        guest(here).wanted()
        assert answer.result().status == 101


def test_a_second_process_waits_until_the_first_has_gone(here: Ground) -> None:
    first, same = guest(here, instance="one"), guest(here, instance="one")
    assert (first.status, same.status) == (101, 101)
    second = guest(here, instance="two")
    assert (second.status, b"Another process has joined" in second.rest()) == (409, True)
    assert guest(here, "borealis", instance="two").status == 101
    first.close()
    until(lambda: len(here.relay._processes[1].connections) == 1)
    assert guest(here, instance="two").status == 409
    same.close()
    until(lambda: 1 not in here.relay._processes)
    assert guest(here, instance="two").status == 101


def test_who_is_here_is_noted(here: Ground) -> None:
    agent = start_joined(Summing, here.url, "aurora", max_sessions=3)
    until(lambda: here.notes == [(1, True)])
    played(here.joined, "ticket", 1)
    agent.stop()
    until(lambda: len(here.notes) == 2)
    assert here.notes == [(1, True), (1, False)]


def test_a_later_attempt_ends_what_an_earlier_one_still_holds(here: Ground) -> None:
    """A worker that was fenced out, and does not know it, does not play on beside its successor."""
    joined, earlier = matched(here)
    other, later = matched(here, "newer")
    assert earlier.closed()
    assert joined.closed()
    later.sock.sendall(b"hello")
    assert other.exactly(5) == b"hello"


# Hostile ends


@pytest.mark.parametrize("said", [b"HTTP/1.1 200 OK\r\n\r\n", DOT * 50, WANTED])
def test_who_speaks_unasked_is_sent_away(here: Ground, said: bytes) -> None:
    joined = guest(here)
    joined.sock.sendall(said)
    assert joined.closed(answering=False)
    assert asker(here).status == 503


def test_who_sends_no_dots_back_has_gone(here: Ground) -> None:
    mute = guest(here)
    awake = guest(here)
    threading.Thread(target=awake.wanted, daemon=True).start()
    assert mute.closed(answering=False)
    assert asker(here).status == 101


@pytest.mark.parametrize("said", [b"", b"?", b"!HTTP/1.1 200 OK\r\n\r\n"])
def test_a_connection_that_does_not_agree_is_passed_over(here: Ground, said: bytes) -> None:
    """Silent, wrong, or with an answer before there is a question."""
    bad = guest(here)
    with asking(here) as answer:
        while bad.sock.recv(1) == DOT:
            bad.sock.sendall(DOT)
        bad.sock.sendall(said)
        good = guest(here)
        if said:
            good.wanted()
        assert answer.result().status == (101 if said else 503)
    assert bad.closed()


def test_what_nobody_reads_is_not_kept(here: Ground) -> None:
    joined, _ = matched(here)
    joined.sock.settimeout(1)
    sent = 0
    with suppress(TimeoutError):
        while sent < 200_000_000:
            sent += joined.sock.send(bytes(1 << 20))
    assert sent < 50_000_000  # what the kernel's buffers of two connections take, and a piece


def test_an_endless_answer_is_the_evaluators_to_end(here: Ground) -> None:
    joined = guest(here)

    def answer() -> None:
        joined.wanted()
        joined.sock.recv(65536)
        joined.sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            joined.sock.sendall(b"10000\r\n" + bytes(1 << 16) + b"\r\n")

    with ThreadPoolExecutor(1) as pool:
        answering = pool.submit(answer)
        with pytest.raises(Exception, match="an answer of more than"):
            TestClient(here.joined, token="ticket").health()
        with pytest.raises(ConnectionError):
            answering.result(PATIENCE)


def test_a_team_has_so_many_connections(here: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "MAX_TEAM_CONNECTIONS", 3)
    held = [guest(here) for _ in range(4)]
    assert [peer.status for peer in held] == [101, 101, 101, 503]
    assert guest(here, "borealis").status == 101


def test_a_token_that_is_revoked_is_sent_away_whatever_it_does(here: Ground) -> None:
    joined, asked = matched(here)
    waiting = guest(here)
    del here.teams["aurora"]
    assert all(peer.closed() for peer in (waiting, joined, asked))


def test_those_who_wait_hold_no_thread_of_the_web(here: Ground) -> None:
    """It has two."""
    held = [guest(here) for _ in range(20)]
    began = time.monotonic()
    assert Peer(here.port, "/", "", upgrade="nothing").exactly(6) == b"a page"
    assert time.monotonic() - began < 1
    assert len(held) == 20


# The participant's process


def test_it_comes_back_when_the_server_does(
    here: Ground, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes; it says that it is away and that it is back, each news once until the other comes."""
    monkeypatch.setattr(joining, "PAUSES", (0.05,))

    def read_log() -> list[str]:
        return [row.message for row in caplog.records if row.name == joining.__name__]

    def says(begin: str) -> bool:
        return read_log()[-1:] != [] and read_log()[-1].startswith(begin)

    with caplog.at_level(logging.INFO, "nav_eval_sdk"), start_joined(Summing, here.url, "aurora", max_sessions=2):
        until(lambda: says("Joined") and here.notes)
        here.kill()
        until(lambda: says("Not joined"))
        here.begin()
        until(lambda: says("Joined"))
        assert len(played(here.joined, "ticket", 2)) == 2
    said = read_log()
    assert said[0].startswith("Joined")
    assert all(news.startswith("Joined ") or news.endswith(". Trying again.") for news in said), said
    for _, stretch in itertools.groupby(said, lambda news: news.startswith("Joined")):
        news = [*stretch]
        assert len(news) == len(set(news)), said


def test_a_wrong_token_ends_it(here: Ground) -> None:
    agent = start_joined(Summing, here.url, "wrong")
    assert agent.stopped.wait(PATIENCE)
    assert isinstance(agent.failure, Refused)
    agent.stop()


def nav_eval_agent(url: str, token: str, folder: Path) -> subprocess.Popen[str]:
    file = folder / "token"
    file.write_text(token)
    file.chmod(0o600)
    words = [url, "nav_eval_sdk.examples.forward:ForwardAgent", "--token-file", str(file)]
    return subprocess.Popen([sys.executable, "-m", "nav_eval_sdk", "join", *words], stderr=subprocess.PIPE, text=True)


def test_the_command_joins_and_leaves(here: Ground, tmp_path: Path) -> None:
    agent = nav_eval_agent(here.url, "aurora\n", tmp_path)
    try:
        assert agent.stderr is not None
        assert agent.stderr.readline() == f"Joined 127.0.0.1:{here.port}.\n"
        client = TestClient(here.joined, token="ticket")
        client.reset(episode())
        agent.send_signal(signal.SIGTERM)
        assert "when the running episodes have ended" in agent.stderr.readline()
        until(lambda: TestClient(here.joined, token="ticket").health().status == "draining")
        assert client.act(FRAME).step == 0
        client.end()
        assert agent.wait(PATIENCE) == 0
        until(lambda: here.notes == [(1, True), (1, False)])
    finally:
        agent.kill()
        agent.communicate()


@pytest.mark.parametrize(
    ("url", "token", "said"),
    [
        ("{url}", "wrong", "token is wrong or revoked. Your team's page makes another one"),
        ("ftp://x", "aurora", "URL: 'ftp://x' is not an address of a competition"),
        ("http://[::1", "aurora", "URL: "),
    ],
)
def test_the_command_says_what_is_wrong(here: Ground, tmp_path: Path, url: str, token: str, said: str) -> None:
    agent = nav_eval_agent(url.format(url=here.url), token, tmp_path)
    told = agent.communicate(timeout=PATIENCE)[1]
    assert (agent.returncode, said in told, len(told.splitlines())) == (2, True, 1), told
