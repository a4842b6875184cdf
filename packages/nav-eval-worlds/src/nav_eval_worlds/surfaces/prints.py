"""Two sheets that all small things share: `tints`, fields of one colour, and `prints`, little pictures.

A home with a hundred mugs, labels and book covers so needs two textures, not a hundred. A model says "tint_red" or
"print_clock2" as a material; `field_of` tells where on which sheet that lies.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from nav_eval_worlds.exact import Floats, Stream, sin_turns
from nav_eval_worlds.surfaces.noise import Colour, axes, noise

TINTS: dict[str, Colour] = {
    "white": (240, 239, 235), "cream": (232, 220, 194), "grey": (148, 150, 152), "slate": (86, 90, 98),
    "black": (40, 40, 43), "red": (178, 52, 46), "orange": (216, 124, 52), "yellow": (226, 184, 74),
    "green": (84, 128, 78), "olive": (128, 130, 78), "mint": (166, 200, 182), "teal": (54, 116, 122),
    "blue": (62, 102, 158), "navy": (42, 54, 88), "sky": (158, 192, 216), "purple": (112, 84, 132),
    "pink": (222, 160, 164), "brown": (112, 76, 52), "tan": (190, 150, 106), "birch": (216, 186, 142),
    "silver": (186, 190, 194), "gold": (196, 160, 88), "bronze": (126, 98, 68), "rust": (168, 88, 56),
    "clay": (188, 118, 86), "glass": (196, 214, 216), "amber": (150, 92, 36), "bottle": (50, 84, 58),
    "leaf": (92, 140, 70), "skin": (226, 196, 158), "straw": (212, 180, 122), "charcoal": (62, 62, 66),
}  # fmt: skip
_COLUMNS, _ROWS, _CELL = 8, 4, 32
PRINTS: dict[str, int] = {
    "clock": 6, "cover": 14, "label": 6, "photo": 6, "calendar": 2, "keys": 2, "pad": 1, "socket": 2, "dial": 2,
    "food": 6, "game": 3, "display": 2, "paper": 3, "globe": 1, "notes": 2, "mat": 3, "slats": 2, "spines": 2,
    "cloth": 3, "bubbles": 1,
}  # fmt: skip
"""Kinds of little pictures and how many there are of each: at most 72."""
_SIDE, _SHEET = 112, 9
_EDGE = 1.5

Drawing = Callable[[Stream, int], Floats]


def field_of(material: str) -> tuple[str, tuple[float, float, float, float]] | None:
    """(sheet, (u0, v0, u1, v1)) of a material of the sheets; None for all others. KeyError for an unknown tint."""
    tint = re.fullmatch(r"tint_(\w+)", material)
    if tint:
        k = list(TINTS).index(tint[1])
        column, row = k % _COLUMNS, k // _COLUMNS
        e = _EDGE / _CELL
        return "tints", ((column + e) / _COLUMNS, (row + e) / _ROWS, (column + 1 - e) / _COLUMNS, (row + 1 - e) / _ROWS)
    printed = re.fullmatch(r"print_([a-z]+)(\d+)", material)
    if printed is None:
        return None
    k = _first(printed[1]) + int(printed[2]) % PRINTS[printed[1]]
    column, row = k % _SHEET, k // _SHEET
    e = _EDGE / _SIDE
    return "prints", ((column + e) / _SHEET, (row + e) / _SHEET, (column + 1 - e) / _SHEET, (row + 1 - e) / _SHEET)


def _first(kind: str) -> int:
    names = list(PRINTS)
    return sum(PRINTS[name] for name in names[: names.index(kind)])


def tints(stream: Stream) -> Floats:
    """Every tint, each home's a little different, paler towards its upper end: a field is stretched over a whole face,
    and what is drawn on it would look like the grain of wood. (128, 256, 3), 0 to 255."""
    image = np.zeros((_ROWS * _CELL, _COLUMNS * _CELL, 3))
    for k, colour in enumerate(TINTS.values()):
        off = [stream.between(-12, 12) for _ in colour]
        if max(colour) - min(colour) < 16:
            off = [off[0] // 2] * 3
        own = [min(250, max(16, channel + by)) for channel, by in zip(colour, off, strict=True)]
        row, column = k // _COLUMNS * _CELL, k % _COLUMNS * _CELL
        image[row : row + _CELL, column : column + _CELL] = own
    _, y = axes((_CELL, 1))
    shade = np.tile(1.05 - 0.14 * y, (_ROWS, 1))
    return image * shade[..., None]


def prints(stream: Stream) -> Floats:
    """All little pictures on one square sheet. (1008, 1008, 3), 0 to 255."""
    image = np.full((_SHEET * _SIDE, _SHEET * _SIDE, 3), 200.0)
    for kind, count in PRINTS.items():
        for number in range(count):
            k = _first(kind) + number
            row, column = k // _SHEET * _SIDE, k % _SHEET * _SIDE
            drawn = _DRAWINGS[kind](stream.child(kind, number), number)
            image[row : row + _SIDE, column : column + _SIDE] = drawn
    return image * (0.97 + 0.04 * noise(stream, image.shape[:2], (144, 144)))[..., None]


_X, _Y = axes((_SIDE, _SIDE))


def _plain(colour: Colour) -> Floats:
    return np.broadcast_to(np.asarray(colour, dtype=np.float64), (_SIDE, _SIDE, 3)).copy()


def _any(stream: Stream, *names: str) -> Colour:
    return TINTS[stream.choice(names or tuple(TINTS))]


def _fill(image: Floats, colour: Colour, x0: float, y0: float, x1: float, y1: float) -> None:
    a, b, c, d = (int(value * _SIDE + 0.5) for value in (x0, y0, x1, y1))
    image[b:d, a:c] = colour


def _disc(image: Floats, colour: Colour, x: float, y: float, r: float) -> None:
    image[(_X - x) * (_X - x) + (_Y - y) * (_Y - y) < r * r] = colour


def _stroke(image: Floats, colour: Colour, ends: tuple[float, float, float, float], wide: float) -> None:
    x0, y0, x1, y1 = ends
    dx, dy = x1 - x0, y1 - y0
    t = np.clip(((_X - x0) * dx + (_Y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
    off_x, off_y = _X - x0 - t * dx, _Y - y0 - t * dy
    image[off_x * off_x + off_y * off_y < wide * wide] = colour


_HOURS = ((0.0, -1.0), (0.5, -0.866), (0.866, -0.5), (1.0, 0.0), (0.866, 0.5), (0.5, 0.866), (0.0, 1.0), (-0.5, 0.866),
          (-0.866, 0.5), (-1.0, 0.0), (-0.866, -0.5), (-0.5, -0.866))  # fmt: skip


def _clock(stream: Stream, number: int) -> Floats:
    face, ink = (((244, 242, 236), (40, 40, 42)), ((48, 50, 54), (226, 224, 216)))[number % 3 == 2]
    image = _plain(face)
    for k, (x, y) in enumerate(_HOURS):
        if k % 3 == 0 or number % 2:
            _stroke(image, ink, (0.5 + 0.36 * x, 0.5 + 0.36 * y, 0.5 + 0.43 * x, 0.5 + 0.43 * y), 0.018)
    for reach, wide in ((0.22, 0.022), (0.34, 0.014)):
        x, y = stream.choice(_HOURS)
        _stroke(image, ink, (0.5, 0.5, 0.5 + reach * x, 0.5 + reach * y), wide)
    return image


def _cover(stream: Stream, number: int) -> Floats:
    """A book's or magazine's: a ground, a motif, lines of title."""
    image = _plain(_any(stream))
    second, ink = _any(stream), stream.choice(((244, 240, 230), (36, 36, 38), TINTS["gold"]))
    style = number % 4
    if style == 0:
        _fill(image, second, 0, 0.45, 1, 1)
    elif style == 1:
        _disc(image, second, 0.5, 0.62, 0.24)
    elif style == 2:
        for k in range(4):
            _stroke(image, second, (0.1, 0.45 + 0.13 * k, 0.9, 0.4 + 0.15 * k), 0.03)
    else:
        _fill(image, second, 0.12, 0.12, 0.88, 0.88)
    _fill(image, ink, 0.18, 0.14, stream.between(55, 85) / 100, 0.22)
    _fill(image, ink, 0.18, 0.27, stream.between(40, 80) / 100, 0.32)
    return image


def _label(stream: Stream, number: int) -> Floats:
    image = _plain(stream.choice(((244, 242, 234), TINTS["cream"], _any(stream))))
    band = _any(stream, "red", "green", "blue", "orange", "teal", "purple", "navy", "pink")
    _fill(image, band, 0, 0.3, 1, 0.62)
    _fill(image, (248, 246, 240), 0.2, 0.4, 0.8, 0.48)
    _fill(image, (60, 60, 64), 0.25, 0.74, 0.75, 0.79)
    if number % 2:
        _disc(image, _any(stream), 0.5, 0.2, 0.12)
    return image


def _photo(stream: Stream, number: int) -> Floats:
    """A head before a wall, or land under a sky; each in its mount."""
    image = _plain((242, 240, 234))
    if number % 2:
        _fill(image, _any(stream, "sky", "grey", "cream", "teal"), 0.1, 0.1, 0.9, 0.9)
        hair, coat = _any(stream, "black", "brown", "gold", "rust"), _any(stream, "red", "navy", "green", "white")
        _disc(image, coat, 0.5, 0.92, 0.28)
        _fill(image, (242, 240, 234), 0, 0.9, 1, 1)
        _disc(image, hair, 0.5, 0.42, 0.19)
        _disc(image, TINTS["skin"], 0.5, 0.47, 0.15)
    else:
        _fill(image, TINTS["sky"], 0.08, 0.08, 0.92, 0.92)
        _disc(image, (248, 232, 180), stream.between(25, 75) / 100, 0.3, 0.08)
        _fill(image, _any(stream, "blue", "leaf", "straw", "green"), 0.08, 0.58, 0.92, 0.92)
        _stroke(image, _any(stream, "olive", "slate", "green"), (0.1, 0.62, 0.9, 0.56), 0.05)
    return image


def _calendar(stream: Stream, number: int) -> Floats:
    """A picture of hills, the month's name, and its days, Sundays in red."""
    image = _plain((247, 246, 242))
    sky, hill = _any(stream, "sky", "cream", "pink", "straw"), _any(stream, "teal", "rust", "green", "navy", "olive")
    _fill(image, sky, 0, 0, 1, 0.42)
    _disc(image, (250, 244, 224), stream.between(25, 75) / 100, 0.16, 0.07)
    for k in range(3):
        tone = np.asarray(hill, dtype=np.float64) * (1.25 - 0.25 * k)
        rise = 0.24 + 0.06 * k + 0.05 * sin_turns(_X * (0.9 + 0.4 * k) + stream.below(10) / 10)
        image[(rise < _Y) & (_Y < 0.42)] = np.clip(tone, 0, 255)
    _fill(image, (70, 72, 78), 0.08, 0.455, 0.08 + stream.between(22, 40) / 100, 0.485)
    for row in range(5):
        for column in range(7):
            x, y = 0.09 + column * 0.125, 0.55 + row * 0.085
            ink = (186, 70, 62) if column == 6 else (96, 98, 104)
            for digit in range(1 if row * 7 + column < 9 else 2):
                top = y + (0.012 if stream.chance(30) else 0.0)
                _fill(image, ink, x + 0.024 * digit, top, x + 0.024 * digit + 0.013, y + 0.034)
    return image


def _keys(stream: Stream, number: int) -> Floats:
    dark = number == 0
    image = _plain((44, 45, 48) if dark else (206, 208, 210))
    for row in range(5):
        for column in range(12):
            x, y = 0.03 + column * 0.079, 0.06 + row * 0.185
            _fill(image, (84, 86, 90) if dark else (242, 242, 240), x, y, x + 0.06, y + 0.14)
    return image


def _pad(stream: Stream, number: int) -> Floats:
    """Round buttons in a grid: a remote control, a telephone, a calculator."""
    image = _plain((46, 47, 50))
    for row in range(6):
        for column in range(3):
            tone = TINTS["red"] if row == 0 and column == 2 else (168, 170, 172)
            _disc(image, tone, 0.22 + column * 0.28, 0.1 + row * 0.155, 0.055)
    return image


def _socket(stream: Stream, number: int) -> Floats:
    image = _plain((240, 239, 234))
    spots = ((0.5, 0.5),) if number == 0 else ((0.28, 0.5), (0.72, 0.5))
    for x, y in spots:
        _disc(image, (216, 215, 210), x, y, 0.3 if number == 0 else 0.19)
        for off in (-0.09, 0.09):
            _disc(image, (50, 50, 52), x + off, y, 0.035)
    return image


def _dial(stream: Stream, number: int) -> Floats:
    image = _plain((236, 236, 232))
    _disc(image, (60, 62, 66), 0.5, 0.5, 0.4)
    _disc(image, (214, 226, 220), 0.5, 0.5, 0.34)
    if number:
        _stroke(image, TINTS["red"], (0.5, 0.5, 0.68, 0.32), 0.025)
    else:
        _fill(image, (40, 46, 44), 0.33, 0.43, 0.67, 0.57)
    return image


def _food(stream: Stream, number: int) -> Floats:
    image = _plain(_any(stream, "red", "yellow", "orange", "blue", "leaf", "white", "purple"))
    _fill(image, (248, 244, 232), 0.1, 0.1, 0.9, 0.34)
    _fill(image, _any(stream, "red", "navy", "green", "brown"), 0.18, 0.16, 0.82, 0.28)
    _disc(image, _any(stream, "straw", "cream", "white"), 0.5, 0.68, 0.24)
    for _ in range(7):
        x, y = stream.between(36, 64) / 100, stream.between(56, 80) / 100
        _disc(image, _any(stream, "gold", "rust", "brown", "red"), x, y, 0.05)
    return image


def _game(stream: Stream, number: int) -> Floats:
    """Fields of a board, or blocks."""
    image = _plain(_any(stream, "green", "navy", "red", "birch"))
    a, b = _any(stream), _any(stream)
    for row in range(4):
        for column in range(4):
            x, y = 0.12 + column * 0.19, 0.12 + row * 0.19
            _fill(image, a if (row + column + number) % 2 else b, x, y, x + 0.19, y + 0.19)
    return image


def _display(stream: Stream, number: int) -> Floats:
    """A lit screen: rows of small squares, or figures."""
    image = _plain((24, 26, 32))
    if number == 0:
        for row in range(5):
            for column in range(4):
                x, y = 0.12 + column * 0.2, 0.1 + row * 0.17
                _fill(image, _any(stream, "blue", "leaf", "orange", "red", "white", "yellow"), x, y, x + 0.14, y + 0.12)
        return image
    for k in range(4):
        _fill(image, (120, 220, 190), 0.12 + k * 0.21, 0.3, 0.24 + k * 0.21, 0.7)
        _fill(image, (24, 26, 32), 0.15 + k * 0.21, 0.36, 0.21 + k * 0.21, 0.62)
    return image


def _paper(stream: Stream, number: int) -> Floats:
    image = _plain((246, 245, 240) if number < 2 else (244, 232, 168))
    for k in range(9):
        _fill(image, (130, 132, 140), 0.12, 0.12 + k * 0.09, stream.between(60, 90) / 100, 0.145 + k * 0.09)
    if number == 1:
        _fill(image, _any(stream), 0.55, 0.4, 0.88, 0.66)
    return image


def _globe(stream: Stream, number: int) -> Floats:
    image = _plain((104, 156, 190))
    land = noise(stream, (_SIDE, _SIDE), (4, 4), 3)
    image[land > 0.53] = (150, 160, 104)
    image[land > 0.66] = (198, 170, 118)
    return image


def _notes(stream: Stream, number: int) -> Floats:
    image = _plain(TINTS["tan"] if number == 0 else (60, 78, 96))
    for _ in range(7):
        x, y = stream.between(4, 74) / 100, stream.between(4, 70) / 100
        _fill(image, _any(stream, "white", "yellow", "sky", "pink", "mint", "cream"), x, y, x + 0.2, y + 0.22)
        _disc(image, TINTS["red"], x + 0.1, y + 0.03, 0.025)
    return image


def _mat(stream: Stream, number: int) -> Floats:
    image = _plain(_any(stream, "brown", "slate", "straw", "olive"))
    accent = _any(stream, "black", "cream", "rust")
    if number == 0:
        _fill(image, accent, 0.06, 0.08, 0.94, 0.92)
        _fill(image, _any(stream, "tan", "grey", "straw"), 0.1, 0.13, 0.9, 0.87)
    for k in range(7):
        if number == 1:
            _fill(image, accent, 0.0, 0.06 + 0.14 * k, 1.0, 0.1 + 0.14 * k)
        elif number == 2:
            _disc(image, accent, 0.14 + 0.12 * k, 0.3 + 0.4 * (k % 2), 0.06)
    return image * (0.8 + 0.35 * noise(stream, (_SIDE, _SIDE), (64, 64)))[..., None]


def _slats(stream: Stream, number: int) -> Floats:
    """The slots of a vent, or the ribs of a radiator."""
    image = _plain((236, 236, 232))
    at = _Y if number == 0 else _X
    slot = at * 10 - np.floor(at * 10)
    image[slot < 0.42] = (120, 122, 124) if number == 0 else (202, 203, 202)
    image[(slot > 0.42) & (slot < 0.55)] = (252, 252, 250)
    return image


def _spines(stream: Stream, number: int) -> Floats:
    """Ring binders side by side."""
    image = _plain((60, 60, 64))
    for k in range(5):
        own = _any(stream, "navy", "red", "green", "slate", "black", "blue", "white")
        _fill(image, own, k * 0.2 + 0.01, 0, k * 0.2 + 0.19, 1)
        _fill(image, (244, 243, 238), k * 0.2 + 0.05, 0.15, k * 0.2 + 0.15, 0.5)
        _disc(image, (200, 202, 206), k * 0.2 + 0.1, 0.78, 0.035)
    return image


def _cloth(stream: Stream, number: int) -> Floats:
    """Stripes, checks or dots, woven."""
    a, b = (np.asarray(_any(stream), dtype=np.float64) for _ in range(2))
    x, y = np.floor(_X * 8) % 2, np.floor(_Y * 8) % 2
    u, v = _X * 6 - np.floor(_X * 6) - 0.5, _Y * 6 - np.floor(_Y * 6) - 0.5
    share = (y, (x + y) / 2, np.where(u * u + v * v < 0.06, 1.0, 0.0))[number]
    weave = 0.88 + 0.2 * noise(stream, (_SIDE, _SIDE), (64, 64))
    woven: Floats = (a * (1 - share[..., None]) + b * share[..., None]) * weave[..., None]
    return woven


def _bubbles(stream: Stream, number: int) -> Floats:
    image = _plain((236, 234, 228))
    for _ in range(60):
        x, y = stream.below(100) / 100, stream.below(100) / 100
        _disc(image, _any(stream), x, y, 0.045)
    return image


_DRAWINGS: dict[str, Drawing] = {
    "clock": _clock, "cover": _cover, "label": _label, "photo": _photo, "calendar": _calendar, "keys": _keys,
    "pad": _pad, "socket": _socket, "dial": _dial, "food": _food, "game": _game, "display": _display,
    "paper": _paper, "globe": _globe, "notes": _notes, "mat": _mat, "slats": _slats, "spines": _spines,
    "cloth": _cloth, "bubbles": _bubbles,
}  # fmt: skip
SHEETS: dict[str, Callable[[Stream], Floats]] = {"tints": tints, "prints": prints}
