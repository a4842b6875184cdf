"""Loaded images of a worker: fetched from the server, measured, loaded into the engine, and a few of them kept.

Whatever an archive calls itself, its image is known by its id: two teams may use one name.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nav_eval_sdk.protocol.text import line
from nav_eval_server.challenge import Images
from nav_eval_server.disk import full, has_room
from nav_eval_server.images import ImageFault
from nav_eval_server.images.archive import UNFIT
from nav_eval_server.images.engine import TICK, EngineError, call, check_machine, inspect, patiently, require_room

LOADED = re.compile(r"^Loaded image(?: ID)?: (\S+)$", re.MULTILINE)
IMAGES = "images"
"""A worker's folder for them, in the one that it works in."""
KEPT = 3
"""Loaded images that stay for another run, beside those that are at work."""
LOCK = Path(tempfile.gettempdir()) / f"nav-eval-images-{os.getuid()}.lock"


class Broken(Exception):
    """The team's image is at fault; `detail` fills in the sentence of queue.states."""

    def __init__(self, fault: ImageFault, detail: str) -> None:
        super().__init__(detail)
        self.fault, self.detail = fault, detail


class Store:
    """Images of this worker, below `folder`: a file by SHA-256 holds the id of what is loaded.

    `fetch`: a piece of the archive from an offset on; `alive`: called while something takes long, may raise.
    """

    def __init__(self, folder: Path, rules: Images, fetch: Callable[[int], bytes], alive: Callable[[], None]) -> None:
        self._folder, self._rules, self._fetch, self.alive = folder, rules, fetch, alive

    def have(self, sha256: str) -> str:
        """The id of the image, loaded. Raises Broken; ConfigError and EngineError where this machine is at fault."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        note = self._folder / sha256
        with self._lock():
            if note.exists() and self._there(note.read_text()):
                note.touch()
                return note.read_text()
            self._drop_old()
            archive = self._folder / f"{sha256}.tar"
            try:
                self._download(archive, sha256)
                found = self._load(archive, self._check(archive))
            finally:
                archive.unlink(missing_ok=True)
            note.write_text(found)
            return found

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """One load at a time on this machine, since archives may share a name."""
        with LOCK.open("a") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    self.alive()
                    time.sleep(TICK)
            yield

    def _there(self, image: str) -> bool:
        with suppress(EngineError):
            return bool(inspect(self._rules.engine, "image", image))
        return False

    def _drop_old(self) -> None:
        notes = sorted(
            (file for file in self._folder.iterdir() if not file.suffix), key=lambda file: file.stat().st_mtime
        )
        for note in notes[: -KEPT + 1]:
            with suppress(EngineError):  # it is at work
                call(self._rules.engine, "rmi", note.read_text())
                note.unlink()

    def _download(self, archive: Path, sha256: str) -> None:
        found = hashlib.sha256()
        with archive.open("wb") as file:
            while piece := self._fetch(file.tell()):
                if not has_room(self._folder):  # others play on this disk
                    raise full()
                file.write(piece)
                found.update(piece)
                self.alive()
        if found.hexdigest() != sha256:
            raise Broken("image_unfit", "the server no longer has its archive. Push it again.")

    def _check(self, archive: Path) -> float:
        """Bytes that it unpacks to."""
        code, said = patiently(
            self.alive, sys.executable, "-m", "nav_eval_server.images.archive", str(archive), f"{self._rules.size_gb:g}"
        )
        if code:
            raise Broken("image_unfit", line(said) if code == UNFIT else "its archive cannot be read.")
        return float(said.split()[-1])  # below what the interpreter may have to say

    def _load(self, archive: Path, size: float) -> str:
        require_room(self._rules, size)
        code, said = patiently(self.alive, self._rules.engine, "load", "--input", str(archive))
        if code:
            check_machine(self._rules)
            raise Broken("image_unfit", f"{self._rules.engine} cannot load its archive.")
        names = LOADED.findall(said)
        if len(names) != 1:
            raise Broken("image_unfit", f"its archive holds {len(names)} images; save one.")
        return str(inspect(self._rules.engine, "image", names[0])["Id"])
