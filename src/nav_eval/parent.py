"""A process of multiprocessing ends with the one that began it, whatever ended that."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time


def end_with_parent(seconds: float) -> None:
    """Called in such a process: when its parent is gone it is sent SIGTERM, and ended after so many seconds."""
    threading.Thread(target=_end, args=(seconds,), daemon=True).start()


def _end(seconds: float) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(seconds)
    os._exit(1)
