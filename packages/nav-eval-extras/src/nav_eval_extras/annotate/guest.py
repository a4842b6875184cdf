"""One person at one page: consent, then one job after the other as the desk gives them, with checks of attention."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any

from nav_eval.core.loop import Stopped
from nav_eval_extras.annotate.consent import Consent
from nav_eval_extras.annotate.journal import Attended, Consented
from nav_eval_extras.annotate.own_game import OwnGame
from nav_eval_extras.annotate.people import People
from nav_eval_extras.human.game import Closed
from nav_eval_extras.human.play import LAST_WORD_SECONDS

IDLE_SECONDS = 1.0
CHECKED = ("turn_left", "move_forward", "turn_right", "stop")
"""The buttons of which a check names one."""


class Guest(ABC):
    """`run` goes on until nothing is left, the page's server ends, or the person withdraws. `code`: for payment."""

    def __init__(self, number: int, code: str, game: OwnGame, desk: People, consent: Consent) -> None:
        self._number, self._code, self._game, self._desk, self._consent = number, code, game, desk, consent
        desk.meet(number, game)

    @abstractmethod
    def _do(self, job: Any) -> None:
        """A job, to its end. Raises Closed."""

    def run(self) -> None:
        goes_on = True
        while goes_on:
            with suppress(Closed, Stopped):
                self._work()
            goes_on, self._game.taken = self._game.taken, False
        if self._game.left:
            self._desk.withdraw(self._number)
        if self._desk.withdrawn(self._number) or self._desk.done:
            phase = "withdrawn" if self._desk.withdrawn(self._number) else "done"
            self._game.finish(LAST_WORD_SECONDS, phase=phase, **self._farewell())

    def _farewell(self) -> dict[str, Any]:
        """What is told to somebody who may leave: their code, if they have sent something."""
        return {"code": self._code if self._desk.share(self._number)["state"] == "valid" else None}

    def _practise(self) -> None:
        """What comes before the first job. Raises Closed."""

    def _work(self) -> None:
        if self._desk.withdrawn(self._number):
            return
        self._agree()
        self._practise()
        while job := self._next():
            self._game.show(phase="preparing")
            self._do(job)
            if self._desk.check_due(self._number):
                self._check()

    def _check(self) -> None:
        """Whether they read what the page says. They are not told how it went."""
        wanted = secrets.choice(CHECKED)
        chosen = self._game.ask(CHECKED, phase="attention", wanted=wanted)
        self._desk.record(Attended(person=self._number, passed=chosen.name == wanted))

    def _agree(self) -> None:
        consent = self._consent
        if not self._desk.consented(self._number, consent.version):
            self._game.ask(["agree"], phase="consent", texts=consent.texts, consent=consent.version)
            self._desk.record(Consented(person=self._number, version=consent.version))

    def _next(self) -> Any:
        """Waits for something to do; None when nothing is left. Raises Closed."""
        idle = False
        while not self._desk.done:
            if self._game.closed:
                raise Closed
            if job := self._desk.take(self._number):
                return job
            if not idle:
                self._game.show(phase="idle", **self._farewell())
            idle = True
            self._desk.wait(IDLE_SECONDS)
        return None
