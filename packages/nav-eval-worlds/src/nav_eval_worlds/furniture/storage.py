"""Wardrobes, shelves, chests and cabinets; their backs stand against the wall (-z)."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.lamps import table_lamp
from nav_eval_worlds.furniture.made import Family, Made, beam, four_corners, fronts, legs, pegs, slope
from nav_eval_worlds.furniture.small import book_row, bowl, television, vase
from nav_eval_worlds.surfaces.parametric import WHOLE, Model

_WOODS = ("wood", "wood2")
_FACES = ("wood", "wood2", "white")


def flat_wardrobe(stream: Stream) -> Made:
    """Smooth doors from floor to top."""
    doors, wood = stream.choice((2, 3, 4)), stream.choice(_FACES)
    w, d, h = doors * 0.48, 0.58, stream.between(200, 220) / 100
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.02), wood, skip="d")
    grips = stream.choice(("bar", "knob"))
    fronts(m, (-w / 2 + 0.01, 0.08), (w / 2 - 0.01, h - 0.02), d / 2 - 0.02, 1, doors, wood, "metal2", grips)
    return Made("wardrobe", m, (w + 0.02, h, d + 0.05))


def shaker_wardrobe(stream: Stream) -> Made:
    """Framed doors over a row of drawers."""
    doors, wood = stream.choice((2, 3)), stream.choice(_FACES)
    w, d, h = doors * 0.5, 0.58, 2.1
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.02), wood, skip="d")
    m.box((-w / 2 - 0.02, h - 0.06, -d / 2), (w / 2 + 0.02, h, d / 2 + 0.01), wood)
    fronts(m, (-w / 2 + 0.01, 0.08), (w / 2 - 0.01, 0.5), d / 2 - 0.02, 1, doors, wood, "metal2", "frame")
    fronts(m, (-w / 2 + 0.01, 0.52), (w / 2 - 0.01, h - 0.07), d / 2 - 0.02, 1, doors, wood, "metal2", "frame")
    return Made("wardrobe", m, (w + 0.04, h, d + 0.05))


def armoire(stream: Stream) -> Made:
    """Old and heavy: a cornice, feet, framed doors with an oval of another wood."""
    wood, w, d, h = stream.choice(_WOODS), 1.3, 0.6, 2.12
    m = Model()
    legs(m, w, d, 0.1, wood, 0.09, 0.01)
    m.box((-w / 2, 0.1, -d / 2), (w / 2, h - 0.1, d / 2 - 0.03), wood)
    for k, out in enumerate((0.02, 0.04)):
        m.box((-w / 2 - out, h - 0.1 + k * 0.05, -d / 2), (w / 2 + out, h - 0.05 + k * 0.05, d / 2 - 0.03 + out), wood)
    fronts(m, (-w / 2 + 0.06, 0.46), (w / 2 - 0.06, h - 0.14), d / 2 - 0.03, 1, 2, wood, "metal2", "frame")
    fronts(m, (-w / 2 + 0.06, 0.14), (w / 2 - 0.06, 0.44), d / 2 - 0.03, 1, 1, wood, "metal2", "frame")
    return Made("wardrobe", m, (w + 0.08, h, d + 0.06))


def sliding_wardrobe(stream: Stream) -> Made:
    """Two or three sliding doors, one of them a mirror."""
    doors, wood = stream.choice((2, 3)), stream.choice(_FACES)
    w, d, h = doors * 0.75, 0.62, 2.18
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.06), wood, skip="d")
    m.box((-w / 2, h - 0.05, d / 2 - 0.06), (w / 2, h, d / 2), "metal2", skip="b")
    m.box((-w / 2, 0, d / 2 - 0.06), (w / 2, 0.04, d / 2), "metal2", skip="bd")
    glass = stream.below(doors)
    for k in range(doors):
        x0, z = -w / 2 + k * w / doors, d / 2 - (0.05 if k % 2 else 0.03)
        m.box((x0, 0.04, z), (x0 + w / doors, h - 0.05, z + 0.02), wood if k != glass else "metal2", skip="b")
        if k == glass:
            x1, y0, y1, z1 = x0 + w / doors - 0.03, 0.07, h - 0.08, z + 0.021
            m.card(x0 + 0.03, y0, x1, y1, z1, "mirror", WHOLE)
    return Made("wardrobe", m, (w, h, d))


def louvre_wardrobe(stream: Stream) -> Made:
    """Doors of slats."""
    doors, wood = stream.choice((2, 3)), stream.choice(("white", "wood"))
    w, d, h = doors * 0.46 + 0.06, 0.58, 2.05
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.03), wood, skip="d")
    for k in range(doors):
        x0, x1 = -w / 2 + 0.03 + k * 0.46, -w / 2 + 0.03 + (k + 1) * 0.46
        for a, b in ((x0 + 0.005, x0 + 0.05), (x1 - 0.05, x1 - 0.005)):
            m.box((a, 0.08, d / 2 - 0.03), (b, h - 0.05, d / 2), wood, skip="b")
        for n in range(14):
            y = 0.12 + n * (h - 0.24) / 14
            step = (h - 0.24) / 14
            slope(m, x0 + 0.05, x1 - 0.05, (y, d / 2 - 0.004), (y + step, d / 2 - 0.028), wood)
        a, b = (x1 - 0.035, x1 - 0.015) if k % 2 == 0 else (x0 + 0.015, x0 + 0.035)
        m.box((a, 1.0, d / 2), (b, 1.03, d / 2 + 0.02), "metal2", "b")
    return Made("wardrobe", m, (w, h, d + 0.04))


def rack_wardrobe(stream: Stream) -> Made:
    """An open frame with clothes on hangers and boxes below."""
    w, d, h = stream.choice((1.2, 1.5)), 0.5, 1.8
    skin = stream.choice(("metal2", "wood"))
    m = Model()
    for x in (-w / 2 + 0.03, w / 2 - 0.03):
        for z in (-d / 2 + 0.03, d / 2 - 0.03):
            m.box((x - 0.015, 0, z - 0.015), (x + 0.015, h if z < 0 else 0.34, z + 0.015), skin, skip="d")
        m.box((x - 0.015, h - 0.03, -d / 2 + 0.02), (x + 0.015, h, 0.03), skin)
    m.tube([(-w / 2 + 0.03, h - 0.05, 0), (w / 2 - 0.03, h - 0.05, 0)], 0.014, skin, 5)
    m.box((-w / 2, 0.3, -d / 2), (w / 2, 0.33, d / 2), "wood")
    x = -w / 2 + 0.1
    while x < w / 2 - 0.14:
        cloth = stream.choice(("fabric0", "fabric1", "fabric2", "fabric3", "dark", "sheet", "throw"))
        long = stream.between(65, 105) / 100
        m.cushion((x, h - 0.06 - long, -0.2), (x + 0.05, h - 0.08, 0.2), cloth, 0.022, skip="")
        x += stream.choice((0.06, 0.07, 0.12))
    for k in range(2):
        x = -w / 2 + 0.1 + k * 0.5
        m.box((x, 0.33, -0.18), (x + 0.34, 0.5, 0.18), stream.choice(("cardboard", "basket", "white")), skip="d")
    return Made("wardrobe", m, (w, h, d))


wardrobe = Family(flat_wardrobe, shaker_wardrobe, armoire, sliding_wardrobe, louvre_wardrobe, rack_wardrobe)


def _case(m: Model, w: float, h: float, d: float, shelves: int, material: str, foot: float = 0.05) -> list[float]:
    """An open case; returns the heights of its shelves."""
    t = 0.025
    for x in (-w / 2 + t / 2, w / 2 - t / 2):
        m.box((x - t / 2, 0, -d / 2), (x + t / 2, h, d / 2), material, skip="d")
    m.card(-w / 2, 0, w / 2, h, -d / 2 + 0.01, material)
    m.card(w / 2, 0, -w / 2, h, -d / 2, material)
    heights = [foot + k * (h - foot - t) / shelves for k in range(shelves + 1)]
    for y in heights:
        m.box((-w / 2 + t, y, -d / 2 + 0.01), (w / 2 - t, y + t, d / 2 - 0.005), material, skip="lrb")
    return [y + t for y in heights[:-1]]


def _fill(m: Model, x0: float, x1: float, y: float, z: float, stream: Stream, high: float) -> None:
    """One compartment: books, a box, a pot, or nearly nothing."""
    kind = stream.below(10)
    if kind < 6 and x1 - x0 > 0.16 and high > 0.29:
        book_row(m, x0, x0 + (x1 - x0) * stream.between(55, 100) / 100, y, z, stream)
    elif kind < 8 and x1 - x0 > 0.16:
        skin = stream.choice(("basket", "cardboard", "throw", "white"))
        m.box((x0 + 0.02, y, z - 0.2), (x1 - 0.02, y + min(0.2, high - 0.04), z), skin, "db")
    elif kind < 9:
        r = min(0.07, (x1 - x0) / 3)
        profile = [(r * 0.6, y), (r, y + 0.09), (r * 0.5, y + 0.18), (0.0, y + 0.18)]
        m.lathe(profile, stream.choice(("ceramic", "pot", "metal2")), ((x0 + x1) / 2, z - 0.1), 7)


def case_shelf(stream: Stream) -> Made:
    """A closed case of five boards."""
    w, d, h, wood = stream.between(80, 120) / 100, 0.32, stream.between(180, 210) / 100, stream.choice(_FACES)
    m = Model()
    for y in _case(m, w, h, d, 5, wood):
        split = w * stream.between(-20, 40) / 100
        book_row(m, -w / 2 + 0.03, min(split, w / 2 - 0.03), y, d / 2 - 0.04, stream)
        if split < w / 2 - 0.25:
            skin = stream.choice(("basket", "cardboard", "pot"))
            m.box((split + 0.06, y, -d / 2 + 0.06), (w / 2 - 0.06, y + 0.18, d / 2 - 0.05), skin, "db")
    return Made("bookshelf", m, (w, h, d))


def cube_shelf(stream: Stream) -> Made:
    """A grid of square compartments."""
    nx, ny = stream.choice(((2, 4), (3, 3), (4, 2), (4, 4), (2, 5)))
    t, side, d, wood = 0.03, 0.36, 0.36, stream.choice(_FACES)
    w, h = nx * side + t, ny * side + t
    m = Model()
    m.card(-w / 2, 0, w / 2, h, -d / 2 + 0.01, wood)
    m.card(w / 2, 0, -w / 2, h, -d / 2, wood)
    for i in range(nx + 1):
        x = -w / 2 + i * side
        m.box((x, 0, -d / 2), (x + t, h, d / 2), wood, skip="d")
    for k in range(ny + 1):
        m.box((-w / 2 + t, k * side, -d / 2 + 0.01), (w / 2 - t, k * side + t, d / 2 - 0.003), wood, skip="lrb")
    for i in range(nx):
        for k in range(ny):
            x = -w / 2 + i * side
            _fill(m, x + t, x + side, k * side + t, d / 2 - 0.03, stream, side - t)
    return Made("bookshelf", m, (w, h, d))


def ladder_shelf(stream: Stream) -> Made:
    """Leaning uprights; the shelves grow downwards."""
    w, d, h, wood = stream.between(60, 80) / 100, 0.44, 1.85, stream.choice(_FACES)
    m = Model()
    for x in (-w / 2 + 0.02, w / 2 - 0.02):
        beam(m, (x, 0, d / 2 - 0.03), (x, h, -d / 2 + 0.03), 0.04, wood)
        m.box((x - 0.02, 0, -d / 2), (x + 0.02, h, -d / 2 + 0.03), wood, skip="d")
    for k in range(5):
        y = 0.16 + k * 0.38
        front = d / 2 - 0.04 - (d - 0.1) * y / h
        m.box((-w / 2 + 0.04, y, -d / 2 + 0.02), (w / 2 - 0.04, y + 0.025, front), wood)
        if front + d / 2 > 0.2:
            _fill(m, -w / 2 + 0.06, w / 2 - 0.06, y + 0.025, front - 0.02, stream, 0.34)
    return Made("bookshelf", m, (w, h, d))


def pipe_shelf(stream: Stream) -> Made:
    """Thick boards between black tubes."""
    w, d, h = stream.between(100, 140) / 100, 0.34, 2.14
    m = Model()
    for x, z in four_corners(w / 2 - 0.05, d / 2 - 0.03):
        m.tube([(x, 0, z), (x, h, z)], 0.014, "dark", 5)
    for k in range(5):
        y = 0.1 + k * 0.43
        m.box((-w / 2, y, -d / 2), (w / 2, y + 0.035, d / 2), "wood")
        middle = stream.between(-20, 20) / 100
        _fill(m, -w / 2 + 0.08, middle, y + 0.035, d / 2 - 0.05, stream, 0.36)
        _fill(m, middle + 0.06, w / 2 - 0.08, y + 0.035, d / 2 - 0.05, stream, 0.36)
    return Made("bookshelf", m, (w, h, d))


def stack_shelf(stream: Stream) -> Made:
    """Boxes of different width stacked askew."""
    d, wood, other = 0.34, stream.choice(_WOODS), stream.choice(("white", "wood", "wood2"))
    m = Model()
    y, w = 0.0, 1.3
    for k in range(4):
        wide, high = stream.choice((0.8, 1.0, 1.2)), stream.choice((0.34, 0.4, 0.46))
        x0 = -w / 2 + (w - wide) * stream.below(3) / 2
        part, face = Model(), wood if k % 2 else other
        part.box((0, 0, -d / 2), (wide, 0.02, d / 2), face)
        part.box((0, high - 0.02, -d / 2), (wide, high, d / 2), face)
        for x in (0.0, wide / 2 - 0.01, wide - 0.02):
            part.box((x, 0.02, -d / 2), (x + 0.02, high - 0.02, d / 2), face, skip="ud")
        part.card(0, 0, wide, high, -d / 2 + 0.01, face)
        _fill(part, 0.03, wide / 2 - 0.02, 0.02, d / 2 - 0.03, stream, high - 0.04)
        _fill(part, wide / 2 + 0.02, wide - 0.03, 0.02, d / 2 - 0.03, stream, high - 0.04)
        m.add(part, (x0, y, 0.0))
        y += high
    return Made("bookshelf", m, (w, y, d))


def glass_shelf(stream: Stream) -> Made:
    """Books behind a cornice above closed doors."""
    w, d, h, wood = 1.1, 0.4, 2.1, stream.choice(_WOODS)
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.78, d / 2 - 0.02), wood, skip="d")
    fronts(m, (-w / 2 + 0.03, 0.1), (w / 2 - 0.03, 0.75), d / 2 - 0.02, 1, 2, wood, "metal2", "frame")
    part = Model()
    for y in _case(part, w, h - 0.86, d - 0.08, 3, wood, 0.0):
        book_row(part, -w / 2 + 0.05, w / 2 - 0.1, y, 0.1, stream)
    m.add(part, (0.0, 0.8, -0.04))
    m.box((-w / 2 - 0.01, 0.77, -d / 2), (w / 2 + 0.01, 0.8, d / 2), wood)
    m.box((-w / 2 - 0.03, h - 0.06, -d / 2), (w / 2 + 0.03, h, d / 2 - 0.03), wood)
    m.box((-0.02, 0.8, d / 2 - 0.1), (0.02, h - 0.06, d / 2 - 0.07), wood)
    return Made("bookshelf", m, (w + 0.06, h, d + 0.05))


def low_shelf(stream: Stream) -> Made:
    """Two boards long, a bench high."""
    w, d, h, wood = stream.between(120, 160) / 100, 0.34, 0.8, stream.choice(_FACES)
    m = Model()
    for y in _case(m, w, h, d, 2, wood):
        third = w / 3
        for k in range(3):
            _fill(m, -w / 2 + 0.04 + k * third, -w / 2 + k * third + third - 0.03, y, d / 2 - 0.04, stream, 0.33)
    return Made("bookshelf", m, (w, h, d), _on_top(stream, w / 4, h))


bookshelf = Family(case_shelf, cube_shelf, ladder_shelf, pipe_shelf, stack_shelf, glass_shelf, low_shelf)


def storage_shelf(stream: Stream) -> Made:
    """A metal or wooden rack with boxes."""
    w, d, h = stream.between(90, 130) / 100, 0.42, 1.78
    skin = stream.choice(("metal", "metal", "wood"))
    m = Model()
    for x, z in four_corners(w / 2 - 0.02, d / 2 - 0.02):
        m.box((x - 0.02, 0, z - 0.02), (x + 0.02, h, z + 0.02), skin, skip="d")
    for k in range(4):
        y = 0.08 + k * 0.56 if k < 3 else 1.76
        m.box((-w / 2, y, -d / 2), (w / 2, y + 0.03, d / 2), skin)
        x = -w / 2 + 0.06
        while x < w / 2 - 0.3:
            wide, high = stream.between(22, 40) / 100, stream.between(16, 36) / 100
            wide = min(wide, w / 2 - 0.05 - x)
            if stream.chance(80):
                low, up = (x, y + 0.03, -d / 2 + 0.04), (x + wide, y + 0.03 + high, d / 2 - 0.03)
                m.box(low, up, stream.choice(("cardboard", "basket", "white", "cardboard", "fabric2")), skip="d")
            x += wide + 0.04
    return Made("shelf", m, (w, 2.16, d), design="metal_rack" if skin == "metal" else "wood_rack")


def _chest(m: Model, w: float, h: float, d: float, rows: int, columns: int, wood: str, foot: float, grips: str) -> None:
    m.box((-w / 2, foot, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    m.box((-w / 2 - 0.008, h - 0.025, -d / 2), (w / 2 + 0.008, h, d / 2), wood)
    fronts(
        m, (-w / 2 + 0.01, foot + 0.02), (w / 2 - 0.01, h - 0.03), d / 2 - 0.02, rows, columns, wood, "metal2", grips
    )


def _on_top(stream: Stream, x: float, h: float) -> tuple[tuple[Made, float, float, float], ...]:
    return ((stream.choice((vase, table_lamp, bowl))(stream), x, h, 0.0),)


def wide_dresser(stream: Stream) -> Made:
    w, d, h, wood = stream.between(100, 140) / 100, 0.45, 0.85, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2 + 0.02, 0, -d / 2 + 0.02), (w / 2 - 0.02, 0.08, d / 2 - 0.05), wood, skip="ud")
    _chest(m, w, h, d, 3, 2, wood, 0.08, stream.choice(("frame", "knob")))
    return Made("chest_of_drawers", m, (w + 0.02, h, d + 0.05), _on_top(stream, 0.2, h))


def tall_dresser(stream: Stream) -> Made:
    w, d, h, wood = stream.between(55, 75) / 100, 0.45, 1.2, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2 + 0.02, 0, -d / 2 + 0.02), (w / 2 - 0.02, 0.06, d / 2 - 0.05), wood, skip="ud")
    _chest(m, w, h, d, 5, 1, wood, 0.06, stream.choice(("knob", "bar", "slot")))
    return Made("chest_of_drawers", m, (w + 0.02, h, d + 0.05), _on_top(stream, 0.0, h))


def peg_dresser(stream: Stream) -> Made:
    w, d, h, wood = stream.between(90, 130) / 100, 0.46, 0.82, stream.choice(_WOODS)
    m = Model()
    pegs(m, w - 0.1, d - 0.08, 0.2, wood, 0.03)
    _chest(m, w, h, d, 3, 2 if w > 1.1 else 1, wood, 0.19, stream.choice(("slot", "knob")))
    return Made("chest_of_drawers", m, (w + 0.02, h, d + 0.05), _on_top(stream, -0.2, h))


def low_dresser(stream: Stream) -> Made:
    w, d, h, wood = 1.5, 0.45, 0.6, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.02), (w / 2 - 0.03, 0.05, d / 2 - 0.06), "dark", skip="ud")
    _chest(m, w, h, d, 2, 3, wood, 0.05, "slot")
    return Made("chest_of_drawers", m, (w + 0.02, h, d + 0.05), _on_top(stream, 0.4, h))


dresser = Family(wide_dresser, tall_dresser, peg_dresser, low_dresser)


def plinth_sideboard(stream: Stream) -> Made:
    w, d, h, wood = stream.between(130, 170) / 100, 0.45, 0.8, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.1, d / 2 - 0.06), "dark", skip="ud")
    m.box((-w / 2, 0.1, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    grips = stream.choice(("bar", "slot", "frame"))
    fronts(m, (-w / 2 + 0.01, 0.11), (w / 2 - 0.01, h - 0.03), d / 2 - 0.02, 1, 3, wood, "metal2", grips)
    return Made("cabinet", m, (w, h, d + 0.05), _on_top(stream, -0.35, h))


def peg_sideboard(stream: Stream) -> Made:
    """Long on thin legs; doors woven or of wood, drawers in the middle."""
    w, d, h, wood = stream.between(150, 190) / 100, 0.44, 0.76, stream.choice(_WOODS)
    face = stream.choice((wood, "basket"))
    m = Model()
    pegs(m, w - 0.16, d - 0.08, 0.22, wood, 0.03)
    m.box((-w / 2, 0.21, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    for x0, x1, rows, skin in ((-w / 2, -w / 6, 1, face), (-w / 6, w / 6, 3, wood), (w / 6, w / 2, 1, face)):
        fronts(m, (x0 + 0.02, 0.23), (x1 - 0.02, h - 0.02), d / 2 - 0.02, rows, 1, skin, "metal2", "knob")
    return Made("cabinet", m, (w, h, d + 0.05), _on_top(stream, 0.5, h))


def leg_sideboard(stream: Stream) -> Made:
    """A box of wood in a frame of black steel."""
    w, d, h = stream.between(120, 160) / 100, 0.42, 0.82
    m = Model()
    legs(m, w, d, h, "dark", 0.025, 0.0)
    m.box((-w / 2 + 0.025, 0.2, -d / 2 + 0.005), (w / 2 - 0.025, h, d / 2 - 0.03), "wood")
    fronts(m, (-w / 2 + 0.035, 0.21), (w / 2 - 0.035, h - 0.02), d / 2 - 0.03, 1, 2, "wood", "dark", "bar")
    return Made("cabinet", m, (w, h, d + 0.04), _on_top(stream, -0.3, h))


def hutch(stream: Stream) -> Made:
    """A buffet with plates on the shelves above."""
    w, d, h, wood = 1.25, 0.46, 1.95, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.86, d / 2 - 0.02), wood, skip="d")
    m.box((-w / 2 - 0.015, 0.86, -d / 2), (w / 2 + 0.015, 0.9, d / 2), "wood")
    fronts(m, (-w / 2 + 0.02, 0.08), (w / 2 - 0.02, 0.64), d / 2 - 0.02, 1, 3, wood, "metal2", "frame")
    fronts(m, (-w / 2 + 0.02, 0.66), (w / 2 - 0.02, 0.84), d / 2 - 0.02, 1, 3, wood, "metal2", "knob")
    part = Model()
    for y in _case(part, w, h - 0.9, 0.26, 3, wood, 0.02)[1:]:
        for k in range(4):
            x = -w / 2 + 0.18 + k * (w - 0.36) / 3
            _plate(part, x, y + 0.12, -0.08, 0.11, stream.choice(("ceramic", "ceramic", "fabric3")))
    m.add(part, (0.0, 0.9, -d / 2 + 0.13))
    m.box((-w / 2 - 0.02, h - 0.04, -d / 2), (w / 2 + 0.02, h, -d / 2 + 0.3), wood)
    return Made("cabinet", m, (w + 0.04, h, d + 0.05))


def _plate(m: Model, x: float, y: float, z: float, r: float, material: str) -> None:
    """A plate that leans against a back, as an octagon of two quads and two ends."""
    c = r * 0.42
    rings = [(-c, -r), (c, -r), (r, -c), (r, c), (c, r), (-c, r), (-r, c), (-r, -c)]
    p = [(x + a, y + b, z - b * 0.2) for a, b in rings]
    for k in ((7, 0, 1, 2), (6, 7, 2, 3), (5, 6, 3, 4)):
        m.quad([p[i] for i in k], material)


sideboard = Family(plinth_sideboard, peg_sideboard, leg_sideboard, hutch)


def cabinet_stand(stream: Stream) -> Made:
    w, d, h, wood = stream.between(140, 180) / 100, 0.42, 0.5, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2, 0.06, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    m.box((-w / 2 + 0.04, 0, -d / 2 + 0.04), (w / 2 - 0.04, 0.06, d / 2 - 0.08), "dark", skip="ud")
    grips = stream.choice(("bar", "frame", "knob"))
    fronts(m, (-w / 2 + 0.01, 0.07), (w / 2 - 0.01, h - 0.02), d / 2 - 0.02, 1, 3, wood, "metal2", grips)
    return Made("cabinet", m, (w, h, d + 0.05), _screen(stream, h))


def _screen(stream: Stream, h: float) -> tuple[tuple[Made, float, float, float], ...]:
    return ((television(stream, stream.choice((1.0, 1.15, 1.3))), 0.0, h, -0.02),)


def peg_stand(stream: Stream) -> Made:
    """An open middle with boxes between doors, on pegs."""
    w, d, h, wood = stream.between(140, 180) / 100, 0.42, 0.52, stream.choice(_WOODS)
    m = Model()
    pegs(m, w - 0.16, d - 0.06, 0.18, wood, 0.03)
    m.box((-w / 2, 0.17, -d / 2), (w / 2, 0.19, d / 2), wood)
    m.box((-w / 2, h - 0.02, -d / 2), (w / 2, h, d / 2), wood)
    for x0, x1 in ((-w / 2, -w / 6), (w / 6, w / 2)):
        m.box((x0, 0.19, -d / 2), (x1, h - 0.02, d / 2 - 0.02), wood, skip="ud")
        fronts(m, (x0, 0.19), (x1, h - 0.02), d / 2 - 0.02, 1, 1, wood, "metal2", "knob")
    m.card(-w / 6, 0.19, w / 6, h - 0.02, -d / 2 + 0.01, "dark")
    m.box((-0.2, 0.19, -0.14), (0.18, 0.26, 0.12), "dark", skip="d")
    return Made("cabinet", m, (w, h, d + 0.03), _screen(stream, h))


def leg_stand(stream: Stream) -> Made:
    """Two boards in a steel frame."""
    w, d, h = stream.between(140, 170) / 100, 0.4, 0.5
    m = Model()
    legs(m, w, d, h - 0.03, "dark", 0.03, 0.0)
    m.box((-w / 2, h - 0.03, -d / 2), (w / 2, h, d / 2), "wood")
    m.box((-w / 2 + 0.01, 0.16, -d / 2 + 0.01), (w / 2 - 0.01, 0.19, d / 2 - 0.01), "wood")
    for x in (-w / 4, w / 5):
        m.box((x - 0.17, 0.19, -0.14), (x + 0.17, 0.36, 0.14), stream.choice(("basket", "dark", "books")), skip="d")
    return Made("cabinet", m, (w, h, d), _screen(stream, h))


def low_stand(stream: Stream) -> Made:
    """A long low box."""
    w, d, h, wood = 2.0, 0.42, 0.36, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2 + 0.06, 0, -d / 2 + 0.04), (w / 2 - 0.06, 0.06, d / 2 - 0.1), "dark", skip="ud")
    m.box((-w / 2, 0.06, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    fronts(m, (-w / 2 + 0.01, 0.08), (w / 2 - 0.01, h - 0.02), d / 2 - 0.02, 1, 4, wood, "metal2", "slot")
    return Made("cabinet", m, (w, h, d + 0.01), _screen(stream, h))


def wall_unit(stream: Stream) -> Made:
    """Shelves left, right and above the screen."""
    w, d, h, wood = 2.3, 0.4, 1.9, stream.choice(_FACES)
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.46, d / 2 - 0.02), wood, skip="d")
    grips = stream.choice(("slot", "knob"))
    fronts(m, (-w / 2 + 0.01, 0.06), (w / 2 - 0.01, 0.44), d / 2 - 0.02, 1, 4, wood, "metal2", grips)
    for s in (-1, 1):
        part = Model()
        for y in _case(part, 0.5, h - 0.46, 0.3, 4, wood, 0.0):
            _fill(part, -0.21, 0.21, y, 0.1, stream, 0.3)
        m.add(part, (s * (w / 2 - 0.25), 0.46, -0.05))
    m.box((-w / 2 + 0.5, h - 0.3, -d / 2), (w / 2 - 0.5, h - 0.27, 0.1), wood)
    book_row(m, -w / 2 + 0.54, w / 2 - 0.6, h - 0.27, 0.08, stream)
    return Made("cabinet", m, (w, h, d + 0.03), ((television(stream, 1.15), 0.0, 0.46, -0.02),))


tv_stand = Family(cabinet_stand, peg_stand, leg_stand, low_stand, wall_unit)


def wall_screen(stream: Stream, w: float = 0.0) -> Made:
    """A large screen that hangs; its back at -z, the origin at the middle of its lower edge. `w`: its width, metres."""
    w = w or stream.choice((1.2, 1.4))
    h = w * 0.57
    m = Model()
    m.box((-w / 2, 0, -0.03), (w / 2, h, 0.02), "dark", skip="b")
    x = w / 2 - 0.015
    m.card(-x, 0.02, x, h - 0.015, 0.021, "screen", WHOLE)
    return Made("tv_monitor", m, (w, h, 0.06), design="wall_screen")


def filing_cabinet(stream: Stream) -> Made:
    w, d, h = 0.82, 0.45, stream.choice((1.1, 1.95))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2 - 0.02), "metal", skip="d")
    rows, columns = (4, 1) if h < 1.5 else (1, 2)
    fronts(m, (-w / 2 + 0.01, 0.05), (w / 2 - 0.01, h - 0.02), d / 2 - 0.02, rows, columns, "metal", "dark")
    return Made("cabinet", m, (w, h, d + 0.05), design="drawer_file" if rows > 1 else "door_file")
