"""REST: answers that are no HTTP, or HTTP that lies about itself."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator

from attacks.attack import FAILS_OR_ENDS, SURVIVES, UNHARMED, Attack, Kind, in_turn, spread
from attacks.raw_rest import CALLS, Connection, Reply, Request, answer, proper
from attacks.rest_answers import BAD, OK, Make
from attacks.services import at, rest

CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
JSON = "Content-Type: application/json\r\n"
WORSE = BAD | {"validate": SURVIVES, "reset": FAILS_OR_ENDS, "act": FAILS_OR_ENDS}
"""As BAD, of what may cost the connection."""


def _send(make: Callable[[bytes], bytes]) -> Make:
    """Bytes made of the proper body, and then the connection is closed."""

    def reply(request: Request) -> Reply:
        def send(connection: Connection) -> None:
            connection.send(make(json.dumps(proper(request)).encode()))
            connection.sock.shutdown(socket.SHUT_WR)

        return send

    return reply


def _play(play: Callable[[Connection, bytes], object]) -> Make:
    """`play` with the connection and a whole proper answer."""
    return lambda request: lambda connection: play(connection, answer(proper(request)))


def _head(line: str, headers: str = "") -> Make:
    return _send(lambda body: f"{line}\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body)


def _sized(*lengths: str) -> Make:
    """Several lengths, or one that is wrong."""
    return _send(lambda body: OK + _lengths(*(length.format(len(body)) for length in lengths)) + body)


def _lengths(*lengths: str) -> bytes:
    return b"".join(f"Content-Length: {length}\r\n".encode() for length in lengths) + b"\r\n"


def _headed(headers: bytes) -> Make:
    return _send(lambda body: OK + headers + b"\r\n" + body)


def _chunk(size: str, end: bytes = b"0\r\n\r\n") -> Make:
    """The body as one chunk that says of itself to be of `size`."""
    return _send(lambda body: CHUNKED + f"{size.format(len(body))}\r\n".encode() + body + b"\r\n" + end)


def _then_hang(data: Callable[[bytes], bytes]) -> Make:
    return _play(lambda connection, whole: (connection.send(data(whole)), connection.hang()))


def _pour(block: bytes, begin: bytes = b"") -> Make:
    return _play(lambda connection, whole: (connection.send(begin), connection.pour(block)))


def _both_lengths(body: bytes) -> bytes:
    return OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


HINTS = b"HTTP/1.1 103 Early\r\nLink: <http://127.0.0.1:1/>\r\n\r\n"
SWITCHING = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n"
TRAILERS = b"0\r\n" + b"x: y\r\n" * 100_000 + b"\r\n"
MALFORMED = (
    Kind("closes without an answer", _send(lambda body: b"")),
    Kind("resets the connection without an answer", _play(lambda connection, whole: connection.reset())),
    Kind("resets in the middle", _play(lambda connection, whole: (connection.send(whole[:-5]), connection.reset()))),
    Kind("closes in the middle of a header", _send(lambda body: OK[:30]), mute=True),
    Kind("closes in the middle of the body", _send(lambda body: OK + _lengths(f"{len(body)}") + body[:5])),
    Kind("Content-Length: -1", _sized("-1"), odd=True),
    Kind("no Content-Length, ended by closing", _sized(), odd=True),
    Kind("Content-Length: many", _sized("many"), odd=True),
    Kind("two Content-Lengths that differ", _sized("{}", "3"), odd=True),
    Kind("Content-Length of 5", _sized("5"), mute=True),
    Kind("Content-Length of 5,000 digits", _sized("9" * 5000), odd=True),
    Kind("chunked, and a Content-Length", _send(_both_lengths), odd=True),
    Kind("a chunk that says more than comes", _chunk("fff")),
    Kind("a chunk that says less than comes", _chunk("4")),
    Kind("a chunk of -1 bytes", _chunk("-1"), odd=True),
    Kind("a chunk of 2^72 bytes", _chunk("f" * 18)),
    Kind("a chunk of 'zz' bytes", _chunk("zz")),
    Kind("no last chunk", _chunk("{:x}", b"")),
    Kind("a chunk extension of 1 MB", _chunk("{:x};" + "Q" * 1_000_000)),
    Kind("100,000 trailers after the last chunk", _chunk("{:x}", TRAILERS), odd=True),
    Kind("10,000 headers", _headed(b"x: y\r\n" * 10_000)),
    Kind("a header of 1 MB", _headed(b"x: " + b"Q" * 1_000_000 + b"\r\n")),
    Kind("a header without a colon", _headed(b"x\r\n"), odd=True),
    Kind("NUL and ESC in a header", _headed(b"x: \x00\x1b[31m\r\n"), odd=True),
    Kind("folded headers", _headed(b"x: y\r\n z\r\n"), odd=True),
    Kind("lines that end with LF alone", _send(lambda body: OK.replace(b"\r", b"") + b"\n" + body), odd=True),
    Kind("HTTP/0.9: the body alone", _send(lambda body: body)),
    Kind("HTTP/9.9", _head("HTTP/9.9 200 OK")),
    Kind("HTTP/1.0", _head("HTTP/1.0 200 OK", JSON), odd=True),
    Kind("status -200", _head("HTTP/1.1 -200 OK")),
    Kind("status 999", _head("HTTP/1.1 999 OK")),
    Kind("status 000", _head("HTTP/1.1 000 OK")),
    Kind("status OK", _head("HTTP/1.1 OK")),
    Kind("no reason phrase", _head("HTTP/1.1 200", JSON), odd=True),
    Kind("a status line of 1 MB", _head("HTTP/1.1 200 " + "Q" * 1_000_000)),
    Kind("ESC in a status line of a failure", _head("HTTP/1.1 500 \x1b[31m\x1b]0;owned\x07")),
    Kind("an SSH server", _send(lambda body: b"SSH-2.0-OpenSSH_9.2\r\n")),
    Kind("a TLS server", _send(lambda body: b"\x15\x03\x03\x00\x02\x02\x28")),
    Kind("an HTTP/2 server", _send(lambda body: b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")),
    Kind("101 Switching Protocols", _send(lambda body: SWITCHING + body)),
    Kind("103, then the answer", _send(lambda body: HINTS + OK + _lengths(f"{len(body)}") + body), odd=True),
)
SLOW = (
    Kind("no answer ever", _then_hang(lambda whole: b"")),
    Kind("no answer after the head", _then_hang(lambda whole: whole.split(b"{")[0])),
    Kind("the last five bytes never come", _then_hang(lambda whole: whole[:-5])),
    Kind("a byte every 0.1 s", _play(lambda connection, whole: connection.drip(whole))),
    Kind("headers without end, 0.1 s a byte", _play(lambda line, whole: line.drip(OK + b"x: y\r\n" * 1000))),
    Kind("100 Continue without end", _pour(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)),
    Kind("102 Processing without end", _pour(b"HTTP/1.1 102 Processing\r\n\r\n" * 1000)),
    Kind("headers without end", _pour(b"x: y\r\n" * 10_000, OK)),
    Kind("one header without end", _pour(b"Q" * 65_536, OK + b"x: ")),
    Kind("a status line without end", _pour(b"Q" * 65_536, b"HTTP/1.1 200 ")),
    Kind("chunks of a byte without end", _pour(b"1\r\n \r\n" * 10_000, CHUNKED)),
    Kind("a chunk's size without end", _pour(b"0" * 65_536, CHUNKED)),
    Kind("a body without length and end", _pour(b" " * 65_536, OK + b"\r\n")),
)
# What comes on a kept connection before it was asked for.
FORGED = answer({"action": "stop", "action_args": {}})
CLOSING = b"\r\nConnection: close\r\n"
KEPT = (
    Kind("every answer comes twice", _play(lambda connection, whole: connection.send(whole + whole))),
    Kind("an answer for the next request comes along", _play(lambda line, whole: line.send(whole + FORGED))),
    Kind("says that it closes", _play(lambda line, whole: line.send(whole.replace(b"\r\n", CLOSING, 1)))),
    Kind("the beginning of the next answer comes along", _play(lambda line, whole: line.send(whole + whole[:20]))),
    Kind("204 with a body", _play(lambda line, whole: line.send(b"HTTP/1.1 204 No Content\r\n\r\n" + whole))),
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
            yield rest(f"http/{call}/{kind.what}", kind.expected(call, WORSE), at(call, kind.make))
    for kind, call, expected in spread(SLOW, WORSE, CALLS, ["act"]):
        yield rest(f"http/{call}/{kind.what}", expected, at(call, kind.make), quick=True)
    redirects = [Kind(f"sends us elsewhere with {status}", _redirect(status)) for status in (301, 302, 303, 307, 308)]
    for kind, call, expected in spread(redirects, WORSE, CALLS, ["act"]):
        yield rest(f"http/{call}/{kind.what}", expected, at(call, kind.make), quick=call == "health")
    for number, kind in enumerate(KEPT):
        for call in in_turn(number, ("info", "health", "reset", "act"), ["act"]):
            yield rest(f"keep-alive/{call}/{kind.what}", SURVIVES, at(call, kind.make), quick=call == "health")
    yield from _statuses()


def _redirect(status: int) -> Make:
    def reply(request: Request) -> Reply:
        def play(connection: Connection) -> None:
            where = f"Location: http://{connection.hostile.trap}/api/v1/{request.call}\r\n"
            connection.send(answer(b"{}", status=f"{status} Elsewhere", head=where))
            connection.close()

        return play

    return reply


def _status(status: int, head: str = "") -> Make:
    body = b"" if status in (204, 205, 304) else b'{"no": "answer"}'
    return lambda request: answer(body, status=f"{status} Status", head=head)


def _statuses() -> Iterator[Attack]:
    for number, status in enumerate(STATUSES):
        for call in in_turn(number, ("info", "act")):
            yield rest(f"status/{call}/{status}", BAD[call], at(call, _status(status)))
    for status in ABSENT:
        for call in CALLS:  # a service without it
            expected = FAILS_OR_ENDS if call in ("reset", "act") else UNHARMED
            yield rest(f"status/{call}/{status}", expected, at(call, _status(status)), quick=call == "health")
    for number, status in enumerate(TRANSIENT):
        for call in in_turn(number, ("info", "reset", "act", "end"), ["act"]):
            once = at(call, _status(status, "Retry-After: 0\r\n"), last=0)
            yield rest(f"status/{call}/{status} once", UNHARMED, once)
            yield rest(f"status/{call}/{status} without end", WORSE[call], at(call, _status(status)), quick=True)
    for status in (429, 503):
        for after in ("0", "1e9", "-1", "Fri, 31 Dec 9999 23:59:59 GMT", "NaN", "9" * 5000):
            always = at("act", _status(status, f"Retry-After: {after}\r\n"))
            yield rest(f"status/act/{status}, Retry-After: {after[:30]}", FAILS_OR_ENDS, always, quick=True)
