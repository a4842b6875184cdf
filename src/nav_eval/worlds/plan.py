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
TREAD = 270
DOOR_HEIGHT = 2050
SIDES = ("n", "e", "s", "w")
Side = Literal["n", "e", "s", "w"]
Kind = Literal["home", "office"]


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
        dx = min(self.x1, other.x1) - max(self.x0, other.x0)
        dz = min(self.z1, other.z1) - max(self.z0, other.z0)
        return dx > slack and dz > slack

    def holds(self, x: float, z: float) -> bool:
        return self.x0 <= x <= self.x1 and self.z0 <= z <= self.z1


@dataclass(frozen=True, slots=True)
class Room:
    """One room: `cell` to the middle of its walls, `id` from 1, storey from 0; heights of floor and ceiling, mm.

    `base` is the floor above the ground, `ceiling` is above the room's own floor.
    """

    id: int
    type: str
    storey: int
    cell: Rect
    base: int = 0
    ceiling: int = 2600

    @property
    def clear(self) -> Rect:
        return self.cell.grown(-WALL // 2)


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
    """A window in the outer wall on `side` of a room: `low` to `high` along it, `sill` to `top` above the floor."""

    id: int
    room: int
    side: Side
    low: int
    high: int
    sill: int
    top: int


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
