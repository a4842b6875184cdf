"""Floor plans along corridors: a public block by the entrance, then spines with rooms on both sides.

Each storey is laid out with its corridor along x from the origin; larger ones have several parallel spines joined by
a cross corridor. Then the whole plan is mirrored and turned at random. The stair, if any, is the first unit on the
north side of the first spine, so it stands at the same place on both storeys.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.plan import Rect
from nav_eval.worlds.programme import ROOM_TYPES

_PER_SPINE = 12


@dataclass(frozen=True, slots=True)
class Measures:
    """Depths shared by all storeys, mm: strips north and south of a spine, corridor, length of the public block."""

    north: int
    south: int
    corridor: int
    block: int


@dataclass(frozen=True, slots=True)
class Link:
    """Two cells (by index) that must be joined: "door", "wide" or "open" (no wall at all)."""

    a: int
    b: int
    kind: str


@dataclass(slots=True)
class Draft:
    """Cells and links of one storey while it is laid out."""

    types: list[str] = field(default_factory=list)
    rects: list[Rect] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def add(self, name: str, rect: Rect) -> int:
        self.types.append(name)
        self.rects.append(rect)
        return len(self.types) - 1

    def link(self, a: int, b: int, kind: str = "door") -> None:
        self.links.append(Link(a, b, kind))


def draw_measures(stream: Stream, stairs: bool) -> Measures:
    least = 4200 if stairs else 3600
    return Measures(
        north=stream.between(least, 4900) // 20 * 20,
        south=stream.between(3600, 4800) // 20 * 20,
        corridor=stream.between(1420, 1800) // 20 * 20,
        block=stream.between(5000, 6400) // 20 * 20,
    )


def lay_out(names: list[str], measures: Measures, stairs: bool, ground: bool, stream: Stream) -> Draft:
    """One storey. `names` are its room types; on the ground floor the first is the public room."""
    draft = Draft()
    rest = list(names)
    hub = -1
    if ground and rest:
        hub, rest = _public_block(draft, rest, measures)
    if not rest and not stairs:
        return draft
    spines = max(1, (len(rest) + _PER_SPINE - 1) // _PER_SPINE)
    first = _spines(draft, rest, spines, measures, stairs, stream)
    if hub >= 0:
        draft.link(hub, first, "wide")
    return draft


def _public_block(draft: Draft, names: list[str], m: Measures) -> tuple[int, list[str]]:
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
        draft.link(hub, room, "wide" if index == 0 else "door")
        if index:
            draft.link(room - 1, room, "door")
        x = end
    return hub, rest


def _spines(draft: Draft, names: list[str], count: int, m: Measures, stairs: bool, stream: Stream) -> int:
    """Corridors with their rooms; returns the corridor that the public block opens to."""
    depth = m.north + m.corridor + m.south
    start = 0 if count == 1 else m.corridor
    spines = [
        _spine(
            draft, names[k::count], Rect(start, k * depth, start, k * depth + m.corridor), m, stairs and k == 0, stream
        )
        for k in range(count)
    ]
    if count == 1:
        return spines[0]
    cross = draft.add("hallway", Rect(0, -m.north, start, (count - 1) * depth + m.corridor + m.south))
    for spine in spines:
        draft.link(cross, spine, "open")
    return cross


def _spine(draft: Draft, names: list[str], west: Rect, m: Measures, stairs: bool, stream: Stream) -> int:
    """One corridor eastwards from `west` with rooms to the north and south."""
    strips: list[list[tuple[str, int]]] = [[], []]
    if stairs:
        strips[0].append(("stairs", ROOM_TYPES["stairs"].width[0]))
    for name in _grouped(names, stream):
        low, high = ROOM_TYPES[name].width
        side = 0 if _total(strips[0]) <= _total(strips[1]) else 1
        strips[side].append((name, stream.between(low + 120, high + 120) // 20 * 20))
    longest = max(_total(strips[0]), _total(strips[1]))
    spine = draft.add("hallway", Rect(west.x0, west.z0, west.x0 + longest, west.z1))
    for side, strip in enumerate(strips):
        strip = _stretched(strip, longest)
        x = west.x0
        for name, width in strip:
            z0, z1 = (west.z0 - m.north, west.z0) if side == 0 else (west.z1, west.z1 + m.south)
            room = draft.add(name, Rect(x, z0, x + width, z1))
            draft.link(spine, room, "stairs" if name == "stairs" else "door")
            x += width
    return spine


def _grouped(names: list[str], stream: Stream) -> list[str]:
    """Random order, but bathrooms do not come first: they fill the gaps between larger rooms."""
    mixed = stream.shuffled(names)
    large = [name for name in mixed if ROOM_TYPES[name].width[1] > 3000]
    small = [name for name in mixed if ROOM_TYPES[name].width[1] <= 3000]
    out: list[str] = []
    while large or small:
        out += large[:2] + small[:1]
        large, small = large[2:], small[1:]
    return out


def _total(strip: list[tuple[str, int]]) -> int:
    return sum(width for _, width in strip)


def _stretched(strip: list[tuple[str, int]], longest: int) -> list[tuple[str, int]]:
    """Rooms widened by at most a third to fill the spine, so that most plans end flush."""
    free = [name != "stairs" for name, _ in strip]
    own = sum(width for (_, width), f in zip(strip, free, strict=True) if f)
    gap = longest - _total(strip)
    if own == 0 or gap * 3 > own:
        return strip
    out = [
        (name, width + gap * width // own // 20 * 20 if f else width)
        for (name, width), f in zip(strip, free, strict=True)
    ]
    last = max(index for index, f in enumerate(free) if f)
    out[last] = (out[last][0], out[last][1] + longest - _total(out))
    return out
