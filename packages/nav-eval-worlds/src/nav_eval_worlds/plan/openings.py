"""Doors and windows: where rooms that belong together share a wall, and where a wall faces the open."""

from __future__ import annotations

from dataclasses import replace

from nav_eval.errors import NavEvalError
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.fenestration import HOME_CASINGS, OFFICE_CASINGS, windows_of
from nav_eval_worlds.plan.floor_plan import (
    DOOR_HEIGHT,
    LINTEL,
    OPPOSITE,
    SIDES,
    SLAB,
    WALL,
    Casing,
    Door,
    Kind,
    Plan,
    Rect,
    Room,
    Side,
    Stair,
    Window,
    wall_line,
)
from nav_eval_worlds.plan.grammars import PER_SPINE, Storey, choose, lay_out
from nav_eval_worlds.plan.layout import Draft, Link, draw_measures, turned
from nav_eval_worlds.plan.programme import CIRCULATION, programme
from nav_eval_worlds.shell.fittings import draw_columns, draw_glazing, draw_signs
from nav_eval_worlds.surfaces.styles import building_style

MAX_ROOMS = 50


def make_plan(seed: str, rooms: int, storeys: int, kind: Kind) -> Plan:
    """A floor plan; the same arguments give the same plan everywhere."""
    stream = Stream("world", seed, kind, rooms, storeys, "plan")
    casings = OFFICE_CASINGS if kind == "office" else HOME_CASINGS[building_style(seed, kind).name]
    casing = stream.child("casing").choice(casings)
    grammar = choose(kind, rooms, storeys, stream.child("grammar"))
    ceiling = stream.child("ceiling").between(*_CEILINGS[kind]) * 20
    lists = programme(kind, grammar, rooms, storeys, stream.child("programme"))
    stairs, lead = storeys > 1, max(len(names) for names in lists) > PER_SPINE
    measures = draw_measures(stream.child("measures"), ceiling + SLAB, stairs, lead)
    drafts = [
        lay_out(grammar if level == 0 else _UPSTAIRS, Storey(names, measures, stairs, level == 0, own))
        for level, names in enumerate(lists)
        for own in [stream.child("storey", level)]
    ]
    return _finish(kind, grammar, ceiling, drafts, casing, stream.child("openings"))


_CEILINGS: dict[Kind, tuple[int, int]] = {"home": (120, 160), "office": (130, 160)}
"""Heights of ceilings in steps of 20 mm."""
_DOORWAY = 1900
"""The widest doorway."""
_ATTIC = 2900
"""Homes with ceilings no higher may have their upper storey under the roof."""
_NIB = 240
"""What is left of a wall at either end where two parts of an open plan meet."""
_UPSTAIRS = "corridor"


def _finish(kind: Kind, grammar: str, ceiling: int, drafts: list[Draft], casing: Casing, stream: Stream) -> Plan:
    turn, mirror, flip = stream.below(4), stream.below(2) == 1, stream.below(2) == 1
    arches, pitch = stream.child("arches").chance(35), ceiling + SLAB
    attic = kind == "home" and ceiling <= _ATTIC and stream.child("attic").chance(50)
    rooms: list[Room] = []
    doors: list[Door] = []
    windows: list[Window] = []
    stair: Stair | None = None
    well = -1
    for level, draft in enumerate(drafts):
        offset = len(rooms)
        rects = [turned(rect, turn, mirror) for rect in draft.rects]
        ids = list(range(offset + 1, offset + len(rects) + 1))
        for index, (name, rect) in enumerate(zip(draft.types, rects, strict=True)):
            rooms.append(Room(ids[index], name, level, rect, level * pitch, ceiling))
            if name == "stairs" and level == 0:
                well = ids[index]
        if level == 1 and attic:
            rooms[offset:] = _under_roof(rooms[offset:])
        for link in draft.links:
            a, b = rooms[ids[link.a] - 1], rooms[ids[link.b] - 1]
            door = _door(len(doors) + 1, a, b, link, flip != mirror, arches, stream)
            if b.type == "stairs":
                stair = stair or Stair(well, _side_towards(b.cell, a.cell), flip != mirror)
            doors.append(door)
    for room in rooms:
        others = [other.cell for other in rooms if other.storey == room.storey and other.id != room.id]
        for side in SIDES:
            windows += windows_of(len(windows) + 1, room, side, open_stretches(room.cell, side, others), casing, stream)
    fitted = stream.child("fittings")
    glazing = draw_glazing(doors, rooms, fitted) if kind == "office" and fitted.chance(70) else ()
    columns = draw_columns(rooms, fitted.child("columns"))
    signs = draw_signs(doors, rooms) if kind == "office" else ()
    return Plan(
        kind, grammar, len(drafts), pitch, tuple(rooms), tuple(doors), tuple(windows), stair, glazing, columns, signs
    )


def _under_roof(rooms: list[Room]) -> list[Room]:
    """The rooms of a storey with eaves along the outer sides that run as its only corridor does."""
    halls = [room.cell for room in rooms if room.type == "hallway"]
    if len(halls) != 1:
        return rooms
    sides: tuple[Side, Side] = ("n", "s") if halls[0].width > halls[0].depth else ("w", "e")
    out = []
    for room in rooms:
        others = [other.cell for other in rooms if other.id != room.id]
        bare = [side for side in sides if open_stretches(room.cell, side, others) == [wall_line(room.cell, side)[1:]]]
        fits = len(bare) == 1 and room.type not in CIRCULATION
        out.append(replace(room, eaves=bare[0]) if fits else room)
    return out


def _side_towards(cell: Rect, other: Rect) -> Side:
    """The side of `cell` that touches `other`."""
    if other.z1 == cell.z0:
        return "n"
    if other.z0 == cell.z1:
        return "s"
    return "w" if other.x1 == cell.x0 else "e"


def _door(door_id: int, a: Room, b: Room, link: Link, flip: bool, arches: bool, stream: Stream) -> Door:
    side = _side_towards(b.cell, a.cell)
    line, low, high = wall_line(b.cell, side)
    _, other_low, other_high = wall_line(a.cell, side)
    low, high = max(low, other_low) + WALL // 2, min(high, other_high) - WALL // 2
    for room in (a, b):
        low, high = room.upright(side, low, high)
    if high - low < 700:
        raise NavEvalError(f"rooms {a.id} ({a.type}) and {b.id} ({b.type}) share no wall for a door")
    vertical, level, head = side in "ew", b.storey, b.ceiling - LINTEL
    if link.kind == "open":
        return Door(door_id, a.id, b.id, level, vertical, line, low, high, head, False)
    if link.kind == "zone":
        low, high = _zone(low + _NIB, high - _NIB)
        return Door(door_id, a.id, b.id, level, vertical, line, low, high, head, False)
    if link.kind == "stairs":
        low, high = _stair_half(low, high, side, flip, level)
        return Door(door_id, a.id, b.id, level, vertical, line, low, high, min(2200, head), False)
    wide = link.kind == "wide"
    width = min(stream.between(1300, _DOORWAY) if wide else stream.choice((860, 900, 940)), high - low - 100)
    start = _door_start(low, high, width, wide, stream)
    height = min(2400 if arches else 2200, head) if wide else DOOR_HEIGHT
    arch = width // 4 if wide and arches else 0
    return Door(door_id, a.id, b.id, level, vertical, line, start, start + width, height, not wide, arch)


def _zone(low: int, high: int) -> tuple[int, int]:
    """As wide as can be, but never so that some would call it a doorway and some an open side."""
    spare = high - low - _DOORWAY
    return (low + spare // 2, low + spare // 2 + _DOORWAY) if 0 < spare < 600 else (low, high)


def _stair_half(low: int, high: int, side: Side, flip: bool, level: int) -> tuple[int, int]:
    """The half of the stairwell that one enters on this storey: seen from outside, left is the first flight."""
    left_is_low = side in "sw"
    first_is_low = left_is_low != flip
    lower = first_is_low == (level == 0)
    middle = (low + high) // 2
    return (low + 20, middle - 70) if lower else (middle + 70, high - 20)


def _door_start(low: int, high: int, width: int, wide: bool, stream: Stream) -> int:
    room = high - low - width
    if wide or room < 700:
        return low + room // 2
    return stream.choice((low + 140, low + 140, high - width - 140, high - width - 140, low + room // 2))


def open_stretches(cell: Rect, side: Side, others: list[Rect], clear: int = 1500) -> list[tuple[int, int]]:
    """Parts of a side with no other cell within `clear` mm."""
    line, low, high = wall_line(cell, side)
    taken = sorted(
        (other_low, other_high)
        for other in others
        for other_line, other_low, other_high in [wall_line(other, OPPOSITE[side])]
        if abs(other_line - line) <= clear and other_high > low and other_low < high
    )
    out = []
    for other_low, other_high in taken:
        if other_low > low:
            out.append((low, other_low))
        low = max(low, other_high)
    if low < high:
        out.append((low, high))
    return out
