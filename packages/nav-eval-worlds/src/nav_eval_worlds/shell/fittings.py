"""What offices and large rooms have built in besides walls and doors: glass partitions, columns, door numbers.

The glass is frosted: a surface that colour, depth and semantics all see, on both sides of the wall. Where they are is
decided from the plan; how they look is in world coordinates (metres), as in shell.
"""

from __future__ import annotations

from collections.abc import Sequence

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import WALL, Column, Door, Glazing, Plan, Rect, Room, Sign
from nav_eval_worlds.plan.programme import CIRCULATION
from nav_eval_worlds.shell.structure import bar, face, tunnel
from nav_eval_worlds.surfaces.parametric import Model

_GLAZED = ("meeting room", "office", "break room", "open office")
_SILL, _TOP = 350, 2150
_PANE = 1200
_PLATE, _DIGIT = (200, 110), (34, 74)
_HIGH = 1450
"""Where a door number begins above the floor, mm."""


def draw_glazing(doors: Sequence[Door], rooms: Sequence[Room], stream: Stream) -> tuple[Glazing, ...]:
    """Beside the doors of some rooms of an office, where the wall to the corridor is long enough."""
    out: list[Glazing] = []
    for door in doors:
        a, b = rooms[door.a - 1], rooms[door.b - 1]
        if not door.leaf or b.type not in _GLAZED or a.type not in (*CIRCULATION, "open office"):
            continue
        if stream.chance(75):
            out += _beside(len(out) + 1, door, a, b, doors)
    return tuple(out)


def _beside(first: int, door: Door, a: Room, b: Room, doors: Sequence[Door]) -> list[Glazing]:
    """Panes on both sides of a door, clear of other doors in the same wall and of the plate with its number."""
    (low, high), (other_low, other_high) = _span(a, door), _span(b, door)
    edges = [max(low, other_low) + 200, min(high, other_high) - 200]
    taken = sorted(
        (d.low - 400, d.high + 400)
        for d in doors
        if d.storey == door.storey and _in_line(d, door) and d.high > edges[0]
    )
    out: list[Glazing] = []
    at = edges[0]
    for start, end in [*taken, (edges[1], edges[1])]:
        if min(start, edges[1]) - at >= 700:
            span = at, min(start, edges[1])
            out.append(Glazing(first + len(out), a.id, b.id, door.vertical, door.line, *span, _SILL, _TOP))
        at = max(at, end)
    return out


def _in_line(one: Door, other: Door) -> bool:
    return one.vertical == other.vertical and one.line == other.line


def _span(room: Room, door: Door) -> tuple[int, int]:
    r = room.cell
    return (r.z0, r.z1) if door.vertical else (r.x0, r.x1)


def draw_columns(rooms: Sequence[Room], stream: Stream) -> tuple[Column, ...]:
    """In two rows in rooms too wide for one span, clear of the lamps over their middle."""
    out: list[Column] = []
    for room in rooms:
        r = room.clear
        if room.type not in ("open office", "foyer", "reception") or min(r.width, r.depth) < 6000:
            continue
        half = stream.between(16, 22) * 10
        spans = [max(2, (size + 2500) // 5000) for size in (r.width, r.depth)]
        across = 0 if r.width < r.depth else 1
        spans[across] = 3
        for i in range(1, spans[0]):
            for k in range(1, spans[1]):
                x, z = r.x0 + r.width * i // spans[0], r.z0 + r.depth * k // spans[1]
                out.append(Column(room.id, Rect(x - half, z - half, x + half, z + half)))
    return tuple(out)


def draw_signs(doors: Sequence[Door], rooms: Sequence[Room]) -> tuple[Sign, ...]:
    """A number beside each door from a corridor or a large room: 101, 102 ... on the ground floor, 201 ... above."""
    out: list[Sign] = []
    counts = [0, 0]
    for door in doors:
        a, b = rooms[door.a - 1], rooms[door.b - 1]
        if not door.leaf or b.type in CIRCULATION:
            continue
        counts[door.storey] += 1
        place = _plate(door, a, [other for other in doors if a.id in (other.a, other.b)])
        if place:
            out.append(Sign(a.id, a.side_of(door), *place, _HIGH, _HIGH + _PLATE[1], number(door.storey, counts)))
    return tuple(out)


def number(storey: int, counts: Sequence[int]) -> int:
    return 100 * (storey + 1) + counts[storey]


def _plate(door: Door, room: Room, doors: list[Door]) -> tuple[int, int] | None:
    """Where beside the door, along the wall, the plate hangs; None where there is no room."""
    low, high = (edge + off for edge, off in zip(_span(room, door), (WALL // 2, -WALL // 2), strict=True))
    for start in (door.high + 120, door.low - 120 - _PLATE[0]):
        end = start + _PLATE[0]
        free = all(other == door or not _in_line(other, door) or other.high + 90 < start or end < other.low - 90
                   for other in doors)  # fmt: skip
        if low + 40 <= start and end <= high - 40 and free:
            return start, end
    return None


def fitting_items(plan: Plan) -> list[Item]:
    items = [Item("glass_partition", room, _pane(plan.room(room), g)) for g in plan.glazing for room in (g.a, g.b)]
    items += [Item("column", column.room, _column(plan.room(column.room), column)) for column in plan.columns]
    return items + [Item("sign", sign.room, _sign(plan.room(sign.room), sign)) for sign in plan.signs]


def _pane(room: Room, g: Glazing) -> Model:
    """The half of a partition that one sees from a room: reveal, glass, a frame and mullions."""
    m = Model()
    side = room.side_of(g)
    base, deep = room.base, WALL // 2 - 6
    y0, y1 = base + g.sill, base + g.top
    tunnel(m, side, room.clear, (g.low, g.high, y0, y1), deep, "metal", sill=True)
    m.quad(face(side, room.clear, g.low, g.high, y0, y1, deep), "glass", max_edge=0.7)
    count = max(1, (g.high - g.low) // _PANE)
    for k in range(count + 1):
        at = g.low + 25 + (g.high - g.low - 50) * k // count
        bar(m, side, room.clear, (at - 25, at + 25, y0, y1), deep - 30, "metal")
    for y in (y0, (y0 + y1) // 2 + 200, y1 - 50):
        bar(m, side, room.clear, (g.low + 50, g.high - 50, y, y + 50), deep - 30, "metal")
    return m


def _column(room: Room, column: Column) -> Model:
    m = Model()
    r, top = column.rect, (room.base + room.ceiling) / 1000
    low, high = (r.x0 / 1000, room.base / 1000, r.z0 / 1000), (r.x1 / 1000, top, r.z1 / 1000)
    m.box(low, high, "wall0", skip="du")
    m.box(
        (low[0] - 0.014, low[1], low[2] - 0.014), (high[0] + 0.014, low[1] + 0.075, high[2] + 0.014), "frame", skip="d"
    )
    return m


def _sign(room: Room, sign: Sign) -> Model:
    """A plate with digits from left to right as one reads them from the room."""
    m = Model()
    base, thick = room.base + sign.bottom, 8
    side = sign.side
    m.quad(face(side, room.clear, sign.low, sign.high, base, base + _PLATE[1], -thick), "dark")
    tunnel(m, side, room.clear, (sign.low, sign.high, base, base + _PLATE[1]), -thick, "dark", sill=True)
    digits = str(sign.number)
    left = (_PLATE[0] - len(digits) * (_DIGIT[0] + 10) + 10) // 2
    for k, digit in enumerate(digits):
        start = left + k * (_DIGIT[0] + 10)
        low = sign.low + start if side in "ne" else sign.high - start - _DIGIT[0]
        y0 = base + (_PLATE[1] - _DIGIT[1]) // 2
        u0, u1 = int(digit) / 16, (int(digit) + 1) / 16
        corners = face(side, room.clear, low, low + _DIGIT[0], y0, y0 + _DIGIT[1], -thick - 1)
        m.quad(corners, "digits", [(u0, 1.0), (u1, 1.0), (u1, 0.0), (u0, 0.0)])
    return m
