"""Who does what next, and what became of each text: all of it derived from the journal, so that a restart knows it too.

A path needs one accepted text in the language that is asked for. A text goes to a follower who has never seen its path;
what they could not follow goes back to its guide, and after `rounds` of them the path is dropped.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any, Literal, get_args

from nav_eval.dataset.tokens import tokenize
from nav_eval_extras.annotate.journal import (
    AnyEvent,
    Attended,
    Consented,
    Followed,
    Given,
    Journal,
    Withdrawn,
    Written,
)
from nav_eval_extras.human.attention import hasty, only_forward

NDTW = 0.5
"""A follower who came to the goal by quite another way did not follow the text."""
CHECK_EVERY = 4
"""Jobs of a person from one check of attention to the next; the first comes after the first job."""
TOKEN_SECONDS = 0.25
"""A token of a first text takes longer, film included: nobody types, or speaks, four words a second."""
State = Literal["accepted", "waiting", "returned", "writing", "open", "dropped"]


@dataclass(frozen=True, slots=True)
class Job:
    """`text`: to follow; of a guide, their own that came back from `verdict`."""

    role: Literal["guide", "follower"]
    path: str
    text: Written | None = None
    verdict: Followed | None = None


def accepts(metrics: dict[str, float], *, clear: bool) -> bool:
    """Whether a walk shows that its text can be followed."""
    return clear and bool(metrics.get("success")) and metrics.get("ndtw", 1.0) >= NDTW


class Desk:
    """Thread-safe. `paths`: in the order in which they are given out; `sieve`: the agent that follows first, or ""."""

    def __init__(self, journal: Journal, paths: Sequence[str], language: str, rounds: int, sieve: str = "") -> None:
        self._journal, self._paths, self._language = journal, paths, language
        self._rounds, self._sieve = rounds, sieve
        self._news = threading.Condition(threading.RLock())

    def record(self, event: AnyEvent) -> bool:
        """Keep what somebody sent; False where it is about a text that was withdrawn meanwhile, or by who withdrew."""
        with self._news:
            gone = isinstance(event, Followed) and event.text not in [one.text for one in self._of(event.path, Written)]
            if gone or self.withdrawn(event.person):
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
        return any(event.person == person for event in self._all(Withdrawn))

    def consented(self, person: int, version: str) -> bool:
        return any((event.person, event.version) == (person, version) for event in self._all(Consented))

    def take(self, person: int) -> Job | None:
        """What the person does next: what they were at, a text that came back, one to follow, or a new path."""
        with self._news:
            return next(self._jobs(person), None)

    def to_sieve(self) -> Written | None:
        """The next text for the agent."""
        with self._news:
            waiting = (self._latest(path) for path in self._paths if self.state(path) == "waiting")
            return next((text for text in waiting if text and not self._sieved(text)), None)

    @property
    def done(self) -> bool:
        """Whether every path has a text, or was dropped."""
        with self._news:
            return all(self.state(path) in ("accepted", "dropped") for path in self._paths)

    def _jobs(self, person: int) -> Iterator[Job]:
        seen = {given.path: given for given in self._all(Given) if given.person == person}
        states = {path: self.state(path) for path in self._paths}
        for path, given in seen.items():
            text = self._latest(path)
            if states.get(path) == "writing" and self._guide(path) == person:
                yield Job("guide", path)
            elif states.get(path) == "returned" and text and text.person == person:
                yield Job("guide", path, text, self._verdict(text))
            elif states.get(path) == "waiting" and text and given.text == text.text:
                yield Job("follower", path, text)
        for path in (path for path in self._paths if path not in seen):
            text = self._latest(path)
            if states[path] == "waiting" and text and self._sieved(text) and self._follower(text) is None:
                self._give(person, path, text.text)
                yield Job("follower", path, text)
        for path in (path for path in self._paths if path not in seen and states[path] == "open"):
            self._give(person, path)
            yield Job("guide", path)

    def _give(self, person: int, path: str, text: str | None = None) -> None:
        self._journal.add(Given(person=person, path=path, language=self._language, text=text))
        self._news.notify_all()

    def state(self, path: str) -> State:
        text = self._latest(path)
        if text is None:
            return "open" if self._guide(path) is None else "writing"
        verdict = self._verdict(text)
        if verdict is None:
            return "waiting"
        if verdict.accepted:
            return "accepted"
        return "returned" if text.round < self._rounds else "dropped"

    def _latest(self, path: str) -> Written | None:
        mine = (text for text in self._of(path, Written) if text.language == self._language)
        return max(mine, key=lambda text: text.round, default=None)

    def _verdict(self, text: Written) -> Followed | None:
        """A person's; an agent's only where it accepts, for what an agent cannot follow a person perhaps can."""
        walks = [walk for walk in self._walks(text) if walk.accepted or not walk.agent]
        return walks[-1] if walks else None

    def _walks(self, text: Written) -> list[Followed]:
        return [walk for walk in self._of(text.path, Followed) if walk.text == text.text]

    def _sieved(self, text: Written) -> bool:
        return not self._sieve or any(walk.agent for walk in self._walks(text))

    def _guide(self, path: str) -> int | None:
        given = [one for one in self._of(path, Given) if (one.language, one.text) == (self._language, None)]
        return given[-1].person if given else None

    def _follower(self, text: Written) -> int | None:
        return next((given.person for given in self._of(text.path, Given) if given.text == text.text), None)

    def _all(self, kind: Any) -> Iterator[Any]:
        return (event for event in self._journal if isinstance(event, kind))

    def _of(self, path: str, kind: Any) -> Iterator[Any]:
        return (event for event in self._journal.of(path) if isinstance(event, kind))

    def accepted(self) -> Iterator[tuple[Written, Followed]]:
        """The accepted texts of all languages, each with the walk that it was accepted by; by path, not by time."""
        verdicts = ((text, self._verdict(text)) for text in self._all(Written))
        accepted = [(text, verdict) for text, verdict in verdicts if verdict is not None and verdict.accepted]
        return iter(sorted(accepted, key=lambda pair: (pair[0].path, pair[0].language)))

    def share(self, person: int) -> dict[str, Any]:
        """What one person did, by which their payment code is `valid`, `void` (withdrawn) or `open` (nothing yet)."""
        with self._news:
            texts = [one for one in self._all(Written) if one.person == person]
            walks = [one for one in self._all(Followed) if one.person == person]
            accepted = sum(1 for text, _ in self.accepted() if text.person == person)
            state = "void" if self.withdrawn(person) else "valid" if texts or walks else "open"
            minutes = math.fsum(event.seconds for event in (*texts, *walks)) / 60
            counts = {"texts": len(texts), "accepted": accepted, "walks": len(walks)}
            return {"state": state, **counts, "minutes": round(minutes, 1)} | self.attention(person)

    def check_due(self, person: int) -> bool:
        """Whether a check of this person's attention comes now."""
        jobs, checks = (
            sum(event.person == person for event in self._all(kind)) for kind in (Written | Followed, Attended)
        )
        return not self.done and not self.withdrawn(person) and jobs > CHECK_EVERY * checks

    def attention(self, person: int) -> dict[str, int]:
        """Checks, those `failed`, walks and texts made faster than anybody can (`hasty`), walks `only_forward`."""
        mine = [event for event in self._journal if event.person == person]
        checks = [event.passed for event in mine if isinstance(event, Attended)]
        walks = [event for event in mine if isinstance(event, Followed)]
        fast = [_hasty_walk(event) for event in walks] + [_hasty_text(one) for one in mine if isinstance(one, Written)]
        return {
            "checks": len(checks),
            "failed": checks.count(False),
            "hasty": sum(fast),
            "only_forward": sum(only_forward(walk.actions) for walk in walks),
        }

    def progress(self) -> dict[str, Any]:
        """`hours`: of people, per accepted text; `reached`, `ndtw`: how well followers agree with the guides."""
        with self._news:
            people = sorted({event.person for event in self._all(Given)})
            states = Counter(self.state(path) for path in self._paths)
            walks = [walk for walk in self._all(Followed) if not walk.agent]
            spent = math.fsum(event.seconds for event in (*self._all(Written), *walks)) / 3600
            accepted = sum(1 for _ in self.accepted())
            measured = [walk.metrics["ndtw"] for walk in walks if "ndtw" in walk.metrics]
            return {
                "paths": len(self._paths),
                "states": {name: states[name] for name in get_args(State)},
                "rejected": sum(1 for walk in walks if not walk.accepted),
                "hours": spent / accepted if accepted else None,
                "walks": len(walks),
                "sieved": sum(1 for walk in self._all(Followed) if walk.agent and walk.accepted),
                "reached": fmean(bool(walk.metrics.get("success")) for walk in walks) if walks else None,
                "ndtw": fmean(measured) if measured else None,
                "people": len(people),
                "remarks": [{"person": one} | told for one in people if _remarkable(told := self.attention(one))],
            }


def _remarkable(told: dict[str, int]) -> bool:
    return any(count for name, count in told.items() if name != "checks")


def _hasty_walk(walk: Followed) -> bool:
    return hasty([after.seconds - before.seconds for before, after in pairwise(walk.track)])


def _hasty_text(text: Written) -> bool:
    return text.round == 1 and text.seconds < TOKEN_SECONDS * len(tokenize(text.words))
