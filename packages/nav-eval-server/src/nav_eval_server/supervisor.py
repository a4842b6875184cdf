"""nav-eval competition serve: web, relay, scheduler and worker as processes of their own, begun again when they die.

SIGTERM and SIGINT drain: the worker lets running episodes end, then the others are ended. A second one does not wait.
"""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType

from nav_eval.logging import get_logger
from nav_eval_server.parent_death import killed_with_parent

LOG = get_logger("nav_eval.competition")
PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before a child is begun again, the longer the more often it died at once."""
SETTLED = 10.0
"""A child that has lived for so long begins anew with the first pause."""


@dataclass
class Child:
    """A process by its role; `grace`: seconds between SIGTERM and SIGKILL. `fds`: what it inherits, each time."""

    name: str
    command: Sequence[str]
    grace: float = 5.0
    fds: Sequence[int] = ()
    process: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    began: float = 0.0
    due: float = field(default_factory=time.monotonic)

    def tend(self) -> None:
        """Begin it if it is due; note if it has died."""
        now = time.monotonic()
        if self.process is not None and self.process.poll() is not None:
            LOG.warning("%s ended with %s and is restarted", self.name, self.process.returncode)
            self.deaths = 0 if now - self.began > SETTLED else self.deaths + 1
            self.due = now + PAUSES[min(self.deaths, len(PAUSES) - 1)]
            self.process = None
        if self.process is None and now >= self.due:
            self.process = subprocess.Popen(killed_with_parent(self.command), start_new_session=True, pass_fds=self.fds)
            self.began = now

    def end(self, hurry: threading.Event) -> None:
        if self.process is None:
            return
        self.process.terminate()
        until = time.monotonic() + self.grace
        while self.process.poll() is None and time.monotonic() < until and not hurry.is_set():
            time.sleep(0.05)
        self.process.kill()
        self.process.wait()


def supervise(children: Sequence[Child]) -> None:
    """Until a signal; then they are ended in the order of the list."""
    stop, hurry = threading.Event(), threading.Event()

    def leave(number: int, frame: FrameType | None) -> None:
        (hurry if stop.is_set() else stop).set()

    before: Mapping[int, object] = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        while not stop.is_set():
            for child in children:
                child.tend()
            time.sleep(0.1)
    finally:
        for child in children:
            child.end(hurry)
        for number, handler in before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
