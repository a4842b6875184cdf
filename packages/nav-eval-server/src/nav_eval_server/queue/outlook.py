"""Who waits, how much of the evaluator's time each team has had, and so when a submission is to begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.db.models import Q

from nav_eval_server.challenge import DRY_RUN, Challenge
from nav_eval_server.models import Attempt, Submission
from nav_eval_server.queue import turns
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.fairness import Waiting
from nav_eval_server.queue.states import WAITING, State

DAY = timedelta(days=1)
LATEST = 20
"""So many ended runs of a phase say how long one takes."""


@dataclass(frozen=True)
class Outlook:
    """`place`: 1 is next. `expected_start`: to the minute; None where no run of the phase has ended yet."""

    place: int
    expected_start: datetime | None


def waiting(challenge: Challenge, now: datetime) -> list[Waiting]:
    """What may begin now."""
    rows = Submission.objects.filter(state__in=WAITING, retry_at__lte=now, phase__in=[*challenge.phases, DRY_RUN])
    idle = rows.exclude(attempts__live=True).values_list("id", "team_id", "accepted_at", "endpoint_key", "protocol")
    return [Waiting(*row[:4], ours=row[4] == OURS, image=row[4] == "image") for row in idle]


def seconds(now: datetime) -> Mapping[int, float]:
    """Evaluator's time by team in the last 24 hours, what runs now included."""
    begin, found = now - DAY, dict[int, float]()
    rows = Attempt.objects.filter(Q(live=True) | Q(ended_at__gt=begin))
    for team, started, ended in rows.values_list("submission__team_id", "started_at", "ended_at"):
        found[team] = found.get(team, 0.0) + ((ended or now) - max(started, begin)).total_seconds()
    return found


class Queue:
    """As it is at one moment. What is asked of it is read from the database once, however many submissions a page has.

    `challenge`, `now`: whose, and when.
    """

    def __init__(self, challenge: Challenge, now: datetime) -> None:
        self.challenge, self.now = challenge, now
        self._usual: dict[str, float | None] = {}

    def outlook(self, submission: Submission) -> Outlook | None:
        """Of what waits in the queue for a worker; None of anything else."""
        if submission.state != State.QUEUED or submission.pk not in self._places:
            return None
        ahead, each = self._places[submission.pk], self._usual_seconds(submission.phase)
        if each is None:
            return Outlook(ahead + 1, None)
        left = sum(max(0.0, each - (self.now - started).total_seconds()) for started in self._running)
        begins = self.now + timedelta(seconds=(left + ahead * each) / self._workers)
        return Outlook(ahead + 1, begins.replace(second=0, microsecond=0))

    @cached_property
    def _places(self) -> Mapping[str, int]:
        """0 is next."""
        had, queue = seconds(self.now), waiting(self.challenge, self.now)
        ordered = sorted(queue, key=lambda one: one.order(had))
        return {one.submission: n for n, one in enumerate(ordered)}

    @cached_property
    def _running(self) -> list[datetime]:
        return list(Attempt.objects.filter(live=True).values_list("started_at", flat=True))

    @cached_property
    def _workers(self) -> int:
        return turns.workers(self.now)

    def _usual_seconds(self, phase: str) -> float | None:
        if phase not in self._usual:
            self._usual[phase] = usual_seconds(phase)
        return self._usual[phase]


def usual_seconds(phase: str) -> float | None:
    """That a team's run of the phase takes in the mean."""
    done = Submission.objects.filter(phase=phase, state=State.DONE).exclude(protocol=OURS)
    ended = done.order_by("-since")[:LATEST]
    spans = Attempt.objects.filter(submission__in=list(ended)).values_list("submission", "started_at", "ended_at")
    spent = [(end - start).total_seconds() for _, start, end in spans if end is not None]
    runs = len({submission for submission, _, _ in spans})
    return sum(spent) / runs if runs else None
