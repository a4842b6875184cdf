"""Every answer of the API that is no success: application/problem+json (RFC 9457) with a `code` for programs and a
sentence that says what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError

from nav_eval.errors import InputError
from nav_eval_server.queue.client import Fenced
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.web.context import language
from nav_eval_server.web.failures import NUMBER

CONTENT_TYPE = "application/problem+json"
PLACE = "/api/"
CODES = {400: "bad_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "method_not_allowed",
         409: "conflict", 413: "too_large", 422: "unfit", 429: "too_many", 503: "busy"}  # fmt: skip
WORDS = {
    400: "The request cannot be read. Look at /api/v1/openapi.json for what this address takes.",
    401: "The token is missing, wrong or revoked. A team makes one on its page, an organiser one for a worker with "
    "`nav-eval competition token`; send it as `Authorization: Bearer TOKEN`.",
    404: "There is nothing of yours at this address. Look at /api/v1/openapi.json for those that there are.",
    405: "This address takes other methods. Look at /api/v1/openapi.json.",
    413: "The request is larger than the server takes. Send less.",
    500: "The server failed, and its log says where. Ask again with the same Idempotency-Key; if it stays, tell the "
    "organisers.",
    503: "The server's database or disk does not answer. Ask again in some seconds with the same Idempotency-Key.",
}
"""What is said where nothing knows better."""
STATUS = {
    "not_found": 404, "phase_unknown": 404, "not_approved": 403, "not_captain": 403, "terms": 403, "too_large": 413,
    "address": 422, "too_soon": 429, "busy": 503, "quota_day": 429, "quota_total": 429,
    "quota_concurrent": 429, "dry_run_running": 429,
}  # fmt: skip
"""Of a Refusal by its code; of all others 409."""
FENCED = "This attempt is not yours any more. End its process and keep nothing."
AGAIN = {"too_soon": 10, "busy": 5}
"""Seconds after which to ask again."""


class Problem(Schema):
    """`resets_at`: when it may be granted, where that is known. `request`: a fault's number in the server's log."""

    title: str
    status: int
    detail: str
    code: str
    resets_at: datetime | None = None
    request: str | None = None


def problem(status: int, detail: str = "", code: str = "", **more: Any) -> HttpResponse:
    told = {
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail or WORDS.get(status, WORDS[400]),
        "code": code or CODES.get(status, "internal"),
    }
    answer = JsonResponse(told | more, status=status, content_type=CONTENT_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        answer["WWW-Authenticate"] = "Bearer"
    return answer


def refused(refusal: Refusal) -> HttpResponse:
    """In the language that the request asks for."""
    resets = {} if refusal.resets_at is None else {"resets_at": refusal.resets_at.isoformat()}
    said = refusal.zh if language() == "zh" else str(refusal)
    answer = problem(STATUS.get(refusal.code, 409), said, refusal.code, **resets)
    wait = AGAIN.get(refusal.code)
    if refusal.resets_at is not None:
        wait = max(1, math.ceil((refusal.resets_at - timezone.now()).total_seconds()))
    if wait is not None:
        answer["Retry-After"] = str(wait)
    return answer


def answers(*statuses: int) -> dict[int, Any]:
    """Of an operation, for its document."""
    return dict.fromkeys(statuses, Problem)


def handle(api: NinjaAPI) -> None:
    """Make problems of what operations raise."""
    handlers: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
        Refusal: lambda _, error: refused(error),
        InputError: lambda _, error: problem(422, str(error)),
        ValidationError: lambda _, error: problem(422, _faults(error)),
        Fenced: lambda *_: problem(409, FENCED),
        AuthenticationError: lambda *_: problem(401),
        Http404: lambda *_: problem(404),
        RequestDataTooBig: lambda *_: problem(413),
        HttpError: lambda _, error: problem(error.status_code, _sentence(error)),
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


def _faults(error: ValidationError) -> str:
    """phase: Field required. endpoint: ..."""
    told = ((".".join(map(str, fault["loc"][2:] or fault["loc"][-1:])), fault["msg"]) for fault in error.errors)
    return " ".join(f"{place}: {said.removeprefix('Value error, ').rstrip('.')}." for place, said in told)


def _sentence(error: HttpError) -> str:
    """Ours ends like one; ninja's own, of a body that is no JSON, does not."""
    return error.message if error.message.endswith(".") else ""


def _as_problem(response: HttpResponse) -> HttpResponse:
    """Of our own faults with the number of the request, by which organisers find it in the log."""
    number, status = response.headers.get(NUMBER), response.status_code
    told = f"{WORDS[status].removesuffix('.')} (request {number})." if number else ""
    made = problem(status, told, **({"request": number} if number else {}))
    for name in ("Allow", "Retry-After", NUMBER):
        if name in response.headers:
            made[name] = response[name]
    return made


def problems(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: what Django itself answers below /api/ (no such address, another method, a crash) is one, too."""

    def answered(request: HttpRequest) -> HttpResponse:
        response = answer(request)
        if not request.path.startswith(PLACE):
            return response
        if response.status_code >= 400 and response.headers.get("Content-Type") != CONTENT_TYPE:
            response = _as_problem(response)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return answered
