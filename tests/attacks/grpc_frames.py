"""gRPC: HTTP/2 frames that no server sends."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterator
from functools import partial
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


def _http(status: str) -> Make:
    """Headers with that status, and the end."""
    return _instead(lambda s: head(s, status=status, flags=END_HEADERS | END_STREAM))


def _page(text: bytes, status: str) -> Make:
    fields = header_block((":status", status), ("content-type", "text/html"))
    return _instead(lambda s: frame(HEADERS, END_HEADERS, s, fields), lambda s: body(s, text, END_STREAM))


def _only(*fields: tuple[str, str]) -> Make:
    """Headers and the end, as an answer that has no message."""
    return _instead(lambda s: head(s, *fields, flags=END_HEADERS | END_STREAM))


def _failing(*fields: tuple[str, str | bytes]) -> Make:
    """INTERNAL with such trailers."""
    return _instead(head, lambda s: trailers(s, *fields, status="13"))


def _reset(code: int) -> Make:
    return _instead(lambda s: frame(RST_STREAM, 0, s, _code(code)))


def _packed(data: Callable[[bytes], bytes], encoding: str) -> Make:
    """A message that calls itself compressed."""
    return _body(lambda said: message(data(said), 1), ("grpc-encoding", encoding))


REFUSED, TAKEN = False, True
# Of one answer: (name, what it is, frames, whether it may be taken as well as refused).
ANSWERS: tuple[tuple[str, str, Make, bool], ...] = (
    ("trailers-only-ok", "OK without a message", _only(("grpc-status", "0")), REFUSED),
    ("headers-then-ok", "headers, then OK without a message", _instead(head, trailers), REFUSED),
    ("no-status", "no grpc-status", _only(), REFUSED),
    (
        "end-without-trailers",
        "a message and the end, without trailers",
        _answer(lambda s, said: head(s), lambda s, said: body(s, message(said), END_STREAM)),
        TAKEN,
    ),
    ("two-messages", "two messages where one belongs", _body(lambda said: message(said) * 2), TAKEN),
    ("flag-1", "a message that calls itself compressed", _body(lambda said: message(said, 1)), REFUSED),
    ("flag-2", "flag 2", _body(lambda said: message(said, 2)), REFUSED),
    ("flag-255", "flag 255", _body(lambda said: message(said, 255)), REFUSED),
    ("gzip-bomb", "256 KiB that unpack to 256 MiB", _packed(lambda said: BOMB, "gzip"), REFUSED),
    ("gzip", "gzip that was not asked for", _packed(gzip.compress, "gzip"), REFUSED),
    ("unknown-encoding", "an encoding that nobody knows", _packed(bytes, "Q" * 3000), REFUSED),
    ("stream-compression", "content-encoding: gzip", _body(message, ("content-encoding", "gzip")), TAKEN),
    (
        "length-short",
        "a message longer than it says",
        _body(lambda said: message(said + b"more", length=max(0, len(said) - 1))),
        TAKEN,
    ),
    (
        "length-long",
        "a message shorter than it says",
        _body(lambda said: message(said, length=len(said) + 100)),
        REFUSED,
    ),
    ("length-4gib", "a message of 4 GiB", _body(lambda said: message(said, length=0xFFFFFFFF)), REFUSED),
    ("half-a-prefix", "three bytes of a message", _body(lambda said: b"\x00\x00\x00"), REFUSED),
    ("status-negative", "grpc-status -1", _body(message, status="-1"), TAKEN),
    ("status-99", "grpc-status 99", _body(message, status="99"), TAKEN),
    ("status-word", "grpc-status OK", _body(message, status="OK"), TAKEN),
    ("status-vast", "grpc-status of 3,000 digits", _body(message, status="9" * 3000), TAKEN),
    ("hostile-message", "a failure whose message is hostile", _failing(("grpc-message", ESCAPED)), REFUSED),
    (
        "raw-message",
        "a failure whose message holds control bytes",
        _failing(("grpc-message", HOSTILE.encode()[:3000])),
        REFUSED,
    ),
    (
        "binary-details",
        "grpc-status-details-bin that is no base64",
        _failing(("grpc-status-details-bin", "!!!" * 500)),
        REFUSED,
    ),
    ("code-bytes", "nav-eval-code of control bytes", _failing(("nav-eval-code", "busy\x1b[31m")), REFUSED),
    ("http-204", "HTTP 204", _http("204"), REFUSED),
    (
        "http-302",
        "HTTP 302",
        _instead(lambda s: head(s, ("location", "http://127.0.0.1:1/"), status="302", flags=END_HEADERS | END_STREAM)),
        REFUSED,
    ),
    ("http-404", "HTTP 404", _http("404"), REFUSED),
    ("http-429", "HTTP 429", _http("429"), REFUSED),
    ("http-502-page", "HTTP 502 with a page", _page(b"<script>alert(1)</script>\x1b[31m", "502"), REFUSED),
    ("http-999", "HTTP 999", _http("999"), REFUSED),
    ("http-word", ":status: ok", _http("ok"), REFUSED),
    ("html", "text/html", _page(b"<script>alert(1)</script>", "200"), REFUSED),
    (
        "many-trailers",
        "10,000 trailers",
        _instead(head, lambda s: _long_block(s, [(f"k{i}", "v") for i in range(10_000)])),
        REFUSED,
    ),
    ("long-trailer", "a trailer of 1 MB", _instead(head, lambda s: _long_block(s, [("k", "Q" * 1_000_000)])), REFUSED),
    (
        "bad-hpack",
        "headers that cannot be unpacked",
        _instead(lambda s: frame(HEADERS, END_HEADERS, s, b"\xff" * 8)),
        REFUSED,
    ),
    (
        "hpack-table",
        "a header table of 4 GiB",
        _instead(lambda s: frame(HEADERS, END_HEADERS, s, b"\x3f\xe1\xff\xff\xff\x0f")),
        REFUSED,
    ),
    (
        "pseudo-late",
        ":status after other headers, twice",
        _instead(
            lambda s: frame(HEADERS, END_HEADERS, s, header_block(("a", "b"), (":status", "200"), (":status", "500"))),
            trailers,
        ),
        REFUSED,
    ),
    ("rst-0", "RST_STREAM NO_ERROR", _reset(0), REFUSED),
    ("rst-7", "RST_STREAM REFUSED_STREAM", _reset(7), REFUSED),
    ("rst-8", "RST_STREAM CANCEL", _reset(8), REFUSED),
    ("rst-11", "RST_STREAM ENHANCE_YOUR_CALM", _reset(11), REFUSED),
    ("rst-vast", "RST_STREAM with code 2^32-1", _reset(0xFFFFFFFF), REFUSED),
    (
        "rst-after-half",
        "half a message, then RST_STREAM",
        _answer(lambda s, said: head(s) + body(s, message(said)[:3]) + frame(RST_STREAM, 0, s, _code(2))),
        REFUSED,
    ),
    ("goaway", "GOAWAY instead of an answer", _instead(lambda s: frame(GOAWAY, 0, 0, _code(0) + _code(0))), REFUSED),
    (
        "goaway-text",
        "GOAWAY with a hostile text",
        _instead(lambda s: frame(GOAWAY, 0, 0, _code(0) + _code(11) + HOSTILE.encode())),
        REFUSED,
    ),
    (
        "goaway-vast",
        "GOAWAY naming a stream of the future, then the answer",
        _before(lambda s: frame(GOAWAY, 0, 0, _code(0x7FFFFFFF) + _code(0))),
        TAKEN,
    ),
    ("data-on-0", "DATA on stream 0", _before(lambda s: frame(DATA, 0, 0, b"x")), TAKEN),
    ("data-on-idle", "DATA on a stream that does not exist", _before(lambda s: frame(DATA, 0, 999, b"x")), TAKEN),
    ("headers-even", "HEADERS on a stream of the server's", _before(lambda s: head(2)), TAKEN),
    (
        "push",
        "PUSH_PROMISE",
        _before(lambda s: frame(PUSH_PROMISE, END_HEADERS, s, _code(2) + header_block((":path", "/")))),
        TAKEN,
    ),
    (
        "after-the-end",
        "DATA after the end",
        _answer(lambda s, said: head(s) + body(s, message(said)) + trailers(s) + body(s, message(said))),
        TAKEN,
    ),
    ("padding-lies", "more padding than there is", _before(lambda s: frame(DATA, PADDED, s, b"\xff")), TAKEN),
    (
        "frame-too-long",
        "a frame that says 16 MiB and holds 1 MB",
        _before(lambda s: frame(DATA, 0, s, bytes(1_000_000), length=(1 << 24) - 1)),
        TAKEN,
    ),
    ("unknown-frame", "a frame of kind 250", _before(lambda s: frame(250, 255, s, b"x" * 1000)), TAKEN),
    ("ping-odd", "a PING of 3 bytes", _before(lambda s: frame(PING, 0, 0, b"abc")), TAKEN),
    ("ping-ack", "an answer to a PING that was not sent", _before(lambda s: frame(PING, ACK, 0, bytes(8))), TAKEN),
    ("settings-odd", "SETTINGS of 7 bytes", _before(lambda s: frame(SETTINGS, 0, 0, bytes(7))), TAKEN),
    ("settings-window", "an initial window of 2^32-1", _before(lambda s: settings(s4=0xFFFFFFFF)), TAKEN),
    ("settings-ack", "an acknowledgement of no SETTINGS", _before(lambda s: frame(SETTINGS, ACK, 0)), TAKEN),
    ("window-0", "WINDOW_UPDATE by 0", _before(lambda s: frame(WINDOW_UPDATE, 0, s, _code(0))), TAKEN),
    (
        "window-over",
        "WINDOW_UPDATE over 2^31",
        _before(lambda s: frame(WINDOW_UPDATE, 0, s, _code(0x7FFFFFFF)) * 3),
        TAKEN,
    ),
    (
        "priority-self",
        "a stream that depends on itself",
        _before(lambda s: frame(PRIORITY, 0, s, _code(s) + b"\x00")),
        TAKEN,
    ),
    (
        "continuation-alone",
        "CONTINUATION without HEADERS",
        _before(lambda s: frame(CONTINUATION, END_HEADERS, s, b"")),
        TAKEN,
    ),
    (
        "informational",
        "1xx headers before the answer",
        _before(lambda s: frame(HEADERS, END_HEADERS, s, header_block((":status", "103")))),
        TAKEN,
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
        serve = partial(bytes_service, play)
        yield attack(f"frames/greeting/{name}", what, FAILS_OR_ENDS, serve, wire="grpc", quick=True)
    for name, what, greeting in SETTINGS_OF:
        serve = partial(frames_service, lambda _: None, greeting)
        yield attack(f"frames/settings/{name}", what, SURVIVES, serve, wire="grpc", quick=True)
    for wire in ("grpc", "stream"):
        serve = partial(frames_service, lambda _: None)
        yield attack(f"frames/proper/{wire}", "nothing: this server can be used", UNHARMED, serve, wire=wire)


def _expected(call: str, odd: bool) -> Expectation:
    if odd or call in ("ValidateEpisode", "EndEpisode"):
        return SURVIVES
    return FAILS_OR_ENDS


def _attack(name: str, what: str, expected: Expectation, behaviour: Behaviour, call: str, **options: Any) -> Attack:
    return attack(
        f"frames/{name}", what, expected, lambda: frames_service(behaviour), wire=wire_of(call), quick=True, **options
    )
