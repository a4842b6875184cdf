"""Small things that stand on other furniture."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.exact import Stream, cos_turns, sin_turns
from nav_eval_worlds.furniture.made import Made, slope
from nav_eval_worlds.furniture.plants import Path, blade
from nav_eval_worlds.surfaces.parametric import WHOLE, Model


def vase(stream: Stream) -> Made:
    """Flowers of one or two kinds on stalks of different length, leaves between them."""
    h = stream.between(18, 30) / 100
    m = Model()
    profile = stream.choice((
        [(0.0, 0.0), (0.05, 0.0), (0.08, h * 0.25), (0.09, h * 0.45), (0.07, h * 0.7), (0.045, h * 0.85), (0.06, h)],
        [(0.0, 0.0), (0.06, 0.0), (0.066, h * 0.5), (0.07, h)],
        [(0.0, 0.0), (0.04, 0.0), (0.085, h * 0.2), (0.06, h * 0.5), (0.035, h * 0.75), (0.05, h)],
    ))  # fmt: skip
    m.lathe(profile, stream.choice(("ceramic", "pot", "glass")), least=14)
    kinds = [stream.choice(("fruit", "fabric2", "fabric3", "sheet", "throw")) for _ in range(2)]
    for k in range(stream.between(4, 7)):
        turn, out = (k * 618 % 1000) / 1000, stream.between(3, 9) / 100
        x, z = float(cos_turns(np.asarray(turn))) * out, float(sin_turns(np.asarray(turn))) * out
        y = h + stream.between(8, 20) / 100
        m.tube([(0, h * 0.8, 0), (x * 0.6, (h + y) / 2, z * 0.6), (x, y, z)], 0.004, "leaf", 3)
        _bloom(m, (x, y, z), stream.between(28, 40) / 1000, kinds[k % 2], k % 3 == 2)
        blade(m, turn + 0.3, _hanging(h * 0.95, stream.between(9, 13) / 100), "leaf", (0.04, 0.12), 4)
    return Made("vase", m, (0.26, h + 0.24, 0.26))


def _hanging(y: float, reach: float) -> Path:
    return lambda v: (0.02 + v * reach, y + v * 0.13 - v * v * 0.09, 0.085 * v * (1 - v) + 0.002)


def _bloom(m: Model, at: tuple[float, float, float], r: float, material: str, closed: bool) -> None:
    """A flower: petals round a heart, or a bud."""
    x, y, z = at
    if closed:
        m.lathe([(0.0, y), (r * 0.55, y + r * 0.5), (r * 0.5, y + r), (0.0, y + r * 1.5)], material, (x, z), 8)
        return
    flower = Model()
    for k in range(6):
        blade(
            flower, k / 6, lambda v: (v * r * 1.2, v * (1 - v) * r * 1.6, r * 2.0 * v * (1.15 - v)), material, (r, r), 3
        )
    m.add(flower, at)
    m.lathe([(r * 0.34, y), (r * 0.3, y + r * 0.3), (0.0, y + r * 0.36)], "throw", (x, z), 6)


def bowl(stream: Stream) -> Made:
    """With fruit in it."""
    m = Model()
    rim = [(0.0, 0.0), (0.06, 0.0), (0.11, 0.035), (0.14, 0.085), (0.132, 0.085), (0.1, 0.04), (0.0, 0.02)]
    m.lathe(rim, "ceramic", least=16)
    for x, z, y in ((0.05, 0.02, 0.062), (-0.04, 0.05, 0.062), (0.0, -0.05, 0.062), (0.005, 0.015, 0.115)):
        r = 0.038
        arc = ((0.0, -0.9), (0.6, -0.8), (0.98, -0.2), (0.9, 0.5), (0.45, 0.88), (0.0, 0.8))
        m.lathe([(r * out, y + r * up) for out, up in arc], "fruit", (x, z), 9)
        m.tube([(x, y + r * 0.8, z), (x + 0.004, y + r * 1.3, z)], 0.002, "wood2", 3)
    return Made("bowl", m, (0.28, 0.165, 0.28))


def laptop(stream: Stream) -> Made:
    m = Model()
    m.box((-0.17, 0, -0.12), (0.17, 0.02, 0.12), "metal")
    slope(m, -0.17, 0.17, (0.02, -0.12), (0.24, -0.19), "screen", WHOLE)
    slope(m, 0.17, -0.17, (0.02, -0.125), (0.24, -0.195), "metal")
    return Made("laptop", m, (0.34, 0.24, 0.4))


def monitor(stream: Stream) -> Made:
    m = Model()
    m.box((-0.13, 0, -0.08), (0.13, 0.015, 0.08), "dark", skip="d")
    m.box((-0.02, 0.015, -0.03), (0.02, 0.2, -0.01), "dark", skip="d")
    m.box((-0.3, 0.13, -0.01), (0.3, 0.48, 0.015), "dark")
    m.card(-0.285, 0.145, 0.285, 0.465, 0.016, "screen", WHOLE)
    return Made("tv_monitor", m, (0.6, 0.48, 0.16))


def television(stream: Stream, w: float = 1.15) -> Made:
    h = w * 0.58
    m = Model()
    m.box((-0.25, 0, -0.1), (0.25, 0.02, 0.1), "dark", skip="d")
    m.box((-0.05, 0.02, -0.03), (0.05, 0.08, 0.0), "dark", skip="d")
    m.box((-w / 2, 0.06, -0.03), (w / 2, 0.06 + h, 0.02), "dark")
    m.card(-w / 2 + 0.02, 0.08, w / 2 - 0.02, 0.04 + h, 0.022, "screen", WHOLE)
    return Made("tv_monitor", m, (w, 0.06 + h, 0.2))


_COVERS = ("dark", "leather", "fabric1", "fabric2", "fabric3", "sheet", "cardboard")


def book_row(model: Model, x0: float, x1: float, y: float, z: float, stream: Stream) -> None:
    """Books of mixed height and colour between x0 and x1 on the shelf at y; z is the plane of their backs."""
    x = x0
    while x < x1 - 0.1:
        wide = min(stream.between(10, 24) / 100, x1 - x)
        high, u = stream.between(20, 28) / 100, stream.below(40) / 40
        lows, highs = (x, y, z - 0.17), (x + wide, y + high, z)
        model.box(lows, highs, stream.choice(_COVERS), skip="bdfu")
        top = highs[1] - 0.006
        model.flat(x, z - 0.17, x + wide, z, top, "sheet")
        spines = [(u, 1), (u + wide * 1.6, 1), (u + wide * 1.6, 0), (u, 0)]
        model.card(x, y, x + wide, y + high, z, "books", spines)
        x += wide + stream.choice((0.0, 0.0, 0.06))
