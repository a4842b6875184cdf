"""When a phase takes submissions. Queue, boards, pages and API all ask `status`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    return _status(challenge, phase, _decision(), now)


def closes(challenge: Challenge, phase: str) -> datetime:
    """When it is to close: as the file says, unless an organiser has moved that."""
    return _decision().closes(challenge, phase)


@dataclass(frozen=True)
class _Decided:
    """What organisers have decided of phases, by their names: when one is to close, and when one was ended."""

    moved: Mapping[str, datetime]
    ended: Mapping[str, datetime]

    def closes(self, challenge: Challenge, phase: str) -> datetime:
        return self.moved.get(phase) or challenge.closes(phase)


def _decision() -> _Decided:
    moved, ended = MovedDate.objects.values_list("phase", "closes"), Closing.objects.values_list("phase", "at")
    return _Decided(dict(moved), dict(ended))


def _status(challenge: Challenge, phase: str, decided: _Decided, now: datetime) -> Status:
    if now >= decided.closes(challenge, phase) or phase in decided.ended:
        return "closed"
    return "upcoming" if now < challenge.opens(phase) else "open"


def phases(challenge: Challenge, now: datetime) -> list[PhaseView]:
    """In the order of the file."""
    decided = _decision()
    return [_view(challenge, name, decided, now) for name in challenge.phases]


def phase_view(challenge: Challenge, name: str, now: datetime) -> PhaseView:
    """Of one. Raises Refusal, as `rules`."""
    return _view(challenge, name, _decision(), now)


def _view(challenge: Challenge, name: str, decided: _Decided, now: datetime) -> PhaseView:
    found, planned = rules(challenge, name), decided.closes(challenge, name)
    return PhaseView(
        name=name,
        kind=found.kind,
        opens=challenge.opens(name),
        closes=min(planned, decided.ended.get(name, planned)),
        status=_status(challenge, name, decided, now),
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
