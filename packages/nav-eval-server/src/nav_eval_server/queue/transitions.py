"""How a submission changes its state and an attempt ends: the one place where either does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from nav_eval.errors import NavEvalError
from nav_eval_server import events
from nav_eval_server.challenge import DRY_RUN, Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Attempt, Mark, Result, Submission
from nav_eval_server.notices.outbox import tell
from nav_eval_server.notices.words import NO_GOOD_EPISODE, Kind
from nav_eval_server.queue import quota, turns
from nav_eval_server.queue.inbox import Inbox
from nav_eval_server.queue.states import AT_WORK, FAULTS, FINAL, Sentence, State, sentence
from nav_eval_server.queue.tally import reasons, tally
from nav_eval_server.queue.verdict import MISCONFIGURED, Case, Ending, Next, judge


class Transitions:
    """`now`: the clock, in UTC."""

    def __init__(self, challenge: Challenge, now: Callable[[], datetime] = timezone.now) -> None:
        self.challenge = challenge
        self.folder = Folder(challenge.folder)
        self._now = now

    def inbox(self, submission: str) -> Inbox:
        """The submission's run directory, so far as it has arrived."""
        return Inbox(self.folder.runs, submission)

    @contextmanager
    def locked(self) -> Iterator[datetime]:
        """A transaction that no other claim, end or sweep runs beside."""
        with transaction.atomic():
            Mark.objects.select_for_update().get_or_create(name="queue")
            yield self._now()

    def _close(self, attempt: Attempt, ending: Ending) -> None:
        """End an attempt, and decide what becomes of its submission, unless that is decided."""
        now = self._now()
        attempt.live, attempt.ended_at = False, now
        attempt.outcome, attempt.rc, attempt.message = ending.outcome, ending.rc, ending.message[:2000]
        attempt.save()
        submission = Submission.objects.get(pk=attempt.submission_id)
        if submission.state in FINAL:
            return
        result = self._result(submission, ending)
        unable = submission.attempts.filter(outcome="unable").count()
        case = Case(submission.kind, submission.unready_since, submission.strikes, result is not None, unable)
        to = judge(self.challenge, case, ending, now)
        if ending.outcome == "yielded" and turns.broken(self.challenge, attempt):
            to = self._pause(submission, now)
        if to.state == State.DONE and result is not None:
            quota.spend(submission, now)
            result.save()
        self._move(submission, to, attempt=attempt.pk)
        if to.why == MISCONFIGURED:
            tell(self.challenge, MISCONFIGURED, team=submission.team, said=ending.message, **_place(submission))

    def _pause(self, submission: Submission, now: datetime) -> Next:
        """Once; then it has failed. Before it goes on its service is asked whether it is ready."""
        if submission.breaks:
            return Next(State.FAILED, "service_lost")
        Submission.objects.filter(pk=submission.pk).update(breaks=1)
        again = now + timedelta(seconds=self.challenge.endpoints.retry_seconds)
        return Next(State.WAITING_SERVICE, retry_at=again, unready_since=now)

    def _result(self, submission: Submission, ending: Ending) -> Result | None:
        """What the attempt brought, if it is whole and proved."""
        if ending.outcome != "played" or ending.rc not in (0, 1):
            return None
        inbox = self.inbox(submission.id)
        try:
            proved = submission.kind == "predictions" or inbox.proved(ending.manifest)
        except NavEvalError:
            return None
        document = inbox.document("results.json" if submission.kind == "service" else "scored.json")
        if not proved or document is None or document.get("n_lost"):
            return None
        return Result(
            submission=submission, document=document, manifest_sha256=ending.manifest, at=self._at(submission)
        )

    def _at(self, submission: Submission) -> datetime:
        """When its result counts as found: that of a new run has the place of the old one among its team's."""
        old = submission.reruns
        while old is not None and old.reruns is not None:
            old = old.reruns
        earlier = Result.objects.filter(submission=old).values_list("at", flat=True).first() if old else None
        return earlier or self._now()

    def _move(self, submission: Submission, to: Next, *, actor: str = "", attempt: int | None = None) -> None:
        """The only place where a state changes."""
        now = self._now()
        submission.refresh_from_db(fields=["strikes", "unready_since", "episodes_total", "breaks"])
        silent = to.state == State.WAITING_SERVICE and submission.unready_since is None
        submission.state, submission.since = to.state, now
        submission.deadline = self._deadline(to, now)
        submission.retry_at = to.retry_at or submission.retry_at
        submission.unready_since = to.unready_since or submission.unready_since
        submission.strikes += to.strike
        if to.state in FINAL:
            submission.why, submission.detail = to.why, to.detail[:500]
            submission.fault = FAULTS.get(to.why, Submission.Fault.NOBODY)
            quota.settle(submission)
        submission.save()
        if to.state in FINAL or actor:
            events.record(to.state.value, submission.id, actor=actor, why=to.why, attempt=attempt)
        if submission.phase != DRY_RUN and (silent or (to.state in FINAL and to.state != State.CANCELLED)):
            self._tell("service_unready" if silent else "ended", submission)

    def _tell(self, kind: Kind, submission: Submission) -> None:
        """Its team, how it stands."""
        zone, now, counts = self.challenge.zone, self._now(), tally(submission)
        said: Sentence = {
            "en": sentence(submission, "en", zone=zone, now=now, tally=counts),
            "zh": sentence(submission, "zh", zone=zone, now=now, tally=counts),
        }
        warning: str | Sentence = NO_GOOD_EPISODE if counts.failures == "all" else ""
        why = "\n".join(f"{one.status}: {one.text}" for one in reasons(submission)) if counts.failed else ""
        more = {"failed_episodes": str(counts.failed), "reasons": why, **_place(submission)}
        tell(self.challenge, kind, team=submission.team, said=said, warning=warning, **more)

    def _deadline(self, to: Next, now: datetime) -> datetime | None:
        if to.state in FINAL:
            return None
        rules = self.challenge
        if to.state == State.WAITING_SERVICE:
            return (to.unready_since or now) + timedelta(seconds=rules.endpoints.wait_seconds)
        seconds = rules.queue.lease_seconds if to.state in AT_WORK else rules.queue.queued_seconds
        return now + timedelta(seconds=seconds)


def _place(submission: Submission) -> dict[str, str]:
    """What every notice about it says."""
    return {"path": f"/submissions/{submission.id}/", "phase": submission.phase, "submission": submission.id}
