"""Is a team's service there? There is one answer for everything that is not ready."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Literal

from nav_eval.errors import InputError
from nav_eval_sdk.transport.address import Address, Networks, inner
from nav_eval_sdk.transport.base import Connection, Endpoint
from nav_eval_sdk.transport.probe import Answer, probe

Protocol = Literal["rest", "grpc"]
LOOPBACK = "loopback"
MAX_REPLICAS = 8
"""Addresses of a service."""
ADDRESS = re.compile(
    r"((https?|grpcs?)://)?([A-Za-z0-9_-][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?"
)
"""Nothing that a shell, a configuration or a header could take for more than an address."""
WRITTEN = "grpc:// and grpcs:// are addresses of gRPC services. Choose gRPC, or write http://, https:// or host:port."


@dataclass(frozen=True)
class NotingNetworks(Networks):
    """`found`: what was tested, which is every address that a name leads to."""

    found: list[Address] = field(default_factory=list, compare=False)

    def allow(self, address: str) -> bool:
        self.found.append(inner(ip_address(address)))
        return super().allow(address)

    @property
    def machine(self) -> str:
        """One word for all names of a machine: its first address; "" where the name led nowhere."""
        if any(address.is_loopback for address in self.found):
            return LOOPBACK
        return str(min(self.found, key=lambda one: (one.version, int(one)))) if self.found else ""


def listed(urls: str) -> list[str]:
    """The addresses of a service: one, or those of its replicas with blanks, lines or commas between them."""
    return urls.replace(",", " ").split()


def fits(urls: str, protocol: Protocol) -> bool:
    """Whether they may be those of such a service. http:// may: gRPC over TLS is often written so."""
    return protocol == "grpc" or not any(url.startswith(("grpc://", "grpcs://")) for url in listed(urls))


def replicas(urls: str) -> list[Endpoint]:
    """Where a team's service is, each of its replicas. Raises InputError that says how an address is written."""
    return [parsed(url) for url in listed(urls) or [""]]


def parsed(url: str) -> Endpoint:
    """Where one of them is."""
    try:
        if not ADDRESS.fullmatch(url):
            raise ValueError
        return Endpoint.parse(url)
    except ValueError:
        raise InputError(
            "This is not an address. Write for example https://agent.example.org:8085, or host:port."
        ) from None


def lets(networks: Networks, where: Endpoint) -> bool:
    """Whether a service may be there, as far as that can be said before anybody looks where its name leads."""
    try:
        address = str(ip_address(where.host))
    except ValueError:
        return networks.open(where.port)
    return networks.open(where.port) and networks.allow(address)


@dataclass(frozen=True)
class Found:
    """`machine`: where its name led."""

    answer: Answer
    machine: str


def ask(places: Sequence[Endpoint], protocol: Protocol, token: str, networks: Networks, seconds: float) -> list[Found]:
    """Of each whether it is ready, side by side; all but ready takes `seconds`, so that nobody can map a network."""

    def found(where: Endpoint) -> Found:
        noting = NotingNetworks(networks.names, networks.ports)
        return Found(probe(Connection(where, token or None, networks=noting), protocol, seconds), noting.machine)

    with ThreadPoolExecutor(MAX_REPLICAS) as pool:
        return list(pool.map(found, places))
