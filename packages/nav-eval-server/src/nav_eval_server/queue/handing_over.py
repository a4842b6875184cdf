"""One team's submissions become another's, because they are the same people. Dispatcher.hand_over holds the locks."""

from __future__ import annotations

from django.db.models import Q

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Attempt, Slot, Submission, Team
from nav_eval_server.queue import quota
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, State


def check(challenge: Challenge, team: Team, to: Team) -> None:
    """Raises Refusal where both have something unfinished, or together more tries than the rules give.

    What was cancelled is unfinished until its worker has let go.
    """
    unfinished = ~Q(state__in=FINAL) | Q(attempts__live=True)
    if all(one.submissions.filter(unfinished).exists() for one in (team, to)):
        raise Refusal(
            "merge",
            "Both teams have unfinished submissions. Wait for those of one team, or cancel them.",
            "两支队伍都有未完成的提交。请等待其中一支队伍的提交结束，或取消它们。",
        )
    for name, phase in challenge.phases.items():
        used = [quota.tries(one, name) for one in (team, to)]
        most = phase.quota.total
        if most is not None and all(used) and sum(used) > most:
            raise Refusal(
                "merge",
                f"In {name} they would have {sum(used)} submissions, and a team may have {most}. Declare the others "
                "void first.",
                f"合并后在 {name} 阶段共有 {sum(used)} 次提交，而每队最多 {most} 次。请先将多余的宣布无效。",
            )


def hand_over(challenge: Challenge, team: Team, to: Team) -> None:
    """What the other team had chosen for the final boards stays chosen where there is room for it."""
    _drop_surplus_choices(challenge, team, to)
    joined = Submission.objects.filter(team=team, protocol="join")
    joined.update(endpoint_key=f"join:{to.pk}")
    Attempt.objects.filter(submission__in=joined, live=True).update(endpoint_key=f"join:{to.pk}")
    mine = Submission.objects.filter(team=team)
    keys = to.submissions.exclude(idempotency_key=None).values_list("idempotency_key", flat=True)
    mine.filter(idempotency_key__in=[*keys]).update(idempotency_key=None)
    quota.hand_over(team, to)
    mine.update(team=to)
    hours = [*to.slots.values_list("begins", flat=True)]
    Slot.objects.filter(team=team).exclude(begins__in=hours).update(team=to)


def _drop_surplus_choices(challenge: Challenge, team: Team, to: Team) -> None:
    for name, phase in challenge.phases.items():
        chosen = Submission.objects.filter(phase=name).exclude(chosen_at=None).exclude(state=State.VOID)
        if chosen.filter(team__in=(team, to)).count() > phase.finals:
            chosen.filter(team=team).update(chosen_at=None)
