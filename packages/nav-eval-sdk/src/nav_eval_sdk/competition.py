"""A competition server's /api/v1, as a team calls it. Standard library only.

CompetitionError
├── Away       nobody answers, or the server has a fault: may be tried again
└── Refusal    it answered that it will not; `code` says why, `str()` what to do
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from nav_eval_sdk.chinese import asked_for
from nav_eval_sdk.protocol.text import line

SECONDS = 60.0
"""For one answer: the server may take some for a probe, and a file its time to travel."""
GLANCE = 20.0
"""Seconds for an answer of what may be no competition."""
TRIES = (0.5, 2.0, 5.0)
"""Seconds before another try where the server is away."""
MAX_ANSWER_BYTES = 16 << 20
"""Bytes of an answer."""
LONGEST = 1000
"""Characters of what the server says."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class CompetitionError(Exception):
    """`str()` is one line fit for a user."""


class Away(CompetitionError):
    pass


class Refusal(CompetitionError):
    def __init__(self, status: int, told: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(told.get("code", ""))
        super().__init__(line(str(told.get("detail") or f"It answered {status}."), LONGEST))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes to the address that the user gave, and to no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


def address(url: str) -> SplitResult:
    """The parts of a competition's address. Raises ValueError with what is expected."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isascii():
        raise ValueError(
            f"{url!r} is not an address of a competition. Write for example https://challenge.example.org."
        )
    return parts


class Competition:
    """`token`: a team's, "" for what everybody may ask. `ca`: PEM, whom to trust in place of the system's authorities.

    Raises ValueError for what is no address.
    """

    def __init__(
        self, url: str, token: str = "", *, ca: str | None = None, sleep: Callable[[float], None] = time.sleep
    ):
        parts = address(url)
        self.plain = parts.scheme == "http" and parts.hostname not in LOOPBACK
        """Whether others can read the token on its way."""
        self.url = url.rstrip("/")
        language = "zh" if asked_for() else "en"
        self._headers = {"Accept": "application/json", "Accept-Language": language}
        self._headers |= {"Authorization": f"Bearer {token}"} if token else {}
        # Reading the authorities takes 30 ms; where nothing is secure, none is trusted.
        way = (parts, *map(urlsplit, urllib.request.getproxies().values()))
        needed = ca is not None or any(one.scheme == "https" for one in way)
        context = ssl.create_default_context(cafile=ca) if needed else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.HTTPSHandler(context=context))
        self._sleep = sleep

    def about(self) -> bytes:
        """What everybody may read of it, as JSON; asked once, and with little patience: it may be something else."""
        return self._send(urllib.request.Request(f"{self.url}/api/v1/competition", headers=self._headers), GLANCE)

    def me(self) -> Any:
        return self._call("GET", "/me")

    def phases(self) -> Any:
        return self._call("GET", "/phases")

    def endpoints(self) -> Any:
        return self._call("GET", "/endpoints")

    def register(self, name: str, protocol: str, url: str, token: str) -> Any:
        return self._call("POST", "/endpoints", {"name": name, "protocol": protocol, "url": url, "token": token})

    def probe(self, endpoint: int) -> Any:
        """A registered service, after the server has asked it."""
        return self._call("POST", f"/endpoints/{endpoint}/probe")

    def submit(self, phase: str, endpoint: int, key: str | None = None) -> Any:
        """The accepted submission. Without `key` one is drawn, so that a try after a lost answer submits once."""
        return self._call("POST", "/submissions", {"phase": phase, "endpoint": endpoint}, key=key or _new_id())

    def submit_file(self, phase: str, predictions: bytes, key: str | None = None) -> Any:
        path = f"/submissions/predictions?{urlencode({'phase': phase})}"
        return self._call("POST", path, predictions, key=key or _new_id())

    def describe(self, submission: str, method: Mapping[str, str]) -> Any:
        """The submission, after what is said of it was changed."""
        return self._call("PATCH", f"/submissions/{quote(submission, safe='')}/method", method)

    def image(self, sha256: str) -> Any:
        """How much of an image's archive the server has."""
        return self._call("GET", f"/images/{sha256}")

    def send_image(self, sha256: str, name: str, offset: int, whole: int, data: bytes) -> Any:
        """A piece of it; of the last one the answer has an endpoint."""
        query = urlencode({"name": name, "offset": offset, "whole": whole})
        return self._call("PUT", f"/images/{sha256}?{query}", data)

    def submissions(self, limit: int = 20) -> Any:
        return self._call("GET", f"/submissions?limit={limit}")

    def submission(self, submission: str) -> Any:
        return self._call("GET", f"/submissions/{quote(submission, safe='')}")

    def file(self, submission: str, name: str) -> bytes:
        """Of a dry run its log or records, or what an image said."""
        return self._fetch("GET", f"/submissions/{quote(submission, safe='')}/files/{quote(name, safe='')}")

    def cancel(self, submission: str) -> Any:
        return self._call("POST", f"/submissions/{quote(submission, safe='')}/cancel")

    def _call(self, method: str, path: str, body: Any = None, *, key: str | None = None) -> Any:
        """The answer's JSON."""
        content = self._fetch(method, path, body, key)
        try:
            return json.loads(content) if content else None
        except ValueError:
            raise self._stranger() from None

    def _fetch(self, method: str, path: str, body: Any = None, key: str | None = None) -> bytes:
        """The answer; asked for again, with the same key, where the server is away."""
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/octet-stream" if data is body else "application/json"
        request = urllib.request.Request(f"{self.url}/api/v1{path}", data, headers, method=method)
        for pause in TRIES:
            try:
                return self._send(request)
            except Away:
                self._sleep(pause)
        return self._send(request)

    def _send(self, request: urllib.request.Request, seconds: float = SECONDS) -> bytes:
        try:
            with self._opener.open(request, timeout=seconds) as answer:
                content: bytes = answer.read(MAX_ANSWER_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except urllib.error.URLError as error:
            raise Away(f"{self.url}: {line(str(error.reason))}.") from None
        except (OSError, http.client.HTTPException) as error:
            raise Away(f"{self.url}: {line(str(error)) or type(error).__name__}.") from None
        if len(content) > MAX_ANSWER_BYTES:
            raise Refusal(
                413, {"detail": f"{self.url} answered with more than {MAX_ANSWER_BYTES >> 20} MiB. Use the page."}
            )
        return content

    def _refusal(self, error: urllib.error.HTTPError) -> CompetitionError:
        if 300 <= error.code < 400:
            where = line(error.headers.get("Location") or "elsewhere")
            return Refusal(error.code, {"detail": f"{self.url} sends us on to {where}. Give the address that it has."})
        try:
            told = json.loads(error.read(MAX_ANSWER_BYTES))
        except (ValueError, OSError, http.client.HTTPException):
            told = None
        told = told if isinstance(told, dict) and "code" in told else {}
        if error.code >= 500:
            return Away(line(f"{self.url} answered {error.code}. {told.get('detail', '')}", LONGEST))
        return Refusal(error.code, told) if told else self._stranger()

    def _stranger(self) -> Refusal:
        return Refusal(404, {"detail": f"{self.url} is not a competition server. Give the address of its first page."})


def _new_id() -> str:
    return str(uuid.uuid4())
