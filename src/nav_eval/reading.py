"""Reads what may be a stranger's: only a file, never a pipe or a device that has no end or never begins."""

from __future__ import annotations

import hashlib
import os
import stat
from io import BufferedReader
from pathlib import Path


def opened(path: str | Path) -> BufferedReader:
    """`path` for reading. Raises OSError for what is no file, whatever the name or a link leads to."""
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # opening a pipe waits for its other end
    if stat.S_ISREG(os.fstat(number).st_mode):
        return os.fdopen(number, "rb")
    os.close(number)
    raise OSError("it is a folder, a pipe or a device, not a file")


def read(path: str | Path, most: int) -> bytes:
    """The whole file. Raises OSError as `opened`, and ValueError where it has more than `most` bytes."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise ValueError(f"it has {size} bytes; at most {most} are read")
        return file.read()


def file_sha256(path: str | Path) -> str:
    """Of the whole file, in hexadecimal digits. Raises OSError as `opened`."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
