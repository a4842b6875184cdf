"""A broken connection is tried again with the same request, within the deadline, and the agent is asked once."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections import Counter
from typing import Any, ClassVar
from unittest.mock import create_autospec

import pytest

from api.worlds import observation, offer
from nav_eval.api.connecting import connect
from nav_eval.api.retrying import Retrying
from nav_eval.api.settings import Retry
from nav_eval.errors import AgentTimeout, ServiceUnavailable
from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.errors import DeadlineMissed, Refused, Unreachable
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.messages import Action, EpisodeData, Problem
from nav_eval_sdk.transport.base import Ask, Deadline, Transport
from patience import PATIENCE
from relays import Relay, cut

BROKEN = Unreachable("the line is cut")
ASK = Ask("s", 0, "r", specs={}, observation={})


def scripted(*script: Exception) -> Any:
    """A transport that fails as the script says, then answers; `act.call_args_list`: what it was asked."""
    made = create_autospec(Transport, instance=True)
    made.act.side_effect = made.reset.side_effect = [*script, Action("stop")]
    return made


@pytest.mark.parametrize(
    ("failures", "retries", "seconds", "asked"),
    [
        pytest.param([BROKEN] * 2, Retry(2, 0.001), 5, 3, id="the same request again"),
        pytest.param([BROKEN] * 9, Retry(2, 0.001), 5, 3, id="not more often than allowed"),
        pytest.param([BROKEN] * 1000, Retry(1000, 0.05), 0.3, None, id="never beyond the deadline"),
        pytest.param([DeadlineMissed("late")], Retry(5, 0.001), 5, 1, id="a missed deadline cannot get better"),
        pytest.param([Refused(Problem("agent_error"))], Retry(5, 0.001), 5, 1, id="nor an agent's error"),
        pytest.param([ValueError("ours")], Retry(5, 0.001), 5, 1, id="nor ours"),
    ],
)
def test_what_is_tried_again(failures: list[Exception], retries: Retry, seconds: float, asked: int | None) -> None:
    transport, begun = scripted(*failures), time.monotonic()
    if len(failures) == 2:
        assert Retrying(transport, retries).act(ASK, Deadline(seconds)).action == "stop"
    else:
        with pytest.raises(type(failures[0])):
            Retrying(transport, retries).act(ASK, Deadline(seconds))
    sent = [call.args[0] for call in transport.act.call_args_list]
    assert len(sent) == asked if asked else len(sent) < 10
    assert sent == [ASK] * len(sent)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("code", ["busy", "loading"])
def test_a_service_that_is_not_ready_is_asked_on(code: str) -> None:
    transport = scripted(*[Refused(Problem(code))] * 6)
    Retrying(transport, Retry(0, 0.001)).reset(EpisodeData("e", "s"), Deadline(5))
    assert transport.reset.call_count == 7


class Counting(VLNAgent):
    calls: ClassVar[Counter[tuple[int, int]]] = Counter()

    def reset(self, episode: dict[str, Any]) -> None:
        self._step = -1

    def act(self, observation: dict[str, Any]) -> str:
        self._step += 1
        self.calls[id(self), self._step] += 1
        time.sleep(0.01)
        return "move_forward"


class Cutting(Relay):
    """Cuts every connection after a random time."""

    def __init__(self, port: int, longest: float) -> None:
        self._longest, self._random, self.cuts = longest, random.Random(0), 0
        super().__init__(port)

    def joined(self, near: socket.socket, far: socket.socket) -> None:
        threading.Timer(self._random.uniform(0.02, self._longest), self._cut, (near, far)).start()

    def _cut(self, *pair: socket.socket) -> None:
        self.cuts += 1
        cut(*pair)


@pytest.mark.parametrize(
    ("protocol", "encoding"), [("rest", "json"), ("rest", "msgpack"), ("grpc", "unary"), ("grpc", "stream")]
)
def test_over_a_line_that_breaks_every_step_is_decided_once(protocol: str, encoding: str) -> None:
    class Counted(Counting):  # not those of another test, whose agent may still be at work
        calls: ClassVar[Counter[tuple[int, int]]] = Counter()

    with start(Counted, protocol=protocol, port=0).wait_loaded() as server, Cutting(server.port, 0.15) as relay:
        service = connect(relay.endpoint, protocol, encoding=encoding, retry=Retry(50, 0.005))
        client = service.open_session()
        client.reset_episode(offer())
        for step in range(60):
            assert client.get_action(observation(step)).action.name == "move_forward"
        client.end_episode("limit")
        service.close()
        cuts = relay.cuts
    assert cuts > 3
    assert set(Counted.calls.values()) == {1}
    assert len(Counted.calls) == 60


@pytest.mark.parametrize(("protocol", "encoding"), [("rest", "json"), ("grpc", "unary"), ("grpc", "stream")])
def test_the_episodes_deadline_cuts_the_steps(protocol: str, encoding: str) -> None:
    class Slow(Counting):
        def act(self, observation: dict[str, Any]) -> str:
            if self._step == 0:
                never.wait(PATIENCE)
            return super().act(observation)

    never = threading.Event()

    with start(Slow, protocol=protocol, port=0).wait_loaded() as server:
        service = connect(server.endpoint, protocol, encoding=encoding, deadlines=Deadlines(act=PATIENCE, episode=2.0))
        client = service.open_session()
        client.reset_episode(offer())
        client.get_action(observation(0))
        with pytest.raises(AgentTimeout):
            client.get_action(observation(1))
        never.set()
        service.close()


def test_a_service_that_loads_is_waited_for() -> None:
    ready = threading.Event()

    class Loading(Counting):
        def __init__(self) -> None:
            ready.wait(PATIENCE)

    with start(Loading, port=0) as server:
        with pytest.raises(ServiceUnavailable, match="loading"):
            connect(server.endpoint, "rest", deadlines=Deadlines(ready=2.0)).health_check()
        threading.Timer(0.5, ready.set).start()
        assert connect(server.endpoint, "rest").health_check().ready


def test_a_busy_service_is_waited_for_within_the_resets_deadline() -> None:
    with start(Counting, port=0).wait_loaded() as server:
        service = connect(server.endpoint, "rest", deadlines=Deadlines(reset=6.0), retry=Retry(0, 0.05))
        first, second = service.open_session(), service.open_session()
        first.reset_episode(offer())
        with pytest.raises(ServiceUnavailable, match="busy"):
            second.reset_episode(offer())
        threading.Timer(0.2, first.end_episode, ("done",)).start()
        second.reset_episode(offer())
        service.close()
