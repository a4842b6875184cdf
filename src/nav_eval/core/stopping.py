"""How somebody ends a run from outside: at once, or as soon as what runs has ended.

SIGINT and SIGTERM end it at once: sessions at the service are ended, nothing more is recorded. A second one of either
ends the process on the spot. SIGUSR1 drains: the running episodes are finished, and no other begins.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from nav_eval.core.deadline import Deadline
from nav_eval_sdk.signals import wait

SECONDS_BETWEEN_STEPS = 1.0
"""So long a session may take to come to the end of its step; its episode is then ended over its head."""
SECONDS_OF_A_WORKER = 3.0
"""So long a worker may take to end its sessions before it is killed."""
STOPS = (signal.SIGINT, signal.SIGTERM)
DRAINS = signal.SIGUSR1


class Terminated(KeyboardInterrupt):
    """SIGTERM: what `docker stop` and systemd send."""


class Draining(BaseException):
    """SIGUSR1, raised in the main thread; and out of a run of which episodes are left for that reason."""


@contextmanager
def heeded() -> Iterator[None]:
    """SIGINT and SIGTERM are raised, once, in the main thread. One that is ignored (nohup) stays so."""
    before = {number: signal.getsignal(number) for number in STOPS}
    for number in _heard(before):
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is _stop:  # after a first signal a second one ends the process to its very end
                signal.signal(number, handler)


@contextmanager
def drainable() -> Iterator[None]:
    """SIGUSR1 is raised, once, in the main thread."""
    before = signal.signal(DRAINS, _say_and_drain)
    try:
        yield
    finally:
        signal.signal(DRAINS, before)


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """A worker begun here hears no Ctrl-C, which a terminal sends to all at once, before it heeds signals as one."""
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # multiprocessing's own, which lets Ctrl-C through again when it is begun
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def heed_as_worker() -> None:
    """In a worker: SIGTERM and SIGUSR1 are raised once, later ones ignored; the parent decides what Ctrl-C means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _stop_once)
    signal.signal(DRAINS, _drain)


class Attended(threading.Thread):
    """A thread that the main thread can wait for although a signal may interrupt it.

    Python 3.11 and 3.12 take a thread for ended when Thread.join is interrupted.
    """

    def __init__(self, target: Callable[..., None], *, name: str | None = None, args: tuple[Any, ...] = ()) -> None:
        super().__init__(target=target, name=name, args=args, daemon=True)
        self._over = threading.Event()

    def run(self) -> None:
        try:
            super().run()
        finally:
            self._over.set()

    def wait(self, seconds: float | None = None) -> None:
        wait(self._over, seconds)


def wait_for(threads: Sequence[Attended], seconds: float | None = None) -> None:
    """Until all of them have ended, but together no longer than `seconds`."""
    rest = None if seconds is None else Deadline(seconds)
    for thread in threads:
        thread.wait(None if rest is None else max(0.0, rest.left))


def _heard(handlers: Mapping[signal.Signals, object]) -> list[signal.Signals]:
    return [number for number, handler in handlers.items() if handler is not signal.SIG_IGN]


def _stop(number: int, _: FrameType | None) -> None:
    for each in _heard({each: signal.getsignal(each) for each in STOPS}):
        signal.signal(each, _end)
    signal.alarm(0)  # Ray's native handler, which is called before this one, would abort the process in 3 s
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated


def _stop_once(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Terminated


def _drain(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise Draining


def _say_and_drain(number: int, frame: FrameType | None) -> None:
    # Not through a stream: this may come in the middle of one's own work.
    os.write(2, b"nav-eval: draining: the running episodes are finished, no other begins.\n")
    _drain(number, frame)


def _end(number: int, _: FrameType | None) -> None:
    # The default would do, but for the first process of a container, which the kernel spares.
    os._exit(128 + number)
