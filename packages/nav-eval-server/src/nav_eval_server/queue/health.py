"""How the queue stands, for /healthz and the organisers' first page."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from nav_eval_server.challenge import Challenge
from nav_eval_server.disk import has_room
from nav_eval_server.folder import Folder
from nav_eval_server.models import Attempt, Mark, Submission, Token
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.states import FINAL, WAITING

SWEEP_SECONDS = 60.0
"""A scheduler that has not swept for so long is not well."""
SEEN = timedelta(minutes=2)
LOCKED_SECONDS = 5.0
"""A database that nobody may write for so long is locked; writers of ours are through in a moment."""
ASKED_SECONDS = 2.0
"""So long an answer of `writable` holds, however many ask."""
_LOCK = threading.Lock()
_KEPT: dict[str, tuple[float, bool]] = {}


@dataclass(frozen=True)
class Health:
    """`waiting` and `oldest_seconds` are of teams' submissions.

    `stuck`: submissions whose deadline passed a minute ago, which the sweep should have moved: 0, always.
    """

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


def writable(challenge: Challenge) -> bool:
    """Whether disk and database can take a submission now. May take as long as LOCKED_SECONDS."""
    folder = Folder(challenge.folder)
    with _LOCK:
        until, well = _KEPT.get(str(folder.path), (0.0, False))
        if time.monotonic() >= until:
            well = has_room(folder.path / "state") and (challenge.database is not None or _is_unlocked(folder))
            _KEPT[str(folder.path)] = time.monotonic() + ASKED_SECONDS, well
        return well


def _is_unlocked(folder: Folder) -> bool:
    try:
        with closing(sqlite3.connect(folder.database, timeout=LOCKED_SECONDS, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.Error:
        return False
    return True


def seen_workers(now: datetime) -> QuerySet[Token]:
    """Tokens of workers that have called of late."""
    return Token.objects.filter(scope=Token.Scope.WORKER, last_used_at__gt=now - SEEN)


def health(now: datetime) -> Health:
    waiting = Submission.objects.filter(state__in=WAITING).exclude(protocol=OURS).order_by("accepted_at")
    oldest = waiting.first()
    late = Submission.objects.exclude(state__in=FINAL).filter(deadline__lt=now - timedelta(seconds=SWEEP_SECONDS))
    swept = Mark.objects.filter(name="sweep").first()
    return Health(
        waiting=waiting.count(),
        oldest_seconds=(now - oldest.accepted_at).total_seconds() if oldest else 0.0,
        running=Attempt.objects.filter(live=True).count(),
        workers=seen_workers(now).count(),
        stuck=late.count(),
        sweep_seconds=(now - swept.at).total_seconds() if swept and swept.at else None,
    )
