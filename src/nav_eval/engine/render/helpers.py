"""Threads that help with frames, kept between them: starting one would take longer than a small frame.

Nobody waits for a helper: one that comes late finds nothing left to do. So a process that was forked and has lost its
helpers, or a machine without an idle core, draws the same frames, only not sooner.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable

Work = Callable[[], None]


class Helper:
    """A thread that does one piece of work at a time."""

    def __init__(self) -> None:
        self._called = threading.Lock()
        self._called.acquire()
        self._work: Work | None = None
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
            work()
            del work
            _idle.append(self)


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
