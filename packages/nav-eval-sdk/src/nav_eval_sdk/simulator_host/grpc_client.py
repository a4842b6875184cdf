"""The client's gRPC form."""

from __future__ import annotations

from typing import Any, TypeVar

from nav_eval_sdk.errors import BadAnswer, BadMessage, Refused, Unreachable, WireError
from nav_eval_sdk.protocol.grpc import ReceivedObservation
from nav_eval_sdk.protocol.messages import Message
from nav_eval_sdk.protocol.simulator import MAX_HEADER, OBSERVE, Call, Session
from nav_eval_sdk.protocol.simulator_grpc import SIMULATOR_SERVICE, dump, load
from nav_eval_sdk.protocol.values import Specs, message_limit
from nav_eval_sdk.quiet import grpc
from nav_eval_sdk.simulator_host.client import SimulatorClient
from nav_eval_sdk.transport.base import Deadline
from nav_eval_sdk.transport.grpc import as_wire_error

Q = TypeVar("Q", bound=Message)
A = TypeVar("A", bound=Message)


class GrpcClient(SimulatorClient):
    """`place`: host:port. The largest answer is fixed when the channel opens; what is too large is refused unread."""

    def __init__(self, place: str) -> None:
        options = [
            ("grpc.max_receive_message_length", 1 << 28),
            ("grpc.max_send_message_length", MAX_HEADER),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.enable_http_proxy", 0),
            ("grpc.enable_retries", 0),
        ]
        self._channel: Any = grpc.insecure_channel(place, options=options)

    def call(self, call: Call[Q, A], request: Q, deadline: Deadline) -> A:
        try:
            return load(self._unary(call, dump(request), deadline), call.answer)
        except WireError as error:
            raise self._translate_error(error) from None

    def observe(self, session_id: str, specs: Specs, deadline: Deadline) -> dict[str, Any]:
        try:
            data = self._unary(OBSERVE, dump(Session(session_id)), deadline)
            if len(data) > message_limit(specs):
                raise BadMessage(f"{len(data)} bytes are more than the declared observations take.")
            return ReceivedObservation(data).read(specs)
        except WireError as error:
            raise self._translate_error(error) from None

    def _unary(self, call: Call[Any, Any], data: bytes, deadline: Deadline) -> bytes:
        if self._channel is None:
            raise Unreachable("the connection was dropped.")
        method = self._channel.unary_unary(f"/{SIMULATOR_SERVICE}/{call.method}")
        try:
            answer: bytes = method(data, timeout=deadline.remaining())
        except grpc.RpcError as error:
            raise as_wire_error(error, deadline) from None
        return answer

    def _translate_error(self, error: WireError) -> WireError:
        if not isinstance(error, Refused):
            self.drop()
        return BadAnswer(str(error)[:300]) if isinstance(error, BadMessage) else error

    def drop(self) -> None:
        if self._channel is not None:
            self._channel.close()
        self._channel = None
