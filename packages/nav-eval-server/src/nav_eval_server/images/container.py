"""A team's image at work on a worker: run, reached without a network, and removed whatever happens.

The service in it is reached by `nav-eval-agent relay`, which the engine runs beside it for each connection.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from nav_eval.logging import get_logger
from nav_eval_sdk.variables import AGENT_TOKEN
from nav_eval_server.challenge import Images
from nav_eval_server.images.engine import LABEL, EngineError, call, check_machine, confined, inspect, patiently, refuse
from nav_eval_server.images.loading import Broken, Store

LOG = get_logger("nav_eval.competition")
FOLDER = re.compile(r"(?:/[A-Za-z0-9._-]+)+")
LOG_BYTES = 64 << 10
KILLED = 128 + signal.SIGKILL
"""Exit code of what the kernel ended for want of memory; nobody else does before we remove it."""


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
        """Raises Broken; ConfigError and EngineError where this machine is at fault."""
        options = [f"--name={self._name}", f"--label={LABEL}={self._owner}", f"--env={AGENT_TOKEN}={self.token}"]
        volumes = inspect(self._rules.engine, "image", image)["Config"].get("Volumes") or {}
        if not all(map(FOLDER.fullmatch, volumes)):
            raise Broken("image_unfit", "the name of a VOLUME has other signs than letters, digits and ._-")
        options += confined(self._rules, *volumes)
        if patiently(alive, self._rules.engine, "run", "--detach", *options, image, cwd=self._place.name)[0]:
            check_machine(self._rules)
            raise Broken("image_unfit", "its command could not be started.")
        waiting = [self._rules.engine, "wait", self._name]
        self._waiting = subprocess.Popen(
            waiting, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def check(self) -> None:
        """Raises Broken once it has ended."""
        if self._waiting is None or self._waiting.poll() is None:
            return
        state = inspect(self._rules.engine, "container", self._name)["State"]
        if state["Running"]:  # only our `wait` has ended
            return
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
                        self._command, stdin=sock.fileno(), stdout=sock.fileno(), stderr=subprocess.DEVNULL,
                        start_new_session=True,
                    )  # fmt: skip
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
