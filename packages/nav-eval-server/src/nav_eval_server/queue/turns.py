"""When a run gives its worker up at an episode end: its service loses one after the other, or its turn is over.

Nothing is lost by that: a run goes on where it stood.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Attempt, Episode, Event
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.health import seen_workers
from nav_eval_server.queue.states import State

LOSING = frozenset({"agent_timeout", "service_unavailable"})
"""How an episode ends whose service is away or hangs: after a long wait, for nothing."""
LOST = 2
"""So many lost in a row end a turn: the service may need all of its time to lose the next one."""


def broken(challenge: Challenge, attempt: Attempt) -> bool:
    """Whether the run's last episodes were all lost, as many as queue.breaker says; after a pause as many more.

    Whatever attempt lost them: it may have had to give up its turn between two. Where it had failed, and an organiser
    has it go on, what was lost before is forgotten.
    """
    if not _last_were_lost(attempt.episode_set.all(), 1):  # each word of a worker asks; the log of events has no index
        return False
    most = challenge.queue.breaker * (attempt.submission.breaks + 1)
    episodes = Episode.objects.filter(submission=attempt.submission_id)
    failed = Event.objects.filter(subject=attempt.submission_id, action=State.FAILED.value).order_by("-pk").first()
    if failed is not None:
        episodes = episodes.filter(attempt__gt=failed.details.get("attempt") or 0)
    return _last_were_lost(episodes, most)


def over(challenge: Challenge, attempt: Attempt, now: datetime) -> bool:
    """Whether it has played for its turn, and something at all; an agent of ours has no turn of its own."""
    turn = timedelta(minutes=challenge.queue.turn_minutes)
    ended = now >= attempt.started_at + turn or _last_were_lost(attempt.episode_set.all(), LOST)
    return (attempt.submission.protocol == OURS or (bool(turn) and ended)) and attempt.episode_set.exists()


def _last_were_lost(episodes: QuerySet[Episode], most: int) -> bool:
    """Whether so many of the last ones were lost."""
    ends = episodes.order_by("-pk").values_list("status", flat=True)[:most] if most else ()
    return 0 < most <= len(ends) and LOSING.issuperset(ends)


def workers(now: datetime) -> int:
    """That were seen of late; one at least."""
    return max(1, seen_workers(now).filter(revoked_at=None).count())
