"""The worker's side of /api/v1/worker."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from nav_eval.errors import InputError

SECONDS = 30.0
PIECE = 4 << 20
"""Bytes of a file in one request."""


class Away(Exception):
    """The server cannot be reached, or has a fault; it may come back."""


class Fenced(Exception):
    """The attempt is no longer this worker's, or is to be stopped: it ends its process and keeps nothing."""


class Server:
    """One address and token; each call is a connection of its own, so threads may share it."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"--join {url!r} is not an address. Write for example https://challenge.example.org.")
        self._host, self._port = parts.hostname, parts.port
        secure = parts.scheme == "https"
        self._trusted = ssl.create_default_context() if secure else None
        port = parts.port or (443 if secure else 80)
        host = f"[{self._host}]" if ":" in self._host else self._host
        self.joined = f"{parts.scheme}+join://{host}:{port}{parts.path.rstrip('/')}"
        """Where a service is that has called this server."""
        self._path = parts.path.rstrip("/") + "/api/v1/worker"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def hello(self, instance: str) -> None:
        self._call("POST", "/hello", {"instance": instance})

    def claim(self, instance: str, *, images: bool = True) -> dict[str, Any] | None:
        status, answer = self._call("POST", "/claim", {"instance": instance, "images": images})
        return None if status == 204 else _object(answer)

    def predictions(self, attempt: int, fence: int) -> bytes:
        return self._call("GET", f"/attempts/{attempt}/predictions?fence={fence}")[1]

    def image(self, attempt: int, fence: int, offset: int) -> bytes:
        """A piece of the team's image; b"" behind its end."""
        return self._call("GET", f"/attempts/{attempt}/image?fence={fence}&offset={offset}")[1]

    def heartbeat(self, attempt: int, fence: int, total: int | None) -> bool:
        """Whether the run is to be given up at the end of an episode. A server of an earlier version says nothing."""
        answer = self._call("POST", f"/attempts/{attempt}/heartbeat", {"fence": fence, "total": total})[1]
        return bool(answer and _object(answer).get("over"))

    def files(self, attempt: int, fence: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self._call("GET", f"/attempts/{attempt}/files?fence={fence}")[1])
        return found

    def download(self, attempt: int, fence: int, name: str) -> bytes:
        return self._call("GET", f"/attempts/{attempt}/files/{name}?fence={fence}")[1]

    def upload(self, attempt: int, fence: int, name: str, offset: int, data: bytes, whole: int | None = None) -> int:
        """How much of the file is there now."""
        query = {"fence": fence, "offset": offset} | ({} if whole is None else {"whole": whole})
        answer = self._call("PUT", f"/attempts/{attempt}/files/{name}?{urlencode(query)}", data)[1]
        return int(_object(answer)["size"])

    def finish(self, attempt: int, ending: Mapping[str, Any]) -> str:
        """The state of the submission."""
        return str(_object(self._call("POST", f"/attempts/{attempt}/finish", ending)[1])["state"])

    def _call(self, method: str, path: str, body: Mapping[str, Any] | bytes | None = None) -> tuple[int, bytes]:
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection = self._connection()
        try:
            connection.request(method, self._path + path, data, self._headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Away(f"{self._host}: {error}") from None
        finally:
            connection.close()
        return _check(answer.status, content)

    def _connection(self) -> http.client.HTTPConnection:
        if self._trusted is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=SECONDS, context=self._trusted)
        return http.client.HTTPConnection(self._host, self._port, timeout=SECONDS)


def _check(status: int, content: bytes) -> tuple[int, bytes]:
    if status == 409:
        raise Fenced
    if status in (401, 403):
        raise InputError("the server does not know this worker's token. `nav-eval competition token FILE` makes one.")
    if status >= 300:
        raise Away(f"it answered {status}: {content[:200].decode(errors='replace')}")
    return status, content


def _object(content: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(content)
    return found
