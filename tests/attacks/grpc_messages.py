"""gRPC: messages that are none, statuses, and streams that do not keep to one answer for one question."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc

from attacks.attack import FAILS, FAILS_OR_ENDS, NEVER_READY, SURVIVES, UNHARMED, Attack, Expectation, in_turn
from attacks.raw_grpc import CALLS, Answer, GrpcRequest, grpc_service, proper
from attacks.raw_rest import Hostile
from attacks.services import attack
from nav_eval_sdk.protocol.grpc import CODE_KEY, dump_action
from nav_eval_sdk.protocol.messages import Action

BAD = {
    "GetInfo": NEVER_READY,
    "HealthCheck": NEVER_READY,
    "ValidateEpisode": UNHARMED,
    "ResetEpisode": FAILS,
    "GetAction": FAILS,
    "EndEpisode": SURVIVES,
    "Session": FAILS,
}
Change = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    what: str
    change: Change
    odd: bool = False

    def expected(self, call: str) -> Expectation:
        return SURVIVES if self.odd else BAD[call]


def wire_of(call: str) -> str:
    return "stream" if call == "Session" else "grpc"


def at(call: str, answer: Answer, *, first: int = 0, last: int = 1 << 30) -> Answer:
    def behaviour(request: GrpcRequest, context: Any) -> bytes | None:
        chosen = request.call == call and first <= request.number <= last
        return answer(request, context) if chosen else None

    return behaviour


def served(name: str, what: str, expected: Expectation, answer: Answer, *, wire: str, **options: Any) -> Attack:
    return attack(f"grpc/{name}", what, expected, lambda: grpc_service(answer), wire=wire, **options)


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number: int, data: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def nested(depth: int) -> bytes:
    """A Value in a Struct in a Value ..., from the inside."""
    data = field(2, b"deep")
    for _ in range(depth):
        data = field(4, field(1, field(1, b"a") + field(2, data)))
    return data


KINDS = (
    Kind("no-bytes", "a message of no bytes", lambda data: b"", odd=True),
    Kind("garbage", "bytes that are no protobuf", lambda data: b"\x93\x00{]garbage" + b"\xff" * 50),
    Kind("json", "JSON", lambda data: b'{"status": "ready", "action": "stop"}'),
    Kind("truncated", "cut in the middle of a field", lambda data: field(1, b"ready and more")[:-3]),
    Kind("unknown-fields", "a field that nobody knows", lambda data: data + field(99, b"x" * 1000), odd=True),
    Kind("field-0", "a field numbered 0", lambda data: data + b"\x02\x01x"),
    Kind(
        "wrong-wire-type",
        "every field a fixed64",
        lambda data: b"".join(bytes([n << 3 | 1]) + bytes(8) for n in range(1, 12)),
        odd=True,
    ),
    Kind("group", "a group that never ends", lambda data: data + b"\x0b" * 1000),
    Kind(
        "deep-group", "100,000 groups in one another", lambda data: data + b"\x93\x06" * 100_000 + b"\x94\x06" * 100_000
    ),
    Kind("long-varint", "a varint of 100 bytes", lambda data: data + b"\x18" + b"\xff" * 100),
    Kind("vast-length", "a field of 2^60 bytes", lambda data: data + b"\x0a" + varint(1 << 60)),
    Kind("no-utf-8", "texts that are no UTF-8", lambda data: field(1, b"\xff\xfe\x80") + data),
    Kind("surrogate", "half of a surrogate pair as UTF-8", lambda data: field(1, b"\xed\xa0\x80")),
    Kind(
        "deep",
        "values 5,000 levels deep in every field",
        lambda data: b"".join(field(n, nested(5_000)) for n in (1, 2)),
    ),
    Kind(
        "deep-arguments",
        "an argument 60 levels deep",
        lambda data: data + field(2, field(1, b"a") + field(2, nested(60))),
        odd=True,
    ),
    Kind("huge", "2 MiB", lambda data: data + field(99, bytes(2 << 20))),
    Kind("vast", "64 MiB", lambda data: data + field(99, bytes(64 << 20))),
    Kind("many-entries", "100,000 fields", lambda data: data + field(2, b"") * 100_000, odd=True),
    Kind("twice", "every field twice", lambda data: data + data, odd=True),
    Kind(
        "nan",
        "numbers that are NaN",
        lambda data: data + field(6, field(1, b"think") + b"\x11" + struct.pack("<d", float("nan"))),
        odd=True,
    ),
)


def attacks() -> Iterator[Attack]:
    for number, kind in enumerate(KINDS):
        for call in in_turn(number, CALLS, ["GetAction"]):
            change = kind.change
            make: Answer = lambda request, context, change=change: change(proper(request))  # noqa: E731
            name, quick = f"message/{call}/{kind.name}", call == "HealthCheck"
            yield served(name, kind.what, kind.expected(call), at(call, make), wire=wire_of(call), quick=quick)
    yield from _statuses()
    yield from _streams()
    yield from _slow()


def _abort(code: grpc.StatusCode, details: str, **trailing: str) -> Answer:
    def answer(request: GrpcRequest, context: Any) -> bytes:
        context.set_trailing_metadata(tuple((key.replace("_", "-"), value) for key, value in trailing.items()))
        context.abort(code, details)
        raise AssertionError

    return answer


HOSTILE = "Traceback (most recent call last):\n\x1b[31m\u202e=cmd()|<script>alert(1)</script>\r\n" + "Q" * 2000


def _statuses() -> Iterator[Attack]:
    for number, code in enumerate(grpc.StatusCode):
        if code is grpc.StatusCode.OK:
            continue
        name = code.name.lower()
        for call in in_turn(number, ("GetAction", "Session", "ResetEpisode")):
            what, answer = f"{code.name} and a hostile text", at(call, _abort(code, HOSTILE))
            yield served(f"status/{call}/{name}", what, FAILS_OR_ENDS, answer, wire=wire_of(call), quick=True)
    for call in ("GetInfo", "EndEpisode", "ValidateEpisode"):
        answer = at(call, _abort(grpc.StatusCode.UNIMPLEMENTED, HOSTILE))
        yield served(f"status/{call}/unimplemented", "a service without this call", UNHARMED, answer, wire="grpc")
    words = ["invalid_action", "busy", "loading", "unauthorized", "superseded", "unknown_session"]
    for number, said in enumerate((*words, "Q" * 1000, "=1+1", "a b")):
        for call in in_turn(number, ("GetAction", "Session", "ResetEpisode", "GetInfo", "HealthCheck"), ["GetAction"]):
            answer = at(call, _abort(grpc.StatusCode.INTERNAL, HOSTILE, nav_eval_code=said))
            label = said if len(said) < 20 and said.isidentifier() else f"odd-{len(said)}"
            expected = NEVER_READY if call in ("GetInfo", "HealthCheck") else FAILS_OR_ENDS
            what = f"INTERNAL with {CODE_KEY}: {said[:20]}"
            yield served(f"code/{call}/{label}", what, expected, answer, wire=wire_of(call), quick=True)


def _streams() -> Iterator[Attack]:
    Session = Callable[[Iterator[bytes], Any, Hostile], Iterator[bytes]]

    def reply(data: bytes, **changed: Any) -> bytes:
        asked = GrpcRequest("Session", 0, data).asked
        fields = {"session_id": asked.session_id, "step": asked.step, "request_id": asked.request_id} | changed
        return dump_action(Action("stop" if asked.step else "turn_left", {}, **fields))

    def ends(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        next(requests)
        yield from ()

    def twice(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        for data in requests:
            yield reply(data)
            yield reply(data)

    def early(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        yield dump_action(Action("stop", {}, "default", 0, ""))
        for data in requests:
            yield reply(data)

    def flood(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        data = reply(next(requests))
        while context.is_active() and not hostile.released.is_set():
            yield data + field(99, bytes(900_000))

    def raises(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        next(requests)
        yield from ()
        raise RuntimeError(HOSTILE)

    def forgets(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        for data in requests:
            yield reply(data, session_id="", step=None, request_id="")

    def behind(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        last = None
        for data in requests:
            yield reply(last or data)
            last = data

    def cancels(requests: Iterator[bytes], context: Any, hostile: Hostile) -> Iterator[bytes]:
        next(requests)
        context.cancel()
        yield from ()

    cases: tuple[tuple[str, str, Session, Expectation], ...] = (
        ("ends", "the stream ends without an answer", ends, FAILS),
        ("twice", "every answer comes twice", twice, SURVIVES),
        ("early", "an answer before the first question", early, SURVIVES),
        ("flood", "answers without end", flood, SURVIVES),
        ("raises", "the stream fails", raises, FAILS),
        ("forgets", "answers that do not say what they answer", forgets, FAILS),
        ("behind", "every answer is for the question before", behind, SURVIVES),
        ("cancels", "the stream is cancelled", cancels, FAILS),
    )
    for name, what, session, expected in cases:
        serve = partial(grpc_service, lambda *_: None, session)
        yield attack(f"grpc/stream/{name}", what, expected, serve, wire="stream", quick=True)


def _slow() -> Iterator[Attack]:
    def hang(request: GrpcRequest, context: Any) -> None:
        until = time.monotonic() + 30
        while context.is_active() and time.monotonic() < until:
            time.sleep(0.1)

    for call in CALLS:
        expected = SURVIVES if call in ("ValidateEpisode", "EndEpisode") else FAILS_OR_ENDS
        yield served(f"slow/{call}/hang", "no answer ever", expected, at(call, hang), wire=wire_of(call), quick=True)
