"""What a client makes of services that misbehave: whose fault it is, in time, and nothing is decided twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import pytest

from api.hostile import Hostile, grpc_service, rest_service
from api.worlds import SPECS, observation, offer
from nav_eval.api import remote
from nav_eval.api.connecting import connect
from nav_eval.api.settings import Retry
from nav_eval.core.interfaces import AgentClient
from nav_eval.errors import AgentError, AgentTimeout, ConfigError, InvalidAction, ServiceUnavailable
from nav_eval_sdk import start
from nav_eval_sdk.examples.forward import ForwardAgent
from nav_eval_sdk.protocol.deadlines import Deadlines
from patience import PATIENCE

PATIENT = Deadlines(connect=PATIENCE, ready=PATIENCE, reset=PATIENCE, act=PATIENCE)
HASTY = replace(PATIENT, act=1.0)
FORMS = [("rest", "json"), ("grpc", "unary"), ("grpc", "stream")]
Open = Callable[..., AgentClient]


@pytest.fixture(params=FORMS, ids="-".join)
def wire(request: pytest.FixtureRequest) -> tuple[str, str]:
    form: tuple[str, str] = request.param
    return form


@pytest.fixture
def serve(wire: tuple[str, str]) -> Callable[..., AbstractContextManager[Hostile]]:
    return rest_service if wire[0] == "rest" else grpc_service


@pytest.fixture
def open_client(wire: tuple[str, str]) -> Iterator[Open]:
    services = []

    def open_session(endpoint: str, deadlines: Deadlines = PATIENT, **options: Any) -> AgentClient:
        service = connect(endpoint, wire[0], encoding=wire[1], deadlines=deadlines, retry=Retry(2, 0.05), **options)
        services.append(service)
        client = service.open_session()
        client.reset_episode(offer())
        return client

    yield open_session
    for service in services:
        service.close()


FAULTS = {
    "hang": (AgentTimeout, None),
    "late": (AgentTimeout, None),
    "drip": (AgentTimeout, None),
    "die": (ServiceUnavailable, None),
    "other_step": (AgentError, None),
    "other_session": (AgentError, None),
    "other_request": (AgentError, None),
    "garbage": (AgentError, None),
    "huge": (AgentError, None),
    "nan": (InvalidAction, None),
    "unknown_action": (InvalidAction, None),
    "traceback": (AgentError, None),
    "chunk": (AgentError, "more than"),  # http.client takes a chunk of length -1 for all that comes until the end
    "integer": (InvalidAction, "finite"),
}
ONLY_REST = ("chunk", "integer")
CASES = [(mode, form) for mode in FAULTS for form in FORMS if form[0] == "rest" or mode not in ONLY_REST]


@pytest.mark.parametrize(("mode", "wire"), CASES, indirect=["wire"])
def test_the_error_says_whose_fault_it_is(mode: str, serve: Any, open_client: Open) -> None:
    fault, told = FAULTS[mode]
    deadlines = HASTY if fault is AgentTimeout else PATIENT
    with serve(mode, seconds=2.0, at=1) as hostile:
        client = open_client(hostile.endpoint, deadlines)
        assert client.get_action(observation(0)).action.name == "move_forward"
        begun = time.monotonic()
        with pytest.raises(fault, match=told) as caught:
            client.get_action(observation(1))
        assert time.monotonic() - begun < 60  # a deadline is for the whole answer, also of one that drips
        assert hostile.sent < 64 << 20  # a huge answer is not read
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 500
        assert len({request for _, step, request in hostile.asked if step == 1}) == 1
        hostile.released.set()


def test_a_late_answer_is_not_taken_for_the_next_one(serve: Any, open_client: Open) -> None:
    with serve("late", seconds=1.5, at=0) as hostile:
        client = open_client(hostile.endpoint, HASTY)
        with pytest.raises(AgentTimeout):
            client.get_action(observation(0))
        time.sleep(1.0)
        client.end_episode("agent_timeout")
        hostile.mode = "well"
        client.reset_episode(offer(1))
        for step in range(3):
            assert client.get_action(observation(step)).action.name == "move_forward"
        assert len(set(hostile.resets)) == 2
        assert hostile.ends == hostile.resets[:1]


def test_answers_that_nobody_asked_for_stay_with_the_service() -> None:
    with grpc_service("flood") as hostile:
        service = connect(hostile.endpoint, "grpc", encoding="stream", deadlines=PATIENT)
        client = service.open_session()
        client.reset_episode(offer())
        assert client.get_action(observation(0)).action.name == "move_forward"
        time.sleep(1.0)
        assert hostile.sent < 128 << 20
        service.close()


@pytest.mark.parametrize("token", ["a\r\nX-Role: admin", "geheim\n", "\x7f", "密"])
def test_a_token_that_no_header_can_carry_is_refused_and_not_repeated(token: str) -> None:
    for protocol in ("rest", "grpc"):
        with pytest.raises(ConfigError, match=r"agent_service\.token") as caught:
            connect("localhost:1", protocol, token=token)
        assert token not in str(caught.value)


@pytest.mark.parametrize("token", [None, "wrong", "with space", "ключ"])
def test_a_service_that_refuses_our_token(wire: tuple[str, str], open_client: Open, token: str | None) -> None:
    with start(ForwardAgent, protocol=wire[0], port=0, token="right") as server:
        if token == "ключ":
            with pytest.raises(ConfigError, match="token"):
                open_client(server.endpoint, token=token)
            return
        with pytest.raises(ServiceUnavailable, match=r"agent_service\.token"):
            open_client(server.endpoint, token=token)
        client = open_client(server.endpoint, token="right")
        assert client.get_action(observation(0)).action.name == "move_to"


def test_who_waits_is_told_for_what_how_long_and_how_to_wait_less(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(remote, "REMINDER_SECONDS", 1.0)
    service = connect("127.0.0.1:9", deadlines=Deadlines(connect=0.5, ready=2.4), retry=Retry(1, 0.01))
    with pytest.raises(ServiceUnavailable):
        service.health_check()
    told = [record.getMessage() for record in caplog.records if "waiting for 127.0.0.1:9," in record.getMessage()]
    left = [float(text.split(", ")[1].split(" s more")[0]) for text in told]
    assert len(told) in (2, 3)
    assert left == sorted(left, reverse=True)
    assert left[0] == 2
    assert left[-1] < 2
    assert all("127.0.0.1:9" in text and "refused" in text and "agent_service.deadlines.ready" in text for text in told)


def test_nobody_is_there(wire: tuple[str, str]) -> None:
    deadlines = Deadlines(connect=0.5, ready=0.6)
    service = connect("127.0.0.1:9", wire[0], encoding=wire[1], deadlines=deadlines, retry=Retry(1, 0.01))
    with pytest.raises(ServiceUnavailable, match="Is the service running"):
        service.health_check()
    with pytest.raises(ServiceUnavailable):
        service.open_session()


def test_the_observation_declared_is_the_observation_sent() -> None:
    assert set(observation(0)) <= set(SPECS)
