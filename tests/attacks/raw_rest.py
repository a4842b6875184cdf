"""An HTTP server on bare sockets, so that anything can be answered.

A behaviour is given every request and answers with bytes, with a function of the connection, or with None, which is
the proper answer of an agent that turns once and stops.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

CALLS = ("info", "health", "validate", "reset", "act", "end")
MAX_SENT = 256 << 20
"""Bytes that an endless answer sends at most."""


@dataclass(frozen=True, slots=True)
class Request:
    """`fields`: the body as JSON, {} where there is none; `number`: how many came before for the same call; `headers`:
    by names in small letters."""

    call: str
    number: int
    fields: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def step(self) -> int:
        return int(self.fields.get("step", 0))


Reply: TypeAlias = "bytes | Callable[[Connection], object] | None"
Behaviour: TypeAlias = Callable[[Request], Reply]


@dataclass(slots=True)
class Hostile:
    """A running service; `asked`: the requests, in order; `sent`: bytes; `trapped`: connections to `trap`, where it
    redirects; `stop`: takes no connection any more."""

    endpoint: str = ""
    asked: list[Request] = field(default_factory=list)
    sent: int = 0
    stop: Callable[[], None] = lambda: None
    released: threading.Event = field(default_factory=threading.Event)
    trapped: list[str] = field(default_factory=list)
    trap: str = ""

    def count(self, call: str) -> int:
        return sum(request.call == call for request in self.asked)


@dataclass(slots=True)
class Connection:
    sock: socket.socket
    hostile: Hostile

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)
        self.hostile.sent += len(data)

    def reset(self) -> None:
        """Ends with RST instead of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """At once: a file made of the socket would keep it open."""
        os.close(self.sock.detach())

    def hang(self, seconds: float = 60.0) -> None:
        self.hostile.released.wait(seconds)

    def drip(self, data: bytes, pause: float = 0.1) -> None:
        """A byte at a time."""
        for byte in data:
            self.send(bytes([byte]))
            if self.hostile.released.wait(pause):
                return

    def pour(self, block: bytes, total: int = MAX_SENT) -> None:
        """`block` over and over."""
        for _ in range(max(1, total // len(block))):
            if self.hostile.released.is_set():
                return
            self.send(block)


def proper(request: Request) -> dict[str, Any]:
    """What a well-behaved service says."""
    match request.call:
        case "info":
            return {"name": "attacker", "content_types": ["application/json"], "max_sessions": 4}
        case "validate":
            return {"status": "ready", "ok": True, "reasons": []}
        case "act":
            same = {key: request.fields.get(key) for key in ("session_id", "step", "request_id")}
            return {"action": "stop" if request.step else "turn_left", "action_args": {}, **same}
        case "end":
            return {"status": "ok"}
    return {"status": "ready"}


def answer(
    body: bytes | dict[str, Any], *, status: str = "200 OK", kind: str = "application/json", head: str = ""
) -> bytes:
    """A whole HTTP answer; `head`: further header lines, each ended with CRLF."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode("latin-1")
        + body
    )


@contextmanager
def rest_service(behaviour: Behaviour) -> Iterator[Hostile]:
    hostile = Hostile()
    with listening() as server, listening() as trap:
        hostile.endpoint = f"127.0.0.1:{server.getsockname()[1]}"
        hostile.trap = f"127.0.0.1:{trap.getsockname()[1]}"
        hostile.stop = lambda: server.shutdown(socket.SHUT_RDWR)
        accept(server, lambda sock: _serve(Connection(sock, hostile), behaviour))
        accept(trap, lambda sock: hostile.trapped.append("a connection"))
        try:
            yield hostile
        finally:
            hostile.released.set()


@contextmanager
def listening() -> Iterator[socket.socket]:
    server = socket.create_server(("127.0.0.1", 0), backlog=64)
    try:
        yield server
    finally:
        with suppress(OSError):  # it may have been stopped
            server.shutdown(socket.SHUT_RDWR)
        server.close()


def accept(server: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    """A thread for the server, and one for each connection."""

    def one(sock: socket.socket) -> None:
        with suppress(OSError, ValueError), sock:
            sock.settimeout(60)
            serve(sock)

    def loop() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=one, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()


def _serve(connection: Connection, behaviour: Behaviour) -> None:
    hostile = connection.hostile
    with connection.sock.makefile("rb") as incoming:
        while len(line := incoming.readline().split()) == 3 and not hostile.released.is_set():
            headers = {}
            while (header := incoming.readline()) not in (b"\r\n", b""):
                name, _, value = header.decode("latin-1").partition(":")
                headers[name.lower()] = value.strip()
            call = line[1].decode().rsplit("/", 1)[-1]
            body = incoming.read(int(headers.get("content-length", 0)))
            request = Request(call, hostile.count(call), json.loads(body) if body else {}, headers)
            hostile.asked.append(request)
            reply = behaviour(request)
            if callable(reply):
                reply(connection)
            else:
                connection.send(answer(proper(request)) if reply is None else reply)
