"""Appeals: a team says why a submission should not stand as it ended, an organiser answers and decides.

Both read the whole thread. Each function is one transaction and leaves its event; texts stay out of the audit log.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from nav_eval_server import events, organising
from nav_eval_server.challenge import DRY_RUN, Challenge
from nav_eval_server.models import Appeal, Submission, User, Word
from nav_eval_server.notices.outbox import tell
from nav_eval_server.notices.words import DECISIONS, Kind
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, Sentence, State

LONGEST = 2000
"""Characters of one text."""
MAX_APPEALS = 3
"""Of a submission."""
MAX_WORDS = 10
"""Of the team in one appeal."""
DECISIVE = {
    Appeal.State.RERUN: organising.rerun,
    Appeal.State.PLACE: organising.give_back,
    Appeal.State.VOID: organising.void,
}
"""What else ends an appeal than that the result stands."""
APPEALABLE = FINAL - {State.CANCELLED}


def may_appeal(submission: Submission) -> bool:
    """Whether it has ended otherwise than by the team's own wish, and no appeal is open or left."""
    appeals = submission.appeals
    ended = submission.state in APPEALABLE and submission.phase != DRY_RUN
    return ended and not appeals.filter(state=Appeal.State.OPEN).exists() and appeals.count() < MAX_APPEALS


def appeal(challenge: Challenge, submission: Submission, text: str, user: User, now: datetime) -> Appeal:
    """A new appeal of the submission's team. Raises Refusal."""
    with transaction.atomic():
        found = Submission.objects.select_for_update().get(pk=submission.pk)
        if found.state not in APPEALABLE or found.phase == DRY_RUN:
            raise Refusal("unfinished", "Only what has ended can be appealed.", "只能对已结束的提交提出申诉。")
        if found.appeals.filter(state=Appeal.State.OPEN).exists():
            raise Refusal("appeal_open", "An appeal is open already. Add to it.", "已有申诉正在处理，请在其中补充。")
        if found.appeals.count() >= MAX_APPEALS:
            raise Refusal(
                "appeals",
                f"A submission may be appealed {MAX_APPEALS} times. Write to the organisers.",
                f"每个提交最多申诉 {MAX_APPEALS} 次。请直接联系主办方。",
            )
        made = Appeal.objects.create(submission=found, opened_at=now)
        _say(made, text, user, now, organiser=False)
        events.record("appealed", found.id, actor=user.username, appeal=made.pk)
        _tell(challenge, "appealed", made)
        return made


def say(challenge: Challenge, found: Appeal, text: str, user: User, now: datetime, *, organiser: bool) -> None:
    """Add to an open appeal. Raises Refusal."""
    with transaction.atomic():
        found = _open(found)
        if not organiser and found.words.filter(organiser=False).count() >= MAX_WORDS:
            raise Refusal(
                "words",
                f"You have written {MAX_WORDS} times. Wait for the answer.",
                f"您已写了 {MAX_WORDS} 次，请等待答复。",
            )
        _say(found, text, user, now, organiser=organiser)
        events.record("appeal_answered" if organiser else "appeal_added", found.submission_id, actor=user.username)
        _tell(challenge, "appeal_answered" if organiser else "appealed", found)


def decide(challenge: Challenge, found: Appeal, state: Appeal.State, text: str, organiser: User, now: datetime) -> None:
    """End it with an answer: the result stands, or one of DECISIVE. Raises Refusal."""
    with transaction.atomic():
        found = _open(found)
        decision = DECISIVE.get(state)
        if decision is not None:
            decision(challenge, found.submission, text, organiser, now)
        _say(found, text, organiser, now, organiser=True)
        found.state, found.decided_at = state, now
        found.save()
        events.record(f"appeal_{state}", found.submission_id, actor=organiser.username, appeal=found.pk)
        _tell(challenge, "appeal_decided", found, said=DECISIONS[state])


def _tell(challenge: Challenge, kind: Kind, found: Appeal, **facts: Sentence) -> None:
    one, told = found.submission, dict[str, str | Sentence](facts)
    tell(challenge, kind, path=f"/submissions/{one.id}/", team=one.team, submission=one.id, **told)


def _open(found: Appeal) -> Appeal:
    row = Appeal.objects.select_for_update().get(pk=found.pk)
    if row.state != Appeal.State.OPEN:
        raise Refusal("appeal_closed", "This appeal has been decided.", "该申诉已裁定。")
    return row


def _say(found: Appeal, text: str, user: User, now: datetime, *, organiser: bool) -> None:
    text = text.strip()
    if not text:
        raise Refusal("no_words", "Write your reasons.", "请写明理由。")
    Word.objects.create(appeal=found, user=user, organiser=organiser, at=now, text=text[:LONGEST])
