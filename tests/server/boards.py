"""Submissions that are done, as rows, without anybody having played."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count

from nav_eval_server.models import Attempt, Episode, Result, Submission, Team, Token

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FENCES = count(1_000_000)
Values = Mapping[tuple[str, str], float | None]


def team(name: str, role: str = Team.Role.TEAM) -> Team:
    return Team.objects.get_or_create(name=name, defaults={"state": Team.State.APPROVED, "role": role})[0]


def worker() -> Token:
    return Token.objects.get_or_create(digest="0" * 64, defaults={"scope": Token.Scope.WORKER, "name": "w"})[0]


def done(
    owner: Team,
    values: Values,
    *,
    phase: str = "dev",
    measure: str = "spl",
    better: str = "higher",
    failed: frozenset[tuple[str, str]] = frozenset(),
    others: Mapping[str, float] | None = None,
) -> Submission:
    """With one value per (scene, episode); None is not finite. Each one is found a second after the one before."""
    n = next(FENCES)
    at = NOW + timedelta(seconds=n)
    made = Submission.objects.create(
        team=owner, phase=phase, kind="predictions", accepted_at=at, since=at, retry_at=at, state=Submission.State.DONE
    )
    attempt = Attempt.objects.create(
        submission=made, n=1, fence=n, worker=worker(), instance="i", started_at=at, heartbeat_at=at, ended_at=at,
        live=False,
    )  # fmt: skip
    rows = []
    for key, value in values.items():
        row = {"scene": key[0], "episode": key[1], "status": "agent_error" if key in failed else "ok"}
        rows.append(Episode(submission=made, attempt=attempt, metrics={measure: value}, **row))
    Episode.objects.bulk_create(rows)
    finite = [value for value in values.values() if value is not None]
    mean = math.fsum(finite) / len(finite) if finite else None
    means = {measure: mean, **(others or {})}
    document = {
        "metrics": {name: {"mean": value} for name, value in means.items()},
        "definitions": {measure: {"better": better}},
    }
    Result.objects.create(submission=made, document=document, at=at)
    return made
