"""REST's client, on the standard library's http.client.

An HTTP library gives every read its own timeout, where a step needs one deadline for the whole answer; it would be one
more dependency for participants, and it is no faster (a sixth slower per step than this, with httpx2). The body is
packed into a buffer that is kept, and an answer is never read beyond MAX_ANSWER bytes.
"""

from __future__ import annotations

import http.client
import io
import json
import socket
import ssl
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import msgspec

from nav_eval_sdk.errors import ABSENT, BadAnswer, DeadlineMissed, OtherProtocol, Refused, Unreachable, WireError
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
from nav_eval_sdk.protocol.structs import known
from nav_eval_sdk.protocol.text import cleaned
from nav_eval_sdk.protocol.version import JSON, MSGPACK, PROBLEM
from nav_eval_sdk.transport.address import connected
from nav_eval_sdk.transport.base import MAX_ANSWER, PLAIN_SERVICE, Ask, Connection, Deadline, Transport, plain_status
from nav_eval_sdk.transport.upgrade import JOINED, turned

M = TypeVar("M", bound=Message)
MAX_RECEIVED = 4 * MAX_ANSWER
"""Bytes of one answer with its heads and chunks. http.client takes a chunk of length -1 for all that will ever come."""
HTTP2 = "\0\0"
"""How what an HTTP/2 server says first begins: a frame of less than 256 bytes."""
BY_STATUS = {
    401: "unauthorized",
    403: "unauthorized",
    404: "not_found",
    405: "method_not_allowed",
    429: "busy",
    501: "unimplemented",
}


@dataclass(frozen=True)
class Answer:
    """What came over HTTP. `after`: seconds that its Retry-After asks for."""

    status: int
    content_type: str
    after: float
    body: bytes


class _Single(Message, frozen=True):
    """What an answer must have that holds no `actions`."""

    action: str


known(globals())


class RestTransport(Transport):
    """`content_type`: application/json or application/msgpack, for requests and answers."""

    def __init__(self, connection: Connection, content_type: str = MSGPACK) -> None:
        codec: Any = msgspec.json if content_type == JSON else msgspec.msgpack
        self.json = codec is msgspec.json
        self._decode = codec.decode
        self._encoder = codec.Encoder()
        self._connection = connection
        self._http: http.client.HTTPConnection | None = None
        self._socket: _Socket | None = None
        self._buffer = bytearray()
        self._headers = {"Content-Type": content_type, "Accept": f"{content_type}, {PROBLEM}"}
        if connection.token is not None and not connection.endpoint.joined:
            self._headers["Authorization"] = f"Bearer {connection.token}"

    def info(self, deadline: Deadline) -> Info:
        try:
            answer = self._ask("GET", "info", None, deadline)
            if not any(name.encode() in answer.body for name in Info.__struct_fields__):
                return PLAIN_SERVICE  # one answer for every address says nothing of a service
            return self._understood(answer, Info)
        except Refused as refused:
            if refused.problem.code in ABSENT:
                return PLAIN_SERVICE
            raise

    def health(self, deadline: Deadline) -> ServiceStatus:
        try:
            return self._call("GET", "health", None, ServiceStatus, deadline)
        except Refused as refused:
            if refused.problem.code not in ABSENT:
                raise
        answer = self._ask("POST", "episode/validate", None, deadline)
        try:
            return plain_status(_decode_answer(answer, Validation).status)
        except BadAnswer:  # a text, say: that it answers is all that the specification asks for
            return plain_status("")

    def validate(self, data: EpisodeData | None, deadline: Deadline) -> Validation:
        return self._call("POST", "episode/validate", data, Validation, deadline)

    def reset(self, data: EpisodeData, deadline: Deadline) -> InitialObservation:
        return self._call("POST", "episode/reset", data, InitialObservation, deadline)

    def act(self, ask: Ask, deadline: Deadline) -> Action:
        action = self._call("POST", "agent/act", ask.packed(json=self.json), Action, deadline)
        try:
            return ask.check(action)
        except BadAnswer:
            self.drop()
            raise

    def end(self, data: EpisodeEnd, deadline: Deadline) -> EndStatus:
        try:
            return self._call("POST", "episode/end", data, EndStatus, deadline)
        except Refused as refused:
            if refused.problem.code in ABSENT:
                return EndStatus()
            raise

    def drop(self) -> None:
        if self._socket is not None:
            self._socket.shut()
        self._http = self._socket = None

    def _call(self, method: str, path: str, message: Message | None, kind: type[M], deadline: Deadline) -> M:
        return self._understood(self._ask(method, path, message, deadline), kind)

    def _understood(self, answer: Answer, kind: type[M]) -> M:
        try:
            return _decode_answer(answer, kind)
        except BadAnswer:
            self.drop()
            raise

    def _ask(self, method: str, path: str, message: Message | None, deadline: Deadline) -> Answer:
        """Raises Refused where it is no 200."""
        try:
            answer = self._exchange(method, path, message, deadline)
        except BaseException:
            self.drop()
            raise
        if answer.status != 200:
            raise _refusal(answer)
        return answer

    def _exchange(self, method: str, path: str, message: Message | None, deadline: Deadline) -> Answer:
        """Turns every failure of the network into a WireError."""
        body, headers = self._request(message)
        before = "" if self._connection.endpoint.joined else self._connection.endpoint.path
        try:
            connection = self._open(deadline)
            connection.request(method, f"{before}/api/v1/{path}", body, headers)
            return self._receive(connection)
        except TimeoutError:
            raise DeadlineMissed(f"no answer within {deadline.seconds:g} s.") from None
        except (OSError, http.client.IncompleteRead) as error:
            raise Unreachable(f"{self._connection.endpoint.address}: {error or type(error).__name__}.") from None
        finally:
            if body is not None:
                body.release()  # else whoever keeps what is raised here keeps the buffer from the next message

    def _receive(self, connection: http.client.HTTPConnection) -> Answer:
        try:
            with connection.getresponse() as response:
                body = _read(response)
                if response.will_close:
                    self.drop()
                return Answer(response.status, response.headers.get_content_type(), _wait_asked(response), body)
        except (OSError, http.client.IncompleteRead, WireError):
            raise
        except Exception as error:
            if str(error).startswith(HTTP2):
                raise OtherProtocol("no HTTP/1 answer, perhaps it speaks gRPC (protocol=grpc).") from error
            raise BadAnswer(f"no HTTP answer: {type(error).__name__} {str(error)[:100]!a}.") from error

    def _request(self, message: Message | None) -> tuple[memoryview | None, dict[str, str]]:
        if message is None:
            return None, self._headers
        self._encoder.encode_into(message, self._buffer)
        return memoryview(self._buffer), self._headers | {"Content-Length": str(len(self._buffer))}

    def _open(self, deadline: Deadline) -> http.client.HTTPConnection:
        if self._http is None or self._socket is None:
            self._socket = _Socket(_connect(self._connection, deadline))
            self._http = http.client.HTTPConnection(self._connection.endpoint.host, self._connection.endpoint.port)
            self._http.sock = self._socket
        self._socket.deadline, self._socket.received = deadline, 0
        return self._http


class _Socket:
    """What http.client needs of a socket, with one deadline for all that is sent and received."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.deadline = Deadline(None)
        self.received = 0

    def sendall(self, data: Any) -> None:
        self._sock.settimeout(self.deadline.remaining())
        self._sock.sendall(data)

    def recv_into(self, buffer: Any) -> int:
        self._sock.settimeout(self.deadline.remaining())
        count = self._sock.recv_into(buffer)
        self.received += count
        if self.received > MAX_RECEIVED:
            raise ValueError(f"an answer of more than {MAX_RECEIVED} bytes")
        return count

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self), 1 << 14)

    def close(self) -> None:
        """http.client calls this while an answer is still being read; `shut` is for us."""

    def shut(self) -> None:
        self._sock.close()


class _Incoming(io.RawIOBase):
    def __init__(self, sock: _Socket) -> None:
        self._socket = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._socket.recv_into(buffer)


def _connect(connection: Connection, deadline: Deadline) -> socket.socket:
    sock = opened(connection, deadline)
    if connection.endpoint.joined:
        try:
            turned(sock, connection, JOINED, {}, Deadline(deadline.at_most(connection.connect_timeout)))
        except BaseException:
            sock.close()
            raise
    return sock


def opened(connection: Connection, deadline: Deadline) -> socket.socket:
    """A connection, with TLS where it is asked for."""
    sock = connected(connection.endpoint, connection.networks, deadline, connection.connect_timeout)
    try:
        return _wrap(connection, sock) if connection.secure else sock
    except TimeoutError:
        raise Unreachable(f"{connection.endpoint.address} did not finish the TLS handshake.") from None


def _wrap(connection: Connection, sock: socket.socket) -> ssl.SSLSocket:
    tls = connection.tls
    context = ssl.create_default_context(cafile=tls.ca if tls else None)
    if tls and tls.certificate:
        context.load_cert_chain(tls.certificate, tls.key)
    name = tls.server_name if tls and tls.server_name else connection.endpoint.host
    return context.wrap_socket(sock, server_hostname=name)


def _read(response: http.client.HTTPResponse) -> bytes:
    if (response.length or 0) > MAX_ANSWER:
        raise ValueError(f"an answer of {response.length} bytes; at most {MAX_ANSWER} are read")
    try:
        body = response.read(MAX_ANSWER + 1)
    except OverflowError as error:
        raise ValueError("a chunk that is longer than any memory") from error
    if len(body) > MAX_ANSWER:
        raise ValueError(f"an answer of more than {MAX_ANSWER} bytes")
    if response.length:
        raise http.client.IncompleteRead(body, response.length)
    return body


def _wait_asked(response: http.client.HTTPResponse) -> float:
    """Seconds of Retry-After (RFC 9110, 10.2.3: a number, or a date); 0 where there is none."""
    said = response.headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdigit():
        return float(said[:9])
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except ValueError:
        return 0.0


def _refusal(answer: Answer) -> WireError:
    status = answer.status
    if answer.content_type == PROBLEM:
        try:
            return Refused(msgspec.json.decode(answer.body, type=Problem), after=answer.after)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            return BadAnswer(f"HTTP {status} with a problem that cannot be read.")
    if status in (502, 503, 504):
        return Unreachable(f"HTTP {status}.", after=answer.after)
    code = BY_STATUS.get(status, "internal" if status >= 500 else "bad_request")
    return Refused(Problem(code=code, status=status, title=f"HTTP {status}"), after=answer.after)


def _decode_answer(answer: Answer, kind: type[M]) -> M:
    """Raises BadAnswer, whatever goes wrong. An action's texts stay as they are: they are compared, never shown."""
    decode = _pack if answer.content_type == MSGPACK else _with_nan
    try:
        message = decode(answer.body, kind)
        if not isinstance(message, Action):
            return cleaned(message)
        if not message.action and not message.several:
            decode(answer.body, _Single)
        return message
    except Exception as error:
        raise BadAnswer(f"no valid {kind.__name__}: {error}") from error


def _pack(body: bytes, kind: type[M]) -> M:
    return msgspec.msgpack.decode(body, type=kind)


def _with_nan(body: bytes, kind: type[M]) -> M:
    """Python services write NaN into JSON; it is read, so that it can be called an invalid action. Nothing else is."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as fault:
        constants: list[float] = []

        def constant(name: str) -> float:
            constants.append(float(name))
            return constants[-1]

        try:
            content = json.loads(body.decode(), parse_constant=constant)
            if constants:
                return msgspec.convert(content, kind)
        except (ValueError, RecursionError):
            pass
        raise fault from None
