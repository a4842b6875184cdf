"""What "left", "second door on the right" and "at the end" mean here, for the speaker and the listener alike.

A walker has a room, a place (x, z) and a heading (a unit vector). Sides are judged from the place where the room was
entered. In corridors doors are counted along the way that one turns into; elsewhere a door lies in one of four
quarters of the view.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from nav_eval.worlds.episodes.rooms_map import DoorWay, Flat, RoomsMap

_TURNS = ("straight", "left", "around", "right")


@dataclass(frozen=True, slots=True)
class Walker:
    """`entered` is the way by which the room was entered, or None at the start."""

    room: int
    at: Flat
    heading: Flat
    entered: DoorWay | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """How one finds a door from where one stands: turn first, then the `ordinal`-th on `side` ("left", "right", "end",
    "across"), or no side at all where the turn says enough."""

    turn: str
    side: str = ""
    ordinal: int = 0


def turn_towards(heading: Flat, direction: Flat) -> str:
    """straight, left, right or around: the quarter in which a direction lies."""
    forward = heading[0] * direction[0] + heading[1] * direction[1]
    left = heading[1] * direction[0] - heading[0] * direction[1]
    if abs(left) > abs(forward):
        return "left" if left > 0 else "right"
    return "straight" if forward > 0 else "around"


def turned(heading: Flat, turn: str) -> Flat:
    """The heading after a quarter turn; left is counter-clockwise seen from above (x east, z south)."""
    x, z = heading
    return {"straight": (x, z), "left": (z, -x), "right": (-z, x), "around": (-x, -z)}[turn]


def axis_heading(heading: Flat) -> Flat:
    """The nearest of the four compass directions."""
    x, z = heading
    return ((1.0 if x > 0 else -1.0), 0.0) if abs(x) >= abs(z) else (0.0, (1.0 if z > 0 else -1.0))


def is_corridor(rooms: RoomsMap, room: int) -> bool:
    return rooms.rooms[room].category == "hallway"


def way_to(rooms: RoomsMap, walker: Walker, door: DoorWay) -> Way:
    """How to tell the way to a door of the walker's room."""
    if door.id < 0:
        return Way("straight")
    if is_corridor(rooms, walker.room):
        return _along_corridor(rooms, walker, door)
    return Way(turn_towards(walker.heading, _minus(door.middle, walker.at)))


def pass_door(rooms: RoomsMap, walker: Walker, door: DoorWay) -> Walker:
    """The walker on the other side of a door, facing into the next room."""
    room = door.other(walker.room)
    if door.id < 0:
        return replace(walker, room=room, entered=door)
    region = rooms.rooms[room]
    middle = ((region.low[0] + region.high[0]) / 2, (region.low[2] + region.high[2]) / 2)
    dx, dz = _minus(middle, door.middle)
    heading = (1.0 if dx > 0 else -1.0, 0.0) if door.along_x else (0.0, 1.0 if dz > 0 else -1.0)
    return Walker(room, door.middle, heading, door)


def choices(rooms: RoomsMap, walker: Walker, category: str) -> list[DoorWay]:
    """Doors of the room, but the one just used, that lead to a room of `category`."""
    used = walker.entered.id if walker.entered else None
    ways = [d for d in rooms.doors_of(walker.room) if d.id != used]
    return [d for d in ways if rooms.rooms[d.other(walker.room)].category == category]


def resolve(rooms: RoomsMap, walker: Walker, category: str, way: Way) -> DoorWay | None:
    """The door that is meant; what was said is dropped from the end until something fits. None without any door."""
    found = choices(rooms, walker, category)
    told = {door.id: way_to(rooms, walker, door) for door in found}
    for fits in (
        lambda t: t == way,
        lambda t: (t.turn, t.side) == (way.turn, way.side),
        lambda t: t.side == way.side and t.ordinal == way.ordinal,
        lambda t: t.turn == way.turn,
        lambda t: True,
    ):
        kept = [door for door in found if fits(told[door.id])]
        if kept:
            return min(kept, key=lambda d: _distance(d.middle, walker.at))
    return None


def side_of(heading: Flat, at: Flat, thing: Flat) -> str:
    """left or right of a line of travel."""
    dx, dz = _minus(thing, at)
    return "left" if heading[1] * dx - heading[0] * dz > 0 else "right"


def _along_corridor(rooms: RoomsMap, walker: Walker, door: DoorWay) -> Way:
    region = rooms.rooms[walker.room]
    along_x = region.high[0] - region.low[0] >= region.high[2] - region.low[2]
    axis = 0 if along_x else 1
    ahead = door.middle[axis] - walker.at[axis]
    entered_sideways = walker.entered is not None and walker.entered.id > 0 and walker.entered.along_x != along_x
    if door.along_x != along_x and abs(ahead) < 0.7 and entered_sideways:
        return Way("straight", "across")
    step = 1.0 if ahead > 0 else -1.0
    direction = (step, 0.0) if along_x else (0.0, step)
    turn = turn_towards(axis_heading(walker.heading), direction)
    if door.along_x == along_x:
        return Way(turn, "end")
    side = side_of(direction, walker.at, _beside(door, direction, region.low, region.high))
    return Way(turn, side, _rank(rooms, walker, door, direction, side))


def _beside(door: DoorWay, direction: Flat, low: tuple[float, float, float], high: tuple[float, float, float]) -> Flat:
    """A point clearly on the door's side of the corridor."""
    x, z = door.middle
    if direction[0]:
        return x, (z - 50 if z < (low[2] + high[2]) / 2 else z + 50)
    return (x - 50 if x < (low[0] + high[0]) / 2 else x + 50), z


def _rank(rooms: RoomsMap, walker: Walker, door: DoorWay, direction: Flat, side: str) -> int:
    """Which door on this side it is, counted from the walker on."""
    region = rooms.rooms[walker.room]
    axis = 0 if direction[0] else 1
    sign = direction[axis]
    count = 0
    for other in rooms.doors_of(walker.room):
        if other.along_x == bool(direction[0]) or other.id < 0:
            continue
        ahead = (other.middle[axis] - walker.at[axis]) * sign
        beside = _beside(other, direction, region.low, region.high)
        if (
            side_of(direction, walker.at, beside) == side
            and 0.3 < ahead <= (door.middle[axis] - walker.at[axis]) * sign
        ):
            count += 1
    return max(count, 1)


def _minus(a: Flat, b: Flat) -> Flat:
    return a[0] - b[0], a[1] - b[1]


def _distance(a: Flat, b: Flat) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])
