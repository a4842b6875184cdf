"""When a run gives its worker up at an episode end: its service loses one after the other, or its turn is over.

Nothing is lost by that: a run goes on where it stood.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Manager

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Attempt, Episode
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.health import seen_workers

LOSING = frozenset({"agent_timeout", "service_unavailable"})
"""How an episode ends whose service is away or hangs: after a long wait, for nothing."""


LOST = 2
"""So many lost in a row end a turn: the service may need all of its time to lose the next one."""


def broken(challenge: Challenge, attempt: Attempt) -> bool:
    """Whether the run's last episodes were all lost, as many as queue.breaker says; after a pause as many more.

    Whatever attempt lost them: it may have had to give up its turn between two.
    """
    most = challenge.queue.breaker * (attempt.submission.breaks + 1)
    return _lost(attempt.submission.episodes, most) and attempt.episode_set.exists()


def over(challenge: Challenge, attempt: Attempt, now: datetime) -> bool:
    """Whether it has played for its turn, and something at all; an agent of ours has no turn of its own."""
    turn = timedelta(minutes=challenge.queue.turn_minutes)
    ended = now >= attempt.started_at + turn or _lost(attempt.episode_set, LOST)
    return (attempt.submission.protocol == OURS or (bool(turn) and ended)) and attempt.episode_set.exists()


def _lost(episodes: Manager[Episode], most: int) -> bool:
    """Whether so many of the last ones were lost."""
    ends = episodes.order_by("-pk").values_list("status", flat=True)[:most] if most else ()
    return 0 < most <= len(ends) and LOSING.issuperset(ends)


def workers(now: datetime) -> int:
    """That were seen of late; one at least."""
    return max(1, seen_workers(now).filter(revoked_at=None).count())
