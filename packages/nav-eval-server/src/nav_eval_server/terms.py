"""The terms of taking part, pages/terms.md: who accepted which text, and when."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import User
from nav_eval_server.pages import terms_sha256


def outstanding(challenge: Challenge, user: User) -> str:
    """SHA-256 of the text that the user has still to accept; "" where there is none."""
    wanted = terms_sha256(challenge.folder)
    return "" if user.terms_sha256 == wanted else wanted


def accept(user: User, sha256: str, now: datetime) -> None:
    with transaction.atomic():
        user.terms_sha256, user.terms_at = sha256, now
        user.save(update_fields=["terms_sha256", "terms_at"])
        events.record("terms_accepted", user.username, actor=user.username, sha256=sha256)
