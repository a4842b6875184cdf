"""Small things that stand on other furniture."""

from __future__ import annotations

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture.made import Made
from nav_eval.worlds.surfaces import Model


def vase(stream: Stream) -> Made:
    h = stream.between(20, 30) / 100
    m = Model()
    m.lathe(
        [(0.0, 0.0), (0.05, 0.0), (0.09, h * 0.4), (0.045, h * 0.8), (0.06, h), (0.0, h)],
        stream.choice(("ceramic", "pot", "glass")),
        least=12,
    )
    for x, z in ((0.06, 0.03), (-0.05, 0.05), (0.01, -0.07), (0.03, 0.07), (-0.06, -0.03)):
        m.tube([(0, h * 0.9, 0), (x * 0.7, h + 0.12, z * 0.7), (x, h + 0.2, z)], 0.004, "leaf", 3)
        m.lathe(
            [(0.0, h + 0.18), (0.03, h + 0.2), (0.025, h + 0.23), (0.0, h + 0.24)],
            stream.choice(("fruit", "fabric2", "fabric3")),
            (x, z),
            8,
        )
    return Made("vase", m, (0.2, h + 0.24, 0.2))


def bowl(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.0, 0.0), (0.06, 0.0), (0.14, 0.08), (0.13, 0.08), (0.05, 0.02), (0.0, 0.02)], "ceramic")
    for x, z in ((0.05, 0.02), (-0.04, 0.05), (0.0, -0.05)):
        m.lathe([(0.0, 0.03), (0.035, 0.045), (0.035, 0.08), (0.0, 0.1)], "fruit", (x, z), 6)
    return Made("bowl", m, (0.28, 0.1, 0.28))


def laptop(stream: Stream) -> Made:
    m = Model()
    m.box((-0.17, 0, -0.12), (0.17, 0.02, 0.12), "metal")
    m.quad(
        [(-0.17, 0.02, -0.12), (0.17, 0.02, -0.12), (0.17, 0.24, -0.19), (-0.17, 0.24, -0.19)],
        "screen",
        [(0, 1), (1, 1), (1, 0), (0, 0)],
    )
    m.quad([(0.17, 0.02, -0.125), (-0.17, 0.02, -0.125), (-0.17, 0.24, -0.195), (0.17, 0.24, -0.195)], "metal")
    return Made("laptop", m, (0.34, 0.24, 0.4))


def monitor(stream: Stream) -> Made:
    m = Model()
    m.box((-0.13, 0, -0.08), (0.13, 0.015, 0.08), "dark", skip="d")
    m.box((-0.02, 0.015, -0.03), (0.02, 0.2, -0.01), "dark", skip="d")
    m.box((-0.3, 0.13, -0.01), (0.3, 0.48, 0.015), "dark")
    m.quad(
        [(-0.285, 0.145, 0.016), (0.285, 0.145, 0.016), (0.285, 0.465, 0.016), (-0.285, 0.465, 0.016)],
        "screen",
        [(0, 1), (1, 1), (1, 0), (0, 0)],
    )
    return Made("tv_monitor", m, (0.6, 0.48, 0.16))


def television(stream: Stream, w: float = 1.15) -> Made:
    h = w * 0.58
    m = Model()
    m.box((-0.25, 0, -0.1), (0.25, 0.02, 0.1), "dark", skip="d")
    m.box((-0.05, 0.02, -0.03), (0.05, 0.08, 0.0), "dark", skip="d")
    m.box((-w / 2, 0.06, -0.03), (w / 2, 0.06 + h, 0.02), "dark")
    m.quad(
        [
            (-w / 2 + 0.02, 0.08, 0.022),
            (w / 2 - 0.02, 0.08, 0.022),
            (w / 2 - 0.02, 0.04 + h, 0.022),
            (-w / 2 + 0.02, 0.04 + h, 0.022),
        ],
        "screen",
        [(0, 1), (1, 1), (1, 0), (0, 0)],
    )
    return Made("tv_monitor", m, (w, 0.06 + h, 0.2))


def book_row(model: Model, x0: float, x1: float, y: float, z: float, stream: Stream) -> None:
    """Books of mixed height and colour between x0 and x1 on the shelf at y; z is the plane of their backs."""
    x = x0
    while x < x1 - 0.1:
        wide = min(stream.between(10, 24) / 100, x1 - x)
        high, u = stream.between(20, 28) / 100, stream.below(40) / 40
        lows, highs = (x, y, z - 0.17), (x + wide, y + high, z)
        model.box(lows, highs, "books", skip="bdf")
        corners = [(x, y, z), (x + wide, y, z), (x + wide, y + high, z), (x, y + high, z)]
        model.quad(corners, "books", [(u, 1), (u + wide * 1.6, 1), (u + wide * 1.6, 0), (u, 0)])
        x += wide + stream.choice((0.0, 0.0, 0.06))
