"""Booked hours: for teams whose service runs only then. Who may book what, and what a claim must keep free.

`keeps` is asked at each claim: a place is kept for a team from a while before its hour on, until it plays, or has let
the hour begin without a submission.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Attempt, Mark, Slot, Submission, Team
from nav_eval_server.queue.refusal import Refusal, not_let_in
from nav_eval_server.queue.states import WAITING

HOUR = timedelta(hours=1)
MAX_CONCURRENT = 12
"""Hours of one booking."""


@dataclass(frozen=True)
class Kept:
    """`booked`: teams whose hour it is. `places`: how many of all places are kept for teams that do not play yet."""

    booked: frozenset[int]
    places: int


def keeps(challenge: Challenge, now: datetime) -> Kept:
    rules = challenge.slots
    rows = Slot.objects.filter(begins__gt=now - HOUR, begins__lte=now + timedelta(minutes=rules.lead_minutes))
    found = list(rows.order_by("begins").values_list("team_id", "begins")) if rules.per_week else []
    playing = set(Attempt.objects.filter(live=True).values_list("submission__team_id", flat=True)) if found else set()
    grace = now - timedelta(minutes=rules.grace_minutes)
    kept = {team for team, begins in found if team not in playing and (begins > grace or _waits(team))}
    return Kept(frozenset(team for team, begins in found if begins <= now), len(kept))


def _waits(team: int) -> bool:
    return Submission.objects.filter(team=team, state__in=WAITING).exists()


def free_hours(challenge: Challenge, now: datetime) -> list[datetime]:
    """The hours that can still be booked, in order."""
    last = now + timedelta(days=challenge.slots.days_ahead)
    full: dict[datetime, int] = {}
    for begins in Slot.objects.filter(begins__gt=now).values_list("begins", flat=True):
        full[begins] = full.get(begins, 0) + 1
    first = _hour(now) + HOUR
    hours = (first + n * HOUR for n in range(int((last - first) / HOUR) + 1))
    return [hour for hour in hours if full.get(hour, 0) < challenge.slots.places]


def book(challenge: Challenge, team: Team, begins: datetime, hours: int, actor: str, now: datetime) -> list[Slot]:
    """Consecutive hours, all or none. Raises Refusal."""
    rules = challenge.slots
    with transaction.atomic():
        Mark.objects.select_for_update().get_or_create(name="slots")
        team = Team.objects.get(pk=team.pk)
        if team.state != Team.State.APPROVED:
            raise not_let_in(team)
        if not 1 <= hours <= MAX_CONCURRENT or begins != _hour(begins):
            raise Refusal(
                "slot", f"Book 1 to {MAX_CONCURRENT} whole hours.", f"请预约 1 至 {MAX_CONCURRENT} 个整点小时。"
            )
        if begins <= now or begins + hours * HOUR > now + timedelta(days=rules.days_ahead):
            raise Refusal(
                "slot_far",
                f"Book an hour of the next {rules.days_ahead} day(s).",
                f"只能预约今后 {rules.days_ahead} 天内的时段。",
            )
        made = [_book(challenge, team, begins + n * HOUR) for n in range(hours)]
        events.record("hours_booked", team.name, actor=actor, begins=begins.isoformat(), hours=hours)
        return made


def _book(challenge: Challenge, team: Team, begins: datetime) -> Slot:
    rules = challenge.slots
    there = begins.astimezone(challenge.zone)
    monday = (there - timedelta(days=there.weekday())).replace(hour=0, minute=0)
    mine = Slot.objects.filter(team=team, begins__gte=monday, begins__lt=monday + timedelta(days=7)).count()
    if mine >= rules.per_week:
        most = rules.per_week
        raise Refusal("slot_week", f"A team may book {most} hour(s) a week.", f"每个队伍每周最多预约 {most} 小时。")
    rows = Slot.objects.filter(begins=begins)
    taken = set(rows.values_list("place", flat=True))
    place = next((n for n in range(rules.places) if n not in taken), None)
    if place is None or rows.filter(team=team).exists():
        at = f"{there:%Y-%m-%d %H:%M}"
        raise Refusal("slot_taken", f"{at} is taken already.", f"{at} 已被预约。")
    return Slot.objects.create(team=team, begins=begins, place=place)


def give_back(slot: Slot, actor: str, now: datetime) -> None:
    """What waits for it begins in turn. Raises Refusal once it has begun."""
    with transaction.atomic():
        if slot.begins <= now:
            raise Refusal("slot_begun", "It has begun already.", "该时段已经开始。")
        waiting = Submission.objects.filter(team=slot.team, state__in=WAITING, not_before=slot.begins)
        waiting.update(not_before=None, retry_at=now)
        events.record("hour_given_back", slot.team.name, actor=actor, begins=slot.begins.isoformat())
        slot.delete()


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)
