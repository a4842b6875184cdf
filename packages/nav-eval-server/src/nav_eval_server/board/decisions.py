"""What organisers and teams decide about boards: a team's finals, the end of a phase, the reveal."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.db import transaction
from django.db.models import QuerySet

from nav_eval_server import events
from nav_eval_server.board.places import Board, agree, document, keep, latest
from nav_eval_server.challenge import DRY_RUN, Challenge
from nav_eval_server.models import Closing, Ranking, Submission, Team
from nav_eval_server.notices.outbox import tell
from nav_eval_server.queue import phases
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, State


def choose(challenge: Challenge, submission: Submission, actor: str, now: datetime, *, chosen: bool = True) -> None:
    """Count it in the final board, or no longer. Raises Refusal once the phase is over, or if too many are chosen."""
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=submission.team_id)
        found = Submission.objects.get(pk=submission.pk)
        if found.phase == DRY_RUN:
            raise Refusal("dry_run_done", "A dry run counts on no board.", "试运行不计入任何榜单。")
        if over(challenge, found.phase, now):
            raise Refusal("phase_closed", f"The phase {found.phase} is over.", f"阶段 {found.phase} 已结束。")
        if found.state != State.DONE:
            raise Refusal("not_done", "Only what is done can be chosen.", "只能选择已完成的提交。")
        most = challenge.phases[found.phase].finals
        taken = finalists(found).exclude(pk=found.pk).values_list("pk", flat=True)
        if chosen and len(taken) >= most:
            named = ", ".join(taken)
            raise Refusal(
                "finals",
                f"{most} may be chosen, and are: {named}. Take one back first.",
                f"最多可选 {most} 个，已选满：{named}。请先取消一个。",
            )
        Submission.objects.filter(pk=found.pk).update(chosen_at=now if chosen else None)
        events.record("chosen" if chosen else "not chosen", found.id, actor=actor)


def finalists(submission: Submission) -> QuerySet[Submission]:
    """What its team has chosen in its phase, the submission itself too if it is."""
    mine = Submission.objects.filter(team=submission.team_id, phase=submission.phase, state=State.DONE)
    return mine.exclude(chosen_at=None).order_by("chosen_at")


def choosable(challenge: Challenge, submission: Submission, now: datetime) -> bool:
    """Whether its team may still choose it."""
    counts = submission.state == State.DONE and submission.phase != DRY_RUN
    return counts and not over(challenge, submission.phase, now)


def over(challenge: Challenge, phase: str, now: datetime) -> bool:
    """Whether the phase takes nothing any more."""
    return phases.status(challenge, phase, now) == "closed"


def close(phase: str, actor: str, now: datetime) -> None:
    """The phase takes nothing from now on; what has been accepted is still evaluated."""
    with transaction.atomic():
        if Closing.objects.get_or_create(phase=phase, defaults={"at": now})[1]:
            events.record("closed", phase, actor=actor)


def unfinished(phase: str) -> int:
    """Of teams: what agents of ours have not ended is left out of a frozen phase."""
    return Submission.objects.filter(phase=phase).exclude(state__in=FINAL).exclude(protocol=OURS).count()


BoardState = Literal["hidden", "revealed", "changed"]


def board_state(challenge: Challenge, phase: str) -> BoardState:
    """Whether everybody sees the final board; changed: as it was, before something was struck through."""
    last = latest(phase, Board.FINAL, revealed=True)
    if last is None:
        return "hidden"
    return "revealed" if agree(last.document, document(challenge, phase, Board.FINAL)) else "changed"


def reveal(challenge: Challenge, phase: str, actor: str, now: datetime) -> Ranking:
    """Show the final board to everybody. Again: as it is by then, where something was struck through since.

    Raises Refusal while the phase takes submissions, or some are unfinished, or if what is shown has not changed.
    """
    phases.rules(challenge, phase)
    if not over(challenge, phase, now):
        raise Refusal("not_closed", f"The phase {phase} still takes submissions.", f"阶段 {phase} 仍在接受提交。")
    if left := unfinished(phase):
        raise Refusal(
            "unfinished", f"{left} submission(s) of {phase} are unfinished.", f"{phase} 还有 {left} 个提交未完成。"
        )
    with transaction.atomic():
        if board_state(challenge, phase) == "revealed":
            raise Refusal(
                "revealed", f"The final board of {phase} is revealed already.", f"{phase} 的最终排行榜已经公布。"
            )
        kept = keep(document(challenge, phase, Board.FINAL), now, revealed=True)
        events.record("revealed", phase, actor=actor, sha256=kept.sha256)
        tell(challenge, "revealed", path=f"/board/{phase}/", phase=phase)
        return kept
