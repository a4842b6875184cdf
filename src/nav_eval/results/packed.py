"""The text of a submission, plain or as uploads pack it: gzip, or a zip archive with one JSON file.

A stranger's archive may unpack to anything, so no more is unpacked than a data set file may: DENSEST times its size.
"""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

from nav_eval.dataset.streaming import DENSEST, SPARED_BYTES

JSON_NAMES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


def unpacked(data: bytes, most: int) -> bytes:
    """What is in `data`. Raises ValueError, which says why, for an archive of another content or a damaged one."""
    limit = min(most, max(SPARED_BYTES, DENSEST * len(data)))
    try:
        if data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(_only_json(archive)) as member:
                return unpacked(_read_limited(member, limit), most)
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as member:
                return _read_limited(member, limit)
    except (zipfile.BadZipFile, zlib.error, EOFError, gzip.BadGzipFile, RuntimeError, NotImplementedError) as error:
        raise ValueError(f"the archive is damaged or locked: {error}") from None
    return data


def _read_limited(member: IO[bytes] | gzip.GzipFile, limit: int) -> bytes:
    found = member.read(limit + 1)
    if len(found) > limit:
        raise ValueError(f"it unpacks to more than {limit} bytes")
    return found


def _only_json(archive: zipfile.ZipFile) -> str:
    names = list(_json_names(archive))
    if len(names) != 1:
        held = ", ".join(names[:3]) + ", ..." * (len(names) > 3)
        raise ValueError(f"the zip archive must hold one .json or .jsonl file; it holds {held or 'none'}")
    return names[0]


def _json_names(archive: zipfile.ZipFile) -> Iterator[str]:
    """Without what macOS puts beside each file."""
    for name in archive.namelist():
        hidden = any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)
        if name.lower().endswith(JSON_NAMES) and not hidden:
            yield name
