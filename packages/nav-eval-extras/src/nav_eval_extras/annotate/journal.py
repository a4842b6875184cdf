"""What was sent, kept as it comes: DIR/annotations.jsonl. It holds numbers of people, never names.

It only grows, but for one case: who withdraws is taken out of it.
"""

from __future__ import annotations

import re
import secrets
import shutil
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.core.types import AgentState
from nav_eval.results.files import explained, locked, write_lines
from nav_eval.results.lines import append_line, take_up

NAME = "annotations.jsonl"
RUN = re.compile(r"run-[1-9][0-9]*")
"""Folders of several people who play; they can be written again from the decisions."""


class Pose(msgspec.Struct, frozen=True, array_like=True):
    """Where somebody stood and looked so many seconds after they began; position in m, rotation xyzw, elevation rad."""

    seconds: float
    position: tuple[float, float, float]
    rotation: tuple[float, float, float, float]
    elevation: float = 0.0
    node: str | None = None

    @classmethod
    def of(cls, state: AgentState, seconds: float) -> Pose:
        return cls(round(seconds, 3), state.position, state.rotation, state.elevation, state.node)


class Event(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something that person number `person` did; 0: nobody, an agent did it."""

    person: int
    at: str = msgspec.field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


class Consented(Event, frozen=True, kw_only=True):
    version: str


class Given(Event, frozen=True, kw_only=True):
    """A path that the person has seen from now on: to follow this text or play this episode, or (None) to write a text
    in this language.
    """

    path: str
    language: str
    text: str | None = None


class Written(Event, frozen=True, kw_only=True):
    """`round`: from 1; `asked`: what was asked back and sent all the same; `trace`: what of the film was looked at."""

    path: str
    language: str
    text: str
    words: str
    round: int
    seconds: float
    asked: Sequence[str] = ()
    trace: Sequence[Pose] = ()


class Followed(Event, frozen=True, kw_only=True):
    """`clear`: the follower says that it can be followed; `lost`: the place of the film until which they kept to the
    path; `track`: a pose at the start and after each of `actions`; `agent`: who followed, if no person.
    """

    path: str
    text: str
    metrics: dict[str, float]
    clear: bool
    lost: int
    accepted: bool
    seconds: float
    note: str = ""
    agent: str = ""
    actions: Sequence[str] = ()
    track: Sequence[Pose] = ()


class Played(Event, frozen=True, kw_only=True):
    """An episode of a benchmark, to its end. `seconds`: of each action; `key`: by which DIR/decisions has them.

    `success`: None where the task has no such metric.
    """

    path: str
    episode: str
    key: str
    actions: Sequence[str]
    seconds: Sequence[float]
    success: bool | None = None


class Practised(Event, frozen=True, kw_only=True):
    """An episode that does not count, to its end."""

    episode: str


class Attended(Event, frozen=True, kw_only=True):
    """A check whether they read what the page says."""

    passed: bool


class Withdrawn(Event, frozen=True, kw_only=True):
    """All that this person had sent was deleted."""


AnyEvent = Consented | Practised | Given | Written | Followed | Played | Attended | Withdrawn


class Journal:
    """Thread-safe; one process has it at a time. Iterating gives the events in their order."""

    def __init__(self, out: Path) -> None:
        """A last line that was not written whole is cut off. Raises RunDirectoryError where another process writes."""
        self._path, self._decisions, self._out = out / NAME, out / "decisions", out
        self._lock = threading.Lock()
        with explained(self._path):
            out.mkdir(parents=True, exist_ok=True)
            self._held = locked(out)
            self._path.touch()
        self._events: list[Any] = []
        self._of_path: dict[str, list[Any]] = {}
        self._by_person: dict[int, list[Any]] = {}
        for event in take_up(self._path, msgspec.json.Decoder(AnyEvent)):
            self._enter(event)
            if isinstance(event, Withdrawn):
                self._forget(event.person)

    def close(self) -> None:
        self._held.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(tuple(self._events))

    def of(self, path: str) -> Sequence[Any]:
        """What is about one path."""
        return tuple(self._of_path.get(path, ()))

    def by(self, person: int, kind: Any = Event) -> list[Any]:
        """What one person did, of a kind or of several."""
        return [event for event in tuple(self._by_person.get(person, ())) if isinstance(event, kind)]

    def _enter(self, event: Any) -> None:
        self._events.append(event)
        self._by_person.setdefault(event.person, []).append(event)
        if not isinstance(event, Consented | Practised | Attended | Withdrawn):
            self._of_path.setdefault(event.path, []).append(event)

    def add(self, event: AnyEvent) -> None:
        """Kept when this returns."""
        with self._lock:
            append_line(self._path, msgspec.json.encode(event))
            self._enter(event)

    def decisions_of(self, person: int) -> Path:
        """The folder of what a person decided while following."""
        return self._decisions / str(person)

    def withdraw(self, person: int) -> None:
        """Delete all that a person sent; that they withdrew is kept."""
        with self._lock:
            kept = [event for event in self._events if event.person != person]
            self._events, self._of_path, self._by_person = [], {}, {}
            for event in (*kept, Withdrawn(person=person)):
                self._enter(event)
            write_lines(self._path, self._events)
            self._forget(person)

    def _forget(self, person: int) -> None:
        """Delete runs that may hold what they decided, and then that: where a kill came between, it is still there."""
        decided = self.decisions_of(person)
        if decided.exists():
            with explained(self._path):
                runs = [one for one in self._out.iterdir() if RUN.fullmatch(one.name) and one.is_dir()]
                for folder in (*runs, decided):
                    shutil.rmtree(folder)


def new_text() -> str:
    return secrets.token_hex(6)
