"""Somebody who writes texts and follows those of others."""

from __future__ import annotations

from typing import Any

from nav_eval_extras.annotate.desk import Job
from nav_eval_extras.annotate.guest import Guest
from nav_eval_extras.annotate.journal import Written
from nav_eval_extras.annotate.own_game import OwnGame
from nav_eval_extras.annotate.studio import Studio
from nav_eval_extras.annotate.writing import Writing
from nav_eval_extras.human.decisions import Decisions
from nav_eval_extras.human.person import Person

NOTE = 1000
"""Characters of a follower's note."""


class Annotator(Guest):
    def __init__(self, number: int, code: str, game: OwnGame, studio: Studio) -> None:
        super().__init__(number, code, game, studio.desk, studio.consent)
        self._studio = studio

    def _do(self, job: Job) -> None:
        if job.role == "guide":
            self._desk.record(Writing(job, self._studio).run(self._game, self._number))
        elif job.text is not None:
            self._follow(job.text)

    def _follow(self, text: Written) -> None:
        person = Person(self._game, Decisions(self._studio.journal.decisions_of(self._number)))
        result = self._studio.follow(text, person, lambda: self._game.closed)
        said = self._game.ask(["clear", "unclear"], phase="note", instruction=person.instruction)
        seconds = [one.seconds for one in person.decided]
        told: dict[str, Any] = {"clear": said.name == "clear", "note": said.text.strip()[:NOTE], "person": self._number}
        self._desk.record(self._studio.followed(text, result, seconds, **told))
