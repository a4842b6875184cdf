"""Sofas and armchairs, from cushions, frames and legs; sizes after common furniture, metres."""

from __future__ import annotations

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.furniture.made import Family, Made, beam, both_sides, legs, pegs
from nav_eval_worlds.surfaces.parametric import Model
from nav_eval_worlds.surfaces.styles import Style


def sofa(stream: Stream, style: Style, seats: int = 3) -> Made:
    return SOFAS(stream, style, seats)


def _pillows(m: Model, places: list[float], y: float, z: float, stream: Stream) -> None:
    """Loose pillows that lean against a back at z."""
    for x in places:
        if stream.chance(75):
            cloth, half = stream.choice(("fabric2", "fabric3", "throw")), stream.between(18, 22) / 100
            m.leaning((x, y + half * 0.94, z + half * 0.34 + 0.02), (half * 2, half * 2, 0.15), cloth)


def _throw(m: Model, x: float, z0: float, z1: float, foot: float) -> None:
    """A blanket over a seat's front edge, a centimetre above what it lies on."""
    y = 0.452
    m.flat(x - 0.22, z0, x + 0.22, z1, y, "throw")
    m.card(x - 0.22, foot, x + 0.22, y, z1, "throw")


def padded_sofa(stream: Stream, seats: int) -> Made:
    """High back, arms and loose cushions."""
    fabric = stream.choice(("fabric0", "fabric1", "leather"))
    arm, seat, depth = stream.between(16, 22) / 100, stream.between(60, 68) / 100, 0.9
    w = seats * seat + 2 * arm
    m = Model()
    legs(m, w, depth, 0.1, "wood2")
    m.box((-w / 2, 0.09, -depth / 2), (w / 2, 0.24, depth / 2 - 0.02), fabric, skip="u")
    for x0, x1 in both_sides(w / 2, w / 2 - arm):
        m.cushion((x0, 0.12, -depth / 2), (x1, 0.62, depth / 2), fabric, 0.07)
    m.cushion((-w / 2 + 0.02, 0.2, -depth / 2), (w / 2 - 0.02, 0.8, -depth / 2 + 0.2), fabric, 0.08)
    _seats(m, -w / 2 + arm, seat, seats, 0.22, 0.44, -depth / 2 + 0.17, depth / 2 - 0.03, fabric)
    _backs(m, -w / 2 + arm, seat, seats, 0.42, 0.86, -depth / 2 + 0.14, fabric)
    _pillows(m, [s * (w / 2 - arm - 0.24) for s in (-1, 1)], 0.44, -depth / 2 + 0.33, stream)
    if stream.chance(35):
        _throw(m, w / 4, -depth / 2 + 0.34, depth / 2 + 0.005, 0.16)
    return Made("sofa", m, (w, 0.88, depth + 0.02))


def _seats(
    m: Model, x: float, seat: float, n: int, y0: float, y1: float, z0: float, z1: float, fabric: str, r: float = 0.06
) -> None:
    for i in range(n):
        m.cushion((x + i * seat + 0.004, y0, z0), (x + (i + 1) * seat - 0.004, y1, z1), fabric, r, skip="db")


def _backs(m: Model, x: float, seat: float, n: int, y0: float, y1: float, z: float, fabric: str) -> None:
    for i in range(n):
        m.cushion((x + i * seat + 0.015, y0, z), (x + (i + 1) * seat - 0.015, y1, z + 0.2), fabric, 0.09)


def slim_sofa(stream: Stream, seats: int) -> Made:
    """Thin arms, one bench cushion, splayed wooden legs."""
    fabric = stream.choice(("fabric0", "fabric1", "fabric2"))
    w, d = seats * 0.62 + 0.24, 0.84
    m = Model()
    pegs(m, w - 0.14, d - 0.14, 0.2, "wood")
    m.cushion((-w / 2 + 0.04, 0.18, -d / 2 + 0.02), (w / 2 - 0.04, 0.29, d / 2 - 0.01), fabric, 0.03, skip="")
    m.cushion((-w / 2 + 0.1, 0.28, -d / 2 + 0.16), (w / 2 - 0.1, 0.43, d / 2), fabric, 0.05)
    m.cushion((-w / 2 + 0.02, 0.22, -d / 2), (w / 2 - 0.02, 0.8, -d / 2 + 0.14), fabric, 0.05)
    _backs(m, -w / 2 + 0.1, (w - 0.2) / seats, seats, 0.42, 0.8, -d / 2 + 0.1, fabric)
    for x0, x1 in both_sides(w / 2, w / 2 - 0.1):
        m.cushion((x0, 0.22, -d / 2 + 0.02), (x1, 0.6, d / 2 - 0.02), fabric, 0.04)
    _pillows(m, [w / 2 - 0.32], 0.43, -d / 2 + 0.28, stream)
    return Made("sofa", m, (w, 0.86, d))


def tufted_sofa(stream: Stream, seats: int) -> Made:
    """A leather sofa with rolled arms as high as its back, and buttons."""
    skin = "leather" if stream.chance(75) else "fabric1"
    w, d, high = seats * 0.6 + 0.5, 0.92, 0.76
    m = Model()
    legs(m, w - 0.1, d - 0.1, 0.1, "wood2", 0.06)
    m.cushion((-w / 2 + 0.03, 0.09, -d / 2 + 0.03), (w / 2 - 0.03, 0.3, d / 2), skin, 0.03)
    m.cushion((-w / 2 + 0.05, 0.25, -d / 2), (w / 2 - 0.05, high, -d / 2 + 0.26), skin, 0.12)
    for s in (-1, 1):
        x0, x1 = sorted((s * w / 2, s * (w / 2 - 0.25)))
        m.cushion((x0, high - 0.25, -d / 2 + 0.02), (x1, high - 0.02, d / 2), skin, 0.115, skip="")
        x0, x1 = sorted((s * (w / 2 - 0.03), s * (w / 2 - 0.2)))
        m.box((x0, 0.2, -d / 2 + 0.05), (x1, high - 0.14, d / 2 - 0.02), skin, skip="du")
    _seats(m, -w / 2 + 0.24, (w - 0.48) / seats, seats, 0.28, 0.45, -d / 2 + 0.24, d / 2 + 0.01, skin)
    for row, y in enumerate((0.52, 0.63)):
        count = seats * 3 + row
        for k in range(count):
            x = (k + 0.5) / count * (w - 0.5) - (w - 0.5) / 2
            _button(m, x, y, -d / 2 + 0.263)
    return Made("sofa", m, (w, high, d + 0.02))


def _button(m: Model, x: float, y: float, z: float) -> None:
    r = 0.016
    m.quad([(x, y - r, z), (x + r, y, z + 0.006), (x, y + r, z), (x - r, y, z + 0.006)], "dark")


def wooden_sofa(stream: Stream, seats: int) -> Made:
    """A frame of wood with slats at its sides and flat cushions."""
    fabric = stream.choice(("fabric0", "fabric1", "fabric2"))
    w, d = seats * 0.64 + 0.16, 0.84
    m = Model()
    for x in (-w / 2 + 0.03, w / 2 - 0.03):
        for z, h in ((-d / 2 + 0.03, 0.74), (d / 2 - 0.03, 0.58)):
            m.box((x - 0.03, 0, z - 0.03), (x + 0.03, h, z + 0.03), "wood", skip="d")
        m.box((x - 0.04, 0.58, -d / 2 + 0.06), (x + 0.04, 0.61, d / 2), "wood")
        for k in range(4):
            z = -d / 2 + 0.2 + k * 0.14
            m.box((x - 0.012, 0.26, z - 0.02), (x + 0.012, 0.58, z + 0.02), "wood", skip="ud")
        m.box((x - 0.02, 0.2, -d / 2 + 0.06), (x + 0.02, 0.27, d / 2 - 0.06), "wood")
    m.box((-w / 2 + 0.05, 0.2, -d / 2 + 0.05), (w / 2 - 0.05, 0.26, d / 2 - 0.02), "wood")
    m.box((-w / 2 + 0.05, 0.66, -d / 2), (w / 2 - 0.05, 0.74, -d / 2 + 0.04), "wood")
    for k in range(seats * 3):
        x = (k + 0.5) / (seats * 3) * (w - 0.12) - (w - 0.12) / 2
        m.box((x - 0.02, 0.26, -d / 2 + 0.005), (x + 0.02, 0.66, -d / 2 + 0.03), "wood", skip="ud")
    seat = (w - 0.14) / seats
    _seats(m, -w / 2 + 0.07, seat, seats, 0.255, 0.4, -d / 2 + 0.06, d / 2 - 0.01, fabric, 0.04)
    for i in range(seats):
        x = -w / 2 + 0.07 + i * seat
        m.cushion((x + 0.015, 0.38, -d / 2 + 0.05), (x + seat - 0.015, 0.8, -d / 2 + 0.2), fabric, 0.06)
    _pillows(m, [-w / 2 + 0.34], 0.4, -d / 2 + 0.2, stream)
    return Made("sofa", m, (w, 0.83, d))


def rolled_sofa(stream: Stream, seats: int) -> Made:
    """A skirted sofa with rolled arms and a gently rounded back."""
    fabric = stream.choice(("fabric0", "fabric1", "fabric2"))
    w, d = seats * 0.62 + 0.44, 0.9
    m = Model()
    m.box((-w / 2 + 0.02, 0.0, -d / 2 + 0.02), (w / 2 - 0.02, 0.24, d / 2 - 0.03), fabric, skip="ud")
    m.cushion((-w / 2 + 0.06, 0.2, -d / 2), (w / 2 - 0.06, 0.84, -d / 2 + 0.22), fabric, 0.1)
    for s in (-1, 1):
        x0, x1 = sorted((s * (w / 2 - 0.02), s * (w / 2 - 0.2)))
        m.box((x0, 0.0, -d / 2 + 0.04), (x1, 0.55, d / 2 - 0.02), fabric, skip="ud")
        m.cushion((min(s * w / 2, s * (w / 2 - 0.22)), 0.46, -d / 2 + 0.02),
                  (max(s * w / 2, s * (w / 2 - 0.22)), 0.66, d / 2), fabric, 0.1, skip="")  # fmt: skip
    seat = (w - 0.42) / seats
    _seats(m, -w / 2 + 0.21, seat, seats, 0.24, 0.46, -d / 2 + 0.2, d / 2, fabric, 0.07)
    _backs(m, -w / 2 + 0.21, seat, seats, 0.44, 0.9, -d / 2 + 0.13, fabric)
    _pillows(m, [s * (w / 2 - 0.46) for s in (-1, 1)], 0.46, -d / 2 + 0.32, stream)
    return Made("sofa", m, (w, 0.9, d))


def slip_sofa(stream: Stream, seats: int) -> Made:
    """Deep and soft, in a loose linen cover down to the floor."""
    fabric = stream.choice(("fabric0", "sheet", "fabric1"))
    w, d = seats * 0.66 + 0.5, 0.96
    m = Model()
    m.box((-w / 2 + 0.03, 0.0, -d / 2 + 0.03), (w / 2 - 0.03, 0.05, d / 2 - 0.03), "dark", skip="ud")
    m.cushion((-w / 2, 0.01, -d / 2), (w / 2, 0.26, d / 2 - 0.02), fabric, 0.05)
    m.cushion((-w / 2, 0.0, -d / 2), (w / 2, 0.76, -d / 2 + 0.26), fabric, 0.11, skip="d")
    for x0, x1 in both_sides(w / 2, w / 2 - 0.25):
        m.cushion((x0, 0.0, -d / 2), (x1, 0.6, d / 2), fabric, 0.11)
    seat = (w - 0.5) / seats
    _seats(m, -w / 2 + 0.25, seat, seats, 0.24, 0.48, -d / 2 + 0.22, d / 2, fabric, 0.09)
    _backs(m, -w / 2 + 0.25, seat, seats, 0.46, 0.86, -d / 2 + 0.16, fabric)
    _pillows(m, [-w / 2 + 0.48, w / 2 - 0.48], 0.48, -d / 2 + 0.34, stream)
    return Made("sofa", m, (w, 0.9, d))


def sled_sofa(stream: Stream, seats: int) -> Made:
    """Square cushions on a frame of steel."""
    fabric = stream.choice(("fabric0", "fabric1", "leather"))
    w, d = seats * 0.7 + 0.32, 0.9
    m = Model()
    for x in (-w / 2 + 0.14, w / 2 - 0.14):
        m.box((x - 0.03, 0.0, -d / 2 + 0.08), (x + 0.03, 0.014, d / 2 - 0.08), "metal2")
        for z in (-d / 2 + 0.09, d / 2 - 0.09):
            m.box((x - 0.03, 0.014, z - 0.008), (x + 0.03, 0.15, z + 0.008), "metal2", skip="ud")
    m.box((-w / 2, 0.15, -d / 2), (w / 2, 0.27, d / 2), fabric, skip="u")
    for x0, x1 in both_sides(w / 2, w / 2 - 0.16):
        m.cushion((x0, 0.26, -d / 2), (x1, 0.56, d / 2), fabric, 0.025)
    m.cushion((-w / 2 + 0.16, 0.26, -d / 2), (w / 2 - 0.16, 0.68, -d / 2 + 0.2), fabric, 0.025)
    _seats(m, -w / 2 + 0.16, (w - 0.32) / seats, seats, 0.26, 0.43, -d / 2 + 0.2, d / 2, fabric, 0.025)
    _pillows(m, [-w / 2 + 0.4, w / 2 - 0.62], 0.43, -d / 2 + 0.2, stream)
    return Made("sofa", m, (w, 0.84, d))


def corner_sofa(stream: Stream, seats: int) -> Made:
    """An L: a straight sofa with a wing along the left or the right; its notch is free floor."""
    if seats < 3:
        return slim_sofa(stream, seats)
    fabric = stream.choice(("fabric0", "fabric1", "leather"))
    w, d, wing, s = 2.5, 1.7, 0.88, stream.choice((-1, 1))
    m = Model()
    z0 = -d / 2
    inner = s * (w / 2 - wing)
    for low, high in (((-w / 2, z0), (w / 2, z0 + wing)),
                      ((min(s * w / 2, inner), z0 + wing + 0.002), (max(s * w / 2, inner), d / 2))):  # fmt: skip
        m.box((low[0], 0.06, low[1]), (high[0], 0.27, high[1]), fabric, skip="ud")
        m.box((low[0] + 0.05, 0.0, low[1] + 0.05), (high[0] - 0.05, 0.06, high[1] - 0.05), "dark", skip="ud")
    m.cushion((-w / 2, 0.26, z0), (w / 2, 0.7, z0 + 0.2), fabric, 0.06)
    x0, x1 = sorted((s * w / 2, s * (w / 2 - 0.2)))
    m.cushion((x0, 0.26, z0 + 0.18), (x1, 0.7, d / 2), fabric, 0.06)
    x0, x1 = sorted((-s * w / 2, -s * (w / 2 - 0.2)))
    m.cushion((x0, 0.1, z0), (x1, 0.58, z0 + wing), fabric, 0.05)
    start, span = min(-s * (w / 2 - 0.2), inner), w - wing - 0.2
    _seats(m, start, span / 2, 2, 0.26, 0.43, z0 + 0.2, z0 + wing, fabric, 0.05)
    _backs(m, start, span / 2, 2, 0.42, 0.82, z0 + 0.14, fabric)
    x0, x1 = sorted((inner, s * (w / 2 - 0.2)))
    m.cushion((x0 + 0.004, 0.26, z0 + 0.2), (x1, 0.43, z0 + wing), fabric, 0.05, skip="db")
    m.cushion((x0 + 0.004, 0.26, z0 + wing + 0.004), (x1, 0.43, d / 2), fabric, 0.05, skip="db")
    _pillows(m, [s * (w / 2 - 0.52), -s * (w / 2 - 0.45)], 0.43, z0 + 0.28, stream)
    return Made("sofa", m, (w, 0.84, d), notch=(-s * wing / 2, z0 + wing))


def chaise_sofa(stream: Stream, seats: int) -> Made:
    """A two-seater with a long seat at one end."""
    fabric = stream.choice(("fabric0", "fabric1", "fabric2"))
    w, d, deep, s = 2.2 if seats > 2 else 1.9, 1.5, 0.9, stream.choice((-1, 1))
    m = Model()
    z0, inner = -d / 2, s * (w / 2 - 0.8)
    m.box((-w / 2, 0.12, z0), (w / 2, 0.28, z0 + deep), fabric, skip="u")
    x0, x1 = sorted((s * w / 2, inner))
    m.box((x0, 0.12, z0 + deep + 0.002), (x1, 0.28, d / 2), fabric, skip="ub")
    for x in (-w / 2 + 0.06, w / 2 - 0.06):
        for z in (z0 + 0.06, z0 + deep - 0.06):
            m.box((x - 0.025, 0, z - 0.025), (x + 0.025, 0.12, z + 0.025), "wood2", skip="ud")
    m.box((s * (w / 2 - 0.06) - 0.025, 0, d / 2 - 0.09), (s * (w / 2 - 0.06) + 0.025, 0.12, d / 2 - 0.04), "wood2")
    m.cushion((-w / 2, 0.26, z0), (w / 2, 0.74, z0 + 0.2), fabric, 0.07)
    a0, a1 = sorted((-s * w / 2, -s * (w / 2 - 0.18)))
    m.cushion((a0, 0.26, z0), (a1, 0.58, z0 + deep), fabric, 0.06)
    start, span = min(-s * (w / 2 - 0.18), inner), w - 0.8 - 0.18
    _seats(m, start, span / 2, 2, 0.27, 0.44, z0 + 0.2, z0 + deep, fabric, 0.05)
    m.cushion((x0, 0.27, z0 + 0.2), (x1, 0.44, d / 2), fabric, 0.05, skip="db")
    _backs(m, min(-s * (w / 2 - 0.18), s * w / 2), (w - 0.18) / 3, 3, 0.43, 0.84, z0 + 0.14, fabric)
    _pillows(m, [-s * (w / 2 - 0.42)], 0.44, z0 + 0.33, stream)
    _throw(m, s * (w / 2 - 0.4), d / 2 - 0.5, d / 2 + 0.006, 0.14)
    return Made("sofa", m, (w, 0.87, d + 0.02), notch=(-s * 0.4, z0 + deep))


def floor_sofa(stream: Stream, seats: int) -> Made:
    """Low cushions on a wide wooden tray."""
    fabric = stream.choice(("fabric0", "fabric1"))
    w, d = seats * 0.7 + 0.3, 0.95
    m = Model()
    m.box((-w / 2 + 0.08, 0, -d / 2 + 0.06), (w / 2 - 0.08, 0.1, d / 2 - 0.1), "wood2", skip="ud")
    m.box((-w / 2, 0.1, -d / 2), (w / 2, 0.16, d / 2), "wood")
    seat = (w - 0.3) / seats
    _seats(m, -w / 2 + 0.15, seat, seats, 0.16, 0.34, -d / 2 + 0.04, d / 2 - 0.04, fabric, 0.05)
    _backs(m, -w / 2 + 0.15, seat, seats, 0.32, 0.68, -d / 2 + 0.02, fabric)
    return Made("sofa", m, (w, 0.68, d))


SOFAS = Family(
    padded_sofa, slim_sofa, tufted_sofa, wooden_sofa, rolled_sofa, slip_sofa, sled_sofa, corner_sofa, chaise_sofa,
    floor_sofa,
)  # fmt: skip


def padded_chair(stream: Stream) -> Made:
    fabric = stream.choice(("fabric1", "fabric2", "leather"))
    w, d = 0.82, 0.84
    m = Model()
    legs(m, w, d, 0.14, "wood2", 0.04, 0.06)
    m.cushion((-w / 2 + 0.12, 0.13, -d / 2 + 0.12), (w / 2 - 0.12, 0.45, d / 2), fabric, 0.07)
    m.cushion((-w / 2 + 0.06, 0.16, -d / 2), (w / 2 - 0.06, 0.95, -d / 2 + 0.2), fabric, 0.09)
    for x0, x1 in both_sides(w / 2, w / 2 - 0.15):
        m.cushion((x0, 0.13, -d / 2 + 0.04), (x1, 0.62, d / 2 - 0.02), fabric, 0.06)
    _pillows(m, [0.0], 0.45, -d / 2 + 0.19, stream)
    return Made("chair", m, (w, 0.95, d))


def wing_chair(stream: Stream) -> Made:
    """A tall back with ears."""
    fabric = stream.choice(("fabric1", "fabric2", "fabric3", "leather"))
    w, d = 0.78, 0.84
    m = Model()
    pegs(m, w - 0.1, d - 0.14, 0.2, "wood2", 0.02)
    m.cushion((-w / 2 + 0.06, 0.18, -d / 2 + 0.1), (w / 2 - 0.06, 0.3, d / 2 - 0.02), fabric, 0.03, skip="")
    m.cushion((-w / 2 + 0.12, 0.29, -d / 2 + 0.14), (w / 2 - 0.12, 0.47, d / 2), fabric, 0.06)
    m.cushion((-w / 2 + 0.04, 0.2, -d / 2), (w / 2 - 0.04, 1.12, -d / 2 + 0.16), fabric, 0.07)
    for s in (-1, 1):
        x0, x1 = sorted((s * (w / 2 - 0.01), s * (w / 2 - 0.1)))
        m.cushion((x0, 0.55, -d / 2 + 0.06), (x1, 1.06, -d / 2 + 0.36), fabric, 0.045, skip="")
        x0, x1 = sorted((s * w / 2, s * (w / 2 - 0.13)))
        m.cushion((x0, 0.22, -d / 2 + 0.06), (x1, 0.64, d / 2 - 0.05), fabric, 0.05)
    return Made("chair", m, (w, 1.12, d))


def wood_armchair(stream: Stream) -> Made:
    """A leaning frame of round wood with two cushions."""
    fabric = stream.choice(("fabric0", "fabric2", "fabric3"))
    w, d = 0.7, 0.8
    m = Model()
    for s in (-1, 1):
        x = s * (w / 2 - 0.03)
        beam(m, (x, 0.0, d / 2 - 0.04), (x, 0.58, d / 2 - 0.1), 0.04, "wood")
        beam(m, (x, 0.0, -d / 2 + 0.1), (x, 0.56, -d / 2 + 0.2), 0.04, "wood")
        m.box((x - 0.03, 0.56, -d / 2 + 0.12), (x + 0.03, 0.59, d / 2 - 0.04), "wood")
        beam(m, (s * (w / 2 - 0.1), 0.2, d / 2 - 0.1), (s * (w / 2 - 0.1), 0.24, -d / 2 + 0.2), 0.04, "wood")
        beam(m, (s * (w / 2 - 0.1), 0.2, -d / 2 + 0.24), (s * (w / 2 - 0.1), 0.86, -d / 2 + 0.04), 0.04, "wood")
    m.box((-w / 2 + 0.03, 0.2, d / 2 - 0.12), (w / 2 - 0.03, 0.26, d / 2 - 0.09), "wood")
    m.cushion((-w / 2 + 0.08, 0.25, -d / 2 + 0.24), (w / 2 - 0.08, 0.4, d / 2 - 0.06), fabric, 0.05, skip="")
    m.cushion((-w / 2 + 0.08, 0.38, -d / 2 + 0.12), (w / 2 - 0.08, 0.9, -d / 2 + 0.27), fabric, 0.06, skip="")
    return Made("chair", m, (w, 0.9, d))


def lounge_chair(stream: Stream) -> Made:
    """Leather pads on a shell of bent wood, with a star foot."""
    w, d = 0.82, 0.84
    m = Model()
    for x, z in ((0.3, 0.3), (-0.3, 0.3), (0.3, -0.26), (-0.3, -0.26)):
        beam(m, (x, 0.02, z), (0.0, 0.1, 0.0), 0.035, "metal")
        m.box((x - 0.02, 0, z - 0.02), (x + 0.02, 0.03, z + 0.02), "dark", skip="d")
    m.tube([(0, 0.06, 0), (0, 0.3, 0)], 0.035, "dark", 5)
    m.cushion((-0.34, 0.28, -0.2), (0.34, 0.34, 0.36), "wood2", 0.03, skip="")
    m.cushion((-0.3, 0.32, -0.16), (0.3, 0.45, 0.38), "leather", 0.06)
    for y0, y1, z in ((0.44, 0.7, -0.28), (0.7, 0.98, -0.36)):
        m.cushion((-0.33, y0, z - 0.04), (0.33, y1, z + 0.03), "wood2", 0.03, skip="")
        m.cushion((-0.29, y0 + 0.01, z), (0.29, y1 - 0.01, z + 0.12), "leather", 0.05, skip="")
    for s in (-1, 1):
        m.cushion((s * 0.37 - 0.04, 0.5, -0.24), (s * 0.37 + 0.04, 0.57, 0.16), "leather", 0.03, skip="")
        beam(m, (s * 0.3, 0.32, -0.05), (s * 0.37, 0.51, -0.05), 0.03, "metal")
    return Made("chair", m, (w, 0.98, d))


def tub_chair(stream: Stream) -> Made:
    """A low round chair: its arms run into its back."""
    fabric = stream.choice(("fabric0", "fabric1", "fabric2"))
    m = Model()
    m.box((-0.2, 0.0, -0.2), (0.2, 0.06, 0.2), "dark", skip="ud")
    m.lathe([(0.26, 0.01), (0.3, 0.05), (0.36, 0.08), (0.36, 0.3), (0.0, 0.3)], fabric, least=12)
    m.lathe([(0.0, 0.3), (0.26, 0.3), (0.29, 0.36), (0.26, 0.42), (0.0, 0.43)], fabric, least=12)
    for k, (x, z, t) in enumerate(
        ((-0.33, 0.06, 0), (0.33, 0.06, 0), (-0.25, -0.22, 1), (0.25, -0.22, 1), (0.0, -0.33, 2))
    ):
        half = (0.06, 0.3) if t == 0 else (0.14, 0.15) if t == 1 else (0.28, 0.06)
        top = 0.66 if k < 2 else 0.7
        m.cushion((x - half[0], 0.2, z - half[1]), (x + half[0], top, z + half[1]), fabric, 0.055)
    return Made("chair", m, (0.8, 0.72, 0.8))


def rattan_chair(stream: Stream) -> Made:
    """A woven bowl with a cushion on thin legs."""
    m = Model()
    pegs(m, 0.6, 0.6, 0.32, "basket", 0.05)
    m.lathe([(0.2, 0.3), (0.34, 0.36), (0.4, 0.5), (0.38, 0.5), (0.32, 0.4), (0.0, 0.36)], "basket", least=12)
    m.cushion((-0.36, 0.45, -0.4), (0.36, 0.98, -0.3), "basket", 0.05, skip="")
    m.cushion((-0.29, 0.38, -0.26), (0.29, 0.5, 0.28), stream.choice(("fabric0", "fabric2", "sheet")), 0.05)
    _pillows(m, [0.0], 0.5, -0.29, stream)
    return Made("chair", m, (0.8, 0.98, 0.8))


armchair = Family(padded_chair, wing_chair, wood_armchair, lounge_chair, tub_chair, rattan_chair)
