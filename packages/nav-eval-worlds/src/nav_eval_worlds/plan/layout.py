"""What floor plans are composed of: cells and links, strips of rooms, and corridors with rooms on both sides.

Lengths are whole millimetres. A corridor is laid out eastwards from the origin, with rooms to its north and south; a
wing that runs another way is laid out so and then turned.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.floor_plan import TREAD, WALL, Rect, steps
from nav_eval_worlds.plan.programme import ROOM_TYPES


@dataclass(frozen=True, slots=True)
class Measures:
    """Depths shared by all storeys, mm: strips north and south of a spine, corridor, length of the public block.

    `lead` is how far from its west end a corridor's first room begins.
    """

    north: int
    south: int
    corridor: int
    block: int
    lead: int


@dataclass(frozen=True, slots=True)
class Link:
    """Two cells (by index) that must be joined: "door", "wide", "zone" (an open side) or "open" (no wall at all)."""

    a: int
    b: int
    kind: str


@dataclass(slots=True)
class Draft:
    """Cells and links of one storey while it is laid out; `suites` bathrooms may open off a bedroom only."""

    types: list[str] = field(default_factory=list)
    rects: list[Rect] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    suites: int = 0

    def add(self, name: str, rect: Rect) -> int:
        self.types.append(name)
        self.rects.append(rect)
        return len(self.types) - 1

    def link(self, a: int, b: int, kind: str = "door") -> None:
        self.links.append(Link(a, b, kind))

    def annex(self, wing: Draft, turn: int, dx: int, dz: int) -> int:
        """Takes over another draft, turned about its origin and moved; returns the index of its first cell."""
        first = len(self.types)
        self.types += wing.types
        for rect in wing.rects:
            r = turned(rect, turn)
            self.rects.append(Rect(r.x0 + dx, r.z0 + dz, r.x1 + dx, r.z1 + dz))
        self.links += [Link(link.a + first, link.b + first, link.kind) for link in wing.links]
        self.suites = wing.suites
        return first


def turned(rect: Rect, turn: int, mirror: bool = False) -> Rect:
    """Mirrored (x to -x) if asked, then turned by quarter turns: (x, z) goes to (z, -x)."""
    x0, z0, x1, z1 = rect.x0, rect.z0, rect.x1, rect.z1
    if mirror:
        x0, x1 = -x1, -x0
    for _ in range(turn):
        x0, z0, x1, z1 = z0, -x1, z1, -x0
    return Rect(x0, z0, x1, z1)


def draw_measures(stream: Stream, pitch: int, stairs: bool, lead: bool) -> Measures:
    """`pitch` is the height that a stair, if there is one, must climb."""
    flight = 950 + (steps(pitch) // 2 - 1) * TREAD
    least = max(4200, (flight + 1000 + WALL + 19) // 20 * 20) if stairs else 3600
    corridor = stream.between(1420, 1800) // 20 * 20
    return Measures(
        north=stream.between(least, max(4900, least)) // 20 * 20,
        south=stream.between(3600, 4800) // 20 * 20,
        corridor=corridor,
        block=stream.between(5000, 6400) // 20 * 20,
        lead=corridor if lead else 0,
    )


def public_block(draft: Draft, names: list[str], m: Measures, open_plan: bool = False) -> tuple[int, list[str]]:
    """The living room at the corridor's west end, its kitchen and dining room across; returns what is left."""
    hub = draft.add(names[0], Rect(-m.block, -m.north, 0, m.corridor))
    rest = names[1:]
    wanted = [n for n in ("kitchen", "dining room", "break room") if n in rest][:2]
    for name in wanted:
        rest.remove(name)
    x = -m.block
    for index, name in enumerate(wanted):
        end = 0 if index == len(wanted) - 1 else x + m.block * 55 // 100 // 20 * 20
        room = draft.add(name, Rect(x, m.corridor, end, m.corridor + m.south))
        draft.link(hub, room, "zone" if open_plan else "wide" if index == 0 else "door")
        if index:
            draft.link(room - 1, room, "zone" if open_plan else "door")
        x = end
    return hub, rest


def spine(
    draft: Draft,
    names: list[str],
    west: Rect,
    m: Measures,
    stream: Stream,
    stairs: bool = False,
    leads: tuple[int, int] = (0, 0),
    least: int = 0,
) -> int:
    """One corridor eastwards from `west`, at least `least` long, with rooms to the north and south.

    `leads`: how far from the west end the first room of either side begins.
    """
    rows: list[list[tuple[str, int]]] = [[], []]
    if stairs:
        rows[0].append(("stairs", ROOM_TYPES["stairs"].width[0]))
    for name in grouped(names, stream):
        side = 0 if total(rows[0]) + leads[0] <= total(rows[1]) + leads[1] else 1
        rows[side].append((name, drawn_width(name, stream)))
    longest = max(total(rows[0]) + leads[0], total(rows[1]) + leads[1], least)
    hall = draft.add("hallway", Rect(west.x0, west.z0, west.x0 + longest, west.z1))
    for side, row in enumerate(rows):
        z0, z1 = (west.z0 - m.north, west.z0) if side == 0 else (west.z1, west.z1 + m.south)
        rooms = strip(draft, stretched(row, longest - leads[side]), west.x0 + leads[side], z0, z1)
        _join(draft, hall, rooms)
    return hall


def _join(draft: Draft, hall: int, rooms: list[int]) -> None:
    """Each room of a strip gets its door to the corridor, but a bathroom of a suite one to the bedroom beside it."""
    for k, room in enumerate(rooms):
        name = draft.types[room]
        beside = [other for other in rooms[max(k - 1, 0) : k + 2] if draft.types[other] == "bedroom"]
        if name == "bathroom" and beside and draft.suites > 0:
            draft.suites -= 1
            draft.link(beside[0], room)
        else:
            draft.link(hall, room, "stairs" if name == "stairs" else "door")


def strip(draft: Draft, row: list[tuple[str, int]], x: int, z0: int, z1: int) -> list[int]:
    """Rooms side by side eastwards from x."""
    out = []
    for name, width in row:
        out.append(draft.add(name, Rect(x, z0, x + width, z1)))
        x += width
    return out


def drawn_width(name: str, stream: Stream) -> int:
    low, high = ROOM_TYPES[name].width
    return stream.between(low + WALL, high + WALL) // 20 * 20


def grouped(names: list[str], stream: Stream) -> list[str]:
    """Random order, but bathrooms do not come first: they fill the gaps between larger rooms."""
    mixed = stream.shuffled(names)
    large = [name for name in mixed if ROOM_TYPES[name].width[1] > 3000]
    small = [name for name in mixed if ROOM_TYPES[name].width[1] <= 3000]
    out: list[str] = []
    while large or small:
        out += large[:2] + small[:1]
        large, small = large[2:], small[1:]
    return out


def total(row: list[tuple[str, int]]) -> int:
    return sum(width for _, width in row)


def stretched(row: list[tuple[str, int]], longest: int) -> list[tuple[str, int]]:
    """Rooms widened by at most a third to fill a length, so that most plans end flush."""
    free = [name != "stairs" for name, _ in row]
    own = sum(width for (_, width), f in zip(row, free, strict=True) if f)
    gap = longest - total(row)
    if own == 0 or gap * 3 > own:
        return row
    out = [
        (name, width + gap * width // own // 20 * 20 if f else width)
        for (name, width), f in zip(row, free, strict=True)
    ]
    last = max(index for index, f in enumerate(free) if f)
    out[last] = (out[last][0], out[last][1] + longest - total(out))
    return out
