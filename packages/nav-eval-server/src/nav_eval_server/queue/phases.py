"""When a phase takes submissions. Queue, boards, pages and API all ask `status`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from nav_eval_server.challenge import DRY_RUN, Challenge, Phase, Quota
from nav_eval_server.models import Closing, MovedDate
from nav_eval_server.queue.refusal import Refusal

Status = Literal["upcoming", "open", "closed"]
ORDER: Sequence[Status] = ("open", "upcoming", "closed")
"""Of a first page."""


@dataclass(frozen=True)
class PhaseView:
    """A phase as everybody may see it. `private`: its board is shown when an organiser reveals it.

    `closes`: when it was closed, if that was before its time.
    """

    name: str
    kind: Literal["service", "predictions"]
    opens: datetime
    closes: datetime
    status: Status
    quota: Quota
    private: bool
    finals: int
    ladder: float | None
    images: Literal["also", "only"] | None


def rules(challenge: Challenge, phase: str) -> Phase:
    """What the file says of it. Raises Refusal, which names those that there are."""
    if phase not in challenge.phases:
        there = ", ".join([*challenge.phases, *([DRY_RUN] if challenge.dry_run else [])])
        raise Refusal(
            "phase_unknown",
            f"There is no phase {phase!r}. There are: {there}.",
            f"没有名为 {phase!r} 的阶段。现有阶段：{there}。",
        )
    return challenge.phases[phase]


def status(challenge: Challenge, phase: str, now: datetime) -> Status:
    """By its dates, unless an organiser has ended it before its time."""
    if now >= closes(challenge, phase) or _closed_at(phase) is not None:
        return "closed"
    return "upcoming" if now < challenge.opens(phase) else "open"


def closes(challenge: Challenge, phase: str) -> datetime:
    """When it is to close: as the file says, unless an organiser has moved that."""
    moved = MovedDate.objects.filter(phase=phase).values_list("closes", flat=True).first()
    return moved or challenge.closes(phase)


def _closed_at(phase: str) -> datetime | None:
    return Closing.objects.filter(phase=phase).values_list("at", flat=True).first()


def phases(challenge: Challenge, now: datetime) -> list[PhaseView]:
    """In the order of the file."""
    return [phase_view(challenge, name, now) for name in challenge.phases]


def phase_view(challenge: Challenge, name: str, now: datetime) -> PhaseView:
    found, planned = rules(challenge, name), closes(challenge, name)
    return PhaseView(
        name=name,
        kind=found.kind,
        opens=challenge.opens(name),
        closes=min(planned, _closed_at(name) or planned),
        status=status(challenge, name, now),
        quota=found.quota,
        private=found.board == "private",
        finals=found.finals,
        ladder=found.ladder,
        images=found.images,
    )


def counting_first(found: Sequence[PhaseView]) -> list[PhaseView]:
    """What counts now before the rest: the last that is open (the file goes from trying to deciding), what comes next,
    what ended last.
    """
    ranked = sorted(enumerate(found), key=lambda one: (ORDER.index(one[1].status), _moment(one[1]), -one[0]))
    return [view for _, view in ranked]


def _moment(view: PhaseView) -> float:
    """Of an open phase none: there the file decides."""
    times = {"open": 0.0, "upcoming": view.opens.timestamp(), "closed": -view.closes.timestamp()}
    return times[view.status]
