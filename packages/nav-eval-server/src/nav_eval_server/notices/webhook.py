"""One POST to the organisers' webhook: into the networks that are allowed, without redirects, within a deadline."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import socket
import ssl
import threading
from contextlib import suppress
from urllib.parse import urlsplit

from nav_eval_sdk.errors import WireError
from nav_eval_sdk.transport.address import Networks, connected
from nav_eval_sdk.transport.base import Deadline, Endpoint
from nav_eval_server.challenge import Webhook

SIGNATURE = "X-Nav-Eval-Signature"


class Undelivered(Exception):
    """`str()` says why. `for_ever`: trying again is of no use."""

    def __init__(self, why: str, *, for_ever: bool = False) -> None:
        super().__init__(why)
        self.for_ever = for_ever


def post(hook: Webhook, body: bytes, key: str, seconds: float) -> None:
    """Raises Undelivered unless the answer is 2xx. The receiver knows by SIGNATURE (HMAC-SHA256) that it is from us."""
    url = urlsplit(hook.url)
    secure = url.scheme == "https"
    endpoint = Endpoint(str(url.hostname), url.port or (443 if secure else 80), secure)
    signature = hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", SIGNATURE: f"sha256={signature}"}
    target = f"{url.path or '/'}{f'?{url.query}' if url.query else ''}"
    try:
        with connected(endpoint, Networks(hook.allowed_networks), Deadline(seconds), None) as sock:
            status = _answer(sock, endpoint, target, body, headers, seconds)
    except (OSError, ssl.SSLError, http.client.HTTPException, WireError) as error:
        raise Undelivered(str(error) or type(error).__name__) from None
    if not 200 <= status < 300:
        raise Undelivered(f"{endpoint.address} answered {status}.")


def _answer(
    sock: socket.socket, endpoint: Endpoint, target: str, body: bytes, headers: dict[str, str], seconds: float
) -> int:
    """The status; whoever answers letter by letter is cut off."""
    end = threading.Timer(seconds, _cut, (sock,))
    end.daemon = True
    end.start()
    try:
        if endpoint.secure:
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=endpoint.host)
        connection = http.client.HTTPConnection(endpoint.host, endpoint.port)
        connection.sock = sock
        connection.request("POST", target, body, headers)
        with connection.getresponse() as answer:
            return answer.status
    finally:
        end.cancel()
        sock.close()


def _cut(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
