"""What is answered when a page or a program meets a fault of ours: a number that finds the traceback in the log.

A database that is locked or away, and a full disk, pass by: 503 and when to ask again.
"""

from __future__ import annotations

import secrets
import sys
import traceback
from datetime import UTC, datetime

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from nav_eval_server.disk import is_full

NUMBER = "X-Request-Number"
WAIT_SECONDS = 10


def passing(error: BaseException | None) -> bool:
    """Whether the fault is the database's or the disk's, and may be over in a moment."""
    return is_full(error) or isinstance(error, OperationalError | InterfaceError)


def failed(request: HttpRequest) -> HttpResponse:
    """Django's handler500: it is called where the exception is at hand."""
    error, number = sys.exc_info()[1], secrets.token_hex(4)
    busy = passing(error)
    place = request.resolver_match.route if request.resolver_match else request.path  # an address may hold a secret
    said = "".join(traceback.format_exception(error)) if error else ""
    sys.stderr.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC, request {number}: {request.method} /{place}\n{said}")
    sys.stderr.flush()
    answer = HttpResponse(render_to_string("500.html", {"number": number, "busy": busy}), status=503 if busy else 500)
    answer[NUMBER] = number
    if busy:
        answer["Retry-After"] = str(WAIT_SECONDS)
    return answer
