"""Pages that need no account."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from nav_eval_server.queue.health import health
from nav_eval_server.settings import current
from nav_eval_server.web import rules
from nav_eval_server.web.standings import board_rows


def front(request: HttpRequest) -> HttpResponse:
    """Phases, the board of the last phase that has entries, the rules."""
    now = timezone.now()
    phases = rules.phases(current(), now)
    boards = [_board(request, phase) for phase in phases if phase.status != "upcoming"]
    shown = next((board for board in reversed(boards) if board["rows"]), _board(request, phases[0]))
    told = {"phases": phases, "facts": rules.facts(current()), "health": health(now)}
    return render(request, "front.html", told | shown)


def board(request: HttpRequest, phase: str) -> HttpResponse:
    if phase not in current().phases:
        raise Http404
    return render(request, "board.html", _board(request, rules.phase_view(current(), phase, timezone.now())))


def _board(request: HttpRequest, phase: rules.PhaseView) -> dict[str, object]:
    rows = board_rows(current(), phase.name, request.user)
    return {"phase": phase, "rows": rows, "by": current().ranking.by}


def healthz(_: HttpRequest) -> JsonResponse:
    """200 while the database answers, the scheduler sweeps and nothing is stuck; else 503. It says nothing more."""
    well = health(timezone.now()).well
    return JsonResponse({"status": "ok" if well else "unwell"}, status=200 if well else 503)
