"""Threads that help with frames, kept between them: starting one would take longer than a small frame.

Nobody waits for a helper: one that comes late finds nothing left to do. So a process that was forked and has lost its
helpers, or a machine without an idle core, draws the same frames, only not sooner.

Left to the system, a helper woke on its caller's core in every fourth to third frame (a virtual machine with two cores,
the other idle), and such a frame took twice as long. So a helper keeps off that core.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

Work = Callable[[], int]
"""Returns the core on which it found its caller at work, or APART."""
APART = -1


class Helper:
    """A thread that does one piece of work at a time."""

    def __init__(self) -> None:
        self._called = threading.Lock()
        self._called.acquire()
        self._work: Work | None = None
        self._cores = os.sched_getaffinity(0)
        threading.Thread(target=self._help, name="frame", daemon=True).start()

    def call(self, work: Work) -> None:
        """Return at once; the helper must be idle."""
        self._work = work
        self._called.release()

    def _help(self) -> None:
        while True:
            self._called.acquire()
            work, self._work = self._work, None
            assert work is not None
            self._keep_off(work())
            del work
            _idle.append(self)

    def _keep_off(self, core: int) -> None:
        """Run on the other cores from now on, if there are any."""
        others = self._cores - {core}
        if core != APART and others:
            with suppress(OSError):  # the process may use other cores now
                os.sched_setaffinity(0, others)


_idle: deque[Helper] = deque()
os.register_at_fork(after_in_child=_idle.clear)


def help_with(works: Iterable[Work]) -> None:
    """Have each done by a further thread, all at once."""
    for work in works:
        _helper().call(work)


def _helper() -> Helper:
    try:
        return _idle.pop()
    except IndexError:
        return Helper()
