"""What an instruction says, before it is put into words of any language.

What is passed belongs to the step in which one passes it, between the turn and the door: "turn back, walk past the
desk and out", for after "walk past the desk; turn back and walk out" nobody knows when to turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nav_eval.worlds.episodes.relations import Way


@dataclass(frozen=True, slots=True)
class Pass:
    """A thing that one passes on one's left or right."""

    thing: str
    side: str


@dataclass(frozen=True, slots=True)
class Go:
    """From a room of one category into one of another, by a way that is told as in relations.Way."""

    leave: str
    enter: str
    way: Way
    past: Pass | None = None


@dataclass(frozen=True, slots=True)
class Climb:
    """To the stair, which opens off a room of the category `leave`, and up or down it."""

    up: bool
    leave: str
    way: Way
    past: Pass | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """The thing beside which one stops, and where to turn for it if it is down a corridor."""

    thing: str
    turn: str = ""


Step: TypeAlias = Go | Climb | Stop
