"""Who has joined waits here; who asks for a team is given one of its connections, and bytes pass unchanged.

Nothing of what they say is read, so a request is exactly what it would be to a service at an address, and the evaluator
holds it to the same deadlines. A team is served by one process at a time: another could not go on with its sessions.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TypeVar

from nav_eval_sdk.protocol.version import PROBLEM
from nav_eval_sdk.transport.upgrade import DOT, JOIN, UPGRADE, WANTED
from nav_eval_server.join.fd_passing import receive

R = TypeVar("R")
BEAT = 20.0
"""Seconds between two dots. Whoever does not send one back before the third has gone."""
WAIT = 2.0
"""So long who asks for a team waits for one of its connections, and for a word on it."""
ADMISSION = 15.0
STUCK = 60.0
"""So long a piece may wait for the one who is to read it."""
PIECE = 1 << 20
"""Bytes in passing, in one direction; a third less work for an image than with a quarter of it."""
POLL = 0.01
MAX_TEAM_CONNECTIONS = 128
MAX_CONNECTIONS = 4000
"""Connections."""
SWITCHING = f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: {UPGRADE}\r\nConnection: Upgrade\r\n\r\n".encode()
AGREED = re.compile(rb"\.*!")
"""After dots that were still owed; and nothing more before it is asked something."""
KEEPALIVE = ((socket.TCP_KEEPIDLE, 30), (socket.TCP_KEEPINTVL, 10), (socket.TCP_KEEPCNT, 3), (socket.TCP_NODELAY, 1))


@dataclass(frozen=True)
class No:
    """An answer instead of 101."""

    status: int
    code: str
    detail: str

    def __bytes__(self) -> bytes:
        title = HTTPStatus(self.status).phrase
        body = json.dumps({"code": self.code, "title": title, "status": self.status, "detail": self.detail}).encode()
        head = f"HTTP/1.1 {self.status} {title}\r\nContent-Type: {PROBLEM}\r\nContent-Length: {len(body)}\r\n"
        return f"{head}Connection: close\r\n\r\n".encode() + body


NO_TOKEN = No(401, "unauthorized", "The token is missing, wrong or revoked. A team makes one on its page.")
ANOTHER = No(409, "conflict", "Another process has joined for your team. End that one, or wait until it has gone.")
NOBODY = No(503, "unavailable", "Nobody has joined for this team.")
FULL = No(503, "busy", "There are too many connections.")
AWAY = No(503, "unavailable", "The server's database is away.")


class Away(Exception):
    """The database cannot be asked."""


@dataclass(eq=False)
class Connection:
    """A connection of a team. `listening` to it is called off when it is `taken`; `over`: who took it has done."""

    sock: socket.socket
    listening: asyncio.Task[None] | None = None
    owed: int = 0
    taken: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class TeamProcess:
    """A team's process: all its connections, and those that wait."""

    instance: str
    token: str
    connections: set[Connection] = field(default_factory=set)
    waiting: deque[Connection] = field(default_factory=deque)


class Relay:
    """The database is asked in threads, by functions that may raise Away.

    welcome: of a team's token, the team. admitted: of a ticket, attempt and team. note: whether a team is here.
    """

    def __init__(
        self,
        welcome: Callable[[str], int | None],
        admitted: Callable[[str], tuple[int, int] | None],
        note: Callable[[int, bool], None],
        *,
        beat: float = BEAT,
    ) -> None:
        self._welcome, self._admitted, self._note = welcome, admitted, note
        self._beat = beat
        self._processes: dict[int, TeamProcess] = {}
        self._plays: dict[asyncio.Task[None], tuple[int, int]] = {}
        """Team and attempt of who asks."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed: asyncio.Queue[int] = asyncio.Queue()

    async def run(self, line: socket.socket) -> None:
        """For ever: serve what the web hands over."""
        line.setblocking(False)
        asyncio.get_running_loop().add_reader(line, self._receive, line)
        await asyncio.gather(self._tell(), self._look_after())

    def _receive(self, line: socket.socket) -> None:
        with suppress(BlockingIOError):
            handed = receive(line)
            if handed is not None:
                task = asyncio.create_task(self._serve(*handed))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _serve(self, told: Mapping[str, str], sock: socket.socket) -> None:
        try:
            _set_up(sock)
            answer = FULL if len(self._tasks) > MAX_CONNECTIONS else await self._admit(told, sock)
            if answer is not None:
                await _send(sock, bytes(answer))
        except (OSError, TimeoutError):
            return
        finally:
            sock.close()

    async def _admit(self, told: Mapping[str, str], sock: socket.socket) -> No | None:
        token = told["authorization"].removeprefix("Bearer ")
        try:
            if told["path"] == JOIN:
                return await self._join(token, told["instance"], sock)
            return await self._ask(token, sock)
        except Away:
            return AWAY

    # Who has joined

    async def _join(self, token: str, instance: str, sock: socket.socket) -> No | None:
        team = await _in_thread(self._welcome, token)
        if team is None:
            return NO_TOKEN
        process = self._processes.setdefault(team, TeamProcess(instance, token))
        if process.instance != instance:
            return ANOTHER
        if len(process.connections) >= MAX_TEAM_CONNECTIONS:
            return FULL
        connection = Connection(sock)
        process.connections.add(connection)
        if len(process.connections) == 1:
            self._changed.put_nowait(team)
        try:
            await self._stay(process, connection)
        finally:
            process.connections.discard(connection)
            if not process.connections:
                del self._processes[team]
                self._changed.put_nowait(team)
        return None

    async def _stay(self, process: TeamProcess, connection: Connection) -> None:
        """As long as the connection lasts."""
        await _send(connection.sock, SWITCHING)
        connection.listening = asyncio.create_task(self._listen(connection))
        process.waiting.append(connection)
        try:
            await asyncio.wait([connection.listening])
            if connection.taken:
                await connection.over.wait()
        finally:
            connection.listening.cancel()
            if not connection.taken:
                process.waiting.remove(connection)

    async def _listen(self, connection: Connection) -> None:
        """Until it is silent, or says anything but the dots that it owes."""
        loop = asyncio.get_running_loop()
        with suppress(OSError, TimeoutError):
            while True:
                async with asyncio.timeout(2.5 * self._beat):
                    said = await loop.sock_recv(connection.sock, 64)
                connection.owed -= len(said)
                if not said or said.strip(DOT) or connection.owed < 0:
                    return

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(self._beat)
            for team, process in list(self._processes.items()):
                for connection in process.waiting:
                    connection.owed += 1
                    with suppress(OSError):
                        connection.sock.send(DOT)
                self._changed.put_nowait(team)
                with suppress(Away):
                    if await _in_thread(self._welcome, process.token) != team:
                        _send_away(process)

    async def _tell(self) -> None:
        """The database, of who has come and gone."""
        while True:
            team = await self._changed.get()
            try:
                await _in_thread(self._note, team, team in self._processes)
            except Away:
                await asyncio.sleep(1)
                self._changed.put_nowait(team)

    # Who asks for a team

    async def _ask(self, ticket: str, sock: socket.socket) -> No | None:
        found = await _in_thread(self._admitted, ticket)
        if found is None:
            return NO_TOKEN
        attempt, team = found
        task = asyncio.current_task()
        assert task is not None
        self._plays[task] = (team, attempt)
        try:
            self._end_earlier(team, attempt)
            connection = await self._taken(team)
            if connection is None:
                return NOBODY
            try:
                await _send(sock, SWITCHING)
                await _splice(sock, connection.sock)
            finally:
                connection.over.set()
        finally:
            del self._plays[task]
        return None

    def _end_earlier(self, team: int, attempt: int) -> None:
        """An attempt is live, so an earlier one is not: perhaps its worker does not know that yet."""
        for task, (other, earlier) in self._plays.items():
            if other == team and earlier < attempt:
                task.cancel()

    async def _taken(self, team: int) -> Connection | None:
        """A connection of the team that is awake."""
        until = asyncio.get_running_loop().time() + WAIT
        while asyncio.get_running_loop().time() < until:
            process = self._processes.get(team)
            if process is None or not process.waiting:
                await asyncio.sleep(POLL)
            elif await self._awake(connection := process.waiting.popleft()):
                return connection
        return None

    async def _awake(self, connection: Connection) -> bool:
        assert connection.listening is not None
        connection.taken = True
        connection.listening.cancel()
        try:
            async with asyncio.timeout(WAIT):
                await asyncio.wait([connection.listening])
                await _send(connection.sock, WANTED)
                said = DOT
                while said and not said.strip(DOT):
                    said = await asyncio.get_running_loop().sock_recv(connection.sock, 64)
            if not AGREED.fullmatch(said):
                raise OSError
        except BaseException as error:
            connection.over.set()
            if isinstance(error, (OSError, TimeoutError)):
                return False
            raise
        return True


def _set_up(sock: socket.socket) -> None:
    """A peer that has vanished is noticed within a minute."""
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in KEEPALIVE:
        sock.setsockopt(socket.IPPROTO_TCP, option, value)


def _send_away(process: TeamProcess) -> None:
    for connection in process.connections:
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


async def _in_thread(call: Callable[..., R], *arguments: object) -> R:
    try:
        async with asyncio.timeout(ADMISSION):
            return await asyncio.to_thread(call, *arguments)
    except TimeoutError:
        raise Away from None


async def _send(sock: socket.socket, data: bytes) -> None:
    async with asyncio.timeout(ADMISSION):
        await asyncio.get_running_loop().sock_sendall(sock, data)


async def _splice(one: socket.socket, other: socket.socket) -> None:
    """Until either has ended."""
    pumps = [asyncio.create_task(_pump(one, other)), asyncio.create_task(_pump(other, one))]
    try:
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)


async def _pump(source: socket.socket, sink: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    piece = memoryview(bytearray(PIECE))
    while count := await loop.sock_recv_into(source, piece):
        async with asyncio.timeout(STUCK):
            await loop.sock_sendall(sink, piece[:count])
