"""Sofas, armchairs and chairs, from cushions and legs; sizes after common furniture, metres."""

from __future__ import annotations

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture.made import Made, legs
from nav_eval.worlds.surfaces import Model


def sofa(stream: Stream, seats: int = 0) -> Made:
    """Two to three seats, high back, arms and loose pillows."""
    seats = seats or stream.choice((2, 3, 3))
    fabric = stream.choice(("fabric0", "fabric1", "leather"))
    arm, seat, depth = stream.between(16, 22) / 100, stream.between(60, 68) / 100, 0.9
    w = seats * seat + 2 * arm
    m = Model()
    legs(m, w, depth, 0.1, "wood2")
    m.box((-w / 2, 0.09, -depth / 2), (w / 2, 0.24, depth / 2 - 0.02), fabric)
    for s in (-1, 1):
        m.cushion(
            (min(s * w / 2, s * (w / 2 - arm)), 0.12, -depth / 2),
            (max(s * w / 2, s * (w / 2 - arm)), 0.62, depth / 2),
            fabric,
            0.07,
        )
    m.cushion((-w / 2 + 0.02, 0.2, -depth / 2), (w / 2 - 0.02, 0.8, -depth / 2 + 0.2), fabric, 0.08)
    for i in range(seats):
        x0 = -w / 2 + arm + i * seat
        m.cushion((x0 + 0.005, 0.22, -depth / 2 + 0.17), (x0 + seat - 0.005, 0.44, depth / 2 - 0.03), fabric, 0.06)
        m.cushion((x0 + 0.02, 0.42, -depth / 2 + 0.14), (x0 + seat - 0.02, 0.86, -depth / 2 + 0.34), fabric, 0.09)
    pillow = "fabric2" if fabric != "fabric2" else "fabric3"
    for s in (-1, 1):
        if stream.chance(80):
            x = s * (w / 2 - arm - 0.22)
            m.cushion((x - 0.2, 0.44, -depth / 2 + 0.3), (x + 0.2, 0.8, -depth / 2 + 0.46), pillow, 0.08)
    return Made("sofa", m, (w, 0.86, depth))


def armchair(stream: Stream) -> Made:
    fabric = stream.choice(("fabric1", "fabric2", "leather"))
    w, d = 0.82, 0.84
    m = Model()
    legs(m, w, d, 0.14, "wood2", 0.04, 0.06)
    m.cushion((-w / 2 + 0.12, 0.13, -d / 2 + 0.12), (w / 2 - 0.12, 0.45, d / 2), fabric, 0.07)
    m.cushion((-w / 2 + 0.06, 0.16, -d / 2), (w / 2 - 0.06, 0.95, -d / 2 + 0.2), fabric, 0.09)
    for s in (-1, 1):
        m.cushion(
            (min(s * w / 2, s * (w / 2 - 0.15)), 0.13, -d / 2 + 0.04),
            (max(s * w / 2, s * (w / 2 - 0.15)), 0.62, d / 2 - 0.02),
            fabric,
            0.06,
        )
    return Made("chair", m, (w, 0.95, d))


def dining_chair(stream: Stream, wood: str = "", fabric: str = "") -> Made:
    wood, fabric = (
        wood or stream.choice(("wood", "wood2", "dark")),
        fabric or stream.choice(("fabric2", "fabric3", "leather")),
    )
    w, d = 0.46, 0.5
    m = Model()
    legs(m, w, d, 0.43, wood, 0.04, 0.01)
    m.box((-w / 2, 0.4, -d / 2), (w / 2, 0.44, d / 2), wood)
    m.cushion((-w / 2 + 0.015, 0.43, -d / 2 + 0.03), (w / 2 - 0.015, 0.49, d / 2 - 0.01), fabric, 0.025)
    for s in (-1, 1):
        x = s * (w / 2 - 0.03)
        m.box((x - 0.02, 0.44, -d / 2), (x + 0.02, 0.94, -d / 2 + 0.04), wood, skip="d")
    for y in (0.62, 0.74, 0.86):
        m.box((-w / 2 + 0.05, y, -d / 2 + 0.005), (w / 2 - 0.05, y + 0.07, -d / 2 + 0.03), wood)
    return Made("chair", m, (w, 0.94, d))


def office_chair(stream: Stream) -> Made:
    """A swivel chair on a five-armed foot."""
    fabric = stream.choice(("dark", "fabric1", "leather"))
    m = Model()
    for x, z in ((0.3, 0.0), (0.09, 0.28), (-0.24, 0.18), (-0.24, -0.18), (0.09, -0.28)):
        m.tube([(0, 0.1, 0), (x, 0.07, z)], 0.022, "dark")
        m.lathe([(0.0, 0.0), (0.03, 0.0), (0.03, 0.06), (0.0, 0.06)], "dark", (x, z), 6)
    m.tube([(0, 0.08, 0), (0, 0.46, 0)], 0.03, "metal", 6)
    m.cushion((-0.25, 0.44, -0.24), (0.25, 0.54, 0.26), fabric, 0.05, skip="")
    m.box((-0.05, 0.46, -0.28), (0.05, 0.75, -0.25), "dark")
    m.cushion((-0.23, 0.62, -0.3), (0.23, 1.08, -0.22), fabric, 0.04, skip="")
    for s in (-1, 1):
        m.tube([(s * 0.27, 0.5, 0.0), (s * 0.29, 0.7, 0.0)], 0.015, "dark")
        m.box((s * 0.29 - 0.03, 0.69, -0.14), (s * 0.29 + 0.03, 0.72, 0.14), "dark")
    return Made("chair", m, (0.66, 1.08, 0.66))
