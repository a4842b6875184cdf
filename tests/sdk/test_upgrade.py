"""A connection that is to be turned round, against servers that answer anything; nothing beyond the answer is read."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from nav_eval_sdk.errors import DeadlineMissed, Refused, Unreachable, WireError
from nav_eval_sdk.transport.base import Connection, Deadline, Endpoint
from nav_eval_sdk.transport.upgrade import JOIN, turned

PROBLEM = b'{"code": "conflict", "detail": "Another process has joined."}'
SWITCHING = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: nav-eval-join\r\n\r\n"


def answered(status: str, body: bytes = b"") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@contextmanager
def answer_with(
    answer: bytes, *, pause: float = 0.0, path: str = ""
) -> Iterator[tuple[socket.socket, Connection, list[bytes]]]:
    """A socket whose other end says `answer`, byte by byte with `pause` between; what that end has heard."""
    ours, theirs = socket.socketpair()
    heard: list[bytes] = []

    def say() -> None:
        with theirs, suppress(OSError):
            while not b"".join(heard).endswith(b"\r\n\r\n"):
                heard.append(theirs.recv(65536))
            for piece in [answer[i : i + 1] for i in range(len(answer))] if pause else [answer]:
                theirs.sendall(piece)
                time.sleep(pause)

    thread = threading.Thread(target=say)
    thread.start()
    with ours:
        yield ours, Connection(Endpoint("challenge.example.org", 443, path=path), "secret"), heard
    thread.join()


def test_what_is_asked_and_what_is_left() -> None:
    with answer_with(SWITCHING + b"..!", path="/lab") as (sock, connection, heard):
        turned(sock, connection, JOIN, {"Nav-Eval-Instance": "i"}, Deadline(5))
        assert sock.recv(10) == b"..!"
    lines = b"".join(heard).decode().split("\r\n")
    assert lines[0] == "GET /lab/api/v1/join HTTP/1.1"
    assert {"Connection: Upgrade", "Upgrade: nav-eval-join", "Authorization: Bearer secret", "Nav-Eval-Instance: i"} < {
        *lines
    }


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (answered("401 Unauthorized", PROBLEM), Refused, "Another process has joined"),
        (answered("401 Unauthorized", b"<html>"), Refused, "unauthorized"),
        (answered("409 Conflict", PROBLEM), Unreachable, "Another process has joined"),
        (answered("404 Not Found", b"<html>"), Unreachable, "HTTP 404: .* its proxy passes no Upgrade on"),
        (answered("302 Found", b"Location: http://elsewhere"), Unreachable, "HTTP 302"),
        (answered("200 OK"), Unreachable, "HTTP 200"),
        (b"", Unreachable, "closed"),
        (b"HTTP/1.1 101", Unreachable, "closed"),
        (b"HTTP/1.1 500 X\r\nContent-Length: 99\r\n\r\nshort", Unreachable, "closed"),
        (b"SSH-2.0-x\r\n\r\n", Unreachable, "no HTTP answer"),
        (b"HTTP/1.1 1e1 x\r\n\r\n", Unreachable, "no HTTP answer"),
        (b"HTTP/1.1 \xb2\xb2\xb2 x\r\n\r\n", Unreachable, "no HTTP answer"),
        (b"HTTP/1.1 500 X\r\nContent-Length: \xb2\r\n\r\n", Unreachable, "no HTTP answer"),
        (b"HTTP/1.1 500 X\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", Unreachable, "closed"),
        (b"HTTP/1.1 101 X\r\n" + b"a" * 100_000, Unreachable, "no HTTP answer"),
        (b"HTTP/1.1 500 X\r\nContent-Length: 9999999999\r\n\r\n" + b"a" * 100_000, Unreachable, "HTTP 500"),
    ],
)
def test_every_other_answer_is_an_error(answer: bytes, error: type[WireError], said: str) -> None:
    with answer_with(answer) as (sock, connection, _), pytest.raises(error, match=said):
        turned(sock, connection, JOIN, {}, Deadline(5))


def test_a_deadline_is_for_the_whole_answer() -> None:
    began = time.monotonic()
    with (
        answer_with(SWITCHING, pause=1.0) as (sock, connection, _),
        pytest.raises((DeadlineMissed, TimeoutError)),
    ):
        turned(sock, connection, JOIN, {}, Deadline(0.3))
    assert time.monotonic() - began < 60
