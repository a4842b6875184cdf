"""What the scheduler ends: whatever is late."""

from __future__ import annotations

from datetime import datetime, timedelta

from nav_eval_server.models import Attempt, Mark, Submission
from nav_eval_server.queue.states import AT_WORK, FINAL, State
from nav_eval_server.queue.transitions import Transitions
from nav_eval_server.queue.verdict import Ending, Next


class Sweep(Transitions):
    """The queue as the scheduler sees it."""

    def sweep(self) -> int:
        """Move everything that is late; how many that were. May be called at any time, any number of times."""
        with self.locked() as now:
            late = self._end_silent(now) + self._end_long(now) + self._end_overdue(now)
            Mark.objects.update_or_create(name="sweep", defaults={"at": now})
            return late

    def _end_silent(self, now: datetime) -> int:
        """Attempts whose worker was silent for longer than its lease; by then it has stopped by itself."""
        expired = now - timedelta(seconds=self.challenge.queue.lease_seconds)
        silent = list(Attempt.objects.select_for_update().filter(live=True, heartbeat_at__lt=expired))
        for attempt in silent:
            self._close(attempt, Ending("lost"))
        return len(silent)

    def _end_long(self, now: datetime) -> int:
        """Submissions at work that have had more time than the rules give."""
        count = 0
        for submission in Submission.objects.filter(state__in=AT_WORK):
            spans = submission.attempts.values_list("started_at", "ended_at")
            spent = sum(((ended or now) - started).total_seconds() for started, ended in spans)
            if spent > self.challenge.queue.run_seconds:
                submission.attempts.filter(live=True).update(stopping=True)
                self._move(submission, Next(State.FAILED, "too_long"))
                count += 1
        return count

    def _end_overdue(self, now: datetime) -> int:
        """Submissions that have waited too long, or are said to be at work and are not.

        A service that was silent for too long has one more try, whenever a worker comes to it: perhaps none was free.
        """
        overdue = Submission.objects.filter(deadline__lt=now).exclude(state__in=FINAL).exclude(attempts__live=True)
        for submission in overdue:
            queued = submission.state == State.QUEUED
            self._move(submission, Next(State.FAILED, "not_taken") if queued else Next(State.QUEUED, retry_at=now))
        return len(overdue)
