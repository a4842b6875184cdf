"""The files of a run that grow line by line: one JSON object a line, the last one perhaps half written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import RawIOBase
from pathlib import Path
from typing import TypeVar

import msgspec

from nav_eval.errors import RunDirectoryError
from nav_eval.results.files import explained

T = TypeVar("T")


def read_lines(path: Path, decoder: msgspec.json.Decoder[T]) -> Iterator[tuple[T, int, int]]:
    """(record, place in bytes, length with its end) of each line; a last line without its end is being written.

    Nothing is mended here. Raises RunDirectoryError that names the line that is damaged.
    """
    start = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                record = decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise RunDirectoryError(
                    f"{path}: line {number} is damaged ({error}). Delete that line to go on."
                ) from None
            yield record, start, len(line)
            start += len(line)


def take_up(path: Path, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
    """Each record; when all are read the file is cut behind the last whole line, so that it can grow again."""
    end = 0
    for record, start, length in read_lines(path, decoder):
        yield record
        end = start + length
    os.truncate(path, end)


def write_whole(file: RawIOBase, line: bytes) -> None:
    """Write all of it: where only a part fits, the next try says why."""
    left = memoryview(line)
    while left:
        left = left[file.write(left) or 0 :]


def append_line(path: Path, line: bytes) -> None:
    """Add a line, without its end, that is kept when this returns."""
    with explained(path), path.open("ab") as file:
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())
