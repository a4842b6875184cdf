"""Relays between an evaluator and a service, byte for byte; a subclass looks at what passes, spoils it or cuts it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self


def promptly(*ends: socket.socket) -> None:
    """Send each piece when it comes; else a body waits 40 ms until its head is acknowledged, at every request."""
    for end in ends:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Relay:
    """`endpoint`: what to call instead of the service at `port`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                if not self.admits():
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._port))
                promptly(near, far)
                self.joined(near, far)
                for ends in ((near, far, self.to_service), (far, near, self.to_client)):
                    threading.Thread(target=_pump, args=ends, daemon=True).start()

    def admits(self) -> bool:
        """Whether a connection that was just taken is joined to the service, or dropped."""
        return True

    def joined(self, near: socket.socket, far: socket.socket) -> None:
        """Told of each connection."""

    def to_service(self, data: bytes) -> bytes:
        """What goes on instead; nothing cuts the connection. So does `to_client`."""
        return data

    def to_client(self, data: bytes) -> bytes:
        return data

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _pump(source: socket.socket, sink: socket.socket, through: Callable[[bytes], bytes]) -> None:
    with suppress(OSError):
        while (data := source.recv(1 << 20)) and (data := through(data)):
            sink.sendall(data)
    cut(source, sink)


def cut(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Recorder(Relay):
    """Keeps every byte that is sent to the service."""

    def __init__(self, port: int) -> None:
        self.sent = bytearray()
        super().__init__(port)

    def to_service(self, data: bytes) -> bytes:
        self.sent += data
        return data
