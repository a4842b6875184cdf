"""A web that hands over and a relay, in threads, without a competition: for what happens between two connections."""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from waitress import create_server, wasyncore

from nav_eval_sdk.transport.upgrade import DOT, JOIN, JOINED, UPGRADE, WANTED
from nav_eval_server.join.fd_passing import pair, passing_fds
from nav_eval_server.join.relay import Relay
from patience import PATIENCE

TEAMS = {"aurora": 1, "borealis": 2}
TICKETS = {"ticket": (7, 1), "newer": (8, 1), "other": (9, 2)}
"""Ticket: attempt, team."""
BEAT = 1.0
"""Seconds; a guest is sent away when it has been held up for two and a half of these."""


class Ground:
    """`notes`: what news the database was told. `teams`: tokens that are known; a test may take one away."""

    def __init__(self) -> None:
        self.teams = dict(TEAMS)
        self.notes: list[tuple[int, bool]] = []
        webs, self._relays = pair()
        app = passing_fds(page, webs)
        self._web = create_server(app, host="127.0.0.1", port=0, threads=2)
        self.port: int = self._web.effective_port
        self.url = f"http://127.0.0.1:{self.port}"
        self.joined = f"http+join://127.0.0.1:{self.port}"
        self._ended = threading.Event()
        self._serving = threading.Thread(target=self._serve)
        self._serving.start()
        self.begin()

    def _serve(self) -> None:
        while not self._ended.is_set():
            wasyncore.loop(timeout=0.05, map=self._web._map, use_poll=True, count=1)
        self._web.task_dispatcher.shutdown()
        wasyncore.close_all(self._web._map, ignore_all=True)

    def begin(self) -> None:
        """A relay; the web's end of the pair outlives it."""
        self.relay = Relay(self.teams.get, TICKETS.get, self._note, beat=BEAT)
        self._loop = asyncio.new_event_loop()
        self._relaying = threading.Thread(target=self._relay)
        self._relaying.start()

    def _note(self, team: int, here: bool) -> None:
        if dict(self.notes).get(team, False) != here:
            self.notes.append((team, here))

    def _relay(self) -> None:
        line = socket.fromfd(self._relays, socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with suppress(asyncio.CancelledError), line:
            self._run = self._loop.create_task(self.relay.run(line))
            self._loop.run_until_complete(self._run)
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left))
        self._loop.close()

    def kill(self) -> None:
        """As the end of the relay's process: every connection that it holds is closed."""
        self._loop.call_soon_threadsafe(self._run.cancel)
        self._relaying.join()

    def close(self) -> None:
        self.kill()
        self._ended.set()
        self._serving.join()


@contextmanager
def ground() -> Iterator[Ground]:
    made = Ground()
    try:
        yield made
    finally:
        made.close()


def page(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """What else the web serves."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"a page"]


@contextmanager
def tls_before(port: int, context: ssl.SSLContext) -> Iterator[int]:
    """The port of a proxy that speaks TLS and passes everything on to `port`."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, port, context), daemon=True).start()
        yield listener.getsockname()[1]


def _accept(listener: socket.socket, port: int, context: ssl.SSLContext) -> None:
    with suppress(OSError):
        while True:
            outer = context.wrap_socket(listener.accept()[0], server_side=True)
            threading.Thread(target=_pass_on, args=(outer, port), daemon=True).start()


def _pass_on(outer: ssl.SSLSocket, port: int) -> None:
    """Both ways; select alone would not see what is decrypted already."""
    with outer, socket.create_connection(("127.0.0.1", port)) as inner, suppress(OSError):
        while True:
            there = outer.pending() or outer in select.select([outer, inner], [], [])[0]
            data = outer.recv(65536) if there else inner.recv(65536)
            if not data:
                return
            (inner if there else outer).sendall(data)


class Peer:
    """A socket that asks to be turned round; `status` and `head` are the answer's."""

    def __init__(self, port: int, path: str, token: str, instance: str = "i", upgrade: str = UPGRADE) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        lines = ["Host: x", "Connection: Upgrade", f"Upgrade: {upgrade}", f"Nav-Eval-Instance: {instance}"]
        lines += [f"Authorization: Bearer {token}"] if token else []
        self.sock.sendall("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.exactly(1)
        self.head = head.decode()
        self.status = int(self.head.split()[1])

    def exactly(self, count: int) -> bytes:
        found = bytearray()
        while len(found) < count:
            some = self.sock.recv(min(count - len(found), 1 << 16))
            assert some, "the other side closed"
            found += some
        return bytes(found)

    def rest(self) -> bytes:
        """Until the other side closes."""
        found = b""
        while some := self.sock.recv(65536):
            found += some
        return found

    def closed(self, seconds: float = PATIENCE, *, answering: bool = True) -> bool:
        """Whether the other side closes before that; dots are sent back."""
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until:
                self.sock.settimeout(max(0.01, until - time.monotonic()))
                some = self.sock.recv(65536)
                if not some:
                    return True
                assert not some.strip(DOT)
                if answering:
                    self.sock.sendall(some)
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        return False

    def wanted(self) -> None:
        """Wait to be wanted, and agree."""
        while (said := self.sock.recv(1)) == DOT:
            self.sock.sendall(DOT)
        assert said == WANTED
        self.sock.sendall(WANTED)

    def close(self) -> None:
        self.sock.close()


def guest(ground: Ground, token: str = "aurora", instance: str = "i") -> Peer:
    return Peer(ground.port, JOIN, token, instance)


def asker(ground: Ground, ticket: str = "ticket") -> Peer:
    return Peer(ground.port, JOINED, ticket)


def matched(ground: Ground, ticket: str = "ticket", token: str = "aurora") -> tuple[Peer, Peer]:
    """Who has joined and who has asked, led together."""
    joined = guest(ground, token)
    with ThreadPoolExecutor(1) as pool:
        agreed = pool.submit(joined.wanted)
        asked = asker(ground, ticket)
        agreed.result()
    assert asked.status == 101
    return joined, asked
