"""An HTTP/2 server written by hand (RFC 9113), because no gRPC library will misbehave on the wire.

It reads no request: whatever is asked on a stream, its answer is the list of frames that the test gives.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING = 0, 1, 3, 4, 6
END_STREAM, END_HEADERS, ACK = 1, 4, 1
OK_HEAD = {":status": "200", "content-type": "application/grpc"}
Answer = list[tuple[int, int, bytes]]
"""(type, flags, payload) of each frame of an answer."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def fields(headers: dict[str, str | bytes]) -> bytes:
    """HPACK without compression: literal fields that are not indexed (RFC 7541, 6.2.2)."""
    return b"".join(b"\x00" + _text(name.encode()) + _text(_bytes(value)) for name, value in headers.items())


def _text(value: bytes) -> bytes:
    """A string literal; its length is an integer with a prefix of seven bits."""
    length = len(value)
    if length < 0x7F:
        return bytes([length]) + value
    head, rest = bytearray([0x7F]), length - 0x7F
    while rest > 0x7F:
        head.append(rest & 0x7F | 0x80)
        rest >>= 7
    head.append(rest)
    return bytes(head) + value


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def trailers_only(**trailers: str | bytes) -> Answer:
    """An answer that has no message."""
    named: dict[str, str | bytes] = {name.replace("_", "-"): value for name, value in trailers.items()}
    return [(HEADERS, END_STREAM | END_HEADERS, fields({**OK_HEAD, **named}))]


def with_message(data: bytes, compressed: int = 0, head: dict[str, str | bytes] | None = None) -> Answer:
    """A message after its five bytes of prefix, then OK."""
    return [
        (HEADERS, END_HEADERS, fields({**OK_HEAD, **(head or {})})),
        (DATA, 0, bytes([compressed]) + struct.pack(">I", len(data)) + data),
        (HEADERS, END_STREAM | END_HEADERS, fields({"grpc-status": "0"})),
    ]


@contextmanager
def raw_service(answer: Answer) -> Iterator[str]:
    """The address of a server that gives this answer to every call."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_accept, args=(listener, answer), daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def _accept(listener: socket.socket, answer: Answer) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, answer), daemon=True).start()


def _serve(connection: socket.socket, answer: Answer) -> None:
    with connection, connection.makefile("rb") as incoming:
        try:
            if incoming.read(len(PREFACE)) != PREFACE:
                return
            connection.sendall(frame(SETTINGS, 0, 0))
            while len(head := incoming.read(9)) == 9:
                _react(connection, head, incoming.read(int.from_bytes(head[:3], "big")), answer)
        except OSError:
            return


def _react(connection: socket.socket, head: bytes, payload: bytes, answer: Answer) -> None:
    kind, flags, stream = head[3], head[4], int.from_bytes(head[5:9], "big")
    if kind in (SETTINGS, PING) and not flags & ACK:
        connection.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
    if kind == HEADERS:
        connection.sendall(b"".join(frame(kind, flags, stream, payload) for kind, flags, payload in answer))
