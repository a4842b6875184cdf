"""The web's connections. Where too many are open, the network that has most of them gives up its oldest idle ones.

So whoever opens hundreds a second, or holds thousands, pushes out their own; others are let in and stay.
"""

from __future__ import annotations

import resource
import socket
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from nav_eval_server.web.rate_limit import network_of

MAX_CONNECTIONS = 2000
"""Browsers keep theirs for two minutes, so there are many more than threads."""
AT_ONCE = 64
"""So many are given up together, and let in before those that are open are looked at again."""


class Connection(HTTPChannel):  # type: ignore[misc]
    """One that is let in makes room for the next. `leaves`: it was given up."""

    leaves = False

    def __init__(self, server: Server, sock: socket.socket, addr: Any, adj: Adjustments, map: Any = None) -> None:  # noqa: A002
        super().__init__(server, sock, addr, adj, map=map)
        self.network = network_of(str(addr[0]))
        if len(server.active_channels) - server.leaving > server.most:
            for idle in given_up(server.active_channels.values()):
                idle.leaves = idle.will_close = True  # closed in the next round: now somebody else would get its number
                server.leaving += 1

    def handle_close(self) -> None:
        self.server.leaving -= self.leaves
        self.leaves = False
        super().handle_close()


def given_up(connections: Iterable[Connection]) -> list[Connection]:
    """The oldest of those that nobody works for, of the network that has most of these."""
    idle = defaultdict[str, list[Connection]](list)
    for one in connections:
        if not (one.requests or one.request or one.total_outbufs_len or one.will_close):
            idle[one.network].append(one)
    largest = max(idle.values(), key=len, default=[])
    return sorted(largest, key=lambda one: one.last_activity)[:AT_ONCE]


class Server(TcpWSGIServer):  # type: ignore[misc]
    channel_class = Connection
    most = MAX_CONNECTIONS
    leaving = 0
    """Connections that are given up, and still counted."""

    def handle_accept(self) -> None:
        """All who wait at the door."""
        for _ in range(AT_ONCE):
            before = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) <= before:
                return


def serve(app: Callable[..., Any], **options: Any) -> None:
    """As waitress.serve, until a signal. One loop for each address that the host's name has."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    Server.most = min(MAX_CONNECTIONS, most // 2) if most > 0 else MAX_CONNECTIONS
    limits = {"connection_limit": 2 * MAX_CONNECTIONS, "asyncore_use_poll": True}  # select() ends at 1024
    adjusted, dispatcher, sockets = Adjustments(**options, **limits), ThreadedTaskDispatcher(), dict[int, Any]()
    dispatcher.set_thread_count(adjusted.threads)
    servers = [Server(app, sockets, dispatcher=dispatcher, adj=adjusted, sockinfo=place) for place in adjusted.listen]
    servers[0].run()
