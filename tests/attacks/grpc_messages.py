"""gRPC: messages that are none, statuses, and streams that do not keep to one answer for one question."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import grpc

from attacks.attack import (
    FAILS,
    FAILS_OR_ENDS,
    NEVER_READY,
    SURVIVES,
    UNHARMED,
    Attack,
    Expectation,
    Kind,
    in_turn,
    spread,
)
from attacks.raw_grpc import CALLS, Answer, GrpcRequest, acted, field, grpc_service, proper, varint
from attacks.raw_rest import Hostile
from attacks.services import attack, served
from nav_eval_sdk.protocol.grpc import CODE_KEY, dump_action
from nav_eval_sdk.protocol.messages import Action

Session = Callable[[Iterator[bytes], Any, Hostile], Iterator[bytes]]
BAD = {
    "GetInfo": NEVER_READY,
    "HealthCheck": NEVER_READY,
    "ValidateEpisode": UNHARMED,
    "ResetEpisode": FAILS,
    "GetAction": FAILS,
    "EndEpisode": SURVIVES,
    "Session": FAILS,
}
HOSTILE = "Traceback (most recent call last):\n\x1b[31m\u202e=cmd()|<script>alert(1)</script>\r\n" + "Q" * 2000


def nested(depth: int) -> bytes:
    """A Value in a Struct in a Value ..., from the inside."""
    data = field(2, b"deep")
    for _ in range(depth):
        data = field(4, field(1, field(1, b"a") + field(2, data)))
    return data


def _argument(value: bytes) -> bytes:
    return field(2, field(1, b"a") + field(2, value))


NAN = field(6, field(1, b"think") + b"\x11" + struct.pack("<d", float("nan")))
FIXED = b"".join(bytes([n << 3 | 1]) + bytes(8) for n in range(1, 12))
KINDS = (
    Kind("a message of no bytes", lambda data: b"", odd=True),
    Kind("bytes that are no protobuf", lambda data: b"\x93\x00{]garbage" + b"\xff" * 50),
    Kind("JSON", lambda data: b'{"status": "ready", "action": "stop"}'),
    Kind("cut in the middle of a field", lambda data: field(1, b"ready and more")[:-3]),
    Kind("a field that nobody knows", lambda data: data + field(99, b"x" * 1000), odd=True),
    Kind("a field numbered 0", lambda data: data + b"\x02\x01x"),
    Kind("every field a fixed64", lambda data: FIXED, odd=True),
    Kind("a group that never ends", lambda data: data + b"\x0b" * 1000),
    Kind("100,000 groups in one another", lambda data: data + b"\x93\x06" * 100_000 + b"\x94\x06" * 100_000),
    Kind("a varint of 100 bytes", lambda data: data + b"\x18" + b"\xff" * 100),
    Kind("a field of 2^60 bytes", lambda data: data + b"\x0a" + varint(1 << 60)),
    Kind("texts that are no UTF-8", lambda data: field(1, b"\xff\xfe\x80") + data),
    Kind("half of a surrogate pair as UTF-8", lambda data: field(1, b"\xed\xa0\x80")),
    Kind("5,000 levels in every field", lambda data: field(1, nested(5_000)) + field(2, nested(5_000))),
    Kind("an argument 60 levels deep", lambda data: data + _argument(nested(60)), odd=True),
    Kind("2 MiB", lambda data: data + field(99, bytes(2 << 20))),
    Kind("64 MiB", lambda data: data + field(99, bytes(64 << 20))),
    Kind("100,000 fields", lambda data: data + field(2, b"") * 100_000, odd=True),
    Kind("every field twice", lambda data: data + data, odd=True),
    Kind("numbers that are NaN", lambda data: data + NAN, odd=True),
)


def attacks() -> Iterator[Attack]:
    for kind, call, expected in spread(KINDS, BAD, CALLS, ["GetAction"]):
        make: Answer = lambda request, context, change=kind.make: change(proper(request))  # noqa: E731
        yield served(f"message/{call}/{kind.what}", expected, call, make, quick=call == "HealthCheck")
    yield from _statuses()
    for what, (session, expected) in STREAMS.items():
        serve = partial(grpc_service, lambda *_: None, session)
        yield attack(f"grpc/stream/{what}", expected, serve, wire="stream", quick=True)
    for call in CALLS:
        expected = SURVIVES if call in ("ValidateEpisode", "EndEpisode") else FAILS_OR_ENDS
        yield served(f"slow/{call}/no answer ever", expected, call, _hang, quick=True)


def _abort(code: Any, **trailing: str) -> Answer:
    def answer(request: GrpcRequest, context: Any) -> bytes:
        context.set_trailing_metadata(tuple(trailing.items()))
        context.abort(code, HOSTILE)
        raise AssertionError

    return answer


def _statuses() -> Iterator[Attack]:
    for number, code in enumerate(grpc.StatusCode):
        if code is not grpc.StatusCode.OK:
            for call in in_turn(number, ("GetAction", "Session", "ResetEpisode")):
                yield served(f"status/{call}/{code.name}", FAILS_OR_ENDS, call, _abort(code), quick=True)
    for call in ("GetInfo", "EndEpisode", "ValidateEpisode"):
        absent = _abort(grpc.StatusCode.UNIMPLEMENTED)
        yield served(f"status/{call}/a service without this call", UNHARMED, call, absent)
    words = ["invalid_action", "busy", "loading", "unauthorized", "superseded", "unknown_session"]
    for number, said in enumerate((*words, "Q" * 1000, "=1+1", "a b")):
        for call in in_turn(number, ("GetAction", "Session", "ResetEpisode", "GetInfo", "HealthCheck"), ["GetAction"]):
            expected = NEVER_READY if call in ("GetInfo", "HealthCheck") else FAILS_OR_ENDS
            answer = _abort(grpc.StatusCode.INTERNAL, **{CODE_KEY: said})
            yield served(f"code/{call}/{said[:20]}", expected, call, answer, quick=True)


def _hang(request: GrpcRequest, context: Any) -> None:
    until = time.monotonic() + 30
    while context.is_active() and time.monotonic() < until:
        time.sleep(0.1)


def _reply(data: bytes, **changed: Any) -> bytes:
    return acted(GrpcRequest("Session", 0, data), **changed)


def _ends(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
    next(requests)
    yield from ()


def _each(make: Callable[[bytes], tuple[bytes, ...]], *first: bytes) -> Session:
    """What is made of each question, after what nobody asked for."""

    def session(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        yield from first
        for data in requests:
            yield from make(data)

    return session


def _flood(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
    data = _reply(next(requests))
    while context.is_active() and not hostile.released.is_set():
        yield data + field(99, bytes(900_000))


def _raises(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
    yield from _ends(requests, context, hostile)
    raise RuntimeError(HOSTILE)


def _behind(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
    last = None
    for data in requests:
        yield _reply(last or data)
        last = data


def _cancels(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
    yield from _ends(requests, context, hostile)
    context.cancel()


EARLY = dump_action(Action("stop", {}, "default", 0, ""))
NOBODY = {"session_id": "", "step": None, "request_id": ""}
STREAMS: dict[str, tuple[Session, Expectation]] = {
    "the stream ends without an answer": (_ends, FAILS),
    "every answer comes twice": (_each(lambda data: (_reply(data), _reply(data))), SURVIVES),
    "an answer before the first question": (_each(lambda data: (_reply(data),), EARLY), SURVIVES),
    "answers without end": (_flood, SURVIVES),
    "the stream fails": (_raises, FAILS),
    "answers that do not say what they answer": (_each(lambda data: (_reply(data, **NOBODY),)), FAILS),
    "every answer is for the question before": (_behind, SURVIVES),
    "the stream is cancelled": (_cancels, FAILS),
}
