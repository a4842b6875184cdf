"""What hangs framed on walls and is painted or drawn after something, each once on an easel (easel.py)."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.exact import cos_turns, sin_turns
from nav_eval_worlds.surfaces.easel import SHORT, Easel
from nav_eval_worlds.surfaces.noise import Colour, noise

_PAPERS: tuple[Colour, ...] = ((240, 235, 222), (234, 230, 220), (244, 242, 236))
_INK: Colour = (44, 42, 44)
_SKINS: tuple[Colour, ...] = ((226, 190, 160), (196, 150, 118), (132, 92, 68))
_HAIRS: tuple[Colour, ...] = ((52, 40, 34), (120, 84, 54), (196, 160, 100), (150, 148, 144))
_GREENS: tuple[Colour, ...] = ((70, 104, 68), (96, 124, 84), (56, 88, 80), (122, 132, 84))
_SKIES: tuple[tuple[Colour, Colour], ...] = (
    ((150, 186, 214), (226, 232, 232)), ((112, 132, 164), (240, 206, 168)), ((186, 196, 202), (228, 226, 218)),
)  # fmt: skip
_WORDS = ("JAZZ", "PARIS", "ROMA", "EXPO", "CINEMA", "LISBOA", "TOKYO", "HAVANA", "OPERA", "NICE", "SOLEIL", "BLUE",
          "VIENNA", "OSLO", "1968", "MATE", "AURORA", "ATLAS")  # fmt: skip


def hills(e: Easel) -> None:
    """Ridges one behind another under a sun."""
    e.ground(*e.stream.choice(_SKIES))
    e.ellipse(e.part(20, 80) * e.wide, e.part(15, 35) * e.high, 0.07, 0.07, (250, 240, 214))
    tone = e.stream.choice((*_GREENS, *e.colours[:3]))
    for k in range(4):
        shade = 1.4 - 0.22 * k
        own = (min(235, int(tone[0] * shade)), min(235, int(tone[1] * shade)), min(235, int(tone[2] * shade)))
        e.land((0.42 + 0.14 * k) * e.high, 0.26, 3 + k, own, 0.92 + 0.16 * e.grain(14))
    e.brushed(0.1)


def mountains(e: Easel) -> None:
    """Peaks with snow above a lake that shows them again."""
    e.ground(*e.stream.choice(_SKIES))
    shore = 0.64 * e.high
    for k in range(4):
        x, top, half = e.part(5, 95) * e.wide, e.part(14, 34) * e.high, e.part(28, 52)
        peak = np.minimum(e.y - top - np.abs(e.x - x) * ((shore - top) / half), shore - e.y)
        rock = (96 + 12 * k, 108 + 10 * k, 124 + 6 * k)
        e.fill(peak, rock, np.where(e.x > x, 0.82, 1.04))
        jag = 0.07 + 0.05 * e.grain(18)
        e.fill(np.minimum(peak, top + jag + 0.04 - e.y), (240, 242, 244), np.where(e.x > x, 0.86, 1.0))
    rows = int(shore * SHORT)
    depth = e.image.shape[0] - rows
    mirrored = e.image[rows - depth : rows][::-1] * 0.78 + np.asarray((10.0, 18.0, 26.0))
    e.image = np.concatenate([e.image[:rows], mirrored])
    e.land(shore * 1.4, 0.14, 4, (62, 78, 58))
    e.brushed(0.07)


def sea(e: Easel) -> None:
    """Sailing boats, or only waves and a beach."""
    e.ground(*e.stream.choice(_SKIES))
    level = e.part(42, 58) * e.high
    water = e.stream.choice(((58, 110, 134), (46, 86, 118), (104, 152, 154)))
    rows, columns = e.image.shape[:2]
    waves = noise(e.stream, (rows, columns), (34, 6), 2)
    e.fill(e.y - level, water, 0.84 + 0.34 * waves)
    if e.stream.chance(40):
        e.land(level + 0.3 * e.high, 0.2, 3, (222, 202, 166), 0.95 + 0.1 * e.grain(60))
        e.brushed(0.08)
        return
    for _ in range(e.stream.between(1, 3)):
        x, foot, k = e.part(18, 82) * e.wide, level + e.part(3, 24), e.part(14, 34)
        sail = np.minimum(np.minimum(foot - 0.03 - e.y, e.x - x), k * 0.5 - (e.x - x) - (foot - e.y) * 0.45)
        e.fill(np.minimum(sail, e.y - foot + k), (246, 242, 232))
        jib = np.minimum(np.minimum(foot - 0.03 - e.y, x - 0.012 - e.x), k * 0.3 - (x - e.x) - (foot - e.y) * 0.34)
        e.fill(jib, e.any())
        hull = np.minimum(np.minimum(e.y - foot + 0.025, foot + 0.025 - e.y), k * 0.42 - np.abs(e.x - x) - e.y + foot)
        e.fill(hull, (74, 58, 52))
    e.brushed(0.1)


def woods(e: Easel) -> None:
    """Stems of birches before the green, or bare ones in fog."""
    fog = e.stream.chance(45)
    e.ground((206, 210, 206), (176, 184, 178)) if fog else e.ground((214, 206, 150), (96, 120, 70))
    if not fog:
        e.image = e.image * (0.8 + 0.4 * e.grain(16, 3))[..., None]
    e.land(0.84 * e.high, 0.08, 4, (84, 92, 66) if not fog else (138, 146, 140))
    for k in range(11):
        x, thick = e.part(2, 98) * e.wide, 0.012 + 0.004 * k
        tone = (232 - 8 * (k % 3), 228 - 8 * (k % 3), 218) if not fog else (176 - 10 * k, 180 - 10 * k, 178 - 10 * k)
        lean = e.part(-4, 4)
        e.stroke(x, -0.05, x + lean, (0.8 + 0.012 * k) * e.high, thick, tone)
        for _ in range(0 if fog else 7):
            y = e.part(4, 76) * e.high
            e.stroke(x - thick * 0.4 + lean * y, y, x + thick * 0.25 + lean * y, y, 0.008, (70, 64, 60))
    e.brushed(0.1)


def street(e: Easel) -> None:
    """Gabled houses in a row, their windows lit or dark."""
    night = e.stream.chance(35)
    e.ground((44, 52, 84), (96, 92, 120)) if night else e.ground(*e.stream.choice(_SKIES))
    left, base = -0.04, 0.86 * e.high
    while left < e.wide:
        w, top = e.part(16, 26), e.part(24, 48) * e.high
        wall, roof = e.any(), e.stream.choice(((124, 70, 56), (84, 78, 80), (150, 100, 70)))
        e.box(left, top, left + w - 0.006, base, wall)
        gable = np.minimum(top - e.y, (e.y - top + 0.14) - np.abs(e.x - left - w / 2) * (0.28 / w))
        e.fill(gable, roof)
        for row in range(3):
            for column in range(2):
                x, y = left + w * (0.22 + 0.34 * column), top + 0.06 + row * 0.13
                if y < base - 0.16:
                    e.box(x, y, x + w * 0.2, y + 0.07, (244, 214, 130) if night else (70, 84, 96))
        e.box(left + w * 0.38, base - 0.12, left + w * 0.62, base, (78, 56, 46))
        left += w
    e.box(0, base, e.wide, e.high, (120, 116, 110) if not night else (60, 60, 74))
    e.brushed(0.12)


def portrait(e: Easel) -> None:
    """Head and shoulders, half turned, before a warm ground."""
    e.ground(e.any(), (70, 60, 56))
    e.image = e.image * (0.86 + 0.24 * e.grain(6, 3))[..., None]
    skin, hair, coat = e.stream.choice(_SKINS), e.stream.choice(_HAIRS), e.any()
    x, y, k = e.wide / 2 + e.part(-6, 6), 0.43 * e.high, e.part(92, 116)
    long = e.stream.chance(50)
    if long:
        e.ellipse(x, y + 0.06 * k, 0.185 * k, 0.28 * k, hair)
    e.ellipse(x, e.high + 0.06, 0.38 * k, 0.36 * k, coat, 0.3)
    e.ellipse(x, y + 0.2 * k, 0.065 * k, 0.13 * k, tuple(int(c * 0.84) for c in skin))  # type: ignore[arg-type]
    e.ellipse(x, y, 0.135 * k, 0.185 * k, skin, 0.22)
    e.ellipse(x - 0.02 * k, y - 0.135 * k, 0.15 * k, 0.085 * k, hair, 0.2)
    for side in (-1, 1):
        e.ellipse(x + side * 0.052 * k, y - 0.01, 0.021 * k, 0.011 * k, (238, 232, 224))
        e.ellipse(x + side * 0.05 * k, y - 0.01, 0.01 * k, 0.011 * k, (52, 40, 36))
        e.stroke(x + side * 0.03 * k, y - 0.045 * k, x + side * 0.078 * k, y - 0.04 * k, 0.009, hair)
    shade = (int(skin[0] * 0.78), int(skin[1] * 0.7), int(skin[2] * 0.68))
    e.stroke(x + 0.012, y - 0.005, x + 0.02 * k, y + 0.05 * k, 0.011, shade)
    e.ellipse(x + 0.004, y + 0.098 * k, 0.042 * k, 0.013 * k, (166, 84, 78))
    e.brushed(0.16)


def flowers(e: Easel) -> None:
    """A vase with a bunch on a table."""
    e.ground(e.any())
    e.image = e.image * (0.72 + 0.2 * e.grain(7, 3))[..., None] + 40
    table = 0.78 * e.high
    e.box(0, table, e.wide, e.high, e.stream.choice(((150, 110, 78), (206, 196, 180), (98, 84, 80))))
    x, foot = e.wide / 2, table + 0.1
    vase = e.any()
    blooms = [e.any() for _ in range(2)] + [(244, 238, 226), (224, 150, 120)]
    spots = [(x + e.part(-26, 26), e.part(16, 46) * e.high) for _ in range(13)]
    for k, (a, b) in enumerate(spots):
        e.stroke(x, foot - 0.25, a, b, 0.012, _GREENS[k % 4])
        e.leaf(x + (a - x) * 0.5, b + 0.14, (a - x) * 0.5 + 0.05, -0.12, 0.4, _GREENS[k % 3])
    for k, (a, b) in enumerate(spots):
        r = e.part(4, 8)
        for turn in range(5):
            u, v = _turned(turn / 5 + k * 0.07)
            e.ellipse(a + u * r * 0.6, b + v * r * 0.6, r * 0.6, r * 0.6, blooms[k % 4], 0.25)
        e.ellipse(a, b, r * 0.35, r * 0.35, (226, 186, 84))
    e.ellipse(x, foot - 0.13, 0.12, 0.15, vase, 0.45)
    e.box(x - 0.06, foot - 0.3, x + 0.06, foot - 0.2, vase)
    e.brushed(0.14)


def fruit(e: Easel) -> None:
    """A still life: a bowl, fruit, a bottle, a cloth."""
    e.ground((82, 70, 60), (120, 98, 78))
    e.image = e.image * (0.8 + 0.35 * e.grain(6, 3))[..., None]
    table = 0.6 * e.high
    e.box(0, table, e.wide, e.high, e.stream.choice(((168, 128, 88), (206, 194, 172))))
    x = e.wide / 2 + e.part(-12, 12)
    side = e.wide * (0.8 if x < e.wide / 2 else 0.2)
    glass = e.stream.choice(((54, 76, 56), (60, 48, 56), (96, 60, 40)))
    e.box(side - 0.055, 0.34 * e.high, side + 0.055, table + 0.14, glass)
    e.box(side - 0.02, 0.2 * e.high, side + 0.02, 0.36 * e.high, glass)
    e.stroke(side - 0.03, 0.4 * e.high, side - 0.03, table, 0.012, (190, 196, 186))
    for dx, dy in ((-0.17, -0.05), (0.0, -0.1), (0.16, -0.05), (-0.08, -0.02), (0.08, -0.02)):
        colour = e.stream.choice(((206, 120, 44), (186, 58, 44), (150, 166, 70), (222, 178, 74), (116, 54, 66)))
        e.ellipse(x + dx, table + dy, 0.085, 0.08, colour, 0.5)
    bowl = e.any()
    e.fill(np.minimum(table + 0.16 - e.y, e.y - table) * 1.0 - np.maximum(np.abs(e.x - x) - 0.3, -0.02)
           - np.clip(e.y - table, 0, 1) * np.clip(np.abs(e.x - x) - 0.1, 0, 1) * 3, bowl, 1.1 - (e.x - x))  # fmt: skip
    for dx in (-0.42, 0.36):
        e.ellipse(x + dx, table + 0.2, 0.075, 0.07, e.stream.choice(((206, 120, 44), (150, 166, 70))), 0.5)
    e.brushed(0.16)


def botanical(e: Easel) -> None:
    """A pressed plant with its name below, on old paper."""
    e.ground(e.stream.choice(_PAPERS))
    green, form = e.stream.choice(_GREENS), e.stream.below(3)
    x, top, foot = e.wide / 2, 0.12 * e.high, 0.8 * e.high
    e.stroke(x, foot, x + 0.02, top, 0.012, (88, 104, 70))
    count = (7, 11, 4)[form]
    for k in range(count):
        y = foot - (foot - top) * (k + 1) / (count + 0.6)
        reach = (0.3, 0.2, 0.42)[form] * (1.1 - 0.6 * k / count)
        for side in (-1, 1):
            e.leaf(x, y, side * reach, -reach * (0.55, 0.2, 0.7)[form], (0.36, 0.3, 0.5)[form], green)
            e.stroke(x, y, x + side * reach * 0.8, y - reach * (0.44, 0.16, 0.56)[form], 0.004, (60, 76, 52))
    if form != 1:
        bloom = e.any()
        for turn in range(7):
            u, v = _turned(turn / 7)
            e.leaf(x + 0.02, top, u * 0.12, v * 0.12, 0.5, bloom)
    for k in range(2):
        half = 0.2 - 0.06 * k
        e.stroke(x - half, (0.88 + 0.04 * k) * e.high, x + half, (0.88 + 0.04 * k) * e.high, 0.009, (120, 112, 100))


def chart_map(e: Easel) -> None:
    """An old or a modern map: land in the sea, borders, a grid, a title."""
    old = e.stream.chance(50)
    e.ground((206, 196, 168) if old else (176, 204, 220))
    height = e.grain(3, 5)
    tones: tuple[Colour, ...] = (
        ((228, 214, 178), (208, 186, 142), (184, 160, 120))
        if old
        else ((216, 220, 178), (236, 214, 158), (226, 188, 158))
    )
    e.fill((height - 0.47) * 0.5, (120, 98, 74) if old else (120, 150, 170))
    for level, tone in zip((0.485, 0.56, 0.63), tones, strict=True):
        e.fill((height - level) * 0.5, tone)
    border = np.abs(e.grain(5, 3) - 0.5)
    e.fill(np.minimum((0.012 - border) * 0.5, (height - 0.485) * 0.5), (150, 90, 80))
    for k in range(1, 6):
        e.box(k * e.wide / 6 - 0.002, 0, k * e.wide / 6 + 0.002, e.high, (150, 146, 136))
        e.box(0, k * e.high / 6 - 0.002, e.wide, k * e.high / 6 + 0.002, (150, 146, 136))
    for _ in range(14):
        x, y = e.part(8, 88) * e.wide, e.part(8, 92) * e.high
        e.ellipse(x, y, 0.008, 0.008, _INK)
        e.stroke(x + 0.02, y, x + e.part(6, 12), y, 0.009, (96, 88, 80))
    e.box(0.08, 0.08, 0.5, 0.2, (240, 232, 212))
    e.word(e.stream.choice(("ATLAS", "ROMA", "PARIS", "OSLO")), 0.12, 0.105, 0.016, _INK)
    e.matted(0.035, (236, 228, 208) if old else (246, 246, 242))


def lettering(e: Easel) -> None:
    """A poster with a great word and a bold figure."""
    ground, second, third = e.any(), e.any(), e.any()
    pale = e.stream.chance(60)
    e.ground(e.stream.choice(_PAPERS) if pale else ground)
    ink: Colour = _INK if pale else (244, 240, 230)
    x, y, form = e.wide / 2, 0.42 * e.high, e.stream.below(4)
    if form == 0:
        e.ellipse(x, y, 0.3, 0.3, second)
        e.fill(np.minimum(e.y - y, 0.3 - np.sqrt((e.x - x) * (e.x - x) + (e.y - y) * (e.y - y))), third)
    elif form == 1:
        for k in range(5):
            e.ring(x, 0.66 * e.high, 0.1 + 0.1 * k, 0.055, (second, third)[k % 2])
        e.box(0, 0.66 * e.high, e.wide, e.high, e.stream.choice(_PAPERS) if pale else ground)
    elif form == 2:
        for k in range(6):
            e.stroke(-0.1, 0.2 + 0.14 * k, e.wide + 0.1, -0.1 + 0.14 * k, 0.05, (second, third)[k % 2])
        e.box(0, 0.68 * e.high, e.wide, e.high, second)
        ink = (246, 242, 232)
    else:
        for k in range(3):
            e.box(0.12 + 0.24 * k, 0.12, 0.3 + 0.24 * k, (0.3 + 0.12 * k) * e.high, (second, third, ground)[k])
    e.titled(e.stream.choice(_WORDS), 0.71 * e.high, ink)
    for k in range(2):
        e.stroke(x - 0.26 + 0.05 * k, (0.925 + 0.03 * k) * e.high, x + 0.26 - 0.05 * k, (0.925 + 0.03 * k) * e.high,
                 0.009, ink)  # fmt: skip


def arches(e: Easel) -> None:
    """Nested arches and a sun, flat colours on paper."""
    e.ground(e.stream.choice(_PAPERS))
    tones = e.stream.shuffled(e.colours)
    x, foot = e.wide * e.stream.choice((0.4, 0.5, 0.6)), 0.84 * e.high
    for k in range(5):
        r = 0.36 - 0.068 * k
        u, v = e.x - x, np.minimum(e.y - foot + 0.2, 0.0)
        inside = np.minimum(r - np.sqrt(u * u + v * v), foot - e.y)
        e.fill(inside, tones[k % len(tones)] if k % 2 == 0 else _PAPERS[0], 0.98 + 0.04 * e.grain(60))
    e.ellipse(x + 0.26, 0.2 * e.high, 0.1, 0.1, tones[-1])


def shapes(e: Easel) -> None:
    """An abstract of discs, half discs, bars and lines."""
    e.ground(e.stream.choice(_PAPERS))
    for _ in range(e.stream.between(4, 6)):
        x, y, r = e.part(12, 88) * e.wide, e.part(12, 88) * e.high, e.part(10, 30)
        form, colour = e.stream.below(4), e.any()
        d = np.sqrt((e.x - x) * (e.x - x) + (e.y - y) * (e.y - y))
        if form == 0:
            e.fill(r - d, colour)
        elif form == 1:
            e.fill(np.minimum(r - d, (e.x - x) if e.stream.chance(50) else (e.y - y)), colour)
        elif form == 2:
            e.box(x - r, y - r * 0.25, x + r, y + r * 0.25, colour)
        else:
            e.fill(np.minimum(r - np.abs(e.x - x), (e.y - y + r) * 0.7 - np.abs(e.x - x) * 0.8), colour)
    for _ in range(3):
        e.stroke(e.part(0, 100) * e.wide, e.part(0, 100) * e.high, e.part(0, 100) * e.wide, e.part(0, 100) * e.high,
                 0.008, _INK)  # fmt: skip
    e.matted(0.06)


def fields(e: Easel) -> None:
    """Two or three soft fields of colour."""
    e.ground(e.any())
    count, edge = e.stream.between(2, 3), 0.06 + 0.03 * e.grain(10)
    for k in range(count):
        low, high = k * e.high / count, (k + 1) * e.high / count
        near = np.minimum(np.minimum(e.x, e.wide - e.x), np.minimum(e.y - low, high - e.y) + 0.03)
        e.fill((near - edge) * 0.4, e.any(), 0.94 + 0.12 * e.grain(20))
    e.brushed(0.08)


def strokes(e: Easel) -> None:
    """Broad brush strokes over each other."""
    e.ground(e.stream.choice(_PAPERS))
    rows, columns = e.image.shape[:2]
    for _ in range(7):
        level, thick, lean = e.part(10, 90) * e.high, e.part(5, 14), e.part(-30, 30)
        hairs = noise(e.stream, (rows, columns), (96, 3), 2)
        bend = noise(e.stream, (1, columns), (1, 3), 2) * 0.2
        off = np.abs(e.y - level - lean * (e.x - e.wide / 2) - np.broadcast_to(bend, (rows, columns)))
        ends = np.minimum(e.x - e.part(2, 25) * e.wide, e.part(75, 98) * e.wide - e.x)
        e.fill(np.minimum(thick * (0.5 + 0.6 * hairs) - off, ends + 0.1 * hairs), e.any(), 0.88 + 0.24 * hairs)
    e.brushed(0.06)


def line_art(e: Easel) -> None:
    """Black curves on paper, with a spot or two of colour."""
    e.ground(e.stream.choice(_PAPERS))
    e.ellipse(e.part(30, 70) * e.wide, e.part(30, 70) * e.high, e.part(14, 26), e.part(14, 26), e.any())
    turns = np.arange(101) / 100
    a, b, c = e.stream.between(1, 2), e.stream.between(2, 3), e.part(0, 100)
    xs = e.wide / 2 + 0.3 * e.wide * (sin_turns(turns * a + c) * 0.7 + 0.3 * sin_turns(turns * b))
    ys = e.high / 2 + 0.34 * e.high * (cos_turns(turns * b + 0.1) * 0.6 + 0.4 * sin_turns(turns * a * 2 + c))
    for k in range(100):
        e.stroke(float(xs[k]), float(ys[k]), float(xs[k + 1]), float(ys[k + 1]), 0.013, _INK)


def crayons(e: Easel) -> None:
    """A child's drawing: house, sun, people, grass."""
    e.ground((248, 246, 240))
    pens: tuple[Colour, ...] = (
        (208, 56, 48), (54, 96, 176), (240, 190, 50), (70, 150, 70), (150, 90, 160), (230, 130, 50),
    )  # fmt: skip
    foot, x = 0.82 * e.high, e.part(24, 42) * e.wide
    for k in range(26):
        a = k * e.wide / 25
        e.stroke(a, foot + 0.05, a + e.part(-3, 3), foot - e.part(1, 5), 0.014, pens[3])
    wall, roof = e.stream.choice(pens), e.stream.choice(pens)
    lines = (
        (-0.16, 0.0, -0.16, 0.3), (0.16, 0.0, 0.16, 0.3), (-0.16, 0.3, 0.16, 0.29), (-0.04, 0.0, -0.04, 0.14),
        (0.05, 0.0, 0.05, 0.14), (-0.04, 0.14, 0.05, 0.14),
    )  # fmt: skip
    for a, b, c, d in lines:
        e.stroke(x + a, foot - b, x + c, foot - d, 0.018, wall)
    for k in range(9):
        half = 0.2 * (1 - k / 9)
        e.stroke(x - half, foot - 0.3 - 0.024 * k, x + half, foot - 0.305 - 0.024 * k, 0.014, roof)
    sun = (e.wide - 0.16, 0.18)
    e.ring(*sun, 0.07, 0.03, pens[2])
    for turn in range(9):
        u, v = _turned(turn / 9)
        e.stroke(sun[0] + u * 0.1, sun[1] + v * 0.1, sun[0] + u * 0.16, sun[1] + v * 0.16, 0.014, pens[2])
    for k in range(e.stream.between(1, 3)):
        p, tall = x + 0.3 + 0.17 * k, e.part(20, 34)
        pen = e.stream.choice(pens)
        e.ring(p, foot - tall, 0.045, 0.014, _INK)
        e.stroke(p, foot - tall + 0.045, p, foot - 0.1, 0.03, pen)
        for side in (-1, 1):
            e.stroke(p, foot - 0.1, p + side * 0.04, foot, 0.014, _INK)
            e.stroke(p, foot - tall + 0.1, p + side * 0.07, foot - tall + 0.06, 0.014, pen)
    e.image = 248 - (248 - e.image) * (0.55 + 0.45 * np.clip(e.grain(100) * 1.6, 0, 1))[..., None]


def family_photo(e: Easel) -> None:
    """Two to four people out of doors."""
    e.ground((176, 204, 224), (222, 228, 220))
    e.land(0.46 * e.high, 0.14, 5, (104, 130, 88), 0.85 + 0.3 * e.grain(24))
    e.land(0.66 * e.high, 0.05, 3, (150, 164, 100), 0.9 + 0.2 * e.grain(30))
    count = e.stream.between(2, 4) if not e.upright else 2
    for k in range(count):
        x, head = e.wide * (k + 1) / (count + 1), e.part(34, 52) * e.high
        coat, skin, hair = e.any(), e.stream.choice(_SKINS), e.stream.choice(_HAIRS)
        e.ellipse(x, head + 0.38, 0.13, 0.28, coat, 0.25)
        e.box(x - 0.125, head + 0.36, x + 0.125, e.high, coat)
        e.ellipse(x, head - 0.02, 0.078, 0.092, hair)
        e.ellipse(x, head + 0.012, 0.064, 0.082, skin, 0.2)
        e.stroke(x - 0.025, head + 0.05, x + 0.025, head + 0.05, 0.01, (170, 90, 84))
        for side in (-1, 1):
            e.ellipse(x + side * 0.024, head, 0.008, 0.008, (52, 42, 40))
    e.matted(0.05)


def bird(e: Easel) -> None:
    """A bird on a twig, as in a book of nature."""
    e.ground(e.stream.choice(_PAPERS))
    x, y, body, wing = e.wide / 2, 0.46 * e.high, e.any(), e.stream.choice(((84, 76, 70), (60, 72, 86)))
    e.stroke(0.08, y + 0.24, e.wide - 0.08, y + 0.15, 0.022, (112, 84, 62))
    for k in range(5):
        a = 0.14 + k * (e.wide - 0.3) / 4
        e.leaf(a, y + 0.22 - 0.06 * k / 4, 0.1, -0.1 if k % 2 else 0.12, 0.42, _GREENS[k % 4])
    e.leaf(x + 0.02, y + 0.02, 0.34, 0.16, 0.28, wing)
    e.ellipse(x, y + 0.04, 0.16, 0.12, body, 0.35)
    e.ellipse(x - 0.13, y - 0.08, 0.085, 0.08, body, 0.3)
    e.leaf(x - 0.08, y - 0.02, 0.26, 0.14, 0.5, wing)
    e.leaf(x - 0.2, y - 0.085, -0.08, 0.02, 0.5, (196, 150, 60))
    e.ellipse(x - 0.155, y - 0.095, 0.012, 0.012, (24, 22, 22))
    for dx in (-0.02, 0.05):
        e.stroke(x + dx, y + 0.14, x + dx - 0.01, y + 0.2, 0.009, (120, 90, 60))
    e.stroke(x - 0.16, 0.86 * e.high, x + 0.16, 0.86 * e.high, 0.009, (120, 112, 100))


def _turned(turns: float) -> tuple[float, float]:
    """(cosine, sine) of an angle in turns."""
    at = np.asarray([turns])
    return float(cos_turns(at)[0]), float(sin_turns(at)[0])
