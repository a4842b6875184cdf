"""Progress of long work: a callback is given the share done since its last call; all shares sum to 1."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

ProgressCallback: TypeAlias = Callable[[float], object]
SECONDS_BEFORE_SHARES, SECONDS_BETWEEN_SHARES = 2.0, 10.0


def no_progress(_: float) -> None:
    """Says nothing."""


def share_of(on_progress: ProgressCallback, share: float) -> ProgressCallback:
    """For a piece of the work that is `share` of the whole."""
    return lambda done: on_progress(done * share)


def progress_lines(
    what: str, say: Callable[[str], object], clock: Callable[[], float] = time.monotonic
) -> ProgressCallback:
    """Says now and then what share is done and the time left; nothing of work that ends within seconds."""
    began = clock()
    said = began + SECONDS_BEFORE_SHARES - SECONDS_BETWEEN_SHARES
    done = 0.0

    def on_progress(share: float) -> None:
        nonlocal said, done
        done += share
        now = clock()
        if now - said >= SECONDS_BETWEEN_SHARES and 0 < done < 0.999:
            said = now
            say(f"{what}: {done:.0%}, about {(now - began) * (1 - done) / done:.0f} s left")

    return on_progress
