"""When a phase takes submissions. Queue, boards, pages and API all ask `status`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from nav_eval_server.challenge import Challenge, Quota
from nav_eval_server.models import Closing

Status = Literal["upcoming", "open", "closed"]


@dataclass(frozen=True)
class PhaseView:
    """A phase as everybody may see it. `private`: its board is shown when an organiser reveals it."""

    name: str
    kind: Literal["service", "predictions"]
    opens: datetime
    closes: datetime
    status: Status
    quota: Quota
    private: bool
    finals: int


def status(challenge: Challenge, phase: str, now: datetime) -> Status:
    """By its dates, unless an organiser has ended it before its time."""
    if now >= challenge.closes(phase) or Closing.objects.filter(phase=phase).exists():
        return "closed"
    return "upcoming" if now < challenge.opens(phase) else "open"


def phases(challenge: Challenge, now: datetime) -> list[PhaseView]:
    """In the order of the file."""
    return [phase_view(challenge, name, now) for name in challenge.phases]


def phase_view(challenge: Challenge, name: str, now: datetime) -> PhaseView:
    rules, opens, closes = challenge.phases[name], challenge.opens(name), challenge.closes(name)
    private = rules.board == "private"
    return PhaseView(name, rules.kind, opens, closes, status(challenge, name, now), rules.quota, private, rules.finals)
