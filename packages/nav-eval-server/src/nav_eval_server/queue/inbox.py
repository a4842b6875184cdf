"""Run directories as workers send them: the part of each file that has arrived, below state/runs/<submission>.

Whoever goes on with a run begins from here. The caller holds the attempt's row while it writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

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
        return _put(self._path(name), offset, data)

    def replace(self, name: str, offset: int, data: bytes, whole: int) -> int:
        """As append, for a file that takes the place of the old one when its `whole` bytes are there."""
        path = self._path(name)
        part = path.with_name(f"{name}.part")
        size = _put(part, offset, data)
        if size == whole:
            part.replace(path)
        return size

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
        except ValueError:
            return None
        return content if isinstance(content, dict) else None


def _put(path: Path, offset: int, data: bytes) -> int:
    size = path.stat().st_size if path.exists() else 0
    if offset > size:
        return size
    with path.open("r+b" if path.exists() else "wb") as file:
        file.seek(offset)
        file.truncate()
        file.write(data)
    return offset + len(data)


def records(lines: bytes) -> Iterator[dict[str, Any]]:
    """Episodes in whole lines of episodes.jsonl that count."""
    for line in lines.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            continue
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and record.get("status") not in LOST and "episode_id" in record:
            yield record


def numbers(metrics: Any) -> dict[str, float | None]:
    """The metrics that are numbers; not finite is None."""
    found = metrics.items() if isinstance(metrics, dict) else ()
    return {name: value for name, value in found if value is None or isinstance(value, int | float)}
