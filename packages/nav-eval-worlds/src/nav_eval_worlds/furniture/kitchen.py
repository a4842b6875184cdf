"""Kitchen lines, islands, refrigerators and what a break room has."""

from __future__ import annotations

from dataclasses import dataclass

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Family, Made, four_corners, fronts
from nav_eval_worlds.furniture.small import bowl
from nav_eval_worlds.surfaces.parametric import Model
from nav_eval_worlds.surfaces.prints import field_of
from nav_eval_worlds.surfaces.styles import Style

_D, _TOP = 0.6, 0.9
_RIM = 0.03
"""How far a sink's rim stands above the worktop: its bottom lies on it."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """How one home's kitchen looks: fronts below and above, grips, splashback and hood."""

    face: str
    upper: str
    handle: str
    grips: str
    back: str
    hood: str
    ceiling: float
    name: str


def fitted(stream: Stream, style: Style, ceiling: float) -> Fitted:
    """Fronts with frames, flat ones or slabs; hung units or open shelves. `ceiling` in metres."""
    names = ("framed_kitchen", "flat_kitchen", "slab_kitchen")
    liked = [name for name in names if name in style.likes] or list(names)
    name = stream.choice(liked)
    face = stream.choice(("front", "front", "white", "wood"))
    grips = {"framed_kitchen": "frame", "flat_kitchen": stream.choice(("bar", "knob")), "slab_kitchen": "slot"}[name]
    return Fitted(
        face,
        stream.choice((face, face, "white", "shelf")),
        stream.choice(("metal", "metal2", "dark")),
        grips,
        stream.choice(("wall_tile", "wall_tile2", "wall_tile", "counter")),
        stream.choice(("chimney", "box", "flat")),
        ceiling - 0.01,
        name,
    )


def kitchen_line(
    stream: Stream, look: Fitted, w: float, low: bool = False, cooks: bool = True, sinks: bool = True
) -> Made:
    """Base units with worktop, hob, oven and sink; unless `low` (for below windows) also tiles, wall units, hood."""
    m = Model()
    m.box((-w / 2, 0, -_D / 2), (w / 2, 0.1, _D / 2 - 0.06), "dark", skip="udb")
    m.box((-w / 2, 0.1, -_D / 2), (w / 2, _TOP - 0.04, _D / 2 - 0.03), look.face, skip="ub")
    m.box((-w / 2, _TOP - 0.04, -_D / 2), (w / 2, _TOP, _D / 2), "counter")
    cook = -w / 2 + 0.35 + (w - 0.7) * stream.choice((25, 30, 70 if w > 3 else 30)) / 100 if cooks else -w / 2 - 0.3
    spans = ((-w / 2, cook - 0.3), (cook + 0.3, w / 2)) if cooks else ((-w / 2, w / 2),)
    for x0, x1 in spans:
        _units(m, look, x0, x1, stream)
    if cooks:
        _stove(m, cook)
    if not low:
        _wall_units(m, look, w, cook if cooks else None, stream)
    on: list[tuple[Made, float, float, float]] = []
    wide = max(spans, key=lambda span: span[1] - span[0])
    if sinks and wide[1] - wide[0] > 0.6:
        sink = (wide[0] + wide[1]) / 2
        on.append((_basin(stream), sink, _TOP, 0.0))
        if wide[1] - sink > 0.7:
            on.append((bowl(stream), wide[1] - 0.2, _TOP, 0.0))
    high = 1.08 if low and cooks else 0.9 if low else look.ceiling
    return Made("counter", m, (w, high, _D + 0.05), tuple(on), design=look.name)


def _units(m: Model, look: Fitted, x0: float, x1: float, stream: Stream) -> None:
    """Base units between two places: doors, here and there a stack of drawers."""
    count = max(1, int((x1 - x0) / 0.42))
    step = (x1 - x0) / count
    for k in range(count):
        rows = 3 if stream.chance(30) else 1
        a, b = (x0 + k * step, 0.11), (x0 + (k + 1) * step, _TOP - 0.05)
        fronts(m, a, b, _D / 2 - 0.03, rows, 1, look.face, look.handle, look.grips)


def _stove(m: Model, cook: float) -> None:
    m.box((cook - 0.29, 0.14, _D / 2 - 0.03), (cook + 0.29, _TOP - 0.06, _D / 2 - 0.005), "dark", skip="b")
    m.box((cook - 0.24, 0.3, _D / 2 - 0.006), (cook + 0.24, 0.62, _D / 2 - 0.002), "screen", skip="b")
    m.tube([(cook - 0.22, 0.7, _D / 2 + 0.01), (cook + 0.22, 0.7, _D / 2 + 0.01)], 0.012, "metal", 5)
    for k in range(4):
        x = cook - 0.18 + k * 0.12
        m.box((x - 0.016, 0.76, _D / 2 - 0.005), (x + 0.016, 0.792, _D / 2 + 0.012), "metal", skip="b")
    m.box((cook - 0.28, _TOP, -0.24), (cook + 0.28, _TOP + 0.012, 0.24), "lacquer", skip="d")
    for x, z in four_corners(0.13, 0.11):
        m.lathe([(0.08, _TOP + 0.012), (0.08, _TOP + 0.014), (0.0, _TOP + 0.014)], "dark", (cook + x, z))
    lid = ((0.11, 0.0), (0.114, 0.01), (0.114, 0.125), (0.118, 0.13), (0.112, 0.136), (0.06, 0.152), (0.016, 0.158))
    knob = ((0.012, 0.172), (0.022, 0.182), (0.018, 0.19), (0.0, 0.192))
    pan = [(r, _TOP + 0.015 + y) for r, y in (*lid, *knob)]
    m.lathe(pan, "metal", (cook - 0.13, -0.11), 16)


def _wall_units(m: Model, look: Fitted, w: float, cook: float | None, stream: Stream) -> None:
    z = -_D / 2
    m.card(-w / 2, _TOP, w / 2, 1.42, z + 0.005, look.back)
    spans = ((-w / 2, cook - 0.32), (cook + 0.32, w / 2)) if cook is not None else ((-w / 2, w / 2),)
    for k, (x0, x1) in enumerate(spans):
        if x1 - x0 < 0.3:
            continue
        if look.upper == "shelf" or (k == 1 and stream.chance(30)):
            _open_shelves(m, x0, x1, z, stream)
        else:
            m.box((x0, 1.42, z), (x1, 2.12, z + 0.32), look.upper, skip="b")
            count = max(1, int((x1 - x0) / 0.4))
            fronts(m, (x0, 1.43), (x1, 2.11), z + 0.32, 1, count, look.upper, look.handle, look.grips)
    if cook is not None:
        _hood(m, look.hood, cook, z, look.ceiling)


_JARS = (
    ((0.7, 0.0), (0.86, 0.15), (1.0, 0.5), (0.94, 0.75), (0.8, 0.92), (0.8, 1.0), (0.72, 0.98), (0.0, 0.9)),
    ((0.9, 0.0), (1.0, 0.04), (1.0, 0.8), (0.9, 0.86), (0.94, 0.88), (0.94, 0.98), (0.3, 1.0), (0.0, 1.0)),
    ((0.5, 0.0), (0.5, 0.06), (0.9, 0.4), (1.0, 0.9), (1.02, 1.0), (0.95, 0.98), (0.85, 0.5), (0.0, 0.2)),
    ((0.6, 0.0), (0.95, 0.2), (1.0, 0.4), (0.8, 0.62), (0.36, 0.76), (0.32, 0.9), (0.42, 1.0), (0.3, 0.96)),
)
"""Profiles of jars, bowls and bottles: shares of the radius and of the height."""


def _open_shelves(m: Model, x0: float, x1: float, z: float, stream: Stream) -> None:
    """Two boards with jars, bowls and plates."""
    for y in (1.45, 1.83):
        m.box((x0 + 0.02, y, z), (x1 - 0.02, y + 0.035, z + 0.25), "wood", skip="b")
        x = x0 + 0.12
        while x < x1 - 0.1:
            r, h = stream.between(4, 7) / 100, stream.between(8, 20) / 100
            rings = stream.choice(_JARS)
            profile = [(r * wide, y + 0.035 + h * up) for wide, up in rings]
            m.lathe(profile, stream.choice(("ceramic", "glass", "pot", "ceramic", "fabric2")), (x, z + 0.13), 7)
            x += 2 * r + stream.between(3, 14) / 100


def _hood(m: Model, kind: str, x: float, z: float, top: float) -> None:
    if kind == "flat":
        m.box((x - 0.3, 1.5, z), (x + 0.3, 1.56, z + 0.45), "metal", skip="b")
        m.box((x - 0.3, 1.56, z), (x + 0.3, 2.12, z + 0.32), "metal", skip="b")
        return
    if kind == "box":
        m.box((x - 0.3, 1.5, z), (x + 0.3, top, z + 0.4), "white", skip="b")
        m.box((x - 0.31, 1.5, z), (x + 0.31, 1.58, z + 0.41), "wood", skip="b")
        return
    low, high = 1.55, 1.75
    a, b, c, e = (x - 0.3, low), (x + 0.3, low), (x + 0.13, high), (x - 0.13, high)
    m.quad([(*a, z + 0.45), (*b, z + 0.45), (*c, z + 0.25), (*e, z + 0.25)], "metal")
    m.quad([(*a, z), (*a, z + 0.45), (*e, z + 0.25), (*e, z)], "metal")
    m.quad([(*b, z + 0.45), (*b, z), (*c, z), (*c, z + 0.25)], "metal")
    m.flat(x - 0.3, z + 0.45, x + 0.3, z, low, "dark")
    m.box((x - 0.13, high, z), (x + 0.13, top, z + 0.25), "metal", skip="db")


def island(stream: Stream, look: Fitted, w: float) -> Made:
    """A block with units on the cook's side (-z) and an overhang for stools in front."""
    d, face = 0.95, stream.choice((look.face, "wood", "front"))
    m = Model()
    m.box((-w / 2 + 0.05, 0, -d / 2 + 0.08), (w / 2 - 0.05, 0.1, d / 2 - 0.34), "dark", skip="ud")
    m.box((-w / 2 + 0.02, 0.1, -d / 2 + 0.04), (w / 2 - 0.02, _TOP - 0.04, d / 2 - 0.3), face, skip="ud")
    part = Model()
    low, high, columns = (-w / 2 + 0.03, 0.12), (w / 2 - 0.03, _TOP - 0.05), max(2, int(w / 0.5))
    fronts(part, low, high, d / 2 - 0.04, 2, columns, face, look.handle, look.grips)
    m.add(part, turn=2)
    for x in (-w / 2 + 0.022, w / 2 - 0.062):
        m.box((x, 0, d / 2 - 0.298), (x + 0.04, _TOP - 0.04, d / 2 - 0.02), face, skip="du")
    m.box((-w / 2, _TOP - 0.04, -d / 2), (w / 2, _TOP, d / 2), "counter")
    on = [(bowl(stream), w / 4, _TOP, 0.1)]
    if stream.chance(40) and w > 1.5:
        on.append((_basin(stream), -w / 4, _TOP, -0.15))
    return Made("counter", m, (w, _TOP, d), tuple(on), design="island")


def _basin(stream: Stream) -> Made:
    m = Model()
    rim, inside = stream.choice((("metal", "metal"), ("ceramic", "basin"), ("dark", "lacquer")))
    bottom = inside if inside != "metal" else "basin"
    for low, high in (((-0.27, -0.2), (0.27, -0.13)), ((-0.27, 0.17), (0.27, 0.2)), ((-0.27, -0.13), (-0.24, 0.17)),
                      ((0.24, -0.13), (0.27, 0.17))):  # fmt: skip
        m.box((low[0], 0.0, low[1]), (high[0], _RIM, high[1]), rim, skip="d")
    m.flat(-0.24, -0.13, 0.24, 0.17, 0.004, bottom)
    m.lathe([(0.03, 0.004), (0.03, 0.007), (0.0, 0.007)], "lacquer", (0.0, 0.02))
    tap = "metal2" if rim == "dark" else "metal"
    neck = [(0.0, -0.165), (0.21, -0.165), (0.25, -0.155), (0.275, -0.13), (0.285, -0.095), (0.275, -0.06)]
    m.tube([(0, y, z) for y, z in (*neck, (0.25, -0.04), (0.21, -0.035))], 0.012, tap, 8)
    m.lathe([(0.024, _RIM), (0.024, _RIM + 0.05), (0.014, _RIM + 0.06)], tap, (0.0, -0.165))
    m.tube([(0.02, 0.07, -0.165), (0.085, 0.1, -0.165)], 0.007, tap, 6)
    return Made("sink", m, (0.54, 0.3, 0.4), design=f"{rim}_sink")


def combi_fridge(stream: Stream) -> Made:
    """A freezer below, handles at the left."""
    w, d, h, skin = 0.7, 0.68, stream.between(175, 190) / 100, stream.choice(("metal", "white", "metal", "white"))
    m = Model()
    m.cushion((-w / 2, 0.03, -d / 2), (w / 2, h, d / 2 - 0.07), skin, 0.02)
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.03, d / 2 - 0.1), "dark", skip="u")
    m.cushion((-w / 2, 0.05, d / 2 - 0.07), (w / 2, h * 0.36, d / 2), skin, 0.015, skip="b")
    m.cushion((-w / 2, h * 0.365, d / 2 - 0.07), (w / 2, h, d / 2), skin, 0.015, skip="b")
    grip = "metal" if skin == "dark" else "dark"
    for y0, y1 in ((0.2, h * 0.34), (h * 0.4, h * 0.75)):
        m.tube([(-w / 2 + 0.07, y0, d / 2 + 0.03), (-w / 2 + 0.07, y1, d / 2 + 0.03)], 0.012, grip, 5)
    m.box((w / 2 - 0.16, h - 0.1, d / 2 - 0.002), (w / 2 - 0.06, h - 0.08, d / 2 + 0.002), grip, skip="blrud")
    _notes(m, stream, (-w / 2 + 0.16, h * 0.45), (w / 2 - 0.08, h * 0.76), d / 2)
    if skin != "white":
        m.box((-0.05, h * 0.78, d / 2 - 0.002), (0.05, h * 0.78 + 0.05, d / 2 + 0.002), "lacquer", skip="blrud")
    return Made("refrigerator", m, (w, h, d + 0.09))


def double_fridge(stream: Stream) -> Made:
    """Two tall doors side by side, an outlet for water in one."""
    w, d, h, skin = 0.9, 0.7, 1.78, stream.choice(("metal", "metal", "white"))
    m = Model()
    m.box((-w / 2, 0.03, -d / 2), (w / 2, h, d / 2 - 0.07), skin)
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.03, d / 2 - 0.1), "dark", skip="u")
    for x0, x1 in ((-w / 2, -0.06), (-0.052, w / 2)):
        m.cushion((x0, 0.05, d / 2 - 0.07), (x1, h, d / 2), skin, 0.015, skip="b")
    for x in (-0.1, -0.01):
        m.box((x - 0.012, 0.5, d / 2), (x + 0.012, 1.5, d / 2 + 0.04), "metal", skip="b")
    _notes(m, stream, (0.05, 1.0), (w / 2 - 0.05, h - 0.12), d / 2)
    m.box((-w / 2 + 0.1, 1.0, d / 2 - 0.001), (-0.18, 1.35, d / 2 + 0.006), "lacquer", skip="b")
    return Made("refrigerator", m, (w, h, d + 0.09))


def low_fridge(stream: Stream) -> Made:
    """As low as a worktop, for a place under a window."""
    w, d, h, skin = 0.55, 0.56, 0.84, stream.choice(("metal", "white"))
    m = Model()
    m.cushion((-w / 2, 0.03, -d / 2), (w / 2, h, d / 2 - 0.06), skin, 0.02)
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.03, d / 2 - 0.1), "dark", skip="u")
    m.cushion((-w / 2, 0.05, d / 2 - 0.06), (w / 2, h - 0.03, d / 2), skin, 0.015, skip="b")
    m.box((-w / 2 + 0.06, h - 0.14, d / 2), (w / 2 - 0.06, h - 0.12, d / 2 + 0.025), "dark", skip="b")
    return Made("refrigerator", m, (w, h, d + 0.06), design="low_fridge")


def _notes(m: Model, stream: Stream, low: tuple[float, float], high: tuple[float, float], z: float) -> None:
    """What magnets hold on a door between two corners (x, y): photographs, lists, a child's drawing."""
    columns, rows = max(1, int((high[0] - low[0]) / 0.16)), max(1, int((high[1] - low[1]) / 0.19))
    for k in range(columns * rows):
        if not stream.chance(50):
            continue
        w, h = stream.choice(((0.1, 0.14), (0.13, 0.1), (0.09, 0.09), (0.12, 0.16)))
        x = low[0] + (k % columns + 0.5) * (high[0] - low[0]) / columns + stream.between(-15, 15) / 1000
        y = low[1] + (k // columns + 0.5) * (high[1] - low[1]) / rows + stream.between(-10, 10) / 1000
        lean, front = stream.between(-9, 9) / 1000, z + 0.0015 + 0.0004 * (k % 3)
        _card(m, (x, y), (w / 2, h / 2), lean, front, stream.choice(_STUCK) + str(stream.below(2)))
        _card(m, (x, y + h * 0.4), (0.011, 0.011), 0.0, front + 0.003, f"tint_{stream.choice(_MAGNETS)}")


_STUCK = ("print_photo", "print_paper", "print_notes", "print_photo", "print_calendar", "print_paper", "print_food")
_MAGNETS = ("red", "black", "yellow", "teal", "white", "blue")


def _card(m: Model, at: tuple[float, float], half: tuple[float, float], lean: float, z: float, picture: str) -> None:
    (x, y), (w, h) = at, half
    sheet, (u0, v0, u1, v1) = field_of(picture) or ("prints", (0.0, 0.0, 1.0, 1.0))
    corners = [(x - w + lean, y - h - lean, z), (x + w + lean, y - h + lean, z), (x + w - lean, y + h + lean, z),
               (x - w - lean, y + h - lean, z)]  # fmt: skip
    m.quad(corners, sheet, [(u0, v1), (u1, v1), (u1, v0), (u0, v0)])


def retro_fridge(stream: Stream) -> Made:
    """Rounded, in a colour, with a chrome lever."""
    w, d, h, skin = 0.62, 0.7, 1.55, stream.choice(("front", "fabric2", "white"))
    m = Model()
    for x in (-w / 2 + 0.08, w / 2 - 0.08):
        m.box((x - 0.03, 0, -d / 2 + 0.06), (x + 0.03, 0.06, d / 2 - 0.1), "metal", skip="u")
    m.cushion((-w / 2, 0.05, -d / 2), (w / 2, h, d / 2 - 0.07), skin, 0.09)
    m.cushion((-w / 2 + 0.01, 0.08, d / 2 - 0.13), (w / 2 - 0.01, h * 0.34, d / 2), skin, 0.06)
    m.cushion((-w / 2 + 0.01, h * 0.35, d / 2 - 0.13), (w / 2 - 0.01, h - 0.02, d / 2), skin, 0.06)
    for y in (h * 0.28, h * 0.44):
        m.box((-w / 2 + 0.07, y, d / 2 - 0.01), (-w / 2 + 0.24, y + 0.03, d / 2 + 0.035), "metal", skip="b")
    _notes(m, stream, (-w / 2 + 0.12, h * 0.5), (w / 2 - 0.12, h - 0.22), d / 2 + 0.004)
    return Made("refrigerator", m, (w, h, d + 0.08))


fridge = Family(combi_fridge, double_fridge, retro_fridge)


def vending_machine(stream: Stream) -> Made:
    """Snacks behind glass, or drinks behind a printed front."""
    w, d, h, drinks = 0.9, 0.75, 1.85, stream.chance(50)
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2), stream.choice(("fabric2", "dark", "front")), skip="d")
    if drinks:
        m.box((-w / 2 + 0.05, 0.5, d / 2), (w / 2 - 0.22, h - 0.08, d / 2 + 0.01), "fabric3", skip="b")
        m.box((-w / 2 + 0.05, h - 0.4, d / 2), (w / 2 - 0.22, h - 0.08, d / 2 + 0.014), "glow", skip="b")
    else:
        m.box((-w / 2 + 0.06, 0.55, d / 2), (w / 2 - 0.24, h - 0.15, d / 2 + 0.006), "dark", skip="b")
        for k in range(5):
            y = 0.6 + k * 0.22
            m.box((-w / 2 + 0.08, y, d / 2 + 0.006), (w / 2 - 0.26, y + 0.14, d / 2 + 0.01), "books", skip="b")
    m.box((-w / 2 + 0.08, 0.2, d / 2), (w / 2 - 0.26, 0.42, d / 2 + 0.01), "dark", skip="b")
    m.box((w / 2 - 0.2, 0.9, d / 2), (w / 2 - 0.05, 1.3, d / 2 + 0.015), "metal", skip="b")
    return Made("vending_machine", m, (w, h, d + 0.03), design="drinks_machine" if drinks else "snack_machine")
