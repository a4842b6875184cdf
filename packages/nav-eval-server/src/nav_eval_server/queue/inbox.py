"""Run directories as workers send them: the part of each file that has arrived, below state/runs/<submission>.

Whoever goes on with a run begins from here. The caller holds the attempt's row while it writes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from nav_eval.reading import file_sha256
from nav_eval.results.audit import check_files
from nav_eval_server.queue.files import NAMES

LOST = ("worker_crash", "evaluator_error")
"""Statuses of episodes that our own fault ended: they are played again, and not counted before."""


class Inbox:
    """The files of one submission."""

    def __init__(self, runs: Path, submission: str) -> None:
        self.path = runs / submission

    def append(self, name: str, offset: int, data: bytes) -> int:
        """Put `data` at `offset`, so far as everything before it is there; the size of the file now.

        What lay behind is cut off: it was sent before, and the answer was lost.
        """
        return put(self._path(name), offset, data)

    def replace(self, name: str, offset: int, data: bytes, whole: int) -> int:
        """As append, for a file that takes the place of the old one when its `whole` bytes are there."""
        path = self._path(name)
        part = path.with_name(f"{name}.part")
        size = put(part, offset, data)
        if size == whole:
            part.replace(path)
        return size

    def discard(self) -> None:
        """All that has arrived."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _path(self, name: str) -> Path:
        if name not in NAMES:
            raise ValueError(f"{name} is not a file of a run")
        self.path.mkdir(mode=0o700, exist_ok=True)
        return self.path / name

    def read(self, name: str) -> bytes:
        path = self._path(name)
        return path.read_bytes() if path.exists() else b""

    def listing(self) -> list[dict[str, Any]]:
        """name, size and sha256 of each file that has arrived."""
        present = ((name, self.path / name) for name in sorted(NAMES))
        return [
            {"name": name, "size": path.stat().st_size, "sha256": file_sha256(path)}
            for name, path in present
            if path.exists()
        ]

    def present(self, names: Iterable[str]) -> list[str]:
        """Those of the names that have arrived."""
        return [name for name in names if (self.path / name).exists()]

    def proved(self, manifest: str) -> bool:
        """Whether the run has ended, its manifest has this SHA-256, and every file is what the manifest says."""
        path = self.path / "manifest.json"
        return path.is_file() and file_sha256(path) == manifest and not check_files(self.path)

    def document(self, name: str) -> dict[str, Any] | None:
        """results.json or scored.json, if it has arrived whole."""
        try:
            content = json.loads(self.read(name))
        except (ValueError, RecursionError):
            return None
        return content if isinstance(content, dict) else None


def put(path: Path, offset: int, data: bytes) -> int:
    """As Inbox.append."""
    size = path.stat().st_size if path.exists() else 0
    if offset > size:
        return size
    with path.open("r+b" if path.exists() else "wb") as file:
        file.seek(offset)
        file.truncate()
        file.write(data)
    return offset + len(data)


class Junk(ValueError):
    """What no evaluator writes."""


Text = Annotated[str, msgspec.Meta(pattern="^[^\\x00]{1,300}$")]


class Record(msgspec.Struct):
    """What of an episode's line is looked at."""

    scene_id: Text
    episode_id: Annotated[Text, msgspec.Meta(max_length=200)]
    status: Annotated[Text, msgspec.Meta(max_length=20)]
    metrics: dict[str, Any] | None = None
    failure_reason: str | None = None


def records(lines: bytes) -> Iterator[Record]:
    """Episodes in whole lines of episodes.jsonl that count. Raises Junk."""
    for line in lines.splitlines(keepends=True):
        if line.endswith(b"\n") and (record := _record(line)).status not in LOST:
            yield record


def _record(line: bytes) -> Record:
    try:
        return msgspec.json.decode(line, type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Junk(f"episodes.jsonl: a line is no episode's ({error}).") from None


def numbers(metrics: dict[str, Any] | None) -> dict[str, float | None]:
    """The metrics that are numbers; not finite is None."""
    return {name: value for name, value in (metrics or {}).items() if value is None or isinstance(value, int | float)}
