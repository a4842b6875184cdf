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
    """`text`: to follow; of a guide, their own that came back from `verdict`; `round`: of the text to write, from 1."""

    role: Literal["guide", "follower"]
    path: str
    text: Written | None = None
    verdict: Followed | None = None
    round: int = 1


def accepts(metrics: dict[str, float], *, clear: bool) -> bool:
    """Whether a walk shows that its text can be followed."""
    return clear and bool(metrics.get("success")) and metrics.get("ndtw", 1.0) >= NDTW


class Desk(People):
    """Thread-safe. `paths`: in the order in which they are given out; `sieve`: the agent that follows first, or ""."""

    def __init__(self, journal: Journal, paths: Sequence[str], language: str, rounds: int, sieve: str = "") -> None:
        super().__init__(journal)
        self._paths, self._language, self._rounds, self._sieve = paths, language, rounds, sieve

    def record(self, event: AnyEvent) -> bool:
        """False also where it is about a text that was withdrawn meanwhile, or somebody else has the job by now."""
        with self._news:
            return self._accepts(event) and super().record(event)

    def _accepts(self, event: AnyEvent) -> bool:
        if isinstance(event, Written):
            return self._guide(event.path) == event.person
        if not isinstance(event, Followed):
            return True
        told = next((one for one in self._of(event.path, Written) if one.text == event.text), None)
        return told is not None and (bool(event.agent) or self._follower(told) == event.person)

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
        for path in seen:
            text = self._latest(path)
            if states.get(path) in ("writing", "returned") and self._guide(path) == person:
                yield self._to_write(person, path)
            elif states.get(path) == "waiting" and text and self._follower(text) == person:
                yield Job("follower", path, text)
        unseen = [path for path in self._paths if path not in seen] if self._here(person) else []
        for path in unseen:
            text = self._latest(path)
            if states[path] == "waiting" and text and self._sieved(text) and self._is_free(self._follower(text)):
                self._give(person, path, text.text, self._follower(text))
                yield Job("follower", path, text)
        for path in unseen:
            if states[path] in ("open", "writing", "returned") and self._is_free(self._guide(path)):
                self._give(person, path, None, self._guide(path))
                yield self._to_write(person, path)

    def _to_write(self, person: int, path: str) -> Job:
        text = self._latest(path)
        mine = text if text and text.person == person else None
        return Job("guide", path, mine, self._verdict(mine) if mine else None, text.round + 1 if text else 1)

    def _give(self, person: int, path: str, text: str | None, holder: int | None) -> None:
        """Also where a holder, who left it lying, had it before."""
        if holder is not None:
            self._games[holder].take_job()
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
        given = [one.person for one in self._of(text.path, Given) if one.text == text.text]
        return given[-1] if given else None

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
