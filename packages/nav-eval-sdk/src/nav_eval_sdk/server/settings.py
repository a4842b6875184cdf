"""How a service listens: addresses, token, TLS. One place decides what is safe enough to start."""

from __future__ import annotations

import hmac
import ipaddress
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

from nav_eval_sdk.protocol.version import DEFAULT_PORT

MAX_MESSAGE = 1 << 28
"""Bytes. Once an episode has declared its observations, its own limit holds, which is smaller."""
LAST_PORT = 65535


class UnsafeAddress(ValueError):
    """A public address without a token."""


@dataclass(frozen=True)
class ServerTls:
    """PEM files. With `client_ca`, clients must show a certificate signed by it (mutual TLS).

    >>> from nav_eval_sdk.examples.forward import ForwardAgent
    >>> with start(ForwardAgent, port=0, tls=ServerTls("server.pem", "server.key")).wait_loaded() as server:
    ...     client = TestClient(server.endpoint, tls=ClientTls("authority.pem"))
    ...     client.health().status
    ...     client.close()
    'ready'
    """

    certificate: str
    key: str
    client_ca: str | None = None

    def check(self) -> None:
        """Raises OSError that names a file which cannot be read: what loads them does not say which."""
        for path in filter(None, (self.certificate, self.key, self.client_ca)):
            Path(path).open("rb").close()

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=self.client_ca)
        context.load_cert_chain(self.certificate, self.key)
        if self.client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
        return context


@dataclass(frozen=True)
class Listen:
    """`port` 0 takes any free one. `max_message`: largest request (bytes) that is read at all.

    A public `host` needs a token, unless `insecure` says that something else guards it.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str | None = None
    tls: ServerTls | None = None
    insecure: bool = False
    max_message: int = MAX_MESSAGE

    def check(self) -> None:
        """Raises UnsafeAddress, ValueError for a port that there is not, and OSError for a file that cannot be read."""
        if self.tls:
            self.tls.check()
        if not 0 <= self.port <= LAST_PORT:
            raise ValueError(f"port {self.port}: must be from 0 (any free one) to {LAST_PORT}.")
        if not (self.token or self.insecure or is_loopback(self.host)):
            raise UnsafeAddress(
                f"{self.host} can be reached by others: give a token (--token-file), or say "
                "--insecure if this is meant."
            )

    def admits(self, authorization: str | None) -> bool:
        """Whether an Authorization header (or gRPC metadata) carries the token."""
        if self.token is None:
            return True
        return hmac.compare_digest((authorization or "").encode(), f"Bearer {self.token}".encode())


def is_loopback(host: str) -> bool:
    """Whether every address of `host` is this machine's own."""
    try:
        addresses = {info[4][0] for info in socket.getaddrinfo(host or "0.0.0.0", None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(str(address).split("%")[0]).is_loopback for address in addresses)
