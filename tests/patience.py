"""How long a test waits: a loaded machine may be twenty times slower than a quiet one.

So a wait ends with what is waited for, and PATIENCE only ends a test that hangs. What must not take long is measured in
CPU time, or against something that would else be waited for and takes far longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds: twenty times the longest wait on a quiet machine."""


def until(condition: Callable[[], object], what: object = "") -> None:
    """Wait for it."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE:g} s"
        time.sleep(0.01)
