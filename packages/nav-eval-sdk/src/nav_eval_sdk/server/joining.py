"""A service that nobody can call: it calls a competition server, and answers on the connections that it has opened.

A few connections wait at the server until an evaluator wants one; each that is taken is replaced at once. While the
server is away it is called again and again; sessions live on here, so an episode outlasts a broken connection.
"""

from __future__ import annotations

import logging
import random
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from nav_eval_sdk.errors import Refused, Unreachable, WireError
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.server.rest import RestServer
from nav_eval_sdk.server.service import Service
from nav_eval_sdk.server.settings import Listen
from nav_eval_sdk.transport.base import Connection, Deadline
from nav_eval_sdk.transport.rest import opened
from nav_eval_sdk.transport.upgrade import DOT, INSTANCE, JOIN, WANTED, turned

log = logging.getLogger(__name__)
SPARE = 2
MAX_WAITING = 8
MAX_CONNECTIONS = 100
"""Connections in all, whatever the server wants."""
CALL_SECONDS = 20.0
SILENCE = 60.0
"""The server sends a dot every 20 s."""
PAUSES = (0.2, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between two tries, half as much again at random: all teams come back when a server does."""


class Joining:
    """`give_up`: called when the server does not know our token."""

    port = 0

    def __init__(self, service: Service, connection: Connection, give_up: Callable[[Refused], None]) -> None:
        self._service, self._connection, self._give_up = service, connection, give_up
        self._rest = RestServer(service, Listen(), listening=False)
        self._instance = secrets.token_hex(16)
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._waiting: set[socket.socket] = set()
        self._here = False
        self._told: set[str] = set()
        """Since we were last here, or away."""
        count = min(service.info.max_sessions, MAX_WAITING) + SPARE
        self._threads = [threading.Thread(target=self._offer, name="join", daemon=True) for _ in range(count)]

    def start(self) -> None:
        self._rest.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Close what waits and what is in use."""
        self._stopping.set()
        with self._lock:
            for sock in self._waiting:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(1)
        self._rest.stop()

    def _offer(self) -> None:
        """One connection after the other, once the agents are made."""
        failures, pause = 0, 0.0
        while not self._stopping.wait(pause):
            if self._service.health().status == "loading" or self._rest.connections >= MAX_CONNECTIONS:
                pause = 0.1
                continue
            try:
                self._wait_at_server()
                failures, pause = 0, 0.0
            except Refused as refused:
                self._give_up(refused)
                return
            except (WireError, OSError) as error:
                pause = PAUSES[min(failures, len(PAUSES) - 1)] * random.uniform(1.0, 1.5)
                failures += 1
                self._away(error)

    def _wait_at_server(self) -> None:
        until = Deadline(CALL_SECONDS)
        sock = opened(self._connection, until)
        try:
            turned(sock, self._connection, JOIN, {INSTANCE: self._instance}, until)
            self._wait(sock)
        except BaseException:
            sock.close()
            raise
        self._rest.give(sock)

    def _wait(self, sock: socket.socket) -> None:
        """Until it is wanted; raises where that will not be."""
        with self._lock:
            self._waiting.add(sock)
        self._say(f"Joined {self._connection.endpoint.address}.", here=True)
        try:
            sock.settimeout(SILENCE)
            while not self._stopping.is_set():
                said = sock.recv(1)
                if said not in (DOT, WANTED):
                    raise Unreachable("the connection was closed.")
                sock.sendall(said)
                if said == WANTED:
                    return
            raise Unreachable("we are leaving.")
        finally:
            with self._lock:
                self._waiting.discard(sock)

    def _away(self, error: Exception) -> None:
        with self._lock:
            if self._waiting or self._stopping.is_set():
                return
        self._say(line(f"Not joined: {str(error).rstrip('.')}. Trying again."), here=False)

    def _say(self, text: str, *, here: bool) -> None:
        """Each news once, in the order in which they came about."""
        with self._lock:
            if here != self._here:
                self._here = here
                self._told.clear()
            if text not in self._told:
                self._told.add(text)
                log.info("%s", text)
