"""The memory of a run: every finished episode is written as it ends.

A trajectory line is written first, then the episode's line, which is the commit; a thread fsyncs them at once, so that
the run need not wait for the disk. A killed process loses nothing, a power cut at most the last milliseconds. After a
crash a truncated last line is cut off, and an episode without its trajectory counts as missing. When the run settles,
both files are rewritten in the data set's order, so that they do not depend on which session was faster.
"""

from __future__ import annotations

import os
import threading
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sys import intern
from typing import Any, Literal

import msgspec

from nav_eval.core.attempts import Attempts
from nav_eval.core.types import OURS, EpisodeResult
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import NavEvalError, RunDirectoryError
from nav_eval.results.attempts import AttemptFile
from nav_eval.results.files import explained
from nav_eval.results.lines import read_lines, write_whole
from nav_eval.results.records import episode_record, episode_result, trajectory_record

_RECORD = msgspec.json.Decoder(dict[str, Any])
NOWHERE = -1
"""Where an episode begins that a file does not hold."""
SYNC_SECONDS = 0.05
"""Between two fsyncs: a page that is on its way to the disk holds up whoever appends to it."""


class JsonLines:
    """An append-only file of JSON objects, indexed by episode key. `rows`: key -> its row, which files share.

    A reader (not `writable`) leaves the file alone: another process may be in the middle of its last line.
    """

    def __init__(self, path: Path, rows: dict[EpisodeKey, int], *, writable: bool = True) -> None:
        self.path = path
        self._rows = rows
        self._starts, self._lengths = array("q"), array("q")
        self.lost: set[EpisodeKey] = set()
        """Episodes whose last record says that our own fault ended them."""
        self._mode: Literal["a+b", "rb"] = "a+b" if writable else "rb"
        with explained(path):
            self._index()

    def _index(self) -> None:
        self._file = self.path.open(self._mode, buffering=0)
        end = 0
        for record, start, length in read_lines(self.path, _RECORD):
            self._note(record, start, length)
            end = start + length
        if self._file.writable():
            self._file.truncate(end)

    def _note(self, record: Mapping[str, Any], start: int, length: int) -> None:
        key = _key(record)
        if key is None:
            raise RunDirectoryError(f"{self.path}: the line at byte {start} names no episode. Delete it to go on.")
        self._place(key, start, length)
        (self.lost.add if record.get("status") in OURS else self.lost.discard)(key)

    def _place(self, key: EpisodeKey, start: int, length: int) -> None:
        row = self._rows.setdefault(key, len(self._rows))
        for column, value in ((self._starts, start), (self._lengths, length)):
            column.extend([NOWHERE] * (row + 1 - len(column)))
            column[row] = value

    def append(self, record: dict[str, Any]) -> None:
        """Write one line; a line that could not be written whole is taken back."""
        line = msgspec.json.encode(record) + b"\n"
        with explained(self.path):
            start = self._file.seek(0, os.SEEK_END)
            try:
                write_whole(self._file, line)
            except OSError:
                self._file.truncate(start)
                raise
        self._note(record, start, len(line))

    def sync(self) -> None:
        """Wait until what was appended is on disk."""
        with explained(self.path):
            os.fsync(self._file.fileno())

    def __contains__(self, key: EpisodeKey) -> bool:
        row = self._rows.get(key, len(self._starts))
        return row < len(self._starts) and self._starts[row] != NOWHERE

    def read(self, key: EpisodeKey) -> dict[str, Any]:
        """The record of an episode; raises KeyError."""
        return _RECORD.decode(self._line(key))

    def _line(self, key: EpisodeKey) -> bytes:
        if key not in self:
            raise KeyError(key)
        row = self._rows[key]
        self._file.seek(self._starts[row])
        return self._file.read(self._lengths[row])

    def reorder(self, keys: Sequence[EpisodeKey]) -> None:
        """Rewrite the file with exactly these keys in this order, atomically."""
        fresh = self.path.with_suffix(".tmp")
        places: list[tuple[EpisodeKey, int, int]] = []
        with explained(self.path):
            with fresh.open("wb") as out:
                for key in keys:
                    line = self._line(key)
                    places.append((key, out.tell(), len(line)))
                    out.write(line)
                out.flush()
                os.fsync(out.fileno())
            self._file.close()
            fresh.replace(self.path)
            self._file = self.path.open(self._mode, buffering=0)
        self._starts, self._lengths = array("q"), array("q")
        for key, start, length in places:
            self._place(key, start, length)
        self.lost = {key for key in self.lost if key in self}

    def close(self) -> None:
        self._file.close()


class Syncer:
    """Fsyncs files in its own thread whenever something was appended; its error is raised at the next call."""

    def __init__(self, files: Sequence[JsonLines | AttemptFile]) -> None:
        self._files = files
        self._dirty = threading.Event()
        self._pause = threading.Event()
        self._closing = False
        self._error: NavEvalError | None = None
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._closing:
            self._dirty.wait()
            self._pause.wait(SYNC_SECONDS)
            self._dirty.clear()
            try:
                for file in self._files:
                    file.sync()
            except NavEvalError as error:
                self._error = error
                return

    def appended(self) -> None:
        """Ask for a sync; does not wait."""
        if self._error is not None:
            raise self._error
        self._dirty.set()

    def close(self) -> None:
        """Sync a last time and end the thread."""
        self._closing = True
        self._pause.set()
        self._dirty.set()
        self._thread.join()
        if self._error is not None:
            raise self._error


class Journal:
    """A ResultStore in a run directory."""

    def __init__(self, directory: Path, *, trajectories: bool = True, writable: bool = True) -> None:
        self._rows: dict[EpisodeKey, int] = {}
        self._episodes = JsonLines(directory / "episodes.jsonl", self._rows, writable=writable)
        kept = JsonLines(directory / "trajectories.jsonl", self._rows, writable=writable) if trajectories else None
        self._trajectories = kept
        self._attempts = AttemptFile(directory / "tries.jsonl", self._appended) if writable else None
        self._syncer: Syncer | None = None
        self._beginning = threading.Lock()

    @property
    def attempts(self) -> Attempts:
        """Of this run, over all its segments; a reader's are none."""
        return Attempts() if self._attempts is None else self._attempts.attempts

    @property
    def _files(self) -> list[JsonLines]:
        return [file for file in (self._trajectories, self._episodes) if file is not None]

    @property
    def _attempt_files(self) -> list[AttemptFile]:
        return [] if self._attempts is None else [self._attempts]

    def add(self, result: EpisodeResult) -> None:
        if self._trajectories is not None:
            self._trajectories.append(trajectory_record(result))
        self._episodes.append(episode_record(result))
        self._appended()

    def _appended(self) -> None:
        with self._beginning:
            if self._syncer is None:
                self._syncer = Syncer([*self._files, *self._attempt_files])
        self._syncer.appended()

    def finished(self) -> Collection[EpisodeKey]:
        return self.recorded - self._episodes.lost

    @property
    def recorded(self) -> set[EpisodeKey]:
        """Episodes that have a result, be it that our own fault ended them."""
        return {key for key in self._rows if all(key in file for file in self._files)}

    def in_order(self, keys: Sequence[EpisodeKey]) -> Iterator[EpisodeResult]:
        done = self.recorded
        return (episode_result(self._episodes.read(key)) for key in keys if key in done)

    def trajectories(self, keys: Iterable[EpisodeKey]) -> Iterator[dict[str, Any]]:
        """Lines of trajectories.jsonl; raises RunDirectoryError if the run kept none."""
        if self._trajectories is None:
            raise RunDirectoryError("this run has no trajectories.jsonl: run it with output.save_trajectories=true.")
        return (self._trajectories.read(key) for key in keys if key in self._trajectories)

    def take(self, other: Journal, keys: Iterable[EpisodeKey]) -> None:
        """Append another journal's lines about these episodes, as they stand there."""
        for key in keys:
            for own, theirs in zip(self._files, other._files, strict=True):
                own.append(theirs.read(key))

    def settle(self, keys: Sequence[EpisodeKey]) -> None:
        """Bring the files into the data set's order."""
        self._end_sync()
        recorded = self.recorded
        done = [key for key in keys if key in recorded]
        for file in self._files:
            file.reorder(done)

    def _end_sync(self) -> None:
        syncer, self._syncer = self._syncer, None
        if syncer is not None:
            syncer.close()

    def close(self) -> None:
        try:
            self._end_sync()
        finally:
            for file in self._files:
                file.close()
            for attempts in self._attempt_files:
                attempts.close()


def _key(record: Mapping[str, Any]) -> EpisodeKey | None:
    key = record.get("scene_id"), record.get("episode_id")
    return (intern(str(key[0])), str(key[1])) if all(isinstance(name, str) for name in key) else None
