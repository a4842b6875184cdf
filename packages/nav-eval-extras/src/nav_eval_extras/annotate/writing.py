"""A guide writes a text: the film of the path, which they stop and step as they like, and what is asked back."""

from __future__ import annotations

import hmac
from typing import Any

from nav_eval_extras.annotate import checks
from nav_eval_extras.annotate.desk import Job
from nav_eval_extras.annotate.journal import Pose, Written, new_text
from nav_eval_extras.annotate.studio import PAUSE, Studio
from nav_eval_extras.human.game import Choice, Game

CHECK, SEND = "check", "send"


class Writing:
    """One text of one path, until it is sent."""

    def __init__(self, job: Job, studio: Studio) -> None:
        self._job, self._studio = job, studio
        self._film = studio.film(job.path)
        self._turns = checks.turns_of(self._film.states)
        self._frame, self._seconds, self._watched = job.verdict.lost if job.verdict else 0, 0.0, job.text is not None
        self._trace: list[Pose] = []
        self._faults: list[dict[str, Any]] = []
        self._questions: list[dict[str, Any]] = []

    def run(self, game: Game, person: int) -> Written:
        """Raises Closed."""
        self._look(self._frame)
        frames = {f"at:{frame}": frame for frame in range(len(self._film))}
        while True:
            choice = game.ask([*frames, CHECK, SEND], phase="write", **self._screen())
            self._seconds += min(choice.seconds, PAUSE)
            if choice.name in frames:
                self._look(frames[choice.name])
                continue
            self._check(choice.text)
            if choice.name == SEND and not self._faults:
                return self._new_text_event(choice, person)

    def _look(self, frame: int) -> None:
        self._frame = frame
        self._watched |= frame == len(self._film) - 1
        self._trace.append(Pose.of(self._film.states[frame], self._seconds))

    def _check(self, text: str) -> None:
        language = self._studio.language
        self._faults = checks.faults(text, language) + ([] if self._watched else [{"key": "not_watched"}])
        self._questions = checks.questions(text, language, self._turns, self._studio.names, self._film.seen)

    def _new_text_event(self, choice: Choice, person: int) -> Written:
        return Written(
            person=person,
            path=self._job.path,
            language=self._studio.language,
            text=new_text(),
            words=" ".join(choice.text.split()),
            round=self._job.round,
            seconds=round(self._seconds, 3),
            asked=[one["key"] for one in self._questions],
            trace=self._trace,
        )

    def _job_name(self) -> str:
        """By which the page knows its draft again; it tells nothing of the path."""
        key = f"{self._job.path} {self._job.text and self._job.text.text}"
        return hmac.digest(self._studio.secret, key.encode(), "sha256").hex()[:16]

    def _screen(self) -> dict[str, Any]:
        film, verdict, earlier = self._film, self._job.verdict, self._job.text
        back = verdict and {
            "lost": verdict.lost,
            "reached": bool(verdict.metrics.get("success")),
            "note": verdict.note,
            "text": earlier.words if earlier else "",
        }
        return {
            "job": self._job_name(),
            "language": self._studio.language,
            "frame": self._frame,
            "frames": len(film),
            "stops": film.stops,
            "next": film.actions[self._frame],
            "way_on": film.way_on(self._frame),
            "pictures": film.frames[self._frame],
            "watched": self._watched,
            "back": back,
            "faults": self._faults,
            "questions": self._questions,
        }
