"""A participant's service in a process of its own, to be attacked."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TOKEN = "a-long-token"
SECONDS = 120.0
TESTS = Path(__file__).parents[1]
PYTHONPATH = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
"""Of the processes that are started: these modules, and whatever this process was given."""


@dataclass(frozen=True, slots=True)
class Target:
    """A service under attack."""

    endpoint: str
    process: int
    log: Path

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.endpoint.rpartition(":")
        return host, int(port)

    @property
    def megabytes(self) -> float:
        """The most that it ever held."""
        lines = Path(f"/proc/{self.process}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, SECONDS)


@contextmanager
def target(protocol: str, folder: Path) -> Iterator[Target]:
    """Its log goes to a file: a full pipe would stop it."""
    log = folder / f"{protocol}.log"
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", "attacks.honest:Honest", "--port", "0"]
    options = ["--protocol", protocol, "--token", TOKEN, "--max-sessions", "8", "--idle-timeout", "0"]
    environment = os.environ | {"PYTHONPATH": PYTHONPATH, "PYTHONUNBUFFERED": "1"}
    with log.open("w") as out, subprocess.Popen([*command, *options], stderr=out, env=environment) as process:
        while not (told := re.search(r"Serving at (\S+)\.\n", log.read_text())):
            if process.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(0.05)
        try:
            yield Target(told[1], process.pid, log)
        finally:
            process.kill()  # attacks leave sessions behind, and a signal would wait for their end
