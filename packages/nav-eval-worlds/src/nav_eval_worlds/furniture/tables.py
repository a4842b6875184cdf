"""Tables and desks."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.lamps import table_lamp
from nav_eval_worlds.furniture.made import Family, Made, beam, ellipse, four_corners, fronts, legs, pegs
from nav_eval_worlds.furniture.small import bowl, laptop, monitor, vase
from nav_eval_worlds.surfaces.parametric import Model
from nav_eval_worlds.surfaces.styles import Style

_H = 0.75


def dining_table(stream: Stream, style: Style, w: float = 1.6, d: float = 0.9) -> Made:
    """A table with straight sides."""
    return TABLES(stream, style, w, d)


def desk(stream: Stream, style: Style, office: bool = False) -> Made:
    """The user sits at its front (+z)."""
    return (OFFICE_DESKS if office else DESKS)(stream, style)


def _centre(stream: Stream) -> Made:
    return stream.choice((bowl, vase))(stream)


def _set(m: Model, stream: Stream, w: float, d: float, h: float = _H) -> Made:
    return Made("table", m, (w, h, d), ((_centre(stream), 0.0, h, 0.0),))


def plain_table(stream: Stream, w: float, d: float) -> Made:
    wood = stream.choice(("wood", "wood2"))
    m = Model()
    legs(m, w, d, 0.71, wood, 0.065, 0.02)
    m.box((-w / 2, 0.71, -d / 2), (w / 2, _H, d / 2), wood)
    m.box((-w / 2 + 0.05, 0.64, -d / 2 + 0.05), (w / 2 - 0.05, 0.71, d / 2 - 0.05), wood, skip="u")
    return _set(m, stream, w, d)


def farm_table(stream: Stream, w: float, d: float) -> Made:
    """Turned legs, painted below, boards on top."""
    below = stream.choice(("white", "wood", "wood2"))
    m = Model()
    for at in four_corners(w / 2 - 0.06, d / 2 - 0.06):
        _turned_leg(m, at, below)
    m.box((-w / 2 + 0.06, 0.6, -d / 2 + 0.06), (w / 2 - 0.06, 0.71, d / 2 - 0.06), below, skip="u")
    n = 4
    for k in range(n):
        z = -d / 2 + k * d / n
        m.box((-w / 2, 0.71, z), (w / 2, _H, z + d / n - 0.004), "wood", skip="")
    return _set(m, stream, w, d)


def _turned_leg(m: Model, at: tuple[float, float], wood: str) -> None:
    """Square where the rails meet it, below that turned: a bead, a long taper, a foot."""
    (x, z), h = at, 0.038
    m.lathe([(0.02, 0.0), (0.026, 0.03), (0.021, 0.06), (0.031, 0.36), (0.034, 0.46), (0.026, 0.475)], wood, at, 10)
    m.lathe([(0.026, 0.475), (0.036, 0.487), (0.036, 0.497), (0.028, 0.51), (0.034, 0.52)], wood, at, 10)
    m.box((x - h, 0.52, z - h), (x + h, 0.71, z + h), wood, skip="u")


def trestle_table(stream: Stream, w: float, d: float) -> Made:
    """Crossed feet and a stretcher between them."""
    wood, foot = "wood", stream.choice(("wood", "metal2"))
    m = Model()
    for x in (-w / 2 + 0.07, w / 2 - 0.07):
        for k in (-1, 1):
            beam(m, (x + 0.004 * k, 0.0, k * (d / 2 - 0.1)), (x + 0.004 * k, 0.71, -k * (d / 2 - 0.16)), 0.07, foot)
    beam(m, (-w / 2 + 0.07, 0.355, 0), (w / 2 - 0.07, 0.355, 0), 0.05, foot)
    m.box((-w / 2, 0.7, -d / 2), (w / 2, _H, d / 2), wood)
    return _set(m, stream, w, d)


def glass_table(stream: Stream, w: float, d: float) -> Made:
    """A pane on a frame of steel."""
    m = Model()
    for x in (-w / 2 + 0.06, w / 2 - 0.06):
        m.box((x - 0.03, 0, -d / 2 + 0.1), (x + 0.03, 0.02, d / 2 - 0.1), "metal2")
        m.box((x - 0.03, 0.7, -d / 2 + 0.1), (x + 0.03, 0.725, d / 2 - 0.1), "metal2")
        for z in (-d / 2 + 0.12, d / 2 - 0.12):
            m.box((x - 0.03, 0.02, z - 0.02), (x + 0.03, 0.7, z + 0.02), "metal2", skip="ud")
    m.box((-w / 2, 0.725, -d / 2), (w / 2, 0.74, d / 2), "glass")
    return _set(m, stream, w, d, 0.74)


def oval_table(stream: Stream, w: float, d: float) -> Made:
    """An oval top on two columns."""
    wood = stream.choice(("wood", "wood2"))
    m = Model()
    for x in (-w / 4, w / 4):
        m.lathe([(0.06, 0.03), (0.045, 0.3), (0.06, 0.71)], wood, (x, 0), 8)
        m.box((x - 0.04, 0, -d / 4), (x + 0.04, 0.05, d / 4), wood)
    m.box((-w / 4, 0.3, -0.03), (w / 4, 0.38, 0.03), wood)
    ellipse(m, w, d, 0.71, _H, wood)
    return _set(m, stream, w, d)


TABLES = Family(plain_table, farm_table, trestle_table, glass_table, oval_table)


def pedestal_table(stream: Stream) -> Made:
    """Round, on a turned column with three feet."""
    wood, w = stream.choice(("wood", "wood2")), stream.choice((1.0, 1.1, 1.2))
    m = Model()
    rings = [(0.06, 0.1), (0.066, 0.2), (0.05, 0.225), (0.058, 0.245), (0.046, 0.27), (0.052, 0.4), (0.04, 0.6)]
    m.lathe([*rings, (0.056, 0.615), (0.056, 0.635), (0.045, 0.65), (0.15, 0.71)], wood, least=14)
    for x, z in ((0.34, 0.0), (-0.17, 0.29), (-0.17, -0.29)):
        beam(m, (x, 0.03, z), (0, 0.24, 0), 0.06, wood)
        m.box((x - 0.035, 0, z - 0.035), (x + 0.035, 0.05, z + 0.035), wood, skip="d")
    ellipse(m, w, w, 0.71, _H, wood)
    return _set(m, stream, w, w)


def tulip_table(stream: Stream) -> Made:
    """A flared white foot under a thin top."""
    w = stream.choice((1.0, 1.1, 1.2))
    m = Model()
    m.lathe([(0.28, 0.0), (0.26, 0.02), (0.06, 0.1), (0.035, 0.3), (0.06, 0.6), (0.2, 0.72)], "white", least=12)
    ellipse(m, w, w, 0.72, _H, stream.choice(("marble", "white", "wood")))
    return _set(m, stream, w, w)


def round_table(stream: Stream) -> Made:
    """Round, on four pegs."""
    wood, w = stream.choice(("wood", "wood2")), stream.choice((1.0, 1.1, 1.2))
    m = Model()
    pegs(m, w * 0.82, w * 0.82, 0.71, wood, 0.12)
    ellipse(m, w, w, 0.71, _H, wood)
    return _set(m, stream, w, w)


small_table = Family(pedestal_table, tulip_table, round_table)
"""A round table for four."""


def shelf_table(stream: Stream) -> Made:
    """A coffee table with a shelf and some books on it."""
    w, d, wood = stream.between(90, 120) / 100, stream.between(55, 65) / 100, stream.choice(("wood", "wood2"))
    m = Model()
    legs(m, w, d, 0.38, wood, 0.05, 0.0)
    m.box((-w / 2, 0.37, -d / 2), (w / 2, 0.41, d / 2), wood)
    m.box((-w / 2 + 0.04, 0.12, -d / 2 + 0.04), (w / 2 - 0.04, 0.14, d / 2 - 0.04), wood)
    m.box((-0.3, 0.14, -0.12), (-0.05, 0.18, 0.08), "books")
    return Made("table", m, (w, 0.41, d), ((_centre(stream), 0.15, 0.41, 0.0),))


def drum_table(stream: Stream) -> Made:
    """A closed cylinder, or a round top on pegs."""
    w = stream.between(70, 90) / 100
    m = Model()
    if stream.chance(50):
        m.lathe([(w / 2 - 0.02, 0.0), (w / 2 - 0.02, 0.34)], stream.choice(("wood", "basket", "wood2")), least=14)
    else:
        pegs(m, w * 0.75, w * 0.75, 0.34, "wood", 0.08)
    ellipse(m, w, w, 0.34, 0.38, stream.choice(("wood", "marble", "wood2")))
    return Made("table", m, (w, 0.38, w), ((_centre(stream), 0.05, 0.38, 0.0),))


def nest_table(stream: Stream) -> Made:
    """Two round tables of different height, on metal."""
    m = Model()
    for x, z, r, h in ((-0.18, -0.04, 0.36, 0.42), (0.3, 0.12, 0.24, 0.32)):
        for k in ((0.7, 0.0), (-0.35, 0.6), (-0.35, -0.6)):
            beam(m, (x + k[0] * r * 1.2, 0, z + k[1] * r * 1.2), (x + k[0] * r, h - 0.02, z + k[1] * r), 0.02, "metal2")
        m.lathe(
            [(0.0, h - 0.02), (r, h - 0.02), (r, h), (0.0, h)], stream.choice(("marble", "wood", "wood2")), (x, z), 14
        )
    return Made("table", m, (1.1, 0.42, 0.82), ((_centre(stream), -0.18, 0.42, -0.04),))


def glass_coffee_table(stream: Stream) -> Made:
    w, d = 1.1, 0.6
    m = Model()
    legs(m, w, d, 0.39, "metal2", 0.025, 0.0)
    for z in (-d / 2, d / 2 - 0.025):
        m.box((-w / 2, 0.37, z), (w / 2, 0.395, z + 0.025), "metal2")
    m.box((-w / 2 + 0.02, 0.385, -d / 2 + 0.02), (w / 2 - 0.02, 0.4, d / 2 - 0.02), "glass")
    m.box((-w / 2 + 0.02, 0.1, -d / 2 + 0.02), (w / 2 - 0.02, 0.115, d / 2 - 0.02), "wood")
    m.box((0.1, 0.115, -0.1), (0.34, 0.17, 0.1), "books")
    return Made("table", m, (w, 0.4, d), ((_centre(stream), -0.2, 0.4, 0.0),))


def crate_table(stream: Stream) -> Made:
    """Thick boards on a frame with casters."""
    w, d = 1.1, 0.65
    m = Model()
    for x, z in four_corners(w / 2 - 0.1, d / 2 - 0.08):
        m.box((x - 0.025, 0, z - 0.04), (x + 0.025, 0.1, z + 0.04), "dark", skip="u")
    for y in (0.1, 0.3):
        for k in range(4):
            z = -d / 2 + k * d / 4
            m.box((-w / 2, y, z), (w / 2, y + 0.06, z + d / 4 - 0.012), "wood")
    for x in (-w / 2 + 0.05, 0.0, w / 2 - 0.05):
        m.box((x - 0.04, 0.16, -d / 2 + 0.01), (x + 0.04, 0.3, d / 2 - 0.02), "wood2", skip="ud")
    return Made("table", m, (w, 0.36, d), ((_centre(stream), 0.2, 0.36, 0.0),))


def trunk_table(stream: Stream) -> Made:
    """A chest with bands of metal."""
    w, d, h = 1.0, 0.55, 0.44
    m = Model()
    m.box((-w / 2, 0.0, -d / 2), (w / 2, h - 0.12, d / 2), "wood", skip="d")
    m.box((-w / 2 - 0.008, h - 0.12, -d / 2 - 0.008), (w / 2 + 0.008, h, d / 2 + 0.008), "wood")
    for x in (-w / 2 + 0.12, w / 2 - 0.16):
        m.box((x, 0.0, -d / 2 - 0.012), (x + 0.05, h + 0.003, d / 2 + 0.012), "metal2", skip="d")
    m.box((-0.05, h - 0.18, d / 2), (0.05, h - 0.06, d / 2 + 0.02), "metal2", skip="b")
    return Made("table", m, (w + 0.02, h + 0.003, d + 0.05), ((_centre(stream), 0.1, h, 0.0),))


coffee_table = Family(shelf_table, drum_table, nest_table, glass_coffee_table, crate_table, trunk_table)


def nightstand(stream: Stream) -> Made:
    wood = stream.choice(("wood", "white", "wood2"))
    w, d, h = 0.46, 0.4, 0.52
    m = Model()
    kind = stream.below(3)
    low = (0.12, 0.2, 0.04)[kind]
    (legs if kind != 1 else pegs)(m, w, d, low, wood if kind != 2 else "dark", 0.035)
    m.box((-w / 2, low, -d / 2), (w / 2, h, d / 2 - 0.02), wood)
    grips = stream.choice(("bar", "knob", "slot", "frame"))
    rows = 2 if kind != 1 else 1
    fronts(m, (-w / 2 + 0.01, low + 0.01), (w / 2 - 0.01, h - 0.03), d / 2 - 0.02, rows, 1, wood, "metal2", grips)
    on = ((table_lamp(stream), 0.0, h, -0.05),) if stream.chance(75) else ()
    return Made("nightstand", m, (w, h, d + 0.05), on, design=("leg", "peg", "plinth")[kind] + "_nightstand")


def _work(
    stream: Stream, w: float, h: float, percent: int, lamp: int = 60
) -> tuple[tuple[Made, float, float, float], ...]:
    """A screen or a laptop, perhaps a lamp."""
    screen = monitor(stream) if stream.chance(percent) else laptop(stream)
    on = [(screen, -0.1, h, -0.12 if screen.category == "tv_monitor" else -0.02)]
    if stream.chance(lamp):
        on.append((table_lamp(stream), w / 2 - 0.2, h, -0.15))
    return tuple(on)


def drawer_desk(stream: Stream) -> Made:
    """A block of drawers on the right, a panel on the left."""
    w, d, wood = stream.between(120, 160) / 100, 0.7, stream.choice(("wood", "wood2"))
    m = Model()
    m.box((-w / 2, 0.71, -d / 2), (w / 2, 0.74, d / 2), wood)
    m.box((-w / 2 + 0.02, 0, -d / 2 + 0.02), (-w / 2 + 0.05, 0.71, d / 2 - 0.04), wood, skip="ud")
    m.box((w / 2 - 0.44, 0.04, -d / 2 + 0.04), (w / 2 - 0.02, 0.71, d / 2 - 0.08), wood, skip="u")
    m.box((w / 2 - 0.42, 0.0, -d / 2 + 0.06), (w / 2 - 0.04, 0.04, d / 2 - 0.1), "dark", skip="ud")
    fronts(
        m, (w / 2 - 0.43, 0.06), (w / 2 - 0.03, 0.7), d / 2 - 0.08, 3, 1, wood, "metal2", stream.choice(("bar", "knob"))
    )
    m.box((-w / 2 + 0.05, 0.35, -d / 2 + 0.03), (w / 2 - 0.44, 0.71, -d / 2 + 0.05), wood)
    return Made("desk", m, (w, 0.74, d), _work(stream, w, 0.74, 50))


def trestle_desk(stream: Stream) -> Made:
    """A plate on two trestles."""
    w, d = stream.between(130, 160) / 100, 0.7
    wood = stream.choice(("wood", "white"))
    m = Model()
    for s in (-1, 1):
        for k in (-1, 1):
            for z in (-1, 1):
                x = s * (w / 2 - 0.28)
                beam(m, (x + k * 0.16, 0, z * (d / 2 - 0.06)), (x + k * 0.03, 0.71, z * (d / 2 - 0.08)), 0.03, "wood")
        m.box((s * (w / 2 - 0.28) - 0.12, 0.2, -d / 2 + 0.06), (s * (w / 2 - 0.28) + 0.12, 0.22, d / 2 - 0.06), "wood")
    m.box((-w / 2, 0.71, -d / 2), (w / 2, 0.74, d / 2), wood)
    return Made("desk", m, (w, 0.74, d), _work(stream, w, 0.74, 50))


def pin_desk(stream: Stream) -> Made:
    """A board on hairpin legs with one flat drawer."""
    w, d, wood = stream.between(110, 140) / 100, 0.62, stream.choice(("wood", "wood2"))
    m = Model()
    for sx in (-1, 1):
        for sz in (-1, 1):
            x, z = sx * (w / 2 - 0.05), sz * (d / 2 - 0.05)
            for off in (-0.05, 0.05):
                beam(m, (x, 0, z), (x - sx * 0.06 + off * 0.6, 0.66, z - sz * 0.05), 0.014, "metal2")
    m.box((-w / 2, 0.66, -d / 2), (w / 2, 0.76, d / 2 - 0.02), wood)
    fronts(m, (-w / 4, 0.67), (w / 4, 0.75), d / 2 - 0.02, 1, 1, wood, "metal2", "knob")
    return Made("desk", m, (w, 0.76, d + 0.04), _work(stream, w, 0.76, 30))


def secretary(stream: Stream) -> Made:
    """A small desk with a raised back of drawers and pigeonholes."""
    w, d, wood = 1.0, 0.58, stream.choice(("wood", "wood2"))
    m = Model()
    for at in four_corners(w / 2 - 0.05, d / 2 - 0.06):
        m.lathe([(0.02, 0.0), (0.028, 0.4), (0.035, 0.62)], wood, at, 6)
    m.box((-w / 2, 0.6, -d / 2), (w / 2, 0.74, d / 2 - 0.02), wood)
    fronts(m, (-w / 2 + 0.02, 0.62), (w / 2 - 0.02, 0.72), d / 2 - 0.02, 1, 2, wood, "metal2", "knob")
    m.box((-w / 2, 0.74, -d / 2), (w / 2, 0.77, -d / 2 + 0.24), wood)
    m.box((-w / 2, 0.97, -d / 2), (w / 2, 1.0, -d / 2 + 0.24), wood)
    for k in range(5):
        x = -w / 2 + k * (w - 0.02) / 4
        m.box((x, 0.77, -d / 2), (x + 0.02, 0.97, -d / 2 + 0.23), wood, skip="ud")
    m.card(-w / 2, 0.77, w / 2, 0.97, -d / 2 + 0.02, "wood2")
    m.card(w / 2, 0.77, -w / 2, 0.97, -d / 2, wood)
    m.box((-w / 2 + 0.03, 0.77, -d / 2 + 0.04), (-w / 2 + 0.22, 0.92, -d / 2 + 0.22), "books")
    on = ((laptop(stream), 0.0, 0.74, 0.15),) if stream.chance(60) else ()
    return Made("desk", m, (w, 1.0, d + 0.04), on)


def farm_desk(stream: Stream) -> Made:
    """A wide writing table with turned legs and three drawers."""
    w, d, wood = 1.4, 0.7, stream.choice(("wood", "wood2"))
    m = Model()
    for at in four_corners(w / 2 - 0.07, d / 2 - 0.08):
        _turned_leg(m, at, wood)
    m.box((-w / 2 + 0.02, 0.57, -d / 2 + 0.03), (w / 2 - 0.02, 0.71, d / 2 - 0.05), wood, skip="u")
    fronts(m, (-w / 2 + 0.04, 0.58), (w / 2 - 0.04, 0.7), d / 2 - 0.05, 1, 3, wood, "metal2", "knob")
    m.box((-w / 2, 0.71, -d / 2), (w / 2, 0.75, d / 2), wood)
    return Made("desk", m, (w, 0.75, d), _work(stream, w, 0.75, 30))


def standing_desk(stream: Stream) -> Made:
    """A plate on two lifting columns, at sitting or standing height."""
    w, d, h = stream.choice((1.4, 1.6)), 0.75, stream.choice((0.75, 0.75, 1.05))
    m = Model()
    for x in (-w / 2 + 0.2, w / 2 - 0.2):
        m.box((x - 0.04, 0, -d / 2 + 0.05), (x + 0.04, 0.03, d / 2 - 0.05), "metal2")
        m.box((x - 0.04, 0.03, -0.05), (x + 0.04, h * 0.55, 0.03), "metal2", skip="d")
        m.box((x - 0.03, h * 0.5, -0.04), (x + 0.03, h - 0.03, 0.02), "metal", skip="ud")
    m.box((-w / 2 + 0.2, h - 0.07, -0.03), (w / 2 - 0.2, h - 0.03, 0.01), "metal2")
    m.box((-w / 2, h - 0.03, -d / 2), (w / 2, h, d / 2), stream.choice(("wood", "white", "wood2")))
    return Made("desk", m, (w, h, d), _work(stream, w, h, 85, 25))


def pipe_desk(stream: Stream) -> Made:
    """Thick boards on a frame of black tubes."""
    w, d = 1.4, 0.7
    m = Model()
    for x in (-w / 2 + 0.08, w / 2 - 0.08):
        for z in (-d / 2 + 0.06, d / 2 - 0.06):
            m.tube([(x, 0, z), (x, 0.71, z)], 0.018, "dark", 5)
        m.tube([(x, 0.18, -d / 2 + 0.06), (x, 0.18, d / 2 - 0.06)], 0.018, "dark", 5)
    m.tube([(-w / 2 + 0.08, 0.18, -d / 2 + 0.06), (w / 2 - 0.08, 0.18, -d / 2 + 0.06)], 0.018, "dark", 5)
    m.box((-w / 2, 0.71, -d / 2), (w / 2, 0.75, d / 2), "wood")
    return Made("desk", m, (w, 0.75, d), _work(stream, w, 0.75, 60))


def corner_desk(stream: Stream) -> Made:
    """An L: the side board reaches out on the left; its notch is the user's place."""
    w, d, deep, wood = 1.6, 1.4, 0.66, stream.choice(("wood", "white"))
    m = Model()
    z0 = -d / 2
    m.box((-w / 2, 0.71, z0), (w / 2, 0.74, z0 + deep), wood)
    m.box((-w / 2, 0.71, z0 + deep), (-w / 2 + 0.56, 0.74, d / 2), wood, skip="b")
    m.box((w / 2 - 0.05, 0, z0 + 0.03), (w / 2 - 0.02, 0.71, z0 + deep - 0.03), wood, skip="ud")
    m.box((-w / 2 + 0.02, 0, d / 2 - 0.05), (-w / 2 + 0.54, 0.71, d / 2 - 0.02), wood, skip="ud")
    m.box((-w / 2 + 0.02, 0.0, z0 + 0.02), (-w / 2 + 0.05, 0.71, z0 + deep), wood, skip="ud")
    m.box((-w / 2 + 0.05, 0.35, z0 + 0.02), (w / 2 - 0.05, 0.71, z0 + 0.04), wood)
    on = ((monitor(stream), 0.25, 0.74, z0 + 0.25), (laptop(stream), -w / 2 + 0.3, 0.74, d / 2 - 0.4))
    return Made("desk", m, (w, 0.74, d), on)


def bench_desk(stream: Stream) -> Made:
    """A white plate on A-shaped feet, with a screen panel at its back edge."""
    w, d = 1.5, 0.75
    m = Model()
    for x in (-w / 2 + 0.06, w / 2 - 0.06):
        for z in (-1, 1):
            beam(m, (x, 0, z * (d / 2 - 0.04)), (x, 0.7, z * (d / 2 - 0.16)), 0.045, "metal")
    m.box((-w / 2, 0.7, -d / 2 + 0.03), (w / 2, 0.73, d / 2), stream.choice(("white", "wood")))
    cloth = stream.choice(("fabric1", "fabric2", "fabric3"))
    m.box((-w / 2 + 0.02, 0.5, -d / 2), (w / 2 - 0.02, 1.1, -d / 2 + 0.03), cloth)
    m.box((w / 2 - 0.5, 0.03, -d / 2 + 0.1), (w / 2 - 0.1, 0.55, d / 2 - 0.12), "white", skip="d")
    fronts(m, (w / 2 - 0.49, 0.05), (w / 2 - 0.11, 0.54), d / 2 - 0.12, 3, 1, "white", "metal", "slot")
    m.box((w / 2 - 0.48, 0.0, -d / 2 + 0.12), (w / 2 - 0.12, 0.03, d / 2 - 0.14), "dark", skip="ud")
    return Made("desk", m, (w, 1.1, d), _work(stream, w, 0.73, 95, 15))


DESKS = Family(drawer_desk, trestle_desk, pin_desk, secretary, farm_desk, standing_desk, pipe_desk)
OFFICE_DESKS = Family(drawer_desk, bench_desk, standing_desk, trestle_desk, pipe_desk)


def meeting_table(stream: Stream, w: float) -> Made:
    d = 1.2
    wood, boat = stream.choice(("wood", "wood2", "white")), stream.chance(40)
    m = Model()
    if boat:
        ellipse(m, w, d, 0.71, _H, wood, 18)
    else:
        m.cushion((-w / 2, 0.7, -d / 2), (w / 2, 0.75, d / 2), wood, 0.024, skip="", least=3)
    for x in (-w / 2 + 0.5, w / 2 - 0.5):
        m.box((x - 0.06, 0.03, -0.3), (x + 0.06, 0.71, 0.3), "dark", skip="ud")
        m.box((x - 0.1, 0, -0.45), (x + 0.1, 0.03, 0.45), "dark", skip="d")
    name = "boat_table" if boat else "meeting_table"
    return Made("table", m, (w, 0.75, d), ((laptop(stream), -w / 4, 0.75, 0.1),), design=name)


def console(stream: Stream) -> Made:
    """A narrow hall table with a vase or a lamp."""
    w, d, h = stream.between(80, 110) / 100, 0.34, 0.8
    wood, kind = stream.choice(("wood", "wood2", "white")), stream.below(3)
    m = Model()
    if kind == 2:
        legs(m, w, d, h - 0.03, "metal2", 0.025, 0.0)
        m.box((-w / 2, 0.2, -d / 2), (w / 2, 0.22, d / 2), "wood")
    else:
        (legs if kind == 0 else pegs)(m, w, d, h - 0.03, wood, 0.04)
        m.box((-w / 2 + 0.02, h - 0.16, -d / 2 + 0.02), (w / 2 - 0.02, h - 0.03, d / 2 - 0.02), wood)
        fronts(m, (-w / 2 + 0.04, h - 0.15), (w / 2 - 0.04, h - 0.04), d / 2 - 0.02, 1, 2, wood, "metal2", "knob")
        if kind == 0:
            m.box((-w / 2 + 0.03, 0.18, -d / 2 + 0.03), (w / 2 - 0.03, 0.2, d / 2 - 0.03), wood)
    m.box((-w / 2, h - 0.03, -d / 2), (w / 2, h, d / 2), wood)
    top = stream.choice((vase, table_lamp))(stream)
    on = ((top, stream.choice((-0.2, 0.2)), h, 0.0),)
    return Made("table", m, (w, h, d + 0.03), on, design=("leg", "peg", "metal")[kind] + "_console")


def reception_desk(stream: Stream) -> Made:
    w, d, h = 2.2, 0.8, 1.1
    face, kind = stream.choice(("wood2", "wood", "white")), stream.below(2)
    m = Model()
    m.box((-w / 2, 0, d / 2 - 0.12), (w / 2, h - 0.04, d / 2 - 0.03), face, skip="d")
    if kind:
        for k in range(22):
            x = -w / 2 + 0.02 + k * (w - 0.04) / 22
            m.box((x, 0.08, d / 2 - 0.03), (x + 0.06, h - 0.1, d / 2 - 0.012), face, skip="b")
    m.box((-w / 2 - 0.03, h - 0.04, d / 2 - 0.3), (w / 2 + 0.03, h, d / 2), "counter")
    m.box((-w / 2, 0.7, -d / 2), (w / 2, 0.74, d / 2 - 0.12), "wood")
    for x in (-w / 2 + 0.02, w / 2 - 0.02):
        m.box((x - 0.02, 0, -d / 2), (x + 0.02, 0.7, d / 2 - 0.12), face)
    on = ((monitor(stream), -0.4, 0.74, -0.1),)
    return Made("counter", m, (w + 0.06, h, d), on, design=("flat", "slatted")[kind] + "_reception")
