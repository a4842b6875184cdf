"""What "left", "second door on the right" and "at the end" mean, and where they are too unclear to be said.

A walker has a room, a place (x, z) and a heading (a unit vector). Sides are judged from the place where the room was
entered. In corridors doors are counted along the way that one turns into; elsewhere a door lies in one of four
quarters of the view. Nothing is said that people could take in two ways: no direction near a diagonal, no count where
a door is so nearly beside the walker that some would count it and some would not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from nav_eval_worlds.language.rooms_map import DoorWay, Flat, RoomsMap

_UNCLEAR = 0.7
"""Tangent of the greatest angle to an axis at which a direction is still plainly ahead or behind: 35 degrees."""
_ASLANT = 0.577
"""The same for left and right: 30 degrees. What lies further ahead takes only a slight turn."""
_SLIGHT = 0.32
_IN_VIEW = 1.73
"""The same for what one sees without turning: 60 degrees."""
_MOST = 6
"""Nobody counts further."""
_OPPOSITE = 0.45
_WALK, _UNTIL = 2.5, 4.0
"""Metres of a corridor, at least, for which one would say that one walks to its end, until one gets to a door."""
_BESIDE = {"start": 0.6, "side": 0.9, "end": 0.3}
"""Metres along a corridor within which a door is beside the walker, neither ahead nor behind: for one who starts there,
who stepped in through a long wall, who came in at an end."""


@dataclass(frozen=True, slots=True)
class Walker:
    """`entered` is the way by which the room was entered, or None at the start."""

    room: int
    at: Flat
    heading: Flat
    entered: DoorWay | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """How one finds a way out from where one stands: turn first, then the `ordinal`-th on `side` ("left", "right",
    "end", "across"), or no side at all where the turn says enough. Counted are doors with doors, corridors with
    corridors, and in the wall of a room all doorways; 0: there is only one on that side."""

    turn: str
    """straight, slightly left, slightly right, left, right or around."""
    side: str = ""
    ordinal: int = 0
    near: bool = False
    """It is so near along a corridor that one does not walk up to it."""
    last: bool = False
    """Of the doors of a corridor that are counted it is the last."""
    alike: bool = False
    """Another way out leads to a room of that name, or looks like it: only the turn tells which is meant."""


def turn_towards(heading: Flat, direction: Flat) -> str:
    """straight, left, right or around: the quarter in which a direction lies; "" near the border of two."""
    forward = heading[0] * direction[0] + heading[1] * direction[1]
    left = heading[1] * direction[0] - heading[0] * direction[1]
    aslant = _ASLANT if abs(left) > abs(forward) and forward > 0 else _UNCLEAR
    if min(abs(left), abs(forward)) > aslant * max(abs(left), abs(forward)):
        return ""
    if abs(left) > abs(forward):
        return "left" if left > 0 else "right"
    return "straight" if forward > 0 else "around"


def is_corridor(rooms: RoomsMap, room: int) -> bool:
    return rooms.rooms[room].category == "hallway"


def corridor_direction(rooms: RoomsMap, room: int, towards: Flat) -> Flat:
    """The direction along the length of a room that leads more towards a place."""
    region = rooms.rooms[room]
    if region.high[0] - region.low[0] >= region.high[2] - region.low[2]:
        return (1.0 if towards[0] > 0 else -1.0), 0.0
    return 0.0, (1.0 if towards[1] > 0 else -1.0)


def way_to(rooms: RoomsMap, walker: Walker, door: DoorWay) -> Way | None:
    """How to tell the way to a door of the walker's room; None where it cannot be told without doubt."""
    if rooms.rooms[walker.room].category == "stairs":
        return Way("straight")
    if is_corridor(rooms, walker.room):
        return _along_corridor(rooms, walker, door)
    return _out_of_room(rooms, walker, door)


def pass_door(rooms: RoomsMap, walker: Walker, door: DoorWay) -> Walker:
    """The walker on the other side of a door, facing into the next room."""
    room = door.other(walker.room)
    if door.kind == "stairs":
        return replace(walker, room=room, entered=door)
    region = rooms.rooms[room]
    middle = ((region.low[0] + region.high[0]) / 2, (region.low[2] + region.high[2]) / 2)
    dx, dz = _minus(middle, door.middle)
    heading = (1.0 if dx > 0 else -1.0, 0.0) if door.along_x else (0.0, 1.0 if dz > 0 else -1.0)
    return Walker(room, door.middle, heading, door)


def side_of(heading: Flat, at: Flat, thing: Flat) -> str:
    """left or right of a line of travel."""
    dx, dz = _minus(thing, at)
    return "left" if heading[1] * dx - heading[0] * dz > 0 else "right"


def side_of_door(rooms: RoomsMap, walker: Walker, direction: Flat, door: DoorWay) -> str:
    """left or right of one who walks along a corridor: also of one who has come in through that wall."""
    return side_of(direction, walker.at, _inside_wall(rooms, walker.room, door))


def _inside_wall(rooms: RoomsMap, room: int, door: DoorWay) -> Flat:
    """A point clearly on the door's side of the corridor."""
    region, (x, z) = rooms.rooms[room], door.middle
    if door.along_x:
        return (x - 50 if x < (region.low[0] + region.high[0]) / 2 else x + 50), z
    return x, (z - 50 if z < (region.low[2] + region.high[2]) / 2 else z + 50)


def _choices(rooms: RoomsMap, walker: Walker) -> list[DoorWay]:
    """Ways out of the room but the one just used."""
    return [door for door in rooms.doors_of(walker.room) if door != walker.entered]


def _leads_alike(rooms: RoomsMap, room: int, door: DoorWay, other: DoorWay) -> bool:
    """Whether another way out leads to a room of the same name."""
    return other != door and rooms.rooms[other.other(room)].category == rooms.rooms[door.other(room)].category


def _out_of_room(rooms: RoomsMap, walker: Walker, door: DoorWay) -> Way | None:
    """By the quarter in which the door lies; one further on in a wall beside the walker is on the left or right."""
    turn = turn_towards(walker.heading, _minus(door.middle, walker.at))
    alike = [other for other in _choices(rooms, walker) if _leads_alike(rooms, walker.room, door, other)]
    side = side_of(walker.heading, walker.at, door.middle)
    beside = walker.entered is not None and door.along_x != walker.entered.along_x
    if beside and turn != side:
        row = [other for other in _choices(rooms, walker) if _in_wall(door, other) and other.wide == door.wide]
        if _leads_up(rooms, walker.room, door):
            row = [other for other in row if _leads_up(rooms, walker.room, other)]
        elif any(_leads_up(rooms, walker.room, other) for other in row):
            return None
        if (door.wide and len(row) > 1) or _others_aside(rooms, walker, side, row):
            return None
        before = [other for other in row if _nearness(walker, other) <= _nearness(walker, door)]
        return Way("straight", side, len(before) if len(row) > 1 else 0)
    doubtful = {turn_towards(walker.heading, _minus(other.middle, walker.at)) for other in alike}
    if not turn or doubtful & {turn, ""} or _nearer_ahead(rooms, walker, door, turn):
        return None
    if turn != "straight":
        return Way(turn, alike=bool(alike))
    looks = any(_looks_alike(walker, door, other) for other in _choices(rooms, walker))
    return Way(_bend(walker, door), alike=bool(alike) or looks)


def _looks_alike(walker: Walker, door: DoorWay, other: DoorWay) -> bool:
    """Whether another way out of the same kind is in view too."""
    dx, dz = _minus(other.middle, walker.at)
    ahead, aside = dx * walker.heading[0] + dz * walker.heading[1], walker.heading[1] * dx - walker.heading[0] * dz
    return other != door and (other.kind, other.wide) == (door.kind, door.wide) and abs(aside) < _IN_VIEW * ahead


def _leads_up(rooms: RoomsMap, room: int, door: DoorWay) -> bool:
    """Whether a way leads to a stair: some would count it as a doorway, some would not."""
    return rooms.rooms[door.other(room)].category == "stairs"


def _others_aside(rooms: RoomsMap, walker: Walker, side: str, row: list[DoorWay]) -> bool:
    """Whether doors of other walls lie on that side too: then people count round the corner, or begin elsewhere."""
    others = [other for other in _choices(rooms, walker) if other not in row]
    beside = [other for other in others if side_of(walker.heading, walker.at, other.middle) == side]
    return any(turn_towards(walker.heading, _minus(other.middle, walker.at)) in (side, "") for other in beside)


def _nearer_ahead(rooms: RoomsMap, walker: Walker, door: DoorWay, turn: str) -> bool:
    """Whether one who turns like that has another door rather in front of him: rooms bear no names."""
    x, z = walker.heading
    ahead = {"straight": (x, z), "left": (z, -x), "right": (-z, x), "around": (-x, -z)}[turn]
    off = {other: _minus(other.middle, walker.at) for other in _choices(rooms, walker)}
    along = {other: dx * ahead[0] + dz * ahead[1] for other, (dx, dz) in off.items()}
    bend = {
        other: abs(ahead[1] * dx - ahead[0] * dz) / along[other]
        for other, (dx, dz) in off.items()
        if along[other] > 0.1
    }
    return any(bend[other] < bend.get(door, 0.0) and bend[other] < _UNCLEAR for other in bend if other != door)


def _bend(walker: Walker, door: DoorWay) -> str:
    """straight, or slightly left or right where people would say so: from 18 degrees on."""
    dx, dz = _minus(door.middle, walker.at)
    off = walker.heading[1] * dx - walker.heading[0] * dz
    slightly = abs(off) > _SLIGHT * (dx * walker.heading[0] + dz * walker.heading[1])
    return ("slightly left" if off > 0 else "slightly right") if slightly else "straight"


def _along_corridor(rooms: RoomsMap, walker: Walker, door: DoorWay) -> Way | None:
    direction = corridor_direction(rooms, walker.room, _minus(door.middle, walker.at))
    along_x = direction[1] == 0
    axis = 0 if along_x else 1
    came = "start" if walker.entered is None else "end" if walker.entered.along_x == along_x else "side"
    ahead, step = door.middle[axis] - walker.at[axis], direction[axis]
    turn = turn_towards(walker.heading, direction)
    if door.along_x == along_x:
        rivals = [other for other in _choices(rooms, walker) if other != door and _in_wall(door, other)]
        return Way(turn, "end", near=abs(ahead) < _WALK) if turn and not rivals else None
    if came == "side" and abs(ahead) < _OPPOSITE:
        return Way("straight", "across")
    row = [other for other in _choices(rooms, walker) if _in_row(rooms, walker.room, door, other)]
    offsets = sorted((other.middle[axis] - walker.at[axis]) * step for other in row)
    if not turn or any(abs(offset) < _BESIDE[came] for offset in offsets):
        return None
    if any(0 < (other.middle[axis] - walker.at[axis]) * step < abs(ahead) for other in _doubtful(rooms, walker, door)):
        return None
    rank = sum(0 < offset <= abs(ahead) + 1e-6 for offset in offsets)
    side = side_of_door(rooms, walker, direction, door)
    counts = door.kind == "door" or is_corridor(rooms, door.other(walker.room))
    near = abs(ahead) < _UNTIL
    if not counts:
        return Way(turn, side, near=near) if sum(offset > 0 for offset in offsets) == 1 else None
    last = rank > 1 and rank == sum(offset > 0 for offset in offsets)
    return Way(turn, side, rank, near, last) if rank <= _MOST else None


def _in_row(rooms: RoomsMap, room: int, door: DoorWay, other: DoorWay) -> bool:
    """Whether people would count `other` with `door`: in the same wall, and of the same kind."""
    return _in_wall(door, other) and _sort(rooms, room, other) == _sort(rooms, room, door)


def _doubtful(rooms: RoomsMap, walker: Walker, door: DoorWay) -> list[DoorWay]:
    """What stands in the row of a door and is counted as a door by some: a stair, a doorway without a frame."""
    if _sort(rooms, walker.room, door) != "door":
        return []
    row = [other for other in _choices(rooms, walker) if _in_wall(door, other)]
    return [other for other in row if _sort(rooms, walker.room, other) in ("stairs", "opening") and not other.wide]


def _in_wall(door: DoorWay, other: DoorWay) -> bool:
    return other.along_x == door.along_x and abs(_depth(other) - _depth(door)) < 0.1


def _nearness(walker: Walker, door: DoorWay) -> float:
    """How far ahead a door is, for the walker."""
    off = _minus(door.middle, walker.at)
    return off[0] * walker.heading[0] + off[1] * walker.heading[1]


def _depth(door: DoorWay) -> float:
    return door.middle[0 if door.along_x else 1]


def _sort(rooms: RoomsMap, room: int, door: DoorWay) -> str:
    beyond = rooms.rooms[door.other(room)].category
    if beyond == "stairs":
        return beyond
    if door.kind == "door":
        return "door"
    return beyond if beyond == "hallway" else "opening"


def _minus(a: Flat, b: Flat) -> Flat:
    return a[0] - b[0], a[1] - b[1]
