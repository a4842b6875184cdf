"""Who has joined, as the database and the pages tell it: a team has one service of protocol join, made at its first."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.utils import timezone

from nav_eval_server.models import Endpoint, Team, Token
from nav_eval_server.tokens import find

NAME = "join"


def welcome(text: str) -> int | None:
    """The team whose token this is, if it may join."""
    token = find(text, Token.Scope.TEAM)
    team = token.team if token is not None else None
    return None if team is None or team.state == Team.State.BLOCKED else team.pk


def note(team: int, here: bool) -> None:
    """Whether somebody of the team is here. May be told again; a service that was removed meanwhile is made anew."""
    rows = Endpoint.objects.filter(team=team, protocol="join")
    answer = {"probe": "ready" if here else "refused", "probed_at": timezone.now()}
    rows.exclude(probe=answer["probe"]).update(**answer)
    if here and not rows.exists():
        _make(team, NAME, answer) or _make(team, f"{NAME}-{secrets.token_hex(2)}", answer)


def _make(team: int, name: str, answer: Mapping[str, object]) -> bool:
    try:
        with transaction.atomic():
            Endpoint.objects.create(team_id=team, protocol="join", name=name, **answer)
        return True
    except IntegrityError:
        return False


def nobody() -> None:
    """A relay has begun: whoever was here has gone."""
    Endpoint.objects.filter(protocol="join", probe="ready").update(probe="refused", probed_at=timezone.now())
