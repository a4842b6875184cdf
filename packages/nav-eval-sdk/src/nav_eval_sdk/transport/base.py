"""What a client of a service is: six calls and `drop`. One connection, used by one thread.

Each call has a deadline for everything it does, and raises nav_eval_sdk.errors.WireError. After an error other than
Refused the connection is dropped, so that a late answer cannot be taken for the next one's.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nav_eval_sdk.errors import BadAnswer, DeadlineMissed
from nav_eval_sdk.protocol.messages import (
    Action,
    EndStatus,
    Envelope,
    EpisodeData,
    EpisodeEnd,
    Info,
    InitialObservation,
    ObservationOut,
    ServiceStatus,
    Validation,
)
from nav_eval_sdk.protocol.version import DEFAULT_PORT, JSON
from nav_eval_sdk.transport.address import ANY, Networks

TOKEN = re.compile(r"[ -~]+")
SCHEMES = ("", "http", "https", "grpc", "grpcs", "http+join", "https+join")
MAX_ANSWER = 1 << 20
"""Bytes. No answer of a service is larger; one that is, is not read."""
PLAIN_SERVICE = Info(name="", sdk="", content_types=(JSON,), encodings=("raw",))
"""What `info` gives where a service has only the specification's three calls."""
STATUSES = ("ready", "loading", "draining")
"""What a service says of itself."""
READY = frozenset({"", "ready", "ok", "healthy", "serving"})
"""What a plain service may say when it is: the specification has a health check, and no word for its answer."""


def plain_status(said: str) -> ServiceStatus:
    """The status of a service that has only the specification's three calls."""
    return ServiceStatus("ready" if said.casefold() in READY else said)


def read_token(path: str) -> str:
    """The bearer token that a file holds; raises ValueError, which says why, where it holds none."""
    try:
        token = Path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read ({error}).") from error
    if not token:
        raise ValueError(f"{path} is empty. Write the token into it.")
    return token


class Deadline:
    """A moment in the future; None is never."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._until = None if seconds is None else time.monotonic() + seconds

    def remaining(self) -> float | None:
        """Seconds left; raises DeadlineMissed when there are none."""
        if self._until is None:
            return None
        left = self._until - time.monotonic()
        if left <= 0:
            raise DeadlineMissed(f"no answer within {self.seconds:g} s.")
        return left

    def at_most(self, seconds: float | None) -> float | None:
        """The time left, or `seconds` if that is less."""
        left = self.remaining()
        return left if seconds is None else seconds if left is None else min(left, seconds)


@dataclass(frozen=True)
class ClientTls:
    """PEM files: `ca` = whom to trust (the system's authorities if None); certificate and key for mutual TLS.

    `server_name`: the name in the service's certificate, where it differs from the address.
    """

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    server_name: str | None = None


@dataclass(frozen=True)
class Endpoint:
    """Where a service is: host:port, or a URL (http, https, grpc, grpcs); the s asks for TLS.

    `joined`: http+join or https+join, the address of a competition server that the service has called (see upgrade).
    """

    host: str
    port: int = DEFAULT_PORT
    secure: bool = False
    path: str = ""
    joined: bool = False

    @classmethod
    def parse(cls, text: str) -> Endpoint:
        """Raises ValueError with what is expected."""
        url = urlsplit(text if "://" in text else f"//{text}")
        scheme, _, joined = url.scheme.partition("+")
        if url.scheme not in SCHEMES or not url.hostname:
            raise ValueError(f"endpoint {text!r} is not host:port, for example localhost:{DEFAULT_PORT}.")
        port = url.port or DEFAULT_PORT
        return cls(url.hostname, port, scheme in ("https", "grpcs"), url.path.rstrip("/"), bool(joined))

    @property
    def address(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Connection:
    """How to reach a service. `connect_timeout`: seconds. `networks`: where it may lie."""

    endpoint: Endpoint
    token: str | None = None
    tls: ClientTls | None = None
    connect_timeout: float | None = 10.0
    networks: Networks = ANY

    def __post_init__(self) -> None:
        """Raises ValueError for a token that no header can carry; the message does not repeat it."""
        if self.token and not TOKEN.fullmatch(self.token):
            raise ValueError("the token must be printable ASCII on one line, because a header carries it.")

    @property
    def secure(self) -> bool:
        return self.endpoint.secure or self.tls is not None


class Ask(Envelope, kw_only=True, frozen=True):
    """A request for a decision; `observation` fits `specs`."""

    specs: Mapping[str, Any]
    observation: Mapping[str, Any]

    def packed(self, *, json: bool) -> ObservationOut:
        """As it is written, on a wire that is JSON or not."""
        from nav_eval_sdk.protocol.values import outgoing  # numpy: whoever only reads an address does without

        return ObservationOut(**self.said(), observation=outgoing(self.specs, self.observation, json=json))

    def check(self, action: Action, *, strict: bool = False) -> Action:
        """Raises BadAnswer if `action` answers something else; `strict`: also if it does not say what it answers."""
        for name in ("session_id", "step", "request_id"):
            asked, answered = getattr(self, name), getattr(action, name)
            if answered is None and not strict:
                continue
            if answered != asked:
                raise BadAnswer(f"it answered for {name} {str(answered)[:60]!r}, {asked!r} was asked.")
        return action


class Transport(ABC):
    """`json` tells how observations will be packed."""

    json: bool = False

    @abstractmethod
    def info(self, deadline: Deadline) -> Info: ...

    @abstractmethod
    def health(self, deadline: Deadline) -> ServiceStatus: ...

    @abstractmethod
    def validate(self, data: EpisodeData | None, deadline: Deadline) -> Validation: ...

    @abstractmethod
    def reset(self, data: EpisodeData, deadline: Deadline) -> InitialObservation: ...

    @abstractmethod
    def act(self, ask: Ask, deadline: Deadline) -> Action: ...

    @abstractmethod
    def end(self, data: EpisodeEnd, deadline: Deadline) -> EndStatus: ...

    @abstractmethod
    def drop(self) -> None:
        """Close the connection; the next call opens another."""
