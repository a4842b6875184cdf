"""tries.jsonl: every attempt at an episode, noted before the agent sees it, and every loss before it is waited for.

A worker's attempts are told to the evaluator before, and noted when it hears of them.
Append-only; a truncated last line is cut off, as in the journal, whose thread fsyncs this file too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from io import RawIOBase
from pathlib import Path
from typing import Literal

import msgspec

from nav_eval.core.attempts import Attempt, Attempts
from nav_eval.results.files import explained
from nav_eval.results.lines import take_up, write_whole
from nav_eval_sdk.protocol.usage import Usage


class Line(msgspec.Struct, omit_defaults=True):
    """A line of the file; `usage`: what a lost attempt had cost."""

    scene_id: str
    episode_id: str
    event: Literal["shown", "lost"]
    usage: Usage | None = None


_LINE = msgspec.json.Decoder(Line)


class AttemptFile:
    """`attempts`: what the file holds, and what is noted from now on; `appended` is called after each line.

    The file is made when there is something to note.
    """

    def __init__(self, path: Path, appended: Callable[[], None]) -> None:
        self.path = path
        self._appended = appended
        self._file: RawIOBase | None = None
        with explained(path):
            past = list(self._past()) if path.exists() else []
        self.attempts = Attempts(past, self._append)

    def _past(self) -> Iterator[Attempt]:
        for noted in take_up(self.path, _LINE):
            yield Attempt((noted.scene_id, noted.episode_id), noted.event, noted.usage)

    def _append(self, noted: Attempt) -> None:
        line = msgspec.json.encode(Line(*noted.key, noted.event, noted.usage)) + b"\n"
        with explained(self.path):
            if self._file is None:
                self._file = self.path.open("ab", buffering=0)
            write_whole(self._file, line)
        self._appended()

    def sync(self) -> None:
        """Wait until what was noted is on disk."""
        if self._file is not None:
            with explained(self.path):
                os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
