"""`nav-eval-agent relay`: a service on this machine, through stdin and stdout.

A competition runs an image without a network, and reaches the service in it by running this beside it, once for each
connection.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

PIECE = 1 << 20
"""Bytes in passing."""


def relay(port: int) -> None:
    """Until the service, or who asks it, closes the connection. Raises OSError where nobody listens."""
    with socket.create_connection(("localhost", port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_pass_in, args=(sock,), daemon=True).start()
        while data := sock.recv(PIECE):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def _pass_in(sock: socket.socket) -> None:
    while data := os.read(sys.stdin.fileno(), PIECE):
        sock.sendall(data)
    sock.shutdown(socket.SHUT_RDWR)
