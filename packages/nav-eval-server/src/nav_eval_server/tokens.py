"""Tokens of programs: 256 bits, shown once, kept as their SHA-256."""

from __future__ import annotations

import hashlib
import secrets

from django.utils import timezone

from nav_eval_server.models import Membership, Team, Token, User


def issue(scope: Token.Scope, name: str, team: Team | None = None, user: User | None = None) -> str:
    """A new token's text; it cannot be had a second time. `user`: the member who makes it for the team."""
    text = f"nav_{scope.value}_{secrets.token_urlsafe(32)}"
    Token.objects.create(digest=digest(text), scope=scope, name=name, team=team, user=user)
    return text


def find(text: str, scope: Token.Scope) -> Token | None:
    """The token of that text, if it is valid; notes that it was used. A member's ends with the membership."""
    rows = Token.objects.filter(digest=digest(text), scope=scope, revoked_at=None)
    found = rows.select_related("team", "user").first()
    if found is not None and found.user is not None and not _belongs(found.user, found.team):
        return None
    if found is not None:
        now = timezone.now()
        if found.last_used_at is None or (now - found.last_used_at).total_seconds() > 5:
            Token.objects.filter(pk=found.pk).update(last_used_at=now)
    return found


def _belongs(user: User, team: Team | None) -> bool:
    return user.is_active and Membership.objects.filter(user=user, team=team).exists()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
