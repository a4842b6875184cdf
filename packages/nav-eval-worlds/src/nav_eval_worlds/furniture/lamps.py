"""Lamps. Those of the ceiling hang from y = 0 downwards."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Family, Made, beam, four_corners
from nav_eval_worlds.surfaces.parametric import Model


def table_lamp(stream: Stream) -> Made:
    """A shade on a foot: an urn, a stick, a ball or a drum."""
    kind = stream.below(4)
    foot = stream.choice(("ceramic", "metal2", "wood2", "fabric3", "pot"))
    profile = (
        [(0.0, 0.0), (0.07, 0.0), (0.07, 0.015), (0.02, 0.04), (0.045, 0.12), (0.015, 0.22)],
        [(0.0, 0.0), (0.08, 0.0), (0.08, 0.015), (0.012, 0.03), (0.012, 0.24)],
        [(0.0, 0.0), (0.05, 0.0), (0.1, 0.08), (0.07, 0.17), (0.02, 0.2), (0.012, 0.24)],
        [(0.0, 0.0), (0.06, 0.0), (0.06, 0.16), (0.012, 0.18), (0.012, 0.24)],
    )[kind]
    m = Model()
    m.lathe(profile, foot)
    top = (0.09, 0.12, 0.08, 0.13)[kind]
    m.lathe([(0.14, 0.2), (top, 0.42)], "shade", least=10)
    m.lathe([(top, 0.42), (0.0, 0.42)], "shade", least=10)
    return Made("lamp", m, (0.28, 0.42, 0.28), design=("urn", "stick", "ball", "drum")[kind] + "_table_lamp")


def drum_lamp(stream: Stream) -> Made:
    skin = stream.choice(("dark", "metal2", "wood"))
    m = Model()
    m.lathe([(0.0, 0.0), (0.15, 0.0), (0.15, 0.02), (0.03, 0.04)], skin, least=10)
    m.tube([(0, 0.03, 0), (0, 1.35, 0)], 0.013, skin, 5)
    _shade(m, 0.21, 0.15 if stream.chance(50) else 0.2, 1.28, 1.6)
    return Made("lamp", m, (0.42, 1.6, 0.42))


def _shade(m: Model, low: float, high: float, y0: float, y1: float, at: tuple[float, float] = (0.0, 0.0)) -> None:
    m.lathe([(low, y0), (high, y1), (0.0, y1)], "shade", at, 12)


def tripod_lamp(stream: Stream) -> Made:
    m = Model()
    for x, z in ((0.25, 0.0), (-0.125, 0.217), (-0.125, -0.217)):
        beam(m, (x, 0, z), (x * 0.1, 1.2, z * 0.1), 0.03, stream.choice(("wood", "wood")))
    _shade(m, 0.24, 0.18, 1.18, 1.52)
    return Made("lamp", m, (0.52, 1.52, 0.52))


def arc_lamp(stream: Stream) -> Made:
    """A bow that carries its shade away from its foot."""
    m = Model()
    m.lathe([(0.0, 0.0), (0.14, 0.0), (0.14, 0.05), (0.0, 0.05)], "marble", (0, -0.3), 12)
    bow = [(0.04, -0.3), (1.2, -0.3), (1.55, -0.24), (1.74, -0.1), (1.78, 0.08), (1.7, 0.24)]
    m.tube([(0, y, z) for y, z in bow], 0.012, "metal2", 5)
    m.lathe([(0.17, 1.48), (0.16, 1.58), (0.08, 1.68), (0.0, 1.7)], "metal2", (0, 0.27), 12)
    m.lathe([(0.0, 1.49), (0.16, 1.485)], "glow", (0, 0.27), 10)
    return Made("lamp", m, (0.36, 1.79, 0.9))


def reading_lamp(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.0, 0.0), (0.13, 0.0), (0.13, 0.02), (0.0, 0.025)], "metal2", least=10)
    m.tube([(0, 0.02, 0), (0, 1.3, 0), (0.02, 1.38, 0.06), (0.02, 1.36, 0.14)], 0.01, "metal2", 5)
    m.lathe([(0.08, 1.22), (0.05, 1.36), (0.0, 1.38)], "metal2", (0.02, 0.15), 8)
    m.lathe([(0.0, 1.225), (0.075, 1.222)], "glow", (0.02, 0.15), 8)
    return Made("lamp", m, (0.26, 1.4, 0.46))


def paper_lamp(stream: Stream) -> Made:
    """A tall lantern of paper on the floor."""
    m = Model()
    for x, z in ((0.15, 0.15), (-0.15, 0.15), (0.15, -0.15), (-0.15, -0.15)):
        m.box((x - 0.012, 0, z - 0.012), (x + 0.012, 1.1, z + 0.012), "wood", skip="d")
    m.box((-0.14, 0.12, -0.14), (0.14, 1.06, 0.14), "shade")
    for y in (0.1, 0.55, 1.06):
        m.box((-0.15, y, -0.15), (0.15, y + 0.02, 0.15), "wood")
    return Made("lamp", m, (0.34, 1.1, 0.34))


floor_lamp = Family(drum_lamp, tripod_lamp, arc_lamp, reading_lamp, paper_lamp)


def cone_pendant(stream: Stream) -> Made:
    m = Model()
    m.tube([(0, 0, 0), (0, -0.45, 0)], 0.008, "dark", 3)
    m.lathe(
        [(0.22, -0.7), (0.17, -0.5), (0.03, -0.44), (0.0, -0.44)], stream.choice(("shade", "dark", "metal2")), least=10
    )
    m.lathe([(0.0, -0.69), (0.2, -0.68)], "glow", least=10)
    return Made("lamp", m, (0.44, 0.7, 0.44))


def dome_pendant(stream: Stream) -> Made:
    """One or three domes of metal."""
    m = Model()
    xs = (0.0,) if stream.chance(40) else (-0.4, 0.0, 0.4)
    if len(xs) > 1:
        m.box((-0.5, -0.03, -0.04), (0.5, 0.0, 0.04), "metal2", skip="u")
    for x in xs:
        m.tube([(x, 0, 0), (x, -0.5, 0)], 0.006, "dark", 3)
        m.lathe(
            [(0.16, -0.72), (0.15, -0.62), (0.09, -0.53), (0.0, -0.5)], stream.choice(("metal2", "dark")), (x, 0), 10
        )
        m.lathe([(0.0, -0.7), (0.15, -0.7)], "glow", (x, 0), 8)
    return Made("lamp", m, (1.14 if len(xs) > 1 else 0.32, 0.72, 0.32))


def globe_pendant(stream: Stream) -> Made:
    m = Model()
    m.tube([(0, 0, 0), (0, -0.42, 0)], 0.006, "metal2", 3)
    m.lathe([(0.04, -0.42), (0.04, -0.46)], "metal2", least=6)
    m.lathe([(0.0, -0.74), (0.1, -0.71), (0.15, -0.6), (0.1, -0.49), (0.03, -0.46)], "glow", least=12)
    return Made("lamp", m, (0.32, 0.74, 0.32))


def basket_pendant(stream: Stream) -> Made:
    m = Model()
    m.tube([(0, 0, 0), (0, -0.4, 0)], 0.006, "dark", 3)
    m.lathe([(0.2, -0.72), (0.28, -0.62), (0.24, -0.5), (0.1, -0.4), (0.0, -0.39)], "basket", least=14)
    m.lathe([(0.0, -0.66), (0.19, -0.68)], "glow", least=10)
    return Made("lamp", m, (0.56, 0.72, 0.56))


def cage_pendant(stream: Stream) -> Made:
    """Bulbs in cages of wire on a beam."""
    m = Model()
    m.box((-0.5, -0.42, -0.03), (0.5, -0.36, 0.03), "wood")
    for x in (-0.4, 0.4):
        m.tube([(x, 0, 0), (x, -0.36, 0)], 0.006, "dark", 3)
    for x in (-0.36, 0.0, 0.36):
        m.tube([(x, -0.42, 0), (x, -0.54, 0)], 0.012, "dark", 4)
        m.lathe([(0.0, -0.68), (0.045, -0.63), (0.02, -0.54)], "glow", (x, 0), 8)
        for a, b in ((0.07, 0.0), (-0.07, 0.0), (0.0, 0.07), (0.0, -0.07)):
            beam(m, (x + a, -0.7, b), (x + a * 0.3, -0.53, b * 0.3), 0.006, "dark")
    return Made("lamp", m, (1.0, 0.7, 0.16))


def ring_pendant(stream: Stream) -> Made:
    """A ring of light on wires."""
    m = Model()
    for x, z in ((0.3, 0.0), (-0.15, 0.26), (-0.15, -0.26)):
        beam(m, (x, -0.6, z), (x * 0.1, 0, z * 0.1), 0.006, "dark")
    m.lathe([(0.28, -0.6), (0.34, -0.6), (0.34, -0.56), (0.28, -0.56)], "metal2", least=18)
    m.lathe([(0.29, -0.601), (0.33, -0.601)], "glow", least=18)
    m.lathe([(0.33, -0.602), (0.29, -0.602)], "glow", least=18)
    return Made("lamp", m, (0.68, 0.61, 0.68))


def chandelier(stream: Stream) -> Made:
    """Arms with candles round a turned stem."""
    m = Model()
    m.tube([(0, 0, 0), (0, -0.3, 0)], 0.008, "metal2", 4)
    m.lathe([(0.0, -0.68), (0.04, -0.64), (0.02, -0.52), (0.06, -0.42), (0.02, -0.3)], "metal2", least=8)
    for x, z in ((0.32, 0.0), (0.1, 0.3), (-0.26, 0.19), (-0.26, -0.19), (0.1, -0.3)):
        m.tube([(0, -0.6, 0), (x * 0.6, -0.66, z * 0.6), (x, -0.56, z)], 0.01, "metal2", 4)
        m.lathe([(0.0, -0.56), (0.035, -0.55), (0.012, -0.54), (0.012, -0.44)], "white", (x, z), 6)
        m.lathe([(0.012, -0.44), (0.022, -0.41), (0.0, -0.37)], "glow", (x, z), 6)
    return Made("lamp", m, (0.74, 0.7, 0.74))


def candle_pendant(stream: Stream) -> Made:
    """Candles on an iron wheel."""
    m = Model()
    for x in (-0.3, 0.3):
        beam(m, (x, -0.55, 0), (0, 0, 0), 0.01, "dark")
    m.lathe([(0.36, -0.6), (0.38, -0.6), (0.38, -0.55), (0.36, -0.55)], "dark", least=14)
    for x, z in ((0.37, 0.0), (0.185, 0.32), (-0.185, 0.32), (-0.37, 0.0), (-0.185, -0.32), (0.185, -0.32)):
        m.lathe([(0.0, -0.55), (0.03, -0.54), (0.014, -0.53), (0.014, -0.45)], "white", (x, z), 6)
        m.lathe([(0.014, -0.45), (0.022, -0.42), (0.0, -0.38)], "glow", (x, z), 6)
    return Made("lamp", m, (0.84, 0.6, 0.84))


def drum_pendant(stream: Stream) -> Made:
    m = Model()
    m.tube([(0, 0, 0), (0, -0.32, 0)], 0.008, "metal2", 3)
    m.lathe([(0.26, -0.58), (0.26, -0.32), (0.0, -0.32)], "shade", least=14)
    m.lathe([(0.0, -0.57), (0.25, -0.57)], "glow", least=12)
    return Made("lamp", m, (0.54, 0.58, 0.54))


pendant = Family(
    cone_pendant, dome_pendant, globe_pendant, basket_pendant, cage_pendant, ring_pendant, chandelier, candle_pendant,
    drum_pendant,
)  # fmt: skip
"""Above a table."""


def disc_lamp(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.0, -0.11), (0.12, -0.1), (0.21, -0.05), (0.22, 0.0)], "glow", least=10)
    return Made("lamp", m, (0.44, 0.11, 0.44))


def rim_lamp(stream: Stream) -> Made:
    """A flat drum of glass in a ring."""
    m = Model()
    m.lathe([(0.24, -0.09), (0.25, -0.05), (0.25, 0.0)], stream.choice(("metal2", "wood")), least=14)
    m.lathe([(0.0, -0.09), (0.23, -0.088)], "glow", least=12)
    return Made("lamp", m, (0.5, 0.09, 0.5))


def paper_globe(stream: Stream) -> Made:
    m = Model()
    m.tube([(0, 0, 0), (0, -0.12, 0)], 0.006, "dark", 3)
    m.lathe([(0.0, -0.52), (0.12, -0.49), (0.2, -0.4), (0.2, -0.26), (0.12, -0.15), (0.0, -0.12)], "shade", least=12)
    return Made("lamp", m, (0.42, 0.52, 0.42))


def track(stream: Stream) -> Made:
    """Spots on a rail."""
    m = Model()
    m.box((-0.6, -0.03, -0.02), (0.6, 0.0, 0.02), "dark", skip="u")
    for k, x in enumerate((-0.45, -0.15, 0.15, 0.45)):
        lean = (-0.05, 0.05)[k % 2]
        beam(m, (x, -0.2, lean), (x, -0.05, 0.0), 0.075, "metal2" if stream.chance(50) else "dark", foot=1.1)
        m.flat(x - 0.035, lean + 0.035, x + 0.035, lean - 0.035, -0.199, "glow")
    return Made("lamp", m, (1.2, 0.2, 0.22))


def sputnik(stream: Stream) -> Made:
    """Rods with bulbs in all directions."""
    m = Model()
    m.tube([(0, 0, 0), (0, -0.3, 0)], 0.008, "metal2", 4)
    m.lathe([(0.0, -0.36), (0.04, -0.33), (0.0, -0.29)], "metal2", least=7)
    for x, y, z in (
        (0.3, 0.08, 0.0),
        (-0.3, -0.08, 0.0),
        (0.0, 0.06, 0.3),
        (0.0, -0.06, -0.3),
        (0.2, -0.1, 0.2),
        (-0.2, 0.1, -0.2),
        (-0.2, -0.08, 0.2),
        (0.2, 0.1, -0.2),
    ):
        beam(m, (0, -0.33, 0), (x, -0.33 + y, z), 0.012, "metal2")
        m.lathe([(0.0, -0.36 + y), (0.03, -0.33 + y), (0.0, -0.3 + y)], "glow", (x, z), 6)
    return Made("lamp", m, (0.68, 0.48, 0.68))


def lantern(stream: Stream) -> Made:
    m = Model()
    m.tube([(0, 0, 0), (0, -0.16, 0)], 0.008, "metal2", 3)
    m.box((-0.13, -0.18, -0.13), (0.13, -0.16, 0.13), "metal2")
    m.box((-0.13, -0.48, -0.13), (0.13, -0.46, 0.13), "metal2")
    for x, z in four_corners(0.12, 0.12):
        m.box((x - 0.01, -0.46, z - 0.01), (x + 0.01, -0.18, z + 0.01), "metal2", skip="ud")
    m.box((-0.1, -0.45, -0.1), (0.1, -0.2, 0.1), "glow")
    return Made("lamp", m, (0.28, 0.48, 0.28))


ceiling_lamp = Family(disc_lamp, rim_lamp, paper_globe, track, sputnik, lantern, drum_pendant)
"""In the middle of a room."""
office_lamp = Family(disc_lamp, rim_lamp, track, ring_pendant)
"""Of an office's ceiling, where no panels are."""


def light_panel(stream: Stream) -> Made:
    """An office's flat panel."""
    m = Model()
    m.box((-0.6, -0.03, -0.15), (0.6, 0.0, 0.15), "white", skip="u")
    m.flat(-0.57, 0.12, 0.57, -0.12, -0.031, "glow")
    return Made("lamp", m, (1.2, 0.031, 0.3), design="light_panel")
