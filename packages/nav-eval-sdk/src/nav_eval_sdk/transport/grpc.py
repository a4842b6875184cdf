"""gRPC's client: unary calls, and decisions over the streaming Session if asked for.

A stream's answers are taken in by a thread of its own, because grpc gives a stream one deadline for its whole life
and every step needs one. Each transport has its own channel, so dropping it disturbs nobody else.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from nav_eval_sdk.errors import BadAnswer, BadMessage, DeadlineMissed, OtherProtocol, Refused, Unreachable, WireError
from nav_eval_sdk.protocol.grpc import CODE_KEY, SERVICE, dump, dump_observation, load, load_action
from nav_eval_sdk.protocol.messages import (
    Action,
    EndStatus,
    EpisodeData,
    EpisodeEnd,
    Info,
    InitialObservation,
    Message,
    Problem,
    ServiceStatus,
    Validation,
)
from nav_eval_sdk.protocol.text import cleaned
from nav_eval_sdk.quiet import grpc
from nav_eval_sdk.transport.address import connected, numeric
from nav_eval_sdk.transport.base import (
    MAX_ANSWER,
    PLAIN_SERVICE,
    STATUSES,
    Ask,
    ClientTls,
    Connection,
    Deadline,
    Transport,
    plain_status,
)

M = TypeVar("M", bound=Message)
R = TypeVar("R")
REFUSALS = {
    "UNAUTHENTICATED": "unauthorized",
    "PERMISSION_DENIED": "unauthorized",
    "UNIMPLEMENTED": "unimplemented",
    "NOT_FOUND": "not_found",
    "INVALID_ARGUMENT": "bad_request",
    "FAILED_PRECONDITION": "step_conflict",
    "UNKNOWN": "internal",
    "RESOURCE_EXHAUSTED": "busy",
}
TOO_LARGE = "message larger than max"
"""What grpc itself says of an answer beyond MAX_ANSWER, under the status RESOURCE_EXHAUSTED."""
NO_HTTP2 = "Failed parsing HTTP/2"
"""What grpc itself says where HTTP/1 answers."""
PROXY_WAITS = "(HTTP status 5"
"""And where what answers is a proxy that waits for the service behind it."""
HTTP_STATUS = "Received http2 header with status"
"""What grpc itself says where a proxy answers, and not the service behind it."""
REQUIRED = ("HealthCheck", "ResetEpisode", "GetAction")
"""The specification's calls."""


class GrpcTransport(Transport):
    """`stream`: decisions over Session."""

    def __init__(self, connection: Connection, *, stream: bool = True) -> None:
        self._connection = connection
        self._streaming = stream
        self._channel: Any = None
        self._stream: _Stream | None = None
        self._calls: dict[str, Any] = {}
        token = connection.token
        self._metadata = () if token is None else (("authorization", f"Bearer {token}"),)

    def info(self, deadline: Deadline) -> Info:
        try:
            return self._call("GetInfo", b"", Info, deadline)
        except Refused as refused:
            if refused.problem.code == "unimplemented":
                return PLAIN_SERVICE
            raise

    def health(self, deadline: Deadline) -> ServiceStatus:
        status = self._call("HealthCheck", b"", ServiceStatus, deadline, empty=ServiceStatus(""))
        plain = status.status not in STATUSES and self.info(deadline) is PLAIN_SERVICE
        return plain_status(status.status) if plain else status

    def validate(self, data: EpisodeData | None, deadline: Deadline) -> Validation:
        return self._call("ValidateEpisode", dump(data) if data else b"", Validation, deadline)

    def reset(self, data: EpisodeData, deadline: Deadline) -> InitialObservation:
        return self._call("ResetEpisode", dump(data), InitialObservation, deadline)

    def end(self, data: EpisodeEnd, deadline: Deadline) -> EndStatus:
        try:
            return self._call("EndEpisode", dump(data), EndStatus, deadline)
        except Refused as refused:
            if refused.problem.code == "unimplemented":
                return EndStatus()
            raise

    def act(self, ask: Ask, deadline: Deadline) -> Action:
        request = dump_observation(ask.packed(json=False))
        try:
            answer = self._ask(request, deadline)
            checked = answer if isinstance(answer, Problem) else ask.check(answer, strict=self._streaming)
        except BaseException as error:
            # An error status ends a stream, refusals included; what comes as a Problem does not.
            if self._streaming or not isinstance(error, Refused):
                self.drop()
            raise
        if isinstance(checked, Problem):
            raise Refused(checked)
        return checked

    def drop(self) -> None:
        if self._stream is not None:
            self._stream.cancel()
        if self._channel is not None:
            self._channel.close()
        self._channel = self._stream = None
        self._calls = {}

    def _ask(self, request: bytes, deadline: Deadline) -> Action | Problem:
        if not self._streaming:
            return self._parse(self._unary("GetAction", request, deadline), load_action)
        self._open(deadline)
        if self._stream is None:
            self._stream = _Stream(self._channel.stream_stream(f"/{SERVICE}/Session"), self._metadata)
        return self._parse(self._stream.ask(request, deadline), load_action)

    def _call(self, method: str, request: bytes, kind: type[M], deadline: Deadline, *, empty: M | None = None) -> M:
        """`empty`: what an answer of no bytes means, where that is allowed."""
        try:
            answer = self._unary(method, request, deadline)
            if empty is not None and not answer:
                return empty
            return self._parse(answer, lambda data: cleaned(load(data, kind)))
        except BaseException as error:
            if not isinstance(error, Refused):
                self.drop()
            raise

    def _unary(self, method: str, request: bytes, deadline: Deadline) -> bytes:
        self._open(deadline)
        call = self._calls.get(method)
        if call is None:
            call = self._calls[method] = self._channel.unary_unary(f"/{SERVICE}/{method}")
        try:
            answer: bytes | None = call(request, timeout=deadline.remaining(), metadata=self._metadata)
        except grpc.RpcError as error:
            raise _with_the_name(method, as_wire_error(error, deadline)) from None
        if answer is None:
            raise BadAnswer("the status OK without a message, or with one that cannot be read.")
        return answer

    @staticmethod
    def _parse(data: bytes, parse: Callable[[bytes], R]) -> R:
        try:
            return parse(data)
        except BadMessage as error:
            raise BadAnswer(str(error)) from None
        except Exception as error:
            raise BadAnswer(f"an answer that cannot be read: {type(error).__name__}: {error}") from error

    def _open(self, deadline: Deadline) -> None:
        if self._channel is None:
            self._channel = _channel(self._connection, _probe(self._connection, deadline))


class _Stream:
    """A running Session. `ask` sends one request and waits for one answer.

    An answer is taken off the wire only when one is wanted: what a service sends unasked waits on its own side.
    """

    def __init__(self, method: Any, metadata: tuple[Any, ...]) -> None:
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes | grpc.RpcError | WireError | None] = queue.SimpleQueue()
        self._wanted = threading.Semaphore(0)
        self._call = method(iter(self._requests.get, None), metadata=metadata)
        threading.Thread(target=self._receive, name="grpc-session", daemon=True).start()

    def ask(self, request: bytes, deadline: Deadline) -> bytes:
        self._requests.put(request)
        self._wanted.release()
        try:
            answer = self._answers.get(timeout=deadline.remaining())
        except queue.Empty:
            raise DeadlineMissed(f"no answer within {deadline.seconds:g} s.") from None
        if isinstance(answer, bytes):
            return answer
        if answer is None:
            raise Unreachable("the service ended the stream.")
        raise as_wire_error(answer, deadline)

    def cancel(self) -> None:
        self._requests.put(None)
        self._call.cancel()
        self._wanted.release()

    def _receive(self) -> None:
        try:
            while self._wanted.acquire():
                self._answers.put(next(self._call))
        except StopIteration:
            self._answers.put(None)
        except grpc.RpcError as error:
            self._answers.put(error)
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits for an answer
            self._answers.put(BadAnswer(f"{type(error).__name__}: {error}"))


def _with_the_name(method: str, error: WireError) -> WireError:
    """A service that lacks a call of the specification is registered under another name than the expected one."""
    if method not in REQUIRED or not isinstance(error, Refused) or error.problem.code != "unimplemented":
        return error
    expected = f"Register the service as {SERVICE}, package included: see inference.proto of nav-eval-sdk."
    return Refused(Problem(code="unimplemented", detail=f"there is no /{SERVICE}/{method}. {expected}"))


def as_wire_error(error: Any, deadline: Deadline) -> WireError:
    """What a failed call means."""
    if isinstance(error, WireError):
        return error
    code, detail = error.code().name, str(error.details() or "")
    trailers = {str(key): str(value) for key, value in error.trailing_metadata() or ()}
    if CODE_KEY in trailers:
        return Refused(Problem(code=trailers[CODE_KEY], detail=detail))
    if code == "DEADLINE_EXCEEDED":
        return DeadlineMissed(f"no answer within {deadline.seconds or 0:g} s.")
    if HTTP_STATUS in detail:
        return Unreachable(f"no gRPC answer: {detail}")
    if NO_HTTP2 in detail and PROXY_WAITS not in detail:
        return OtherProtocol("no gRPC answer, perhaps it speaks REST (protocol=rest).")
    if code in REFUSALS and TOO_LARGE not in detail:
        return Refused(Problem(code=REFUSALS[code], detail=detail))
    if code in ("UNAVAILABLE", "CANCELLED", "ABORTED"):
        return Unreachable(f"{code}: {detail}")
    return BadAnswer(f"{code}: {detail}")


def _channel(connection: Connection, target: str) -> Any:
    """`target`: the address itself, so that grpc resolves nothing; TLS verifies the name, and proxies read it."""
    options: list[tuple[str, Any]] = [
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", MAX_ANSWER),
        ("grpc.http2.max_frame_size", (1 << 24) - 1),
        ("grpc.http2.lookahead_bytes", 1 << 24),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
        ("grpc.compression_enabled_algorithms_bitset", 1),  # none: a small answer must not unpack to a large one
    ]
    if not connection.secure:
        options.append(("grpc.default_authority", connection.endpoint.address))
        return grpc.insecure_channel(target, options=options)
    tls = connection.tls or ClientTls()
    options.append(("grpc.ssl_target_name_override", tls.server_name or connection.endpoint.host))
    credentials = grpc.ssl_channel_credentials(_content(tls.ca), _content(tls.key), _content(tls.certificate))
    return grpc.secure_channel(target, credentials, options=options)


def _content(path: str | None) -> bytes | None:
    return Path(path).read_bytes() if path else None


def _probe(connection: Connection, deadline: Deadline) -> str:
    """Where somebody answers. grpc would keep trying until the call's own deadline, and blame the agent for it."""
    with connected(connection.endpoint, connection.networks, deadline, connection.connect_timeout) as sock:
        return numeric(sock)
