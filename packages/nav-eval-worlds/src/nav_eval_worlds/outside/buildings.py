"""The buildings of the views through the windows: houses with their fronts, and rows of them.

Each house draws how its walls, windows, roof and ground floor look, and keeps to it; what hangs behind a pane, and
whether its lamp is on, is drawn for each window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.outside.canvas import Canvas, planes
from nav_eval_worlds.surfaces.noise import Colour

Form = Literal["flat", "gable", "eaves"]
Pane = Literal["single", "casement", "sash", "wide", "tall"]

PLASTERS: tuple[Colour, ...] = (
    (214, 204, 184), (196, 170, 138), (184, 138, 120), (222, 218, 210), (166, 176, 178), (196, 186, 154),
    (206, 196, 188), (178, 186, 168), (212, 188, 150), (160, 158, 156),
)  # fmt: skip
BRICKS: tuple[Colour, ...] = ((142, 98, 82), (158, 118, 96), (128, 102, 90), (172, 150, 124))
ROOFS: tuple[Colour, ...] = ((138, 84, 66), (96, 92, 92), (112, 78, 64), (82, 86, 94), (150, 104, 80))
LAMPLIT: tuple[Colour, ...] = ((255, 206, 128), (250, 190, 112), (255, 226, 172), (232, 222, 202), (180, 196, 226))
_CLOTHS: tuple[Colour, ...] = ((212, 206, 194), (186, 172, 150), (150, 128, 112), (164, 172, 178), (226, 222, 212))
_SIGNS: tuple[Colour, ...] = ((46, 74, 62), (122, 44, 40), (40, 52, 84), (60, 58, 56), (176, 138, 60), (214, 208, 196))
_GOODS: tuple[Colour, ...] = ((196, 92, 70), (226, 200, 120), (96, 140, 150), (230, 226, 216), (120, 150, 92))
_FRAMES: tuple[Colour, ...] = ((228, 226, 220), (228, 226, 220), (74, 72, 72), (124, 96, 72))
_STOREY = 2.9


def dim(colour: Colour | Floats, share: float) -> Floats:
    """A colour, brighter or darker. (..., 3)."""
    return np.asarray(colour, np.float64) * share


@dataclass(frozen=True, slots=True)
class Front:
    """How a house looks: its wall, the frames and panes of its windows (m wide and high), what adorns them."""

    wall: Colour
    brick: bool
    frame: Colour
    pane: Pane
    wide: float
    high: float
    surround: bool
    shutters: Colour | None


def _front(s: Stream, town: bool) -> Front:
    brick = s.chance(34)
    pane: Pane = s.choice(("single", "casement", "casement", "sash", "sash", "wide", "tall" if town else "casement"))
    wide = {"single": 0.9, "casement": 1.15, "sash": 1.05, "wide": 1.8, "tall": 1.15}[pane] * s.between(92, 112) / 100
    high = {"single": 1.3, "casement": 1.4, "sash": 1.65, "wide": 1.35, "tall": 2.1}[pane]
    shutters = s.choice(((74, 92, 80), (92, 72, 58), (96, 110, 122), (70, 76, 84))) if s.chance(28) else None
    wall = s.choice(BRICKS if brick else PLASTERS)
    if pane not in ("single", "casement"):
        shutters = None
    return Front(wall, brick, s.choice(_FRAMES), pane, wide, high, s.chance(60), shutters)


def house(c: Canvas, s: Stream, at: tuple[float, float, float], floors: int, form: Form, shop: int = 0) -> None:
    """A front of (distance, x0, x1) with windows, a door below and a roof above; its sides go back from it.

    `shop`: per cent that its ground floor is one.
    """
    distance, x0, x1 = at
    front = _front(s, form == "flat")
    top, wide = floors * _STOREY + 0.5, x1 - x0
    c.shade_wall(distance, x0, x1, top, 0.4)
    _roof(c, s, at, top, form, front)
    if form != "flat" or wide < 9:
        panes = lights(c, s, distance, (floors, 2), 0.7)
        c.flank(x0 if x0 > 0 else x1, distance, distance + 7, 0.0, top, dim(front.wall, 0.7), (3.5, _STOREY), panes)
    c.wall(distance, x0, x1, 0.0, top, front.wall, front.brick)
    if form == "gable":
        _gable(c, s, at, top, front)
    else:
        c.rectangle(distance, x0, x1, top - 0.7, top - 0.22, dim(front.wall, 0.7))
        c.rectangle(distance - 0.3, x0 - 0.1, x1 + 0.1, top - 0.26, top, dim(front.frame, 0.96))
        c.rectangle(distance - 0.3, x0 - 0.1, x1 + 0.1, top - 0.32, top - 0.26, dim(front.frame, 0.6))
    c.rectangle(distance, x0, x1, 0.0, 0.5, (122, 116, 110), 0.2)
    if form == "flat" and s.chance(50):
        c.rectangle(distance, x0, x1, _STOREY + 0.1, _STOREY + 0.34, dim(front.wall, 1.12))
        c.rectangle(distance, x0, x1, _STOREY + 0.02, _STOREY + 0.1, dim(front.wall, 0.7))
    c.rectangle(distance, x1 - 0.2, x1 - 0.08, 0.0, top - 0.2, dim(front.wall, 0.6))
    _openings(c, s, at, floors, front, form == "flat", s.chance(shop))


def _openings(
    c: Canvas, s: Stream, at: tuple[float, float, float], floors: int, front: Front, town: bool, shop: bool
) -> None:
    """Column by column: windows, balconies or the stair, and at the foot the door, a shop, or more windows."""
    distance, x0, x1 = at
    wide = x1 - x0
    count = max(1, int(wide / (front.wide * s.between(165, 215) / 100)))
    door = s.below(count)
    balconies = {k for k in range(count) if k != door and s.chance(45 if town else 14)} if floors > 1 else set()
    for k in range(count):
        x = x0 + wide * (2 * k + 1) / (2 * count)
        for floor in range(floors):
            base = floor * _STOREY + (0.45 if front.pane == "tall" and floor else 1.15)
            if floor == 0 and (shop or k == door):
                continue
            if town and k == door and floor:
                stair = Front(front.wall, False, front.frame, "single", 0.8, 1.1, False, None)
                _window(c, s, stair, distance, x, base - 0.9)
            elif floor and k in balconies:
                _balcony(c, s, front, distance, x, floor * _STOREY + 0.2)
            else:
                _window(c, s, front, distance, x, base)
    if shop:
        _shop(c, s, distance, x0 + 0.3, x1 - 0.3)
    else:
        _door(c, s, front, distance, x0 + wide * (2 * door + 1) / (2 * count))


def _roof(c: Canvas, s: Stream, at: tuple[float, float, float], top: float, form: Form, front: Front) -> None:
    distance, x0, x1 = at
    tiles, wide, middle = s.choice(ROOFS), x1 - x0, (x0 + x1) / 2
    if form == "gable":
        peak = top + wide * 0.36
        for back in (7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.4):
            c.slope(distance + back, (top - 0.2, peak), (x0 - 0.4, x1 + 0.4), (middle, middle), tiles)
        return
    if form == "flat":
        c.rectangle(distance + 0.5, x0, x1, top, top + 0.4, dim(front.wall, 0.85))
        for _ in range(s.below(3)):
            x = x0 + wide * s.between(10, 80) / 100
            c.rectangle(distance + 4, x, x + 0.9, top, top + 1.3, (134, 116, 104), 0.2)
        return
    scale = (distance + 2) / distance
    hip = s.choice((0.1, 0.8, 1.6))
    c.slope(
        distance + 2, (top - 0.2, top + 2.6), (x0 * scale - 0.3, x1 * scale + 0.3),
        (x0 * scale + hip, x1 * scale - hip), tiles, 0.34,
    )  # fmt: skip
    high, near = (distance + 3) / distance, (distance + 1.2) / distance
    for k in range(s.between(1, 2)):
        x = (x0 + wide * (0.15 + 0.55 * k)) * high
        c.rectangle(distance + 3, x, x + 0.7, top + 1.4, top + 3.3, (146, 100, 82), 0.2)
        c.rectangle(distance + 3, x + 0.45, x + 0.7, top + 1.4, top + 3.3, (104, 72, 60), 0.2)
        for pot in (0.08, 0.4):
            c.rectangle(distance + 3, x + pot, x + pot + 0.2, top + 3.3, top + 3.62, (158, 92, 66))
    if s.chance(55):
        for x in ((x0 + wide * 0.34) * near, (x0 + wide * 0.66) * near):
            c.slope(distance + 1.2, (top + 0.7, top + 1.6), (x - 0.45, x + 0.45), (x - 0.42, x + 0.42), (92, 92, 94))
            c.slope(
                distance + 1.2, (top + 0.78, top + 1.52), (x - 0.37, x + 0.37), (x - 0.34, x + 0.34), (148, 168, 186)
            )


def _gable(c: Canvas, s: Stream, at: tuple[float, float, float], top: float, front: Front) -> None:
    distance, x0, x1 = at
    wide, middle = x1 - x0, (x0 + x1) / 2
    c.slope(distance, (top - 0.1, top + wide * 0.34), (x0, x1), (middle, middle), front.wall, rough=0.14)
    if wide > 5:
        _window(c, s, front, distance, middle, top - 0.1 + wide * 0.05)
    for way in (-1, 1):
        end = middle + way * (wide / 2 + 0.4)
        low = (min(end, end - 0.3 * way), max(end, end - 0.3 * way))
        tip = (min(middle, middle - 0.3 * way), max(middle, middle - 0.3 * way))
        c.slope(distance, (top - 0.2, top + wide * 0.36), low, tip, dim(front.frame, 0.95))


def _window(c: Canvas, s: Stream, front: Front, distance: float, x: float, low: float) -> None:
    """Set back into the wall: dark above and on one side, bright on the other and on its sill."""
    half, high, wall, frame = front.wide / 2, low + front.high, front.wall, front.frame
    if front.surround:
        c.rectangle(distance, x - half - 0.18, x + half + 0.18, low - 0.02, high + 0.22, dim(wall, 1.14))
    c.rectangle(distance, x - half - 0.06, x + half + 0.06, low - 0.02, high + 0.07, dim(wall, 0.46))
    c.rectangle(distance, x + half, x + half + 0.06, low, high, dim(wall, 0.9))
    c.rectangle(distance, x - half, x + half, low, high, frame)
    _behind(c, s, distance, (x - half + 0.07, x + half - 0.07, low + 0.07, high - 0.07))
    parts = {"single": 1, "casement": 2, "sash": 3, "wide": 3, "tall": 2}[front.pane]
    thick = 0.02 if front.pane == "sash" else 0.035
    for k in range(1, parts):
        bar = x - half + front.wide * k / parts
        c.rectangle(distance, bar - thick, bar + thick, low, high, dim(frame, 0.94))
    for k in {"sash": (1, 2, 3), "tall": (3,)}.get(front.pane, ()):
        bar = low + front.high * k / 4
        c.rectangle(distance, x - half, x + half, bar - (0.04 if k == 2 else 0.02), bar + 0.02, dim(frame, 0.94))
    c.rectangle(distance - 0.1, x - half - 0.1, x + half + 0.1, low - 0.1, low, dim(frame, 0.92))
    c.veil(distance, x - half - 0.08, x + half + 0.1, low - 0.3, low - 0.1, dim(wall, 0.6), 0.7)
    c.veil(distance, x - half, x + half, low - 0.9, low - 0.3, dim(wall, 0.8), 0.35)
    if front.shutters:
        for way in (-1, 1):
            a, b = sorted((x + way * (half + 0.06), x + way * (half + 0.06 + half * 0.9)))
            c.rectangle(distance, a, b, low, high, front.shutters)
            for k in range(1, 8):
                y = low + front.high * k / 8
                c.rectangle(distance, a + 0.05, b - 0.05, y - 0.02, y + 0.02, dim(front.shutters, 0.7))
    elif low > 3 and s.chance(9):
        _flower_box(c, s, distance, x, half, low)


def _behind(c: Canvas, s: Stream, distance: float, hole: tuple[float, float, float, float]) -> None:
    """What one sees in a window: its lamp or the sky's reflection, and how its curtains are drawn."""
    x0, x1, y0, y1 = hole
    lit = c.evening and s.chance(46)
    light = s.choice(LAMPLIT)
    cloth = s.choice(_CLOTHS)
    if lit:
        c.glow(distance, x0, x1, y0, y1, light)
    else:
        c.glass(distance, x0, x1, y0, y1, s.between(15, 75) / 100)
    shown = dim(light, 0.74) / c.light if lit else dim(cloth, 0.72)
    state, wide = s.below(6), x1 - x0
    if state in (0, 1):
        drawn = wide * s.between(14, 34) / 100
        c.veil(distance, x0, x0 + drawn, y0, y1, shown, 0.8)
        c.veil(distance, x1 - drawn, x1, y0, y1, shown, 0.8)
    elif state == 2:
        c.veil(distance, x0, x1, y0, y0 + (y1 - y0) * 0.55, shown, 0.5)
    elif state == 3:
        c.veil(distance, x0, x1, y1 - (y1 - y0) * s.between(20, 85) / 100, y1, shown, 0.85)
    elif state == 4 and not lit:
        c.veil(distance, x0, x1, y0, y1, shown, 0.6)


def _flower_box(c: Canvas, s: Stream, distance: float, x: float, half: float, low: float) -> None:
    c.rectangle(distance - 0.2, x - half, x + half, low - 0.16, low + 0.06, (112, 84, 66))
    bloom = s.choice(((196, 70, 76), (222, 130, 150), (230, 210, 120), (170, 120, 190)))
    for k in range(7):
        c.disc(distance - 0.2, x - half + half * k / 3, low + 0.1 + 0.03 * s.below(4), 0.12, (76, 112, 60))
    for k in range(5):
        c.disc(distance - 0.2, x - half + half * (k + 0.5) / 2.5, low + 0.14 + 0.03 * s.below(4), 0.06, bloom)


def _balcony(c: Canvas, s: Stream, front: Front, distance: float, x: float, floor: float) -> None:
    """A glazed door behind a slab that stands out, seen with its underside, and a balustrade."""
    half, wall = 1.35, front.wall
    tall = Front(wall, False, front.frame, "tall", 1.7, 2.15, False, None)
    _window(c, s, tall, distance, x, floor)
    for k in range(6):
        c.veil(
            distance,
            x - half,
            x + half,
            floor - 0.3 - 0.14 * (k + 1),
            floor - 0.3 - 0.14 * k,
            dim(wall, 0.45),
            0.6 - 0.1 * k,
        )
    for back in (0.0, 0.2, 0.4, 0.6, 0.8):
        c.rectangle(distance - back, x - half, x + half, floor - 0.16, floor, dim(wall, 0.5))
    near = distance - 1.0
    c.rectangle(near, x - half, x + half, floor - 0.16, floor + 0.03, dim(wall, 0.95))
    kind = s.below(4)
    if kind == 0:
        c.rectangle(near, x - half, x + half, floor, floor + 0.9, dim(wall, 0.9), 0.1)
    elif kind == 1:
        c.veil(near, x - half, x + half, floor + 0.06, floor + 0.9, (176, 190, 196), 0.55)
    else:
        for k in range(18):
            bar = x - half + k * 2 * half / 17
            c.rectangle(near, bar - 0.014, bar + 0.014, floor, floor + 0.92, (66, 68, 70))
    c.rectangle(near, x - half, x + half, floor + 0.9, floor + 0.97, (72, 72, 74) if kind else dim(wall, 1.05))
    if s.chance(30):
        _flower_box(c, s, near + 0.1, x + s.between(-5, 5) / 10, 0.6, floor + 0.85)


def _door(c: Canvas, s: Stream, front: Front, distance: float, x: float) -> None:
    paint = s.choice(((108, 50, 46), (50, 70, 84), (62, 82, 64), (96, 74, 56), (58, 58, 60), (188, 184, 174)))
    c.rectangle(distance, x - 0.72, x + 0.72, 0.3, 2.85, dim(front.frame, 0.95))
    c.rectangle(distance, x - 0.56, x + 0.56, 0.3, 2.75, dim(paint, 0.55))
    c.rectangle(distance, x - 0.54, x + 0.5, 0.3, 2.35, paint)
    if c.evening:
        c.glow(distance, x - 0.5, x + 0.5, 2.42, 2.7, LAMPLIT[0])
        c.halo(distance, x + 0.9, 2.3, 1.6, (120, 90, 48))
    else:
        c.glass(distance, x - 0.5, x + 0.5, 2.42, 2.7, 0.5)
    for low, high in ((0.55, 1.2), (1.35, 2.2)):
        for left, right in ((-0.44, -0.06), (0.06, 0.42)):
            c.rectangle(distance, x + left, x + right, low, high, dim(paint, 0.78))
    c.rectangle(distance, x + 0.38, x + 0.44, 1.25, 1.32, (212, 196, 150))
    c.rectangle(distance - 0.4, x - 0.9, x + 0.9, 0.0, 0.16, (168, 164, 156), 0.2)
    c.rectangle(distance, x - 0.8, x + 0.8, 0.16, 0.3, (178, 174, 166), 0.2)
    if s.chance(45):
        for back in (0.0, 0.3, 0.6, 0.9):
            c.rectangle(distance - back, x - 1.0, x + 1.0, 2.92, 3.02, (88, 86, 84))
        c.veil(distance, x - 1.0, x + 1.0, 2.4, 2.92, (40, 38, 36), 0.4)


def _shop(c: Canvas, s: Stream, distance: float, x0: float, x1: float) -> None:
    """Large panes with goods behind them, a door, a board with a name, and sometimes an awning."""
    board = s.choice(_SIGNS)
    c.rectangle(distance, x0, x1, 0.3, 3.1, dim(board, 0.75))
    door = x0 + (x1 - x0) * s.between(15, 75) / 100
    spans = [(x0 + 0.2, door - 0.1), (door + 1.1, x1 - 0.2)]
    for a, b in [span for span in spans if span[1] - span[0] > 0.4]:
        if c.evening:
            c.glow(distance, a, b, 0.7, 2.5, s.choice(LAMPLIT))
        else:
            c.glass(distance, a, b, 0.7, 2.5, 0.25)
        x = a + 0.15
        while x < b - 0.4:
            c.veil(distance, x, x + s.between(15, 45) / 100, 0.75, s.between(95, 170) / 100, s.choice(_GOODS), 0.55)
            x += s.between(30, 70) / 100
    c.glass(distance, door, door + 1.0, 0.35, 2.4, 0.2)
    c.rectangle(distance, door - 0.05, door + 0.02, 0.3, 2.5, dim(board, 1.2))
    c.rectangle(distance - 0.1, x0, x1, 2.58, 3.12, board)
    at = x0 + (x1 - x0) * 0.3
    while at < x0 + (x1 - x0) * 0.7:
        letter = s.between(10, 22) / 100
        c.veil(distance - 0.1, at, at + letter * 0.8, 2.72, 2.98, (232, 226, 208), 0.8)
        at += letter + 0.06
    if s.chance(45):
        stripe = s.choice(((150, 60, 54), (72, 98, 84), (70, 84, 116)))
        for k in range(5):
            c.rectangle(
                distance - 0.3 * k, x0, x1, 2.62 - 0.1 * k, 2.74 - 0.1 * k, stripe if k % 2 else (222, 216, 202)
            )
        c.veil(distance, x0, x1, 1.5, 2.3, (30, 28, 26), 0.35)
    if c.evening:
        c.pool(distance - 1.2, (x0 + x1) / 2, 3.0, (86, 64, 36))


def row(c: Canvas, s: Stream, distance: float, floors: tuple[int, int], town: bool, shop: int = 0) -> None:
    """Houses wall to wall across the whole side: the outermost first, whose sides the others hide."""
    plots: list[tuple[float, float]] = []
    x = -distance - s.between(0, 400) / 100
    while x < distance:
        wide = s.between(560, 1250 if town else 950) / 100
        plots.append((x, x + wide))
        x += wide
    for x0, x1 in sorted(plots, key=lambda plot: -abs(plot[0] + plot[1])):
        form: Form = "flat" if town else ("gable" if x1 - x0 < 7 and s.chance(35) else "eaves")
        house(c, s, (distance, x0, x1), s.between(*floors), form, shop)


def lights(c: Canvas, s: Stream, distance: float, shape: tuple[int, int], level: float) -> Floats:
    """(3, rows, columns), 0 to 255, of windows: higher up they mirror more of the sky, some have blinds; lamps in the
    evening."""
    drawn = s.unit(shape)
    up = ((np.arange(shape[0]) + 0.5) / shape[0])[:, None]
    mirrored = np.clip(0.12 + 0.42 * up + 0.35 * (drawn - 0.5), 0, 1)
    room = planes(np.asarray((44.0, 54.0, 64.0)) * c.light)
    colours = (room + (planes(c.haze * 0.85) - room) * mirrored) * level
    np.copyto(colours, planes(np.asarray((176.0, 172.0, 162.0)) * c.light * level), where=drawn > 0.9)
    if c.evening:
        lit = s.unit(shape)
        for k, colour in enumerate(LAMPLIT):
            ours = (lit >= k * 0.07) & (lit < k * 0.07 + 0.07)
            np.copyto(colours, planes(dim(colour, 0.6 + 0.4 * level)), where=ours)
    share = distance / (distance + c.clear)
    return np.asarray(colours * (1 - share) + planes(c.haze * share))
