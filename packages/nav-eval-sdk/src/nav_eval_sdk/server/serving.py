"""`serve`: from an agent class to a running service, until a signal stops it.

What needs numpy is imported when a service starts: `from nav_eval_sdk import VLNAgent, serve` stays light.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from nav_eval_sdk.errors import ServiceProblem
from nav_eval_sdk.memory import keep_freed_pages
from nav_eval_sdk.protocol.version import DEFAULT_PORT
from nav_eval_sdk.server.needs import describe
from nav_eval_sdk.server.settings import Listen, ServerTls
from nav_eval_sdk.signals import wait

if TYPE_CHECKING:
    from nav_eval_sdk.server.service import Service
    from nav_eval_sdk.transport.base import Connection

log = logging.getLogger(__name__)
PROTOCOLS = ("rest", "grpc")
DEFAULT_BATCH = 8


class Transport(Protocol):
    port: int

    def start(self) -> None: ...

    def stop(self) -> None: ...


class Server:
    """A running service; a context manager that stops it. `endpoint` is host:port, or where it has joined.

    >>> from nav_eval_sdk.examples.forward import ForwardAgent
    >>> with start(ForwardAgent, port=0).wait_loaded() as server:
    ...     server.service.health().detail
    '0 of 1 sessions'
    """

    def __init__(self, service: Service, transport: Transport, endpoint: str) -> None:
        self.service = service
        self._transport = transport
        self.port = transport.port
        self.endpoint = endpoint
        self.stopped = threading.Event()
        self.failure: Exception | None = None
        self._loader = threading.Thread(target=self._load, name="load", daemon=True)

    def start(self) -> Server:
        self._transport.start()
        self._loader.start()
        return self

    def _load(self) -> None:
        try:
            self.service.load()
        except ServiceProblem:  # its traceback is in the log already
            self.stopped.set()
        except Exception:
            log.exception("The agent could not be created.")
            self.stopped.set()

    def wait_loaded(self, seconds: float | None = None) -> Server:
        """Until the agents are made; raises what went wrong."""
        self._loader.join(seconds)
        if self.service.failure:
            raise self.service.failure
        return self

    def give_up(self, error: Exception) -> None:
        """The transport can do nothing more."""
        self.failure = error
        self.stopped.set()

    def stop(self, grace: float = 0.0) -> None:
        """Refuse new episodes, give the running ones `grace` seconds, then end."""
        self.service.drain(grace)
        self.service.close()
        self._transport.stop()
        self.stopped.set()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(
    agent: Callable[[], Any] | Any,
    *,
    protocol: str = "rest",
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    token: str | None = None,
    tls: ServerTls | None = None,
    insecure: bool = False,
    max_sessions: int = 1,
    max_batch: int | None = None,
    max_wait: float = 0.005,
    idle_timeout: float = 30.0,
    max_message: int = Listen.max_message,
) -> Server:
    """Serve `agent` (a class, a factory, or one object for one session) and return at once.

    max_batch: acts of waiting sessions answered together; by default 8 if the class has `act_batch`, else 1.
    max_wait: least seconds that a batch waits for others. Raises UnsafeAddress for a public address without a token,
    ValueError for what is no agent, port or number of sessions.
    """
    from nav_eval_sdk.transport.base import Endpoint

    listen = Listen(host=host, port=port, token=token, tls=tls, insecure=insecure, max_message=max_message)
    listen.check()
    service = _service(agent, max_sessions, max_batch, max_wait, idle_timeout, streaming=protocol == "grpc")
    transport = _transport(protocol, service, listen)
    return Server(service, transport, Endpoint(host, transport.port).address).start()


def _service(
    agent: Callable[[], Any] | Any,
    max_sessions: int,
    max_batch: int | None,
    max_wait: float,
    idle_timeout: float,
    *,
    streaming: bool,
) -> Service:
    from nav_eval_sdk.server.service import Service

    keep_freed_pages()
    _check_least(max_sessions=(max_sessions, 1), max_batch=(max_batch, 1), max_wait=(max_wait, 0))
    factory, max_sessions = _factory(agent, max_sessions)
    info = describe(agent, max_sessions, _batch(agent, max_sessions, max_batch), streaming=streaming)
    return Service(factory, info, max_wait=max_wait, idle_timeout=idle_timeout)


def _check_least(**given: tuple[float | None, int]) -> None:
    for name, (value, least) in given.items():
        if value is not None and not value >= least:
            raise ValueError(f"{name} {value}: must be at least {least}.")


def serve(agent: Callable[[], Any] | Any, *, grace: float = 30.0, **options: Any) -> None:
    """As `start`, and wait until SIGINT or SIGTERM; then running episodes have `grace` seconds to end."""
    server = start(agent, **options)
    log.info("Serving at %s.", server.endpoint)
    _until_stopped(server, grace)


def start_joined(
    agent: Callable[[], Any] | Any,
    url: str,
    token: str,
    *,
    ca: str | None = None,
    max_sessions: int = 1,
    max_batch: int | None = None,
    max_wait: float = 0.005,
    idle_timeout: float = 30.0,
) -> Server:
    """As `start`, for a machine that nobody can call: it calls the competition server at `url`, and returns at once.

    `token`: of the team; when the server does not know it, `failure` is set. `ca`: PEM, whom to trust, where that is
    not the system's authorities. Raises ValueError for a `url` that is none.
    """
    from nav_eval_sdk.server.joining import Joining

    connection = _connection_to(url, token, ca)
    service = _service(agent, max_sessions, max_batch, max_wait, idle_timeout, streaming=False)
    server = Server(service, Joining(service, connection, lambda error: server.give_up(error)), url)
    return server.start()


def join(agent: Callable[[], Any] | Any, url: str, token: str, *, grace: float = 30.0, **options: Any) -> None:
    """As `start_joined`, and wait as `serve` does. Raises Refused if the server does not know the token."""
    _until_stopped(start_joined(agent, url, token, **options), grace)


def _connection_to(url: str, token: str, ca: str | None) -> Connection:
    from nav_eval_sdk.competition import address
    from nav_eval_sdk.transport.base import ClientTls, Connection, Endpoint

    parts = address(url)
    secure = parts.scheme == "https"
    endpoint = Endpoint(parts.hostname or "", parts.port or (443 if secure else 80), secure, parts.path.rstrip("/"))
    return Connection(endpoint, token, ClientTls(ca=ca) if ca else None)


def _until_stopped(server: Server, grace: float) -> None:
    if threading.current_thread() is threading.main_thread():
        _stop_on_signals(server)
    wait(server.stopped)
    failure = server.service.failure or server.failure
    server.stop(0.0 if failure else grace)
    if failure:
        raise failure


def _stop_on_signals(server: Server) -> None:
    """The first signal lets episodes end, a second one ends the process."""

    def stop(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        if server.service.busy:
            log.info("Stopping when the running episodes have ended; again to stop at once.")
        server.stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def _factory(agent: Any, max_sessions: int) -> tuple[Callable[[], Any], int]:
    acts = hasattr(agent, "act") or hasattr(agent, "act_batch")
    if not (acts or (callable(agent) and not isinstance(agent, type))):
        raise ValueError(
            f"{agent!r:.80} is no agent: give a class or an object with `act`, or a function that makes one."
        )
    if hasattr(agent, "act") and not isinstance(agent, type):
        if max_sessions != 1:
            raise ValueError("One agent object serves one session: give the class to have more.")
        return (lambda: agent), 1
    return agent, max_sessions


def _batch(agent: Any, max_sessions: int, max_batch: int | None) -> int:
    if getattr(agent, "act_batch", None) is None:
        return 1
    return min(max_sessions, DEFAULT_BATCH if max_batch is None else max_batch)


def _transport(protocol: str, service: Service, listen: Listen) -> Transport:
    if protocol == "rest":
        from nav_eval_sdk.server.rest import RestServer

        return RestServer(service, listen)
    if protocol == "grpc":
        from nav_eval_sdk.server.grpc import GrpcServer

        return GrpcServer(service, listen)
    raise ValueError(f"protocol {protocol!r} is not one of {', '.join(PROTOCOLS)}.")
