"""waitress's connections, taught two things: to take megabytes without copying them about, and TLS.

As it comes, waitress takes 8 KiB per poll, appends them to a buffer that grows by doubling (or to a file), and hands
out a copy. Here a body is received straight into memory of its announced length. Its last byte goes waitress's own
way, so that everything that follows a complete request stays waitress's.

waitress knows no TLS. It reads and writes a non-blocking socket from two threads, for which a TLS socket is not safe,
so each call is made under a lock, and everything that is decrypted already is taken at once, because a poll sees only
what still lies in the kernel.
"""

from __future__ import annotations

import io
import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser

HEAD_BYTES = 1 << 16


class Body:
    """A request's body of known length; has the methods that waitress asks of its receivers."""

    error = None

    def __init__(self, length: int) -> None:
        self.view = np.empty(length, np.uint8).data  # not touched: what is announced costs nothing, what comes does
        self.got = 0

    @property
    def completed(self) -> bool:
        return self.got == len(self.view)

    def __len__(self) -> int:
        return self.got

    def received(self, data: bytes) -> int:
        part = data[: len(self.view) - self.got]
        self.view[self.got : self.got + len(part)] = part
        self.got += len(part)
        return len(part)

    def getfile(self) -> BodyFile:
        return BodyFile(self.view)

    def getbuf(self) -> Body:
        return self

    def close(self) -> None:
        """The memory is the request's."""


class BodyFile(io.RawIOBase):
    """`wsgi.input`; whoever knows of `view` needs no copy."""

    def __init__(self, view: memoryview) -> None:
        self.view = view
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self.view[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


class Parser(HTTPRequestParser):  # type: ignore[misc]
    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if 0 < self.content_length < self.adj.max_request_body_size:
            self.body_rcv = Body(self.content_length)


class Channel(HTTPChannel):  # type: ignore[misc]
    parser_class = Parser

    def handle_read(self) -> None:
        """All that has arrived, until a request is complete."""
        try:
            while self.connected and not (self.requests or self.will_close or self.close_when_flushed):
                self._read_some()
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError:
            self.handle_close()

    def _read_some(self) -> None:
        body = self.request.body_rcv if self.request is not None else None
        if isinstance(body, Body) and len(body.view) - body.got > 1:
            count = self._receive_into(body.view[body.got : -1])
            body.got += count
        else:
            head = bytearray(HEAD_BYTES)
            count = self._receive_into(memoryview(head))
            self.received(bytes(head[:count]))
        if not count:
            self.handle_close()

    def _receive_into(self, view: memoryview) -> int:
        return int(self.socket.recv_into(view))

    def check_client_disconnected(self) -> bool:
        """Also while a request is being answered, when waitress does not read. Below TLS: nothing is taken."""
        try:
            return not self.connected or not socket.socket.recv(self.socket, 1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True


class TlsChannel(Channel):
    """The handshake happens in the first reads; one that fails closes the connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._tls_lock = threading.Lock()
        super().__init__(*args, **kwargs)

    def _receive_into(self, view: memoryview) -> int:
        with self._tls_lock:
            return super()._receive_into(view)

    def send(self, data: bytes, do_close: bool = True) -> int:
        try:
            with self._tls_lock:
                return int(self.socket.send(data))
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0
        except OSError:
            if do_close:
                self.handle_close()
            return 0


def channel_class(context: ssl.SSLContext | None) -> Callable[..., Any]:
    """What waitress's server makes of an accepted socket."""
    if context is None:
        return Channel

    def channel(server: Any, sock: Any, addr: Any, adj: Any, map: Any = None) -> Any:  # noqa: A002
        wrapped = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return TlsChannel(server, wrapped, addr, adj, map=map)

    return channel


def attach(server: Any, sock: socket.socket) -> None:
    """Let a server answer on a connection that was not accepted but opened; in the thread of its loop."""
    sock.setblocking(False)
    kind = TlsChannel if isinstance(sock, ssl.SSLSocket) else Channel
    kind(server, sock, sock.getpeername(), server.adj, map=server._map)
