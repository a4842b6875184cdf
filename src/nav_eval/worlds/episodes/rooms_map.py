"""A building as language sees it: rooms, the doors between them, the stair, and the things that stand in rooms.

Made from a scene's semantics alone (boxes and categories), so the speaker that writes instructions and the listener
that tests them know the same building, and neither knows its generator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nav_eval.engine.scene.scene import SemanticObject, SemanticRegion

BUILT_IN = frozenset(("wall", "floor", "ceiling", "door", "doorway", "window", "stairs", "curtain"))
_WALL = 0.35
Flat = tuple[float, float]


@dataclass(frozen=True, slots=True)
class DoorWay:
    """A way between regions `a` and `b`: its middle (x, z), floor height y, and whether one passes it along x."""

    id: int
    a: int
    b: int
    middle: Flat
    y: float
    along_x: bool

    def other(self, room: int) -> int:
        return self.b if room == self.a else self.a


@dataclass(frozen=True, slots=True)
class RoomsMap:
    """Regions and things by id, doors in a row. Stairwells of two storeys are joined by a way of their own."""

    rooms: dict[int, SemanticRegion]
    doors: tuple[DoorWay, ...]
    things: dict[int, SemanticObject]

    def doors_of(self, room: int) -> list[DoorWay]:
        return [door for door in self.doors if room in (door.a, door.b)]

    def things_in(self, room: int, category: str = "") -> list[SemanticObject]:
        return [t for t in self.things.values() if t.region == room and category in ("", t.category)]

    def room_at(self, x: float, y: float, z: float, slack: float = 0.02) -> int:
        """The region that holds a floor point, 0 if none does (a threshold, a wall)."""
        for room in self.rooms.values():
            inside = (
                room.low[0] - slack <= x <= room.high[0] + slack and room.low[2] - slack <= z <= room.high[2] + slack
            )
            if inside and room.low[1] - 0.6 <= y <= room.high[1] - 1.0:
                return room.id
        return 0


def rooms_map(objects: Iterable[SemanticObject], regions: Iterable[SemanticRegion]) -> RoomsMap:
    rooms = {region.id: region for region in regions}
    found = list(objects)
    doors = [way for o in found if o.category in ("door", "doorway") if (way := _way(o, rooms))]
    things = {o.id: o for o in found if o.category not in BUILT_IN and o.region in rooms}
    return RoomsMap(rooms, tuple(doors + _stair_ways(rooms)), things)


def _way(door: SemanticObject, rooms: dict[int, SemanticRegion]) -> DoorWay | None:
    """The two regions that a door's box touches, and the direction of passage between them."""
    x, y, z = door.center
    floor = y - door.size[1] / 2
    touched = [r for r in rooms.values() if _touches(door, r)]
    touched = [r for r in touched if abs(r.low[1] - floor) < 0.6] or touched
    own = rooms.get(door.region)
    others = [r for r in touched if r is not own]
    if own is None or not others:
        return None
    best = max(others, key=lambda r: _shared_wall(own, r)[2])
    line, middle, _ = _shared_wall(own, best)
    along_x = _gap(own, best, 0) > _gap(own, best, 2)
    half = door.size[2 if along_x else 0] / 2
    centre = z if along_x else x
    centre = min(max(centre, middle - half), middle + half) if half < 0.4 else centre
    at = (line, centre) if along_x else (centre, line)
    return DoorWay(door.id, own.id, best.id, at, floor, along_x)


def _touches(door: SemanticObject, room: SemanticRegion) -> bool:
    return all(
        door.center[k] - door.size[k] / 2 - _WALL < room.high[k]
        and door.center[k] + door.size[k] / 2 + _WALL > room.low[k]
        for k in range(3)
    )


def _gap(a: SemanticRegion, b: SemanticRegion, axis: int) -> float:
    return max(a.low[axis], b.low[axis]) - min(a.high[axis], b.high[axis])


def _shared_wall(a: SemanticRegion, b: SemanticRegion) -> tuple[float, float, float]:
    """(line of the wall, middle of the shared stretch, its length)."""
    axis = 0 if _gap(a, b, 0) > _gap(a, b, 2) else 2
    other = 2 - axis
    line = (max(a.low[axis], b.low[axis]) + min(a.high[axis], b.high[axis])) / 2
    low, high = max(a.low[other], b.low[other]), min(a.high[other], b.high[other])
    near = abs(_gap(a, b, axis)) < _WALL
    return line, (low + high) / 2, high - low if near else -1.0


def _stair_ways(rooms: dict[int, SemanticRegion]) -> list[DoorWay]:
    """Stairwell regions above one another, joined half-way up."""
    wells = [r for r in rooms.values() if r.category == "stairs"]
    out = []
    for a in wells:
        for b in wells:
            if b.storey == a.storey + 1 and _gap(a, b, 0) < 0 and _gap(a, b, 2) < 0:
                x, z = (a.low[0] + a.high[0]) / 2, (a.low[2] + a.high[2]) / 2
                out.append(DoorWay(-a.id, a.id, b.id, (x, z), b.low[1], True))
    return out
