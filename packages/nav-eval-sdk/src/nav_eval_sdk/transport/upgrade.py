"""A service behind NAT calls out; the connection is then turned round and carries ordinary requests to it.

Both who joins (server.joining) and who asks (transport.rest, for http+join://) begin with one request to the
competition server, GET /api/v1/join or /api/v1/joined with `Upgrade: nav-eval-join`; after its 101 the connection is
theirs. Who joined gets dots, which it sends back, until it is wanted: WANTED, which it sends back too. From then on it
is a server at its end of the connection, and who asks is its client: what they say passes unchanged.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping

import msgspec

from nav_eval_sdk.errors import Refused, Unreachable, WireError
from nav_eval_sdk.protocol.messages import Problem
from nav_eval_sdk.transport.base import Connection, Deadline

UPGRADE = "nav-eval-join"
JOIN, JOINED = "/api/v1/join", "/api/v1/joined"
INSTANCE = "Nav-Eval-Instance"
DOT, WANTED = b".", b"!"
DIGITS = re.compile("[0-9]+")
MAX_HEAD, MAX_PROBLEM = 16384, 4096


def turned(sock: socket.socket, connection: Connection, path: str, headers: Mapping[str, str], until: Deadline) -> None:
    """Ask for the connection; raises a WireError where the server does not give it."""
    endpoint = connection.endpoint
    lines = {"Host": endpoint.address, "Connection": "Upgrade", "Upgrade": UPGRADE, **headers}
    if connection.token:
        lines["Authorization"] = f"Bearer {connection.token}"
    told = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    sock.settimeout(until.remaining())
    sock.sendall(f"GET {endpoint.path}{path} HTTP/1.1\r\n{told}\r\n".encode("ascii"))
    status, length = _head(sock, until)
    if status != 101:
        raise _fault(status, _exactly(sock, min(length, MAX_PROBLEM), until))


def _head(sock: socket.socket, until: Deadline) -> tuple[int, int]:
    """Status and length of the body; byte by byte, because what follows a 101 is not ours to read."""
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        if len(head) == MAX_HEAD:
            raise Unreachable("no HTTP answer.")
        head += _exactly(sock, 1, until)
    first, *rest = head.decode("latin-1").split("\r\n")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    status, length = first.partition(" ")[2][:3], fields.get("content-length", "0")[:9]
    if not first.startswith("HTTP/1.") or not DIGITS.fullmatch(status) or not DIGITS.fullmatch(length):
        raise Unreachable("no HTTP answer.")
    return int(status), int(length)


def _exactly(sock: socket.socket, count: int, until: Deadline) -> bytes:
    got = b""
    while len(got) < count:
        sock.settimeout(until.remaining())
        some = sock.recv(count - len(got))
        if not some:
            raise Unreachable("the connection was closed.")
        got += some
    return got


def _fault(status: int, body: bytes) -> WireError:
    """A wrong token is final; everything else may come right."""
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        problem = Problem(code="unauthorized", status=status)
    if status in (401, 403):
        return Refused(problem)
    return Unreachable(problem.detail or f"HTTP {status}: it lets nobody join, or its proxy passes no Upgrade on.")
