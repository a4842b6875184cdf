"""Agents of ours on every board, as `baselines` of challenge.yaml names them: for teams to be compared with.

A worker plays them itself, once in each phase that takes services, when no team waits; what failed by our own fault is
entered again after a day. What an organiser has cancelled or declared void is not.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import product

from django.db import transaction
from django.db.models import Q

from nav_eval_server import events
from nav_eval_server.challenge import ORACLE, Challenge
from nav_eval_server.models import Submission, Team
from nav_eval_server.queue.phases import status
from nav_eval_server.queue.states import State

OURS = "ours"
"""The protocol of such a submission; its url is the agent's name."""
PEOPLE = "people"
"""In the place of an agent's name: invited people have played it (human_row)."""
AGAIN = timedelta(days=1)
"""So long after a fault of ours there is another try."""


def enter(challenge: Challenge, now: datetime) -> None:
    """Queue those that an open phase does not have yet."""
    lost = Q(state=State.FAILED, fault=Submission.Fault.OURS, since__lt=now - AGAIN)
    entered = set(Submission.objects.filter(protocol=OURS).exclude(lost).values_list("phase", "url"))
    for number, (phase, agent) in enumerate(product(challenge.phases, challenge.baselines)):
        kind = challenge.phases[phase].kind
        if (phase, agent) not in entered and kind == "service" and status(challenge, phase, now) == "open":
            submit(challenge, phase, agent, now, number)


def submit(challenge: Challenge, phase: str, agent: str, now: datetime, number: int = 0) -> Submission | None:
    """None where its team is out, or takes part itself. `number`: its place among those that come now."""
    with transaction.atomic():
        team, entries = _team(agent), Submission.objects.filter(protocol=OURS, phase=phase, url=agent).count()
        if team.role == Team.Role.TEAM or team.state != Team.State.APPROVED or team.disqualified:
            return None
        fresh = Submission(team=team, phase=phase, kind="service", protocol=OURS, url=agent)
        fresh.idempotency_key = f"{phase} {agent} {entries}"
        fresh.accepted_at = now + timedelta(microseconds=number)
        fresh.since = fresh.retry_at = now
        fresh.deadline = now + timedelta(seconds=challenge.queue.queued_seconds)
        fresh.save(force_insert=True)
        events.record("submitted", fresh.id, actor="challenge.yaml", phase=phase)
        return fresh


def _team(agent: str) -> Team:
    """Whatever it is called by now."""
    there = Team.objects.filter(submissions__protocol=OURS, submissions__url=agent).first()
    role = Team.Role.ORACLE if agent == ORACLE else Team.Role.BASELINE
    return there or Team.objects.get_or_create(name=agent, defaults={"role": role, "state": Team.State.APPROVED})[0]
