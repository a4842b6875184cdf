"""Writes data set files a record at a time: a bare list, JSON Lines, or an object of which members may be streams.

A file appears under its name only when it is complete. The same episodes give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from nav_eval.dataset.streaming import LINES, OwningGzip
from nav_eval.errors import DatasetError


def write_list(path: str, records: Iterable[Any]) -> None:
    """Write a JSON list, or JSON Lines if `path` ends as they do; gzip if it ends in .gz.

    Raises DatasetError for what JSON cannot hold.
    """
    with _new_file(path) as out:
        if path.endswith(LINES):
            out.writelines(_encode(record) + b"\n" for record in records)
        else:
            _write_array(out, records)


def write_object(path: str, members: Iterable[tuple[str, Any]]) -> None:
    """Write a JSON object member by member, likewise; a member that is an iterator becomes a list."""
    with _new_file(path) as out:
        out.write(b"{")
        for index, (key, value) in enumerate(members):
            out.write((b",\n" if index else b"") + _encode(key) + b": ")
            if isinstance(value, Iterator):
                _write_array(out, value)
            else:
                out.write(_encode(value))
        out.write(b"}\n")


def _write_array(out: IO[bytes], records: Iterable[Any]) -> None:
    out.write(b"[")
    for index, record in enumerate(records):
        out.write((b",\n" if index else b"") + _encode(record))
    out.write(b"]")


@contextmanager
def _new_file(path: str) -> Iterator[IO[bytes]]:
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    try:
        with _create(part, packed=path.endswith(".gz")) as out:
            yield out
        part.replace(target)
    except ValueError as error:
        raise DatasetError(f"{path}: an episode cannot be written as JSON ({error}). Leave out NaN and inf.") from error
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written ({error.strerror or error}). Choose another place.") from error
    finally:
        part.unlink(missing_ok=True)


def _create(path: Path, *, packed: bool) -> IO[bytes]:
    handle = path.open("wb")
    if not packed:
        return handle
    return cast("IO[bytes]", OwningGzip(filename="", mode="wb", compresslevel=6, fileobj=handle, mtime=0))


def _encode(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False).encode()
