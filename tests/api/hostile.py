"""Services that misbehave, over both protocols, for tests of the client and of whole runs.

`rest_service(mode)` and `grpc_service(mode)` are context managers that give a Hostile: its endpoint, and what it was
asked. Info, health, validate and reset are answered properly; act misbehaves from step `at` on:

hang            never answers                  die          drops the connection and the server is gone
late            answers after `seconds`        other_step   answers for the step before
other_session   answers for another session    other_request  answers for another request
garbage         answers with bytes that are no message
huge            answers with 1 GiB (REST) or 256 MiB (gRPC needs it all in memory)
nan             answers with NaN in the arguments
unknown_action  answers with an action that no task has
traceback       fails with a stack trace in its answer
drip            answers one byte per 0.2 s
chunk           answers with one HTTP chunk of length -1, 1 GiB of it (REST alone)
flood           answers, and then answers on and on (gRPC stream alone)
integer         answers with an integer that no float holds (REST alone)
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from nav_eval_sdk.protocol.grpc import SERVICE, ReceivedObservation, dump, dump_action, load
from nav_eval_sdk.protocol.messages import (
    Action,
    EndStatus,
    EpisodeData,
    EpisodeEnd,
    Info,
    InitialObservation,
    ServiceStatus,
    Validation,
)
from nav_eval_sdk.quiet import grpc
from patience import PATIENCE

MODES = ("hang", "die", "late", "other_step", "other_session", "other_request", "garbage", "huge", "nan")
MORE_MODES = ("unknown_action", "traceback", "drip")
GIBIBYTE = 1 << 30


@dataclass
class Hostile:
    """`asked`: (session_id, step, request_id) of every act, in order; `sent`: bytes of the huge answer."""

    mode: str
    seconds: float = 5.0
    at: int = 0
    endpoint: str = ""
    asked: list[tuple[str, int, str]] = field(default_factory=list)
    resets: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    sent: int = 0
    released: threading.Event = field(default_factory=threading.Event)
    stop: Callable[[], None] = lambda: None

    def misbehaves(self, step: int) -> bool:
        return step >= self.at

    def answer(self, session: str, step: int, request: str) -> dict[str, Any]:
        """The action as JSON fields, spoiled as the mode says."""
        fields: dict[str, Any] = {
            "action": "move_forward",
            "action_args": {},
            "session_id": session,
            "step": step,
            "request_id": request,
        }
        if not self.misbehaves(step):
            return fields
        spoiled: dict[str, dict[str, Any]] = {
            "other_step": {"step": step - 1},
            "other_session": {"session_id": "another"},
            "other_request": {"request_id": "another"},
            "unknown_action": {"action": "fly"},
            "integer": {
                "action": "velocity",
                "action_args": {"linear": 10**400, "angular": 0.0, "duration": 1.0},
            },
            "nan": {"action": "velocity", "action_args": {"linear": float("nan"), "angular": 0.0, "duration": 1.0}},
        }
        return fields | spoiled.get(self.mode, {})

    def wait(self, step: int) -> None:
        if self.misbehaves(step) and self.mode in ("hang", "late"):
            self.released.wait(3600.0 if self.mode == "hang" else self.seconds)


@contextmanager
def rest_service(mode: str, *, seconds: float = 5.0, at: int = 0) -> Iterator[Hostile]:
    hostile = Hostile(mode, seconds, at)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hostile))
    server.daemon_threads = True
    hostile.endpoint = f"127.0.0.1:{server.server_address[1]}"
    hostile.stop = lambda: threading.Thread(target=server.shutdown, daemon=True).start() or server.socket.close()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hostile
    finally:
        hostile.released.set()
        server.shutdown()
        server.server_close()


def _handler(hostile: Hostile) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *args: Any) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            if self.path.endswith("info"):
                self._json({"name": "hostile", "content_types": ["application/json"], "max_sessions": 4})
            else:
                self._json({"status": "ready"})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            if self.path.endswith("act"):
                self._act(body["session_id"], body["step"], body["request_id"])
                return
            if self.path.endswith("reset"):
                hostile.resets.append(body["session_id"])
            if self.path.endswith("end"):
                hostile.ends.append(body["session_id"])
            self._json({"status": "ready"})

        def _act(self, session: str, step: int, request: str) -> None:
            hostile.asked.append((session, step, request))
            hostile.wait(step)
            special = getattr(self, f"_{hostile.mode}", None)
            if special is not None and hostile.misbehaves(step):
                special()
            else:
                self._json(hostile.answer(session, step, request))

        def _json(self, fields: dict[str, Any], status: int = 200) -> None:
            body = json.dumps(fields).encode()
            self._head(len(body), status)
            self.wfile.write(body)

        def _head(self, length: int, status: int = 200, kind: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(length))
            self.end_headers()

        def _die(self) -> None:
            hostile.stop()
            self.close_connection = True
            self.connection.close()

        def _garbage(self) -> None:
            self._head(64)
            self.wfile.write(b"\x93\x00{]garbage" + b"\xff" * 54)

        def _huge(self) -> None:
            self._head(GIBIBYTE)
            self._pour()

        def _chunk(self) -> None:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"-1\r\n")
            self._pour()

        def _pour(self) -> None:
            block = b" " * (1 << 20)
            for _ in range(GIBIBYTE >> 20):
                try:
                    self.wfile.write(block)
                except OSError:
                    return
                hostile.sent += len(block)

        def _drip(self) -> None:
            self._head(200)
            for _ in range(200):
                self.wfile.write(b" ")
                if hostile.released.wait(0.2):
                    return

        def _traceback(self) -> None:
            body = b"Traceback (most recent call last):\n  File 'x.py', line 1\n" + b"x" * 5000
            self._head(len(body), 500, "text/html")
            self.wfile.write(body)

    return Handler


@contextmanager
def grpc_service(mode: str, *, seconds: float = 5.0, at: int = 0, streaming: bool = True) -> Iterator[Hostile]:
    hostile = Hostile(mode, seconds, at)
    server = grpc.server(futures.ThreadPoolExecutor(16))
    server.add_generic_rpc_handlers((_grpc_handlers(hostile, streaming),))
    hostile.endpoint = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    hostile.stop = lambda: server.stop(0)
    server.start()
    try:
        yield hostile
    finally:
        hostile.released.set()
        server.stop(0).wait(2)


def _grpc_handlers(hostile: Hostile, streaming: bool) -> Any:
    flood = dump_action(Action("move_forward", {"x": "x" * 500_000}))

    def reset(request: bytes, context: Any) -> bytes:
        hostile.resets.append(load(request, EpisodeData).session_id)
        return dump(InitialObservation())

    def end(request: bytes, context: Any) -> bytes:
        hostile.ends.append(load(request, EpisodeEnd).session_id)
        return dump(EndStatus())

    def act(request: bytes, context: Any) -> bytes:
        asked = ReceivedObservation(request).envelope
        assert asked.step is not None
        hostile.asked.append((asked.session_id, asked.step, asked.request_id))
        hostile.wait(asked.step)
        special = _GRPC.get(hostile.mode) if hostile.misbehaves(asked.step) else None
        if special is not None:
            return special(hostile, context)
        return dump_action(Action(**hostile.answer(asked.session_id, asked.step, asked.request_id)))

    def session(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        for request in requests:
            yield act(request, context)
            while hostile.mode == "flood" and context.is_active() and hostile.sent < GIBIBYTE:
                yield flood
                hostile.sent += len(flood)

    unary = {
        "GetInfo": lambda request, context: dump(Info(name="hostile", streaming=streaming, max_sessions=4)),
        "HealthCheck": lambda request, context: dump(ServiceStatus(status="ready")),
        "ValidateEpisode": lambda request, context: dump(Validation()),
        "ResetEpisode": reset,
        "EndEpisode": end,
        "GetAction": act,
    }
    table = {name: grpc.unary_unary_rpc_method_handler(call) for name, call in unary.items()}
    table["Session"] = grpc.stream_stream_rpc_method_handler(session)
    return grpc.method_handlers_generic_handler(SERVICE, table)


def _die(hostile: Hostile, context: Any) -> bytes:
    hostile.stop()
    time.sleep(0.05)
    raise RuntimeError("gone")


def _fail(hostile: Hostile, context: Any) -> bytes:
    context.abort(grpc.StatusCode.UNKNOWN, "Traceback (most recent call last):\n  File 'x.py'\n" + "x" * 5000)
    raise AssertionError


def _slow(hostile: Hostile, context: Any) -> bytes:
    hostile.released.wait(PATIENCE)
    return b""


_GRPC: dict[str, Callable[[Hostile, Any], bytes]] = {
    "die": _die,
    "garbage": lambda hostile, context: b"\x93\x00{]garbage" + b"\xff" * 54,
    "huge": lambda hostile, context: bytes(GIBIBYTE >> 2),
    "traceback": _fail,
    "drip": _slow,
}
