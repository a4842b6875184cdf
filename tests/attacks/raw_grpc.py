"""gRPC servers: one that speaks HTTP/2 frame by frame on bare sockets, and grpc's own for what it can be made to say.

A behaviour is given every message that a client sends and answers with bytes (frames), with a function of the
connection, or with None, which is the proper answer of an agent that turns once and stops.
"""

from __future__ import annotations

import dataclasses
import re
import struct
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc

from attacks.raw_rest import Connection, Hostile, accept, listening
from nav_eval_sdk.protocol import messages as m
from nav_eval_sdk.protocol.grpc import SERVICE, ReceivedObservation, dump, dump_action

CALLS = ("GetInfo", "HealthCheck", "ValidateEpisode", "ResetEpisode", "GetAction", "EndEpisode", "Session")
FRAMES = ("data", "headers", "priority", "rst", "settings", "push", "ping", "goaway", "window", "continuation")
END_STREAM, END_HEADERS, PADDED, ACK = 1, 4, 8, 1
PATH = re.compile(rb"InferenceService/(\w+)")
WINDOW = (1 << 31) - 1 - 65535


@dataclass(frozen=True, slots=True)
class GrpcRequest:
    """`message`: the bytes of one message; `number`: how many came before for the same call."""

    call: str
    number: int
    message: bytes
    stream: int = 1

    @property
    def asked(self) -> m.Envelope:
        return ReceivedObservation(self.message).envelope


Frames: TypeAlias = "bytes | Callable[[Connection], object] | None"
Behaviour: TypeAlias = Callable[[GrpcRequest], Frames]


def proper(request: GrpcRequest) -> bytes:
    """The message that a well-behaved service answers with."""
    said: dict[str, m.Message] = {
        "GetInfo": m.Info(name="attacker", streaming=True, max_sessions=4),
        "HealthCheck": m.ServiceStatus(status="ready"),
        "ValidateEpisode": m.Validation(),
        "ResetEpisode": m.InitialObservation(),
        "EndEpisode": m.EndStatus(),
    }
    return dump(said[request.call]) if request.call in said else acted(request)


def acted(request: GrpcRequest, **changed: Any) -> bytes:
    """A decision: a turn, and then the stop, with other values of some fields."""
    asked = request.asked
    same = {"session_id": asked.session_id, "step": asked.step, "request_id": asked.request_id}
    return dump_action(m.Action(**{"action": "stop" if asked.step else "turn_left"} | same | changed))


def frame(kind: str, stream: int, payload: bytes = b"", flags: int = 0, length: int | None = None) -> bytes:
    """`kind`: of FRAMES, or one that nobody knows; `length`: what it says of itself, where that is not true."""
    size, number = len(payload) if length is None else length, FRAMES.index(kind) if kind in FRAMES else 250
    return struct.pack(">I", size)[1:] + bytes([number, flags]) + struct.pack(">I", stream) + payload


def code(number: int) -> bytes:
    return struct.pack(">I", number)


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number: int, data: bytes) -> bytes:
    """A length-delimited field of protobuf."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def header_block(*fields: tuple[str | bytes, str | bytes]) -> bytes:
    """HPACK, each field spelt out."""
    return b"".join(b"\x00" + _text(name) + _text(value) for name, value in fields)


def _text(text: str | bytes) -> bytes:
    data = text.encode("latin-1") if isinstance(text, str) else text
    return (bytes([len(data)]) if len(data) < 127 else b"\x7f" + varint(len(data) - 127)) + data


def headers(stream: int, *fields: tuple[str | bytes, str | bytes], flags: int = END_HEADERS) -> bytes:
    return frame("headers", stream, header_block(*fields), flags)


def head(stream: int, *more: tuple[str | bytes, str | bytes], status: str = "200", flags: int = END_HEADERS) -> bytes:
    return headers(stream, (":status", status), ("content-type", "application/grpc"), *more, flags=flags)


def trailers(stream: int, *more: tuple[str | bytes, str | bytes], status: str = "0") -> bytes:
    return headers(stream, ("grpc-status", status), *more, flags=END_HEADERS | END_STREAM)


def message(data: bytes, flag: int = 0, length: int | None = None) -> bytes:
    """gRPC's own frame: a flag and a length before each message."""
    return struct.pack(">BI", flag, len(data) if length is None else length) + data


def body(stream: int, data: bytes, flags: int = 0) -> bytes:
    """DATA frames of the usual size at most."""
    parts = [data[at : at + 16384] for at in range(0, len(data), 16384)] or [b""]
    last = len(parts) - 1
    return b"".join(frame("data", stream, part, flags if i == last else 0) for i, part in enumerate(parts))


def whole(request: GrpcRequest) -> bytes:
    """A whole answer; on a Session, where the stream goes on, its next message."""
    framed = body(request.stream, message(proper(request)))
    if request.call == "Session":
        return framed if request.number else head(request.stream) + framed
    return head(request.stream) + framed + trailers(request.stream)


@dataclass(slots=True)
class _Peer:
    """One connection: takes frames, hands on whole messages. By stream: `calls`, and bytes that `wait` for more."""

    connection: Connection
    behaviour: Behaviour
    calls: dict[int, str] = dataclasses.field(default_factory=dict)
    waiting: dict[int, bytes] = dataclasses.field(default_factory=dict)
    block: bytes = b""

    def serve(self, greeting: bytes) -> None:
        with self.connection.sock.makefile("rb") as incoming:
            if len(incoming.read(24)) < 24:
                return
            self.connection.send(greeting)
            while len(prefix := incoming.read(9)) == 9 and not self.connection.hostile.released.is_set():
                size, stream = int.from_bytes(prefix[:3], "big"), int.from_bytes(prefix[5:], "big")
                kind = FRAMES[prefix[3]] if prefix[3] < len(FRAMES) else ""
                self._take(kind, prefix[4], stream, incoming.read(size))

    def _take(self, kind: str, flags: int, stream: int, payload: bytes) -> None:
        if kind in ("settings", "ping") and not flags & ACK:
            self.connection.send(frame(kind, 0, payload if kind == "ping" else b"", ACK))
        elif kind in ("headers", "continuation"):
            self.block += payload
            if flags & END_HEADERS:
                named = PATH.search(self.block)
                self.calls[stream], self.block = named[1].decode() if named else "?", b""
        elif kind == "data" and stream in self.calls:
            held = self.waiting.pop(stream, b"") + payload
            while len(held) >= 5 and len(held) >= (end := 5 + int.from_bytes(held[1:5], "big")):
                data, held = held[5:end], held[end:]
                self._answer(stream, data)
            self.waiting[stream] = held

    def _answer(self, stream: int, data: bytes) -> None:
        hostile, call = self.connection.hostile, self.calls[stream]
        request = GrpcRequest(call, hostile.count(call), data, stream)
        hostile.asked.append(request)
        reply = self.behaviour(request)
        if callable(reply):
            reply(self.connection)
        else:
            self.connection.send(whole(request) if reply is None else reply)


def settings(**values: int) -> bytes:
    """No table for headers, so that every request spells its path; s1="value" sets the setting 1 and so on."""
    pairs = {1: 0, 4: (1 << 31) - 1} | {int(key[1:]): value for key, value in values.items()}
    return frame("settings", 0, b"".join(struct.pack(">HI", key, value) for key, value in pairs.items()))


GREETING = settings() + frame("window", 0, code(WINDOW))


def frames_service(behaviour: Behaviour, greeting: bytes = GREETING) -> AbstractContextManager[Hostile]:
    """HTTP/2 by hand."""
    return bytes_service(lambda connection: _Peer(connection, behaviour).serve(greeting))


@contextmanager
def bytes_service(play: Callable[[Connection], object]) -> Iterator[Hostile]:
    """Whatever `play` does with every connection; the evaluator's first one only asks whether somebody is there."""
    hostile = Hostile()
    with listening() as server:
        hostile.endpoint = f"127.0.0.1:{server.getsockname()[1]}"
        accept(server, lambda sock: play(Connection(sock, hostile)))
        try:
            yield hostile
        finally:
            hostile.released.set()


Answer: TypeAlias = "Callable[[GrpcRequest, Any], bytes | None]"
"""(request, grpc's context) -> the message; None: the proper one. May abort, wait or raise."""


@contextmanager
def grpc_service(
    answer: Answer, session: Callable[[Iterator[bytes], Any, Hostile], Iterator[bytes]] | None = None
) -> Iterator[Hostile]:
    """grpc's own server; `session` replaces the stream as a whole."""
    hostile = Hostile()

    def handle(call: str, data: bytes, context: Any) -> bytes:
        request = GrpcRequest(call, hostile.count(call), data)
        hostile.asked.append(request)
        said = answer(request, context)
        return proper(request) if said is None else said

    def unary(call: str) -> Any:
        return grpc.unary_unary_rpc_method_handler(lambda data, context: handle(call, data, context))

    def stream(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        if session is not None:
            yield from session(requests, context, hostile)
            return
        for data in requests:
            yield handle("Session", data, context)

    table = {call: unary(call) for call in CALLS if call != "Session"}
    table["Session"] = grpc.stream_stream_rpc_method_handler(stream)
    server = grpc.server(futures.ThreadPoolExecutor(16), options=[("grpc.max_send_message_length", -1)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, table),))
    hostile.endpoint = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    hostile.stop = lambda: server.stop(0)
    server.start()
    try:
        yield hostile
    finally:
        hostile.released.set()
        server.stop(0)
