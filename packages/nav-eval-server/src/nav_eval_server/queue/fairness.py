"""Who is next: the team that has had the least of the evaluator's time in the last 24 hours, then who came first.

Teams that have booked the hour go before all others, and all teams before agents of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Waiting:
    """A submission that may begin now. `endpoint`: the service that it needs for itself, if any.

    It is a word for each of the service's addresses (queue.endpoints.key).
    `ours`: of an agent of ours (queue.baselines); `image`: of a container image.
    """

    submission: str
    team: int
    accepted_at: datetime
    endpoint: str | None = None
    ours: bool = False
    image: bool = False

    def free(self, taken: Collection[str]) -> bool:
        return not any(word in taken for word in (self.endpoint or "").split())

    def order(self, seconds: Mapping[int, float]) -> tuple[bool, float, datetime, str]:
        """The least goes first."""
        return self.ours, seconds.get(self.team, 0.0), self.accepted_at, self.submission


def next_up(
    waiting: Iterable[Waiting],
    seconds: Mapping[int, float],
    taken: Collection[str],
    booked: Collection[int] = (),
    *,
    booked_only: bool = False,
) -> Waiting | None:
    """`seconds`: evaluator's time by team of late, what runs now included; `taken`: addresses that are at work.

    `booked`: teams whose hour it is; they go first, and with `booked_only` nobody else goes.
    """
    free = [one for one in waiting if one.free(taken)]
    first = [one for one in free if one.team in booked]
    candidates = first or ([] if booked_only else free)
    return min(candidates, key=lambda one: one.order(seconds), default=None)
