"""A service that sends us elsewhere is a service that fails: the token goes to the address that was configured only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from nav_eval.api.connecting import connect
from nav_eval.api.settings import Retry
from nav_eval.errors import ServiceError
from nav_eval_sdk.protocol.deadlines import Deadlines

DEADLINES = Deadlines(connect=5.0, ready=1.0, reset=5.0, act=5.0)


@contextmanager
def answering(status: int, location: str) -> Iterator[tuple[str, list[str]]]:
    """An address, and the paths that were asked for there."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Location", location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with answering(200, "") as (thief, stolen), answering(status, f"http://{thief}/x") as (endpoint, asked):
        service = connect(endpoint, "rest", token="secret", deadlines=DEADLINES, retry=Retry(0, 0.01))
        with pytest.raises(ServiceError):
            service.info()
        service.close()
        assert asked
        assert stolen == []
