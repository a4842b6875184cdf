"""How often one network may post to a page that needs no account: sign-up, log-in and the like.

Every POST counts, whatever it says, so that the answer tells nothing of the names in it. Counts are kept in the web's
process; a restart forgets them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from ipaddress import IPv4Address, ip_address, ip_network

from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

View = Callable[..., HttpResponseBase]
SECONDS = 900
ROOM = 200
"""Enough for forty students behind one address, mistakes included."""


def limited(door: str, most: int, view: View) -> View:
    """The view, which answers 429 to the POSTs of a network beyond `most` in a quarter of an hour."""

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **named: object) -> HttpResponseBase:
        if request.method == "POST" and _count_requests(door, request) > most:
            answer = render(request, "locked.html", status=429)
            answer["Retry-After"] = str(SECONDS - int(time.time()) % SECONDS)
            return answer
        return view(request, *args, **named)

    return checked


def network(request: HttpRequest) -> str:
    """Who posts."""
    return network_of(request.META["REMOTE_ADDR"])


def network_of(text: str) -> str:
    """An IPv4 address, or the /64 that a customer of IPv6 has; what a proxy garbles is one network."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network(f"{address}/64", strict=False).network_address)


def _count_requests(door: str, request: HttpRequest) -> int:
    """In this quarter of an hour, this one included."""
    key = f"{door}-{network(request)}-{int(time.time()) // SECONDS}"
    cache.add(key, 0, SECONDS)
    try:
        return cache.incr(key)
    except ValueError:  # the window has just ended
        return 1
