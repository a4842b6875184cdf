"""The files a scene is read from: every read goes through here, so that hostile paths, sizes and content are met once.

A source remembers each file it touched, and each sidecar it looked for in vain: that is what a scene's digest, and
the cache's test for "still the same", are made of.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from nav_eval.errors import SceneError

MAX_FILE_BYTES = 8 << 30
Stamp = tuple[int, int, int]
"""Size, modification time and inode of a file."""


def stamp(path: Path) -> Stamp | None:
    """What tells a changed file from an unchanged one without reading it; None where there is no file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def is_file(path: Path) -> bool:
    """As Path.is_file, and False for names that no file system takes."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


class SceneSource:
    """A scene's main file and what lies beside it. `notes` collects the repairs made while reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []
        self.stamps: dict[Path, Stamp | None] = {}
        self._digests: dict[Path, bytes] = {}

    def read(self, path: Path | None = None) -> bytes:
        """The bytes of the main file, or of `path`; SceneError if it cannot be read."""
        path = path or self.path
        self.stamps[path] = stamp(path)
        try:
            if not is_file(path):
                raise SceneError(f"{path}: there is no such file.")
            if path.stat().st_size > MAX_FILE_BYTES:
                raise SceneError(f"{path}: larger than {MAX_FILE_BYTES >> 30} GiB. Split or decimate the scene.")
            data = path.read_bytes()
        except (OSError, ValueError) as error:
            raise SceneError(f"{path}: cannot be read ({error}).") from error
        self._digests[path] = hashlib.sha256(data).digest()
        return data

    def has(self, path: Path) -> bool:
        """Whether a sidecar exists; remembered either way."""
        self.stamps[path] = stamp(path)
        return is_file(path)

    def optional(self, path: Path) -> bytes | None:
        """The bytes of a sidecar, or None where it does not exist."""
        return self.read(path) if self.has(path) else None

    def beside(self, path: Path) -> SceneSource:
        """A source for another file of the same scene; what it reads counts as read by this one."""
        other = SceneSource(path)
        other.notes, other.stamps, other._digests = self.notes, self.stamps, self._digests
        return other

    def sibling(self, uri: str) -> bytes:
        """What a URI inside the main file names: data, or a file in the same folder or below, never elsewhere."""
        if uri.startswith("data:"):
            return _data_uri(self.path, uri)
        path = self.path.parent / safe_relative(uri, str(self.path))
        try:
            return self.read(path)
        except SceneError as error:
            raise SceneError(f"{self.path} needs another file. {error}") from error

    @property
    def digest(self) -> str:
        """SHA-256 of the one file, or of the files' digests in the order of their names."""
        if len(self._digests) == 1:
            return next(iter(self._digests.values())).hex()
        return hashlib.sha256(b"".join(self._digests[path] for path in sorted(self._digests))).hexdigest()


def safe_relative(name: str, where: str) -> PurePosixPath:
    """`name` as a relative path that stays where it is put; SceneError for a scheme, a root or a step upwards."""
    plain = unquote(name).replace("\\", "/")
    path = PurePosixPath(plain)
    tricky = not plain or path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", plain)
    if tricky or any(ord(letter) < 32 for letter in plain):
        shown = name if len(name) <= 80 else name[:77] + "..."
        raise SceneError(f"{where}: refuses the path {shown!r}. Keep the scene's files in its own folder.")
    return path


def _data_uri(path: Path, uri: str) -> bytes:
    head, comma, body = uri.partition(",")
    try:
        if not comma:
            raise ValueError("no comma")
        return base64.b64decode(unquote(body), validate=True) if head.endswith(";base64") else unquote(body).encode()
    except (ValueError, binascii.Error) as error:
        raise SceneError(f"{path}: a data URI is damaged ({error}). Export the scene again.") from error
