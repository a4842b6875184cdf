"""What stands round buildings, painted for the views through the windows: trees, hedges, fences, cars and lamps."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.outside.buildings import dim
from nav_eval_worlds.outside.canvas import SIDE, Canvas
from nav_eval_worlds.surfaces.noise import Colour, noise

GREENS: tuple[Colour, ...] = ((92, 118, 62), (76, 102, 56), (110, 126, 66), (68, 94, 64), (98, 110, 58))
_BARK: tuple[Colour, ...] = ((94, 78, 64), (80, 70, 62), (116, 104, 90))
_CARS: tuple[Colour, ...] = (
    (138, 46, 42), (54, 72, 106), (190, 192, 194), (58, 60, 64), (214, 212, 206), (72, 92, 82), (122, 126, 130),
    (150, 136, 112),
)  # fmt: skip
_LAMP: Colour = (255, 226, 170)


def tree(c: Canvas, s: Stream, distance: float, x: float, conifers: int = 12) -> None:
    """With a bush or two at its foot now and then; `conifers`: per cent."""
    kind = 3 if s.chance(conifers) else s.below(3)
    high, colour, bark = s.between(450, 980) / 100, s.choice(GREENS), s.choice(_BARK)
    if kind == 3:
        colour = (62, 84, 64)
    c.shade(distance, x, high * (0.16 if kind > 1 else 0.3), high * 0.75, 0.46)
    c.plant(distance, x, high, c.plants[kind], colour, bark)
    if s.chance(40):
        bush(c, s, distance - 0.4, x + s.between(-14, 14) / 10)
    c.plant(distance - 0.3, x + 0.1, 0.5, c.plants[4], colour, bark)


def bush(c: Canvas, s: Stream, distance: float, x: float) -> None:
    high, colour = s.between(80, 170) / 100, s.choice(GREENS)
    c.shade(distance, x, high * 0.5, high * 0.5, 0.4)
    c.plant(distance, x, high, c.plants[4], colour, _BARK[0])


def bushes(c: Canvas, s: Stream, distance: float, count: int) -> None:
    """In groups, as one plants them."""
    while count > 0:
        x = s.between(-92, 92) / 100 * distance
        for k in range(min(count, s.between(1, 3))):
            bush(c, s, distance + 0.3 * k, x + k * s.between(70, 130) / 100)
            count -= 1


def flowers(c: Canvas, s: Stream, distance: float, x0: float, x1: float) -> None:
    """A bed of low leaves with dots of colour, no two plants alike."""
    colours = [
        s.choice(((186, 70, 74), (222, 190, 90), (228, 222, 214), (146, 104, 166), (212, 132, 146))) for _ in "ab"
    ]
    c.shadow(distance, (x0 + x1) / 2, (x1 - x0) / 2, 0.7, 0.5)
    x = x0
    while x < x1:
        high = s.between(35, 85) / 100
        c.plant(distance + s.between(0, 3) / 10, x, high, c.plants[4], s.choice(GREENS), _BARK[0])
        for _ in range(s.below(5)):
            y = high * s.between(20, 55) / 100
            c.disc(distance, x + s.between(-25, 25) / 100, y, s.between(2, 5) / 100, s.choice(colours))
        x += s.between(22, 60) / 100


def trees(c: Canvas, s: Stream, distance: float, count: int, conifers: int = 12) -> None:
    """At about that distance, those that stand further off first."""
    for k in range(count):
        tree(c, s, distance * (1.2 - 0.2 * k / count), s.between(-88, 88) / 100 * distance, conifers)


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
    c.soften()


def car(c: Canvas, s: Stream, distance: float, x: float) -> None:
    """From its side: a body with round ends, a roof over its windows, wheels in their arches."""
    paint = s.choice(_CARS)
    tall, back = s.between(140, 172) / 100, s.between(-10, 60) / 100
    c.shadow(distance - 0.2, x, 2.4, 0.9, 0.75)

    def body(at: Floats) -> Floats:
        u = (at - x) / 2.15
        square = u * u
        return np.asarray(0.28 + (0.68 - 0.1 * u) * np.clip(1 - square * square * square * square, 0, 1))

    def cabin(at: Floats, inset: float) -> Floats:
        u = (at - x + 0.1 - back) / (1.5 + back * 0.4 - inset)
        square = u * u
        return np.asarray(0.8 + (tall - 0.8 - inset * 0.5) * np.clip(1 - square * square, 0, 1))

    c.under(distance, x - 2.2, x + 2.2, 0.8, lambda at: cabin(at, 0.0), dim(paint, 0.92))
    c.under(distance, x - 2.2, x + 2.2, 0.92, lambda at: cabin(at, 0.16), (52, 60, 68))
    c.veil(distance, x - 1.1 + back, x + 1.0 + back, 1.12, tall - 0.12, c.haze * 0.8, 0.22)
    for pillar in (-0.15, 0.85):
        at = x + pillar + back * 0.6
        c.rectangle(distance, at - 0.05, at + 0.05, 0.9, tall - 0.06, dim(paint, 0.8))
    c.under(distance, x - 2.15, x + 2.15, 0.26, body, paint)
    c.veil(distance, x - 2.0, x + 2.0, 0.74, 0.84, np.minimum(dim(paint, 1.5), 235.0), 0.7)
    c.veil(distance, x - 2.05, x + 2.05, 0.26, 0.48, (36, 36, 38), 0.55)
    for line in (-0.6, 0.4):
        c.rectangle(distance, x + line, x + line + 0.03, 0.4, 0.9, dim(paint, 0.6))
        c.rectangle(distance, x + line - 0.28, x + line - 0.1, 0.74, 0.79, dim(paint, 0.5))
    c.rectangle(distance, x + 1.88, x + 2.08, 0.62, 0.74, (232, 228, 214))
    c.rectangle(distance, x - 2.1, x - 1.94, 0.64, 0.8, (160, 44, 40))
    for wheel in (-1.32, 1.32):
        c.disc(distance, x + wheel, 0.36, 0.4, (30, 30, 32))
        c.disc(distance, x + wheel, 0.33, 0.33, (44, 44, 46))
        c.disc(distance, x + wheel, 0.33, 0.2, (150, 152, 154))


def cars(c: Canvas, s: Stream, distance: float) -> None:
    """A row of parked ones, with gaps."""
    x = -distance - 1.0
    while x < distance + 2:
        if s.chance(60):
            car(c, s, distance, x)
        x += s.between(500, 640) / 100


def lamp(c: Canvas, distance: float, x: float) -> None:
    """A street lamp; in the evening with its light on the ground, on what stands by, and in the air."""
    c.shade(distance, x, 0.14, 4.6, 0.3)
    c.rectangle(distance, x - 0.06, x + 0.06, 0.0, 5.0, (70, 72, 76))
    c.rectangle(distance, x - 0.1, x + 0.1, 0.0, 0.8, (58, 60, 64))
    c.rectangle(distance, x - 0.05, x + 1.0, 4.95, 5.03, (70, 72, 76))
    c.rectangle(distance, x + 0.5, x + 1.1, 4.85, 4.98, (96, 98, 102))
    if c.evening:
        c.pool(distance, x + 0.8, 6.5, (112, 88, 52))
        c.halo(distance, x + 0.8, 2.6, 5.0, (46, 36, 20))
        c.halo(distance, x + 0.8, 4.82, 1.5, (190, 160, 104))
        c.glow(distance, x + 0.55, x + 1.05, 4.76, 4.88, _LAMP)


def pickets(c: Canvas, s: Stream, distance: float, x0: float, x1: float) -> None:
    """A low garden fence with gaps between its boards."""
    colour = s.choice(((216, 212, 202), (140, 116, 92), (110, 96, 82)))
    c.rectangle(distance, x0, x1, 0.25, 0.33, dim(colour, 0.8))
    c.rectangle(distance, x0, x1, 0.68, 0.76, dim(colour, 0.8))
    for k in range(int((x1 - x0) / 0.18)):
        x = x0 + k * 0.18
        c.rectangle(distance, x, x + 0.11, 0.08, 0.95, dim(colour, s.between(90, 106) / 100))


def shed(c: Canvas, s: Stream, distance: float, x: float) -> None:
    boards = s.choice(((132, 106, 82), (100, 110, 100), (116, 86, 74)))
    c.shade(distance, x, 1.8, 2.4, 0.45)
    c.flank(x - 1.3 if x > 0 else x + 1.3, distance, distance + 1.8, 0.0, 1.95, dim(boards, 0.62))
    for back in (1.8, 1.2, 0.6, 0.2):
        c.slope(distance + back, (1.85, 2.7), (x - 1.5, x + 1.5), (x, x), (86, 82, 80))
    c.rectangle(distance, x - 1.3, x + 1.3, 0.0, 1.95, boards, 0.25)
    c.slope(distance, (1.9, 2.62), (x - 1.3, x + 1.3), (x, x), boards)
    for k in range(1, 13):
        c.rectangle(distance, x - 1.3, x + 1.3, k * 0.15 - 0.015, k * 0.15, dim(boards, 0.7))
    c.rectangle(distance, x - 0.45, x + 0.4, 0.05, 1.8, dim(boards, 0.78), 0.2)
    c.rectangle(distance, x + 0.58, x + 1.16, 0.96, 1.54, dim(boards, 1.2))
    c.glass(distance, x + 0.62, x + 1.12, 1.0, 1.5, 0.4)


def hills(c: Canvas, s: Stream, distance: float, high: float, colour: Colour) -> None:
    """A ridge whose ends are level with its neighbours'."""
    edge = np.abs(np.arange(SIDE) * 2.0 / SIDE - 1.0)
    level = 0.5 + (noise(s, (1, SIDE), (1, 3), 4)[0] - 0.5) * np.clip((1 - edge) * 4, 0, 1)
    c.ridge(distance, high * level, colour, 0.2)
    c.soften()


def hedge(c: Canvas, s: Stream, distance: float, high: float) -> None:
    """Clipped, but no wall: leaves stand out of it."""
    colour = GREENS[s.choice((1, 3))]
    heights = high + 0.2 * noise(s, (1, SIDE), (1, 60), 2)[0]
    for x in (-0.7, 0.0, 0.7):
        c.shadow(distance, x * distance, distance * 0.5, 0.7, 0.45)
    c.ridge(distance, heights, colour, 0.9)
    x = -distance
    while x < distance * 1.02:
        c.plant(distance - 0.2, x, high * s.between(70, 128) / 100, c.plants[4], colour, _BARK[0])
        x += high * s.between(26, 52) / 100


def fence(c: Canvas, s: Stream, distance: float) -> None:
    """Boards and posts, grey with age or painted, no two of one tone."""
    colour = s.choice(((146, 128, 108), (128, 120, 110), (112, 92, 76), (150, 152, 146)))
    high = s.between(150, 185) / 100
    c.shadow(distance, 0.0, distance * 2, 0.6, 0.5)
    c.rectangle(distance, -distance - 1, distance + 1, 0.0, high, colour, 0.2)
    for k in range(int(-distance * 5), int(distance * 5)):
        tone = s.between(82, 108) / 100
        c.rectangle(distance, k / 5, k / 5 + 0.185, 0.05, high - 0.04 + s.below(3) / 60, dim(colour, tone), 0.16)
        c.rectangle(distance, k / 5 - 0.015, k / 5, 0.0, high, dim(colour, 0.5))
    for k in range(int(-distance / 2), int(distance / 2) + 1):
        c.rectangle(distance - 0.1, k * 2.0 - 0.06, k * 2.0 + 0.06, 0.0, high + 0.1, dim(colour, 0.8))
        c.rectangle(distance - 0.1, k * 2.0 + 0.03, k * 2.0 + 0.06, 0.0, high + 0.1, dim(colour, 0.6))


def posts(c: Canvas, distance: float) -> None:
    """A fence of posts and wires."""
    for k in range(int(-distance / 2.5), int(distance / 2.5) + 1):
        c.rectangle(distance, k * 2.5 - 0.05, k * 2.5 + 0.05, 0.0, 1.15, (116, 104, 90), 0.2)
    for y in (0.4, 0.7, 1.0):
        c.rectangle(distance, -distance - 1, distance + 1, y, y + 0.02, (116, 114, 110))
