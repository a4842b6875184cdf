"""From a path on the navmesh to what one would say about it: doors passed, stairs climbed, things passed by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.geometry import Quaternion, Vec3, rotate
from nav_eval_worlds.episodes.site import Site, densified
from nav_eval_worlds.language.kinds import KINDS
from nav_eval_worlds.language.relations import (
    Walker,
    Way,
    corridor_direction,
    is_corridor,
    pass_door,
    side_of,
    side_of_door,
    turn_towards,
    way_to,
)
from nav_eval_worlds.language.rooms_map import DoorWay, Flat, RoomsMap
from nav_eval_worlds.language.sights import (
    been,
    holds,
    landmarks,
    leaf,
    mark,
    noun,
    opposite,
    rivalled,
    room_look,
    shown,
    sights,
    where_seen,
)
from nav_eval_worlds.language.steps import Climb, Go, Noun, Pass, Step, Stop
from nav_eval_worlds.language.wording import ROOMS

_NEAR, _ABREAST = 1.6, 0.3
"""A thing is passed within this many metres, and this many to the side at least: one does not walk "past" a lamp that
hangs above, nor past what one walks up to."""

_ABREAST_OF = 5
"""Decimetres of the way between two things on its two sides, at most, for which one walks between them."""
_AT_HAND = 1.5
"""What is this near along a corridor needs no turn to be found."""
_LOOKS = 5
"""Decimetres of the way between the places from which one looks out for things that could be mistaken."""
_CROSSED = 2.5
"""Metres from wall to wall of a room that one crosses."""
_FAR = (("few", 1.4, 2.6), ("10", 2.6, 3.5), ("15", 3.9, 5.2), ("20", 5.4, 6.8), ("25", 6.9, 8.3), ("30", 8.4, 9.9))
"""Keys of the tables' distance, feet, and the metres for which one would say so: a sixth less or more."""
_NEARLY = 0.7
"""Metres from a thing to where one stops beside it, at most, for one to say how far it is."""
_HALF, _LONG = (0.43, 0.57), 5.0
"""Shares of a corridor of some metres after which one is halfway down it."""
_ON, _LEAST = 6, 0.5
"""At least: decimetres of the way on a rug that one walks over; metres along a corridor from one door to another."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a path in one room; `door` leads out of it, None in the last."""

    room: int
    points: tuple[Vec3, ...]
    door: DoorWay | None


def stretches(rooms: RoomsMap, path: list[Vec3]) -> list[Stretch] | None:
    """The rooms of a path in order; None if it cannot be told (a missing door, a room entered twice)."""
    runs: list[tuple[int, list[Vec3]]] = []
    for point in densified(path, 0.1):
        room = rooms.room_at(*point)
        if room == 0:
            continue
        if not runs or runs[-1][0] != room:
            runs.append((room, []))
        runs[-1][1].append(point)
    if not runs or len({room for room, _ in runs}) != len(runs):
        return None
    out = []
    for k, (room, points) in enumerate(runs):
        door = _door_between(rooms, room, runs[k + 1][0], points[-1]) if k + 1 < len(runs) else None
        if k + 1 < len(runs) and door is None:
            return None
        out.append(Stretch(room, tuple(points), door))
    return out


def _door_between(rooms: RoomsMap, a: int, b: int, at: Vec3) -> DoorWay | None:
    ways = [door for door in rooms.doors_of(a) if door.other(a) == b]
    return min(ways, key=lambda d: (d.middle[0] - at[0]) ** 2 + (d.middle[1] - at[2]) ** 2, default=None)


def clear_at_first(rooms: RoomsMap, part: Stretch, rotations: Sequence[Quaternion]) -> list[Quaternion]:
    """Of the rotations that a walk may begin with those from which the first way can be told."""
    if part.door is None:
        return list(rotations)
    clear = []
    for rotation in rotations:
        walker = _starting(part, rotation)
        way = way_to(rooms, walker, part.door)
        if way and _sets_out(walker, part, way.turn):
            clear.append(rotation)
    return clear


def _sets_out(walker: Walker, part: Stretch, turn: str) -> bool:
    """Whether the first metre of the way leads where the turn says: through a wide opening, or round a table, one may
    walk elsewhere than towards its middle."""
    return _leads(walker.heading, walker.at, part.points[min(10, len(part.points) - 1)], turn)


def _comes_out(walker: Walker, part: Stretch, turn: str) -> bool:
    """Whether a way through a room leaves it where the turn says: it goes through wide openings anywhere."""
    start = part.points[0]
    return _leads(walker.heading, (start[0], start[2]), part.points[-1], turn)


def _leads(heading: Flat, at: Flat, to: Vec3, turn: str) -> bool:
    """Whether a place lies where a turn says. Sideways is between 40 and 135 degrees, straight and slightly to a side
    within 60, around 110."""
    dx, dz = to[0] - at[0], to[2] - at[1]
    size = (dx * dx + dz * dz) ** 0.5
    ahead, side = dx * heading[0] + dz * heading[1], side_of(heading, at, (to[0], to[2]))
    if turn in ("left", "right"):
        return side == turn and -0.7071 * size < ahead < 0.766 * size
    if turn == "around":
        return bool(ahead < -0.342 * size)
    return bool(ahead > 0.5 * size) and turn in ("straight", f"slightly {side}")


def _starting(part: Stretch, rotation: Quaternion) -> Walker:
    start, forward = part.points[0], rotate(rotation, (0.0, 0.0, -1.0))
    return Walker(part.room, (start[0], start[2]), (forward[0], forward[2]))


def tell(
    site: Site, parts: list[Stretch], walked: list[Stretch], rotation: Quaternion, target: int
) -> list[Step] | None:
    """The steps along a path to the thing `target`; None if a listener could take another door.

    `walked`: the same rooms as the recorded walk goes through them, which may go round a table on the other side.
    """
    rooms = site.rooms
    walker = _starting(parts[0], rotation)
    steps: list[Step] = []
    for part, again in zip(parts, walked, strict=True):
        if part.door is None:
            break
        before = {_room_name(rooms, one.room) for one in parts[: parts.index(part)]}
        step = None if part.door.kind == "stairs" else _step(site, walker, part, again, target, before)
        if step is not None:
            steps.append(_after_stairs(step, steps))
        elif part.door.kind != "stairs" or not _climb(rooms, part, steps):
            return None
        walker = pass_door(rooms, walker, part.door)
    stop = _stop(site, walker, rooms.things[target], parts[-1].points)
    return [*steps, stop] if stop else None


def _after_stairs(step: Go, before: Sequence[Step]) -> Go:
    """Of a way out of a stairwell also on which floor it leads."""
    climb = before[-1] if before else None
    return replace(step, look="upstairs" if climb.up else "downstairs") if isinstance(climb, Climb) else step


def ends(parts: list[Stretch], walked: list[Stretch]) -> tuple[Vec3, ...]:
    """Where on the recorded walk each of the steps that `tell` gives is done, m: at a door, behind a stair, at the end.

    Takes the same `parts` and `walked`.
    """
    found: list[Vec3] = []
    for part, again in zip(parts, walked, strict=True):
        if part.door is not None and part.door.kind == "stairs":
            found.pop()  # the way into the stairwell and the stair are one step
        found.append(again.points[-1])
    return tuple(found)


def _step(site: Site, walker: Walker, part: Stretch, again: Stretch, target: int, before: set[str]) -> Go | None:
    """`before`: what the rooms were called through which one has come."""
    assert part.door is not None
    rooms = site.rooms
    here, there = _room_name(rooms, part.room), _room_name(rooms, part.door.other(part.room))
    way = way_to(rooms, walker, part.door) if {here, there} <= ROOMS else None
    if way is None or (
        _by_turn(rooms, walker, way) and not all(_comes_out(walker, w, way.turn) for w in (part, again))
    ):
        return None
    told = {target}
    past = None if way.side == "across" else _find_pass(site, walker, part, again, told)
    return Go(
        here,
        there,
        way,
        past,
        mark(site, part.room, part.door, told, part.points[::_LOOKS]),
        len(rooms.doors_of(part.room)) == (1 if walker.entered is None else 2),
        holds(site, part.room, part.door, {target}, part.points[::_LOOKS]),
        sights(site, walker, told),
        part.door.wide,
        opposite(site, part.room, part.door, told, part.points[::_LOOKS]),
        leaf(site, part.door),
        _crosses(walker, part.door, way),
        there in before,
        room_look(rooms.rooms[part.door.other(part.room)]),
        _far_along(rooms, walker, part.door, way),
        _twin(rooms, walker, part.door, way),
        part.door.arched,
    )


def _far_along(rooms: RoomsMap, walker: Walker, door: DoorWay, way: Way) -> str:
    """The tables' key for how far down a corridor a way out at its side is; "" where nobody would say.

    Only of a first one: "walk fifteen feet and take the second door" may mean the second from there.
    """
    if not is_corridor(rooms, walker.room) or way.side not in ("left", "right") or way.ordinal > 1:
        return ""
    along, axis, far = _down_corridor(rooms, walker, door)
    region = rooms.rooms[walker.room]
    length = abs((region.high if along[axis] > 0 else region.low)[2 * axis] - walker.at[axis])
    return "half" if length > _LONG and _HALF[0] < far / length < _HALF[1] else _told_far(far)


def _down_corridor(rooms: RoomsMap, walker: Walker, door: DoorWay) -> tuple[Flat, int, float]:
    """The way down the walker's corridor to a door: its direction, the axis of that, and how many metres."""
    off = (door.middle[0] - walker.at[0], door.middle[1] - walker.at[1])
    along = corridor_direction(rooms, walker.room, off)
    axis = 0 if along[0] else 1
    return along, axis, abs(off[axis])


def _told_far(metres: float) -> str:
    """The tables' key for a distance; "" for one that nobody would tell in such words."""
    return next((key for key, low, high in _FAR if low <= metres < high), "")


def _twin(rooms: RoomsMap, walker: Walker, door: DoorWay, way: Way) -> bool:
    """Whether a way out at one's side, the only one there, has its like right across."""
    if way.side not in ("left", "right") or way.ordinal or walker.entered is None:
        return False
    others = [other for other in rooms.doors_of(walker.room) if other not in (door, walker.entered)]
    alike = [one for one in others if (one.kind, one.wide, one.along_x) == (door.kind, door.wide, door.along_x)]
    across = 0 if door.along_x else 1
    offs = [
        (abs(one.middle[across] - door.middle[across]), abs(one.middle[1 - across] - door.middle[1 - across]))
        for one in alike
    ]
    return any(apart > _LEAST and aside < _LEAST for apart, aside in offs)


def _by_turn(rooms: RoomsMap, walker: Walker, way: Way) -> bool:
    """Whether a way out of a room that one has come into is told by a turn alone."""
    return bool(walker.entered) and not way.side and rooms.rooms[walker.room].category not in ("hallway", "stairs")


def _crosses(walker: Walker, door: DoorWay, way: Way) -> bool:
    """Whether one goes straight from one wall of a room to the wall opposite."""
    if walker.entered is None or way.turn != "straight" or way.side or door.along_x != walker.entered.along_x:
        return False
    axis = 0 if door.along_x else 1
    return abs(door.middle[axis] - walker.at[axis]) > _CROSSED


def _room_name(rooms: RoomsMap, room: int) -> str:
    """The tables' key for a room's name: bathrooms of offices have another."""
    kind = rooms.rooms[room].category
    office = kind == "bathroom" and any("office" in region.category for region in rooms.rooms.values())
    return "restroom" if office else kind


def _climb(rooms: RoomsMap, part: Stretch, steps: list[Step]) -> bool:
    """Turn the step into the stairwell into one that takes the stair; False where a walk begins in the stairwell."""
    if not steps or part.door is None:
        return False
    last = steps.pop()
    assert isinstance(last, Go)
    up = rooms.rooms[part.door.other(part.room)].storey > rooms.rooms[part.room].storey
    steps.append(Climb(up, last.leave, last.way, last.past, last.sights))
    return True


def _stop(site: Site, walker: Walker, thing: SemanticObject, points: Sequence[Vec3]) -> Stop | None:
    """In a corridor with the turn towards the thing, unless it is at hand; None if that turn cannot be told, or if on
    the way there, along `points`, one sees such a thing in a room that one has not been in."""
    rooms = site.rooms
    if rivalled(site, thing, been(walker), points[::_LOOKS]):
        return None
    off = (thing.center[0] - walker.at[0], thing.center[2] - walker.at[1])
    along = corridor_direction(rooms, walker.room, off)
    near = not is_corridor(rooms, walker.room) or abs(off[0] * along[0] + off[1] * along[1]) < _AT_HAND
    turn = "" if near else turn_towards(walker.heading, along)
    if not near and not turn:
        return None
    seen = sights(site, walker, {thing.id})
    place = where_seen(site, walker, thing)
    far = _far_ahead(walker, thing, points[-1]) if place == "ahead" else ""
    return Stop(noun(site, thing, placed=True), turn, _room_name(rooms, walker.room), seen, place, far)


def _far_ahead(walker: Walker, thing: SemanticObject, end: Vec3) -> str:
    """The tables' key for how far a thing is, where one walks nearly up to it."""
    gap = max(abs(thing.center[k] - walker.at[k // 2]) - thing.size[k] / 2 for k in (0, 2))
    walked = math.dist(walker.at, (end[0], end[2]))
    return _told_far((gap + walked) / 2) if abs(gap - walked) < _NEARLY else ""


def _ahead(rooms: RoomsMap, walker: Walker, door: DoorWay, thing: SemanticObject) -> bool:
    """Whether a thing lies between the walker, who has turned towards a door, and the door."""
    off = (door.middle[0] - walker.at[0], door.middle[1] - walker.at[1])
    size = (off[0] * off[0] + off[1] * off[1]) ** 0.5
    corridor = is_corridor(rooms, walker.room)
    dx, dz = corridor_direction(rooms, walker.room, off) if corridor else (off[0] / size, off[1] / size)
    on = (thing.center[0] - walker.at[0]) * dx + (thing.center[2] - walker.at[1]) * dz
    return 0.3 < on < off[0] * dx + off[1] * dz


def _find_pass(site: Site, walker: Walker, part: Stretch, again: Stretch, told: set[int]) -> Pass | None:
    """What is passed on the way: things best, then a room that one looks into, then what one walks over. Things that
    are told of are added to `told`."""
    if len(part.points) < 12 or (is_corridor(site.rooms, part.room) and not _straight(part.points)):
        return None
    return (
        _things_passed(site, walker, part, again, told) or _room_passed(site, walker, part) or _over(site, part, again)
    )


def _room_passed(site: Site, walker: Walker, part: Stretch) -> Pass | None:
    """A room into which one looks from a corridor, before the way out, and of whose name no other is there: not the one
    either that one has come from."""
    assert part.door is not None
    rooms, door = site.rooms, part.door
    if not is_corridor(rooms, part.room):
        return None
    called = {other: _room_name(rooms, other.other(part.room)) for other in rooms.doors_of(part.room)}
    along, axis, far = _down_corridor(rooms, walker, door)
    for other, name in called.items():
        on = (other.middle[axis] - walker.at[axis]) * along[axis]
        before = _LEAST < on < far - _LEAST and other.along_x != (axis == 0) and not other.wide
        alone = name in ROOMS - {"hallway", "stairs", "foyer"} and list(called.values()).count(name) == 1
        if before and alone and shown(site, other.other(part.room), part.points[::_LOOKS]):
            return Pass(Noun(name), side_of_door(rooms, walker, along, other))
    return None


def _over(site: Site, part: Stretch, again: Stretch) -> Pass | None:
    """The only rug of a room, if one walks over it."""
    assert part.door is not None
    rugs = site.rooms.things_in(part.room, "rug")
    ways = [list(part.points), densified(list(again.points), 0.1), _straight_to(site, part.points[0], part.door)]
    if len(rugs) != 1 or not all(sum(_lies_under(rugs[0], point) for point in way) >= _ON for way in ways):
        return None
    return Pass(noun(site, rugs[0]), "over")


def _lies_under(thing: SemanticObject, point: Vec3) -> bool:
    return all(abs(point[k] - thing.center[k]) < thing.size[k] / 2 for k in (0, 2))


def _things_passed(site: Site, walker: Walker, part: Stretch, again: Stretch, told: set[int]) -> Pass | None:
    """What stands beside the way, is the only one of its kind that one sees there, and is seen before it is passed: the
    larger the better, best of all two things between which one walks. Those that are told of are added to `told`."""
    assert part.door is not None
    rooms, points = site.rooms, part.points
    ways = [densified(list(again.points), 0.1), _straight_to(site, points[0], part.door)]
    found: list[tuple[SemanticObject, int, str]] = []
    for thing in landmarks(rooms, part.room, KINDS):
        if thing.id in told or not _ahead(rooms, walker, part.door, thing):
            continue
        near, side = _abreast(points, thing)
        alike = side and all(_abreast(way, thing)[1] == side for way in ways)
        seen = alike and site.sees(points[max(0, near - 6)], thing.id)
        if seen and not rivalled(site, thing, been(walker), points[::_LOOKS]):
            found.append((thing, near, side))
    stands = [one for one in found if one[0].center[1] - one[0].size[1] / 2 < rooms.rooms[part.room].low[1] + 0.3]
    pair = next(((a, b) for a, b in combinations(stands, 2) if a[2] != b[2] and abs(a[1] - b[1]) <= _ABREAST_OF), None)
    if pair is None and not found:
        return None
    (thing, _, side), other = pair if pair else (found[0], None)
    told |= {thing.id} | ({other[0].id} if other else set())
    return Pass(noun(site, thing), side, noun(site, other[0]) if other else None)


def _straight_to(site: Site, start: Vec3, door: DoorWay) -> list[Vec3]:
    """How one walks who knows no more than the door: what is passed on another side then is not told."""
    return densified(site.path(start, (door.middle[0], start[1], door.middle[1]))[1], 0.1)


def _abreast(points: Sequence[Vec3], thing: SemanticObject) -> tuple[int, str]:
    """Where along a way a thing is nearest, and on which side all of it lies there; "" if it is not walked past."""
    x, z = thing.center[0], thing.center[2]
    gaps = [(p[0] - x) ** 2 + (p[2] - z) ** 2 for p in points]
    near = gaps.index(min(gaps))
    if gaps[near] > _NEAR * _NEAR or not 3 <= near <= len(points) - 4:
        return near, ""
    a, b, at = points[near - 3], points[near + 3], points[near]
    dx, dz = b[0] - a[0], b[2] - a[2]
    size = (dx * dx + dz * dz) ** 0.5
    corners = [(x + i * thing.size[0] / 2, z + k * thing.size[2] / 2) for i in (-1, 1) for k in (-1, 1)]
    sides = {side_of((dx, dz), (at[0], at[2]), corner) for corner in corners}
    aside = abs(dz * (x - at[0]) - dx * (z - at[2])) > _ABREAST * size
    return near, sides.pop() if aside and size > 0.4 and len(sides) == 1 else ""


def _straight(points: tuple[Vec3, ...]) -> bool:
    a, b = points[0], points[-1]
    size = ((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5
    return bool(size > 0.085 * len(points))
