"""The people of a session: consent, withdrawal, what each did and how attentively; derived from the journal."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from nav_eval.dataset.tokens import tokenize
from nav_eval_extras.annotate.journal import (
    AnyEvent,
    Attended,
    Consented,
    Event,
    Followed,
    Journal,
    Played,
    Withdrawn,
    Written,
)
from nav_eval_extras.annotate.own_game import OwnGame
from nav_eval_extras.human.attention import hasty, only_forward
from nav_eval_extras.human.game import WATCHED_SECONDS

CHECK_EVERY = 4
"""Jobs of a person from one check of attention to the next; the first comes after the first job."""
TOKEN_SECONDS = 0.25
"""A token of a first text takes longer, film included: nobody types, or speaks, four words a second."""
AWAY_SECONDS = 1800.0
"""Whoever left their page for so long within a job: it goes to somebody else."""
WORK = Written | Followed | Played


class People(ABC):
    """Thread-safe."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._news = threading.Condition(threading.RLock())
        self._games: dict[int, OwnGame] = {}

    def meet(self, person: int, game: OwnGame) -> None:
        """By their game it is known whether they are there."""
        self._games[person] = game

    def _here(self, person: int) -> bool:
        """Whether they are at their page, and so may be given something."""
        return person not in self._games or self._games[person].silence < WATCHED_SECONDS

    def _is_free(self, person: int | None) -> bool:
        """Whether nobody has it, or somebody who left it lying."""
        return person is None or (person in self._games and self._games[person].silence >= AWAY_SECONDS)

    @abstractmethod
    def take(self, person: int) -> Any:
        """The next job of a person; None where there is none now."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether nothing is left to do for anybody."""

    @abstractmethod
    def share(self, person: int) -> dict[str, Any]:
        """What one person did, by which their payment code is `valid`, `void` (withdrawn) or `open` (nothing yet)."""

    @abstractmethod
    def progress(self) -> dict[str, Any]:
        """What the progress page shows."""

    def record(self, event: AnyEvent) -> bool:
        """Keep what somebody sent; False where they withdrew."""
        with self._news:
            if self.withdrawn(event.person):
                return False
            self._journal.add(event)
            self._news.notify_all()
            return True

    def withdraw(self, person: int) -> None:
        with self._news:
            self._journal.withdraw(person)
            self._news.notify_all()

    def wait(self, seconds: float) -> None:
        """For news."""
        with self._news:
            self._news.wait(seconds)

    def withdrawn(self, person: int) -> bool:
        return bool(self._journal.by(person, Withdrawn))

    def consented(self, person: int, version: str) -> bool:
        return any(event.version == version for event in self._journal.by(person, Consented))

    def _shared(self, person: int, seconds: float, **counts: int) -> dict[str, Any]:
        worked = self._journal.by(person, WORK)
        state = "void" if self.withdrawn(person) else "valid" if worked else "open"
        return {"state": state, **counts, "minutes": round(seconds / 60, 1)} | self.attention(person)

    def remarks(self, people: Iterable[int]) -> list[dict[str, int]]:
        """The attention of those of whom there is something to say."""
        told = [{"person": one, **self.attention(one)} for one in people]
        return [one for one in told if one["failed"] or one["hasty"] or one["only_forward"]]

    def check_due(self, person: int) -> bool:
        """Whether a check of this person's attention comes now."""
        jobs, checks = (len(self._journal.by(person, kind)) for kind in (WORK, Attended))
        return not self.done and not self.withdrawn(person) and jobs > CHECK_EVERY * checks

    def attention(self, person: int) -> dict[str, int]:
        """Checks, those `failed`, walks and texts made faster than anybody can (`hasty`), walks `only_forward`."""
        checks = [event.passed for event in self._journal.by(person, Attended)]
        walks = self._journal.by(person, Followed | Played)
        return {
            "checks": len(checks),
            "failed": checks.count(False),
            "hasty": sum(map(_hasty, self._journal.by(person))),
            "only_forward": sum(only_forward(walk.actions) for walk in walks),
        }

    def _all(self, kind: Any) -> Iterator[Any]:
        return (event for event in self._journal if isinstance(event, kind))


def _hasty(event: Event) -> bool:
    if isinstance(event, Written):
        return event.round == 1 and event.seconds < TOKEN_SECONDS * len(tokenize(event.words))
    if isinstance(event, Followed):
        return hasty(event.actions, [after.seconds - before.seconds for before, after in pairwise(event.track)])
    return isinstance(event, Played) and hasty(event.actions, event.seconds)
