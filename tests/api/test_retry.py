"""A broken connection is tried again with the same request, within the deadline, and the agent is asked once."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections import Counter
from typing import Any, ClassVar

import pytest

from api.worlds import observation, offer
from nav_eval.api.connecting import connect
from nav_eval.api.retrying import Retrying
from nav_eval.api.settings import Retry
from nav_eval.errors import AgentTimeout, ServiceUnavailable
from nav_eval_sdk import VLNAgent, start
from nav_eval_sdk.errors import DeadlineMissed, Refused, Unreachable
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.messages import (
    Action,
    EndStatus,
    EpisodeData,
    EpisodeEnd,
    Info,
    InitialObservation,
    Problem,
    ServiceStatus,
    Validation,
)
from nav_eval_sdk.transport.base import Ask, Deadline, Transport
from patience import PATIENCE
from relays import Relay, cut

BROKEN = Unreachable("the line is cut")
ASK = Ask("s", 0, "r", specs={}, observation={})


class Scripted(Transport):
    """Fails as the script says, then answers."""

    def __init__(self, *script: Exception) -> None:
        self.script = list(script)
        self.asked: list[Ask] = []
        self.dropped = 0

    def _next(self, answer: Any) -> Any:
        if self.script:
            raise self.script.pop(0)
        return answer

    def info(self, deadline: Deadline) -> Info:
        return self._next(Info())

    def health(self, deadline: Deadline) -> ServiceStatus:
        return self._next(ServiceStatus("ready"))

    def validate(self, data: EpisodeData | None, deadline: Deadline) -> Validation:
        return self._next(Validation())

    def reset(self, data: EpisodeData, deadline: Deadline) -> InitialObservation:
        return self._next(InitialObservation())

    def act(self, ask: Ask, deadline: Deadline) -> Action:
        self.asked.append(ask)
        return self._next(Action("stop"))

    def end(self, data: EpisodeEnd, deadline: Deadline) -> EndStatus:
        return self._next(EndStatus())

    def drop(self) -> None:
        self.dropped += 1


def test_the_same_request_is_sent_again() -> None:
    scripted = Scripted(BROKEN, BROKEN)
    assert Retrying(scripted, Retry(2, 0.001)).act(ASK, Deadline(5)).action == "stop"
    assert scripted.asked == [ASK] * 3


def test_not_more_often_than_allowed() -> None:
    scripted = Scripted(*[BROKEN] * 9)
    with pytest.raises(Unreachable):
        Retrying(scripted, Retry(2, 0.001)).act(ASK, Deadline(5))
    assert len(scripted.asked) == 3


def test_never_beyond_the_deadline() -> None:
    scripted = Scripted(*[BROKEN] * 1000)
    begun = time.monotonic()
    with pytest.raises(Unreachable):
        Retrying(scripted, Retry(1000, 0.05)).act(ASK, Deadline(0.3))
    assert time.monotonic() - begun < 30
    assert len(scripted.asked) < 10


@pytest.mark.parametrize("code", ["busy", "loading"])
def test_a_service_that_is_not_ready_is_asked_on(code: str) -> None:
    scripted = Scripted(*[Refused(Problem(code))] * 6)
    Retrying(scripted, Retry(0, 0.001)).reset(EpisodeData("e", "s"), Deadline(5))
    assert not scripted.script


@pytest.mark.parametrize("error", [DeadlineMissed("late"), Refused(Problem("agent_error")), ValueError("ours")])
def test_what_cannot_get_better_is_not_tried_again(error: Exception) -> None:
    scripted = Scripted(error)
    with pytest.raises(type(error)):
        Retrying(scripted, Retry(5, 0.001)).act(ASK, Deadline(5))
    assert len(scripted.asked) == 1


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
