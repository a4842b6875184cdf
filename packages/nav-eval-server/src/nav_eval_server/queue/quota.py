"""How often a team may submit. A place is reserved at submission, spent at the first played episode, else given back.

`reserve` is called in a transaction that holds the team's row, so two submissions never see the same free place; the
unique slots are the last line.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db.models import Q, Sum
from pydantic import BaseModel, ConfigDict, computed_field

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Charge, Grant, Submission, Team
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, State


class Standing(BaseModel):
    """What a team has used of its quota in a phase, and what it has. `unfinished`, `concurrent`: at a time.

    `resets_at`: when the next day begins. `extra`: places that an organiser has granted beside these, and are left. The
    API shows it as it is.
    """

    model_config = ConfigDict(frozen=True)

    today: int
    per_day: int
    overall: int
    total: int | None
    unfinished: int
    concurrent: int
    resets_at: datetime
    extra: int = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def left(self) -> int:
        """How many may be submitted now."""
        return max(0, min(self.regular + self.extra, self.concurrent - self.unfinished))

    @property
    def regular(self) -> int:
        """Places of the rules that are left today."""
        overall = [] if self.total is None else [self.total - self.overall]
        return max(0, min([self.per_day - self.today, *overall]))


def standing(challenge: Challenge, team: Team, phase: str, now: datetime) -> Standing:
    quota = challenge.phases[phase].quota
    charges = Charge.objects.filter(team=team, phase=phase).values_list("day", "granted")
    days = [day for day, granted in charges if not granted]
    places = Grant.objects.filter(team=team, phase=phase).aggregate(n=Sum("places"))["n"] or 0
    unfinished = Submission.objects.filter(team=team, phase=phase).exclude(state__in=FINAL)
    return Standing(
        today=days.count(now.astimezone(challenge.zone).date()),
        per_day=quota.per_day,
        overall=len(days),
        total=quota.total,
        unfinished=unfinished.count(),
        concurrent=quota.concurrent,
        resets_at=midnight(challenge, now),
        extra=max(0, places - (len(charges) - len(days))),
    )


def midnight(challenge: Challenge, now: datetime) -> datetime:
    """The beginning of tomorrow, in the challenge's time zone."""
    there = now.astimezone(challenge.zone)
    return (there + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)


def check(challenge: Challenge, used: Standing) -> None:
    """Raises Refusal, which says when there is a place again."""
    if not used.extra:
        _check_rules(used)
    if used.unfinished >= used.concurrent:
        raise Refusal(
            "quota_concurrent",
            f"{used.unfinished} of your submissions are unfinished, and {used.concurrent} may be. Wait, or cancel one.",
            f"您有 {used.unfinished} 个未完成的提交，最多允许 {used.concurrent} 个。请等待，或取消其中一个。",
        )


def _check_rules(used: Standing) -> None:
    if used.total is not None and used.overall >= used.total:
        raise Refusal(
            "quota_total",
            f"All {used.total} submission(s) of this phase are used up.",
            f"本阶段的 {used.total} 次提交已全部用完。",
        )
    if used.today >= used.per_day:
        at = used.resets_at
        raise Refusal(
            "quota_day",
            f"Today's {used.per_day} submission(s) are used up; the next day begins at {at:%Y-%m-%d %H:%M %Z}.",
            f"今天的 {used.per_day} 次提交已用完；新的一天从 {at:%Y-%m-%d %H:%M %Z} 开始。",
            at,
        )


def reserve(challenge: Challenge, submission: Submission, now: datetime) -> None:
    """The first free place of today; a granted one where those of the rules are used up."""
    granted = standing(challenge, submission.team, submission.phase, now).regular == 0
    day = now.astimezone(challenge.zone).date()
    slot = _free_slot(submission.team, submission.phase, day)
    Charge.objects.create(
        team=submission.team, phase=submission.phase, day=day, slot=slot, submission=submission, granted=granted
    )


def _free_slot(team: Team, phase: str, day: date) -> int:
    taken = set(Charge.objects.filter(team=team, phase=phase, day=day).values_list("slot", flat=True))
    return next(slot for slot in range(len(taken) + 1) if slot not in taken)


def tries(team: Team, phase: str) -> int:
    """Submissions that count, or have cost a place of the rules; what is void is none of them."""
    cost = Q(charge__isnull=False) | Q(state=State.DONE) | ~Q(state__in=FINAL)
    mine = Submission.objects.filter(cost, team=team, phase=phase)
    return mine.exclude(state=State.VOID).exclude(charge__granted=True).count()


def hand_over(team: Team, to: Team) -> None:
    """What a team has used, and what it was granted, to another one."""
    for charge in Charge.objects.filter(team=team).order_by("pk"):
        slot = _free_slot(to, charge.phase, charge.day)
        Charge.objects.filter(pk=charge.pk).update(team=to, slot=slot)
    Grant.objects.filter(team=team).update(team=to)


def spend(submission: Submission, now: datetime) -> None:
    Charge.objects.filter(submission=submission, spent_at=None).update(spent_at=now)


def settle(submission: Submission) -> None:
    """At the end: give the place back if nothing was played for it, or the fault was ours."""
    charge = Charge.objects.filter(submission=submission)
    if submission.fault != Submission.Fault.OURS:
        charge = charge.filter(spent_at=None)
    charge.delete()
