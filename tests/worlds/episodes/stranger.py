"""A listener that shares nothing with the speaker: it reads a text, and walks a building that it has surveyed itself.

It knows the navmesh, the triangles of walls and frames (surveyed.py finds rooms and gaps in them), and of the semantic
file nothing but the names of the categories of things. Words it knows one by one, each with its meaning (reading.py);
a word that it does not know is an error. Rooms have no names for it: where it must choose between two doors it looks
for what a room of the name would hold. It counts doors and turns by itself, checks what it is told to walk past and to
see, and stays where it is (None) when it finds no such way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise, product

import numpy as np

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.geometry import Quaternion, Vec3, rotate
from worlds.episodes.reading import Order, orders
from worlds.episodes.surveyed import UNDER_SLOPE, Building, Flat, Gap, Place, Thing

LOOKS = {
    "living room": ("sofa", "tv_monitor"), "kitchen": ("refrigerator", "counter", "oven", "stove"),
    "dining room": ("table", "chair"), "bedroom": ("bed", "wardrobe", "nightstand"),
    "bathroom": ("toilet", "shower", "bathtub", "towel"), "study": ("desk", "bookshelf"),
    "laundry room": ("washing_machine",), "storage room": ("shelf", "box"), "reception": ("sofa", "counter"),
    "open office": ("desk", "chair"), "office": ("desk",), "meeting room": ("whiteboard", "table"),
    "break room": ("vending_machine", "refrigerator", "counter"), "copy room": ("printer",),
}  # fmt: skip
LOOKS["restroom"] = LOOKS["bathroom"]
"""What makes a room look as it is called."""
DECIDES = {"toilet": ("bathroom", "restroom"), "bed": ("bedroom",)}
"""What tells a room whatever else it holds: with a washing machine too, a bathroom is one."""
FURNISHED = {"bed", "toilet", "desk", "counter", "refrigerator", "sofa", "oven", "stove"}
"""What no hallway holds."""
SLIGHT = math.radians(25)
BESIDE = 2.2
WIDE = 2.2
"""Nobody would call a gap that is wider a doorway."""
_EDGES = [at for at in product((0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0), repeat=2) if {0.0, 1.0} & {*at}]
"""Where along the sides of a thing one tries to come up to it: between the chairs at a desk too."""


@dataclass
class Walk:
    """Where the stranger got: `end` is None if it was lost; `passed`: whether each thing to be passed was there."""

    end: Vec3 | None = None
    passed: list[bool] = field(default_factory=list)
    climbed: int = 0
    seen: list[bool] = field(default_factory=list)
    """Whether each thing that is said to be in sight or beside a door was there."""


@dataclass(frozen=True, slots=True)
class Standing:
    place: Place
    at: Flat
    heading: Flat
    through: Gap | None = None


def walk(building: Building, navmesh: NavMesh, start: Vec3, rotation: Quaternion, text: str) -> Walk:
    """Follow a text from a pose."""
    out = Walk()
    forward = rotate(rotation, (0.0, 0.0, -1.0))
    storey = building.storey_of(start[1])
    at = (start[0], start[2])
    room = building.room_at(storey, at) or building.room_at(storey, at, UNDER_SLOPE)
    here: Standing | None = Standing((storey, room), at, (forward[0], forward[2]))
    for order in orders(text):
        if here is None:
            return out
        out.seen += [_in_sight(building, here, *claim) for claim in order.seen]
        if order.act == "stop":
            out.end = _beside(building, navmesh, here, order)
            return out
        gap = _choose(building, here, order)
        if gap and order.past:
            out.passed.append(_passes_all(building, navmesh, here, gap, order.past))
        if gap and order.mark:
            out.seen.append(_stands_by(building, here, gap, order.mark))
        if gap and order.facing:
            out.seen.append(_lies_across(building, here, gap, order.facing))
        if gap and order.holds:
            out.seen.append(_holds(building, (gap.storey, gap.beyond(here.place[1])), order.holds))
        here = gap and _through(building, here, gap)
        if order.act == "climb" and here:
            here = _upstairs(building, here, order.what == "up")
            out.climbed += 1
    return out


def _left(heading: Flat) -> Flat:
    return heading[1], -heading[0]


def _turned(heading: Flat, turn: str) -> Flat:
    x, z = heading
    if turn.startswith("slightly"):
        sine = math.sin(SLIGHT) * (1 if turn.endswith("left") else -1)
        return x * math.cos(SLIGHT) + z * sine, z * math.cos(SLIGHT) - x * sine
    return {"": (x, z), "straight": (x, z), "left": (z, -x), "right": (-z, x), "around": (-x, -z)}[turn]


def _dot(a: Flat, b: Flat) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _off(here: Standing, to: Flat) -> Flat:
    return to[0] - here.at[0], to[1] - here.at[1]


def _choose(building: Building, here: Standing, order: Order) -> Gap | None:
    """The gap that is meant; None if there is none."""
    gaps = [gap for gap in building.gaps_of(here.place) if gap != here.through]
    if order.act == "climb":
        gaps = [gap for gap in gaps if building.has_stairs((here.place[0], gap.beyond(here.place[1])))]
    if building.has_stairs(here.place) or not order.side:
        return _in_view(building, here, gaps, order)
    low, high = building.extent(here.place)
    hall = min(high[0] - low[0], high[1] - low[1]) > WIDE and order.side in ("left", "right")
    if order.what in ("doorway", "wide") or (order.act == "climb" and hall):
        return _beside_one(building, here, gaps, order)
    direction = _along(building, here, _turned(here.heading, order.turn))
    if order.side == "across":
        aside = {gap: abs(_dot(_off(here, gap.middle), _left(here.heading))) for gap in gaps}
        facing = [gap for gap in gaps if _dot(_off(here, gap.middle), here.heading) > 1.0 and aside[gap] < 0.9]
        return min(facing, key=lambda gap: aside[gap], default=None)
    ahead = [gap for gap in gaps if _dot(_off(here, gap.middle), direction) > 0.05]
    if order.side == "end":
        last = [gap for gap in ahead if abs(_dot(gap.across, direction)) > 0.7]
        return max(last, key=lambda gap: _dot(_off(here, gap.middle), direction), default=None)
    what = "stairs" if order.act == "climb" else order.what
    row = [gap for gap in ahead if abs(_dot(gap.across, direction)) < 0.7 and _is(building, here, gap, what)]
    centre = _midway(building, here, direction)
    towards = 1 if order.side == "left" else -1
    row = [gap for gap in row if towards * _dot(_off(centre, gap.middle), _left(direction)) > 0]
    row.sort(key=lambda gap: _dot(_off(here, gap.middle), direction))
    row = _told_apart(building, here, row, order)
    if order.count < 0:
        return row[-1] if row else None
    return row[max(order.count, 1) - 1] if len(row) >= max(order.count, 1) else None


def _midway(building: Building, here: Standing, heading: Flat) -> Standing:
    """In the middle of a hallway: who has just come in stands in the wall, of whose other doors none lies aside."""
    low, high = building.extent(here.place)
    return Standing(here.place, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2), heading)


def _told_apart(building: Building, here: Standing, gaps: list[Gap], order: Order) -> list[Gap]:
    """Of several ways that are not counted those that what is named stands beside, or lies across from."""
    if order.count or len(gaps) < 2 or not (order.mark or order.facing):
        return gaps
    right = _stands_by if order.mark else _lies_across
    return [gap for gap in gaps if right(building, here, gap, order.mark or order.facing)]


def _beside_one(building: Building, here: Standing, gaps: list[Gap], order: Order) -> Gap | None:
    """A gap in the wall on one's left or right, ahead: the n-th, or the one that looks right if there are two."""
    towards = 1 if order.side == "left" else -1
    offs = {gap: _off(here, gap.middle) for gap in gaps if abs(_dot(gap.across, here.heading)) < 0.7}
    offs = {gap: off for gap, off in offs.items() if (gap.width > WIDE) == (order.what == "wide")}
    found = [gap for gap, off in offs.items() if towards * _dot(off, _left(here.heading)) > 0 < _dot(off, here.heading)]
    found.sort(key=lambda gap: _dot(offs[gap], here.heading))
    found = _told_apart(building, here, found, order)
    if order.count:
        return found[order.count - 1] if order.count <= len(found) else None
    return _likeliest(building, here, found, order.enter)


def _likeliest(building: Building, here: Standing, gaps: list[Gap], name: str) -> Gap | None:
    """The gap behind which the room looks most as its name says; no stair, of which one would be told."""
    flat = [gap for gap in gaps if not building.has_stairs((gap.storey, gap.beyond(here.place[1])))]
    gaps = gaps if name == "stairs" else flat or gaps
    looks = {gap: _look(building, (gap.storey, gap.beyond(here.place[1])), name) for gap in gaps}
    return max(gaps, key=lambda gap: looks[gap], default=None)


def _along(building: Building, here: Standing, direction: Flat) -> Flat:
    """A direction along the length of a hallway, the one that is nearest to where one has turned."""
    low, high = building.extent(here.place)
    axis = (1.0, 0.0) if high[0] - low[0] > high[1] - low[1] else (0.0, 1.0)
    return axis if _dot(axis, direction) > 0 else (-axis[0], -axis[1])


def _is(building: Building, here: Standing, gap: Gap, what: str) -> bool:
    """Whether somebody would call a gap by that name."""
    beyond = (gap.storey, gap.beyond(here.place[1]))
    if what == "stairs":
        return building.has_stairs(beyond)
    if what in ("door", ""):
        return gap.framed
    low, high = building.extent(beyond)
    narrow = min(high[0] - low[0], high[1] - low[1]) < 2.2
    return not gap.framed and not building.has_stairs(beyond) and narrow == (what == "hallway")


def _in_view(building: Building, here: Standing, gaps: list[Gap], order: Order) -> Gap | None:
    """The way out that lies where one turns to: the one that looks right if there are two."""
    direction = _turned(here.heading, order.turn)
    size = [(gap, math.hypot(*_off(here, gap.middle))) for gap in gaps]
    quarter = math.cos(math.radians(45.5))
    seen = [gap for gap, far in size if _dot(_off(here, gap.middle), direction) >= quarter * far]
    seen.sort(key=lambda gap: -_dot(_off(here, gap.middle), direction) / math.hypot(*_off(here, gap.middle)))
    if building.has_stairs(here.place) or (not order.turn and len(gaps) == 1):
        seen = gaps
    return _likeliest(building, here, seen, order.enter)


def _look(building: Building, place: Place, name: str) -> float:
    """How much a room looks as its name says, and not as another."""
    held = {thing.kind for thing in building.things_in(place)}
    if name == "foyer":
        return 0.0 if held & {kind for kinds in LOOKS.values() for kind in kinds} - {"table", "chair"} else 1.0
    if name == "hallway":
        low, high = building.extent(place)
        return 1.0 if min(high[0] - low[0], high[1] - low[1]) < 2.2 and not held & FURNISHED else 0.0
    if decided := [rooms for thing, rooms in DECIDES.items() if thing in held]:
        return 1.0 if name in decided[0] else -1.0
    likeness = {room: sum(kind in held for kind in kinds) / len(kinds) for room, kinds in LOOKS.items()}
    return likeness.get(name, 0.0) - max(share for room, share in likeness.items() if room != name)


def _through(building: Building, here: Standing, gap: Gap) -> Standing:
    room = gap.beyond(here.place[1])
    return Standing((gap.storey, room), gap.middle, gap.into(room), gap)


def _upstairs(building: Building, here: Standing, up: bool) -> Standing | None:
    """In the stairwell of the other storey, which one leaves by its only gap."""
    low, high = building.extent(here.place)
    storey = here.place[0] + (1 if up else -1)
    if not 0 <= storey < len(building.floors) or not building.has_stairs(here.place):
        return None
    middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    return Standing((storey, building.room_at(storey, middle)), here.at, here.heading)


def _in_sight(building: Building, here: Standing, kind: str, where: str) -> bool:
    """Whether a thing of the kind is in the room, that way."""
    direction = {"ahead": "straight", "behind": "around"}.get(where, where)
    for thing in building.things_in(here.place):
        off = _off(here, thing.middle)
        if thing.kind == kind and _dot(off, _turned(here.heading, direction)) > 0.6 * math.hypot(*off):
            return True
    return False


def _stands_by(building: Building, here: Standing, gap: Gap, kind: str) -> bool:
    """Whether a thing of the kind stands in the room beside a gap."""
    for thing in building.things_in(here.place):
        spans = zip(gap.middle, (thing.low[0], thing.low[2]), (thing.high[0], thing.high[2]), strict=True)
        if thing.kind == kind and math.hypot(*(max(low - at, at - high, 0.0) for at, low, high in spans)) < 1.2:
            return True
    return False


def _lies_across(building: Building, here: Standing, gap: Gap, kind: str) -> bool:
    """Whether a thing of the kind lies straight ahead of one who comes in through a gap, at most three metres away."""
    (x, z), (dx, dz) = gap.middle, gap.into(here.place[1])
    for thing in building.things_in(here.place):
        offs = [(i - x, k - z) for i in (thing.low[0], thing.high[0]) for k in (thing.low[2], thing.high[2])]
        aside = [i * dz - k * dx for i, k in offs]
        before = min(aside) < 0.3 and max(aside) > -0.3
        if thing.kind == kind and before and 0 < min(_dot(off, (dx, dz)) for off in offs) < 3:
            return True
    return False


def _holds(building: Building, place: Place, kind: str) -> bool:
    return any(thing.kind == kind for thing in building.things_in(place))


def _passes_all(
    building: Building, navmesh: NavMesh, here: Standing, gap: Gap, past: tuple[tuple[str, str], ...]
) -> bool:
    """Whether a thing is passed on its side; of two without a side, whether they lie on two sides."""
    if len(past) == 1:
        kind, side = past[0]
        if kind in LOOKS:
            return _passes_room(building, here, gap, kind, side)
        if kind == "rug":
            return _walks_over(building, navmesh, here, gap)
        return any(_passes(building, navmesh, here, gap, kind, one) for one in ((side,) if side else ("left", "right")))
    (a, _), (b, _) = past
    return any(
        _passes(building, navmesh, here, gap, a, left) and _passes(building, navmesh, here, gap, b, right)
        for left, right in (("left", "right"), ("right", "left"))
    )


def _passes_room(building: Building, here: Standing, gap: Gap, name: str, side: str) -> bool:
    """Whether another gap lies on that side, or on any, before the one that is meant, and a room of the name behind."""
    far = _off(here, gap.middle)
    ahead = _along(building, here, far)
    centre = _midway(building, here, ahead)
    for other in building.gaps_of(here.place):
        before = other not in (gap, here.through) and 0 < _dot(_off(here, other.middle), ahead) < _dot(far, ahead)
        found = "left" if _dot(_off(centre, other.middle), _left(ahead)) > 0 else "right"
        beyond = (other.storey, other.beyond(here.place[1]))
        if before and side in ("", found) and _look(building, beyond, name) >= 0:
            return True
    return False


def _walks_over(building: Building, navmesh: NavMesh, here: Standing, gap: Gap) -> bool:
    """Whether the walk to a gap goes over a rug."""
    rugs = [thing for thing in building.things_in(here.place) if thing.kind == "rug"]
    legs = [np.linspace(a, b, 30) for a, b in pairwise(_path(building, navmesh, here, gap))]
    return any(r.low[0] < x < r.high[0] and r.low[2] < z < r.high[2] for r in rugs for leg in legs for x, _, z in leg)


def _path(building: Building, navmesh: NavMesh, here: Standing, gap: Gap) -> list[list[float]]:
    """The corners of the walk to a gap."""
    floor = building.floors[here.place[0]]
    ends = [(at[0], floor + 0.1, at[1]) for at in (here.at, gap.middle)]
    path: list[list[float]] = navmesh.shortest_path(navmesh.snap(ends[0]), navmesh.snap(ends[1])).points.tolist()
    return path


def _passes(building: Building, navmesh: NavMesh, here: Standing, gap: Gap, kind: str, side: str) -> bool:
    """Whether a thing of the kind lies beside the walk to a gap, on that side."""
    towards, path = 1 if side == "left" else -1, _path(building, navmesh, here, gap)
    for thing in building.things_in(here.place):
        if thing.kind != kind:
            continue
        for (ax, _, az), (bx, _, bz) in pairwise(path):
            dx, dz = bx - ax, bz - az
            size = math.hypot(dx, dz)
            if size < 0.05:
                continue
            spots = [thing.middle, *product((thing.low[0], thing.high[0]), (thing.low[2], thing.high[2]))]
            offs = [(x - ax, z - az) for x, z in spots]
            on = [(tx * dx + tz * dz) / size for tx, tz in offs]
            aside = [towards * (tx * dz - tz * dx) / size for tx, tz in offs]
            if max(on) >= -0.3 and min(on) <= size + 0.3 and aside[0] > 0 and min(map(abs, aside)) < BESIDE:
                return True
    return False


def _beside(building: Building, navmesh: NavMesh, here: Standing, order: Order) -> Vec3 | None:
    """Where one first comes right up to the thing; None if no such thing is that way or nobody can walk there."""
    floor = building.floors[here.place[0]]
    at = navmesh.snap((here.at[0], floor + 0.1, here.at[1]))
    found = [thing for thing in building.things_in(here.place) if thing.kind == order.thing]
    if order.turn:
        direction = _turned(here.heading, order.turn)
        found = [thing for thing in found if _dot(_off(here, thing.middle), direction) > 0]
    for off in (0.3, 0.45, 0.6, 0.8, 1.0):
        spots = [spot for thing in found for spot in _around(building, navmesh, thing, floor, off)]
        if spots and math.isfinite(at[0]):
            far = navmesh.geodesic_distances([at] * len(spots), spots)
            if math.isfinite(far.min()):
                return spots[int(far.argmin())]
    return None


def _around(building: Building, navmesh: NavMesh, thing: Thing, floor: float, off: float) -> list[Vec3]:
    """Walkable places of the thing's room `off` metres from its box, at its corners and sides."""
    out: list[Vec3] = []
    (x0, _, z0), (x1, _, z1) = thing.low, thing.high
    for fx, fz in _EDGES:
        spot = (x0 - off + (x1 - x0 + 2 * off) * fx, floor + 0.1, z0 - off + (z1 - z0 + 2 * off) * fz)
        x, y, z = navmesh.snap(spot)
        if not math.isfinite(x):
            continue
        same = building.room_at(thing.place[0], (x, z), 0.1) == thing.place[1]
        if same and math.hypot(x - spot[0], z - spot[2]) < 0.3 and abs(y - floor) < 0.4:
            out.append((float(x), float(y), float(z)))
    return out
