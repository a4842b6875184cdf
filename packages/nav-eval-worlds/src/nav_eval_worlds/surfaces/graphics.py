"""Pictures that show nothing in particular or are drawn to be read: maps, plans, calligraphy, patterns, posters."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.exact import Floats, cos_turns, sin_turns
from nav_eval_worlds.surfaces.easel import Easel
from nav_eval_worlds.surfaces.noise import Colour

_INK: Colour = (38, 36, 40)
_PAPERS: tuple[Colour, ...] = ((240, 236, 226), (232, 226, 212), (246, 244, 238))
_PLACES = ("RIO", "CAPRI", "MALTA", "SICILIA", "KYOTO", "PORTO", "LIMA", "ALPES", "MIAMI", "CORSE", "BALI", "OSAKA")


def calligraphy(e: Easel) -> None:
    """Brush and ink: one ring, or columns of signs, or a line of flowing script; a red seal."""
    e.ground(e.stream.choice(_PAPERS))
    form = e.stream.below(3)
    if form == 0:
        _enso(e)
    elif form == 1:
        count = e.stream.between(1, 2)
        for k in range(count):
            _signs(e, e.wide * (k + 1) / (count + 1), e.stream.between(2, 4))
    else:
        for k in range(e.stream.between(1, 3)):
            _script(e, e.high * (0.3 + 0.2 * k), e.part(5, 9))
    x, y = e.wide * 0.82, e.high * 0.84
    e.box(x - 0.045, y - 0.045, x + 0.045, y + 0.045, (170, 50, 42))
    e.box(x - 0.02, y - 0.025, x + 0.02, y - 0.012, e.stream.choice(_PAPERS))
    e.image = e.image * (0.97 + 0.06 * e.grain(30))[..., None]


def _enso(e: Easel) -> None:
    """A ring in one stroke that runs dry."""
    x, y, r, turn = e.wide / 2, e.high * 0.47, e.part(27, 36), e.part(0, 100)
    hairs = e.grain(60, 3)
    for k in range(90):
        at = np.asarray([turn + k / 100])
        a, b = x + r * float(cos_turns(at)[0]), y + r * float(sin_turns(at)[0])
        thick = 0.035 + 0.05 * (1 - k / 90) + 0.012 * (k % 7 == 0)
        d = np.sqrt((e.x - a) * (e.x - a) + (e.y - b) * (e.y - b))
        e.fill(thick / 2 - d - np.clip(hairs - 1.15 + k / 140, 0, 1) * 0.12, _INK)


def _signs(e: Easel, x: float, count: int) -> None:
    """Invented signs, one below another: bars, a stem, sweeps to both sides."""
    side = e.high * 0.72 / count
    for k in range(count):
        y0, half = e.high * 0.1 + side * k, side * 0.36
        for row in range(e.stream.between(2, 4)):
            y, lean = y0 + side * (0.16 + 0.2 * row), e.part(-4, 2)
            reach = half * e.part(50, 100)
            e.leaf(x - reach, y, reach * 2, lean, 0.16, _INK)
        e.leaf(x + e.part(-4, 4), y0 + side * 0.08, e.part(-3, 3), side * 0.78, 0.14, _INK)
        for sign in (-1, 1):
            if e.stream.chance(70):
                e.leaf(x, y0 + side * 0.45, sign * half * e.part(70, 110), side * e.part(28, 42), 0.22, _INK)


def _script(e: Easel, y: float, tall: float) -> None:
    """A line of loops, thick where the pen goes down."""
    last, x, drift = (0.1, y), 0.1, e.part(0, 100)
    steps = int((e.wide - 0.2) * 90)
    for k in range(steps):
        at = np.asarray([k / 9.0 + drift, k / 23.0 + drift, k / 61.0])
        a, b, c = (float(value) for value in sin_turns(at - np.floor(at)))
        x += 0.011 + 0.011 * b
        if x > e.wide - 0.1:
            return
        here = (x + 0.03 * b, y + tall * a * (0.55 + 0.45 * c))
        e.stroke(*last, *here, 0.006 + (0.012 if here[1] > last[1] else 0.0), _INK)
        last = here


def city_map(e: Easel) -> None:
    """Streets between blocks, a river, parks: as printed in one or two inks, or in colours."""
    ink, paper = e.stream.choice(((_INK, _PAPERS[0]), (e.any(), _PAPERS[2]), (_PAPERS[2], (46, 58, 78))))
    e.ground(ink)
    tilt, cells, thin = e.part(-30, 30), e.stream.between(9, 15), e.part(10, 20)
    u = (e.x + tilt * e.y) * cells + 0.8 * (e.grain(2, 2) - 0.5) * cells * 0.25
    v = (e.y - tilt * e.x) * cells + 0.8 * (e.grain(2, 2) - 0.5) * cells * 0.25
    split = np.floor(u) + 3 * np.floor(v)
    u = np.where(split % 5 == 0, u * 2, u)
    v = np.where(split % 7 < 2, v * 2, v)
    near = np.minimum(np.abs(u - np.floor(u + 0.5)), np.abs(v - np.floor(v + 0.5)))
    e.fill((thin / 2 - near) / cells, paper)
    for _ in range(2):
        slope, x0 = e.part(-150, 150), e.part(20, 80) * e.wide
        away = np.abs(e.x - x0 - slope * (e.y - e.high / 2)) / (1 + abs(slope))
        e.fill(0.011 - away, paper)
    bend = e.part(20, 80) * e.high + 0.5 * (e.grain(2, 2)[:1] - 0.5)
    e.fill(e.part(3, 6) - np.abs(e.y - bend - 0.2 * (e.x - 0.5)), (150, 186, 204))
    e.fill((e.grain(3, 2) - 0.68) * 0.5, (142, 168, 120))
    if e.stream.chance(60):
        e.box(0, 0.84 * e.high, e.wide, e.high, _PAPERS[2])
        e.titled(e.stream.choice(_PLACES), 0.865 * e.high, _INK, 0.6, 0.08)
    e.matted(0.04)


def contours(e: Easel) -> None:
    """Lines of equal height."""
    dark = e.stream.chance(35)
    paper: Colour = e.any() if dark else e.stream.choice(_PAPERS)
    ink: Colour = (240, 236, 226) if dark else e.stream.choice((_INK, (130, 90, 60), (70, 96, 110)))
    e.ground(paper)
    height = e.grain(e.stream.between(2, 4), 2) * e.stream.between(14, 26)
    rows, columns = height.shape
    steep = np.ones((rows, columns))
    steep[1:, 1:] = np.abs(height[1:, 1:] - height[:-1, 1:]) + np.abs(height[1:, 1:] - height[1:, :-1])
    away = np.abs(height - np.floor(height + 0.5)) / np.maximum(steep, 0.02)
    every = np.where(np.floor(height + 0.5) % 5 == 0, 0.9, 0.45)
    e.fill((every - away) / 120, ink)
    e.matted(0.05)


def floor_plan(e: Easel) -> None:
    """An architect's drawing of a house's plan, dark on paper or white on blue."""
    blue = e.stream.chance(45)
    ink: Colour = (236, 240, 246) if blue else _INK
    e.ground((44, 74, 120) if blue else e.stream.choice(_PAPERS))
    rooms = [(0.14, 0.14, e.wide - 0.14, e.high - 0.3)]
    for _ in range(e.stream.between(4, 7)):
        rooms.sort(key=lambda r: (r[0] - r[2]) * (r[3] - r[1]))
        x0, y0, x1, y1 = rooms.pop(0)
        cut = e.part(36, 64)
        if x1 - x0 > y1 - y0:
            middle = x0 + (x1 - x0) * cut
            rooms += [(x0, y0, middle, y1), (middle, y0, x1, y1)]
        else:
            middle = y0 + (y1 - y0) * cut
            rooms += [(x0, y0, x1, middle), (x0, middle, x1, y1)]
    for x0, y0, x1, y1 in rooms:
        for line in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
            e.stroke(*line, 0.014, ink)
    for x0, y0, x1, y1 in rooms:
        r = min(x1 - x0, y1 - y0) * 0.34
        e.stroke(x0, y0 + 0.02, x0, y0 + 0.02 + r, 0.02, (44, 74, 120) if blue else (236, 232, 224))
        e.stroke(x0, y0 + 0.02, x0 + r, y0 + 0.02, 0.005, ink)
        e.ring((x0 + x1) / 2, (y0 + y1) / 2, r * 0.5, 0.005, ink)
        e.stroke(x0 + 0.04, y1 - 0.03, x0 + 0.04 + r, y1 - 0.03, 0.007, ink)
    for k in range(4):
        y = e.high - 0.2 + 0.035 * k
        e.stroke(0.14, y, 0.14 + e.part(16, 60), y, 0.007, ink)


def marbling(e: Easel) -> None:
    """Colours poured into each other, as on marbled paper."""
    warp = e.stream.between(2, 4) / 2
    field = e.grain(3, 3) * 2 + warp * e.grain(2, 2)
    veins = field * e.stream.between(3, 6) + 0.25 * e.grain(40)
    tones = np.asarray([e.any() for _ in range(3)] + [e.stream.choice(_PAPERS)], np.float64)
    at = np.floor(veins).astype(np.int64)
    share = np.clip((veins - at - 0.86) / 0.14, 0, 1)[..., None]
    e.image = tones[at % 4] * (1 - share) + tones[(at + 1) % 4] * share
    e.brushed(0.06)


def pattern(e: Easel) -> None:
    """Quarter discs, discs and triangles in a grid."""
    tones: list[Colour] = [*e.stream.shuffled(e.colours)[:3], e.stream.choice(_PAPERS)]
    count = e.stream.between(3, 5)
    side = e.wide / count if e.upright else e.high / count
    for row in range(int(e.high / side + 0.99)):
        for column in range(int(e.wide / side + 0.99)):
            x0, y0 = column * side, row * side
            e.box(x0, y0, x0 + side, y0 + side, e.stream.choice(tones))
            _motif(e, x0, y0, side, e.stream.choice(tones))


def _motif(e: Easel, x0: float, y0: float, side: float, tone: Colour) -> None:
    inside = np.minimum(np.minimum(e.x - x0, x0 + side - e.x), np.minimum(e.y - y0, y0 + side - e.y))
    form = e.stream.below(5)
    u, v = e.x - x0 - side * (e.stream.below(2)), e.y - y0 - side * (e.stream.below(2))
    shape: Floats
    if form < 3:
        shape = side - np.sqrt(u * u + v * v)
    elif form == 3:
        u, v = e.x - x0 - side / 2, e.y - y0 - side / 2
        shape = side * 0.36 - np.sqrt(u * u + v * v)
    else:
        shape = (side - np.abs(u) - np.abs(v)) * 0.7
    e.fill(np.minimum(inside, shape), tone)


def travel_poster(e: Easel) -> None:
    """Flat layers of land or sea under a great sun, and where to go."""
    first, second, third = e.any(), e.any(), e.any()
    e.ground(e.stream.choice((first, _PAPERS[1])), second)
    r = e.part(10, 20)
    e.ellipse(e.part(25, 75) * e.wide, e.part(20, 40) * e.high, r, r, (246, 226, 180))
    for k, tone in enumerate((second, third, first, _INK)[: e.stream.between(2, 4)]):
        own = (int(tone[0] * (1.0 - 0.14 * k)), int(tone[1] * (1.0 - 0.14 * k)), int(tone[2] * (1.0 - 0.1 * k)))
        e.land((0.44 + 0.11 * k) * e.high, e.part(6, 40), e.stream.between(2, 6), own)
    form, x, y = e.stream.below(3), e.part(25, 75) * e.wide, e.part(58, 70) * e.high
    if form == 0:
        for k in range(7):
            e.leaf(x, y - 0.3, 0.2 * (k - 3) / 3, 0.02 * (k - 3) * (k - 3) - 0.1, 0.3, (34, 62, 54))
        e.stroke(x, y - 0.3, x - 0.04, y + 0.08, 0.022, (62, 50, 44))
    elif form == 1:
        e.box(x - 0.035, y - 0.3, x + 0.035, y, _PAPERS[2])
        e.box(x - 0.045, y - 0.34, x + 0.045, y - 0.29, (170, 60, 50))
    else:
        e.leaf(x - 0.14, y + 0.02, 0.28, 0.0, 0.3, _INK)
        e.fill(np.minimum(np.minimum(y - e.y, e.x - x), 0.12 - (e.x - x) * 0.6 - (y - e.y) * 0.5), _PAPERS[2])
    e.box(0, 0.82 * e.high, e.wide, e.high, e.stream.choice(_PAPERS))
    e.titled(e.stream.choice(_PLACES), 0.865 * e.high, _INK, 0.66, 0.095)
    e.matted(0.03, _PAPERS[0])
