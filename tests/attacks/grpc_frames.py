"""gRPC: HTTP/2 frames that no server sends."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from functools import partial

from attacks.attack import FAILS_OR_ENDS, SURVIVES, UNHARMED, Attack, Kind, spread
from attacks.grpc_messages import HOSTILE
from attacks.raw_grpc import (
    ACK,
    CALLS,
    END_HEADERS,
    END_STREAM,
    GREETING,
    PADDED,
    Frames,
    GrpcRequest,
    body,
    bytes_service,
    code,
    frame,
    frames_service,
    head,
    header_block,
    headers,
    message,
    proper,
    settings,
    trailers,
    whole,
)
from attacks.raw_rest import Connection
from attacks.services import Serve, at, attack, wire_of

Make = Callable[[GrpcRequest], Frames]
Part = Callable[[int], bytes]
"""Frames on the stream of that number."""
BAD = dict.fromkeys(CALLS, FAILS_OR_ENDS) | {"ValidateEpisode": SURVIVES, "EndEpisode": SURVIVES}
BOMB = gzip.compress(bytes(256 << 20))
ESCAPED = "%1b%5b31m%0a%e2%80%ae" + "Q" * 2000


def _answer(make: Callable[[int, bytes], bytes]) -> Make:
    """Frames made of the stream's number and the proper message."""
    return lambda request: make(request.stream, proper(request))


def _before(one: Part) -> Make:
    """Frames, and then the proper answer."""
    return lambda request: one(request.stream) + whole(request)


def _instead(*frames: Part) -> Make:
    return lambda request: b"".join(one(request.stream) for one in frames)


def _pour(block: Part, begin: Part = lambda stream: b"") -> Make:
    def make(request: GrpcRequest) -> Frames:
        def pour(connection: Connection) -> None:
            connection.send(begin(request.stream))
            connection.pour(block(request.stream), 64 << 20)

        return pour

    return make


def _body(data: Callable[[bytes], bytes], *more: tuple[str, str], status: str = "0") -> Make:
    """A whole answer whose body is made of the proper message."""
    return _answer(lambda s, said: head(s, *more) + body(s, data(said)) + trailers(s, status=status))


def _packed(data: Callable[[bytes], bytes], encoding: str) -> Make:
    """A message that calls itself compressed."""
    return _body(lambda said: message(data(said), 1), ("grpc-encoding", encoding))


def _only(*fields: tuple[str, str], status: str = "200") -> Make:
    """Headers and the end, as an answer that has no message."""
    return _instead(lambda s: head(s, *fields, status=status, flags=END_HEADERS | END_STREAM))


def _page(text: bytes, status: str) -> Make:
    html = ("content-type", "text/html")
    return _instead(lambda s: headers(s, (":status", status), html), lambda s: body(s, text, END_STREAM))


def _failing(*fields: tuple[str, str | bytes]) -> Make:
    """INTERNAL with such trailers, in as many frames as they need."""
    return _instead(head, lambda s: _long(s, header_block(("grpc-status", "13"), *fields)))


def _long(stream: int, block: bytes) -> bytes:
    first, *others = [block[at : at + 16384] for at in range(0, len(block), 16384)]
    parts = [("headers", first, END_STREAM), *(("continuation", part, 0) for part in others)]
    *before, (kind, part, flags) = parts
    whole = [frame(name, stream, part, flags) for name, part, flags in before]
    return b"".join(whole) + frame(kind, stream, part, flags | END_HEADERS)


def _block(block: bytes) -> Make:
    return _instead(lambda s: frame("headers", s, block, END_HEADERS))


def _reset(number: int) -> Make:
    return _instead(lambda s: frame("rst", s, code(number)))


def _after(request: GrpcRequest) -> bytes:
    said = body(request.stream, message(proper(request)))
    return head(request.stream) + said + trailers(request.stream) + said


EARLY_HINTS = header_block((":status", "103"))
LATE_STATUS = header_block(("a", "b"), (":status", "200"), (":status", "500"))
PATH = header_block((":path", "/"))
HTML = b"<script>alert(1)</script>"
VAST = 0xFFFFFFFF
ANSWERS = (
    Kind("OK without a message, alone", _only(("grpc-status", "0"))),
    Kind("headers, then OK without a message", _instead(head, trailers)),
    Kind("no grpc-status", _only()),
    Kind("no trailers", _answer(lambda s, said: head(s) + body(s, message(said), END_STREAM)), odd=True),
    Kind("two messages where one belongs", _body(lambda said: message(said) * 2), odd=True),
    Kind("a message that calls itself compressed", _body(lambda said: message(said, 1))),
    Kind("flag 2", _body(lambda said: message(said, 2))),
    Kind("flag 255", _body(lambda said: message(said, 255))),
    Kind("256 KiB that unpack to 256 MiB", _packed(lambda said: BOMB, "gzip")),
    Kind("gzip that was not asked for", _packed(gzip.compress, "gzip")),
    Kind("an encoding that nobody knows", _packed(bytes, "Q" * 3000)),
    Kind("content-encoding: gzip", _body(message, ("content-encoding", "gzip")), odd=True),
    Kind("longer than it says", _body(lambda d: message(d + b"more", length=max(0, len(d) - 1))), odd=True),
    Kind("a message shorter than it says", _body(lambda said: message(said, length=len(said) + 100))),
    Kind("a message of 4 GiB", _body(lambda said: message(said, length=VAST))),
    Kind("three bytes of a message", _body(lambda said: b"\x00\x00\x00")),
    Kind("grpc-status -1", _body(message, status="-1"), odd=True),
    Kind("grpc-status 99", _body(message, status="99"), odd=True),
    Kind("grpc-status OK", _body(message, status="OK"), odd=True),
    Kind("grpc-status of 3,000 digits", _body(message, status="9" * 3000), odd=True),
    Kind("a failure whose message is hostile", _failing(("grpc-message", ESCAPED))),
    Kind("a failure whose message holds control bytes", _failing(("grpc-message", HOSTILE.encode()[:3000]))),
    Kind("grpc-status-details-bin that is no base64", _failing(("grpc-status-details-bin", "!!!" * 500))),
    Kind("nav-eval-code of control bytes", _failing(("nav-eval-code", "busy\x1b[31m"))),
    Kind("HTTP 204", _only(status="204")),
    Kind("HTTP 302", _only(("location", "http://127.0.0.1:1/"), status="302")),
    Kind("HTTP 404", _only(status="404")),
    Kind("HTTP 429", _only(status="429")),
    Kind("HTTP 502 with a page", _page(HTML + b"\x1b[31m", "502")),
    Kind("HTTP 999", _only(status="999")),
    Kind(":status: ok", _only(status="ok")),
    Kind("text/html", _page(HTML, "200")),
    Kind("10,000 trailers", _failing(*((f"k{i}", "v") for i in range(10_000)))),
    Kind("a trailer of 1 MB", _failing(("k", "Q" * 1_000_000))),
    Kind("headers that cannot be unpacked", _block(b"\xff" * 8)),
    Kind("a header table of 4 GiB", _block(b"\x3f\xe1\xff\xff\xff\x0f")),
    Kind(":status after other headers, twice", lambda asked: _block(LATE_STATUS)(asked) + trailers(asked.stream)),
    Kind("RST_STREAM NO_ERROR", _reset(0)),
    Kind("RST_STREAM REFUSED_STREAM", _reset(7)),
    Kind("RST_STREAM CANCEL", _reset(8)),
    Kind("RST_STREAM ENHANCE_YOUR_CALM", _reset(11)),
    Kind("RST_STREAM with code 2^32-1", _reset(VAST)),
    Kind("half, then RST_STREAM", _answer(lambda s, d: head(s) + body(s, message(d)[:3]) + frame("rst", s, code(2)))),
    Kind("GOAWAY instead of an answer", _instead(lambda s: frame("goaway", 0, code(0) + code(0)))),
    Kind("GOAWAY with a hostile text", _instead(lambda s: frame("goaway", 0, code(0) + code(11) + HOSTILE.encode()))),
    Kind("GOAWAY naming a stream to come", _before(lambda s: frame("goaway", 0, code(0x7FFFFFFF) + code(0))), odd=True),
    Kind("DATA on stream 0", _before(lambda s: frame("data", 0, b"x")), odd=True),
    Kind("DATA on a stream that does not exist", _before(lambda s: frame("data", 999, b"x")), odd=True),
    Kind("HEADERS on a stream of the server's", _before(lambda s: head(2)), odd=True),
    Kind("PUSH_PROMISE", _before(lambda s: frame("push", s, code(2) + PATH, END_HEADERS)), odd=True),
    Kind("DATA after the end", _after, odd=True),
    Kind("more padding than there is", _before(lambda s: frame("data", s, b"\xff", PADDED)), odd=True),
    Kind("says 16 MiB, is 1 MB", _before(lambda s: frame("data", s, bytes(1_000_000), length=(1 << 24) - 1)), odd=True),
    Kind("a frame of kind 250", _before(lambda s: frame("of kind 250", s, b"x" * 1000, 255)), odd=True),
    Kind("a PING of 3 bytes", _before(lambda s: frame("ping", 0, b"abc")), odd=True),
    Kind("an answer to no PING", _before(lambda s: frame("ping", 0, bytes(8), ACK)), odd=True),
    Kind("SETTINGS of 7 bytes", _before(lambda s: frame("settings", 0, bytes(7))), odd=True),
    Kind("an initial window of 2^32-1", _before(lambda s: settings(s4=VAST)), odd=True),
    Kind("an acknowledgement of no SETTINGS", _before(lambda s: frame("settings", 0, flags=ACK)), odd=True),
    Kind("WINDOW_UPDATE by 0", _before(lambda s: frame("window", s, code(0))), odd=True),
    Kind("WINDOW_UPDATE over 2^31", _before(lambda s: frame("window", s, code(0x7FFFFFFF)) * 3), odd=True),
    Kind("a stream that depends on itself", _before(lambda s: frame("priority", s, code(s) + b"\x00")), odd=True),
    Kind("CONTINUATION without HEADERS", _before(lambda s: frame("continuation", s, b"", END_HEADERS)), odd=True),
    Kind("1xx headers before the answer", _before(lambda s: frame("headers", s, EARLY_HINTS, END_HEADERS)), odd=True),
)
KEYS = header_block(("k", "v" * 100)) * 100
FLOODS = (
    Kind("no answer ever", lambda request: b""),
    Kind("headers, then nothing", _instead(head), odd=True),
    Kind("half a message, then nothing", _answer(lambda s, said: head(s) + body(s, message(said)[:4])), odd=True),
    Kind("PING without end", _pour(lambda s: frame("ping", 0, bytes(8)) * 4000), odd=True),
    Kind("SETTINGS without end", _pour(lambda s: settings() * 2000), odd=True),
    Kind("DATA of no bytes without end", _pour(lambda s: frame("data", s) * 5000, head), odd=True),
    Kind("WINDOW_UPDATE without end", _pour(lambda s: frame("window", 0, code(1)) * 4000), odd=True),
    Kind("RST_STREAM without end", _pour(lambda s: frame("rst", 999, code(8)) * 4000), odd=True),
    Kind(
        "CONTINUATION without end",
        _pour(lambda s: frame("continuation", s, KEYS), lambda s: headers(s, (":status", "200"), flags=0)),
        odd=True,
    ),
    Kind("1xx headers without end", _pour(lambda s: frame("headers", s, EARLY_HINTS, END_HEADERS) * 1000), odd=True),
    Kind(
        "a message of 64 MiB without regard to the window",
        _pour(lambda s: body(s, bytes(1 << 20)), lambda s: head(s) + body(s, message(b"", length=64 << 20))),
        odd=True,
    ),
    Kind("PRIORITY without end", _pour(lambda s: frame("priority", s + 2, code(0) + b"\x00") * 4000), odd=True),
    Kind("GOAWAY without end", _pour(lambda s: frame("goaway", 0, code(s) + code(0)) * 4000), odd=True),
)
HTTP_1 = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
FAREWELL = frame("goaway", 0, code(0) + code(2) + b"\x1b[31mgo")
GREETINGS: dict[str, Callable[[Connection], object]] = {
    "accepts and says nothing": lambda connection: connection.hang(),
    "accepts and closes": lambda connection: connection.close(),
    "accepts and resets": lambda connection: connection.reset(),
    "answers in HTTP/1.1": lambda connection: connection.send(HTTP_1),
    "an SSH server": lambda connection: connection.send(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "a TLS server": lambda connection: connection.send(b"\x15\x03\x03\x00\x02\x02\x28"),
    "ESC and newlines": lambda connection: connection.pour(b"\x1b[31m\x1b]0;owned\x07\r\n" * 1000, 8 << 20),
    "zeros without end": lambda connection: connection.pour(bytes(65536), 64 << 20),
    "GOAWAY as a greeting": lambda connection: connection.send(GREETING + FAREWELL),
    "the greeting a byte at a time": lambda connection: connection.drip(GREETING * 100),
}
SETTINGS_OF = {
    "a window of 0: no request ever fits": settings(s4=0),
    "no stream is allowed": settings(s3=0),
    "a largest frame of 0": settings(s5=0),
    "a largest frame of 2^32-1": settings(s5=VAST),
    "no headers are allowed": settings(s6=0),
    "a header table of 2^32-1": settings(s1=VAST),
    "1,000 settings that nobody knows": settings(**{f"s{i}": i for i in range(1000, 2000)}),
}


def attacks() -> Iterator[Attack]:
    first, *_ = ANSWERS
    served = [(first, call) for call in CALLS]
    served += [(kind, call) for kind, call, _ in spread(ANSWERS, BAD, ("GetAction", "Session")) if kind is not first]
    served += [
        (kind, call) for kind, call, _ in spread(FLOODS, BAD, ("GetAction", "Session", "GetInfo"), ["GetAction"])
    ]
    for kind, call in served:
        serve: Serve = partial(frames_service, at(call, kind.make))
        yield attack(f"frames/{call}/{kind.what}", kind.expected(call, BAD), serve, wire=wire_of(call), quick=True)
    for what, play in GREETINGS.items():
        serve = partial(bytes_service, play)
        yield attack(f"frames/greeting/{what}", FAILS_OR_ENDS, serve, wire="grpc", quick=True)
    for what, greeting in SETTINGS_OF.items():
        serve = partial(frames_service, lambda _: None, greeting)
        yield attack(f"frames/settings/{what}", SURVIVES, serve, wire="grpc", quick=True)
    for wire in ("grpc", "stream"):
        serve = partial(frames_service, lambda _: None)
        yield attack(f"frames/proper/{wire}: this server can be used", UNHARMED, serve, wire=wire)
