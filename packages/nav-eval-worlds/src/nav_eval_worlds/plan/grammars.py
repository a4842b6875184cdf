"""Kinds of floor plans: corridors straight, bent and in rings, halls, rows of rooms, open plans and studios.

Each grammar lays one storey out with its entrance room at the west end and, if it has a corridor, the first of it
along x from the origin; a stair is the first unit on the north side there, so it stands at the same place on both
storeys. The whole plan is mirrored and turned at random afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.floor_plan import Kind, Rect
from nav_eval_worlds.plan.layout import (
    Draft,
    Measures,
    drawn_width,
    grouped,
    public_block,
    spine,
    stretched,
    strip,
    total,
)
from nav_eval_worlds.plan.programme import ROOM_TYPES

PER_SPINE = 12
"""More rooms than these need several corridors."""
_COURT = 2400
"""The least depth of a courtyard."""


@dataclass(frozen=True, slots=True)
class Storey:
    """What a grammar is given: the types of the rooms (first the public one, on the ground floor), and its measures."""

    names: list[str]
    measures: Measures
    stairs: bool
    ground: bool
    stream: Stream

    def spine(self, draft: Draft, names: list[str]) -> int:
        """The first corridor, with the stair if there is one."""
        m = self.measures
        return spine(draft, names, Rect(0, 0, 0, m.corridor), m, self.stream, self.stairs, (m.lead, m.lead))


Grammar = Callable[[Storey, Draft], None]


def choose(kind: Kind, rooms: int, storeys: int, stream: Stream) -> str:
    """The grammar of the ground floor: one of those that fit so many rooms, all equally likely."""
    ground = rooms if storeys == 1 else rooms - rooms // 2
    fitting = [
        name
        for name, (kinds, low, high, stairs, _) in GRAMMARS.items()
        if kind in kinds and low <= ground and rooms <= high and (storeys == 1 or stairs)
    ]
    return stream.choice(fitting)


def lay_out(grammar: str, storey: Storey) -> Draft:
    draft = Draft(suites=_suites(storey))
    if storey.names or storey.stairs:
        GRAMMARS[grammar][4](storey, draft)
    return draft


def _suites(storey: Storey) -> int:
    """Bathrooms that may be reached through a bedroom only: all but one, in half of the buildings."""
    spare = storey.names.count("bathroom") - 1
    return max(spare, 0) if storey.stream.child("suites").chance(60) else 0


def _corridor(storey: Storey, draft: Draft) -> None:
    _with_block(storey, draft, False, _straight)


def _open_plan(storey: Storey, draft: Draft) -> None:
    _with_block(storey, draft, True, _straight)


def _bent(storey: Storey, draft: Draft) -> None:
    _with_block(storey, draft, storey.stream.chance(50), _wings(2))


def _court(storey: Storey, draft: Draft) -> None:
    _with_block(storey, draft, storey.stream.chance(50), _wings(3))


def _double(storey: Storey, draft: Draft) -> None:
    _with_block(storey, draft, False, _parallel)


def _ring(storey: Storey, draft: Draft) -> None:
    _with_block(storey, draft, False, _round)


Circulation = Callable[[Storey, Draft, list[str]], int]
"""Lays out corridors with the given rooms; returns the cell that the public block opens to."""


def _with_block(storey: Storey, draft: Draft, open_plan: bool, circulation: Circulation) -> None:
    """The public block on the ground floor, and what opens off it."""
    rest, hub = list(storey.names), -1
    if storey.ground and rest:
        hub, rest = public_block(draft, rest, storey.measures, open_plan)
    if not rest and not storey.stairs:
        return
    first = circulation(storey, draft, rest)
    if hub >= 0:
        draft.link(hub, first, "wide")


def _straight(storey: Storey, draft: Draft, names: list[str]) -> int:
    return storey.spine(draft, names) if len(names) <= PER_SPINE else _parallel(storey, draft, names)


def _parallel(storey: Storey, draft: Draft, names: list[str]) -> int:
    """Corridors side by side, joined by a cross corridor at their west ends."""
    m, count = storey.measures, max(2, (len(names) + PER_SPINE - 1) // PER_SPINE)
    depth, start = m.north + m.corridor + m.south, m.corridor
    halls = [
        spine(
            draft,
            names[k::count],
            Rect(start, k * depth, start, k * depth + m.corridor),
            m,
            storey.stream,
            storey.stairs and k == 0,
        )
        for k in range(count)
    ]
    cross = draft.add("hallway", Rect(0, -m.north, start, (count - 1) * depth + m.corridor + m.south))
    for hall in halls:
        draft.link(cross, hall, "open")
    return cross


def _wings(count: int) -> Circulation:
    """A corridor that turns to the south at its east end, and once more to the west: an L, or a U round a court."""

    def lay(storey: Storey, draft: Draft, names: list[str]) -> int:
        m, stream = storey.measures, storey.stream
        mixed = grouped(names, stream)
        parts = [mixed[k * len(mixed) // count : (k + 1) * len(mixed) // count] for k in range(count)]
        first = storey.spine(draft, parts[0])
        bend, side = draft.rects[first].x1 + m.corridor, m.corridor + m.south
        least = side if count == 2 else side + m.south + _COURT
        second = _wing(draft, parts[1], m, stream, side, least, 3, bend, 0)
        draft.link(first, second, "open")
        if count == 3:
            end = draft.rects[second].z1 + m.corridor
            third = _wing(draft, parts[2], m, stream, side, 0, 2, bend, end)
            draft.link(second, third, "open")
        return first

    return lay


def _wing(
    draft: Draft, names: list[str], m: Measures, stream: Stream, lead: int, least: int, turn: int, x: int, z: int
) -> int:
    """A corridor of its own, turned and moved; on its inner side rooms begin after `lead`."""
    wing = Draft(suites=draft.suites)
    spine(wing, names, Rect(0, 0, 0, m.corridor), m, stream, leads=(0, lead), least=max(least, 2 * m.corridor))
    return draft.annex(wing, turn, x, z)


def _round(storey: Storey, draft: Draft, names: list[str]) -> int:
    """Four corridors round a core of small and meeting rooms, with rooms on the outer sides of the long ones."""
    m, stream = storey.measures, storey.stream
    mixed = stream.shuffled(names)
    core = [n for n in mixed if n in ("bathroom", "copy room", "storage room", "meeting room")][: 2 + len(names) // 4]
    outer = list(mixed)
    for name in core:
        outer.remove(name)
    rows: list[list[tuple[str, int]]] = [[], []]
    for name in grouped(outer, stream):
        rows[0 if total(rows[0]) <= total(rows[1]) else 1].append((name, drawn_width(name, stream)))
    middle = [(name, drawn_width(name, stream)) for name in core]
    c, deep = m.corridor, stream.between(3200, 4200) // 20 * 20
    long = max(total(rows[0]), total(rows[1]), total(middle) + 2 * c)
    north = draft.add("hallway", Rect(0, 0, long, c))
    south = draft.add("hallway", Rect(0, c + deep, long, 2 * c + deep))
    for x in (0, long - c):
        side = draft.add("hallway", Rect(x, c, x + c, c + deep))
        draft.link(north, side, "open")
        draft.link(south, side, "open")
    for room in strip(draft, stretched(rows[0], long), 0, -m.north, 0):
        draft.link(north, room)
    for room in strip(draft, stretched(rows[1], long), 0, 2 * c + deep, 2 * c + deep + m.south):
        draft.link(south, room)
    for room in strip(draft, stretched(middle, long - 2 * c), c, c, c + deep):
        draft.link(stream.choice((north, south)), room)
    return north


def _hall(storey: Storey, draft: Draft) -> None:
    _around(storey, draft, "foyer", storey.names, 2600)


def _centre(storey: Storey, draft: Draft) -> None:
    _around(storey, draft, storey.names[0], storey.names[1:], 4400)


def _cubicles(storey: Storey, draft: Draft) -> None:
    rest = list(storey.names)
    rest.remove("open office")
    _around(storey, draft, "open office", rest, 7200)


def _around(storey: Storey, draft: Draft, hub_type: str, names: list[str], least: int) -> None:
    """A hall with rooms on all sides, few to the west and east."""
    m, stream = storey.measures, storey.stream
    rows: dict[str, list[tuple[str, int]]] = {side: [] for side in "nswe"}
    if storey.stairs:
        rows["n"].append(("stairs", ROOM_TYPES["stairs"].width[0]))
    ends = min(1 if hub_type == "foyer" else 2, len(names) // 4)
    for index, name in enumerate(grouped(names, stream)):
        side = "w" if index < ends else "e" if index < 2 * ends else ""
        side = side or ("n" if total(rows["n"]) <= total(rows["s"]) else "s")
        rows[side].append((name, drawn_width(name, stream)))
    wide, deep = (max(total(rows[a]), total(rows[b]), least) for a, b in ("ns", "we"))
    hub = draft.add(hub_type, Rect(0, 0, wide, deep))
    rooms = strip(draft, stretched(rows["n"], wide), 0, -m.north, 0)
    rooms += strip(draft, stretched(rows["s"], wide), 0, deep, deep + m.south)
    rooms += _column(draft, stretched(rows["w"], deep), -m.north, m.north)
    rooms += _column(draft, stretched(rows["e"], deep), wide, m.south)
    for room in rooms:
        name = draft.types[room]
        draft.link(hub, room, "stairs" if name == "stairs" else "wide" if name in _WELCOMING else "door")


_WELCOMING = ("kitchen", "dining room", "living room", "reception", "break room")
"""Rooms that open wide to a hall."""
_OPEN = frozenset((*_WELCOMING, "study"))
"""Rooms that may open wide to each other."""


def _column(draft: Draft, row: list[tuple[str, int]], x: int, deep: int) -> list[int]:
    """Rooms one below the other, from 0 southwards, between x and x + deep."""
    wing = Draft()
    rooms = strip(wing, row, 0, 0, deep)
    first = draft.annex(wing, 3, x + deep, 0)
    return [first + room for room in rooms]


def _enfilade(storey: Storey, draft: Draft) -> None:
    """A row of rooms, each entered through the one before it, and a second row that opens off the first."""
    m, stream = storey.measures, storey.stream
    rest = grouped(storey.names[1:], stream)
    large = [name for name in rest if ROOM_TYPES[name].width[1] > 3000]
    front = [storey.names[0], *large[: max(1, (len(rest) + 1) // 2)]]
    back = list(rest)
    for name in front[1:]:
        back.remove(name)
    rows = [[(name, drawn_width(name, stream)) for name in row] for row in (front, back)]
    long = max(total(row) for row in rows)
    first, second = (
        strip(draft, stretched(row, long), 0, *depths)
        for row, depths in zip(rows, ((0, m.north), (m.north, m.north + m.south)), strict=True)
    )
    for a, b in pairwise(first):
        draft.link(a, b, "wide" if {draft.types[a], draft.types[b]} <= _OPEN and stream.chance(70) else "door")
    for room in second:
        draft.link(max(first, key=lambda a: _shared_length(draft.rects[a], draft.rects[room])), room)
    for a, b in pairwise(second):
        if "bathroom" not in (draft.types[a], draft.types[b]) and stream.chance(40):
            draft.link(a, b)


def _shared_length(a: Rect, b: Rect) -> int:
    """How much of a wall along x two cells share."""
    return min(a.x1, b.x1) - max(a.x0, b.x0)


def _studio(storey: Storey, draft: Draft) -> None:
    """One space with zones for living, cooking and sleeping, and a bathroom."""
    stream, names = storey.stream, storey.names
    wide, deep = stream.between(4600, 5600) // 20 * 20, stream.between(4600, 5200) // 20 * 20
    side, bath = stream.between(3200, 3800) // 20 * 20, stream.between(2200, 2400) // 20 * 20
    living = draft.add(names[0], Rect(0, 0, wide, deep))
    if "bathroom" in names:
        draft.link(living, draft.add("bathroom", Rect(wide, deep - bath, wide + side, deep)))
    if "kitchen" in names:
        draft.link(living, draft.add("kitchen", Rect(wide, 0, wide + side, deep - bath)), "zone")
    for name in names[1:]:
        if name not in ("bathroom", "kitchen"):
            zone = draft.add(name, Rect(0, -stream.between(3500, 4000) // 20 * 20, wide, 0))
            draft.link(living, zone, "zone")


GRAMMARS: dict[str, tuple[tuple[str, ...], int, int, bool, Grammar]] = {
    "corridor": (("home", "office"), 1, 50, True, _corridor),
    "open plan": (("home",), 3, 16, True, _open_plan),
    "studio": (("home",), 2, 4, False, _studio),
    "enfilade": (("home",), 3, 10, False, _enfilade),
    "hall": (("home",), 4, 9, True, _hall),
    "centre": (("home",), 3, 8, False, _centre),
    "bent": (("home", "office"), 6, 26, True, _bent),
    "court": (("home", "office"), 11, 40, True, _court),
    "double": (("office",), 9, 50, False, _double),
    "ring": (("office",), 8, 24, False, _ring),
    "cubicles": (("office",), 5, 16, False, _cubicles),
}
"""Of each: kinds of buildings, least rooms (of the ground floor) and most rooms, whether it can have a stair."""
