"""How long work tells how far it is: the share done since it told last; all shares of a piece of work sum to 1."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

Tell: TypeAlias = Callable[[float], object]
SECONDS_BEFORE_SHARES, SECONDS_BETWEEN_SHARES = 2.0, 10.0


def silent(_: float) -> None:
    """Tells nobody."""


def part(tell: Tell, share: float) -> Tell:
    """For a piece of the work that is `share` of the whole."""
    return lambda done: tell(done * share)


def in_lines(what: str, say: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> Tell:
    """Says now and then what share is done and the time left; nothing of work that ends within seconds."""
    began = clock()
    said = began + SECONDS_BEFORE_SHARES - SECONDS_BETWEEN_SHARES
    done = 0.0

    def tell(share: float) -> None:
        nonlocal said, done
        done += share
        now = clock()
        if now - said >= SECONDS_BETWEEN_SHARES and 0 < done < 0.999:
            said = now
            say(f"{what}: {done:.0%}, about {(now - began) * (1 - done) / done:.0f} s left")

    return tell
