"""Whatever a participant's service answers, it is its own bad answer: never an error of ours, never a second text.

gRPC's own server cannot misbehave on the wire, so its frames are written by hand.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest

from api.worlds import observation, offer
from attacks import raw_grpc, raw_rest
from attacks.raw_grpc import END_HEADERS, END_STREAM, body, frame, frames_service, head, message, trailers
from attacks.raw_rest import Reply, Request, answer, rest_service
from nav_eval.api.connecting import connect
from nav_eval.api.retrying import Retrying
from nav_eval.api.settings import Retry
from nav_eval.errors import AgentError, InvalidAction, ServiceError, ServiceUnavailable
from nav_eval_sdk.errors import BadAnswer, Refused, Unreachable, WireError
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.messages import EpisodeData, EpisodeEnd
from nav_eval_sdk.transport.base import Ask, Connection, Deadline, Endpoint, Transport
from nav_eval_sdk.transport.grpc import GrpcTransport

CALLS: dict[str, Callable[[Transport, Deadline], Any]] = {
    "info": lambda transport, limit: transport.info(limit),
    "health": lambda transport, limit: transport.health(limit),
    "validate": lambda transport, limit: transport.validate(None, limit),
    "reset": lambda transport, limit: transport.reset(EpisodeData("e", "s"), limit),
    "act": lambda transport, limit: transport.act(Ask("s", 0, "r", specs={}, observation={}), limit),
    "end": lambda transport, limit: transport.end(EpisodeEnd(), limit),
}
Frames = Callable[[int], bytes]
"""The frames of an answer on the stream of that number."""


def trailers_only(*fields: tuple[str, str]) -> Frames:
    """An answer that has no message."""
    return lambda stream: head(stream, *fields, flags=WHOLE)


def with_message(data: bytes, compressed: int = 0, *fields: tuple[str, str]) -> Frames:
    return lambda stream: head(stream, *fields) + body(stream, message(data, compressed)) + trailers(stream)


WHOLE = END_HEADERS | END_STREAM
PAGE = ((":status", "404"), ("content-type", "text/html"))
FRAMES: dict[str, tuple[Frames, type[WireError]]] = {
    "OK without a message": (trailers_only(("grpc-status", "0")), BadAnswer),
    "an unknown compression flag": (with_message(b"", 7), BadAnswer),
    "compressed by nothing": (with_message(b"", 1), BadAnswer),
    "compressed by what nobody knows": (with_message(b"", 1, ("grpc-encoding", "x\x1b[1m")), BadAnswer),
    "no protobuf": (with_message(b"\xff" * 40), BadAnswer),
    "a status that is not a number": (trailers_only(("grpc-status", "\x1b[31m")), BadAnswer),
    "a status that nobody knows": (trailers_only(("grpc-status", "99")), Refused),
    "a code that is not a code": (trailers_only(("grpc-status", "13"), ("nav-eval-code", "\x1b[31m")), Refused),
    "a message of many lines": (trailers_only(("grpc-status", "2"), ("grpc-message", quote("a\nb\x1b[31m"))), Refused),
    "data before any header": (lambda stream: frame("data", stream, b"\x1b[31m", END_STREAM), WireError),
    "a farewell": (lambda stream: frame("goaway", stream, b"\0\0\0\0\0\0\0\2\x1b[31mhello"), Unreachable),
    "a proxy that knows no service": (lambda stream: raw_grpc.headers(stream, *PAGE, flags=WHOLE), Unreachable),
    "headers that cannot be unpacked": (lambda stream: frame("headers", stream, b"\xff\x1b[1m" * 20, WHOLE), BadAnswer),
}


@pytest.mark.parametrize("stream", [False, True], ids=["unary", "stream"])
@pytest.mark.parametrize("name", FRAMES)
def test_a_bad_answer_over_grpc_is_the_participants(
    name: str, stream: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("nav_eval"), "handlers", [])  # a test before may have left one that waits
    frames, kind = FRAMES[name]
    with frames_service(lambda request: frames(request.stream)) as hostile:
        for call in CALLS if not stream else ["act"]:
            transport = GrpcTransport(Connection(Endpoint.parse(hostile.endpoint)), stream=stream)
            with pytest.raises(WireError) as caught:
                CALLS[call](transport, Deadline(1.0 if kind is WireError else 20.0))
            expected = (kind, Unreachable) if stream else kind  # a stream that ends without an answer is a cut line
            assert isinstance(caught.value, expected), call
            assert_one_line(str(caught.value))
            transport.drop()
    assert capfd.readouterr() == ("", "")


def assert_one_line(text: str) -> None:
    assert text.isprintable()
    assert len(text) <= 300
    text.encode()


@dataclass
class Odd:
    """Gives each act the next of `answers`, (status, headers, body), then a proper one. `gets`: the status of GET."""

    answers: list[tuple[int, dict[str, str], bytes]]
    gets: int = 200
    times: list[float] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        if request.call in ("info", "health") and self.gets != 200:
            return answer(b"", status=f"{self.gets} Odd")
        if request.call != "act":
            return None
        self.times.append(time.monotonic())
        status, more, body = self.answers.pop(0) if self.answers else (200, {}, GOOD)
        fields = {"Content-Type": "application/json"} | more
        kind = fields.pop("Content-Type")
        lines = "".join(f"{key}: {value}\r\n" for key, value in fields.items())
        return answer(body, status=f"{status} Odd", kind=kind, head=lines)


def act(odd: Odd, act: float = 60.0, retries: int = 2) -> str:
    with rest_service(odd) as hostile:
        deadlines = Deadlines(connect=60.0, ready=60.0, reset=60.0, act=act)
        service = connect(hostile.endpoint, "rest", deadlines=deadlines, retry=Retry(retries, 0.01))
        try:
            service.health_check()
            client = service.open_session()
            client.reset_episode(offer())
            return client.get_action(observation(0)).action.name
        finally:
            service.close()


GOOD = b'{"action": "move_forward"}'
PROBLEM = {"Content-Type": "application/problem+json"}


def problem(code: str) -> bytes:
    return json.dumps({"code": code, "detail": "so it is"}).encode()


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([(500, {}, b"<html>")], 2),
        ([(500, PROBLEM, problem("internal"))], 2),
        ([(429, {}, b"")] * 4, 5),
        ([(502, {}, b"")] * 2, 3),
        ([(503, {"Retry-After": "0"}, b"")] * 2, 3),
        ([(504, {}, b""), (500, {}, b""), (429, {}, b"")], 4),
        ([(503, PROBLEM, problem("busy"))] * 4, 5),
        ([(200, {}, b"[" * 100_000)], 2),
        ([(200, {}, b'{"action": 3}'), (200, {}, b'{"action": "stop", "step": "0"}')], 3),
    ],
)
def test_answers_that_are_asked_for_again(answers: Any, asked: int) -> None:
    odd = Odd(answers)
    assert act(odd) == "move_forward"
    assert len(odd.times) == asked


NAN = b'{"action": "velocity", "action_args": {"linear": NaN, "angular": 0, "duration": 1}}'
PACKED = {"Content-Type": "application/msgpack"}


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, GOOD.decode().encode("utf-16")),
        (200, {}, GOOD.decode().encode("utf-32")),
        (200, {}, b"\xef\xbb\xbf" + GOOD),
        (200, {}, b'{"action": "\\ud800"}'),
        (200, {}, NAN.decode().encode("utf-16")),
        (200, PACKED, GOOD),
        (200, PACKED, NAN),
    ],
)
def test_no_answer_is_repaired(answer: Any) -> None:
    """JSON is UTF-8 (RFC 8259, 8.1), and what says that it is msgpack is."""
    with pytest.raises(AgentError, match="no valid Action"):
        act(Odd([answer] * 9))


def test_nan_is_read_so_that_it_is_an_invalid_action() -> None:
    with pytest.raises(InvalidAction):
        act(Odd([(200, {}, NAN)]))


@pytest.mark.parametrize(
    ("answer", "error", "asked"),
    [
        ((500, {}, b""), AgentError, 2),
        ((502, {}, b""), ServiceUnavailable, 3),
        ((500, PROBLEM, problem("agent_error")), AgentError, 1),
        ((400, {}, b""), AgentError, 1),
        ((404, PROBLEM, problem("unknown_session")), ServiceUnavailable, 1),
        ((418, {}, b""), AgentError, 1),
        ((500, PROBLEM, problem("E-1\x1b")), AgentError, 1),
    ],
)
def test_answers_that_end_the_episode(answer: Any, error: type[ServiceError], asked: int) -> None:
    odd = Odd([answer] * 9)
    with pytest.raises(error):
        act(odd)
    assert len(odd.times) == asked


def test_retry_after_is_kept_within_the_deadline() -> None:
    odd = Odd([(429, {"Retry-After": "1"}, b"")])
    assert act(odd) == "move_forward"
    assert odd.times[1] - odd.times[0] >= 1.0
    for long in ("600", "Fri, 01 Jan 2100 00:00:00 GMT"):
        odd = Odd([(429, {"Retry-After": long}, b"")])
        begun = time.monotonic()
        with pytest.raises(ServiceUnavailable, match="429"):
            act(odd)
        assert len(odd.times) == 1
        assert time.monotonic() - begun < 60


@pytest.mark.parametrize("text", ["soon", "-1", "1e9", "Fri, 99 Foo 2100", "Thu, 01 Jan 1970 00:00:00 GMT", "٣"])
def test_a_retry_after_that_is_none_is_no_wait(text: str) -> None:
    odd = Odd([(429, {"Retry-After": text.encode().decode("latin-1")}, b"")])
    assert act(odd) == "move_forward"


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_service_that_answers_no_get_is_understood_at_once(status: int) -> None:
    begun = time.monotonic()
    assert act(Odd([], gets=status)) == "move_forward"
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    """The token goes to the address that was configured only."""

    def send_elsewhere(connection: raw_rest.Connection) -> None:
        where = f"Location: http://{connection.hostile.trap}/x\r\n"
        connection.send(answer(b"", status=f"{status} Elsewhere", head=where))

    deadlines = Deadlines(connect=5.0, ready=1.0, reset=5.0, act=5.0)
    with rest_service(lambda request: send_elsewhere) as hostile:
        service = connect(hostile.endpoint, "rest", token="secret", deadlines=deadlines, retry=Retry(0, 0.01))
        with pytest.raises(ServiceError):
            service.info()
        service.close()
        assert hostile.asked
        assert hostile.trapped == []


def test_over_grpc_exhausted_is_asked_on_and_unknown_once_more() -> None:
    for status, words, most in (("8", "busy", 99), ("2", "internal", 2), ("13", "INTERNAL", 3)):
        asked: list[str] = []

        class Counted(GrpcTransport):
            def act(self, ask: Ask, deadline: Deadline, asked: list[str] = asked) -> Any:
                asked.append(ask.request_id)
                return super().act(ask, deadline)

        frames = trailers_only(("grpc-status", status))
        with frames_service(lambda request, frames=frames: frames(request.stream)) as hostile:
            transport = Retrying(Counted(Connection(Endpoint.parse(hostile.endpoint)), stream=False), Retry(2, 0.05))
            with pytest.raises(WireError, match=words):
                transport.act(Ask("s", 0, "r", specs={}, observation={}), Deadline(1.5))
            transport.drop()
        assert len(asked) == most or (len(asked) > 3 and most == 99)
