"""One connection to a simulator over the socket framing."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any, TypeVar

from nav_eval_sdk.errors import BadAnswer, BadMessage, DeadlineMissed, Refused, Unreachable, WireError
from nav_eval_sdk.protocol.messages import Message
from nav_eval_sdk.protocol.simulator import OBSERVE, Call, Session
from nav_eval_sdk.protocol.simulator_frames import (
    FORMS,
    JSON_FORM,
    AnswerHead,
    header_length,
    read_observation,
    request_frame,
)
from nav_eval_sdk.protocol.values import Specs, message_limit
from nav_eval_sdk.simulator_host.client import SimulatorClient
from nav_eval_sdk.transport.base import Deadline

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)


class SocketClient(SimulatorClient):
    """The socket framing."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection: socket.socket | None = connection
        self._form = JSON_FORM
        self._number = 0

    def understand(self, headers: Sequence[str]) -> None:
        self._form = FORMS["msgpack" if "msgpack" in headers else "json"]

    def call(self, call: Call[Q, A], request: Q, deadline: Deadline) -> A:
        try:
            head = self._ask(call, request, deadline)
            if head.payload:
                raise BadMessage(f"{call.name} was answered with {head.payload} bytes of payload.")
            return self._form.load(head.body, call.answer)
        except (WireError, OSError) as error:
            raise self._translate_error(error) from None

    def observe(self, session_id: str, specs: Specs, deadline: Deadline) -> dict[str, Any]:
        try:
            head = self._ask(OBSERVE, Session(session_id), deadline)
            if not 0 <= head.payload <= message_limit(specs):
                raise BadMessage(f"a payload of {head.payload} bytes is more than the declared observations take.")
            payload = self._receive(head.payload, deadline)
            return read_observation(self._form, head.body, specs, payload)
        except (WireError, OSError) as error:
            raise self._translate_error(error) from None

    def _ask(self, call: Call[Any, Any], request: Message, deadline: Deadline) -> AnswerHead:
        if self._connection is None:
            raise Unreachable("the connection was dropped.")
        self._number += 1
        self._connection.settimeout(deadline.remaining())
        self._connection.sendall(request_frame(self._form, self._number, call, request))
        header = self._receive(header_length(bytes(self._receive(4, deadline))), deadline)
        head = self._form.load(bytes(header), AnswerHead)
        if head.id != self._number:
            raise BadMessage(f"it answered request {head.id}, {self._number} was asked.")
        if head.problem is not None:
            raise Refused(head.problem)
        return head

    def _receive(self, size: int, deadline: Deadline) -> memoryview:
        assert self._connection is not None
        buffer = memoryview(bytearray(size))
        got = 0
        while got < size:
            self._connection.settimeout(deadline.remaining())
            count = self._connection.recv_into(buffer[got:])
            if not count:
                raise Unreachable("it closed the connection.")
            got += count
        return buffer

    def _translate_error(self, error: Exception) -> Exception:
        if not isinstance(error, Refused):
            self.drop()
        if isinstance(error, TimeoutError):
            return DeadlineMissed("no answer in time.")
        if isinstance(error, OSError):
            return Unreachable(f"the connection broke: {error.strerror or error}.")
        return BadAnswer(str(error)[:300]) if isinstance(error, BadMessage) else error

    def drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
