"""The audit log: `record` appends within the caller's transaction, `broken` finds the first row that was tampered."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db import transaction
from django.utils import timezone

from nav_eval_server.models import Event, Mark

FIRST = "0" * 64


def record(action: str, subject: str, *, actor: str = "", **details: Any) -> None:
    """`actor`: who did it, the server itself by default. `subject`: what it was done to."""
    with transaction.atomic():
        Mark.objects.select_for_update().get_or_create(name="events")
        last = Event.objects.order_by("-pk").first()
        event = Event(
            at=timezone.now(),
            actor=actor or "server",
            action=action,
            subject=subject,
            details=details,
            previous=last.sha256 if last else FIRST,
        )
        event.sha256 = _sum(event)
        event.save(force_insert=True)


def broken() -> int | None:
    """The number of the first event that does not fit to the one before it; None if all do."""
    previous = FIRST
    for event in Event.objects.order_by("pk").iterator():
        if event.previous != previous or event.sha256 != _sum(event):
            return event.pk
        previous = event.sha256
    return None


def _sum(event: Event) -> str:
    told = [event.at.isoformat(), event.actor, event.action, event.subject, event.details, event.previous]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
