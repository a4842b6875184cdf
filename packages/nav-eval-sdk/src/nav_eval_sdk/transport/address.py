"""Which addresses and ports may be connected to, and the one way to a connected socket.

A name is resolved once for a connection, every address that it has is tested, and the socket is opened to an address
that was tested: a name whose owner changes its addresses in between gains nothing. What somebody writes to disguise an
address (decimal, octal, hexadecimal, full-width digits) is resolved first and tested as what it is.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Any, TypeAlias

from nav_eval_sdk.errors import Forbidden, Unreachable

if TYPE_CHECKING:
    from nav_eval_sdk.transport.base import Deadline, Endpoint

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network
GROUPS: dict[str, tuple[Network, ...]] = {
    "loopback": (ip_network("127.0.0.0/8"), ip_network("::1/128")),
    "private": tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"))),
}
NAMES = ("any", "public", *GROUPS)
NAT64 = ip_network("64:ff9b::/96")
UNICAST = ip_network("2000::/3")
SPECIAL = """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32
2001::/23 2001:db8::/32 2002::/16 3fff::/20"""
"""IANA's special-purpose registries (of IPv6's what lies in UNICAST), and Azure's host, public by number only.

Spelt out, because what `ipaddress` calls global differs from one Python to the next: 192.0.0.192 was once.
"""
NOT_PUBLIC = tuple(map(ip_network, SPECIAL.split()))
PORTS = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


@lru_cache
def _span(text: str) -> range:
    """The ports that it names. Raises ValueError."""
    found = PORTS.fullmatch(text)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last <= 65535:
        raise ValueError(f"{text!r} is not a port; write one such as 443, or a range such as 1024-65535.")
    return range(first, last + 1)


@dataclass(frozen=True)
class Networks:
    """`names`: any, public, private, loopback, or networks such as 10.1.0.0/16. `ports`: such as 443 or 1024-65535."""

    names: tuple[str, ...] = ("any",)
    ports: tuple[str, ...] = ("1-65535",)

    def __post_init__(self) -> None:
        """Raises ValueError that names what is no network or no port."""
        for text in self.ports:
            _span(text)
        for name in self.names:
            if name not in NAMES:
                try:
                    ip_network(name)
                except ValueError as error:
                    raise ValueError(f"{error}; write {', '.join(NAMES)}, or a network such as 10.1.0.0/16.") from None

    def allow(self, address: str) -> bool:
        """Whether this address, as getaddrinfo writes it, may be connected to."""
        leads_to = inner(ip_address(address))
        return any(_belongs(leads_to, name) for name in self.names)

    def open(self, port: int) -> bool:
        """Whether this port may be connected to, at an allowed address."""
        return any(port in _span(text) for text in self.ports)


ANY = Networks()


def _belongs(address: Address, name: str) -> bool:
    if name == "any":
        return True
    if name == "public":
        return is_public(address)
    return any(address in network for network in GROUPS.get(name) or (ip_network(name),))


def is_public(address: Address) -> bool:
    """Routed in the whole internet, to one machine, and with no IPv4 address of somebody's choice inside."""
    return (address.version == 4 or address in UNICAST) and not any(address in network for network in NOT_PUBLIC)


def inner(address: Address) -> Address:
    """The IPv4 address that a mapped or translated IPv6 address leads to; else the address itself."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def resolve(endpoint: Endpoint, networks: Networks) -> list[Any]:
    """getaddrinfo's rows for the endpoint. Raises Forbidden for a port or address not allowed, or Unreachable."""
    if not networks.open(endpoint.port):
        raise Forbidden(f"{endpoint.address}: this port is not allowed.")
    try:
        rows = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"{endpoint.address}: {getattr(error, 'strerror', None) or error}.") from None
    refused = [str(row[4][0]) for row in rows if not networks.allow(str(row[4][0]))]
    if refused:
        raise Forbidden(f"{endpoint.address} leads to {refused[0]}, which is in no allowed network.")
    return rows


def connected(endpoint: Endpoint, networks: Networks, deadline: Deadline, timeout: float | None) -> socket.socket:
    """A socket to the first of the addresses that takes a connection; raises Forbidden or Unreachable."""
    failures = []
    for family, kind, protocol, _, address in resolve(endpoint, networks):
        limit = deadline.at_most(timeout)
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(limit)
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except TimeoutError:
            failures.append(f"{endpoint.address} took no connection within {limit:g} s.")
        except OSError as error:
            failures.append(f"{endpoint.address}: {error.strerror or error}.")
        sock.close()
    raise Unreachable(failures[-1])


def numeric(sock: socket.socket) -> str:
    """Where a socket leads, as grpc takes it without resolving anything: ipv4:127.0.0.1:80, ipv6:[::1]:80."""
    host, port = sock.getpeername()[:2]
    return f"ipv6:[{host.replace('%', '%25')}]:{port}" if sock.family == socket.AF_INET6 else f"ipv4:{host}:{port}"
