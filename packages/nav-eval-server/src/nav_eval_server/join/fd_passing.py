"""The web's part of a join: the connection goes to the relay's process, and no thread of the web waits with it.

So there is one address and one port for everything. The two processes share a pair of sockets that the supervisor
made; a connection that is handed over while the relay is begun again waits in it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterable
from typing import Any

from waitress.channel import ClientDisconnected

from nav_eval_sdk.transport.upgrade import INSTANCE, JOIN, JOINED, UPGRADE

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]
MAX_FIELD = 300
MAX_MESSAGE = 4096
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def pair() -> tuple[int, int]:
    """The web's end and the relay's; they live as long as this process, whichever of the two ends."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return ours.detach(), theirs.detach()


def passing_fds(app: Wsgi, fd: int) -> Wsgi:
    """`app`, but for requests that want to be turned round."""
    line = socket.socket(fileno=fd)
    line.setblocking(False)

    def answered(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ.get("HTTP_UPGRADE") != UPGRADE or environ["PATH_INFO"] not in (JOIN, JOINED):
            return app(environ, start_response)
        _hand_over(line, environ)
        raise ClientDisconnected  # waitress then closes its copy of the connection and writes nothing

    return answered


def _hand_over(line: socket.socket, environ: dict[str, Any]) -> None:
    told = {
        "path": environ["PATH_INFO"],
        "authorization": environ.get("HTTP_AUTHORIZATION", "")[:MAX_FIELD],
        "instance": environ.get(f"HTTP_{INSTANCE.upper().replace('-', '_')}", "")[:MAX_FIELD],
    }
    sock: socket.socket = environ["waitress.client_disconnected"].__self__.socket
    try:
        socket.send_fds(line, [json.dumps(told).encode()], [sock.fileno()])
    except OSError:  # the relay does not keep up, or this connection has ended
        sock.send(BUSY)


def receive(line: socket.socket) -> tuple[dict[str, str], socket.socket] | None:
    """What was handed over; None where that is not whole."""
    message, fds, flags, _ = socket.recv_fds(line, MAX_MESSAGE, 1)
    socks = [socket.socket(fileno=fd) for fd in fds]
    if len(socks) != 1 or flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
        for sock in socks:
            sock.close()
        return None
    return json.loads(message), socks[0]
