"""TLS under waitress, which has none of its own.

waitress reads and writes non-blocking sockets from two threads. A TLS socket is not safe for that, so each call is
made under a lock, and "wants more bytes" is given to waitress as "nothing yet". One read takes everything that is
decrypted already, because the poll sees only what still lies in the kernel.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from typing import Any

from waitress.channel import HTTPChannel


def tls_channel(context: ssl.SSLContext) -> Callable[..., Any]:
    """A channel class for waitress whose sockets speak TLS."""

    def channel(server: Any, sock: Any, addr: Any, adj: Any, map: Any = None) -> Any:  # noqa: A002
        wrapped = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return TlsChannel(server, wrapped, addr, adj, map=map)

    return channel


class TlsChannel(HTTPChannel):  # type: ignore[misc]
    """The handshake happens in the first reads; a failed one closes the connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._tls_lock = threading.Lock()
        super().__init__(*args, **kwargs)

    def handle_read(self) -> None:
        parts: list[bytes] = []
        closed = False
        while not closed:
            try:
                with self._tls_lock:
                    part = self.socket.recv(self.adj.recv_bytes)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                break
            except OSError:
                part = b""
            parts.append(part)
            closed = not part
        data = b"".join(parts)
        if data:
            self.received(data)
        if closed:
            self.handle_close()

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
