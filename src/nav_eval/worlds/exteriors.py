"""What stands around a building: streets, facades, gardens, woods, suburbs, towers, fields and the sea.

Each painter draws one side of the view from far to near; `turn` is 0 for the side that its site calls its front, and
counts on to the left. What is lit in the evening shines by itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nav_eval.worlds.canvas import SIDE, Canvas
from nav_eval.worlds.exact import Floats, Stream
from nav_eval.worlds.noise import Colour, noise

Site = Callable[[Canvas, Stream, int, bool], None]
"""(canvas, stream of the side, turn, whether lamps are on)."""
Ground = Callable[[Floats, Floats, Floats], Floats]
"""x and z in metres, z backwards from the front, and noise (0 to 1): colours (..., 3)."""

PLASTERS: tuple[Colour, ...] = (
    (226, 214, 190), (206, 172, 132), (186, 104, 84), (232, 228, 218), (170, 182, 186), (204, 190, 150), (146, 84, 68),
)  # fmt: skip
ROOFS: tuple[Colour, ...] = ((138, 76, 58), (92, 88, 90), (112, 70, 56), (74, 78, 88))
GREENS: tuple[Colour, ...] = ((86, 124, 58), (68, 104, 52), (104, 132, 64), (58, 92, 60))
_GLASS: Colour = (72, 88, 104)
_LAMPLIT: tuple[Colour, ...] = ((255, 214, 140), (250, 196, 120), (255, 232, 180), (228, 224, 210))


def house(
    c: Canvas, s: Stream, at: tuple[float, float, float], floors: int, evening: bool, gable: bool, flat: bool = False
) -> None:
    """A front of (distance, x0, x1) with windows in rows, a door below and a roof above."""
    distance, x0, x1 = at
    wall = s.choice(PLASTERS)
    step = 2.9
    top = floors * step + 0.5
    wide = x1 - x0
    if gable:
        c.gable(distance, x0 - 0.4, x1 + 0.4, top - 0.1, top + wide * 0.42, s.choice(ROOFS))
    elif not flat:
        c.rectangle(distance + 2, x0 * 1.06, x1 * 1.06, top - 0.2, top + 2.2, s.choice(ROOFS), 0.25)
    c.rectangle(distance, x0, x1, 0.0, top, wall, 0.12)
    c.rectangle(distance, x0, x1, 0.0, 0.5, (118, 112, 106), 0.1)
    c.rectangle(distance, x0, x1, top - 0.22, top, (236, 232, 224))
    columns = max(1, int(wide / 2.1))
    door = s.below(columns)
    for k in range(columns):
        middle = x0 + wide * (2 * k + 1) / (2 * columns)
        for floor in range(floors):
            base = floor * step + 1.2
            if floor == 0 and k == door:
                c.rectangle(distance, middle - 0.55, middle + 0.55, 0.3, 2.5, s.choice(ROOFS))
                continue
            _window(c, s, distance, middle, base, evening)


def _window(c: Canvas, s: Stream, distance: float, middle: float, base: float, evening: bool) -> None:
    c.rectangle(distance, middle - 0.6, middle + 0.6, base - 0.08, base + 1.46, (240, 238, 232))
    low, high = base, base + 1.38
    if evening and s.chance(45):
        c.glow(distance, middle - 0.52, middle + 0.52, low, high, s.choice(_LAMPLIT))
    else:
        c.rectangle(distance, middle - 0.52, middle + 0.52, low, high, _GLASS)
        c.rectangle(distance, middle - 0.52, middle + 0.52, low + 0.75, high, (112, 134, 156))
        if s.chance(40):
            c.rectangle(distance, middle - 0.52, middle - 0.2, low, high, (216, 212, 204))
            c.rectangle(distance, middle + 0.2, middle + 0.52, low, high, (216, 212, 204))
    c.rectangle(distance, middle - 0.035, middle + 0.035, low, high, (236, 234, 228))


def row(c: Canvas, s: Stream, distance: float, floors: tuple[int, int], evening: bool, flat: bool = False) -> None:
    """Houses wall to wall across the whole side."""
    x = -distance - s.between(0, 400) / 100
    while x < distance:
        wide = s.between(560, 1100) / 100
        gable = not flat and s.chance(25)
        house(c, s, (distance, x, x + wide), s.between(*floors), evening, gable, flat)
        x += wide


def tree(c: Canvas, s: Stream, distance: float, x: float) -> None:
    high, colour = s.between(350, 900) / 100, s.choice(GREENS)
    wide = high * s.between(28, 42) / 100
    c.rectangle(distance, x - 0.03 * high, x + 0.03 * high, 0.0, high * 0.5, (84, 66, 52), 0.4)
    c.crown(distance, x, high * 0.64, wide, high * 0.4, colour)
    c.crown(distance, x + wide * 0.35, high * 0.52, wide * 0.7, high * 0.26, colour)


def trees(c: Canvas, s: Stream, distance: float, count: int) -> None:
    for _ in range(count):
        tree(c, s, distance, s.between(-84, 84) / 100 * distance)


def treeline(c: Canvas, s: Stream, distance: float, high: float, colour: Colour) -> None:
    """A wood far away."""
    heights = high * (0.55 + 0.6 * noise(s, (1, SIDE), (1, 40), 3)[0])
    c.ridge(distance, heights, colour, 0.6)


def hills(c: Canvas, s: Stream, distance: float, high: float, colour: Colour) -> None:
    """A ridge whose ends are level with its neighbours'."""
    edge = np.abs(np.arange(SIDE) * 2.0 / SIDE - 1.0)
    level = 0.5 + (noise(s, (1, SIDE), (1, 3), 4)[0] - 0.5) * np.clip((1 - edge) * 4, 0, 1)
    c.ridge(distance, high * level, colour, 0.12)


def hedge(c: Canvas, s: Stream, distance: float, high: float) -> None:
    heights = high + 0.25 * noise(s, (1, SIDE), (1, 60), 2)[0]
    c.ridge(distance, heights, s.choice(GREENS), 0.9)


def fence(c: Canvas, s: Stream, distance: float) -> None:
    """Upright boards."""
    colour = s.choice(((150, 122, 92), (196, 190, 178), (112, 96, 80)))
    c.rectangle(distance, -distance, distance, 0.0, 1.7, colour, 0.2)
    for k in range(int(-distance * 4), int(distance * 4)):
        c.rectangle(distance, k / 4 - 0.012, k / 4 + 0.012, 0.0, 1.7, (84, 70, 58))


def tower(c: Canvas, s: Stream, distance: float, x0: float, wide: float, high: float, evening: bool) -> None:
    """A tall block: bands or a grid of glass."""
    wall = s.choice(((176, 172, 166), (140, 148, 156), (198, 188, 170), (116, 110, 108), (160, 128, 108)))
    c.rectangle(distance, x0, x0 + wide, 0.0, high, wall, 0.06)
    cell = (s.choice((wide, 3.0, 4.2, 2.2)), 3.3)
    if evening:
        cell = (3.0, 3.3)
    shape = (max(1, int(high / cell[1])), max(1, int(wide / cell[0])))
    colours = np.broadcast_to(c.seen(_GLASS, distance), (*shape, 3)).copy()
    if evening:
        lit = s.unit(shape)
        for k, colour in enumerate(_LAMPLIT):
            colours[(lit >= k * 0.07) & (lit < k * 0.07 + 0.07)] = colour
    c.panes(distance, x0, x0 + wide, shape[0] * cell[1], cell, colours)


def street(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    treeline(c, s, 90.0, 9.0, GREENS[3])
    if turn == 0:
        row(c, s, 19.0, (2, 3), evening)
        trees(c, s, 16.5, 2)
        if evening:
            _lamps(c, s, 15.5)
    elif turn == 2:
        trees(c, s, 24.0, 6)
        fence(c, s, 14.0)
        trees(c, s, 11.0, 1)
    else:
        house(c, s, (20.0, -7.0, 5.0), 2, evening, True)
        trees(c, s, 17.0, 3)


def _lamps(c: Canvas, s: Stream, distance: float) -> None:
    for x in (-9.0, 5.0):
        c.rectangle(distance, x - 0.05, x + 0.05, 0.0, 4.2, (60, 62, 66))
        c.glow(distance, x - 0.3, x + 0.3, 4.1, 4.4, (255, 240, 200))


def facade(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    """Blocks of flats close by, as round a yard."""
    row(c, s, (11.0, 17.0, 13.0, 20.0)[turn], (4, 6), evening, True)
    if turn % 2:
        trees(c, s, 9.0, 1)


def garden(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    treeline(c, s, 60.0, 9.0, GREENS[1])
    if turn == 2:
        house(c, s, (34.0, -6.0, 7.0), 2, evening, True)
    trees(c, s, 18.0, s.between(3, 6))
    hedge(c, s, 11.0, 1.5)
    trees(c, s, 8.5, s.between(0, 1))


def woods(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    treeline(c, s, 70.0, 14.0, GREENS[3])
    for distance, count in ((40.0, 14), (26.0, 9), (17.0, 6)):
        trees(c, s, distance, count)
    if turn % 2:
        trees(c, s, 10.0, 2)


def suburb(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    treeline(c, s, 80.0, 8.0, GREENS[2])
    trees(c, s, 38.0, 5)
    middle = s.between(-120, 20) / 10
    house(c, s, (21.0, middle - 5.0, middle + 6.0), s.between(1, 2), evening, True)
    house(c, s, (24.0, middle + 11.0, middle + 20.0), s.between(1, 2), evening, s.chance(50))
    trees(c, s, 17.0, 2)
    hedge(c, s, 11.0, 0.8)


def towers(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    for distance, count, high in ((900.0, 26, 130), (560.0, 18, 70), (380.0, 14, 95), (250.0, 12, 30), (170.0, 8, 72),
                                  (115.0, 6, 26), (80.0, 2, 50)):  # fmt: skip
        for _ in range(count):
            wide = s.between(18, 38)
            x = s.between(-100, 90) / 100 * distance
            tower(c, s, distance, x, wide, high * s.between(35, 120) / 100, evening)


def fields(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    hills(c, s, 900.0, 110.0, (112, 134, 116))
    hills(c, s, 420.0, 44.0, (122, 146, 92))
    treeline(c, s, 190.0, 9.0, GREENS[1])
    if turn == 1:
        house(c, s, (120.0, 10.0, 26.0), 2, evening, True)
    trees(c, s, 45.0, s.between(1, 4))


def coast(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    if turn == 0:
        hills(c, s, 2500.0, 60.0, (120, 132, 142))
    elif turn == 2:
        treeline(c, s, 60.0, 7.0, GREENS[2])
        row(c, s, 34.0, (1, 2), evening)
    else:
        treeline(c, s, 110.0, 6.0, GREENS[2])
        trees(c, s, 30.0, 2)


def _mixed(a: Colour, b: Colour, share: Floats) -> Floats:
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return first + (second - first) * share[..., None]


def _strip(colours: Floats, at: Floats, low: float, high: float, colour: Colour) -> None:
    colours[(at >= low) & (at < high)] = colour


def lawn(x: Floats, z: Floats, grain: Floats) -> Floats:
    return _mixed((92, 122, 52), (142, 164, 84), grain)


def street_ground(x: Floats, z: Floats, grain: Floats) -> Floats:
    """A front garden, pavements and a road along x before the front."""
    colours = lawn(x, z, grain)
    _strip(colours, z, -17.5, -7.0, (172, 168, 160))
    _strip(colours, z, -15.5, -9.0, (92, 92, 96))
    dashes = (z > -12.32) & (z < -12.18) & (x / 4 - np.floor(x / 4) < 0.5)
    colours[dashes] = (222, 220, 212)
    return colours * (0.94 + 0.12 * grain)[..., None]


def yard(x: Floats, z: Floats, grain: Floats) -> Floats:
    colours = _mixed((142, 136, 128), (176, 170, 160), grain)
    beds = (np.abs(x) > 6) & (np.abs(z) > 6)
    colours[beds] = _mixed((86, 112, 54), (120, 146, 76), grain)[beds]
    return colours


def forest_floor(x: Floats, z: Floats, grain: Floats) -> Floats:
    return _mixed((96, 104, 56), (140, 128, 84), grain)


def city(x: Floats, z: Floats, grain: Floats) -> Floats:
    """Blocks of roofs and squares between streets, from above."""
    block = 64.0
    u, v = x / block - np.floor(x / block), z / block - np.floor(z / block)
    number = np.floor(x / block) * 7 + np.floor(z / block) * 13
    roof = np.floor(u * 3) + 3 * np.floor(v * 3) + number
    tone = (roof * 37 - np.floor(roof * 37 / 64) * 64) / 64
    colours = _mixed((104, 98, 94), (158, 154, 150), tone)
    park = number - np.floor(number / 5) * 5 == 0
    colours[park] = lawn(x, z, grain)[park]
    lanes = (u < 0.2) | (v < 0.2)
    colours[lanes] = (118, 118, 120)
    middle = (np.abs(u - 0.1) < 0.004) | (np.abs(v - 0.1) < 0.004)
    colours[middle] = (206, 204, 196)
    return colours * (0.9 + 0.2 * grain)[..., None]


def crops(x: Floats, z: Floats, grain: Floats) -> Floats:
    number = np.floor(x / 70 + 0.4) * 5 + np.floor(z / 50 + 0.3) * 3
    share = (number - np.floor(number / 4) * 4) / 3
    return _mixed((128, 150, 72), (206, 184, 110), share) * (0.88 + 0.24 * grain)[..., None]


def shore(x: Floats, z: Floats, grain: Floats) -> Floats:
    """Dunes, sand, and the sea before the front."""
    colours = _mixed((196, 184, 146), (222, 208, 172), grain)
    colours[z > -14.0] = _mixed((124, 138, 84), (168, 172, 118), grain)[z > -14.0]
    sea = z < -30.0
    colours[sea] = _mixed((70, 116, 138), (120, 164, 178), grain)[sea]
    _strip(colours, z, -31.5, -30.0, (232, 236, 234))
    return colours


SITES: dict[str, tuple[Site, Ground]] = {
    "street": (street, street_ground),
    "facade": (facade, yard),
    "garden": (garden, lawn),
    "woods": (woods, forest_floor),
    "suburb": (suburb, lawn),
    "towers": (towers, city),
    "fields": (fields, crops),
    "coast": (coast, shore),
}
"""Painter of a side, and the ground, by the site's name."""
