"""Pages that need no account."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db import Error
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from nav_eval_server.queue.health import health, writable
from nav_eval_server.queue.phases import counting_first, phase_view, phases
from nav_eval_server.settings import current
from nav_eval_server.web import rules
from nav_eval_server.web.alike import page
from nav_eval_server.web.columns import titles
from nav_eval_server.web.standings import leading, standings


def front(request: HttpRequest) -> HttpResponse:
    """What counts now, the newest board that has entries, phases, rules."""
    return page(request, "front.html", "", lambda: _front(request))


def _front(request: HttpRequest) -> dict[str, Any]:
    now = timezone.now()
    boards = [board for name in current().phases for board in standings(name, request.user)]
    return {
        "phases": counting_first(phases(current(), now)),
        "facts": rules.facts(current()),
        "health": health(now),
        "board": leading(current(), boards),
        "by": titles([current().ranking.by]),
    }


def board(request: HttpRequest, phase: str) -> HttpResponse:
    if phase not in current().phases:
        raise Http404
    wanted = request.GET.get("sensors", "")
    wanted = wanted if wanted in current().conditions.sensor_classes else ""
    return page(request, "board.html", f"{phase} {wanted}", lambda: _boards(request, phase, wanted))


def _boards(request: HttpRequest, phase: str, sensors: str) -> dict[str, Any]:
    """`sensors`: the class of those entries that are shown."""
    boards = [replace(board, chosen=sensors) for board in standings(phase, request.user)]
    return {"phase": phase_view(current(), phase, timezone.now()), "boards": boards, "filters": True}


def healthz(_: HttpRequest) -> JsonResponse:
    """200 while something can be written, the scheduler sweeps and nothing is stuck; else 503. It says nothing more."""
    try:
        well = writable(current()) and health(timezone.now()).well
    except Error:
        well = False
    return JsonResponse({"status": "ok" if well else "unwell"}, status=200 if well else 503)
