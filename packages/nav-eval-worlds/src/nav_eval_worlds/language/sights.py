"""What a walker sees from where it stands, and where things are among other things: the landmarks of an instruction.

Named are things that are the only ones of their kind in the room. Nothing is said that is not plain: no side near a
diagonal, no "between" round a corner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeAlias

from nav_eval.engine.scene.scene import SemanticObject, SemanticRegion
from nav_eval.geometry import Vec3
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.language.kinds import BORNE, DESIGNS, KINDS, SEEN, design_in, having
from nav_eval_worlds.language.relations import Walker
from nav_eval_worlds.language.rooms_map import DoorWay, Flat, RoomsMap
from nav_eval_worlds.language.steps import Noun, Sight
from nav_eval_worlds.language.wording import tables

_LEAST, _FACE = 0.4, 0.1
"""Metres of its longest side and square metres that a landmark has at least."""
_BESIDE, _NEAR, _GAP = 0.9, 0.7, 1.5
"""Metres from a door to the thing that marks it; between neighbours; between a thing and each it is between."""
_BEARERS, _FACED, _DULL, _UNSAID = map(having, ("bearer", "faced", "dull", "unsaid"))
_ACROSS, _ASTRIDE, _ELSEWHERE = (0.8, 2.6), 0.1, 0.8
"""Metres: from a door to what is across the corridor from it; aside of the door's middle, at most; to other doors."""
_AT_TABLE, _COUNTED = 0.4, 8
"""Metres from a table to a chair of its; so many chairs one counts at a glance."""
_TABLE = 1.2
"""Metres up to which one looks down on what stands on a thing."""
_WINDOW, _SAME = 0.5, 0.05
"""Metres from a window to what is told to be at it; by which one neighbour is as near as another."""
_FAR, _ROOM = 5.0, 8.0
_STRIKING, _MIDDLE = 0.04, 0.27
"""Steradians that a thing fills, at least, for one to be told that one sees it; aside over ahead, at most, of what one
faces (15 degrees)."""
_PLAIN = 0.25
"""Share of a thing that is in sight, at least, for one to know it at once."""
_GLIMPSE = 0.1
"""The same for one to take it for another of its kind."""
_AHEAD, _ASIDE, _BACK = 0.55, 0.8, 0.36
"""Left over ahead, at most for what is ahead (29 degrees), at least for what is beside one (39 degrees); how far back
over left at most for that (110 degrees): what is further behind one does not see."""
_USUAL = {
    "bedroom": ("bed", "wardrobe", "nightstand"), "bathroom": ("sink", "toilet", "shower", "bathtub", "towel"),
    "kitchen": ("counter", "refrigerator", "sink", "cabinet"), "living room": ("sofa", "tv_monitor"),
    "dining room": ("table",), "study": ("desk",), "office": ("desk",), "open office": ("desk",),
    "laundry room": ("washing_machine",), "storage room": ("shelf", "box"), "meeting room": ("table", "whiteboard"),
    "copy room": ("printer",), "break room": ("counter", "refrigerator"),
}  # fmt: skip
"""What tells a room of its kind from no other."""
_ROOMY, _POKY, _LONG, _TIGHT = 22.0, 4.5, 6.5, 1.25
"""Square metres from which a room strikes one as large, and below which as small; metres from which a corridor is long,
and in width below which it is narrow."""
_OPEN, _CENTRAL = 1.0, 0.15
"""Metres to all walls from what stands in the middle of a room; shares of the room's width that it is off at most."""
_HIGH, _TOUCHING = 0.7, 0.12
"""Metres above the floor at which a thing hangs on a wall; from a wall to what stands against it."""
_Place: TypeAlias = tuple[str, tuple[str, ...]]
"""A relation, and the keys of what it names."""


def noun(site: Site, thing: SemanticObject, placed: bool = False) -> Noun:
    """A thing in words; `placed`: also where it is among others, if that can be said."""
    look = site.looks.of(thing)
    design = design_of(site.rooms, thing)
    plain = Noun(thing.category, look.size, look.colour, look.material, shape=look.shape, design=design)
    return _with_place(site, thing, plain) if placed else plain


def design_of(rooms: RoomsMap, thing: SemanticObject) -> str:
    """The tables' key for a thing whose category has several names; "" where the category's own fits."""
    if thing.design in DESIGNS:
        return thing.design
    return design_in(rooms.rooms[thing.region].category, thing)


def names_in(rooms: RoomsMap, language: str) -> tuple[dict[int, str], dict[int, str]]:
    """Thing -> its usual name, of those that may be told as seen; room -> its usual name.

    A hall with a sofa has none, since it looks like a living room; nor has a scan's room of a kind that no table has.
    """
    words = tables(language)
    told = [thing for thing in rooms.things.values() if thing.category in SEEN]
    things = {thing.id: _usual(words, design_of(rooms, thing) or thing.category) for thing in told}
    halls = {room.id for room in rooms.rooms.values() if room.category == "foyer" and rooms.things_in(room.id, "sofa")}
    named = {one: room.category for one, room in rooms.rooms.items() if one not in halls}
    return things, {one: _usual(words, category) for one, category in named.items() if category in words["rooms"]}


def things_called(rooms: RoomsMap, language: str) -> dict[str, list[SemanticObject]]:
    """Usual name -> all things that one may call so, of those that may be told as seen.

    A dining chair is a chair too. Nobody knows whether "a basket" is the laundry basket too: such a name is left out.
    """
    words = tables(language)
    kinds = {t.id: design_of(rooms, t) or t.category for t in rooms.things.values() if t.category in SEEN}
    names = {one: _names(words, kind, rooms.things[one].category) for one, kind in kinds.items()}
    usual = {_usual(words, either) for one, kind in kinds.items() for either in (kind, rooms.things[one].category)}
    out = {name: [one for one in kinds if name in names[one]] for name in sorted(usual)}
    return {
        name: [rooms.things[one] for one in things]
        for name, things in out.items()
        if things and all(one in things for other in out if other.endswith(f" {name}") for one in out[other])
    }


def _names(words: Mapping[str, Any], kind: str, category: str) -> set[str]:
    """What a thing may be called: any name of its kind, and those of its category that end its usual name."""
    usual = _usual(words, kind)
    return _every(words, kind) | {name for name in _every(words, category) if usual.endswith(name)}


def _every(words: Mapping[str, Any], kind: str) -> set[str]:
    names = next(words[table][kind] for table in ("designs", "things", "seen") if kind in words[table])
    return {names} if isinstance(names, str) else set(names)


def _usual(words: Mapping[str, Any], kind: str) -> str:
    """The name that comes first in the tables."""
    names = next(words[table][kind] for table in ("rooms", "designs", "things", "seen") if kind in words[table])
    return names if isinstance(names, str) else str(names[0])


def sights(site: Site, walker: Walker, exclude: set[int], most: int = 3) -> tuple[Sight, ...]:
    """The things that look largest to a walker, each in a quarter of the view that is plainly its own."""
    rooms, at = site.rooms, _standing(site, walker)
    near = [
        thing for thing in landmarks(rooms, walker.room, SEEN - _DULL - _UNSAID) if _glare(walker.at, thing) > _STRIKING
    ]
    near.sort(key=lambda thing: (-_glare(walker.at, thing), thing.id))
    out: dict[str, Sight] = {}
    for thing in near:
        where = "" if thing.id in exclude or len(out) == most else _where(walker, thing)
        if where == "ahead" and not _before(walker, thing):
            continue
        if not where or where in out or (where == "behind" and walker.entered is not None):
            continue
        if site.share_seen(at, thing.id) > _PLAIN and not rivalled(site, thing, been(walker), [at]):
            out[where] = Sight(noun(site, thing, placed=True), where)
    return tuple(out.values())


def where_seen(site: Site, walker: Walker, thing: SemanticObject) -> str:
    """ahead, left or right of one who stands in the way into the thing's room; "" where it is not plainly seen."""
    where = _where(walker, thing)
    return where if where != "behind" and site.share_seen(_standing(site, walker), thing.id, _ROOM) > _PLAIN else ""


def room_look(room: SemanticRegion) -> str:
    """large or small of a room, long or narrow of a corridor; "" where nobody would say so."""
    width, length = sorted(room.high[axis] - room.low[axis] for axis in (0, 2))
    if room.category == "hallway":
        return "long" if length > _LONG else "narrow" if width < _TIGHT and length > 2 * width else ""
    if room.category == "stairs":
        return ""
    return "large" if width * length > _ROOMY else "small" if width * length < _POKY else ""


def _standing(site: Site, walker: Walker) -> Vec3:
    """A foot further than where a walker has come in."""
    (x, z), (dx, dz) = walker.at, walker.heading
    return x + 0.3 * dx, site.rooms.rooms[walker.room].low[1], z + 0.3 * dz


def holds(site: Site, here: int, door: DoorWay, exclude: set[int], places: Sequence[Vec3]) -> Noun | None:
    """What one sees first, from the door out of a room `here`, of the things in the next room that not every such room
    has: the largest, of whose kind one sees none in a third room from `places` on the way to the door."""
    room = door.other(here)
    usual = _USUAL.get(site.rooms.rooms[room].category, ())
    at: Vec3 = (door.middle[0], site.rooms.rooms[room].low[1], door.middle[1])
    seen = [thing for thing in landmarks(site.rooms, room, KINDS) if site.share_seen(at, thing.id, _ROOM) > _PLAIN]
    worth = (thing for thing in seen if _worth(thing, usual, exclude))
    thing = next((thing for thing in worth if not rivalled(site, thing, {here, room}, places)), None)
    return noun(site, thing) if thing else None


def been(walker: Walker) -> set[int]:
    """The room that a walker is in, and the one that it came from."""
    return {walker.room} | ({walker.entered.other(walker.room)} if walker.entered else set())


def rivalled(site: Site, thing: SemanticObject, known: set[int], places: Sequence[Vec3]) -> bool:
    """Whether from some of the places one sees another thing of that kind in a room that is not one of the `known`."""
    alike = [
        other
        for other in site.rooms.things.values()
        if other.category == thing.category and other.region not in known and max(other.size) > _LEAST
    ]
    return any(max(site.shares_seen(places, other.id, _ROOM)) > _GLIMPSE for other in alike)


def shown(site: Site, room: int, places: Sequence[Vec3]) -> bool:
    """Whether from some of the places one sees into a room far enough to know what room it is."""
    usual = _USUAL.get(site.rooms.rooms[room].category, ())
    things = [thing for kind in usual for thing in site.rooms.things_in(room, kind)]
    return any(max(site.shares_seen(places, thing.id, _ROOM)) > _PLAIN for thing in things)


def _worth(thing: SemanticObject, usual: tuple[str, ...], exclude: set[int]) -> bool:
    """Whether one would name a thing, of those that one sees in a room where some are `usual`."""
    return thing.category not in {*usual, *_DULL, *_UNSAID} and thing.id not in exclude


def leaf(site: Site, door: DoorWay) -> Noun | None:
    """The door of a way that has one, as it looks."""
    found = [thing for thing in site.scene.objects if thing.id == door.id and door.kind == "door"]
    look = site.looks.of(found[0]) if found else None
    return Noun("door", "", look.colour, look.material) if look else None


def opposite(site: Site, room: int, door: DoorWay, exclude: set[int], places: Sequence[Vec3]) -> Noun | None:
    """The thing across a corridor that one faces who comes out of a door, and out of no other, of whose kind one sees
    none in another room from `places` on the way there."""
    rooms = site.rooms
    if rooms.rooms[room].category != "hallway":
        return None
    along, across = (2, 0) if door.along_x else (0, 2)
    at, line = (door.middle[0 if axis == 0 else 1] for axis in (along, across))
    doors = [other.middle[0 if along == 0 else 1] for other in rooms.doors_of(room) if other != door]
    for thing in landmarks(rooms, room, KINDS | _FACED):
        ahead = max(_start(thing, along) - at, at - _end(thing, along)) < _ASTRIDE
        alone = not any(_start(thing, along) - _ELSEWHERE < other < _end(thing, along) + _ELSEWHERE for other in doors)
        over = min(abs(_start(thing, across) - line), abs(_end(thing, across) - line))
        spot: Vec3 = (door.middle[0], rooms.rooms[room].low[1], door.middle[1])
        apart = thing.id not in exclude and _ACROSS[0] < over < _ACROSS[1]
        faced = apart and ahead and alone and site.share_seen(spot, thing.id) > _PLAIN
        if faced and not rivalled(site, thing, {room}, places):
            return noun(site, thing, placed=True)
    return None


def mark(site: Site, room: int, door: DoorWay, exclude: set[int], places: Sequence[Vec3]) -> Noun | None:
    """The thing that stands right beside a way out of a room, and beside no other, of whose kind one sees none in
    another room from `places` on the way there."""
    rooms = site.rooms
    for thing in landmarks(rooms, room, KINDS):
        doors = [other for other in rooms.doors_of(room) if _reach(thing, other.middle) < _BESIDE + 0.6]
        beside = thing.id not in exclude and doors == [door] and _reach(thing, door.middle) < _BESIDE
        if beside and not rivalled(site, thing, {room}, places):
            return noun(site, thing, placed=True)
    return None


def landmarks(rooms: RoomsMap, room: int, kinds: frozenset[str]) -> list[SemanticObject]:
    """Things that catch the eye and are the only ones of their kind in a room, the largest first."""
    found = [
        thing
        for thing in rooms.things_in(room)
        if thing.category in kinds and max(thing.size) > _LEAST and len(rooms.things_in(room, thing.category)) == 1
    ]
    found = [thing for thing in found if _face(thing) > _FACE]
    return sorted(found, key=lambda thing: (-_face(thing), thing.id))


def _face(thing: SemanticObject) -> float:
    """Square metres that a thing shows from where it shows most."""
    x, y, z = thing.size
    return max(x * y, y * z, x * z)


def _where(walker: Walker, thing: SemanticObject) -> str:
    """ahead, left, right or behind; "" near a diagonal, or where a thing reaches into two quarters."""
    out = {_quarter(walker, corner) for corner in (*_corners(thing), (thing.center[0], thing.center[2]))}
    return out.pop() if len(out) == 1 else ""


def _before(walker: Walker, thing: SemanticObject) -> bool:
    """Whether a thing is in the middle of the view, so that one would say that one faces it."""
    dx, dz = thing.center[0] - walker.at[0], thing.center[2] - walker.at[1]
    ahead = dx * walker.heading[0] + dz * walker.heading[1]
    return abs(walker.heading[1] * dx - walker.heading[0] * dz) < _MIDDLE * ahead


def _quarter(walker: Walker, at: Flat) -> str:
    dx, dz = at[0] - walker.at[0], at[1] - walker.at[1]
    ahead = dx * walker.heading[0] + dz * walker.heading[1]
    left = walker.heading[1] * dx - walker.heading[0] * dz
    if abs(left) < _AHEAD * abs(ahead):
        return "ahead" if ahead > 0 else "behind"
    beside = abs(left) > _ASIDE * abs(ahead) and ahead > -_BACK * abs(left)
    return ("left" if left > 0 else "right") if beside else ""


def _with_place(site: Site, thing: SemanticObject, plain: Noun) -> Noun:
    """With where it is: what is on it or what it is on first, else one of what can be said, by the thing's number."""
    rooms = site.rooms
    others = [other for other in landmarks(rooms, thing.region, KINDS) if other.id != thing.id]
    carriers = [o for o in others if _above(thing, o) and _start(thing, 1) < _end(o, 1) + 0.05]
    if carriers:
        return replace(plain, relation="on", others=(_key(rooms, carriers[0]),))
    if seats := _seats(rooms, thing):
        return replace(plain, relation="seats", others=(str(seats),))
    told = [*_among(rooms, thing, others), *_standing_where(site, thing)]
    if not told:
        return plain
    relation, named = told[thing.id % len(told)]
    return replace(plain, relation=relation, others=named)


def _among(rooms: RoomsMap, thing: SemanticObject, others: list[SemanticObject]) -> list[_Place]:
    """Where a thing is among others, and what is on it: relations with the keys of what they name."""
    level = [other for other in others if _overlap(thing, other, 1) > -0.3]
    flank = [other for other in level if _apart(thing, other) < _GAP]
    pairs = [(a, b) for a, b in combinations(flank, 2) if _opposite(thing, a, b)][:1]
    told: list[_Place] = [("between", (_key(rooms, a), _key(rooms, b))) for a, b in pairs]
    if borne := _borne(rooms, thing):
        told.append(("bearing", borne))
    if any(other.category == "picture" and _above(other, thing) for other in others):
        told.append(("under", ("picture",)))
    near = sorted((_apart(thing, other), other.id) for other in level if _apart(thing, other) < _NEAR)
    if near and not pairs and near[0][0] < _nearest(rooms, thing) + _SAME:
        told.append(("near", (_key(rooms, rooms.things[near[0][1]]),)))
    return told


def _standing_where(site: Site, thing: SemanticObject) -> list[_Place]:
    """Where a thing is in its room: at the window, on a wall or against it, in a corner."""
    if _start(thing, 1) > site.rooms.rooms[thing.region].low[1] + _HIGH:
        return [("wall", ())] if _walls(site.rooms, thing) and not _is_carried(site.rooms, thing) else []
    told: list[_Place] = [(window, ())] if (window := _at_window(site, thing)) else []
    if _in_middle(site.rooms, thing):
        return [*told, ("middle", ())]
    if _in_corner(site.rooms, thing):
        return [*told, ("corner", ())]
    return [*told, ("against", ())] if _walls(site.rooms, thing) == 1 else told


def _walls(rooms: RoomsMap, thing: SemanticObject) -> int:
    """How many walls a thing touches, none of them with a wide opening; a wall along it, if it is only one."""
    room = rooms.rooms[thing.region]
    open_ = {(0 if door.along_x else 2) for door in rooms.doors_of(room.id) if door.wide}
    gaps = {k: min(_start(thing, k) - room.low[k], room.high[k] - _end(thing, k)) for k in (0, 2)}
    near = [k for k in (0, 2) if gaps[k] < _TOUCHING and k not in open_]
    return len(near) if all(thing.size[k] <= thing.size[2 - k] for k in near) or len(near) > 1 else 0


def _seats(rooms: RoomsMap, thing: SemanticObject) -> int:
    """How many chairs a table has, if there are several and all of the room are at it; else 0."""
    chairs = rooms.things_in(thing.region, "chair") if thing.category == "table" else []
    at_it = all(_apart(thing, chair) < _AT_TABLE for chair in chairs)
    return len(chairs) if at_it and 1 < len(chairs) <= _COUNTED else 0


def _nearest(rooms: RoomsMap, thing: SemanticObject) -> float:
    """Metres to the nearest of all things of some size that stand beside a thing: people name no other."""
    beside = [other for other in rooms.things_in(thing.region) if other.id != thing.id and max(other.size) > _LEAST]
    beside = [other for other in beside if _overlap(thing, other, 1) > -0.3 and not _stands_on(other, thing)]
    return min((_apart(thing, other) for other in beside), default=0.0)


def _at_window(site: Site, thing: SemanticObject) -> str:
    """window or windows where a thing stands at the only one of its room, or at several; else ""."""
    windows = [one for one in site.scene.objects if one.category == "window" and one.region == thing.region]
    near = sum(_apart(thing, one) < _WINDOW for one in windows)
    return ("window" if len(windows) == 1 else "windows" if near > 1 else "") if near else ""


def _borne(rooms: RoomsMap, thing: SemanticObject) -> tuple[str, ...]:
    """The two largest of the things that stand on a thing below the eye, of kinds of which there is only one there."""
    if thing.category not in _BEARERS or _end(thing, 1) > rooms.rooms[thing.region].low[1] + _TABLE:
        return ()
    on = [one for one in rooms.things_in(thing.region) if _stands_on(one, thing)]
    kinds = [one.category for one in sorted(on, key=lambda one: (-_face(one), one.id))]
    return tuple(kind for kind in kinds if kind in BORNE and kinds.count(kind) == 1)[:2]


def _stands_on(upper: SemanticObject, thing: SemanticObject) -> bool:
    inside = all(abs(upper.center[k] - thing.center[k]) < thing.size[k] / 2 for k in (0, 2))
    return inside and abs(_start(upper, 1) - _end(thing, 1)) < 0.04


def _is_carried(rooms: RoomsMap, thing: SemanticObject) -> bool:
    """Whether a thing stands on or in any other of its room."""
    bottom, others = _start(thing, 1), rooms.things_in(thing.region)
    held = [other for other in others if other.id != thing.id and _start(other, 1) < bottom - 0.02]
    over = [other for other in held if min(_overlap(thing, other, 0), _overlap(thing, other, 2)) > 0]
    return any(bottom < _end(other, 1) + 0.04 for other in over)


def _key(rooms: RoomsMap, thing: SemanticObject) -> str:
    """The tables' key for a thing's name."""
    return design_of(rooms, thing) or thing.category


def _opposite(thing: SemanticObject, a: SemanticObject, b: SemanticObject) -> bool:
    """Whether two things are on two sides of a third: it covers the line between them along one axis."""
    for axis, other in ((0, 2), (2, 0)):
        low, high = sorted((a, b), key=lambda one: one.center[axis])
        apart = _end(low, axis) <= _start(thing, axis) + 0.1 and _end(thing, axis) - 0.1 <= _start(high, axis)
        if apart and min(_overlap(thing, low, other), _overlap(thing, high, other)) > 0.1:
            return True
    return False


def _above(upper: SemanticObject, thing: SemanticObject) -> bool:
    covers = min(_overlap(upper, thing, 0) + 0.25, _overlap(upper, thing, 2) + 0.25) > 0
    inside = all(abs(upper.center[k] - thing.center[k]) < thing.size[k] / 2 + 0.2 for k in (0, 2))
    return covers and inside and _start(upper, 1) > _end(thing, 1) - 0.1


def _in_middle(rooms: RoomsMap, thing: SemanticObject) -> bool:
    """Whether a thing stands in the open, and is about as far from every wall as from the one opposite."""
    room = rooms.rooms[thing.region]
    sides = [(_start(thing, k) - room.low[k], room.high[k] - _end(thing, k)) for k in (0, 2)]
    off = [abs(low - high) / (room.high[k] - room.low[k]) for k, (low, high) in zip((0, 2), sides, strict=True)]
    return max(off) < 2 * _CENTRAL and min(min(pair) for pair in sides) > _OPEN


def _in_corner(rooms: RoomsMap, thing: SemanticObject) -> bool:
    """Whether a thing is near two walls that meet."""
    room = rooms.rooms[thing.region]
    gaps = [min(_start(thing, k) - room.low[k], room.high[k] - _end(thing, k)) for k in (0, 2)]
    return max(gaps) < 0.4 and max(thing.size[0], thing.size[2]) < 1.2


def _start(thing: SemanticObject, axis: int) -> float:
    return thing.center[axis] - thing.size[axis] / 2


def _end(thing: SemanticObject, axis: int) -> float:
    return thing.center[axis] + thing.size[axis] / 2


def _overlap(a: SemanticObject, b: SemanticObject, axis: int) -> float:
    """Metres that two boxes share along an axis; negative: so far apart."""
    return min(_end(a, axis), _end(b, axis)) - max(_start(a, axis), _start(b, axis))


def _apart(a: SemanticObject, b: SemanticObject) -> float:
    """Metres of floor between two boxes."""
    dx, dz = (max(-_overlap(a, b, axis), 0.0) for axis in (0, 2))
    return float((dx * dx + dz * dz) ** 0.5)


def _reach(thing: SemanticObject, at: Flat) -> float:
    """Metres from a place to a thing's box."""
    dx = max(abs(at[0] - thing.center[0]) - thing.size[0] / 2, 0.0)
    dz = max(abs(at[1] - thing.center[2]) - thing.size[2] / 2, 0.0)
    return float((dx * dx + dz * dz) ** 0.5)


def _glare(at: Flat, thing: SemanticObject) -> float:
    """About how many steradians a thing fills, from a place; 0 if it is far."""
    far = (at[0] - thing.center[0]) ** 2 + (at[1] - thing.center[2]) ** 2
    return _face(thing) / max(far, 1.0) if far < _FAR * _FAR else 0.0


def _corners(thing: SemanticObject) -> list[Flat]:
    x, z = thing.center[0], thing.center[2]
    return [(x + i * thing.size[0] / 2, z + k * thing.size[2] / 2) for i in (-1, 1) for k in (-1, 1)]
