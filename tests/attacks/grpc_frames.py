"""gRPC: HTTP/2 frames that no server sends."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterator
from typing import Any

from attacks.attack import FAILS_OR_ENDS, SURVIVES, UNHARMED, Attack, Expectation, in_turn
from attacks.grpc_messages import HOSTILE, wire_of
from attacks.raw_grpc import (
    ACK,
    CALLS,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    GREETING,
    HEADERS,
    PADDED,
    PING,
    PRIORITY,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Behaviour,
    Frames,
    GrpcRequest,
    body,
    bytes_service,
    frame,
    frames_service,
    head,
    header_block,
    message,
    proper,
    settings,
    trailers,
    whole,
)
from attacks.raw_rest import Connection
from attacks.services import attack

Make = Callable[[GrpcRequest], Frames]
BOMB = gzip.compress(bytes(256 << 20))
ESCAPED = "%1b%5b31m%0a%e2%80%ae" + "Q" * 2000


def _at(call: str, make: Make) -> Behaviour:
    return lambda request: make(request) if request.call == call else None


def _answer(*parts: Callable[[int, bytes], bytes]) -> Make:
    """Frames made of the stream's number and the proper message."""
    return lambda request: b"".join(part(request.stream, proper(request)) for part in parts)


def _before(*frames: Callable[[int], bytes]) -> Make:
    """Frames, and then the proper answer."""
    return lambda request: b"".join(one(request.stream) for one in frames) + whole(request)


def _instead(*frames: Callable[[int], bytes]) -> Make:
    return lambda request: b"".join(one(request.stream) for one in frames)


def _pour(block: Callable[[int], bytes], begin: Callable[[int], bytes] = lambda stream: b"") -> Make:
    def make(request: GrpcRequest) -> Frames:
        def pour(connection: Connection) -> None:
            connection.send(begin(request.stream))
            connection.pour(block(request.stream), 64 << 20)

        return pour

    return make


def _body(data: Callable[[bytes], bytes], *more: tuple[str, str], status: str = "0") -> Make:
    """A whole answer whose body is made of the proper message."""
    return _answer(
        lambda stream, said: head(stream, *more),
        lambda stream, said: body(stream, data(said)),
        lambda stream, said: trailers(stream, status=status),
    )


def _code(number: int) -> bytes:
    return struct.pack(">I", number)


# Of one answer: (name, what it is, frames, whether it may be taken as well as refused).
ANSWERS: tuple[tuple[str, str, Make, bool], ...] = (
    (
        "trailers-only-ok",
        "OK without a message",
        _instead(
            lambda s: frame(
                HEADERS,
                END_HEADERS | END_STREAM,
                s,
                header_block((":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "0")),
            )
        ),
        False,
    ),
    ("headers-then-ok", "headers, then OK without a message", _instead(head, trailers), False),
    (
        "no-status",
        "no grpc-status",
        _instead(
            lambda s: frame(
                HEADERS,
                END_HEADERS | END_STREAM,
                s,
                header_block((":status", "200"), ("content-type", "application/grpc")),
            )
        ),
        False,
    ),
    (
        "end-without-trailers",
        "a message and the end, without trailers",
        _answer(lambda s, said: head(s), lambda s, said: body(s, message(said), END_STREAM)),
        True,
    ),
    ("two-messages", "two messages where one belongs", _body(lambda said: message(said) * 2), True),
    ("flag-1", "a message that calls itself compressed", _body(lambda said: message(said, 1)), False),
    ("flag-2", "flag 2", _body(lambda said: message(said, 2)), False),
    ("flag-255", "flag 255", _body(lambda said: message(said, 255)), False),
    (
        "gzip-bomb",
        "256 KiB that unpack to 256 MiB",
        _body(lambda said: message(BOMB, 1), ("grpc-encoding", "gzip")),
        False,
    ),
    (
        "gzip",
        "gzip that was not asked for",
        _body(lambda said: message(gzip.compress(said), 1), ("grpc-encoding", "gzip")),
        False,
    ),
    (
        "unknown-encoding",
        "an encoding that nobody knows",
        _body(lambda said: message(said, 1), ("grpc-encoding", "Q" * 3000)),
        False,
    ),
    (
        "stream-compression",
        "content-encoding: gzip",
        _body(lambda said: message(said), ("content-encoding", "gzip")),
        True,
    ),
    (
        "length-short",
        "a message longer than it says",
        _body(lambda said: message(said + b"more", length=max(0, len(said) - 1))),
        True,
    ),
    ("length-long", "a message shorter than it says", _body(lambda said: message(said, length=len(said) + 100)), False),
    ("length-4gib", "a message of 4 GiB", _body(lambda said: message(said, length=0xFFFFFFFF)), False),
    ("half-a-prefix", "three bytes of a message", _body(lambda said: b"\x00\x00\x00"), False),
    ("status-negative", "grpc-status -1", _body(message, status="-1"), True),
    ("status-99", "grpc-status 99", _body(message, status="99"), True),
    ("status-word", "grpc-status OK", _body(message, status="OK"), True),
    ("status-vast", "grpc-status of 3,000 digits", _body(message, status="9" * 3000), True),
    (
        "hostile-message",
        "a failure whose message is hostile",
        _instead(head, lambda s: trailers(s, ("grpc-message", ESCAPED), status="13")),
        False,
    ),
    (
        "raw-message",
        "a failure whose message holds control bytes",
        _instead(head, lambda s: trailers(s, ("grpc-message", HOSTILE.encode()[:3000]), status="13")),
        False,
    ),
    (
        "binary-details",
        "grpc-status-details-bin that is no base64",
        _instead(head, lambda s: trailers(s, ("grpc-status-details-bin", "!!!" * 500), status="13")),
        False,
    ),
    (
        "code-bytes",
        "nav-eval-code of control bytes",
        _instead(head, lambda s: trailers(s, ("nav-eval-code", "busy\x1b[31m"), status="13")),
        False,
    ),
    ("http-204", "HTTP 204", _instead(lambda s: head(s, status="204", flags=END_HEADERS | END_STREAM)), False),
    (
        "http-302",
        "HTTP 302",
        _instead(lambda s: head(s, ("location", "http://127.0.0.1:1/"), status="302", flags=END_HEADERS | END_STREAM)),
        False,
    ),
    ("http-404", "HTTP 404", _instead(lambda s: head(s, status="404", flags=END_HEADERS | END_STREAM)), False),
    ("http-429", "HTTP 429", _instead(lambda s: head(s, status="429", flags=END_HEADERS | END_STREAM)), False),
    (
        "http-502-page",
        "HTTP 502 with a page",
        _instead(
            lambda s: frame(HEADERS, END_HEADERS, s, header_block((":status", "502"), ("content-type", "text/html"))),
            lambda s: body(s, b"<script>alert(1)</script>\x1b[31m", END_STREAM),
        ),
        False,
    ),
    ("http-999", "HTTP 999", _instead(lambda s: head(s, status="999", flags=END_HEADERS | END_STREAM)), False),
    ("http-word", ":status: ok", _instead(lambda s: head(s, status="ok", flags=END_HEADERS | END_STREAM)), False),
    (
        "html",
        "text/html",
        _instead(
            lambda s: frame(HEADERS, END_HEADERS, s, header_block((":status", "200"), ("content-type", "text/html"))),
            lambda s: body(s, b"<script>alert(1)</script>", END_STREAM),
        ),
        False,
    ),
    (
        "many-trailers",
        "10,000 trailers",
        _instead(head, lambda s: _long_block(s, [(f"k{i}", "v") for i in range(10_000)])),
        False,
    ),
    ("long-trailer", "a trailer of 1 MB", _instead(head, lambda s: _long_block(s, [("k", "Q" * 1_000_000)])), False),
    (
        "bad-hpack",
        "headers that cannot be unpacked",
        _instead(lambda s: frame(HEADERS, END_HEADERS, s, b"\xff\xff\xff\xff\xff\xff\xff\xff")),
        False,
    ),
    (
        "hpack-table",
        "a header table of 4 GiB",
        _instead(lambda s: frame(HEADERS, END_HEADERS, s, b"\x3f\xe1\xff\xff\xff\x0f")),
        False,
    ),
    (
        "pseudo-late",
        ":status after other headers, twice",
        _instead(
            lambda s: frame(HEADERS, END_HEADERS, s, header_block(("a", "b"), (":status", "200"), (":status", "500"))),
            trailers,
        ),
        False,
    ),
    ("rst-0", "RST_STREAM NO_ERROR", _instead(lambda s: frame(RST_STREAM, 0, s, _code(0))), False),
    ("rst-7", "RST_STREAM REFUSED_STREAM", _instead(lambda s: frame(RST_STREAM, 0, s, _code(7))), False),
    ("rst-8", "RST_STREAM CANCEL", _instead(lambda s: frame(RST_STREAM, 0, s, _code(8))), False),
    ("rst-11", "RST_STREAM ENHANCE_YOUR_CALM", _instead(lambda s: frame(RST_STREAM, 0, s, _code(11))), False),
    ("rst-vast", "RST_STREAM with code 2^32-1", _instead(lambda s: frame(RST_STREAM, 0, s, _code(0xFFFFFFFF))), False),
    (
        "rst-after-half",
        "half a message, then RST_STREAM",
        _answer(
            lambda s, said: head(s),
            lambda s, said: body(s, message(said)[:3]),
            lambda s, said: frame(RST_STREAM, 0, s, _code(2)),
        ),
        False,
    ),
    ("goaway", "GOAWAY instead of an answer", _instead(lambda s: frame(GOAWAY, 0, 0, _code(0) + _code(0))), False),
    (
        "goaway-text",
        "GOAWAY with a hostile text",
        _instead(lambda s: frame(GOAWAY, 0, 0, _code(0) + _code(11) + HOSTILE.encode())),
        False,
    ),
    (
        "goaway-vast",
        "GOAWAY naming a stream of the future, then the answer",
        _before(lambda s: frame(GOAWAY, 0, 0, _code(0x7FFFFFFF) + _code(0))),
        True,
    ),
    ("data-on-0", "DATA on stream 0", _before(lambda s: frame(DATA, 0, 0, b"x")), True),
    ("data-on-idle", "DATA on a stream that does not exist", _before(lambda s: frame(DATA, 0, 999, b"x")), True),
    ("headers-even", "HEADERS on a stream of the server's", _before(lambda s: head(2)), True),
    (
        "push",
        "PUSH_PROMISE",
        _before(lambda s: frame(PUSH_PROMISE, END_HEADERS, s, _code(2) + header_block((":path", "/")))),
        True,
    ),
    (
        "after-the-end",
        "DATA after the end",
        _answer(lambda s, said: head(s) + body(s, message(said)) + trailers(s) + body(s, message(said))),
        True,
    ),
    ("padding-lies", "more padding than there is", _before(lambda s: frame(DATA, PADDED, s, b"\xff")), True),
    (
        "frame-too-long",
        "a frame that says 16 MiB and holds 1 MB",
        _before(lambda s: frame(DATA, 0, s, bytes(1_000_000), length=(1 << 24) - 1)),
        True,
    ),
    ("unknown-frame", "a frame of kind 250", _before(lambda s: frame(250, 255, s, b"x" * 1000)), True),
    ("ping-odd", "a PING of 3 bytes", _before(lambda s: frame(PING, 0, 0, b"abc")), True),
    ("ping-ack", "an answer to a PING that was not sent", _before(lambda s: frame(PING, ACK, 0, bytes(8))), True),
    ("settings-odd", "SETTINGS of 7 bytes", _before(lambda s: frame(SETTINGS, 0, 0, bytes(7))), True),
    ("settings-window", "an initial window of 2^32-1", _before(lambda s: settings(s4=0xFFFFFFFF)), True),
    ("settings-ack", "an acknowledgement of no SETTINGS", _before(lambda s: frame(SETTINGS, ACK, 0)), True),
    ("window-0", "WINDOW_UPDATE by 0", _before(lambda s: frame(WINDOW_UPDATE, 0, s, _code(0))), True),
    (
        "window-over",
        "WINDOW_UPDATE over 2^31",
        _before(lambda s: frame(WINDOW_UPDATE, 0, s, _code(0x7FFFFFFF)) * 3),
        True,
    ),
    (
        "priority-self",
        "a stream that depends on itself",
        _before(lambda s: frame(PRIORITY, 0, s, _code(s) + b"\x00")),
        True,
    ),
    (
        "continuation-alone",
        "CONTINUATION without HEADERS",
        _before(lambda s: frame(CONTINUATION, END_HEADERS, s, b"")),
        True,
    ),
    (
        "informational",
        "1xx headers before the answer",
        _before(lambda s: frame(HEADERS, END_HEADERS, s, header_block((":status", "103")))),
        True,
    ),
)
FLOODS: tuple[tuple[str, str, Make], ...] = (
    ("silence", "no answer ever", lambda request: b""),
    ("head-alone", "headers, then nothing", _instead(head)),
    ("half-a-message", "half a message, then nothing", _answer(lambda s, said: head(s) + body(s, message(said)[:4]))),
    ("ping-flood", "PING without end", _pour(lambda s: frame(PING, 0, 0, bytes(8)) * 4000)),
    ("settings-flood", "SETTINGS without end", _pour(lambda s: settings() * 2000)),
    ("empty-data-flood", "DATA of no bytes without end", _pour(lambda s: frame(DATA, 0, s) * 5000, head)),
    ("window-flood", "WINDOW_UPDATE without end", _pour(lambda s: frame(WINDOW_UPDATE, 0, 0, _code(1)) * 4000)),
    ("rst-flood", "RST_STREAM without end", _pour(lambda s: frame(RST_STREAM, 0, 999, _code(8)) * 4000)),
    (
        "header-flood",
        "CONTINUATION without end",
        _pour(
            lambda s: frame(CONTINUATION, 0, s, header_block(("k", "v" * 100)) * 100),
            lambda s: frame(HEADERS, 0, s, header_block((":status", "200"))),
        ),
    ),
    (
        "informational-flood",
        "1xx headers without end",
        _pour(lambda s: frame(HEADERS, END_HEADERS, s, header_block((":status", "103"))) * 1000),
    ),
    (
        "data-flood",
        "a message of 64 MiB without regard to the window",
        _pour(lambda s: body(s, bytes(1 << 20)), lambda s: head(s) + body(s, message(b"", length=64 << 20))),
    ),
    ("priority-flood", "PRIORITY without end", _pour(lambda s: frame(PRIORITY, 0, s + 2, _code(0) + b"\x00") * 4000)),
    ("goaway-flood", "GOAWAY without end", _pour(lambda s: frame(GOAWAY, 0, 0, _code(s) + _code(0)) * 4000)),
)
GREETINGS = (
    ("silence", "accepts and says nothing", lambda connection: connection.hang()),
    ("close", "accepts and closes", lambda connection: connection.close()),
    ("reset", "accepts and resets", lambda connection: connection.reset()),
    (
        "http-1",
        "answers in HTTP/1.1",
        lambda connection: connection.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
    ),
    ("ssh", "an SSH server", lambda connection: connection.send(b"SSH-2.0-OpenSSH_9.2\r\n")),
    ("tls", "a TLS server", lambda connection: connection.send(b"\x15\x03\x03\x00\x02\x02\x28")),
    (
        "escapes",
        "ESC and newlines",
        lambda connection: connection.pour(b"\x1b[31m\x1b]0;owned\x07\r\n" * 1000, 8 << 20),
    ),
    ("zeros", "zeros without end", lambda connection: connection.pour(bytes(65536), 64 << 20)),
    (
        "goaway",
        "GOAWAY as a greeting",
        lambda connection: connection.send(GREETING + frame(GOAWAY, 0, 0, _code(0) + _code(2) + b"\x1b[31mgo")),
    ),
    ("drip", "the greeting a byte at a time", lambda connection: connection.drip(GREETING * 100)),
)
SETTINGS_OF = (
    ("window-0", "a window of 0: no request ever fits", settings(s4=0)),
    ("streams-0", "no stream is allowed", settings(s3=0)),
    ("frame-0", "a largest frame of 0", settings(s5=0)),
    ("frame-vast", "a largest frame of 2^32-1", settings(s5=0xFFFFFFFF)),
    ("list-0", "no headers are allowed", settings(s6=0)),
    ("table-vast", "a header table of 2^32-1", settings(s1=0xFFFFFFFF)),
    ("unknown", "1,000 settings that nobody knows", settings(**{f"s{i}": i for i in range(1000, 2000)})),
)


def _long_block(stream: int, fields: list[tuple[str, str]]) -> bytes:
    """Trailers in as many frames as they need."""
    block = header_block(("grpc-status", "13"), *fields)
    parts = [block[at : at + 16384] for at in range(0, len(block), 16384)]
    kinds = [(HEADERS, END_STREAM), *[(CONTINUATION, 0)] * (len(parts) - 1)]
    last = len(parts) - 1
    return b"".join(
        frame(kind, flags | (END_HEADERS if i == last else 0), stream, part)
        for i, ((kind, flags), part) in enumerate(zip(kinds, parts, strict=True))
    )


def attacks() -> Iterator[Attack]:
    for number, (name, what, make, odd) in enumerate(ANSWERS):
        calls = CALLS if name == "trailers-only-ok" else in_turn(number, ("GetAction", "Session"))
        for call in calls:
            yield _attack(f"{call}/{name}", what, _expected(call, odd), _at(call, make), call)
    for number, (name, what, make) in enumerate(FLOODS):
        for call in in_turn(number, ("GetAction", "Session", "GetInfo"), ["GetAction"]):
            flood = _at(call, make)
            yield _attack(f"{call}/{name}", what, SURVIVES if name != "silence" else FAILS_OR_ENDS, flood, call)
    for name, what, play in GREETINGS:
        yield attack(
            f"frames/greeting/{name}",
            what,
            FAILS_OR_ENDS,
            lambda play=play: bytes_service(play),
            wire="grpc",
            quick=True,
        )
    for name, what, greeting in SETTINGS_OF:
        yield attack(
            f"frames/settings/{name}",
            what,
            SURVIVES,
            lambda greeting=greeting: frames_service(lambda _: None, greeting),
            wire="grpc",
            quick=True,
        )
    for wire in ("grpc", "stream"):
        yield attack(
            f"frames/proper/{wire}",
            "nothing: this server can be used",
            UNHARMED,
            lambda: frames_service(lambda _: None),
            wire=wire,
        )


def _expected(call: str, odd: bool) -> Expectation:
    if odd or call in ("ValidateEpisode", "EndEpisode"):
        return SURVIVES
    return FAILS_OR_ENDS


def _attack(name: str, what: str, expected: Expectation, behaviour: Behaviour, call: str, **options: Any) -> Attack:
    return attack(
        f"frames/{name}", what, expected, lambda: frames_service(behaviour), wire=wire_of(call), quick=True, **options
    )
