"""What an instruction says, before it is put into words of any language.

What is passed belongs to the step in which one passes it, between the turn and the door: "turn back, walk past the
desk and out", for after "walk past the desk; turn back and walk out" nobody knows when to turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from nav_eval_worlds.language.relations import Way


@dataclass(frozen=True, slots=True)
class Noun:
    """A thing by its kind and by how it looks; a word that is not certain is empty.

    `relation` ("between", "on", "near", "under", "corner", "window", "windows", "middle", "wall" that it hangs on,
    "against" a wall) says where it is, beside, on or below the things named in `others`; "bearing": the other, or both
    of them, are on it; "seats": so many chairs are at it.
    """

    kind: str
    size: str = ""
    colour: str = ""
    material: str = ""
    relation: str = ""
    others: tuple[str, ...] = ()
    shape: str = ""
    design: str = ""
    """Of a kind that has several names the one that fits: a key of the tables' designs."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A thing, or a room by its name, that one passes on one's left or right, and another that is passed at once on the
    other side; or what one walks "over"."""

    thing: Noun
    side: str
    other: Noun | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What one sees before one turns: `where` is ahead, left, right or behind."""

    thing: Noun
    where: str


@dataclass(frozen=True, slots=True)
class Go:
    """From a room of one category into one of another, by a way that is told as in relations.Way.

    `mark` is the thing that stands right beside the way out, `holds` one that is seen in the next room; `sole`: there
    is no other way out of the room; `wide`: it is no doorway but an open side. `sights` are what one sees before one
    turns. `facing`: what lies right across a corridor from the way out; `leaf`: the door of the way out, if
    it has one; `crosses`: one walks from wall to wall of the room; `again`: a room of that name was passed before;
    `look`: how the room that one enters strikes one: a key of the tables' extent. `far`: a key of the
    tables' distance for how far along a corridor the way out is. `twin`: such a way is right across from it, too.
    `arched`: it ends in an arch.
    """

    leave: str
    enter: str
    way: Way
    past: Pass | None = None
    mark: Noun | None = None
    sole: bool = False
    holds: Noun | None = None
    sights: tuple[Sight, ...] = ()
    wide: bool = False
    facing: Noun | None = None
    leaf: Noun | None = None
    crosses: bool = False
    again: bool = False
    look: str = ""
    far: str = ""
    twin: bool = False
    arched: bool = False

    @property
    def outwards(self) -> bool:
        """Whether one comes out of a room into a corridor."""
        return self.enter == "hallway" and self.leave not in ("hallway", "stairs")


@dataclass(frozen=True, slots=True)
class Climb:
    """To the stair, which opens off a room of the category `leave`, and up or down it."""

    up: bool
    leave: str
    way: Way
    past: Pass | None = None
    sights: tuple[Sight, ...] = ()


@dataclass(frozen=True, slots=True)
class Stop:
    """The thing beside which one stops, in a room of the category `room`, and where to turn for it in a corridor.

    `place`: where one sees it from the way into the room, as in Sight; "" where that is not plain. `far`: a key of the
    tables' distance for how far it is ahead.
    """

    thing: Noun
    turn: str = ""
    room: str = ""
    sights: tuple[Sight, ...] = ()
    place: str = ""
    far: str = ""


Step: TypeAlias = Go | Climb | Stop
