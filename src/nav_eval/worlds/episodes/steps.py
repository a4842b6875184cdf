"""What an instruction says, before it is put into words of any language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nav_eval.worlds.episodes.relations import Way


@dataclass(frozen=True, slots=True)
class Go:
    """From a room of one category into one of another, by a way that is told as in relations.Way."""

    leave: str
    enter: str
    way: Way


@dataclass(frozen=True, slots=True)
class Climb:
    """The stair, up or down."""

    up: bool


@dataclass(frozen=True, slots=True)
class Pass:
    """A thing that one passes on one's left or right."""

    thing: str
    side: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The thing beside which one stops."""

    thing: str


Step: TypeAlias = Go | Climb | Pass | Stop
