"""One person at one page: consent, then one job after the other as the desk gives them."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Any

from nav_eval.core.loop import Stopped
from nav_eval_extras.annotate.desk import Job
from nav_eval_extras.annotate.journal import Attended, Consented, Written
from nav_eval_extras.annotate.studio import Studio
from nav_eval_extras.annotate.writing import Writing
from nav_eval_extras.human.decisions import Decisions
from nav_eval_extras.human.game import Closed, Game
from nav_eval_extras.human.person import Person
from nav_eval_extras.human.play import LAST_WORD_SECONDS

WITHDRAW = "withdraw"
IDLE_SECONDS = 1.0
CHECKED = ("turn_left", "move_forward", "turn_right", "stop")
"""The buttons of which a check names one."""
NOTE = 1000
"""Characters of a follower's note."""


class OwnGame(Game):
    """A game that a person may leave for good at any time."""

    left = False

    def choose(self, page: str, turn: int, name: str, text: str = "") -> None:
        if name != WITHDRAW:
            super().choose(page, turn, name, text)
            return
        with self._news:
            self._check(page)
            self.left = True
        self.close()


class Annotator:
    """`run` goes on until all texts are decided, the page's server ends, or the person withdraws."""

    def __init__(self, number: int, code: str, game: OwnGame, studio: Studio) -> None:
        """`code`: what they are paid by."""
        self._number, self._code, self._game, self._studio, self._desk = number, code, game, studio, studio.desk

    def run(self) -> None:
        with suppress(Closed, Stopped):
            self._work()
        if self._game.left:
            self._desk.withdraw(self._number)
        if self._desk.withdrawn(self._number) or self._desk.done:
            phase = "withdrawn" if self._desk.withdrawn(self._number) else "done"
            self._game.finish(LAST_WORD_SECONDS, phase=phase, code=self._earned())

    def _earned(self) -> str | None:
        """The code of somebody who has sent something and may leave."""
        return self._code if self._desk.share(self._number)["state"] == "valid" else None

    def _work(self) -> None:
        if self._desk.withdrawn(self._number):
            return
        self._consent()
        while job := self._next():
            self._game.show(phase="preparing")
            if job.role == "guide":
                self._desk.record(Writing(job, self._studio).run(self._game, self._number))
            elif job.text is not None:
                self._follow(job.text)
            if self._desk.check_due(self._number):
                self._check()

    def _check(self) -> None:
        """Whether they read what the page says. They are not told how it went."""
        wanted = secrets.choice(CHECKED)
        chosen = self._game.ask(CHECKED, phase="attention", wanted=wanted)
        self._desk.record(Attended(person=self._number, passed=chosen.name == wanted))

    def _consent(self) -> None:
        consent = self._studio.consent
        if not self._desk.consented(self._number, consent.version):
            self._game.ask(["agree"], phase="consent", texts=consent.texts, consent=consent.version)
            self._desk.record(Consented(person=self._number, version=consent.version))

    def _next(self) -> Job | None:
        """Waits for something to do; None when nothing is left. Raises Closed."""
        idle = False
        while not self._desk.done:
            if self._game.closed:
                raise Closed
            if job := self._desk.take(self._number):
                return job
            if not idle:
                self._game.show(phase="idle", code=self._earned())
            idle = True
            self._desk.wait(IDLE_SECONDS)
        return None

    def _follow(self, text: Written) -> None:
        person = Person(self._game, Decisions(self._studio.journal.decisions_of(self._number)))
        result = self._studio.follow(text, person, lambda: self._game.closed)
        said = self._game.ask(["clear", "unclear"], phase="note")
        seconds = [one.seconds for one in person.decided]
        told: dict[str, Any] = {"clear": said.name == "clear", "note": said.text.strip()[:NOTE], "person": self._number}
        self._desk.record(self._studio.followed(text, result, seconds, **told))
