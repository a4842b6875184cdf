"""The memory of a run: every finished episode is on disk before the next one is counted.

A trajectory line is written first, then the episode's line, which is the commit; both are fsynced. After a crash a
truncated last line is cut off, and trajectories without an episode line are dropped. When the run settles, both files
are rewritten in the data set's order, so that they do not depend on which session was faster.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import RunDirectoryError
from nav_eval.results.files import explained
from nav_eval.results.records import episode_record, episode_result, trajectory_record


class JsonLines:
    """An append-only file of JSON objects, indexed by episode key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[EpisodeKey, tuple[int, int]] = {}
        with explained(path):
            self._file = path.open("a+b", buffering=0)
            self._index()

    def _index(self) -> None:
        with self.path.open("rb") as lines:
            end = self._index_lines(lines)
        self._file.truncate(end)

    def _index_lines(self, lines: Iterable[bytes]) -> int:
        start = 0
        for line in lines:
            record = _decoded(line)
            if record is None:
                if not line.endswith(b"\n"):
                    break
                raise RunDirectoryError(f"{self.path}: line at byte {start} is damaged. Delete that line to go on.")
            self._places.setdefault((record["scene_id"], record["episode_id"]), (start, len(line)))
            start += len(line)
        return start

    def append(self, record: dict[str, Any]) -> None:
        """Write one line and fsync it; a line that could not be written whole is taken back."""
        line = msgspec.json.encode(record) + b"\n"
        with explained(self.path):
            start = self._file.seek(0, os.SEEK_END)
            try:
                if self._file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(start)
                raise
        self._places[record["scene_id"], record["episode_id"]] = (start, len(line))

    @property
    def keys(self) -> Collection[EpisodeKey]:
        return self._places.keys()

    def read(self, key: EpisodeKey) -> dict[str, Any]:
        """The record of an episode; raises KeyError."""
        record: dict[str, Any] = msgspec.json.decode(self._line(key))
        return record

    def _line(self, key: EpisodeKey) -> bytes:
        start, length = self._places[key]
        self._file.seek(start)
        return self._file.read(length)

    def reorder(self, keys: Sequence[EpisodeKey]) -> None:
        """Rewrite the file with exactly these keys in this order, atomically."""
        fresh = self.path.with_suffix(".tmp")
        with explained(self.path):
            with fresh.open("wb") as out:
                out.writelines(self._line(key) for key in keys)
                out.flush()
                os.fsync(out.fileno())
            self._file.close()
            fresh.replace(self.path)
            self._file = self.path.open("a+b", buffering=0)
            self._places.clear()
            self._index()

    def close(self) -> None:
        self._file.close()


class Journal:
    """A ResultStore in a run directory."""

    def __init__(self, directory: Path, *, trajectories: bool = True) -> None:
        self._episodes = JsonLines(directory / "episodes.jsonl")
        self._trajectories = JsonLines(directory / "trajectories.jsonl") if trajectories else None

    def add(self, result: EpisodeResult) -> None:
        if self._trajectories is not None:
            self._trajectories.append(trajectory_record(result))
        self._episodes.append(episode_record(result))

    def finished(self) -> Collection[EpisodeKey]:
        return self._episodes.keys

    def in_order(self, keys: Sequence[EpisodeKey]) -> Iterator[EpisodeResult]:
        done = self._episodes.keys
        return (episode_result(self._episodes.read(key)) for key in keys if key in done)

    def trajectories(self, keys: Iterable[EpisodeKey]) -> Iterator[dict[str, Any]]:
        """Lines of trajectories.jsonl; raises RunDirectoryError if the run kept none."""
        if self._trajectories is None:
            raise RunDirectoryError("this run has no trajectories.jsonl: run it with output.save_trajectories=true.")
        return (self._trajectories.read(key) for key in keys if key in self._trajectories.keys)

    def settle(self, keys: Sequence[EpisodeKey]) -> None:
        """Bring the files into the data set's order."""
        done = [key for key in keys if key in self._episodes.keys]
        self._episodes.reorder(done)
        if self._trajectories is not None:
            self._trajectories.reorder([key for key in done if key in self._trajectories.keys])

    def close(self) -> None:
        self._episodes.close()
        if self._trajectories is not None:
            self._trajectories.close()


def _decoded(line: bytes) -> Any:
    if not line.endswith(b"\n"):
        return None
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return record if isinstance(record, dict) and "scene_id" in record and "episode_id" in record else None
