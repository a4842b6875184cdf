"""What everybody may call: the rules, and the boards as a spectator sees their pages.

BOARD is PHASE-public or PHASE-final.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema
from pydantic import BeforeValidator

from nav_eval_server.api.problems import answers
from nav_eval_server.challenge import FOREVER, Title
from nav_eval_server.conditions import Conditions
from nav_eval_server.queue.phases import phases
from nav_eval_server.settings import current
from nav_eval_server.web.standings import Standings, standings

router = Router(tags=["board"])
CSV = {"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}}
FOUND: dict[int, Any] = {200: None}


End = Annotated[datetime | None, BeforeValidator(lambda at: None if at == FOREVER else at)]


class PublicPhase(Schema):
    """A phase as everybody sees it.

    `images`: whether it takes container images beside services, or only those. `closes`: null of one without an end.
    """

    name: str
    kind: Literal["service", "predictions"]
    images: Literal["also", "only"] | None
    status: Literal["upcoming", "open", "closed"]
    opens: datetime
    closes: End


class CompetitionOut(Schema):
    """`conditions`: what an agent plays under, in every phase."""

    name: str
    title: Title
    timezone: str
    rules_sha256: str
    conditions: Conditions
    phases: list[PublicPhase]


@router.get("/competition", response={200: CompetitionOut} | answers(503))
def competition(request: HttpRequest) -> dict[str, Any]:
    """What is played, and when."""
    rules = current()
    told = {name: getattr(rules, name) for name in ("name", "title", "timezone", "rules_sha256", "conditions")}
    return told | {"phases": phases(rules, timezone.now())}


@router.get("/boards/{board}", response={200: dict[str, Any]} | answers(404))
def board(request: HttpRequest, board: str) -> dict[str, Any]:
    """A board as it stands now, as `nav-eval competition publish` writes it. One that is hidden, or absent, is 404."""
    return _find_board(board).published


@router.get("/boards/{board}/csv", response=FOUND | answers(404), openapi_extra=CSV)
def table(request: HttpRequest, board: str) -> HttpResponse:
    """The same as a table."""
    return HttpResponse(_find_board(board).table, content_type="text/csv; charset=utf-8")


def _find_board(name: str) -> Standings:
    found = (board for phase in current().phases for board in standings(phase, AnonymousUser()))
    for one in found:
        if one.name == name:
            return one
    raise Http404
