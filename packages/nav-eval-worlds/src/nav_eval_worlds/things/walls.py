"""What is fastened to a room's walls, windows and ceiling: first what every room has, then what hangs where."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import TURN_OF, Window, wall_line
from nav_eval_worlds.rooms.space import Space
from nav_eval_worlds.shell.structure import openings, point
from nav_eval_worlds.shell.windows import curtain_places
from nav_eval_worlds.things.carriers import Carriers, Wish
from nav_eval_worlds.things.fixtures import blind_for
from nav_eval_worlds.things.sketch import Shape

_SWITCH, _SOCKET, _RADIATOR = 1050, 250, 110
"""Heights of their lower edges, mm."""
Hang = tuple[str, int, int, int]
"""A thing's name, its chance in percent, and between which heights (cm) its middle hangs."""

_HANG: dict[str, tuple[Hang, ...]] = {
    "living room": (
        ("wall_shelf", 75, 155, 170), ("wall_clock", 60, 170, 190), ("wall_mirror", 30, 145, 160),
        ("wall_hanging", 40, 150, 165), ("thermostat", 60, 140, 145), ("poster", 25, 150, 160),
        ("wall_shelf", 35, 155, 170),
    ),
    "bedroom": (
        ("wall_mirror", 60, 140, 155), ("wall_shelf", 60, 155, 165), ("poster", 50, 150, 165),
        ("wall_hanging", 35, 150, 165), ("wall_clock", 25, 175, 190), ("calendar", 20, 150, 160),
    ),
    "kitchen": (
        ("wall_clock", 65, 180, 195), ("calendar", 60, 150, 160), ("wall_shelf", 55, 160, 170),
        ("hung_towel", 60, 110, 120), ("pin_board", 25, 150, 160), ("poster", 30, 150, 160), ("vent", 60, 220, 225),
    ),
    "dining room": (
        ("wall_mirror", 45, 145, 160), ("wall_clock", 45, 175, 190), ("wall_hanging", 50, 150, 165),
        ("wall_shelf", 40, 155, 170), ("poster", 25, 150, 160),
    ),
    "bathroom": (
        ("hung_towel", 90, 125, 140), ("hung_towel", 65, 125, 140), ("wall_shelf", 55, 150, 160),
            ("vent", 85, 220, 230),
        ("wall_mirror", 30, 150, 160), ("poster", 20, 155, 165),
    ),
    "study": (
        ("pin_board", 65, 150, 160), ("wall_shelf", 60, 155, 170), ("wall_clock", 45, 175, 190),
        ("calendar", 55, 150, 160), ("poster", 45, 150, 165), ("wall_shelf", 30, 155, 170),
    ),
    "laundry room": (
        ("wall_shelf", 70, 155, 165), ("vent", 70, 220, 230), ("hung_towel", 50, 125, 140), ("calendar", 30, 150, 160),
        ("wall_clock", 30, 180, 190),
    ),
    "storage room": (
        ("wall_shelf", 60, 155, 170), ("vent", 45, 220, 230), ("coat_hooks", 40, 130, 135),
        ("first_aid_kit", 35, 150, 160), ("fire_extinguisher", 30, 95, 105),
    ),
    "hallway": (
        ("coat_hooks", 80, 130, 135), ("wall_mirror", 70, 145, 155), ("key_rack", 65, 150, 155),
        ("intercom", 60, 145, 150), ("thermostat", 55, 140, 145), ("wall_clock", 35, 180, 190),
        ("poster", 35, 150, 160), ("wall_hanging", 35, 150, 165), ("wall_shelf", 30, 155, 165),
            ("calendar", 20, 150, 160),
        ("coat_hooks", 35, 130, 135), ("poster", 35, 150, 160),
    ),
    "office": (
        ("wall_clock", 70, 185, 200), ("calendar", 60, 150, 160), ("pin_board", 60, 150, 160), ("poster", 40, 150, 160),
        ("vent", 50, 225, 230), ("wall_shelf", 50, 155, 165), ("coat_hooks", 30, 130, 135),
    ),
    "meeting room": (("wall_clock", 80, 190, 200), ("poster", 50, 150, 160), ("vent", 60, 225, 230),
        ("thermostat", 60, 140, 145)),
    "break room": (
        ("wall_clock", 80, 190, 200), ("pin_board", 75, 150, 160), ("first_aid_kit", 60, 150, 160),
        ("calendar", 50, 150, 160), ("poster", 50, 150, 160), ("hung_towel", 50, 110, 120), ("vent", 60, 225, 230),
    ),
    "reception": (("wall_clock", 90, 190, 200), ("poster", 60, 150, 160), ("fire_extinguisher", 60, 95, 105),
        ("intercom", 60, 145, 150)),
    "copy room": (("pin_board", 75, 150, 160), ("wall_clock", 50, 190, 200), ("first_aid_kit", 50, 150, 160),
        ("calendar", 40, 150, 160), ("vent", 60, 225, 230)),
    "stairs": (("gallery", 80, 80, 120), ("wall_hanging", 70, 60, 110), ("poster", 70, 60, 120),
        ("wall_mirror", 30, 90, 130)),
    "office stairs": (("gallery", 80, 80, 120), ("poster", 80, 60, 120), ("poster", 50, 60, 120)),
    "office bathroom": (("hung_towel", 60, 125, 140), ("wall_mirror", 60, 150, 160), ("vent", 90, 220, 230),
        ("poster", 20, 155, 165)),
}  # fmt: skip
_HANG["open office"] = (
    *_HANG["office"],
    ("fire_extinguisher", 80, 95, 105),
    ("poster", 60, 150, 160),
    ("calendar", 50, 150, 160),
)
_HANG["office hallway"] = (
    ("fire_extinguisher", 90, 95, 105), ("poster", 70, 150, 160), ("pin_board", 50, 150, 160),
        ("wall_clock", 60, 190, 200),
    ("poster", 50, 150, 160), ("first_aid_kit", 30, 150, 160), ("thermostat", 50, 140, 145), ("vent", 50, 225, 230),
)  # fmt: skip
_FILL: dict[str, tuple[str, ...]] = {
    "bathroom": ("bathrobe", "wall_shelf", "hung_towel", "wall_mirror", "gallery", "bathrobe", "poster"),
    "kitchen": ("wall_shelf", "gallery", "poster", "pin_board", "wall_hanging", "wall_shelf"),
    "laundry room": ("wall_shelf", "bathrobe", "poster", "wall_shelf"),
    "storage room": ("wall_shelf", "coat_hooks", "wall_shelf"),
    "hallway": ("gallery", "wall_mirror", "gallery", "wall_hanging", "poster", "coat_hooks"),
    "office": ("pin_board", "poster", "wall_shelf", "gallery", "calendar"),
    "office hallway": ("gallery", "poster", "pin_board", "gallery"),
    "office bathroom": ("wall_mirror", "poster", "hung_towel"),
}
"""What is hung where a wall would else be bare."""
_FILL_ELSE = ("gallery", "wall_hanging", "wall_shelf", "poster", "gallery", "wall_mirror")
_BARE, _LEVEL = 1500, (1200, 1850)
"""Millimetres of bare wall that ask for something, and between which heights it is looked for."""
_SHELVED: tuple[Wish, ...] = (
    ("standing_books", 85, "any"), ("photo_frame", 75, "any"), ("cactus", 60, "any"), ("candle", 60, "any"),
    ("figurine", 60, "any"), ("standing_books", 45, "any"), ("book", 45, "any"),
)  # fmt: skip
_SHELVED_IN: dict[str, tuple[Wish, ...]] = {
    "kitchen": (("jar", 90, "any"), ("jar", 80, "any"), ("jar", 60, "any"), ("mug", 80, "any"),
        ("mug", 60, "any"), ("bottle", 40, "any"), ("teapot", 40, "any")),
    "bathroom": (("toiletry", 90, "any"), ("toiletry", 80, "any"), ("folded_towel", 70, "any"),
        ("candle", 40, "any"), ("toiletry", 50, "any")),
    "laundry room": (("detergent", 90, "any"), ("detergent", 80, "any"), ("folded_towel", 60, "any"),
        ("jar", 40, "any"), ("iron", 40, "any")),
    "storage room": (("paint_can", 60, "any"), ("jar", 80, "any"), ("toolbox", 40, "any"), ("jar", 60, "any"),
        ("detergent", 50, "any")),
    "office": (("folder", 90, "any"), ("folder", 70, "any"), ("cactus", 50, "any"), ("standing_books", 50, "any")),
}  # fmt: skip
_DAMP = frozenset(("bathroom", "kitchen", "laundry room"))
_SILL = ("cactus", "candle", "photo_frame", "figurine", "standing_books", "jar", "mug", "toy", "book", "radio",
         "bottle", "alarm_clock", "tissue_box", "drinking_glass")  # fmt: skip
_SILL_IN: dict[str, tuple[str, ...]] = {
    "bathroom": ("toiletry", "candle", "toothbrush_cup", "soap_dispenser", "tissue_box", "cactus"),
    "kitchen": ("jar", "bottle", "mug", "cactus", "soap_dispenser", "utensils", "food_box", "drinking_glass"),
    "laundry room": ("detergent", "jar", "soap_dispenser"),
    "office bathroom": ("soap_dispenser", "tissue_box", "cactus"),
}
_SILL_AT_WORK = ("cactus", "standing_books", "mug", "book", "bottle", "paper_stack", "speaker", "photo_frame",
                 "drinking_glass", "cactus")  # fmt: skip


def dress_walls(carriers: Carriers, stream: Stream) -> None:
    """Switches, sockets, radiators, blinds, detectors; then mirrors, clocks, shelves and the like."""
    space, kind, stairs = carriers.space, carriers.space.use, carriers.space.room.type == "stairs"
    if not stairs:
        _switches(carriers, stream)
        _radiators(carriers, stream)
        _windows(carriers, stream.child("windows"))
        _overhead(carriers, stream)
        _sockets(carriers, stream)
    if space.room.type == "bathroom":
        _toilet_paper(carriers, stream)
    worn = any(item.category == "clothes" for item in space.items)
    for thing, chance, low, high in _HANG.get(kind, ()) if not stairs or space.room.storey else ():
        if stream.chance(chance) and not (worn and thing == "coat_hooks"):
            _hang(carriers, thing, low, high, stream)
    if not stairs or space.room.storey:
        _fill(carriers, stream.child("fill"))


def _fill(carriers: Carriers, stream: Stream) -> None:
    """Hangs something on each stretch of wall that is bare still."""
    space, kind = carriers.space, carriers.space.use
    names = _FILL.get(kind, _FILL["office"] if space.plan.kind == "office" else _FILL_ELSE)
    close = space.room.type in _DAMP or kind in ("hallway", "office hallway")
    wanted = _BARE * 2 // 3 if close else _BARE
    for side in TURN_OF:
        for low, high in _bare_stretches(carriers, side):
            count = (high - low + wanted // 2) // wanted
            for k in range(count):
                middle = low + (high - low) * (2 * k + 1) // (2 * count)
                if stream.chance(88):
                    _fill_at(carriers, side, middle, (high - low) // count - 120, stream.shuffled(names), stream)


def _fill_at(carriers: Carriers, side: str, middle: int, room: int, names: list[str], stream: Stream) -> None:
    """The first of some things that is narrow enough, at the height of the eyes."""
    for name in names:
        made = carriers.stock.take(name, stream)
        w, tall = (round(made.size[k] * 1000) for k in (0, 1))
        if w <= room:
            index = len(carriers.space.items)
            centre = 1250 if name in ("bathrobe", "coat_hooks", "hung_towel") else 1520
            bottom = min(centre + stream.below(80), carriers.space.room.ceiling - tall // 2 - 60) - tall // 2
            if any(_nail_first(carriers, made, side, [middle], bottom + up) for up in (0, 150, 300)):
                if name == "wall_shelf":
                    carriers.wish(index, _shelf_wishes(carriers.space), (1000, 2200))
                return


def _bare_stretches(carriers: Carriers, side: str) -> list[tuple[int, int]]:
    """Where a wall of the room is bare at the height of the eyes: (from, to) along it, mm."""
    _, low, high = wall_line(carriers.space.rect, side)  # type: ignore[arg-type]
    out: list[tuple[int, int]] = []
    for at in range(low + 60, high - 160, 100):
        if carriers.space.bare(side, at, at + 100, *_LEVEL):
            if out and out[-1][1] == at:
                out[-1] = (out[-1][0], at + 100)
            else:
                out.append((at, at + 100))
    return out


def _hang(carriers: Carriers, name: str, low: int, high: int, stream: Stream) -> None:
    made = carriers.stock.take(name, stream)
    tall = round(made.size[1] * 1000)
    bottom = min(stream.between(low, high) * 10 - tall // 2, carriers.space.room.ceiling - tall - 40)
    index = len(carriers.space.items)
    if carriers.space.hang(made, max(bottom, 60)) and name == "wall_shelf":
        carriers.wish(index, _shelf_wishes(carriers.space), (1000, 2200))


def _shelf_wishes(space: Space) -> tuple[Wish, ...]:
    """What stands on a room's shelves."""
    return _SHELVED_IN.get(space.room.type, _SHELVED_IN["office"] if space.plan.kind == "office" else _SHELVED)


def _switches(carriers: Carriers, stream: Stream) -> None:
    """One beside each way in, at the height of a hand."""
    space = carriers.space
    for side in TURN_OF:
        for low, high, bottom, _ in openings(space.plan, space.room, side):  # type: ignore[arg-type]
            if bottom == 0:
                made = carriers.stock.take("light_switch", stream)
                off = 125 + round(made.size[0] * 500)
                _nail_first(carriers, made, side, stream.shuffled((low - off, high + off)), _SWITCH)


def _sockets(carriers: Carriers, stream: Stream) -> None:
    space = carriers.space
    made = carriers.stock.take("socket", stream)
    for _ in range(2 + (space.rect.width + space.rect.depth) // 4000):
        side = stream.choice("nesw")
        _, low, high = wall_line(space.rect, side)  # type: ignore[arg-type]
        places = [low + 300 + stream.below(max(1, high - low - 600)) for _ in range(3)]
        _nail_first(carriers, made, side, places, _SOCKET)


def _nail_first(carriers: Carriers, made: Made, side: str, places: list[int], bottom: int) -> bool:
    """Fastens a thing at the first of some places along a wall that is bare."""
    space, half, top = carriers.space, round(made.size[0] * 500) + 8, bottom + round(made.size[1] * 1000)
    _, low, high = wall_line(space.rect, side)  # type: ignore[arg-type]
    deep = round(made.size[2] * 1000) + 30
    off = deep if deep > 80 else 20
    for along in places:
        inside = low + off <= along - half and along + half <= high - off
        free = inside and space.bare(side, along - half, along + half, bottom, top, deep)
        if free and space.leaves_way(made, side, along, bottom):
            space.nail(made, side, along, bottom)
            return True
    return False


def _radiators(carriers: Carriers, stream: Stream) -> None:
    """Under windows that are high enough, else at an outer wall beside them; none where it would narrow the way."""
    space = carriers.space
    made = carriers.stock.take("radiator", stream)
    half, deep = round(made.size[0] * 500) + 10, round(made.size[2] * 1000) + 20
    for window in [w for w in space.plan.windows if w.room == space.room.id][:2]:
        _, low, high = wall_line(space.rect, window.side)
        middle = (window.low + window.high) // 2
        for along in (middle, window.low - half - 60, window.high + half + 60):
            if along - half < low + 20 or along + half > high - 20:
                continue
            zone = space.strip(window.side, along - half, along + half, deep)
            top = _RADIATOR + round(made.size[1] * 1000) + 30
            if space.bare(window.side, along - half, along + half, _RADIATOR, top, deep + 10) and space.passable(zone):
                space.nail(made, window.side, along, _RADIATOR)
                break


def _windows(carriers: Carriers, stream: Stream) -> None:
    """Blinds where no curtain hangs, and a few things on the sill."""
    space = carriers.space
    for window in space.plan.windows:
        if window.room == space.room.id:
            bare = not curtain_places(space.room, window) and window.casing not in ("french", "frosted")
            if bare and stream.chance(75):
                _blind(carriers, window, stream)
            others = _SILL_AT_WORK if space.plan.kind == "office" else _SILL
            names = stream.shuffled(_SILL_IN.get(space.use, others))
            for share, name in zip((1, 2, 3), names, strict=False):
                if window.sill > 200 and stream.chance(45) and carriers.stock.spend(name):
                    _on_sill(carriers, window, share, carriers.stock.take(name, stream))


def _blind(carriers: Carriers, window: Window, stream: Stream) -> None:
    height = window.top - window.sill
    number, look = carriers.stock.variant("blind")
    drop = height * stream.between(22, 45) // 100
    made = blind_for(Shape(number), look, (window.high - window.low - 20) / 1000, drop / 1000, f"blind-{number}")
    _in_reveal(carriers, made, window, (window.low + window.high) // 2, window.top - drop - 4, 60)


def _on_sill(carriers: Carriers, window: Window, share: int, made: Made) -> None:
    if made.size[2] < 0.17 and made.size[1] < 0.32 and made.size[0] < (window.high - window.low) / 4200:
        along = window.low + (window.high - window.low) * share // 4
        _in_reveal(carriers, made, window, along, window.sill, 30)


def _in_reveal(carriers: Carriers, made: Made, window: Window, along: int, bottom: int, out: int) -> None:
    """Puts a thing into a window's opening, `out` mm behind the face of the wall."""
    room = carriers.space.room
    x, _, z = point(window.side, room.clear, along, 0, out)
    at = (round(x * 1000), room.base + bottom, round(z * 1000))
    carriers.space.add(made, at, TURN_OF[window.side], "wall")


def _overhead(carriers: Carriers, stream: Stream) -> None:
    """A smoke detector; in offices vents and sprinklers too."""
    space, r = carriers.space, carriers.space.rect
    office = space.plan.kind == "office"
    names = ["smoke_detector"] if space.room.type not in _DAMP else []
    names += ["ceiling_vent", "sprinkler"] if office else []
    for k, name in enumerate(names):
        share = (5 * k + 6, 16)
        x, z = r.x0 + r.width * share[0] // share[1], r.z0 + r.depth * (share[0] + 1) // share[1]
        if stream.chance(90) and min(r.width, r.depth) > 1200 and not _lit(space.items, x, z):
            space.ceiling(carriers.stock.take(name, stream), x, z)


def _lit(items: list[Item], x: int, z: int) -> bool:
    """Whether a lamp hangs nearby."""
    return any(i.support == "ceiling" and abs(i.at[0] - x) < 800 and abs(i.at[2] - z) < 500 for i in items)


def _toilet_paper(carriers: Carriers, stream: Stream) -> None:
    """On the wall beside each toilet."""
    sides = {turn: side for side, turn in TURN_OF.items()}
    for item in [item for item in carriers.space.items if item.category == "toilet"]:
        made = carriers.stock.take("toilet_paper", stream)
        along = item.at[0] if item.turn % 2 == 0 else item.at[2]
        places = [along + sign * off for off in (330, 400, 480) for sign in (1, -1)]
        _nail_first(carriers, made, sides[item.turn % 4], places, 600)
