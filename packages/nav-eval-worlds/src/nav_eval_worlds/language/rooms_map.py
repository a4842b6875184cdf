"""A building as language sees it: rooms, the ways between them, and the things that stand in rooms.

Made from a scene's semantics alone. Which rooms a door joins is what the annotation says (`joins`): boxes of doors and
rooms do not tell it, since a door's box holds its open leaf and rooms meet in corners.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from nav_eval.engine.scene.scene import SemanticObject, SemanticRegion

BUILT_IN = frozenset(
    ("wall", "floor", "ceiling", "door", "doorway", "window", "stairs", "curtain", "column", "glass_partition", "sign")
)
WIDE = 2.2
"""Metres. What is wider is an open side of a room, no doorway."""
Flat = tuple[float, float]
Kind = Literal["door", "opening", "stairs"]


@dataclass(frozen=True, slots=True)
class DoorWay:
    """A way between regions `a` and `b`: its middle (x, z), floor height y, and whether one passes it along x.

    `wide`: so wide that nobody would call it a doorway; two rooms are then rather two parts of one. `arched`: it ends
    in an arch.
    """

    id: int
    kind: Kind
    a: int
    b: int
    middle: Flat
    y: float
    along_x: bool
    wide: bool = False
    arched: bool = False

    def other(self, room: int) -> int:
        return self.b if room == self.a else self.a


@dataclass(frozen=True)
class RoomsMap:
    """Regions and things by id, doors in a row. The stair is a way between the stairwells of two storeys."""

    rooms: dict[int, SemanticRegion]
    doors: tuple[DoorWay, ...]
    things: dict[int, SemanticObject]

    @cached_property
    def _doors_of(self) -> dict[int, list[DoorWay]]:
        return {room: [door for door in self.doors if room in (door.a, door.b)] for room in self.rooms}

    @cached_property
    def _things_of(self) -> dict[int, list[SemanticObject]]:
        return {room: [thing for thing in self.things.values() if thing.region == room] for room in self.rooms}

    def doors_of(self, room: int) -> list[DoorWay]:
        return self._doors_of[room]

    def things_in(self, room: int, category: str = "") -> list[SemanticObject]:
        return [thing for thing in self._things_of[room] if category in ("", thing.category)]

    def room_at(self, x: float, y: float, z: float, slack: float = 0.02) -> int:
        """The region that holds a floor point, 0 if none does (a threshold, a wall)."""
        return next((room.id for room in self.rooms.values() if room.holds(x, y, z, slack)), 0)

    def rooms_between(self, start: int) -> dict[int, int]:
        """Of every room that can be reached, through how many ways at least; the start's own is 0."""
        out, edge = {start: 0}, [start]
        for room in edge:
            for door in self.doors_of(room):
                other = door.other(room)
                if other not in out:
                    out[other] = out[room] + 1
                    edge.append(other)
        return out


def rooms_map(objects: Iterable[SemanticObject], regions: Iterable[SemanticRegion]) -> RoomsMap:
    rooms = {region.id: region for region in regions}
    found = list(objects)
    doors = tuple(_way(o, rooms[o.joins[0]], rooms[o.joins[1]]) for o in found if o.joins)
    things = {o.id: o for o in found if o.category not in BUILT_IN and o.region in rooms}
    return RoomsMap(rooms, doors, things)


def _way(door: SemanticObject, a: SemanticRegion, b: SemanticRegion) -> DoorWay:
    """The way through the wall between two rooms; along that wall the opening is in the middle of the door's box."""
    x, y, z = door.center
    floor = y - door.size[1] / 2
    if a.storey != b.storey:
        return DoorWay(door.id, "stairs", a.id, b.id, (x, z), floor, True)
    along_x = _gap(a, b, 0) > _gap(a, b, 2)
    axis = 0 if along_x else 2
    line = (max(a.low[axis], b.low[axis]) + min(a.high[axis], b.high[axis])) / 2
    at = (line, z) if along_x else (x, line)
    kind: Kind = "opening" if door.category == "doorway" else "door"
    return DoorWay(door.id, kind, a.id, b.id, at, floor, along_x, door.size[2 - axis] > WIDE, door.design == "arch")


def _gap(a: SemanticRegion, b: SemanticRegion, axis: int) -> float:
    return max(a.low[axis], b.low[axis]) - min(a.high[axis], b.high[axis])
