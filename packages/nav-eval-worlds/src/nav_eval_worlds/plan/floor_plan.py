"""What a floor plan is: rooms, doors, windows and a stair, in whole millimetres.

x grows to the east, z to the south (so -z is north), y upwards. A cell is a room with half of its walls; its
clear rectangle, between the wall faces, is WALL / 2 smaller on each side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WALL = 120
OUTER = 240
SLAB = 280
"""From a ceiling to the floor above it."""
LINTEL = 200
"""The least wall over an opening, however wide."""
KNEE = 1450
"""Height of the wall under the slope of an attic."""
TREAD = 270
DOOR_HEIGHT = 2050
Side = Literal["n", "e", "s", "w"]
SIDES: tuple[Side, ...] = ("n", "e", "s", "w")
Kind = Literal["home", "office"]
Casing = Literal["casement", "lattice", "sash", "tilt", "fixed", "ribbon", "french", "frosted"]
"""How a window is divided; a French one is a glazed door, whose closed foot nobody steps over."""


@dataclass(frozen=True, slots=True)
class Rect:
    """x0 < x1, z0 < z1, millimetres."""

    x0: int
    z0: int
    x1: int
    z1: int

    @property
    def width(self) -> int:
        return self.x1 - self.x0

    @property
    def depth(self) -> int:
        return self.z1 - self.z0

    @property
    def centre(self) -> tuple[int, int]:
        return (self.x0 + self.x1) // 2, (self.z0 + self.z1) // 2

    def grown(self, by: int) -> Rect:
        return Rect(self.x0 - by, self.z0 - by, self.x1 + by, self.z1 + by)

    def overlaps(self, other: Rect, slack: int = 0) -> bool:
        """True if the interiors share more than `slack` in both directions."""
        if min(self.x1, other.x1) - max(self.x0, other.x0) <= slack:
            return False
        return min(self.z1, other.z1) - max(self.z0, other.z0) > slack

    def holds(self, x: float, z: float) -> bool:
        return self.x0 <= x <= self.x1 and self.z0 <= z <= self.z1


@dataclass(frozen=True, slots=True)
class Room:
    """One room: `cell` to the middle of its walls, `id` from 1, storey from 0; heights of floor and ceiling, mm.

    `base` is the floor above the ground, `ceiling` is above the room's own floor. In an attic the roof comes down to
    KNEE, at 45 degrees, over the side `eaves`.
    """

    id: int
    type: str
    storey: int
    cell: Rect
    base: int = 0
    ceiling: int = 2600
    eaves: Side | None = None

    @property
    def clear(self) -> Rect:
        return self.cell.grown(-WALL // 2)

    @property
    def slope(self) -> Rect | None:
        """The part of the clear rectangle under a sloping ceiling."""
        if self.eaves is None:
            return None
        r, deep = self.clear, self.ceiling - KNEE
        return {
            "n": Rect(r.x0, r.z0, r.x1, r.z0 + deep),
            "s": Rect(r.x0, r.z1 - deep, r.x1, r.z1),
            "w": Rect(r.x0, r.z0, r.x0 + deep, r.z1),
            "e": Rect(r.x1 - deep, r.z0, r.x1, r.z1),
        }[self.eaves]

    def side_of(self, opening: Door | Glazing) -> Side:
        """The side that a door or a partition of glass is in."""
        return next(s for s in SIDES if (s in "ew") == opening.vertical and wall_line(self.cell, s)[0] == opening.line)

    def upright(self, side: Side, low: int, high: int) -> tuple[int, int]:
        """What of a stretch of the wall on `side` has the full height; all of it on the side of the eaves."""
        under = self.slope
        if under is None or (side in "ns") == (self.eaves in ("n", "s")):
            return low, high
        start, end = (under.x0, under.x1) if side in "ns" else (under.z0, under.z1)
        return (max(low, end), high) if self.eaves in ("n", "w") else (low, min(high, start))

    def headroom(self, rect: Rect) -> int:
        """The least height of the ceiling over a rectangle within the room."""
        r = self.clear
        gaps = {"n": rect.z0 - r.z0, "s": r.z1 - rect.z1, "w": rect.x0 - r.x0, "e": r.x1 - rect.x1}
        return self.ceiling if self.eaves is None else min(self.ceiling, KNEE + max(gaps[self.eaves], 0))


@dataclass(frozen=True, slots=True)
class Door:
    """A way between rooms `a` and `b` in the wall line at `line`: along z if `vertical`, else along x.

    `low` to `high` is the clear opening along the wall; `leaf` tells a door with a leaf from an open passage.
    """

    id: int
    a: int
    b: int
    storey: int
    vertical: bool
    line: int
    low: int
    high: int
    height: int
    leaf: bool
    arch: int = 0
    """How much higher the head is in the middle than at the jambs, mm."""

    @property
    def centre(self) -> tuple[int, int]:
        middle = (self.low + self.high) // 2
        return (self.line, middle) if self.vertical else (middle, self.line)


@dataclass(frozen=True, slots=True)
class Window:
    """A window in the outer wall on `side` of a room: `low` to `high` along it, `sill` to `top` above the floor.

    `drawn`: per cent of its half of the glass that the curtain at the low and at the high end covers; `long`: they
    reach the floor; `net`: a thin cloth hangs in the opening.
    """

    id: int
    room: int
    side: Side
    low: int
    high: int
    sill: int
    top: int
    casing: Casing = "casement"
    drawn: tuple[int, int] = (0, 0)
    long: bool = False
    net: bool = False


@dataclass(frozen=True, slots=True)
class Stair:
    """A half-turn stair in `room`, entered from its `side`; `flip` puts the first flight on the right."""

    room: int
    side: Side
    flip: bool


@dataclass(frozen=True, slots=True)
class Glazing:
    """A glass partition between rooms `a` and `b`, in the wall line at `line` as a door is."""

    id: int
    a: int
    b: int
    vertical: bool
    line: int
    low: int
    high: int
    sill: int
    top: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column from the floor of a room to its ceiling."""

    room: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class Sign:
    """The number of a door on a wall of `room`: `low` to `high` along it, `bottom` to `top` above the floor."""

    room: int
    side: Side
    low: int
    high: int
    bottom: int
    top: int
    number: int


@dataclass(frozen=True, slots=True)
class Plan:
    """`grammar` names how the ground floor is laid out, `pitch` is the height from floor to floor."""

    kind: Kind
    grammar: str
    storeys: int
    pitch: int
    rooms: tuple[Room, ...]
    doors: tuple[Door, ...]
    windows: tuple[Window, ...]
    stair: Stair | None
    glazing: tuple[Glazing, ...] = ()
    columns: tuple[Column, ...] = ()
    signs: tuple[Sign, ...] = ()

    @property
    def steps(self) -> int:
        return steps(self.pitch)

    def room(self, room_id: int) -> Room:
        return self.rooms[room_id - 1]

    def doors_of(self, room_id: int) -> tuple[Door, ...]:
        return tuple(door for door in self.doors if room_id in (door.a, door.b))


OPPOSITE: dict[str, Side] = {"n": "s", "s": "n", "e": "w", "w": "e"}
TURN_OF = {"n": 0, "w": 1, "s": 2, "e": 3}
"""Quarter turns that put an object's back against the wall on that side."""


def wall_line(rect: Rect, side: Side) -> tuple[int, int, int]:
    """(line, low, high) of a rectangle's side: z of the line for n and s, x of it for w and e."""
    if side == "n":
        return rect.z0, rect.x0, rect.x1
    if side == "s":
        return rect.z1, rect.x0, rect.x1
    if side == "w":
        return rect.x0, rect.z0, rect.z1
    return rect.x1, rect.z0, rect.z1


def steps(pitch: int) -> int:
    """Steps of a half-turn stair: an even number of which none is higher than 180 mm."""
    return -(-pitch // 360) * 2
