"""What stands around a building: streets, facades, gardens, woods, suburbs, towers, fields and the sea.

Each painter draws one side of the view from far to near; `turn` is 0 for the side that its site calls its front, and
counts on to the left. What is lit in the evening shines by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nav_eval.worlds.canvas import SIDE, Canvas
from nav_eval.worlds.exact import Floats, Stream
from nav_eval.worlds.noise import Colour, noise

Site = Callable[[Canvas, Stream, int, bool], None]
"""(canvas, stream of the side, turn, whether lamps are on)."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Places on the ground: x and z in metres, z backwards from the front.

    `grain` is noise of the ground's, `fine` of the picture's texels, 0 to 1; `foot` m: what a texel covers.
    """

    x: Floats
    z: Floats
    grain: Floats
    fine: Floats
    foot: Floats


Ground = Callable[[Spot], Floats]
"""Colours (..., 3)."""

PLASTERS: tuple[Colour, ...] = (
    (226, 214, 190), (206, 172, 132), (186, 104, 84), (232, 228, 218), (170, 182, 186), (204, 190, 150), (146, 84, 68),
)  # fmt: skip
ROOFS: tuple[Colour, ...] = ((138, 76, 58), (92, 88, 90), (112, 70, 56), (74, 78, 88))
GREENS: tuple[Colour, ...] = ((86, 124, 58), (68, 104, 52), (104, 132, 64), (58, 92, 60))
_GLASS: Colour = (72, 88, 104)
_LAMPLIT: tuple[Colour, ...] = ((255, 214, 140), (250, 196, 120), (255, 232, 180), (228, 224, 210))


_BARK: tuple[Colour, ...] = ((94, 74, 58), (78, 66, 56), (112, 96, 80))
_CARS: tuple[Colour, ...] = ((150, 42, 38), (52, 74, 118), (196, 198, 200), (58, 60, 64), (224, 222, 214), (70, 96, 82))


def _dim(colour: Colour, share: float) -> Floats:
    return np.asarray(colour, np.float64) * share


def house(
    c: Canvas, s: Stream, at: tuple[float, float, float], floors: int, evening: bool, gable: bool, flat: bool = False
) -> None:
    """A front of (distance, x0, x1) with windows in rows, a door below and a roof above; its sides go back from it."""
    distance, x0, x1 = at
    wall, tiles = s.choice(PLASTERS), s.choice(ROOFS)
    step = 2.9
    top = floors * step + 0.5
    wide = x1 - x0
    middle = (x0 + x1) / 2
    far = distance + 7
    c.shadow(distance, middle, wide * 0.62, 1.6, 0.45)
    if gable:
        peak = top + wide * 0.36
        for back in (7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.4):
            c.slope(distance + back, (top - 0.2, peak), (x0 - 0.4, x1 + 0.4), (middle, middle), tiles)
    elif flat:
        c.rectangle(distance + 0.5, x0, x1, top, top + 0.5, _dim(wall, 0.8))
    else:
        c.slope(
            distance + 2,
            (top - 0.2, top + 2.6),
            (x0 * 1.04, x1 * 1.04),
            (x0 * 1.04 + 0.8, x1 * 1.04 - 0.8),
            tiles,
            0.34,
        )
        for k in range(s.between(1, 2)):
            x = x0 + wide * (0.2 + 0.5 * k)
            c.rectangle(distance + 3, x, x + 0.7, top + 1.2, top + 3.4, (146, 92, 76), 0.2)
            c.rectangle(distance + 3, x + 0.45, x + 0.7, top + 1.2, top + 3.4, (104, 66, 56), 0.2)
            c.rectangle(distance + 3, x - 0.08, x + 0.78, top + 3.25, top + 3.45, (92, 84, 80))
    if not flat:
        c.flank(x0 if x0 > 0 else x1, distance, far, 0.0, top, _dim(wall, 0.72))
    c.rectangle(distance, x0, x1, 0.0, top, wall, 0.16)
    if gable:
        c.slope(distance, (top - 0.1, top + wide * 0.34), (x0, x1), (middle, middle), wall, rough=0.16)
        if wide > 5:
            _window(c, s, distance, middle, top - 0.1 + wide * 0.06, evening, wall)
        for way in (-1, 1):
            end = middle + way * (wide / 2 + 0.4)
            low = (min(end, end - 0.3 * way), max(end, end - 0.3 * way))
            tip = (min(middle, middle - 0.3 * way), max(middle, middle - 0.3 * way))
            c.slope(distance, (top - 0.2, top + wide * 0.36), low, tip, (228, 224, 214))
    c.rectangle(distance, x0, x1, 0.0, 0.5, (118, 112, 106), 0.2)
    if not gable:
        c.rectangle(distance, x0, x1, top - 0.62, top - 0.22, _dim(wall, 0.74))
        c.rectangle(distance, x0 - 0.1, x1 + 0.1, top - 0.22, top, (232, 228, 220))
    c.rectangle(distance, x1 - 0.2, x1 - 0.08, 0.0, top - 0.2, (112, 112, 112))
    columns = max(1, int(wide / 2.1))
    door = s.below(columns)
    balcony = s.below(columns) if flat or s.chance(25) else -1
    for k in range(columns):
        middle = x0 + wide * (2 * k + 1) / (2 * columns)
        for floor in range(floors):
            base = floor * step + 1.2
            if floor == 0 and k == door:
                _door(c, s, distance, middle)
            else:
                _window(c, s, distance, middle, base, evening, wall)
                if floor and k == balcony:
                    _balcony(c, distance, middle, floor * step + 0.25, wall)


def _door(c: Canvas, s: Stream, distance: float, x: float) -> None:
    paint = s.choice(((116, 46, 42), (46, 70, 88), (58, 84, 62), (96, 70, 50)))
    c.rectangle(distance, x - 0.7, x + 0.7, 0.3, 2.65, (232, 228, 220))
    c.rectangle(distance, x - 0.55, x + 0.55, 0.3, 2.5, paint)
    c.rectangle(distance, x - 0.55, x + 0.55, 2.3, 2.5, _dim(paint, 0.5))
    c.rectangle(distance, x - 0.3, x + 0.3, 1.5, 2.15, (92, 108, 122))
    c.rectangle(distance, x - 0.3, x + 0.3, 0.6, 1.3, _dim(paint, 0.8))
    c.rectangle(distance, x - 0.9, x + 0.9, 0.0, 0.3, (172, 168, 160), 0.2)
    c.rectangle(distance - 0.5, x - 0.95, x + 0.95, 2.66, 2.78, (206, 202, 194))
    c.rectangle(distance, x - 0.9, x + 0.9, 2.5, 2.62, _dim((150, 146, 140), 0.7))


def _balcony(c: Canvas, distance: float, x: float, floor: float, wall: Colour) -> None:
    """A slab with a balustrade before it, and its shadow on the wall."""
    near = distance - 1.0
    c.rectangle(distance, x - 1.0, x + 1.15, floor - 0.75, floor - 0.1, _dim(wall, 0.62))
    c.rectangle(near, x - 0.98, x + 0.98, floor - 0.14, floor + 0.02, (190, 186, 178))
    c.rectangle(near, x - 0.98, x + 0.98, floor - 0.2, floor - 0.14, (116, 112, 108))
    for k in range(9):
        bar = x - 0.96 + k * 0.24
        c.rectangle(near, bar - 0.02, bar + 0.02, floor, floor + 0.95, (62, 64, 66))
    c.rectangle(near, x - 0.98, x + 0.98, floor + 0.92, floor + 0.98, (56, 58, 60))


def _window(c: Canvas, s: Stream, distance: float, middle: float, base: float, evening: bool, wall: Colour) -> None:
    """Set back into the wall: dark above and on one side, bright on the other and on its sill."""
    low, high = base, base + 1.38
    c.rectangle(distance, middle - 0.66, middle + 0.66, low - 0.02, high + 0.1, _dim(wall, 1.1))
    c.rectangle(distance, middle - 0.6, middle + 0.6, low - 0.02, high + 0.1, _dim(wall, 0.5))
    c.rectangle(distance, middle + 0.52, middle + 0.6, low, high + 0.02, _dim(wall, 0.92))
    c.rectangle(distance, middle - 0.53, middle + 0.53, low, high, (240, 238, 232))
    if evening and s.chance(45):
        c.glow(distance, middle - 0.46, middle + 0.46, low + 0.07, high - 0.07, s.choice(_LAMPLIT))
    else:
        c.rectangle(distance, middle - 0.46, middle + 0.46, low + 0.07, high - 0.07, (58, 70, 84))
        c.rectangle(distance, middle - 0.46, middle + 0.46, low + 0.6, high - 0.07, (98, 120, 142), 0.5)
        if s.chance(40):
            c.rectangle(distance, middle - 0.46, middle - 0.22, low + 0.07, high - 0.07, (204, 200, 192))
            c.rectangle(distance, middle + 0.22, middle + 0.46, low + 0.07, high - 0.07, (204, 200, 192))
    c.rectangle(distance, middle - 0.035, middle + 0.035, low, high, (236, 234, 228))
    c.rectangle(distance, middle - 0.7, middle + 0.7, low - 0.1, low, (226, 222, 214))
    c.rectangle(distance, middle - 0.66, middle + 0.7, low - 0.19, low - 0.1, _dim(wall, 0.62))


def row(c: Canvas, s: Stream, distance: float, floors: tuple[int, int], evening: bool, flat: bool = False) -> None:
    """Houses wall to wall across the whole side."""
    x = -distance - s.between(0, 400) / 100
    while x < distance:
        wide = s.between(560, 1100) / 100
        gable = not flat and s.chance(25)
        house(c, s, (distance, x, x + wide), s.between(*floors), evening, gable, flat)
        x += wide


def tree(c: Canvas, s: Stream, distance: float, x: float, conifers: int = 12) -> None:
    """With a bush or two at its foot now and then; `conifers`: per cent."""
    kind = 3 if s.chance(conifers) else s.below(3)
    high, colour, bark = s.between(450, 980) / 100, s.choice(GREENS), s.choice(_BARK)
    if kind == 3:
        colour = (52, 80, 58)
    c.shadow(distance, x, high * 0.3, high * 0.22, 0.5)
    c.plant(distance, x, high, c.plants[kind], colour, bark)
    if s.chance(55):
        bush(c, s, distance - 0.4, x + s.between(-14, 14) / 10)
    c.plant(distance - 0.3, x + 0.1, 0.55, c.plants[4], colour, bark)


def bush(c: Canvas, s: Stream, distance: float, x: float) -> None:
    high, colour = s.between(90, 190) / 100, s.choice(GREENS)
    c.shadow(distance, x, high * 0.5, high * 0.4, 0.45)
    c.plant(distance, x, high, c.plants[4], colour, _BARK[0])


def bushes(c: Canvas, s: Stream, distance: float, count: int) -> None:
    for _ in range(count):
        bush(c, s, distance, s.between(-92, 92) / 100 * distance)


def flowers(c: Canvas, s: Stream, distance: float, x0: float, x1: float) -> None:
    """A bed of low leaves with dots of colour."""
    colour = s.choice(((196, 60, 66), (226, 186, 70), (232, 226, 220), (150, 96, 170), (220, 120, 140)))
    c.shadow(distance, (x0 + x1) / 2, (x1 - x0) / 2, 0.7, 0.5)
    x = x0
    while x < x1:
        c.plant(distance, x, s.between(45, 80) / 100, c.plants[4], s.choice(GREENS), _BARK[0])
        for _ in range(4):
            y = s.between(20, 55) / 100
            c.disc(distance, x + s.between(-25, 25) / 100, y, 0.045, colour)
        x += 0.45


def trees(c: Canvas, s: Stream, distance: float, count: int, conifers: int = 12) -> None:
    for _ in range(count):
        tree(c, s, distance, s.between(-88, 88) / 100 * distance, conifers)


def treeline(c: Canvas, s: Stream, distance: float, high: float, colour: Colour) -> None:
    """A wood far away: its dark foot, and the trees before it."""
    heights = high * (0.3 + 0.3 * noise(s, (1, SIDE), (1, 40), 2)[0])
    c.ridge(distance * 1.1, heights, (colour[0] * 3 // 4, colour[1] * 3 // 4, colour[2] * 3 // 4), 0.6)
    x = -distance
    while x < distance * 1.02:
        tall = high * s.between(70, 125) / 100
        tint = s.between(84, 112) / 100
        leaves = (int(colour[0] * tint), int(colour[1] * tint), int(colour[2] * tint))
        c.plant(distance, x, tall, c.plants[s.below(4)], leaves, _BARK[1])
        x += tall * s.between(22, 46) / 100
    c.ridge(distance * 0.98, high * 0.1 * (0.6 + noise(s, (1, SIDE), (1, 60), 2)[0]), colour, 0.9)


def car(c: Canvas, s: Stream, distance: float, x: float) -> None:
    """From its side."""
    paint = s.choice(_CARS)
    c.shadow(distance - 0.2, x, 2.3, 0.9, 0.75)
    c.slope(distance, (0.85, 1.42), (x - 1.55, x + 1.35), (x - 1.0, x + 0.65), _dim(paint, 0.9))
    c.slope(distance, (0.9, 1.34), (x - 1.4, x - 0.12), (x - 0.93, x - 0.12), (50, 60, 70))
    c.slope(distance, (0.9, 1.34), (x - 0.02, x + 1.18), (x - 0.02, x + 0.6), (58, 70, 82))
    c.slope(distance, (0.3, 0.9), (x - 2.1, x + 2.1), (x - 2.0, x + 1.95), paint)
    c.rectangle(distance, x - 2.05, x + 2.05, 0.72, 0.8, np.minimum(_dim(paint, 1.25), 255.0))
    c.rectangle(distance, x - 2.1, x + 2.1, 0.26, 0.4, (40, 40, 42))
    c.rectangle(distance, x - 0.08, x - 0.05, 0.4, 0.9, _dim(paint, 0.6))
    c.rectangle(distance, x + 1.88, x + 2.06, 0.62, 0.76, (236, 232, 214))
    c.rectangle(distance, x - 2.06, x - 1.92, 0.62, 0.78, (170, 40, 36))
    for wheel in (-1.3, 1.3):
        c.disc(distance, x + wheel, 0.32, 0.34, (34, 34, 36))
        c.disc(distance, x + wheel, 0.32, 0.19, (168, 170, 172))


def cars(c: Canvas, s: Stream, distance: float) -> None:
    """A row of parked ones, with gaps."""
    x = -distance - 1.0
    while x < distance + 2:
        if s.chance(55):
            car(c, s, distance, x)
        x += s.between(500, 640) / 100


def lamp(c: Canvas, distance: float, x: float, evening: bool) -> None:
    c.rectangle(distance, x - 0.07, x + 0.07, 0.0, 5.0, (70, 72, 76))
    c.rectangle(distance, x - 0.12, x + 0.12, 0.0, 0.8, (58, 60, 64))
    c.rectangle(distance, x - 0.07, x + 1.0, 4.95, 5.05, (70, 72, 76))
    c.rectangle(distance, x + 0.5, x + 1.1, 4.85, 4.98, (96, 98, 102))
    if evening:
        c.glow(distance, x + 0.55, x + 1.05, 4.78, 4.86, (255, 240, 200))


def pickets(c: Canvas, s: Stream, distance: float, x0: float, x1: float) -> None:
    """A low garden fence with gaps between its boards."""
    colour = s.choice(((226, 222, 212), (140, 112, 84), (110, 92, 76)))
    c.rectangle(distance, x0, x1, 0.25, 0.33, _dim(colour, 0.8))
    c.rectangle(distance, x0, x1, 0.68, 0.76, _dim(colour, 0.8))
    for k in range(int((x1 - x0) / 0.18)):
        x = x0 + k * 0.18
        c.rectangle(distance, x, x + 0.11, 0.08, 0.95, colour)


def shed(c: Canvas, s: Stream, distance: float, x: float) -> None:
    boards = s.choice(((132, 100, 72), (96, 110, 96), (112, 74, 60)))
    c.shadow(distance, x, 2.0, 0.8, 0.5)
    c.flank(x - 1.3 if x > 0 else x + 1.3, distance, distance + 1.8, 0.0, 1.95, _dim(boards, 0.62))
    for back in (1.8, 1.2, 0.6, 0.2):
        c.slope(distance + back, (1.85, 2.7), (x - 1.5, x + 1.5), (x, x), (78, 74, 74))
    c.rectangle(distance, x - 1.3, x + 1.3, 0.0, 1.95, boards, 0.25)
    c.slope(distance, (1.9, 2.62), (x - 1.3, x + 1.3), (x, x), boards)
    for k in range(1, 13):
        c.rectangle(distance, x - 1.3, x + 1.3, k * 0.15 - 0.015, k * 0.15, _dim(boards, 0.66))
    c.rectangle(distance, x - 0.45, x + 0.4, 0.05, 1.8, _dim(boards, 0.78), 0.2)
    c.rectangle(distance, x + 0.62, x + 1.12, 1.0, 1.5, (92, 108, 118))


def hills(c: Canvas, s: Stream, distance: float, high: float, colour: Colour) -> None:
    """A ridge whose ends are level with its neighbours'."""
    edge = np.abs(np.arange(SIDE) * 2.0 / SIDE - 1.0)
    level = 0.5 + (noise(s, (1, SIDE), (1, 3), 4)[0] - 0.5) * np.clip((1 - edge) * 4, 0, 1)
    c.ridge(distance, high * level, colour, 0.12)


def hedge(c: Canvas, s: Stream, distance: float, high: float) -> None:
    colour = GREENS[1]
    heights = high + 0.2 * noise(s, (1, SIDE), (1, 60), 2)[0]
    for x in (-0.7, 0.0, 0.7):
        c.shadow(distance, x * distance, distance * 0.5, 0.6, 0.4)
    c.ridge(distance, heights, colour, 0.9)
    x = -distance
    while x < distance * 1.02:
        c.plant(distance - 0.2, x, high * s.between(60, 122) / 100, c.plants[4], colour, _BARK[0])
        x += high * s.between(30, 60) / 100


def fence(c: Canvas, s: Stream, distance: float) -> None:
    """Upright boards, their rails and posts, no two of one tone."""
    colour = (142, 116, 90)
    c.shadow(distance, 0.0, distance * 2, 0.5, 0.5)
    c.rectangle(distance, -distance - 1, distance + 1, 0.0, 1.7, colour, 0.2)
    for k in range(int(-distance * 4), int(distance * 4)):
        c.rectangle(
            distance, k / 4, k / 4 + 0.235, 0.05, 1.66 + s.below(3) / 50, _dim(colour, s.between(84, 108) / 100)
        )
        c.rectangle(distance, k / 4 - 0.015, k / 4, 0.0, 1.7, (72, 60, 50))
    for k in range(int(-distance / 2), int(distance / 2) + 1):
        c.rectangle(distance - 0.1, k * 2.0 - 0.06, k * 2.0 + 0.06, 0.0, 1.82, _dim(colour, 0.8))


def tower(c: Canvas, s: Stream, distance: float, x0: float, wide: float, high: float, evening: bool) -> None:
    """A tall block: bands or a grid of glass."""
    wall = s.choice(((176, 172, 166), (140, 148, 156), (198, 188, 170), (116, 110, 108), (160, 128, 108)))
    side = x0 if x0 > 0 else x0 + wide
    c.flank(side, distance, distance + wide * 0.7, 0.0, high, _dim(wall, 0.66))
    c.rectangle(distance, x0, x0 + wide, 0.0, high, wall, 0.08)
    c.rectangle(distance, x0, x0 + wide, high - 0.9, high, _dim(wall, 1.12))
    c.rectangle(distance, x0 + wide * 0.3, x0 + wide * 0.6, high, high + 2.6, _dim(wall, 0.7))
    c.rectangle(distance, x0, x0 + wide, 0.0, 3.6, _dim(wall, 0.5))
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
        bushes(c, s, 18.4, 5)
        trees(c, s, 17.0, 2)
        cars(c, s, 14.6)
        for x in (-9.0, 5.0):
            lamp(c, 15.8, x, evening)
        if s.chance(60):
            pickets(c, s, 6.8, -6.8, -1.2)
            pickets(c, s, 6.8, 0.6, 6.8)
        bushes(c, s, 6.4, 2)
    elif turn == 2:
        house(c, s, (36.0, -9.0, 3.0), 2, evening, True)
        trees(c, s, 24.0, 6)
        fence(c, s, 14.0)
        bushes(c, s, 13.4, 5)
        shed(c, s, 12.6, s.between(-80, 80) / 10)
        trees(c, s, 11.0, 1)
        flowers(c, s, 9.0, 1.0, 4.5)
    else:
        house(c, s, (20.0, -7.0, 5.0), 2, evening, True)
        trees(c, s, 17.0, 3)
        bushes(c, s, 15.0, 4)
        fence(c, s, 13.0)
        bushes(c, s, 9.0, 2)


def facade(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    """Blocks of flats close by, as round a yard."""
    distance = (11.0, 17.0, 13.0, 20.0)[turn]
    row(c, s, distance, (4, 6), evening, True)
    bushes(c, s, distance - 0.8, 3)
    if turn % 2:
        cars(c, s, distance - 2.6)
        trees(c, s, 9.0, 1)
    else:
        lamp(c, distance - 2.5, s.between(-60, 60) / 10, evening)
        bushes(c, s, 7.0, 2)


def garden(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    treeline(c, s, 60.0, 9.0, GREENS[1])
    if turn == 2:
        house(c, s, (34.0, -6.0, 7.0), 2, evening, True)
    trees(c, s, 18.0, s.between(3, 6))
    hedge(c, s, 11.0, 1.5)
    if turn % 2:
        shed(c, s, 10.4, s.between(-70, 70) / 10)
    bushes(c, s, 9.8, 3)
    trees(c, s, 8.5, s.between(0, 1))
    start = s.between(-60, 20) / 10
    flowers(c, s, 7.6, start, start + 3.5)


def woods(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    treeline(c, s, 70.0, 14.0, GREENS[3])
    for distance, count in ((40.0, 14), (26.0, 9), (17.0, 6)):
        trees(c, s, distance, count, 40)
        bushes(c, s, distance - 2, 4)
    bushes(c, s, 13.0, 6)
    if turn % 2:
        trees(c, s, 10.0, 2, 40)
    bushes(c, s, 8.0, 2)


def suburb(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    treeline(c, s, 80.0, 8.0, GREENS[2])
    trees(c, s, 38.0, 5)
    middle = s.between(-120, 20) / 10
    house(c, s, (24.0, middle + 11.0, middle + 20.0), s.between(1, 2), evening, s.chance(50))
    house(c, s, (21.0, middle - 5.0, middle + 6.0), s.between(1, 2), evening, True)
    bushes(c, s, 20.0, 4)
    trees(c, s, 17.0, 2)
    if turn == 0:
        cars(c, s, 14.0)
        lamp(c, 12.6, s.between(-90, 90) / 10, evening)
        pickets(c, s, 7.0, -7.0, 1.0)
    else:
        hedge(c, s, 11.0, 0.9)
        flowers(c, s, 9.6, -3.0, 1.0)
    bushes(c, s, 8.0, 2)


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
    trees(c, s, 70.0, s.between(3, 7))
    trees(c, s, 45.0, s.between(1, 4))
    bushes(c, s, 30.0, 5)
    _posts(c, 13.0)
    trees(c, s, 12.0, s.between(0, 1))
    bushes(c, s, 12.6, 3)


def _posts(c: Canvas, distance: float) -> None:
    """A fence of posts and wires."""
    for k in range(int(-distance / 2.5), int(distance / 2.5) + 1):
        c.rectangle(distance, k * 2.5 - 0.05, k * 2.5 + 0.05, 0.0, 1.15, (112, 96, 78), 0.2)
    for y in (0.4, 0.7, 1.0):
        c.rectangle(distance, -distance - 1, distance + 1, y, y + 0.025, (112, 110, 106))


def coast(c: Canvas, s: Stream, turn: int, evening: bool) -> None:
    if turn == 0:
        hills(c, s, 2500.0, 60.0, (120, 132, 142))
    elif turn == 2:
        treeline(c, s, 60.0, 7.0, GREENS[2])
        row(c, s, 34.0, (1, 2), evening)
    else:
        treeline(c, s, 110.0, 6.0, GREENS[2])
        trees(c, s, 30.0, 2)
        bushes(c, s, 20.0, 5)
    if turn != 0:
        bushes(c, s, 12.0, 4)
        _posts(c, 9.0)


def _mixed(a: Colour, b: Colour, share: Floats) -> Floats:
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return first + (second - first) * share[..., None]


def _band(at: Floats, low: float, high: float, foot: Floats) -> Floats:
    """The share of a texel between low and high."""
    inside = np.minimum(np.minimum(at - low, high - at) / foot + 0.5, (high - low) / foot)
    return np.clip(inside, 0.0, 1.0)


def _blend(colours: Floats, other: Floats | Colour, share: Floats) -> None:
    hit = share > 0
    before, new = colours[hit], np.asarray(other, np.float64)
    colours[hit] = before + ((new if new.ndim == 1 else new[hit]) - before) * share[hit][:, None]


def _blend_two(colours: Floats, a: Colour, b: Colour, tone: Floats, share: Floats) -> None:
    """Over what lies below: `a` where tone is 0, `b` where it is 1."""
    hit = share > 0
    before = colours[hit]
    colours[hit] = before + (_mixed(a, b, tone[hit]) - before) * share[hit][:, None]


def _grass(p: Spot, dry: Colour, lush: Colour, blades: float = 0.5) -> Floats:
    colours = _mixed(dry, lush, p.grain)
    return colours * (1 - blades / 2 + blades * p.fine)[..., None]


def lawn(p: Spot) -> Floats:
    """Grass with daisies, and a path of slabs that leads away from the building."""
    colours = _grass(p, (84, 112, 48), (134, 154, 76))
    colours[(p.fine > 0.985) & (p.foot < 0.12)] = (226, 224, 206)
    path = _band(p.x, 0.2, 1.4, np.minimum(p.foot, 0.1 + 0.02 * np.abs(p.z)))
    along = p.z / 0.6 - np.floor(p.z / 0.6)
    _blend(colours, (96, 94, 74), path)
    _blend_two(
        colours, (156, 150, 140), (184, 178, 168), p.grain * 0.5 + p.fine * 0.5, path * ((along > 0.1) | (p.foot > 0.4))
    )
    return colours


def street_ground(p: Spot) -> Floats:
    """A front garden, pavements and a road along x before the front."""
    colours = lawn(p)
    slabs = p.x / 0.9 - np.floor(p.x / 0.9)
    joints = np.where((slabs < 0.04) & (p.foot < 0.6), 0.8, 1.0)
    mix = 0.5 * p.grain + 0.5 * p.fine
    _blend_two(colours, (120, 116, 110), (184, 180, 170), mix * joints, _band(p.z, -17.5, -7.0, p.foot))
    _blend(colours, (196, 194, 188), _band(p.z, -15.7, -8.8, p.foot))
    _blend_two(colours, (72, 72, 76), (102, 102, 106), 0.5 * p.grain + 0.5 * p.fine, _band(p.z, -15.5, -9.0, p.foot))
    dashes = p.x / 4 - np.floor(p.x / 4) < 0.5
    _blend(colours, (214, 212, 204), _band(p.z, -12.34, -12.16, p.foot) * dashes)
    return colours


def yard(p: Spot) -> Floats:
    """Paving with beds of grass."""
    colours = _mixed((132, 126, 118), (170, 164, 154), 0.6 * p.grain + 0.4 * p.fine)
    u, v = p.x / 0.8 - np.floor(p.x / 0.8), p.z / 0.8 - np.floor(p.z / 0.8)
    colours[((u < 0.06) | (v < 0.06)) & (p.foot < 0.5)] *= 0.78
    beds = np.minimum(np.abs(p.x) - 5, np.abs(p.z) - 5)
    _blend(colours, (188, 184, 176), np.clip((beds + 0.15) / p.foot + 0.5, 0, 1))
    _blend(colours, _grass(p, (76, 102, 46), (118, 142, 72)), np.clip(beds / p.foot + 0.5, 0, 1))
    return colours


def forest_floor(p: Spot) -> Floats:
    """Moss, needles and fallen leaves, and a trodden path."""
    colours = _grass(p, (62, 82, 40), (112, 118, 64), 0.6)
    colours[(p.fine > 0.93) & (p.foot < 0.2)] = (150, 106, 62)
    bend = p.x - 1.2 + 2.2 * (p.grain - 0.5)
    _blend_two(colours, (134, 116, 90), (160, 142, 114), p.fine, _band(bend, -0.8, 0.8, np.maximum(p.foot, 0.3)) * 0.85)
    return colours


def meadow(p: Spot) -> Floats:
    """A suburb's lawns, with a road before its front."""
    colours = lawn(p)
    _blend(colours, (178, 174, 166), _band(p.z, -16.6, -11.6, p.foot))
    _blend_two(colours, (76, 76, 80), (104, 104, 108), 0.5 * p.grain + 0.5 * p.fine, _band(p.z, -16.4, -12.9, p.foot))
    return colours


def city(p: Spot) -> Floats:
    """Blocks of roofs and squares between streets, from above."""
    block = 64.0
    u, v = p.x / block - np.floor(p.x / block), p.z / block - np.floor(p.z / block)
    number = np.floor(p.x / block) * 7 + np.floor(p.z / block) * 13
    roof = np.floor(u * 3) + 3 * np.floor(v * 3) + number
    tone = (roof * 37 - np.floor(roof * 37 / 64) * 64) / 64
    colours = _mixed((88, 86, 86), (150, 148, 146), tone)
    park = number - np.floor(number / 5) * 5 == 0
    colours[park] = _grass(p, (70, 100, 48), (116, 140, 74))[park]
    foot = p.foot / block
    lanes = np.maximum(_band(u, -1.0, 0.2, foot), _band(v, -1.0, 0.2, foot))
    _blend(colours, (112, 112, 114), lanes)
    middle = np.maximum(_band(u, 0.096, 0.104, foot), _band(v, 0.096, 0.104, foot))
    _blend(colours, (206, 204, 196), middle)
    return colours * (0.88 + 0.14 * p.grain + 0.1 * p.fine)[..., None]


def crops(p: Spot) -> Floats:
    """Meadow close by; beyond, fields of grass and of corn in rows."""
    number = np.floor(p.x / 70 + 0.4) * 5 + np.floor(p.z / 50 + 0.3) * 3
    share = (number - np.floor(number / 4) * 4) / 3
    colours = _mixed((112, 138, 62), (200, 178, 104), share) * (0.74 + 0.24 * p.grain + 0.28 * p.fine)[..., None]
    near = np.clip((14.0 - np.maximum(np.abs(p.x), np.abs(p.z))) / p.foot + 0.5, 0, 1)
    _blend(colours, lawn(p), near)
    return colours


def shore(p: Spot) -> Floats:
    """Dunes, sand, and the sea before the front."""
    colours = _mixed((186, 172, 134), (218, 202, 166), 0.6 * p.grain + 0.4 * p.fine)
    dunes = np.clip((p.z + 14.0 + 4 * (p.grain - 0.5)) / np.maximum(p.foot, 0.5) + 0.5, 0, 1)
    _blend(colours, _grass(p, (110, 124, 72), (164, 164, 112)), dunes)
    line = p.z + 3 * (p.grain - 0.5)
    soft = np.maximum(p.foot * 1.5, 0.5)
    _blend(colours, (158, 144, 114), _band(line, -33.0, -28.5, soft) * 0.7)
    deep = np.clip(-p.z / 900, 0, 1)
    waves = 0.86 + 0.16 * p.grain + 0.12 * p.fine
    sea = _mixed((84, 132, 142), (62, 104, 138), np.sqrt(deep)) * waves[..., None]
    _blend(colours, sea, np.clip((-31.0 - line) / soft + 0.5, 0, 1))
    _blend(colours, (228, 232, 230), _band(line, -32.2, -30.6, soft) * 0.8)
    _blend(colours, (214, 222, 222), _band(line, -37.6, -36.4, soft) * 0.45)
    return colours


SITES: dict[str, tuple[Site, Ground]] = {
    "street": (street, street_ground),
    "facade": (facade, yard),
    "garden": (garden, lawn),
    "woods": (woods, forest_floor),
    "suburb": (suburb, meadow),
    "towers": (towers, city),
    "fields": (fields, crops),
    "coast": (coast, shore),
}
"""Painter of a side, and the ground, by the site's name."""
