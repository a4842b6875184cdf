"""One question to a chat endpoint: retried while there is time, with a limit on requests in flight for the process."""

from __future__ import annotations

import email.utils
import http.client
import json
import queue
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from nav_eval_baselines.vlm.options import Options, api_key
from nav_eval_baselines.vlm.replies import Garbled, Reply, reply_of

RETRIED = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
ADVICE = {
    401: "Set OPENAI_API_KEY (or VLM_API_KEY) to a key of this server.",
    403: "The key may not use this model.",
    404: "Check --base-url, which usually ends with /v1, and --model.",
}
PAUSE, LONGEST = 0.5, 8.0
"""Seconds before the second attempt, doubled for each further one."""
REFUSABLE = {
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "temperature": ("temperature",),
    "response_format": ("",),
}
"""Parts of a request that some servers refuse with 400, by what they say then; in this order."""
_lock = threading.Lock()
_slots: dict[tuple[str, int], threading.BoundedSemaphore] = {}
_refused: dict[tuple[str, str], set[str]] = {}


class NoAnswer(RuntimeError):
    """The server gave no answer in time, or refuses to; the message says what to do."""


class _Again(Exception):
    """`wait`: seconds that the server asks for."""

    def __init__(self, said: str, wait: float | None = None) -> None:
        super().__init__(said)
        self.wait = wait


class _Refused(Exception):
    """400 or 422: the request itself is refused."""


class _SameAddress(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the key is for one server."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Endpoint:
    """Thread-safe; all that ask one server share its limit, and what it has been found to refuse."""

    def __init__(self, options: Options) -> None:
        self._url, self._timeout, self._key = options.url, options.timeout, api_key()
        self._opener = urllib.request.build_opener(_SameAddress)
        with _lock:
            limit = options.max_requests
            self._slots = _slots.setdefault((self._url, limit), threading.BoundedSemaphore(limit))
            self._refused = _refused.setdefault((self._url, options.model), set())

    def ask(self, body: dict[str, Any], until: float) -> tuple[dict[str, Any], Reply, int]:
        """(what came back, as it is read, attempts), before the time `until` (monotonic); raises NoAnswer."""
        attempt, first = 0, None
        while True:
            attempt += 1
            try:
                return (*self._negotiate(body, until), attempt)
            except _Again as failure:
                first = first or failure  # the last one may have had only what was left of the time
                pause = failure.wait
                if pause is None:
                    pause = min(LONGEST, PAUSE * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0)
                if time.monotonic() + pause >= until:
                    raise NoAnswer(f"the model gave no answer in time ({attempt} attempts): {first}") from None
                time.sleep(pause)

    def _negotiate(self, body: dict[str, Any], until: float) -> tuple[dict[str, Any], Reply]:
        """Without what the server refuses; what helped is remembered."""
        tried: set[str] = set()
        while True:
            sent = _without(body, self._refused | tried)
            try:
                answer = self._once(sent, until)
            except _Refused as refusal:
                said = str(refusal)
                part = next((p for p, words in REFUSABLE.items() if p in sent and any(w in said for w in words)), None)
                if part is None:
                    raise NoAnswer(f"the server refuses the request: {said}") from None
                tried.add(part)
                continue
            self._refused |= tried
            return answer

    def _once(self, body: dict[str, Any], until: float) -> tuple[dict[str, Any], Reply]:
        if not self._slots.acquire(timeout=max(0.0, until - time.monotonic())):
            raise NoAnswer("no request was free in time: raise --max-requests, or play fewer sessions.")
        seconds = min(self._timeout, until - time.monotonic())
        try:
            data = _in_time(
                lambda: self._post(json.dumps(body).encode(), max(seconds, 0.001)), seconds, self._slots.release
            )
            found = json.loads(data)
            _raise_error(found)
            return found, reply_of(found)
        except urllib.error.HTTPError as error:
            raise self._failure(error) from None
        except (OSError, http.client.HTTPException, Garbled, ValueError) as error:
            raise _Again(self._hidden(f"{type(error).__name__}: {error}")) from None

    def _post(self, data: bytes, seconds: float) -> bytes:
        headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
        }
        request = urllib.request.Request(self._url, data, headers)
        try:
            with self._opener.open(request, timeout=seconds) as response:
                return bytes(response.read())
        except urllib.error.HTTPError as error:
            error.said = error.read(2000)  # type: ignore[attr-defined]  # read here, within the time
            raise

    def _failure(self, error: urllib.error.HTTPError) -> Exception:
        said = self._hidden(f"{error.code}: {' '.join(error.said.decode('utf-8', 'replace').split())[:300]}")
        if error.code in RETRIED:
            return _Again(said, _retry_after(error.headers.get("Retry-After")))
        if error.code in (400, 422):
            return _Refused(said)
        return NoAnswer(f"the server answers {said} {ADVICE.get(error.code, 'Check --base-url.')}")

    def _hidden(self, text: str) -> str:
        """Some servers repeat the key in what they say."""
        return text.replace(self._key, "***") if self._key else text


def _without(body: dict[str, Any], refused: set[str]) -> dict[str, Any]:
    sent = {key: value for key, value in body.items() if key not in refused}
    if "max_tokens" in refused:
        sent["max_completion_tokens"] = body["max_tokens"]
    return sent


def _raise_error(found: Any) -> None:
    """Some gateways send an error with status 200."""
    if isinstance(found, dict) and found.get("error") and "choices" not in found:
        raise Garbled(f"the server says {str(found['error'])[:300]}")


def _in_time(call: Callable[[], bytes], seconds: float, done: Callable[[], None]) -> bytes:
    """The call's result within `seconds`, whatever it waits for; `done` is called when it has ended, even if late."""
    results: queue.SimpleQueue[tuple[bytes, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put((call(), None))
        except Exception as error:  # noqa: BLE001 - raised again below, in the thread that waits
            results.put((b"", error))
        finally:
            done()

    threading.Thread(target=run, name="request", daemon=True).start()
    try:
        value, error = results.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:.1f} s") from None
    if error is not None:
        raise error
    return value


def _retry_after(value: str | None) -> float | None:
    """Seconds, from seconds or an HTTP date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if seconds == seconds else None
