"""When a run gives its worker up at an episode end: its service loses one after the other, or its turn is over.

Nothing is lost by that: a run goes on where it stood.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from nav_eval_server.challenge import Challenge
from nav_eval_server.models import Attempt
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.health import seen_workers

LOSING = frozenset({"agent_timeout", "service_unavailable"})
"""How an episode ends whose service is away or hangs: after a long wait, for nothing."""


def broken(challenge: Challenge, attempt: Attempt) -> bool:
    """Whether its last episodes were all lost, as many as queue.breaker says."""
    most = challenge.queue.breaker
    ends = attempt.episode_set.order_by("-pk").values_list("status", flat=True)[:most] if most else ()
    return 0 < most <= len(ends) and LOSING.issuperset(ends)


def over(challenge: Challenge, attempt: Attempt, now: datetime) -> bool:
    """Whether it has played for its turn, and something at all; an agent of ours has no turn of its own."""
    turn = timedelta(minutes=challenge.queue.turn_minutes)
    ended = attempt.submission.protocol == OURS or (bool(turn) and now >= attempt.started_at + turn)
    return ended and attempt.episode_set.exists()


def workers(now: datetime) -> int:
    """That were seen of late; one at least."""
    return max(1, seen_workers(now).filter(revoked_at=None).count())
