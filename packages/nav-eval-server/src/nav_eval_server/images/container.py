"""A team's image at work on a worker: fetched, loaded, run, reached without a network, and removed whatever happens.

The service in it is reached by `nav-eval-agent relay`, which the engine runs beside it for each connection. Whatever an
archive calls itself, it is run by its id: two teams may use one name.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from nav_eval.logging import get_logger
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.variables import AGENT_TOKEN
from nav_eval_server.challenge import Images
from nav_eval_server.images import ImageFault
from nav_eval_server.images.archive import UNFIT
from nav_eval_server.images.engine import LABEL, EngineError, call, confined, refuse

LOG = get_logger("nav_eval.competition")
FOLDER = re.compile(r"(?:/[A-Za-z0-9._-]+)+")
LOADED = re.compile(r"^Loaded image(?: ID)?: (\S+)$", re.MULTILINE)
IMAGES = "images"
"""A worker's folder for them, in the one that it works in."""
KEPT = 3
"""Loaded images that stay for another run, beside those that are at work."""
LOG_BYTES = 64 << 10
TICK = 0.5
LOCK = Path(tempfile.gettempdir()) / f"nav-eval-images-{os.getuid()}.lock"
FULL = "no space left"
KILLED = 128 + signal.SIGKILL
"""Exit code of what the kernel ended for want of memory; nobody else does before we remove it."""


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
        """The id of the image, loaded. Raises Broken, and EngineError where we are at fault."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        note = self._folder / sha256
        with self._locked():
            if note.exists() and self._there(note.read_text()):
                note.touch()
                return note.read_text()
            self._drop_old()
            archive = self._folder / f"{sha256}.tar"
            try:
                self._download(archive, sha256)
                self._check(archive)
                found = self._load(archive)
            finally:
                archive.unlink(missing_ok=True)
            note.write_text(found)
            return found

    @contextmanager
    def _locked(self) -> Iterator[None]:
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
            return bool(_inspect(self._rules.engine, "image", image))
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
                file.write(piece)
                found.update(piece)
                self.alive()
        if found.hexdigest() != sha256:
            raise EngineError("the server no longer has this image")

    def _check(self, archive: Path) -> None:
        code, said = _patiently(
            self.alive, sys.executable, "-m", "nav_eval_server.images.archive", str(archive), f"{self._rules.size_gb:g}"
        )
        if code:
            raise Broken("image_unfit", line(said) if code == UNFIT else "its archive cannot be read.")

    def _load(self, archive: Path) -> str:
        code, said = _patiently(self.alive, self._rules.engine, "load", "--input", str(archive))
        if code and FULL in said:
            raise EngineError(said)
        if code:
            raise Broken("image_unfit", f"{self._rules.engine} cannot load its archive.")
        names = LOADED.findall(said)
        if len(names) != 1:
            raise Broken("image_unfit", f"its archive holds {len(names)} images; save one.")
        return str(_inspect(self._rules.engine, "image", names[0])["Id"])


def _patiently(alive: Callable[[], None], *command: str, cwd: str | None = None) -> tuple[int, str]:
    """Exit code and all that it says, however long it takes."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, cwd=cwd)
        try:
            while process.poll() is None:
                alive()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(TICK)
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        return process.returncode, out.read().decode(errors="replace")


def _inspect(engine: str, kind: str, name: str) -> Any:
    (about,) = json.loads(call(engine, kind, "inspect", name))
    return about


class Container:
    """A loaded image that runs. `owner`: the worker, whose next life removes what this one leaves behind."""

    def __init__(self, rules: Images, owner: str) -> None:
        self._rules, self._owner = rules, owner
        self.token = secrets.token_urlsafe(32)
        """What the service in it asks of callers, if it does; an image is as one that runs elsewhere."""
        self._name = f"nav-eval-{secrets.token_hex(8)}"
        self._place = tempfile.TemporaryDirectory()  # podman's monitor leaves files where it was begun
        self._waiting: subprocess.Popen[bytes] | None = None
        self._door = Door([rules.engine, "exec", "--interactive", self._name, "nav-eval-agent", "relay"])
        self.address = self._door.address

    def start(self, image: str, alive: Callable[[], None]) -> None:
        """Raises Broken."""
        options = [f"--name={self._name}", f"--label={LABEL}={self._owner}", f"--env={AGENT_TOKEN}={self.token}"]
        volumes = _inspect(self._rules.engine, "image", image)["Config"].get("Volumes") or {}
        if not all(map(FOLDER.fullmatch, volumes)):
            raise Broken("image_unfit", "the name of a VOLUME has other signs than letters, digits and ._-")
        options += confined(self._rules, *volumes)
        if _patiently(alive, self._rules.engine, "run", "--detach", *options, image, cwd=self._place.name)[0]:
            raise Broken("image_unfit", "its command could not be started.")
        waiting = [self._rules.engine, "wait", self._name]
        self._waiting = subprocess.Popen(waiting, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self) -> None:
        """Raises Broken once it has ended."""
        if self._waiting is None or self._waiting.poll() is None:
            return
        state = _inspect(self._rules.engine, "container", self._name)["State"]
        if state.get("OOMKilled") or state["ExitCode"] == KILLED:
            raise Broken("image_memory", f"{self._rules.memory_gb:g}")
        raise Broken("image_ended", str(state["ExitCode"]))

    def silent(self) -> Broken:
        return Broken("image_silent", f"{self._rules.ready_seconds:g}")

    def log(self) -> bytes:
        """The last that it said, on both streams."""
        with tempfile.TemporaryFile() as out, suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run([self._rules.engine, "logs", self._name], stdout=out, stderr=out, timeout=60, check=False)
            out.seek(max(0, out.seek(0, os.SEEK_END) - LOG_BYTES))
            return out.read()
        return b""

    def remove(self) -> None:
        self._door.close()
        try:
            call(self._rules.engine, "rm", "--force", "--volumes", self._name)
        except EngineError as error:
            LOG.warning("%s is not removed: %s", self._name, error)
        self._place.cleanup()
        if self._waiting is not None:
            self._waiting.kill()
            self._waiting.wait()


class Door:
    """A port of this machine. Whoever connects talks to `command`, begun for each connection."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[subprocess.Popen[bytes]] = []
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._let_in, daemon=True)
        self._thread.start()

    def _let_in(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                sock, _ = self._listener.accept()
                with sock, suppress(OSError):
                    self._open = [one for one in self._open if one.poll() is None]
                    relay = subprocess.Popen(
                        self._command, stdin=sock.fileno(), stdout=sock.fileno(), stderr=subprocess.DEVNULL
                    )
                    self._open.append(relay)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for relay in self._open:
            relay.kill()
            relay.wait()


@contextmanager
def running(store: Store, rules: Images, sha256: str, owner: str) -> Iterator[Container]:
    """The image, run; it is removed afterwards. Raises Broken; ConfigError and EngineError where we are at fault."""
    refuse(rules)
    image, container = store.have(sha256), Container(rules, owner)
    try:
        container.start(image, store.alive)
        yield container
    finally:
        container.remove()


def sweep(owner: str) -> None:
    """Remove what a killed worker has left running."""
    for engine in filter(shutil.which, ("podman", "docker")):
        with suppress(EngineError):
            left = call(engine, "ps", "--all", "--quiet", f"--filter=label={LABEL}={owner}").split()
            if left:
                call(engine, "rm", "--force", "--volumes", *left)
