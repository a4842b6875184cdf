"""Services that misbehave, over both protocols, for tests of the client and of whole runs.

`rest_service(mode)` and `grpc_service(mode)` are context managers that give a Hostile: its endpoint, and what it was
asked. Info, health, validate and reset are answered properly; act misbehaves from step `at` on:

hang            never answers                  die          drops the connection and the server is gone
late            answers after `seconds`        other_step   answers for the step before
other_session   answers for another session    other_request  answers for another request
garbage         answers with bytes that are no message
huge            answers with 1 GiB (REST) or 64 MiB (gRPC needs it all in memory)
nan             answers with NaN in the arguments
unknown_action  answers with an action that no task has
traceback       fails with a stack trace in its answer
drip            answers one byte per 0.2 s
chunk           answers with one HTTP chunk of length -1, 1 GiB of it (REST alone)
flood           answers, and then answers on and on (gRPC stream alone)
integer         answers with an integer that no float holds (REST alone)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from attacks import raw_grpc, raw_rest
from attacks.raw_grpc import GrpcRequest
from attacks.raw_rest import Connection, Reply, Request, answer
from nav_eval_sdk.protocol.grpc import dump_action, load
from nav_eval_sdk.protocol.messages import Action, EpisodeData, EpisodeEnd
from nav_eval_sdk.quiet import grpc
from patience import PATIENCE

GIBIBYTE = 1 << 30
GARBAGE = b"\x93\x00{]garbage" + b"\xff" * 54
TRACEBACK = "Traceback (most recent call last):\n  File 'x.py', line 1\n" + "x" * 5000
SPOILED: dict[str, dict[str, Any]] = {
    "other_session": {"session_id": "another"},
    "other_request": {"request_id": "another"},
    "unknown_action": {"action": "fly"},
    "integer": {"action": "velocity", "action_args": {"linear": 10**400, "angular": 0.0, "duration": 1.0}},
    "nan": {"action": "velocity", "action_args": {"linear": float("nan"), "angular": 0.0, "duration": 1.0}},
}


@dataclass
class Hostile:
    """`asked`: (session_id, step, request_id) of every act, in order; `resets`, `ends`: their sessions."""

    mode: str
    seconds: float = 5.0
    at: int = 0
    asked: list[tuple[str, int, str]] = field(default_factory=list)
    resets: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    service: raw_rest.Hostile = field(default_factory=raw_rest.Hostile)

    @property
    def endpoint(self) -> str:
        return self.service.endpoint

    @property
    def sent(self) -> int:
        return self.service.sent

    @property
    def released(self) -> threading.Event:
        return self.service.released

    def decide(self, session: str, step: int, request: str) -> dict[str, Any]:
        """The action as JSON fields, spoiled as the mode says."""
        self.asked.append((session, step, request))
        well = {"action": "move_forward", "action_args": {}, "session_id": session, "step": step, "request_id": request}
        spoiled = SPOILED | {"other_step": {"step": step - 1}}
        return well | (spoiled.get(self.mode, {}) if step >= self.at else {})


@contextmanager
def rest_service(mode: str, *, seconds: float = 5.0, at: int = 0) -> Iterator[Hostile]:
    hostile = Hostile(mode, seconds, at)
    with raw_rest.rest_service(partial(_rest, hostile)) as hostile.service:
        yield hostile


def _rest(hostile: Hostile, request: Request) -> Reply:
    session = request.fields.get("session_id", "")
    if request.call in ("reset", "end"):
        {"reset": hostile.resets, "end": hostile.ends}[request.call].append(session)
    if request.call != "act":
        return None
    whole = answer(hostile.decide(session, request.step, request.fields["request_id"]))
    misbehave = REST.get(hostile.mode) if request.step >= hostile.at else None
    return partial(misbehave, hostile, whole) if misbehave else whole


def _late(hostile: Hostile, whole: bytes, connection: Connection) -> None:
    connection.hang(3600.0 if hostile.mode == "hang" else hostile.seconds)
    connection.send(whole)


def _gone(hostile: Hostile, whole: bytes, connection: Connection) -> None:
    hostile.service.stop()
    connection.close()


def _pour(head: bytes) -> Callable[[Hostile, bytes, Connection], None]:
    def pour(hostile: Hostile, whole: bytes, connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + head)
        connection.pour(b" " * (1 << 20), GIBIBYTE)

    return pour


def _drip(hostile: Hostile, whole: bytes, connection: Connection) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 200\r\n\r\n")
    connection.drip(b" " * 200, 0.2)


REST: dict[str, Callable[[Hostile, bytes, Connection], None]] = {
    "hang": _late,
    "late": _late,
    "die": _gone,
    "garbage": lambda hostile, whole, connection: connection.send(answer(GARBAGE)),
    "huge": _pour(b"Content-Length: %d\r\n\r\n" % GIBIBYTE),
    "chunk": _pour(b"Transfer-Encoding: chunked\r\n\r\n-1\r\n"),
    "drip": _drip,
    "traceback": lambda hostile, whole, connection: connection.send(
        answer(TRACEBACK.encode(), status="500 Broken", kind="text/html")
    ),
}


@contextmanager
def grpc_service(mode: str, *, seconds: float = 5.0, at: int = 0) -> Iterator[Hostile]:
    hostile = Hostile(mode, seconds, at)
    session = partial(_flood, hostile) if mode == "flood" else None
    with raw_grpc.grpc_service(partial(_grpc, hostile), session) as hostile.service:
        yield hostile


def _grpc(hostile: Hostile, request: GrpcRequest, context: Any) -> bytes | None:
    if request.call == "ResetEpisode":
        hostile.resets.append(load(request.message, EpisodeData).session_id)
    if request.call == "EndEpisode":
        hostile.ends.append(load(request.message, EpisodeEnd).session_id)
    if request.call not in ("GetAction", "Session"):
        return None
    asked = request.asked
    assert asked.step is not None
    fields = hostile.decide(asked.session_id, asked.step, asked.request_id)
    misbehave = GRPC.get(hostile.mode) if asked.step >= hostile.at else None
    said = misbehave(hostile, context) if misbehave else None
    return dump_action(Action(**fields)) if said is None else said


def _flood(hostile: Hostile, requests: Iterator[bytes], context: Any, service: raw_rest.Hostile) -> Iterator[bytes]:
    flood = dump_action(Action("move_forward", {"x": "x" * 500_000}))
    for request in requests:
        yield _grpc(hostile, GrpcRequest("Session", 0, request), context) or b""
        while context.is_active() and service.sent < GIBIBYTE:
            yield flood
            service.sent += len(flood)


def _die(hostile: Hostile, context: Any) -> bytes:
    hostile.service.stop()
    time.sleep(0.05)
    raise RuntimeError("gone")


def _wait(hostile: Hostile, context: Any) -> None:
    hostile.released.wait(3600.0 if hostile.mode == "hang" else hostile.seconds)


def _never(hostile: Hostile, context: Any) -> bytes:
    hostile.released.wait(PATIENCE)
    return b""


GRPC: dict[str, Callable[[Hostile, Any], bytes | None]] = {
    "hang": _wait,
    "late": _wait,
    "die": _die,
    "garbage": lambda hostile, context: GARBAGE,
    "huge": lambda hostile, context: bytes(GIBIBYTE >> 4),
    "traceback": lambda hostile, context: context.abort(grpc.StatusCode.UNKNOWN, TRACEBACK),
    "drip": _never,
}
