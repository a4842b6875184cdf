"""Which windows a room gets: how they are divided, how large they are, where they stand, how curtains are drawn.

A building has one way of dividing its windows; bathrooms have frosted glass, some rooms a door to a garden or balcony.
"""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.floor_plan import KNEE, LINTEL, Casing, Room, Side, Window

HOME_CASINGS: dict[str, tuple[Casing, ...]] = {
    "scandinavian": ("casement", "fixed", "tilt"), "mid-century": ("fixed", "tilt"),
    "industrial": ("lattice", "fixed"), "classic": ("sash", "lattice", "casement"), "rustic": ("lattice", "casement"),
    "muji": ("casement", "fixed", "tilt"), "coastal": ("sash", "sash", "casement"),
    "eclectic": ("casement", "sash", "lattice", "tilt"), "contemporary": ("fixed", "casement"),
}  # fmt: skip
OFFICE_CASINGS: tuple[Casing, ...] = ("ribbon", "ribbon", "fixed", "tilt")
_WET = ("bathroom", "laundry room", "storage room", "stairs")
_LIVED_IN = ("living room", "bedroom", "dining room", "study")
_FRENCH = {"living room": 28, "dining room": 20, "bedroom": 10}
"""Per cent of the walls of a home's room that have a French window instead."""
_APART = 680
"""Between two windows of a wall at least, for the curtains of both, mm."""
_WIDTHS: dict[Casing, tuple[int, int]] = {
    "casement": (1000, 1900), "lattice": (900, 1500), "sash": (850, 1250), "tilt": (1100, 2100),
    "fixed": (1500, 2600), "ribbon": (2600, 4800), "french": (1400, 1900), "frosted": (550, 800),
}  # fmt: skip
_SILLS: dict[Casing, tuple[int, ...]] = {
    "casement": (500, 850, 900), "lattice": (700, 900), "sash": (500, 700, 850), "tilt": (600, 850, 900),
    "fixed": (320, 500, 850), "ribbon": (850, 950), "french": (0,), "frosted": (1350,),
}  # fmt: skip


def windows_of(
    first_id: int, room: Room, side: Side, stretches: list[tuple[int, int]], casing: Casing, stream: Stream
) -> list[Window]:
    """Of one side of a room, whose outer wall is open along `stretches`."""
    if room.type in ("stairs", "storage room") and stream.chance(60):
        return []
    out: list[Window] = []
    for low, high in stretches:
        low, high = room.upright(side, low, high)
        out += _row(first_id + len(out), room, side, low + 350, high - 350, casing, stream)
    return out


def _row(first_id: int, room: Room, side: Side, low: int, high: int, casing: Casing, stream: Stream) -> list[Window]:
    span = high - low
    if span < 600:
        return []
    casing = _casing(room, side, span, casing, stream)
    width = min(stream.between(*_WIDTHS["frosted" if room.type in _WET else casing]), span)
    sill, top = _heights(room, side, casing, stream)
    count = _count(room, casing, span, width)
    step = span // count
    width = min(width, step - 240) if count > 1 else width
    starts = [low + step * k + (step - width) // 2 for k in range(count)]
    long, drawn = stream.chance(40), _draw_curtains(room, stream)
    net = room.type in _LIVED_IN and casing != "french" and side != room.eaves and stream.chance(14)
    return [
        Window(first_id + k, room.id, side, start, start + width, sill, top, casing, drawn, long, net)
        for k, start in enumerate(starts)
    ]


def _casing(room: Room, side: Side, span: int, casing: Casing, stream: Stream) -> Casing:
    if room.type in _WET:
        return "frosted" if room.type == "bathroom" and stream.chance(80) else "casement"
    if side != room.eaves and span >= 1500 and stream.chance(_FRENCH.get(room.type, 0)):
        return "french"
    return "casement" if room.type == "kitchen" and casing in ("fixed", "ribbon") else casing


def _heights(room: Room, side: Side, casing: Casing, stream: Stream) -> tuple[int, int]:
    """Sill and top above the floor, mm."""
    if side == room.eaves:
        return 400, KNEE - 150
    if room.type in _WET:
        return 1350, 2100
    top = min(2250, room.ceiling - LINTEL) + max(room.ceiling - 2600, 0) * 2 // 3
    return 1100 if room.type == "kitchen" else stream.choice(_SILLS[casing]), top


def _count(room: Room, casing: Casing, span: int, width: int) -> int:
    if room.type in (*_WET, "kitchen") or casing == "french":
        return 1
    if room.type == "hallway" and span > 3000:
        return min(4, span // 3000)
    most = {"sash": 3, "ribbon": 4}.get(casing, 2)
    return max(1, min(most, span // (width + _APART)))


def _draw_curtains(room: Room, stream: Stream) -> tuple[int, int]:
    """Mostly open; now and then one side or both half drawn."""
    if room.type not in _LIVED_IN or not stream.chance(38):
        return 0, 0
    one, other = stream.between(20, 95), stream.between(0, 60)
    return stream.choice(((one, 0), (0, one), (one * 2 // 3, one * 2 // 3), (one, other)))
