"""The service over HTTP: Flask's routes, served by waitress.

waitress writes a body over 512 KiB to a file unless told otherwise, and takes 8 KiB at a time from the socket; every
step carries images, so its connections are replaced by those of nav_eval_sdk.server.channel, which also know TLS.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from nav_eval_sdk.errors import ServiceProblem
from nav_eval_sdk.protocol.messages import EpisodeData, EpisodeEnd, Message, Observation
from nav_eval_sdk.protocol.values import Reader
from nav_eval_sdk.protocol.version import JSON, MSGPACK, PROBLEM
from nav_eval_sdk.server.service import Connected, Service
from nav_eval_sdk.server.settings import Listen

if TYPE_CHECKING:
    from flask import Flask, Response

M = TypeVar("M", bound=Message)
SPARE_THREADS = 8
SPARE_CONNECTIONS = 100
"""Beside two per session: probes, and peers that reconnect before their old connection is known to be gone."""
KEEP_IN_MEMORY = 1 << 30
POLL_SECONDS = 0.2
EMPTY = (b"", b"{}", b"\x80")
"""A body that asks for nothing, in JSON or msgpack."""


class RestApp:
    """Handlers of the routes; each decodes, asks the service and encodes."""

    def __init__(self, service: Service, listen: Listen) -> None:
        self._service = service
        self._listen = listen

    def info(self) -> Response:
        return self._answer(self._service.info)

    def health(self) -> Response:
        return self._answer(self._service.health())

    def validate(self) -> Response:
        asked = self._request_body() not in EMPTY
        return self._answer(self._service.validate(self._body(EpisodeData) if asked else None))

    def reset(self) -> Response:
        return self._answer(self._service.reset(self._body(EpisodeData), self._connected()))

    def act(self) -> Response:
        from flask import request

        message = self._body(Observation)
        codec: Any = msgspec.json if self._content_type() == JSON else msgspec.msgpack
        reader = Reader(codec.decode, json=codec is msgspec.json)
        answer = self._service.act(
            message,
            lambda specs: reader.read(specs, message.observation),
            request.content_length or 0,
            self._connected(),
        )
        return self._answer(answer)

    def end(self) -> Response:
        return self._answer(self._service.end(self._body(EpisodeEnd)))

    def admit(self) -> None:
        """Before every request."""
        from flask import request

        if not self._listen.admits(request.headers.get("Authorization")):
            raise ServiceProblem("unauthorized")
        if (request.content_length or 0) > self._listen.max_message:
            raise ServiceProblem("too_large", f"more than {self._listen.max_message} bytes.")

    @staticmethod
    def _request_body() -> memoryview | bytes:
        from flask import request

        stream = request.environ["wsgi.input"]
        return stream.view if hasattr(stream, "view") else request.get_data()

    def _body(self, kind: type[M]) -> M:
        body = self._request_body()
        codec: Any = msgspec.json if self._content_type() == JSON else msgspec.msgpack
        try:
            message: M = codec.decode(body, type=kind)
            found = _misspelt(kind, codec.decode(body, type=dict[str, msgspec.Raw])) if _is_partial(message) else ""
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise ServiceProblem("bad_request", f"{error}. {_expected(kind)}") from None
        if found:
            raise ServiceProblem("bad_request", f"{found} {_expected(kind)}")
        return message

    @staticmethod
    def _connected() -> Connected:
        from flask import request

        gone = request.environ.get("waitress.client_disconnected", lambda: True)
        return lambda: not gone()

    @staticmethod
    def _content_type() -> str:
        from flask import request

        if request.mimetype not in (JSON, MSGPACK):
            raise ServiceProblem("unsupported_media_type", f"not {request.mimetype[:60]!r}.")
        return request.mimetype

    @staticmethod
    def _answer(message: Message) -> Response:
        """In the request's own encoding, JSON if it has none."""
        from flask import Response, request

        if request.mimetype == MSGPACK:
            return Response(msgspec.msgpack.encode(message), content_type=MSGPACK)
        return Response(msgspec.json.encode(message), content_type=JSON)


def _is_partial(message: Message) -> bool:
    """Whether a key may have been left out. Our evaluator leaves none out of act, so a step is not looked at twice."""
    fields = msgspec.structs.fields(message)
    return any(getattr(message, field.name) == field.default for field in fields if field.required is False)


def _misspelt(kind: type[Message], keys: Iterable[str]) -> str:
    """What is wrong with a key that is unknown and reads like one that is missing. All other unknown ones may come
    from a newer evaluator."""
    known, given = {field.encode_name for field in msgspec.structs.fields(kind)}, set(keys)
    for key in sorted(given - known):
        if meant := get_close_matches(key, known - given, 1, 0.7):
            return f"{key[:60]!r} is unknown, and {meant[0]!r} is missing."
    return ""


def _expected(kind: type[Message]) -> str:
    return f"{kind.__name__} has the keys {', '.join(field.encode_name for field in msgspec.structs.fields(kind))}."


def make_app(service: Service, listen: Listen) -> Flask:
    """The WSGI application; any WSGI server can run it."""
    from flask import Flask, Response
    from werkzeug.exceptions import HTTPException

    handlers = RestApp(service, listen)
    app = Flask("nav_eval_sdk", static_folder=None)
    app.before_request(handlers.admit)
    for method, path, view in routes(handlers):
        app.add_url_rule(f"/api/v1/{path}", path, view, methods=[method], provide_automatic_options=False)

    def failed(error: Exception) -> Response:
        problem = as_problem(error, error.code if isinstance(error, HTTPException) else None)
        if problem.code == "internal":
            app.logger.error("A request failed.", exc_info=error)
        body = msgspec.json.encode(problem.problem)
        response = Response(body, status=problem.problem.status, content_type=PROBLEM)
        if isinstance(error, HTTPException) and (allowed := getattr(error, "valid_methods", None)):
            response.headers["Allow"] = ", ".join(sorted(allowed))
        if problem.code == "unauthorized":
            response.headers["WWW-Authenticate"] = "Bearer"
        return response

    app.register_error_handler(Exception, failed)
    return app


def routes(handlers: RestApp) -> list[tuple[str, str, Callable[[], Any]]]:
    """(method, path under /api/v1, handler)."""
    return [
        ("GET", "info", handlers.info),
        ("GET", "health", handlers.health),
        ("POST", "episode/validate", handlers.validate),
        ("POST", "episode/reset", handlers.reset),
        ("POST", "agent/act", handlers.act),
        ("POST", "episode/end", handlers.end),
    ]


def as_problem(error: Exception, status: int | None = None) -> ServiceProblem:
    """What a client is told of any error; never more than a line."""
    if isinstance(error, ServiceProblem):
        return error
    by_status = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "too_large"}
    code = by_status.get(status or 500, "bad_request" if status and status < 500 else "internal")
    return ServiceProblem(code)


class RestServer:
    """A waitress server in a thread of its own. `listening`: whether it takes connections, beside those it is given."""

    def __init__(self, service: Service, listen: Listen, *, listening: bool = True) -> None:
        from waitress.server import create_server

        from nav_eval_sdk.server.channel import channel_class

        self._socket = _listening(listen) if listening else socket.socket()
        self.port: int = self._socket.getsockname()[1]
        self._given: deque[socket.socket] = deque()
        self._server = create_server(
            make_app(service, listen),
            sockets=[self._socket],
            threads=2 * service.info.max_sessions + SPARE_THREADS,
            connection_limit=2 * service.info.max_sessions + SPARE_CONNECTIONS,
            inbuf_overflow=KEEP_IN_MEMORY,
            outbuf_overflow=KEEP_IN_MEMORY,
            max_request_body_size=listen.max_message,
            channel_timeout=600,
            clear_untrusted_proxy_headers=True,
            ident="nav-eval-sdk",
            _start=listening,
        )
        self._server.channel_class = channel_class(listen.tls.context() if listen.tls else None)
        self._server.adj.send_bytes = 1  # a small answer leaves at once, from the thread that made it
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="rest", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def give(self, sock: socket.socket) -> None:
        """Answer on this connection, too."""
        self._given.append(sock)
        self._server.pull_trigger()

    @property
    def connections(self) -> int:
        return len(self._server.active_channels) + len(self._given)

    def _run(self) -> None:
        from waitress import wasyncore

        from nav_eval_sdk.server.channel import attach

        while not self._stopping.is_set():
            while self._given:
                with suppress(OSError):  # it has ended already
                    attach(self._server, self._given.popleft())
            wasyncore.loop(timeout=POLL_SECONDS, map=self._server._map, use_poll=True, count=1)
        wasyncore.close_all(self._server._map, ignore_all=True)

    def stop(self) -> None:
        """Requests that run have a second to be answered; then every connection is closed."""
        self._server.task_dispatcher.shutdown(timeout=1)
        self._stopping.set()
        self._thread.join(5)


def _listening(listen: Listen) -> socket.socket:
    family = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((listen.host, listen.port), family=family, backlog=128)
