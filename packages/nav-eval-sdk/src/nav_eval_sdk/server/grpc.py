"""The service over gRPC: the three calls of the specification, those around them, and the streaming Session."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

from nav_eval_sdk.errors import BadMessage, ServiceProblem
from nav_eval_sdk.protocol.grpc import (
    CODE_KEY,
    HEALTH,
    SERVICE,
    STATUS,
    ReceivedObservation,
    dump,
    dump_action,
    load,
    message_class,
)
from nav_eval_sdk.protocol.messages import Action, EpisodeData, EpisodeEnd
from nav_eval_sdk.quiet import grpc
from nav_eval_sdk.server.service import Connected, Service
from nav_eval_sdk.server.settings import Listen
from nav_eval_sdk.transport.base import Endpoint

log = logging.getLogger(__name__)
SPARE_THREADS = 8


class GrpcHandlers:
    """Each takes bytes and answers with bytes, or ends the call with a problem. `connected`: while its call lasts."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def info(self, request: bytes, connected: Connected) -> bytes:
        return dump(self._service.info)

    def health(self, request: bytes, connected: Connected) -> bytes:
        return dump(self._service.health())

    def validate(self, request: bytes, connected: Connected) -> bytes:
        return dump(self._service.validate(load(request, EpisodeData) if request else None))

    def reset(self, request: bytes, connected: Connected) -> bytes:
        return dump(self._service.reset(load(request, EpisodeData), connected))

    def act(self, request: bytes, connected: Connected) -> bytes:
        return dump_action(self._act(ReceivedObservation(request), connected))

    def end(self, request: bytes, connected: Connected) -> bytes:
        return dump(self._service.end(load(request, EpisodeEnd)))

    def session(self, requests: Iterator[bytes], connected: Connected) -> Iterator[bytes]:
        """A refusal takes the place of an action, and the stream goes on."""
        for request in requests:
            yield self._stream(request, connected)

    def _stream(self, request: bytes, connected: Connected) -> bytes:
        received: ReceivedObservation | None = None
        try:
            received = ReceivedObservation(request)
            return dump_action(self._act(received, connected))
        except (ServiceProblem, BadMessage) as error:
            problem = _problem(error)
            return dump_action(_answer_to(received), problem.problem)

    def _act(self, received: ReceivedObservation, connected: Connected) -> Action:
        return self._service.act(received.envelope, received.read, received.size, connected)


def _answer_to(received: ReceivedObservation | None) -> Action:
    """The action that says which request it answers, and nothing else."""
    if received is None:
        return Action()
    asked = received.envelope
    return Action(session_id=asked.session_id, step=asked.step, request_id=asked.request_id)


def _problem(error: Exception) -> ServiceProblem:
    if isinstance(error, ServiceProblem):
        return error
    if isinstance(error, BadMessage):
        return ServiceProblem("bad_request", str(error))
    log.error("A request failed.", exc_info=error)
    return ServiceProblem("internal")


def _unary(listen: Listen, handle: Callable[[bytes, Connected], bytes]) -> Any:
    def call(request: bytes, context: Any) -> bytes:
        try:
            _admit(listen, context)
            return handle(request, context.is_active)
        except Exception as error:
            _abort(context, _problem(error))
            raise

    return grpc.unary_unary_rpc_method_handler(call)


def _streaming(listen: Listen, handle: Callable[[Iterator[bytes], Connected], Iterator[bytes]]) -> Any:
    def call(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        try:
            _admit(listen, context)
        except ServiceProblem as error:
            _abort(context, error)
        yield from handle(requests, context.is_active)

    return grpc.stream_stream_rpc_method_handler(call)


def _admit(listen: Listen, context: Any) -> None:
    if not listen.admits(dict(context.invocation_metadata()).get("authorization")):
        raise ServiceProblem("unauthorized")


def _abort(context: Any, problem: ServiceProblem) -> None:
    """Ends the call; raises grpc's own exception."""
    context.set_trailing_metadata(((CODE_KEY, problem.code),))
    context.abort(grpc.StatusCode[STATUS.get(problem.code, "UNKNOWN")], problem.detail or problem.problem.title)


def service_handler(service: Service, listen: Listen) -> Any:
    """The generic handler of nav_eval.v1.InferenceService."""
    handlers = GrpcHandlers(service)
    methods = {
        "GetInfo": handlers.info,
        "HealthCheck": handlers.health,
        "ValidateEpisode": handlers.validate,
        "ResetEpisode": handlers.reset,
        "GetAction": handlers.act,
        "EndEpisode": handlers.end,
    }
    table = {name: _unary(listen, handle) for name, handle in methods.items()}
    table["Session"] = _streaming(listen, handlers.session)
    return grpc.method_handlers_generic_handler(SERVICE, table)


def health_handler(service: Service) -> Any:
    """grpc.health.v1, for load balancers and probes; it tells nothing but serving or not, so it needs no token."""

    def status() -> bytes:
        serving = 1 if service.health().status == "ready" else 2
        answer: bytes = message_class(f"{HEALTH}CheckResponse")(status=serving).SerializeToString()
        return answer

    check = grpc.unary_unary_rpc_method_handler(lambda request, context: status())
    return grpc.method_handlers_generic_handler(HEALTH, {"Check": check})


class GrpcServer:
    """A stream holds a thread for its whole life, so there are two per session and some to spare."""

    def __init__(self, service: Service, listen: Listen) -> None:
        threads = 3 * service.info.max_sessions + SPARE_THREADS
        self._server = grpc.server(
            futures.ThreadPoolExecutor(threads, thread_name_prefix="grpc"), options=options(listen.max_message)
        )
        self._server.add_generic_rpc_handlers((service_handler(service, listen), health_handler(service)))
        self.port: int = self._bind(listen)

    def _bind(self, listen: Listen) -> int:
        address = Endpoint(listen.host, listen.port).address
        try:
            if listen.tls is None:
                return int(self._server.add_insecure_port(address))
            return int(self._server.add_secure_port(address, _credentials(listen)))
        except RuntimeError as error:  # what grpc raises where a socket raises OSError
            raise OSError("grpc cannot take the address; another service may have the port") from error

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        """Calls that run have a second to be answered (the last EndEpisode lets the service go); then all are cut."""
        self._server.stop(1).wait(5)


def _credentials(listen: Listen) -> Any:
    from pathlib import Path

    if listen.tls is None:
        raise ValueError("no TLS was asked for.")
    pair = (Path(listen.tls.key).read_bytes(), Path(listen.tls.certificate).read_bytes())
    if listen.tls.client_ca is None:
        return grpc.ssl_server_credentials([pair])
    authority = Path(listen.tls.client_ca).read_bytes()
    return grpc.ssl_server_credentials([pair], root_certificates=authority, require_client_auth=True)


def options(max_message: int) -> list[tuple[str, int]]:
    """Big frames and a wide window: an observation is megabytes, and every frame costs a call."""
    return [
        ("grpc.max_receive_message_length", max_message),
        ("grpc.max_send_message_length", max_message),
        ("grpc.http2.max_frame_size", (1 << 24) - 1),
        ("grpc.http2.lookahead_bytes", 1 << 24),
        ("grpc.so_reuseport", 0),
        ("grpc.compression_enabled_algorithms_bitset", 1),  # none: 64 KiB of gzip must not unpack to 64 MiB
        ("grpc.keepalive_time_ms", 60_000),  # a stream whose client vanished gives its thread back
        ("grpc.keepalive_timeout_ms", 20_000),
    ]
