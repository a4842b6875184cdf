"""What every answer carries: a policy without inline script or style, cookies that stay on TLS; and dates told in the
challenge's time zone."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from nav_eval_server.settings import current

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def headers(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware, the outermost."""

    def answered(request: HttpRequest) -> HttpResponse:
        with timezone.override(current().zone):
            response = answer(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        if request.is_secure():
            for cookie in response.cookies.values():
                cookie["secure"] = True
        if getattr(request, "user", None) is not None and request.user.is_authenticated:
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return answered
