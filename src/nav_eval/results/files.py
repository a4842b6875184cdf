"""Writing files so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from nav_eval.errors import RunDirectoryError, exhausted


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an OSError into one line that says what to do: ResourceExhausted for the disk's, else RunDirectoryError."""
    try:
        yield
    except OSError as error:
        raise exhausted(error, path) or RunDirectoryError(
            f"{path}: cannot be written ({error.strerror}). What is finished is safe; "
            "fix that, then go on with --resume."
        ) from error


def locked(folder: Path) -> IO[bytes]:
    """Keep other processes from writing there until this file is closed. Raises RunDirectoryError where one does."""
    file = (folder / ".lock").open("a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise RunDirectoryError(f"{folder}: another nav-eval run is writing here. Wait for it.") from None
    return file


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make a file beside `path`, then put it in place."""
    fresh = path.with_name(path.name + ".tmp")
    with explained(path):
        write(fresh)
        fresh.replace(path)


def write_bytes(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Atomic and fsynced. `mode`: who may read it, before the umask."""
    write_chunks(path, (data,), mode)


def write_chunks(path: Path, chunks: Iterable[bytes], mode: int = 0o666) -> None:
    """As write_bytes of all of them; one is held at a time."""

    def write(fresh: Path) -> None:
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())

    write_atomically(path, write)


def write_lines(path: Path, records: Iterable[Any]) -> None:
    """A line of JSON for each; numbers that are not finite become null."""
    write_chunks(path, (msgspec.json.encode(record) + b"\n" for record in records))


def write_json(path: Path, content: Any) -> None:
    """Indented JSON; numbers that are not finite become null."""
    write_bytes(path, _indent(content) + b"\n")


def write_json_list(path: Path, rows: Iterable[Any]) -> None:
    """As write_json of a list; one row is held at a time."""
    write_chunks(path, _bracket(b"[]", map(_indent, rows)))


def write_json_object(path: Path, members: Iterable[tuple[str, Any]]) -> None:
    """As write_json of a dict; one member is held at a time. The names must differ."""
    rows = (msgspec.json.encode(name) + b": " + _indent(value) for name, value in members)
    write_chunks(path, _bracket(b"{}", rows))


def _indent(content: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=2)


def _bracket(brackets: bytes, rows: Iterable[bytes]) -> Iterator[bytes]:
    before = brackets[:1] + b"\n  "
    for row in rows:
        yield before + row.replace(b"\n", b"\n  ")  # a string's own line ends are escaped
        before = b",\n  "
    yield (b"\n" if before[:1] == b"," else brackets[:1]) + brackets[1:] + b"\n"
