"""REST: answers that are no HTTP, or HTTP that lies about itself."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator

from attacks.attack import FAILS_OR_ENDS, SURVIVES, UNHARMED, Attack, Expectation, in_turn
from attacks.raw_rest import CALLS, Connection, Reply, Request, answer, proper
from attacks.rest_answers import BAD, OK, Kind, Make
from attacks.services import at, rest

LENGTH_7 = b"Content-Length: 7\r\n\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def _body(request: Request) -> bytes:
    return json.dumps(proper(request)).encode()


def _send(make: Callable[[bytes], bytes]) -> Make:
    """Bytes made of the proper body, and then the connection is closed."""

    def reply(request: Request) -> Reply:
        def send(connection: Connection) -> None:
            connection.send(make(_body(request)))
            connection.sock.shutdown(socket.SHUT_WR)

        return send

    return reply


def _act(play: Callable[[Connection, bytes], None]) -> Make:
    """`play` with the connection and a whole proper answer."""
    return lambda request: lambda connection: play(connection, answer(proper(request)))


def _head(line: str, headers: str = "") -> Make:
    return _send(lambda body: f"{line}\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body)


def _sized(body: bytes, *lengths: str) -> bytes:
    return OK + b"".join(f"Content-Length: {length}\r\n".encode() for length in lengths) + b"\r\n" + body


def _chunk(size: str, body: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return CHUNKED + size.encode() + b"\r\n" + body + b"\r\n" + end


def _then_hang(data: Callable[[bytes], bytes]) -> Make:
    def play(connection: Connection, whole: bytes) -> None:
        connection.send(data(whole))
        connection.hang()

    return _act(play)


def _cut(whole: bytes) -> bytes:
    return whole[: len(whole) - 5]


def _reset(connection: Connection, whole: bytes) -> None:
    connection.reset()


def _cut_and_reset(connection: Connection, whole: bytes) -> None:
    connection.send(_cut(whole))
    connection.reset()


def _pour(block: bytes, begin: bytes = b"") -> Make:
    def play(connection: Connection, whole: bytes) -> None:
        connection.send(begin)
        connection.pour(block)

    return _act(play)


MALFORMED = (
    Kind("close", "closes without an answer", _send(lambda body: b"")),
    Kind("reset", "resets the connection without an answer", _act(_reset)),
    Kind("cut-and-reset", "resets the connection in the middle of the answer", _act(_cut_and_reset)),
    Kind("half-a-head", "closes in the middle of a header", _send(lambda body: OK[:30])),
    Kind("half-a-body", "closes in the middle of the body", _send(lambda body: _sized(body[:5], str(len(body))))),
    Kind("negative-length", "Content-Length: -1", _send(lambda body: _sized(body, "-1")), odd=True),
    Kind("no-length", "no Content-Length, ended by closing", _send(lambda body: OK + b"\r\n" + body), odd=True),
    Kind("word-length", "Content-Length: many", _send(lambda body: _sized(body, "many")), odd=True),
    Kind(
        "two-lengths",
        "two Content-Lengths that differ",
        _send(lambda body: _sized(body, str(len(body)), "3")),
        odd=True,
    ),
    Kind("short-length", "Content-Length of 5", _send(lambda body: _sized(body, "5"))),
    Kind("long-digits", "Content-Length of 5,000 digits", _send(lambda body: _sized(body, "9" * 5000)), odd=True),
    Kind(
        "both-lengths",
        "chunked, and a Content-Length",
        _send(lambda body: OK + b"Content-Length: 3\r\n" + _chunk(f"{len(body):x}", body)[len(OK) :]),
        odd=True,
    ),
    Kind("chunk-too-long", "a chunk that says more than comes", _send(lambda body: _chunk("fff", body))),
    Kind("chunk-too-short", "a chunk that says less than comes", _send(lambda body: _chunk("4", body))),
    Kind("chunk-negative", "a chunk of -1 bytes", _send(lambda body: _chunk("-1", body)), odd=True),
    Kind("chunk-vast", "a chunk of 2^72 bytes", _send(lambda body: _chunk("f" * 18, body))),
    Kind("chunk-word", "a chunk of 'zz' bytes", _send(lambda body: _chunk("zz", body))),
    Kind("chunk-no-end", "no last chunk", _send(lambda body: _chunk(f"{len(body):x}", body, b""))),
    Kind(
        "chunk-extension",
        "a chunk extension of 1 MB",
        _send(lambda body: _chunk(f"{len(body):x};" + "Q" * 1_000_000, body)),
    ),
    Kind(
        "chunk-trailers",
        "100,000 trailers after the last chunk",
        _send(lambda body: _chunk(f"{len(body):x}", body, b"0\r\n" + b"x: y\r\n" * 100_000 + b"\r\n")),
        odd=True,
    ),
    Kind("many-headers", "10,000 headers", _send(lambda body: OK + b"x: y\r\n" * 10_000 + b"\r\n" + body)),
    Kind("long-header", "a header of 1 MB", _send(lambda body: OK + b"x: " + b"Q" * 1_000_000 + b"\r\n\r\n" + body)),
    Kind("header-no-colon", "a header without a colon", _send(lambda body: OK + b"x\r\n\r\n" + body), odd=True),
    Kind("header-nul", "NUL and ESC in a header", _send(lambda body: OK + b"x: \x00\x1b[31m\r\n\r\n" + body), odd=True),
    Kind("header-folded", "folded headers", _send(lambda body: OK + b"x: y\r\n z\r\n\r\n" + body), odd=True),
    Kind(
        "bare-newlines",
        "lines that end with LF alone",
        _send(lambda body: OK.replace(b"\r", b"") + b"\n" + body),
        odd=True,
    ),
    Kind("http-0.9", "HTTP/0.9: the body alone", _send(lambda body: body)),
    Kind("http-9.9", "HTTP/9.9", _head("HTTP/9.9 200 OK")),
    Kind("http-1.0", "HTTP/1.0", _head("HTTP/1.0 200 OK", "Content-Type: application/json\r\n"), odd=True),
    Kind("status-negative", "status -200", _head("HTTP/1.1 -200 OK")),
    Kind("status-999", "status 999", _head("HTTP/1.1 999 OK")),
    Kind("status-000", "status 000", _head("HTTP/1.1 000 OK")),
    Kind("status-word", "status OK", _head("HTTP/1.1 OK")),
    Kind("status-200-only", "no reason phrase", _head("HTTP/1.1 200", "Content-Type: application/json\r\n"), odd=True),
    Kind("status-long", "a status line of 1 MB", _head("HTTP/1.1 200 " + "Q" * 1_000_000)),
    Kind("status-hostile", "ESC in a status line of a failure", _head("HTTP/1.1 500 \x1b[31m\x1b]0;owned\x07")),
    Kind("ssh", "an SSH server", _send(lambda body: b"SSH-2.0-OpenSSH_9.2\r\n")),
    Kind("tls", "a TLS server", _send(lambda body: b"\x15\x03\x03\x00\x02\x02\x28")),
    Kind("http2", "an HTTP/2 server", _send(lambda body: b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")),
    Kind(
        "switching",
        "101 Switching Protocols",
        _send(lambda body: b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n" + body),
    ),
    Kind(
        "early-hints",
        "103 Early Hints and then the answer",
        _send(lambda body: b"HTTP/1.1 103 Early\r\nLink: <http://127.0.0.1:1/>\r\n\r\n" + _sized(body, str(len(body)))),
        odd=True,
    ),
)
SLOW = (
    Kind("hang", "no answer ever", _then_hang(lambda whole: b""), slow=True),
    Kind("hang-after-head", "no answer after the head", _then_hang(lambda whole: whole.split(b"{")[0]), slow=True),
    Kind("hang-in-body", "the last five bytes never come", _then_hang(_cut), slow=True),
    Kind("drip", "a byte every 0.1 s", _act(lambda connection, whole: connection.drip(whole)), slow=True),
    Kind(
        "drip-headers",
        "headers without end, one every 0.1 s",
        _act(lambda connection, whole: connection.drip(OK + b"x: y\r\n" * 1000)),
        slow=True,
    ),
    Kind("continue-flood", "100 Continue without end", _pour(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), slow=True),
    Kind("processing-flood", "102 Processing without end", _pour(b"HTTP/1.1 102 Processing\r\n\r\n" * 1000), slow=True),
    Kind("header-flood", "headers without end", _pour(b"x: y\r\n" * 10_000, OK), slow=True),
    Kind("header-endless", "one header without end", _pour(b"Q" * 65_536, OK + b"x: "), slow=True),
    Kind("status-endless", "a status line without end", _pour(b"Q" * 65_536, b"HTTP/1.1 200 "), slow=True),
    Kind("chunk-flood", "chunks of a byte without end", _pour(b"1\r\n \r\n" * 10_000, CHUNKED), slow=True),
    Kind("chunk-size-endless", "a chunk's size without end", _pour(b"0" * 65_536, CHUNKED), slow=True),
    Kind("body-endless", "a body without length and end", _pour(b" " * 65_536, OK + b"\r\n"), slow=True),
)
STATUSES = (
    201, 202, 204, 205, 206, 300, 301, 302, 303, 304, 305, 307, 308,
    400, 402, 406, 409, 410, 418, 422, 431, 451, 511, 599,
)  # fmt: skip
ABSENT = (404, 405, 501)
TRANSIENT = (429, 500, 502, 503, 504)


def attacks() -> Iterator[Attack]:
    for number, kind in enumerate(MALFORMED):
        for call in ("act",) if number % 3 else ("info", "act"):
            yield rest(f"http/{call}/{kind.name}", kind.what, _expected(kind, call), at(call, kind.make))
    for number, kind in enumerate(SLOW):
        for call in in_turn(number, CALLS, ["act"]):
            yield rest(f"http/{call}/{kind.name}", kind.what, _expected(kind, call), at(call, kind.make), quick=True)
    yield from _statuses()
    yield from _redirects()
    yield from _keep_alive()


def _expected(kind: Kind, call: str) -> Expectation:
    if kind.odd or call in ("validate", "end"):
        return SURVIVES
    return FAILS_OR_ENDS if call in ("reset", "act") else BAD[call]


def _statuses() -> Iterator[Attack]:
    def plain(status: int, head: str = "") -> Make:
        body = b"" if status in (204, 205, 304) else b'{"no": "answer"}'
        return lambda request: answer(body, status=f"{status} Status", head=head)

    for number, status in enumerate(STATUSES):
        for call in in_turn(number, ("info", "act")):
            what = f"HTTP {status} without end"
            yield rest(f"status/{call}/{status}", what, BAD[call], at(call, plain(status)))
    for status in ABSENT:
        for call in ("info", "health", "validate", "end"):
            what = f"HTTP {status}: a service without this call"
            yield rest(f"status/{call}/{status}", what, UNHARMED, at(call, plain(status)), quick=call == "health")
        for call in ("reset", "act"):
            yield rest(f"status/{call}/{status}", f"HTTP {status}", FAILS_OR_ENDS, at(call, plain(status)))
    for number, status in enumerate(TRANSIENT):
        for call in in_turn(number, ("info", "reset", "act", "end"), ["act"]):
            once = at(call, plain(status, "Retry-After: 0\r\n"), last=0)
            yield rest(f"status/{call}/{status}-once", f"HTTP {status} once", UNHARMED, once)
            always = at(call, plain(status))
            expected = _expected(Kind("", "", plain(status)), call)
            yield rest(f"status/{call}/{status}", f"HTTP {status} without end", expected, always, quick=True)
    for status in (429, 503):
        for after in ("0", "1e9", "-1", "Fri, 31 Dec 9999 23:59:59 GMT", "NaN", "9" * 5000):
            always = at("act", plain(status, f"Retry-After: {after}\r\n"))
            name, what = (
                f"status/act/{status}-{after[:5].strip(',').lower()}",
                f"HTTP {status}, Retry-After: {after[:30]}",
            )
            yield rest(name, what, FAILS_OR_ENDS, always, quick=True)


def _redirects() -> Iterator[Attack]:
    for number, status in enumerate((301, 302, 303, 307, 308)):
        for call in in_turn(number, CALLS, ["act"]):
            yield _redirect(f"http/{call}/redirect-{status}", status, call)


def _redirect(name: str, status: int, call: str) -> Attack:
    def play(connection: Connection) -> None:
        where = f"Location: http://{connection.hostile.trap}/api/v1/{call}\r\n"
        connection.send(answer(b"{}", status=f"{status} Elsewhere", head=where))
        connection.close()

    expected = SURVIVES if call in ("validate", "end") else _expected(Kind("", "", lambda request: None), call)
    return rest(
        name, f"sends us elsewhere with {status}", expected, at(call, lambda request: play), quick=call == "health"
    )


def _keep_alive() -> Iterator[Attack]:
    """What comes on a kept connection before it was asked for."""
    forged = answer({"action": "stop", "action_args": {}})

    def twice(connection: Connection, whole: bytes) -> None:
        connection.send(whole + whole)

    def with_forged(connection: Connection, whole: bytes) -> None:
        connection.send(whole + forged)

    def close_and_go_on(connection: Connection, whole: bytes) -> None:
        connection.send(whole.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))

    def with_half(connection: Connection, whole: bytes) -> None:
        connection.send(whole + whole[:20])

    def after_204(connection: Connection, whole: bytes) -> None:
        connection.send(b"HTTP/1.1 204 No Content\r\n\r\n" + whole)

    for number, (name, what, play) in enumerate(
        (
            ("answer-twice", "every answer comes twice", twice),
            ("forged-next", "an answer for the next request comes along", with_forged),
            ("close-and-go-on", "says that it closes, and does not", close_and_go_on),
            ("half-of-next", "the beginning of the next answer comes along", with_half),
            ("204-and-more", "204 with a body", after_204),
        )
    ):
        for call in in_turn(number, ("info", "health", "reset", "act"), ["act"]):
            yield rest(f"keep-alive/{call}/{name}", what, SURVIVES, at(call, _act(play)), quick=call == "health")
