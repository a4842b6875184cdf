"""A simulator that we start: give it a port or read the one it takes, watch it, stop it with everything it began."""

from __future__ import annotations

import atexit
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from functools import partial

from nav_eval.errors import SimulatorUnavailable
from nav_eval_sdk.variables import SIMULATOR_PORT, SIMULATOR_STDIN

ANNOUNCEMENT = re.compile(r"listening on (\S+)")
KEPT_LINES = 5
LONGEST_LINE = 1 << 16
"""Bytes; a simulator that never ends its line does not fill our memory."""
GRACE_SECONDS = 5.0
ENDING_SECONDS = 0.5
"""What a process is given to end after its output or its connection did."""


class SimulatorProcess:
    """`command` is no shell line. `{port}` in it is replaced by the endpoint's port, or by a free one.

    Without an endpoint and without `{port}` the process says on its standard output: listening on HOST:PORT.
    """

    def __init__(self, command: Sequence[str] | str, endpoint: str | None, timeout: float) -> None:
        words = shlex.split(command) if isinstance(command, str) else list(command)
        given = any("{port}" in word for word in words)
        self.endpoint = endpoint or (f"127.0.0.1:{free_port()}" if given else None)
        port = self.endpoint.rpartition(":")[2] if self.endpoint else ""
        self._words = [word.replace("{port}", port) for word in words]
        self._port = port
        self._timeout = timeout
        self._said: deque[str] = deque(maxlen=KEPT_LINES)
        self._announced = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> str:
        """Its endpoint, once it listens; raises SimulatorUnavailable if it ends or does not listen in time.

        Whoever listens at that port before is not what `command` starts: also refused.
        """
        if self._port and self._listens():
            raise SimulatorUnavailable(
                f"simulator.command: another program listens at port {self._port} already. Stop it, or take it as it is"
                " and drop simulator.command."
            )
        environment = os.environ | {SIMULATOR_STDIN.name: "1"}
        if self._port:
            environment[SIMULATOR_PORT.name] = self._port
        try:
            self._process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=sys.platform != "win32",
            )
        except OSError as error:
            raise SimulatorUnavailable(
                f"simulator.command: {self._words[0]!r} cannot be started ({error.strerror}). Check the path."
            ) from None
        atexit.register(self.stop)
        threading.Thread(target=self._listen, name="simulator-output", daemon=True).start()
        self._wait()
        assert self.endpoint is not None
        return self.endpoint

    def _listen(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for raw in iter(partial(self._process.stdout.readline, LONGEST_LINE), b""):
            line = raw.decode("utf-8", "replace").strip()
            self._said.append(line[:200])
            found = ANNOUNCEMENT.search(line)
            if found and not self._announced.is_set():
                self.endpoint = self.endpoint or found[1]
                self._announced.set()
        self._announced.set()

    def _wait(self) -> None:
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            if self._announced.wait(0.05) or (self._port and self._listens()):
                if self.endpoint is not None and not self.ended:
                    return
                break
        problem = "ended" if self.ends_within() else f"did not say 'listening on HOST:PORT' within {self._timeout:g} s"
        said = self.last_words
        self.stop()
        raise SimulatorUnavailable(f"simulator.command: {self._words[0]!r} {problem}.{said} Run it by hand to see why.")

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", int(self._port)), timeout=1).close()
        except OSError:
            return False
        return True

    @property
    def ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def ends_within(self, seconds: float = ENDING_SECONDS) -> bool:
        """Whether it has ended, or does so soon: a broken connection is often the first sign."""
        if self._process is None:
            return True
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    @property
    def last_words(self) -> str:
        """' It ended with exit code 1 and said: ...', as much of it as is known."""
        code = self._process.poll() if self._process is not None else None
        ended = "" if code is None else f" It ended with exit code {code}."
        said = " | ".join(line for line in self._said if line)
        return ended + (f" It said: {said[-600:]}." if said else "")

    def stop(self) -> None:
        """End its whole process group, kindly at first."""
        atexit.unregister(self.stop)
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        _signal(process, signal.SIGTERM)
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
            process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def free_port() -> int:
    """Of this machine, until somebody else takes it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
