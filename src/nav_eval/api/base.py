"""The settings of a connection as small frozen values, and `connect`, which makes a service of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from nav_eval.api.disclosure import Disclosure
from nav_eval.core.interfaces import AgentService
from nav_eval.errors import ConfigError
from nav_eval.registry import nearest
from nav_eval_sdk.protocol.tensors import ENCODINGS
from nav_eval_sdk.transport.address import Networks
from nav_eval_sdk.transport.base import ClientTls, Connection, Endpoint, read_token

PROTOCOLS = {"rest": "nav_eval.api.rest", "grpc": "nav_eval.api.grpc"}
FORMS = ("auto", "msgpack", "json", "stream", "unary")


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds. `act` is the specification's `timeout`; `ready` is how long a service may take to load its model."""

    connect: float = 10.0
    ready: float = 300.0
    reset: float = 60.0
    act: float = 30.0
    episode: float | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """A broken connection is tried again `attempts` times, `pause` s apart and doubling, within the deadline only."""

    attempts: int = 2
    pause: float = 0.2
    longest_pause: float = 2.0


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files: `ca` verifies the service (None: the system's authorities); certificate and key show who we are."""

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    server_name: str | None = None


@dataclass(frozen=True, slots=True)
class Encoding:
    """How observations travel. `form`: auto, or msgpack | json over REST, stream | unary over gRPC.

    `tensors`: raw, zstd or png for arrays, where the service takes it; jpeg loses detail, so it is used for the
    sensors named in `lossy` only, which a benchmark must declare.
    """

    form: str = "auto"
    tensors: str = "raw"
    lossy: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Encoding:
        """From "msgpack", "zstd", "json+png" and the like."""
        words = text.split("+")
        forms = [word for word in words if word in FORMS]
        packings = [word for word in words if word in ENCODINGS and word != "jpeg"]
        if len(forms) > 1 or len(packings) > 1 or len(forms) + len(packings) != len(words):
            raise ConfigError(
                f"agent_service.encoding: {text!r} is not a form such as msgpack, stream or msgpack+zstd."
            )
        return cls(forms[0] if forms else "auto", packings[0] if packings else "raw")


def given_token(token: str | None, file: str | None) -> str | None:
    """The token itself, else what its file holds; raises ConfigError where it holds none."""
    if token or not file:
        return token
    try:
        return read_token(file)
    except ValueError as error:
        raise ConfigError(f"agent_service.token_file: {error}") from error


def connect(
    endpoint: str,
    protocol: str = "rest",
    *,
    token: str | None = None,
    tls: Tls | None = None,
    encoding: str | Encoding = "auto",
    deadlines: Deadlines | None = None,
    retry: Retry | None = None,
    disclosure: Literal["competition", "full"] = "competition",
    secret: bytes = b"",
    networks: Sequence[str] = ("any",),
) -> AgentService:
    """A participant's service. Nothing is sent before it is used; raises ConfigError for settings that do not fit.

    `networks`: where it may lie, as in nav_eval_sdk.transport.address.Networks.
    """
    if protocol not in PROTOCOLS:
        raise ConfigError(f"agent_service.protocol: {protocol!r} is not rest or grpc.{nearest(protocol, PROTOCOLS)}")
    wire: Any = import_module(PROTOCOLS[protocol])
    encoding = Encoding.parse(encoding) if isinstance(encoding, str) else encoding
    if encoding.form not in wire.FORMS:
        raise ConfigError(f"agent_service.encoding: {encoding.form!r} is not one of {', '.join(wire.FORMS)}.")
    deadlines = deadlines or Deadlines()
    from nav_eval.api.remote import RemoteService

    return RemoteService(
        connection=_connection(_endpoint(endpoint), token, tls, deadlines, allowed_networks(networks)),
        protocol=wire,
        encoding=encoding,
        deadlines=deadlines,
        retry=retry or Retry(),
        disclosure=Disclosure(disclosure, secret),
    )


def _endpoint(text: str) -> Endpoint:
    try:
        return Endpoint.parse(text)
    except ValueError as error:
        raise ConfigError(f"agent_service.endpoint: {error}") from None


def allowed_networks(names: Sequence[str]) -> Networks:
    """Raises ConfigError for a name that is no network."""
    try:
        return Networks(tuple(names))
    except ValueError as error:
        raise ConfigError(f"agent_service.allowed_networks: {str(error).rstrip('.')}.") from None


def _connection(
    endpoint: Endpoint, token: str | None, tls: Tls | None, deadlines: Deadlines, networks: Networks
) -> Connection:
    try:
        return Connection(endpoint, token, _tls(tls), deadlines.connect, networks)
    except ValueError as error:
        raise ConfigError(f"agent_service.token: {error}") from None


def _tls(tls: Tls | None) -> ClientTls | None:
    return ClientTls(tls.ca, tls.certificate, tls.key, tls.server_name) if tls else None
