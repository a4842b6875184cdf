"""Outer walls and roofs, where they can be seen from a window: wings of a building that is no plain rectangle.

Elsewhere nobody sees them, and from above one looks into the rooms. A roof is ribbed so steeply that nobody walks on
it: a navmesh has no place there.
"""

from __future__ import annotations

from itertools import pairwise

from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import OUTER, SIDES, SLAB, WALL, Plan, Rect, Room, Side, Window, wall_line
from nav_eval_worlds.plan.openings import open_stretches
from nav_eval_worlds.shell.structure import face
from nav_eval_worlds.surfaces.parametric import Model

_OUT = OUTER - WALL // 2
"""From a room's face to the outer one, mm."""
_EDGE = 150
"""From a floor down to what one sees from below where it juts out, mm."""
_RIB = 300
"""Width of a rib of the roof, mm."""


def facade_items(plan: Plan) -> list[Item]:
    """One item for each room with such a wall."""
    out = []
    for room in plan.rooms:
        m = Model()
        cells = [r.cell for r in plan.rooms if r.storey == room.storey and r.id != room.id]
        for side in SIDES:
            for low, high in open_stretches(room.cell, side, cells, 0):
                if any(_sees(plan, window, room.cell, side, low, high) for window in plan.windows):
                    _wall(m, plan, room, side, low, high, cells)
        if any(room.storey < plan.room(window.room).storey for window in plan.windows):
            _roof(m, plan, room)
        _soffit(m, plan, room)
        if m.quads:
            out.append(Item("wall", room.id, m))
    return out


def _roof(m: Model, plan: Plan, room: Room) -> None:
    """Over those parts of a room that no room above covers."""
    above = [r.cell for r in plan.rooms if r.storey > room.storey]
    for part in _bare(room.cell, above):
        (x, z), (x0, z0, x1, z1) = part.centre, (part.x0, part.z0, part.x1, part.z1)
        ends = [(x0 - 20, z), (x1 + 20, z), (x, z0 - 20), (x, z1 + 20)]
        w, e, n, s = (0 if any(r.holds(*end) for r in above) else OUTER // 2 for end in ends)
        _ribs(m, Rect(x0 - w, z0 - n, x1 + e, z1 + s), room.base + max(plan.pitch, room.ceiling + SLAB))


def _soffit(m: Model, plan: Plan, room: Room) -> None:
    """Under those parts of a room above the ground that no room below carries."""
    below = [r.cell for r in plan.rooms if r.storey == room.storey - 1]
    for part in _bare(room.cell, below) if below else ():
        x0, z0, x1, z1, y = part.x0 / 1000, part.z0 / 1000, part.x1 / 1000, part.z1 / 1000, (room.base - _EDGE) / 1000
        corners = [(x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1)]
        m.quad(corners, "facade", [(x, z) for x, _, z in corners])


def _bare(cell: Rect, others: list[Rect]) -> list[Rect]:
    """The parts of a cell that no other covers."""
    xs = sorted({cell.x0, cell.x1, *(x for r in others for x in (r.x0, r.x1) if cell.x0 < x < cell.x1)})
    zs = sorted({cell.z0, cell.z1, *(z for r in others for z in (r.z0, r.z1) if cell.z0 < z < cell.z1)})
    parts = [Rect(x0, z0, x1, z1) for x0, x1 in pairwise(xs) for z0, z1 in pairwise(zs)]
    return [part for part in parts if not any(r.holds(*part.centre) for r in others)]


def _ribs(m: Model, rect: Rect, y: int) -> None:
    """Ridges along x, steeper than 45 degrees."""
    x0, x1, low, high = rect.x0 / 1000, rect.x1 / 1000, y / 1000, (y + _RIB * 6 // 10) / 1000
    for start in range(rect.z0, rect.z1, _RIB):
        end = min(start + _RIB, rect.z1)
        a, b, c = start / 1000, (start + end) / 2000, end / 1000
        m.quad([(x0, low, c), (x1, low, c), (x1, high, b), (x0, high, b)], "roof")
        m.quad([(x0, high, b), (x1, high, b), (x1, low, a), (x0, low, a)], "roof")


def _sees(plan: Plan, window: Window, cell: Rect, side: Side, low: int, high: int) -> bool:
    """Whether an outer wall and a window lie before one another."""
    own = plan.room(window.room).cell
    if own == cell and window.side == side:
        return False
    line, _, _ = wall_line(cell, side)
    glass, _, _ = wall_line(own, window.side)
    corners = [(along, line) if side in "ns" else (line, along) for along in (low, high)]
    eyes = [(along, glass) if window.side in "ns" else (glass, along) for along in (window.low, window.high)]
    return any(_before(side, line, eye) for eye in eyes) and any(_before(window.side, glass, end) for end in corners)


def _before(side: Side, line: int, spot: tuple[int, int]) -> bool:
    """Whether a spot (x, z) lies clearly outside of a line."""
    at = spot[1] if side in "ns" else spot[0]
    return at < line - 200 if side in "nw" else at > line + 200


def _wall(m: Model, plan: Plan, room: Room, side: Side, low: int, high: int, cells: list[Rect]) -> None:
    """From the foundation to the floor above, round the windows."""
    bottom = -300 if room.storey == 0 else 0
    top = max(plan.pitch, room.ceiling + SLAB)
    start, end = low - _beyond(room.cell, side, low, -1, cells), high + _beyond(room.cell, side, high, 1, cells)
    holes = sorted((w.low, w.high, w.sill, w.top) for w in plan.windows if w.room == room.id and w.side == side)
    for left, right, sill, head in holes:
        if start <= left and right <= end:
            _panel(m, room, side, start, left, bottom, top)
            _panel(m, room, side, left, right, bottom, sill)
            _panel(m, room, side, left, right, head, top)
            _surround(m, room, side, (left, right, sill, head))
            start = right
    _panel(m, room, side, start, end, bottom, top)


def _beyond(cell: Rect, side: Side, end: int, step: int, cells: list[Rect]) -> int:
    """How far a wall goes on past the end of its cell: round a corner that stands out, not into a neighbour."""
    line, _, _ = wall_line(cell, side)
    for out in (-20, 20):
        across, along = line + (-out if side in "nw" else out), end + 20 * step
        x, z = (along, across) if side in "ns" else (across, along)
        if any(other.holds(x, z) for other in cells):
            return 0
    return OUTER // 2


def _surround(m: Model, room: Room, side: Side, hole: tuple[int, int, int, int]) -> None:
    """A flat frame round a window, and its sill."""
    left, right, sill, head = hole
    strips = [
        (left - 110, left, sill, head),
        (right, right + 110, sill, head),
        (left - 110, right + 110, head, head + 150),
    ]
    for low, high, y0, y1 in (*strips, (left - 150, right + 150, sill - 90, sill)):
        corners = face(side, room.clear, low, high, room.base + y0, room.base + y1, _OUT + 12)[::-1]
        u, v = (high - low) / 1000, (y1 - y0) / 1000
        m.quad(corners, "facade_trim", [(0.0, v), (u, v), (u, 0.0), (0.0, 0.0)])


def _panel(m: Model, room: Room, side: Side, low: int, high: int, y0: int, y1: int) -> None:
    if high - low < 2:
        return
    corners = face(side, room.clear, low, high, room.base + y0, room.base + y1, _OUT)[::-1]
    v0, v1 = -(room.base + y0) / 1000, -(room.base + y1) / 1000
    u0, u1 = (low / 1000, high / 1000) if side in "ne" else (high / 1000, low / 1000)
    m.quad(corners, "facade", [(u0, v1), (u1, v1), (u1, v0), (u0, v0)])
