"""The socket framing's server: a thread per connection; a connection that ends takes its sessions with it."""

from __future__ import annotations

import itertools
import logging
import socket
import threading
from collections.abc import Sequence
from typing import Any

import msgspec

from nav_eval_sdk.errors import BadMessage, ServiceProblem
from nav_eval_sdk.protocol.messages import Problem
from nav_eval_sdk.protocol.simulator import CALLS, CLOSE, OBSERVE, OPEN, Call, Session
from nav_eval_sdk.protocol.simulator_frames import (
    Form,
    RequestHead,
    answer_frame,
    header_length,
    observation_frame,
    problem_frame,
)
from nav_eval_sdk.simulator_host.service import SimulatorService

log = logging.getLogger(__name__)


class SocketServer:
    """Listens as soon as it is made; `port` 0 takes a free one."""

    def __init__(self, service: SimulatorService, host: str, port: int) -> None:
        self._service = service
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family)
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._numbers = itertools.count()

    def start(self) -> None:
        threading.Thread(target=self._accept, name="accept", daemon=True).start()

    def stop(self) -> None:
        for held in (self._listener, *self._open):
            _shut(held)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), name="connection", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        sessions: set[str] = set()
        number = next(self._numbers)
        try:
            stream = connection.makefile("rb")
            while len(prefix := stream.read(4)) == 4:
                header = stream.read(header_length(prefix))
                for piece in self._answer(header, number, sessions):
                    connection.sendall(piece)
        except (OSError, BadMessage) as error:
            log.warning("A connection ended: %s", error)
        finally:
            self._open.discard(connection)
            _shut(connection)
            for session_id in sessions:
                self._service.answer(CLOSE.name, Session(session_id))

    def _answer(self, header: bytes, number: int, sessions: set[str]) -> Sequence[Any]:
        """The frame that answers a request, in pieces."""
        form = Form.of(header)
        head = form.load(header, RequestHead)
        try:
            call: Call[Any, Any] | None = CALLS.get(head.call)
            if call is None:
                raise ServiceProblem("unimplemented", f"there is no call {head.call[:40]!r}.")
            request = _own(form.load(head.body, call.request), number)
            if call is OBSERVE:
                return observation_frame(form, head.id, *self._service.observe(request))
            answer = self._service.answer(call.name, request)
            if call is OPEN:
                sessions.add(request.session_id)
            return [answer_frame(form, head.id, answer)]
        except ServiceProblem as error:
            return [problem_frame(form, head.id, error.problem)]
        except BadMessage as error:
            return [problem_frame(form, head.id, Problem(code="bad_request", detail=str(error)))]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            detail = f"an observation does not fit its spec: {type(error).__name__}: {error}"
            return [problem_frame(form, head.id, Problem(code="internal", detail=detail))]


def _own(request: Any, number: int) -> Any:
    """A session's id means something on its own connection only."""
    if not getattr(request, "session_id", ""):
        return request
    return msgspec.structs.replace(request, session_id=f"{number}/{request.session_id}")


def _shut(held: socket.socket) -> None:
    try:
        held.shutdown(socket.SHUT_RDWR)
    except OSError:
        log.debug("The socket was closed by the other side.")
    held.close()
