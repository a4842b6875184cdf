"""What every relay between an evaluator and a service needs."""

from __future__ import annotations

import socket


def promptly(*ends: socket.socket) -> None:
    """Send each piece when it comes; else a body waits 40 ms until its head is acknowledged, at every request."""
    for end in ends:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
