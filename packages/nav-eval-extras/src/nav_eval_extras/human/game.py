"""What the run's thread and the page's requests share: what is shown now, and the choice that is waited for.

The run asks and waits; the page shows and answers. A page that is loaded again is told the same once more, and of
several pages only the one that was opened last may answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

WATCHED_SECONDS = 15.0
"""A page that has not asked for so long is gone."""


class PlayedElsewhere(Exception):
    """Another page was opened since, and plays."""


class NotAsked(Exception):
    """The choice does not answer what is asked now."""


class Closed(Exception):
    """The evaluation ends; nobody answers any more."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose, after how many seconds, and what was written with it."""

    name: str
    seconds: float
    text: str = ""


class Game:
    """Thread-safe. `shown` is plain JSON; each `version` of it is shown once."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._shown: Mapping[str, Any] = {"phase": "preparing"}
        self._version = self._delivered = self._turn = 0
        self._choices: Collection[str] = ()
        self._chosen: Choice | None = None
        self._asked = 0.0
        self._page = ""
        self._heard = time.monotonic() - WATCHED_SECONDS
        self._closed = False

    def show(self, **shown: Any) -> None:
        """Something that needs no answer."""
        with self._news:
            self._show(shown, ())

    def ask(self, choices: Collection[str], **shown: Any) -> Choice:
        """Show something and wait until one of `choices` is chosen. Raises Closed."""
        with self._news:
            self._turn += 1
            self._chosen, self._asked = None, time.monotonic()
            self._show(shown, choices)
            self._news.wait_for(lambda: self._chosen is not None or self.closed)
            if self._chosen is None:
                raise Closed
            return self._chosen

    def _show(self, shown: Mapping[str, Any], choices: Collection[str]) -> None:
        self._shown, self._choices = {**shown, "turn": self._turn}, choices
        self._changed()

    def _changed(self) -> None:
        self._version += 1
        self._news.notify_all()

    def finish(self, seconds: float, **shown: Any) -> None:
        """Show the end, and wait up to `seconds` until an open page has it."""
        with self._news:
            self._show(shown, ())
            if self.silence < WATCHED_SECONDS:
                self._news.wait_for(lambda: self._delivered == self._version, seconds)

    def close(self) -> None:
        """Whoever waits for an answer is sent away."""
        with self._news:
            self._closed = True
            self._changed()

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def silence(self) -> float:
        """Seconds since a page last asked."""
        return time.monotonic() - self._heard

    def claim(self, page: str) -> None:
        """From now on this page plays, and no other."""
        with self._news:
            self._page = page
            self._changed()

    def wait(self, page: str, seen: int, seconds: float) -> dict[str, Any]:
        """What is shown, with its version, as soon as that is not `seen`. Raises PlayedElsewhere."""
        with self._news:
            self._heard = time.monotonic()
            self._news.wait_for(lambda: self._version != seen or page != self._page, seconds)
            self._check(page)
            self._heard = time.monotonic()
            return {**self._shown, "version": self._version}

    def deliver(self, version: int) -> None:
        """The page has been sent this version."""
        with self._news:
            self._delivered = version
            self._news.notify_all()

    def choose(self, page: str, turn: int, name: str, text: str = "") -> None:
        """Answer what is asked. Raises PlayedElsewhere, NotAsked for an answer that comes twice, too late or early, and
        KeyError for none of the choices."""
        with self._news:
            self._check(page)
            if turn != self._turn or not self._choices:
                raise NotAsked
            if name not in self._choices:
                raise KeyError(name)
            self._chosen = Choice(name, time.monotonic() - self._asked, text)
            self._choices = ()
            self._news.notify_all()

    def _check(self, page: str) -> None:
        if not page or page != self._page:
            raise PlayedElsewhere
