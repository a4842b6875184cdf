"""The building itself: floors, ceilings, walls with their openings, door frames and leaves, the stair.

Models here are in world coordinates (metres). A wall face is cut at its openings, so that no quad hides another.
"""

from __future__ import annotations

from itertools import pairwise

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.leaves import leaf, leaves_of
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import KNEE, OPPOSITE, TURN_OF, WALL, Door, Plan, Rect, Room, Side, wall_line
from nav_eval_worlds.shell.arches import arc
from nav_eval_worlds.shell.finishes import Finish, finish_of
from nav_eval_worlds.shell.stairs import stair_items
from nav_eval_worlds.surfaces.parametric import Model
from nav_eval_worlds.surfaces.styles import Style

Point = tuple[float, float, float]
Opening = tuple[int, int, int, int]
"""low, high along the wall; bottom, top above the floor, mm."""

_RAIL, _COVE = (28, 12), 66
"""Height and thickness of a wainscot's rail, and the side of a cove, mm."""
_WAIST = 1000
"""Below it a wall under a slope is a rectangle."""
_INTO = 20
"""How far a sloping ceiling reaches into the walls, mm."""
_TILED = {"bathroom"}
_FLOORS = {
    "kitchen": "floor_tile", "bathroom": "floor_tile2", "laundry room": "floor_tile2", "break room": "floor_tile",
    "storage room": "floor_tile", "office": "floor_carpet", "open office": "floor_carpet",
    "meeting room": "floor_carpet", "copy room": "floor_carpet", "reception": "floor_tile", "stairs": "floor_wood",
}  # fmt: skip


def shell_items(plan: Plan, style: Style, stream: Stream) -> list[Item]:
    """Everything that is built in, room by room."""
    items: list[Item] = []
    leaves = leaves_of(style, stream.child("leaves"))
    for room in plan.rooms:
        own = stream.child("room", room.id)
        if not (room.type == "stairs" and room.storey == 1):
            items.append(Item("floor", room.id, _floor(room, own)))
        if not (plan.stair and room.type == "stairs" and room.storey == 0):
            items.append(Item("ceiling", room.id, _ceiling(room)))
        items.append(Item("wall", room.id, _walls(plan, room, finish_of(room, style, own))))
    for door in plan.doors:
        joins = (door.a, door.b)
        model, design = _doorway(plan, door, leaves), "arch" if door.arch else ""
        items.append(Item("door" if door.leaf else "doorway", door.b, model, joins=joins, design=design))
    return items + stair_items(plan)


def floor_material(room: Room, stream: Stream) -> str:
    if room.type in ("bedroom", "study") and stream.chance(35):
        return "floor_carpet"
    return _FLOORS.get(room.type, "floor_wood")


def point(side: Side, rect: Rect, along: int, y: int, out: int = 0) -> Point:
    """A point on the wall face of `side`, `out` mm behind it; metres."""
    line, _, _ = wall_line(rect, side)
    line += -out if side in "nw" else out
    x, z = (along, line) if side in "ns" else (line, along)
    return x / 1000, y / 1000, z / 1000


def face(side: Side, rect: Rect, low: int, high: int, y0: int, y1: int, out: int = 0) -> list[Point]:
    """A rectangle on a wall face, counter-clockwise seen from the room."""
    if side in "sw":
        low, high = high, low
    corners = ((low, y0), (high, y0), (high, y1), (low, y1))
    return [point(side, rect, along, y, out) for along, y in corners]


def openings(plan: Plan, room: Room, side: Side) -> list[Opening]:
    """Holes in one wall of a room, in order along it."""
    line, low, high = wall_line(room.cell, side)
    doors = [
        (door.low, door.high, 0, door.height)
        for door in plan.doors_of(room.id)
        if door.vertical == (side in "ew") and door.line == line and low <= door.low and door.high <= high
    ]
    windows = [(w.low, w.high, w.sill, w.top) for w in plan.windows if w.room == room.id and w.side == side]
    panes = [
        (g.low, g.high, g.sill, g.top)
        for g in plan.glazing
        if room.id in (g.a, g.b) and g.vertical == (side in "ew") and g.line == line
    ]
    return sorted(doors + windows + panes)


def _floor(room: Room, stream: Stream) -> Model:
    m = Model()
    _level(m, room.clear, room.base, floor_material(room, stream))
    return m


def _level(m: Model, rect: Rect, y: int, material: str) -> None:
    x0, z0, x1, z1, h = rect.x0 / 1000, rect.z0 / 1000, rect.x1 / 1000, rect.z1 / 1000, y / 1000
    m.quad([(x0, h, z1), (x1, h, z1), (x1, h, z0), (x0, h, z0)], material, max_edge=0.6)


def _ceiling(room: Room) -> Model:
    m = Model()
    r, h = room.clear, (room.base + room.ceiling) / 1000
    under = room.slope
    if under:
        r = {
            "n": Rect(r.x0, under.z1, r.x1, r.z1),
            "s": Rect(r.x0, r.z0, r.x1, under.z0),
            "w": Rect(under.x1, r.z0, r.x1, r.z1),
            "e": Rect(r.x0, r.z0, under.x0, r.z1),
        }[room.eaves or "n"]
        _slope(m, room)
    x0, z0, x1, z1 = r.x0 / 1000, r.z0 / 1000, r.x1 / 1000, r.z1 / 1000
    m.quad([(x0, h, z0), (x1, h, z0), (x1, h, z1), (x0, h, z1)], "ceiling", max_edge=0.9)
    return m


def _slope(m: Model, room: Room) -> None:
    """The underside of the roof, from the knee wall up to the level ceiling; no ray slips between it and the walls."""
    side = room.eaves or "n"
    _, low, high = wall_line(room.clear, side)
    low, high = low - _INTO, high + _INTO
    a, b = (low, high) if side in "ne" else (high, low)
    deep, base = room.ceiling - KNEE, room.base
    ends = [(a, KNEE - _INTO, _INTO), (b, KNEE - _INTO, _INTO), (b, room.ceiling, -deep), (a, room.ceiling, -deep)]
    m.quad([point(side, room.clear, along, base + y, out) for along, y, out in ends], "ceiling", max_edge=0.9)


def _walls(plan: Plan, room: Room, finish: Finish) -> Model:
    m = Model()
    height = plan.pitch if plan.stair and room.type == "stairs" and room.storey == 0 else room.ceiling
    for side in finish.walls:
        _wall(m, plan, room, side, finish, height)
    for door in plan.doors_of(room.id):
        if door.arch:
            _spandrels(m, room, door, finish.walls[room.side_of(door)])
    return m


def _spandrels(m: Model, room: Room, door: Door, material: str) -> None:
    """The wall between an arch and the top of its rectangular hole, on the room's face."""
    side, head = room.side_of(door), arc(door)
    for (a, ya), (b, yb) in pairwise(head):
        ends = [(a, ya), (b, yb), (b, door.height), (a, door.height)]
        if side in "sw":
            ends = [ends[1], ends[0], ends[3], ends[2]]
        corners = [point(side, room.clear, along, room.base + y) for along, y in ends]
        sign = -1 if side in "sw" else 1
        m.quad(corners, material, [(sign * along / 1000, -y / 1000) for along, y in ends])


def _wall(m: Model, plan: Plan, room: Room, side: Side, finish: Finish, height: int) -> None:
    _, start, end = wall_line(room.clear, side)
    low, high = room.upright(side, start, end)
    if (low, high) != (start, end):
        below = finish.lower or finish.walls[side]
        _gable(m, room, side, below, start if low > start else high, low if low > start else end)
    height = min(height, KNEE) if side == room.eaves else height
    at = low
    for start, end, bottom, top in openings(plan, room, side):
        start, end = max(start, low), min(end, high)
        _panel(m, room, side, at, start, 0, height, finish)
        _panel(m, room, side, start, end, 0, bottom, finish)
        _panel(m, room, side, start, end, min(top, height), height, finish)
        if bottom > 0:
            _skirting(m, room, side, start, end)
        if finish.railed and bottom > finish.cut + _RAIL[0]:
            _rail(m, room, side, start, end, finish.cut)
        if finish.coved and top < height - _COVE - 40:
            _cove(m, room, side, start, end, height)
        _stretch(m, room, side, at, start, finish, height)
        at = end
    _panel(m, room, side, at, high, 0, height, finish)
    _stretch(m, room, side, at, high, finish, height)


def _stretch(m: Model, room: Room, side: Side, low: int, high: int, finish: Finish, height: int) -> None:
    """What runs along a piece of wall without openings."""
    _skirting(m, room, side, low, high)
    if finish.railed and height > finish.cut + _RAIL[0]:
        _rail(m, room, side, low, high, finish.cut)
    if finish.coved:
        _cove(m, room, side, low, high, height)


def _rail(m: Model, room: Room, side: Side, low: int, high: int, y: int) -> None:
    """The moulding on top of panels."""
    if high - low < 60:
        return
    b, (tall, out) = room.base + y, _RAIL
    m.quad(face(side, room.clear, low, high, b, b + tall, -out), "panel")
    _ledge(m, room, side, (low, high), b + tall, (out, 0), "panel")
    _ledge(m, room, side, (low, high), b, (0, out), "panel")


def _ledge(
    m: Model, room: Room, side: Side, span: tuple[int, int], y: int, outs: tuple[int, int], material: str
) -> None:
    """A level strip before a wall, seen from above where `outs` falls, else from below."""
    (low, high), (near, far) = span if side in "ne" else span[::-1], outs
    ends = [(low, near), (high, near), (high, far), (low, far)]
    m.quad([point(side, room.clear, along, y, -out) for along, out in ends], material)


def _cove(m: Model, room: Room, side: Side, low: int, high: int, height: int) -> None:
    """A moulding between wall and ceiling: a fillet on the wall, then two slopes."""
    if high - low < 60:
        return
    a, b = (low, high) if side in "ne" else (high, low)
    line = ((_COVE + 14, 0), (_COVE + 14, 9), (_COVE, 9), (_COVE // 3, _COVE // 4), (0, _COVE))
    for (down, out), (next_down, next_out) in pairwise(line):
        ends = [(a, down, out), (b, down, out), (b, next_down, next_out), (a, next_down, next_out)]
        m.quad([point(side, room.clear, at, room.base + height - d, -o) for at, d, o in ends], "ceiling")


def _gable(m: Model, room: Room, side: Side, material: str, low: int, high: int) -> None:
    """The part of a wall under the slope, which rises from the eaves at one of its ends."""
    falls = room.eaves in ("s", "e")
    tops = {low: room.ceiling if falls else KNEE, high: KNEE if falls else room.ceiling}
    a, b = (low, high) if side in "ne" else (high, low)
    sign = 1 if side in "ne" else -1
    for y, height in ((0, {low: _WAIST, high: _WAIST}), (_WAIST, tops)):
        ends = [(a, y), (b, y), (b, height[b]), (a, height[a])]
        corners = [point(side, room.clear, along, room.base + up) for along, up in ends]
        m.quad(corners, material, [(sign * along / 1000, -up / 1000) for along, up in ends], max_edge=0.7)
    _skirting(m, room, side, low, high)


def _panel(m: Model, room: Room, side: Side, low: int, high: int, y0: int, y1: int, finish: Finish) -> None:
    """One rectangle of wall, below `cut` of what is there: tiles, or panels."""
    if high - low < 2 or y1 - y0 < 2:
        return
    material, lower, cut = finish.walls[side], finish.lower, finish.cut
    bands = [(y0, y1, lower or material)]
    if lower and y0 < cut < y1:
        bands = [(y0, cut, lower), (cut, y1, material)]
    elif lower and y0 >= cut:
        bands = [(y0, y1, material)]
    for b0, b1, name in bands:
        corners = face(side, room.clear, low, high, room.base + b0, room.base + b1)
        u0, u1 = low / 1000, high / 1000
        if side in "sw":
            u0, u1 = -u1, -u0
        uvs = [(u0, -b0 / 1000), (u1, -b0 / 1000), (u1, -b1 / 1000), (u0, -b1 / 1000)]
        m.quad(corners, name, uvs, max_edge=0.7)


def _skirting(m: Model, room: Room, side: Side, low: int, high: int) -> None:
    if room.type in _TILED or room.type == "stairs" or high - low < 60:
        return
    b = room.base
    m.quad(face(side, room.clear, low, high, b, b + 75, -14), "frame")
    _ledge(m, room, side, (low, high), b + 75, (14, 0), "frame")


def _doorway(plan: Plan, door: Door, leaves: tuple[str, str]) -> Model:
    """Jambs, lintel and threshold through the wall, a frame round it, and the opened leaf."""
    m = Model()
    room = plan.room(door.b)
    side = room.side_of(door)
    base, deep = room.base, WALL
    low, high, top = door.low, door.high, door.height
    if door.arch:
        _vault(m, side, room, door)
    else:
        tunnel(m, side, room.clear, (low, high, base, base + top), deep, "frame" if door.leaf else "ceiling")
    flat = [point(side, room.clear, a, base, out) for a, out in ((low, 0), (high, 0), (high, deep), (low, deep))]
    m.quad(_upwards(flat), "floor_stair" if door.leaf else "floor_wood")
    if door.leaf:
        for out, face_side in ((0, side), (deep, OPPOSITE[side])):
            _frame(m, face_side, side, room, door, out, base, top)
        opened = leaf_rect(plan, door)
        if opened:
            _leaf(m, opened, base, side, leaves, room.type)
    return m


def _vault(m: Model, side: Side, room: Room, door: Door) -> None:
    """The inner faces of an arched opening."""
    ends = [(door.low, 0), *arc(door), (door.high, 0)]
    for (a, ya), (b, yb) in pairwise(ends if side in "ne" else ends[::-1]):
        corners = [(a, ya, 0), (a, ya, WALL), (b, yb, WALL), (b, yb, 0)]
        m.quad([point(side, room.clear, along, room.base + y, out) for along, y, out in corners], "ceiling")


def _upwards(corners: list[Point]) -> list[Point]:
    """The corners in the order that faces up."""
    (ax, _, az), (bx, _, bz), (cx, _, cz), _ = corners
    return corners if (bz - az) * (cx - bx) - (bx - ax) * (cz - bz) > 0 else corners[::-1]


def tunnel(
    m: Model, side: Side, rect: Rect, hole: Opening, deep: int, material: str, sill: bool = False, near: int = 0
) -> None:
    """The inner faces of a hole from `near` to `deep` mm behind a wall face: two sides, the top, and a sill.

    With `deep` before the face, these are the outer faces of what stands there.
    """
    low, high, y0, y1 = hole

    def p(along: int, y: int, out: int) -> Point:
        return point(side, rect, along, y, out)

    a, b = (low, high) if side in "ne" else (high, low)
    m.quad([p(a, y0, near), p(a, y0, deep), p(a, y1, deep), p(a, y1, near)], material)
    m.quad([p(b, y0, deep), p(b, y0, near), p(b, y1, near), p(b, y1, deep)], material)
    m.quad([p(a, y1, deep), p(b, y1, deep), p(b, y1, near), p(a, y1, near)], material)
    if sill:
        m.quad([p(a, y0, near), p(b, y0, near), p(b, y0, deep), p(a, y0, deep)], material)


def _frame(m: Model, facing: Side, side: Side, room: Room, door: Door, out: int, base: int, top: int) -> None:
    """An architrave on one face of the wall."""
    wide, thick = 65, 14
    rect = room.clear if facing == side else _behind(room.clear, side, WALL)
    for low, high, y0, y1 in (
        (door.low - wide, door.low, 0, top + wide),
        (door.high, door.high + wide, 0, top + wide),
        (door.low, door.high, top, top + wide),
    ):
        _board(m, facing, rect, (low, high, base + y0, base + y1), -thick, thick, "frame")


def _behind(rect: Rect, side: Side, by: int) -> Rect:
    """A rectangle whose side opposite to `side` is the far face of the wall."""
    if side == "n":
        return Rect(rect.x0, rect.z0 - by - 5000, rect.x1, rect.z0 - by)
    if side == "s":
        return Rect(rect.x0, rect.z1 + by, rect.x1, rect.z1 + by + 5000)
    if side == "w":
        return Rect(rect.x0 - by - 5000, rect.z0, rect.x0 - by, rect.z1)
    return Rect(rect.x1 + by, rect.z0, rect.x1 + by + 5000, rect.z1)


def leaf_rect(plan: Plan, door: Door) -> Rect | None:
    """Where the leaf stands, opened into room b along its side wall; None where there is no room for it."""
    room = plan.room(door.b)
    side = room.side_of(door)
    line, low, high = wall_line(room.clear, side)
    thick, width = 40, door.high - door.low - 20
    if not door.leaf:
        return None
    if door.low - low <= 250:
        a, b = door.low - thick - 5, door.low - 5
    elif high - door.high <= 250:
        a, b = door.high + 5, door.high + thick + 5
    else:
        return None
    near, far = (line + 20, line + 20 + width) if side in "nw" else (line - 20 - width, line - 20)
    leaf = Rect(a, near, b, far) if side in "ns" else Rect(near, a, far, b)
    return None if any(leaf.overlaps(_zone(other)) for other in plan.doors_of(room.id) if other != door) else leaf


def _zone(door: Door) -> Rect:
    """The floor before a door, which no other door's leaf may cross."""
    line, deep = door.line, 900
    if door.vertical:
        return Rect(line - deep, door.low - 350, line + deep, door.high + 350)
    return Rect(door.low - 350, line - deep, door.high + 350, line + deep)


def _leaf(m: Model, r: Rect, base: int, side: Side, kinds: tuple[str, str], room: str) -> None:
    """The opened leaf in its place; its hinges are at the wall on `side`."""
    model = leaf(kinds, room, max(r.width, r.depth) / 1000, 2.022)
    x, z = r.centre
    m.add(model, (x / 1000, (base + 8) / 1000, z / 1000), TURN_OF[side])


def bar(m: Model, side: Side, rect: Rect, hole: Opening, out: int, material: str, deep: int = 45) -> None:
    """A frame bar seen from the room: its front, `out` mm behind the wall's face, and the four faces beside it."""
    _board(m, side, rect, hole, out, deep, material)
    low, high, y0, y1 = hole
    a, b = (low, high) if side in "ne" else (high, low)
    for y, first, second in ((y1, out, out + deep), (y0, out + deep, out)):
        ends = [(a, first), (b, first), (b, second), (a, second)]
        m.quad([point(side, rect, along, y, o) for along, o in ends], material)


def _board(m: Model, side: Side, rect: Rect, hole: Opening, out: int, deep: int, material: str) -> None:
    """The front of a bar and its two upright faces."""
    low, high, y0, y1 = hole
    m.quad(face(side, rect, low, high, y0, y1, out), material)
    a, b = (low, high) if side in "ne" else (high, low)
    for along, first, second in ((a, out + deep, out), (b, out, out + deep)):
        ends = [(first, y0), (second, y0), (second, y1), (first, y1)]
        m.quad([point(side, rect, along, y, o) for o, y in ends], material)
