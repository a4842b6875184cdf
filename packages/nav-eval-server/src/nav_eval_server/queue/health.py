"""How the queue stands, for /healthz and the organisers' first page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from nav_eval_server.models import Attempt, Mark, Submission, Token
from nav_eval_server.queue.states import FINAL, WAITING

SWEEP_SECONDS = 60.0
"""A scheduler that has not swept for so long is not well."""
SEEN = timedelta(minutes=2)


@dataclass(frozen=True)
class Health:
    """`stuck`: submissions whose deadline passed a minute ago, which the sweep should have moved: 0, always."""

    waiting: int
    oldest_seconds: float
    running: int
    workers: int
    stuck: int
    sweep_seconds: float | None
    """Since the last sweep; None before the first."""

    @property
    def sweeps(self) -> bool:
        """Whether the scheduler is at work."""
        return self.sweep_seconds is not None and self.sweep_seconds < SWEEP_SECONDS

    @property
    def well(self) -> bool:
        return self.stuck == 0 and self.sweeps


def health(now: datetime) -> Health:
    waiting = Submission.objects.filter(state__in=WAITING).order_by("accepted_at")
    oldest = waiting.first()
    late = Submission.objects.exclude(state__in=FINAL).filter(deadline__lt=now - timedelta(seconds=SWEEP_SECONDS))
    swept = Mark.objects.filter(name="sweep").first()
    return Health(
        waiting=waiting.count(),
        oldest_seconds=(now - oldest.accepted_at).total_seconds() if oldest else 0.0,
        running=Attempt.objects.filter(live=True).count(),
        workers=Token.objects.filter(scope=Token.Scope.WORKER, last_used_at__gt=now - SEEN).count(),
        stuck=late.count(),
        sweep_seconds=(now - swept.at).total_seconds() if swept and swept.at else None,
    )
