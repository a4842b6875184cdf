"""A foreign page could reach a server on this machine by a name of its own that leads here (DNS rebinding)."""

from __future__ import annotations

import ipaddress


def is_ours(host: str) -> bool:
    """Whether a Host header names an address, or this machine by the name that only it has.

    >>> is_ours("localhost:8090"), is_ours("[::1]"), is_ours("localhost.evil.example")
    (True, True, False)
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return name == "localhost"
    return True
