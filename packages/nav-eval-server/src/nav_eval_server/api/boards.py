"""What everybody may call: the boards, as a spectator sees their pages. BOARD is PHASE-public or PHASE-final."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router

from nav_eval_server.api.problems import answers
from nav_eval_server.settings import current
from nav_eval_server.web.standings import Standings, standings

router = Router(tags=["board"])
CSV = {"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}}
FOUND: dict[int, Any] = {200: None}


@router.get("/boards/{board}", response={200: dict[str, Any]} | answers(404))
def board(request: HttpRequest, board: str) -> dict[str, Any]:
    """A board as it stands now, as `nav-eval competition publish` writes it. One that is hidden, or absent, is 404."""
    return _shown(board).published


@router.get("/boards/{board}/csv", response=FOUND | answers(404), openapi_extra=CSV)
def table(request: HttpRequest, board: str) -> HttpResponse:
    """The same as a table."""
    return HttpResponse(_shown(board).table, content_type="text/csv; charset=utf-8")


def _shown(name: str) -> Standings:
    found = (board for phase in current().phases for board in standings(phase, AnonymousUser()))
    for one in found:
        if one.name == name:
            return one
    raise Http404
