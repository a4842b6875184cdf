"""Tables and desks."""

from __future__ import annotations

from nav_eval.worlds.exact import Stream
from nav_eval.worlds.furniture.lamps import table_lamp
from nav_eval.worlds.furniture.made import Made, fronts, legs
from nav_eval.worlds.furniture.small import bowl, laptop, monitor, vase
from nav_eval.worlds.surfaces import Model


def dining_table(stream: Stream, w: float = 1.6, d: float = 0.9) -> Made:
    wood = stream.choice(("wood", "wood2"))
    m = Model()
    legs(m, w, d, 0.71, wood, 0.075, 0.05)
    m.box((-w / 2, 0.71, -d / 2), (w / 2, 0.75, d / 2), wood)
    m.box((-w / 2 + 0.08, 0.63, -d / 2 + 0.08), (w / 2 - 0.08, 0.71, d / 2 - 0.08), wood, skip="u")
    centre = stream.choice((bowl, vase))(stream)
    return Made("table", m, (w, 0.75, d), ((centre, 0.0, 0.75, 0.0),))


def coffee_table(stream: Stream) -> Made:
    w, d = stream.between(90, 120) / 100, stream.between(55, 65) / 100
    wood = stream.choice(("wood", "wood2"))
    m = Model()
    legs(m, w, d, 0.38, wood, 0.05, 0.0)
    m.box((-w / 2, 0.37, -d / 2), (w / 2, 0.41, d / 2), wood)
    m.box((-w / 2 + 0.04, 0.12, -d / 2 + 0.04), (w / 2 - 0.04, 0.14, d / 2 - 0.04), wood)
    m.box((-0.3, 0.14, -0.12), (-0.05, 0.18, 0.08), "books")
    return Made("table", m, (w, 0.41, d), ((stream.choice((bowl, vase))(stream), 0.15, 0.41, 0.0),))


def nightstand(stream: Stream) -> Made:
    wood = stream.choice(("wood", "wood2", "white"))
    w, d, h = 0.46, 0.4, 0.52
    m = Model()
    legs(m, w, d, 0.12, wood, 0.035)
    m.box((-w / 2, 0.12, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    fronts(m, (-w / 2 + 0.01, 0.13), (w / 2 - 0.01, h - 0.03), d / 2 - 0.02, 2, 1, wood, "metal")
    on = ((table_lamp(stream), 0.0, h, -0.05),) if stream.chance(75) else ()
    return Made("nightstand", m, (w, h, d + 0.05), on)


def desk(stream: Stream, office: bool = False) -> Made:
    """A desk with a drawer block; the user sits at its front (+z)."""
    w, d = stream.between(120, 160) / 100, 0.7
    wood = "white" if office and stream.chance(60) else stream.choice(("wood", "wood2"))
    m = Model()
    m.box((-w / 2, 0.71, -d / 2), (w / 2, 0.74, d / 2), wood)
    m.box((-w / 2 + 0.02, 0, -d / 2 + 0.02), (-w / 2 + 0.05, 0.71, d / 2 - 0.04), wood, skip="ud")
    m.box((w / 2 - 0.44, 0.04, -d / 2 + 0.04), (w / 2 - 0.02, 0.71, d / 2 - 0.08), wood, skip="u")
    fronts(m, (w / 2 - 0.43, 0.06), (w / 2 - 0.03, 0.7), d / 2 - 0.08, 3, 1, wood, "metal")
    m.box((-w / 2 + 0.05, 0.35, -d / 2 + 0.03), (w / 2 - 0.44, 0.71, -d / 2 + 0.05), wood)
    screen = monitor(stream) if office or stream.chance(50) else laptop(stream)
    on = [(screen, -0.1, 0.74, -0.12 if screen.category == "tv_monitor" else -0.02)]
    if stream.chance(60):
        on.append((table_lamp(stream), w / 2 - 0.2, 0.74, -0.15))
    return Made("desk", m, (w, 0.74, d), tuple(on))


def meeting_table(stream: Stream, w: float) -> Made:
    d = 1.2
    wood = stream.choice(("wood", "wood2"))
    m = Model()
    m.cushion((-w / 2, 0.7, -d / 2), (w / 2, 0.75, d / 2), wood, 0.024, skip="", least=3)
    for x in (-w / 2 + 0.5, w / 2 - 0.5):
        m.box((x - 0.06, 0.03, -0.3), (x + 0.06, 0.7, 0.3), "dark", skip="ud")
        m.box((x - 0.1, 0, -0.45), (x + 0.1, 0.03, 0.45), "dark", skip="d")
    return Made("table", m, (w, 0.75, d), ((laptop(stream), -w / 4, 0.75, 0.1),))


def console(stream: Stream) -> Made:
    """A narrow hall table with a vase or a lamp."""
    w, d, h = stream.between(80, 110) / 100, 0.34, 0.8
    wood = stream.choice(("wood", "wood2", "white"))
    m = Model()
    legs(m, w, d, h - 0.03, wood, 0.04)
    m.box((-w / 2, h - 0.03, -d / 2), (w / 2, h, d / 2), wood)
    m.box((-w / 2 + 0.02, h - 0.16, -d / 2 + 0.02), (w / 2 - 0.02, h - 0.03, d / 2 - 0.02), wood)
    m.box((-w / 2 + 0.03, 0.18, -d / 2 + 0.03), (w / 2 - 0.03, 0.2, d / 2 - 0.03), wood)
    top = stream.choice((vase, table_lamp))(stream)
    return Made("table", m, (w, h, d), ((top, stream.choice((-0.2, 0.2)), h, 0.0),))


def reception_desk(stream: Stream) -> Made:
    w, d, h = 2.2, 0.8, 1.1
    m = Model()
    m.box((-w / 2, 0, d / 2 - 0.12), (w / 2, h - 0.04, d / 2 - 0.02), "wood2")
    m.box((-w / 2 - 0.03, h - 0.04, d / 2 - 0.3), (w / 2 + 0.03, h, d / 2), "counter")
    m.box((-w / 2, 0.7, -d / 2), (w / 2, 0.74, d / 2 - 0.12), "wood")
    for s in (-1, 1):
        x = s * (w / 2 - 0.02)
        m.box((x - 0.02, 0, -d / 2), (x + 0.02, 0.7, d / 2 - 0.12), "wood")
    return Made("counter", m, (w + 0.06, h, d), ((monitor(stream), -0.4, 0.74, -0.1),))
