"""How long work tells how far it is: the share done since it told last; all shares of a piece of work sum to 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Tell: TypeAlias = Callable[[float], object]


def silent(_: float) -> None:
    """Tells nobody."""


def part(tell: Tell, share: float) -> Tell:
    """For a piece of the work that is `share` of the whole."""
    return lambda done: tell(done * share)
