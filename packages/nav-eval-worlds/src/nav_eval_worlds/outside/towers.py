"""Tall blocks of a city: stone or glass, each window with its own share of the sky, of a blind or of a lamp."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.outside.buildings import dim, lights
from nav_eval_worlds.outside.canvas import Canvas
from nav_eval_worlds.surfaces.noise import Colour

_SKINS: tuple[tuple[Colour, ...], ...] = (
    ((176, 172, 166), (198, 190, 176), (160, 138, 122), (188, 176, 156)),
    ((128, 138, 146), (110, 120, 130), (146, 154, 158)),
)
"""Walls of stone, and of metal and glass."""


def tower(c: Canvas, s: Stream, distance: float, x0: float, wide: float, high: float) -> None:
    """A block of stone with windows, with bands of them, or all of glass; a lower tall part stands on some."""
    glazed = s.chance(40)
    wall = s.choice(_SKINS[glazed])
    cell = (s.choice((1.6, 2.2)), 3.6) if glazed else (s.choice((wide, 2.6, 3.2, 4.2)), 3.3)
    bars = (0.06, 0.16) if glazed else s.choice(((0.2, 0.3), (0.12, 0.34), (0.3, 0.24)))
    deep = wide * s.between(50, 90) / 100
    parts = [(x0, wide, high)]
    if high > 45 and s.chance(50):
        parts.append((x0 + wide * 0.2, wide * 0.6, high * 1.22))
    for left, across, up in parts[::-1]:
        side = left if left > 0 else left + across
        c.flank(side, distance, distance + deep, 0.0, up, dim(wall, 0.6), cell if cell[0] < 9 else (3.0, 3.3),
                lights(c, s, distance, (int(up / 3.3) + 1, int(deep / 2) + 1), 0.55))  # fmt: skip
        c.top(distance, distance + deep, left, left + across, up, dim(wall, 0.86))
        c.rectangle(distance, left, left + across, 0.0, up, wall, 0.08)
        shape = (max(1, int(up / cell[1])), max(1, int(across / cell[0])))
        c.panes(distance, left, left + across, shape[0] * cell[1], (across / shape[1], cell[1]),
                lights(c, s, distance, shape, 1.0), bars)  # fmt: skip
        c.rectangle(distance, left, left + across, up - 1.1, up, dim(wall, 1.08))
    _on_top(c, s, distance, x0, wide, high)
    c.rectangle(distance, x0, x0 + wide, 0.0, 4.0, dim(wall, 0.5))


def _on_top(c: Canvas, s: Stream, distance: float, x0: float, wide: float, high: float) -> None:
    """Machines' houses, and a mast now and then."""
    for _ in range(s.below(3)):
        x = x0 + wide * s.between(10, 70) / 100
        c.rectangle(
            distance + 3, x, x + wide * s.between(8, 24) / 100, high, high + s.between(15, 34) / 10, (142, 142, 140)
        )
    if high > 60 and s.chance(25):
        c.rectangle(distance + 3, x0 + wide * 0.48, x0 + wide * 0.5, high, high * 1.22, (120, 120, 122))
