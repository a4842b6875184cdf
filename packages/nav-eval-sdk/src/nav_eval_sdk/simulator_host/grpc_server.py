"""The same calls over gRPC: nav_eval.simulator.v1.SimulatorService."""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from typing import Any

from nav_eval_sdk.errors import BadMessage, ServiceProblem
from nav_eval_sdk.protocol.grpc import CODE_KEY, STATUS, dump_observation
from nav_eval_sdk.protocol.messages import ObservationOut
from nav_eval_sdk.protocol.simulator import CALLS, OBSERVE, Call, Session
from nav_eval_sdk.protocol.simulator_grpc import SIMULATOR_SERVICE, dump, load
from nav_eval_sdk.protocol.values import outgoing
from nav_eval_sdk.quiet import grpc
from nav_eval_sdk.simulator_host.service import SimulatorService

MAX_MESSAGE = 1 << 28
THREADS = 4


class GrpcServer:
    """`port` 0 takes a free one. A session lives until it is closed."""

    def __init__(self, service: SimulatorService, host: str, port: int) -> None:
        self._service = service
        options = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.max_send_message_length", MAX_MESSAGE)]
        self._server = grpc.server(futures.ThreadPoolExecutor(THREADS), options=[*options, ("grpc.so_reuseport", 0)])
        table = {call.method: _method(self._handler(call)) for call in CALLS.values()}
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SIMULATOR_SERVICE, table),))
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.port: int = self._server.add_insecure_port(address)

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        self._server.stop(0).wait(5)

    def _handler(self, call: Call[Any, Any]) -> Callable[[bytes], bytes]:
        if call is OBSERVE:
            return self._observe
        return lambda data: dump(self._service.answer(call.name, load(data, call.request)))

    def _observe(self, data: bytes) -> bytes:
        request = load(data, Session)
        specs, observation = self._service.observe(request)
        values = outgoing(specs, observation, json=False)
        return dump_observation(ObservationOut(request.session_id, 0, observation=values))


def _method(handle: Callable[[bytes], bytes]) -> Any:
    def call(request: bytes, context: Any) -> bytes:
        try:
            return handle(request)
        except (ServiceProblem, BadMessage) as error:
            problem = error if isinstance(error, ServiceProblem) else ServiceProblem("bad_request", str(error))
            context.set_trailing_metadata(((CODE_KEY, problem.code),))
            context.abort(grpc.StatusCode[STATUS.get(problem.code, "UNKNOWN")], problem.detail[:1000])
            raise

    return grpc.unary_unary_rpc_method_handler(call)
