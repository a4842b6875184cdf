"""Agents of ours on every board, as `baselines` of challenge.yaml names them: for teams to be compared with.

A worker plays them itself, once in each phase that takes services, when no team waits. What an organiser has cancelled
or declared void is not entered again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import product

from django.db import transaction

from nav_eval_server import events
from nav_eval_server.challenge import ORACLE, Challenge
from nav_eval_server.models import Submission, Team
from nav_eval_server.queue.phases import status

OURS = "ours"
"""The protocol of such a submission; its url is the agent's name."""


def enter(challenge: Challenge, now: datetime) -> None:
    """Queue those that an open phase does not have yet."""
    entered = set(Submission.objects.filter(protocol=OURS).values_list("phase", "url"))
    for number, (phase, agent) in enumerate(product(challenge.phases, challenge.baselines)):
        kind = challenge.phases[phase].kind
        if (phase, agent) not in entered and kind == "service" and status(challenge, phase, now) == "open":
            _submit(challenge, phase, agent, now, number)


def _submit(challenge: Challenge, phase: str, agent: str, now: datetime, number: int) -> None:
    """Nothing where people have a team of that name. `number`: its place among those that come now."""
    role = Team.Role.ORACLE if agent == ORACLE else Team.Role.BASELINE
    with transaction.atomic():
        team, _ = Team.objects.get_or_create(name=agent, defaults={"role": role, "state": Team.State.APPROVED})
        if team.role == Team.Role.TEAM:
            return
        fresh = Submission(team=team, phase=phase, kind="service", protocol=OURS, url=agent, idempotency_key=phase)
        fresh.accepted_at = now + timedelta(microseconds=number)
        fresh.since = fresh.retry_at = now
        fresh.deadline = now + timedelta(seconds=challenge.queue.queued_seconds)
        fresh.save(force_insert=True)
        events.record("submitted", fresh.id, actor="challenge.yaml", phase=phase)
