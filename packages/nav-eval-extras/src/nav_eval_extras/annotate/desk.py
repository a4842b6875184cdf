"""Who does what next, and what became of each text: all of it derived from the journal, so that a restart knows it too.

A path needs one accepted text in the language that is asked for. A text goes to a follower who has never seen its path;
what they could not follow goes back to its guide, and after `rounds` of them the path is dropped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal, get_args

from nav_eval_extras.annotate.journal import AnyEvent, Followed, Given, Journal, Written
from nav_eval_extras.annotate.people import People

NDTW = 0.5
"""A follower who came to the goal by quite another way did not follow the text."""
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


class Desk(People):
    """Thread-safe. `paths`: in the order in which they are given out; `sieve`: the agent that follows first, or ""."""

    def __init__(self, journal: Journal, paths: Sequence[str], language: str, rounds: int, sieve: str = "") -> None:
        super().__init__(journal)
        self._paths, self._language, self._rounds, self._sieve = paths, language, rounds, sieve

    def record(self, event: AnyEvent) -> bool:
        """False also where it is about a text that was withdrawn meanwhile."""
        with self._news:
            gone = isinstance(event, Followed) and event.text not in [one.text for one in self._of(event.path, Written)]
            return not gone and super().record(event)

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
        seen = {given.path: given for given in self._journal.by(person, Given)}
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

    def _of(self, path: str, kind: Any) -> Iterator[Any]:
        return (event for event in self._journal.of(path) if isinstance(event, kind))

    def accepted(self) -> Iterator[tuple[Written, Followed]]:
        """The accepted texts of all languages, each with the walk that it was accepted by; by path, not by time."""
        verdicts = ((text, self._verdict(text)) for text in self._all(Written))
        accepted = [(text, verdict) for text, verdict in verdicts if verdict is not None and verdict.accepted]
        return iter(sorted(accepted, key=lambda pair: (pair[0].path, pair[0].language)))

    def share(self, person: int) -> dict[str, Any]:
        with self._news:
            texts, walks = (self._journal.by(person, kind) for kind in (Written, Followed))
            verdicts = [self._verdict(text) for text in texts]
            accepted = sum(1 for verdict in verdicts if verdict is not None and verdict.accepted)
            seconds = math.fsum(event.seconds for event in (*texts, *walks))
            return self._shared(person, seconds, texts=len(texts), accepted=accepted, walks=len(walks))

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
                "remarks": self.remarks(people),
            }
