"""Lamps. Those of the ceiling hang from y = 0 downwards."""

from __future__ import annotations

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture.made import Made
from nav_eval.worlds.surfaces import Model


def table_lamp(stream: Stream) -> Made:
    m = Model()
    m.lathe(
        [(0.0, 0.0), (0.07, 0.0), (0.07, 0.015), (0.02, 0.04), (0.045, 0.12), (0.015, 0.22), (0.0, 0.24)],
        stream.choice(("ceramic", "metal", "wood2")),
    )
    m.lathe([(0.14, 0.2), (0.09, 0.42)], "shade", least=10)
    m.lathe([(0.09, 0.42), (0.0, 0.42)], "shade", least=10)
    return Made("lamp", m, (0.28, 0.42, 0.28))


def floor_lamp(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.0, 0.0), (0.15, 0.0), (0.15, 0.02), (0.03, 0.04)], "dark", least=10)
    m.tube([(0, 0.03, 0), (0, 1.35, 0)], 0.013, "dark", 5)
    m.lathe([(0.21, 1.28), (0.15, 1.6)], "shade", least=12)
    m.lathe([(0.15, 1.6), (0.0, 1.6)], "shade", least=12)
    return Made("lamp", m, (0.42, 1.6, 0.42))


def pendant(stream: Stream) -> Made:
    m = Model()
    m.tube([(0, 0, 0), (0, -0.45, 0)], 0.008, "dark", 3)
    m.lathe(
        [(0.22, -0.7), (0.17, -0.5), (0.03, -0.44), (0.0, -0.44)], stream.choice(("shade", "dark", "metal")), least=10
    )
    m.lathe([(0.0, -0.69), (0.2, -0.68)], "glow", least=10)
    return Made("lamp", m, (0.44, 0.7, 0.44))


def ceiling_lamp(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.0, -0.11), (0.12, -0.1), (0.21, -0.05), (0.22, 0.0)], "glow", least=10)
    return Made("lamp", m, (0.44, 0.11, 0.44))


def light_panel(stream: Stream) -> Made:
    """An office's flat panel."""
    m = Model()
    m.box((-0.6, -0.03, -0.15), (0.6, 0.0, 0.15), "white", skip="u")
    m.quad([(-0.57, -0.031, -0.12), (0.57, -0.031, -0.12), (0.57, -0.031, 0.12), (-0.57, -0.031, 0.12)], "glow")
    return Made("lamp", m, (1.2, 0.031, 0.3))
