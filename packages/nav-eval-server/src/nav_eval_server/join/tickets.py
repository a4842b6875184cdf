"""What an evaluator shows to be led to a team that has joined: signed, and good only while its attempt is live."""

from __future__ import annotations

from django.core import signing

from nav_eval_server.models import Attempt

SALT = "nav_eval_server.join"


def ticket(attempt: Attempt) -> str:
    return signing.dumps([attempt.pk, attempt.fence], salt=SALT)


def admitted(text: str) -> tuple[int, int] | None:
    """Of a live attempt's ticket: its fence, which only grows, and its team."""
    try:
        pk, fence = signing.loads(text, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    rows = Attempt.objects.filter(pk=pk, fence=fence, live=True, submission__protocol="join")
    return rows.values_list("fence", "submission__team").first()
