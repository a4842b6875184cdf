"""Waiting in the main thread for something that a signal may cut short.

Python runs a signal's handler in the main thread. The kernel wakes that thread, but any other one that changes its
signal mask at that moment takes the signal away first, as every beginning of a thread in gRPC or of a process does; the
main thread's call is then not interrupted. So it has to wake up by itself now and then, and the handler runs.
"""

from __future__ import annotations

import queue
import threading
import time
from typing import TypeVar

T = TypeVar("T")
SECONDS = 0.2
"""So late a signal is heeded at worst."""


def wait(event: threading.Event, seconds: float | None = None) -> bool:
    """As `event.wait(seconds)`."""
    until = None if seconds is None else time.monotonic() + seconds
    while not event.is_set():
        left = SECONDS if until is None else until - time.monotonic()
        if left <= 0.0:
            return False
        event.wait(min(SECONDS, left))
    return True


def join(thread: threading.Thread) -> None:
    """As `thread.join()`, where the handlers raise nothing."""
    while thread.is_alive():
        thread.join(SECONDS)


def get(items: queue.SimpleQueue[T]) -> T:
    """As `items.get()`."""
    while True:
        try:
            return items.get(timeout=SECONDS)
        except queue.Empty:
            continue
