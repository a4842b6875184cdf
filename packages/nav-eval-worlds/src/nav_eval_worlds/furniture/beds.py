"""Beds: frame, mattress, bedding, and a headboard against the wall (-z)."""

from __future__ import annotations

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.furniture.cloth import heap, sheet
from nav_eval_worlds.furniture.made import Family, Made, both_sides, four_corners, legs
from nav_eval_worlds.surfaces.parametric import Model, pillow
from nav_eval_worlds.surfaces.styles import Style

_D = 2.08


def bed(stream: Stream, style: Style, w: float = 1.6) -> Made:
    """A bed of about w metres; narrow ones may be day beds or bunks."""
    return (SINGLES if w < 1.2 else DOUBLES)(stream, style, w)


def _bedding(m: Model, w: float, low: float, stream: Stream, head: float = 0.08) -> float:
    """Mattress, duvet, pillows, perhaps a throw; a bed that is made, slept in or thrown open. Returns the height."""
    cover, kind = stream.choice(("fabric0", "fabric2", "fabric3", "sheet", "throw")), stream.below(3)
    top, z0, z1 = low + 0.2, -_D / 2, _D / 2
    m.cushion((-w / 2 + 0.06, low, z0 + head), (w / 2 - 0.06, top, z1 - 0.115), "sheet", 0.06)
    drop, seed = stream.between(16, 28) / 100, stream.below(1000)
    near, crease = ((z0 + 0.62, 0.012), (z0 + 0.72, 0.03), (z0 + 1.05, 0.045))[kind]
    m.grids.append(sheet(w / 2 - 0.016, near, z1 - 0.065, top + 0.045, drop, cover, seed, crease))
    if kind < 2:
        m.cushion((-w / 2 + 0.003, top - 0.04, near - 0.07), (w / 2 - 0.003, top + 0.08, near + 0.2), "sheet", 0.055)
    else:
        m.grids.append(heap((0.0, top, near), (w * 0.99, 0.2, 0.62), cover, seed + 1, 0.0, 10))
    _pillows(m, w, top, z0 + head, cover, stream)
    if kind == 0 and stream.chance(40):
        m.grids.append(sheet(w / 2, z1 - 0.62, z1 - 0.2, top + 0.07, 0.12, "throw", seed + 2, 0.008))
    return top + 0.3


def _pillows(m: Model, w: float, top: float, z0: float, cover: str, stream: Stream) -> None:
    """Lying ones with a dent where a head lay, a little askew; loose ones leaning before them."""
    count = 1 if w < 1.2 else 2
    loose = stream.chance(60)
    for i in range(count):
        x, off = (0.0 if count == 1 else (-1) ** i * w / 4), stream.between(-30, 30) / 1000
        wide, tilt = min(0.7, w / count - 0.08), stream.between(-40, 40) / 1000

        def lying(a: Floats, up: Floats, out: Floats, tilt: float = tilt) -> tuple[Floats, Floats, Floats]:
            return a - up * tilt * 4, out + up * 0.1, -up - a * tilt * 4

        dent = stream.between(20, 45) / 100
        m.grids += pillow((x + off, top + 0.075, z0 + 0.26), (wide * 0.88, 0.42, 0.19), "sheet", lying, dent)
        if loose:
            m.leaning((x + off, top + 0.2, z0 + 0.5), (0.44, 0.34, 0.17), cover)


def panel_bed(stream: Stream, w: float) -> Made:
    """A wooden frame with a solid head."""
    frame = stream.choice(("wood", "wood2"))
    m = Model()
    legs(m, w, _D, 0.12, "wood2", 0.07, 0.02)
    m.box((-w / 2, 0.1, -_D / 2), (w / 2, 0.3, _D / 2), frame)
    h = stream.between(95, 115) / 100
    m.box((-w / 2, 0.0, -_D / 2), (w / 2, h, -_D / 2 + 0.06), frame)
    m.box((-w / 2, h - 0.05, -_D / 2), (w / 2, h, -_D / 2 + 0.075), frame)
    _bedding(m, w, 0.29, stream)
    return Made("bed", m, (w, 1.15, _D))


def padded_bed(stream: Stream, w: float) -> Made:
    """Upholstered, the head with channels or buttons."""
    fabric = stream.choice(("fabric0", "fabric1", "fabric2", "leather"))
    m = Model()
    legs(m, w, _D, 0.06, "dark", 0.06, 0.04)
    m.cushion((-w / 2, 0.06, -_D / 2), (w / 2, 0.32, _D / 2), fabric, 0.03)
    h = stream.between(105, 125) / 100
    if stream.chance(50):
        n = int(w / 0.2)
        for k in range(n):
            x = -w / 2 + k * w / n
            m.cushion((x, 0.2, -_D / 2), (x + w / n, h, -_D / 2 + 0.1), fabric, 0.045)
    else:
        m.cushion((-w / 2, 0.2, -_D / 2), (w / 2, h, -_D / 2 + 0.1), fabric, 0.045)
        for row in range(3):
            n = int(w / 0.24) - row % 2
            for k in range(n):
                x, y = (k + 0.5) / n * (w - 0.2) - w / 2 + 0.1, h - 0.12 - row * 0.15
                z, r = -_D / 2 + 0.102, 0.018
                m.quad([(x, y - r, z), (x + r, y, z + 0.006), (x, y + r, z), (x - r, y, z + 0.006)], "dark")
    _bedding(m, w, 0.31, stream, 0.1)
    return Made("bed", m, (w, 1.25, _D))


def poster_bed(stream: Stream, w: float) -> Made:
    """Four turned posts, joined at the top; in some a canopy."""
    wood = stream.choice(("wood", "wood2", "dark"))
    m = Model()
    profile = [(0.045, 0.0), (0.045, 0.4), (0.03, 0.6), (0.04, 0.9), (0.025, 1.2), (0.03, 1.98)]
    for at in four_corners(w / 2 - 0.045, _D / 2 - 0.045):
        m.lathe(profile, wood, at, 6)
    m.box((-w / 2 + 0.03, 0.22, -_D / 2 + 0.03), (w / 2 - 0.03, 0.36, _D / 2 - 0.03), wood)
    m.box((-w / 2 + 0.05, 0.3, -_D / 2 + 0.02), (w / 2 - 0.05, 1.15, -_D / 2 + 0.06), wood)
    for s in (-1, 1):
        x, z = s * (w / 2 - 0.045), s * (_D / 2 - 0.045)
        m.box((x - 0.02, 1.97, -_D / 2 + 0.02), (x + 0.02, 2.0, _D / 2 - 0.02), wood)
        m.box((-w / 2 + 0.03, 1.97, z - 0.02), (w / 2 - 0.03, 2.0, z + 0.02), wood)
    if stream.chance(50):
        m.box((-w / 2, 2.0, -_D / 2), (w / 2, 2.015, _D / 2), "sheet")
        for x in (-w / 2 + 0.045, w / 2 - 0.045):
            m.cushion((x - 0.05, 0.1, -_D / 2 + 0.08), (x + 0.05, 1.99, -_D / 2 + 0.2), "sheet", 0.04, skip="du")
    _bedding(m, w - 0.08, 0.35, stream, 0.1)
    return Made("bed", m, (w, 2.015, _D))


def platform_bed(stream: Stream, w: float) -> Made:
    """Low, the mattress on a tray that is wider than it."""
    wood = stream.choice(("wood", "wood2"))
    m = Model()
    m.box((-w / 2 + 0.15, 0.0, -_D / 2 + 0.1), (w / 2 - 0.15, 0.12, _D / 2 - 0.2), "dark", skip="ud")
    m.box((-w / 2, 0.12, -_D / 2), (w / 2, 0.2, _D / 2), wood)
    if stream.chance(70):
        m.box((-w / 2, 0.2, -_D / 2), (w / 2, 0.78, -_D / 2 + 0.05), wood)
    _bedding(m, w - 0.14, 0.2, stream)
    return Made("bed", m, (w, 0.78, _D))


def slat_bed(stream: Stream, w: float) -> Made:
    """Upright slats in the head and the foot."""
    wood = stream.choice(("wood", "white", "wood2"))
    m = Model()
    m.box((-w / 2 + 0.04, 0.18, -_D / 2 + 0.03), (w / 2 - 0.04, 0.32, _D / 2 - 0.03), wood)
    for z, h in ((-_D / 2 + 0.03, 1.05), (_D / 2 - 0.03, 0.62)):
        for x in (-w / 2 + 0.035, w / 2 - 0.035):
            m.box((x - 0.035, 0, z - 0.03), (x + 0.035, h, z + 0.03), wood, skip="d")
        m.box((-w / 2 + 0.05, h - 0.1, z - 0.02), (w / 2 - 0.05, h - 0.03, z + 0.02), wood)
        n = int(w / 0.13)
        for k in range(n):
            x = (k + 0.5) / n * (w - 0.14) - (w - 0.14) / 2
            m.box((x - 0.02, 0.3, z - 0.01), (x + 0.02, h - 0.09, z + 0.01), wood, skip="ud")
    _bedding(m, w - 0.08, 0.31, stream, 0.08)
    return Made("bed", m, (w, 1.05, _D))


def metal_bed(stream: Stream, w: float) -> Made:
    """Tubes with knobs at the corners."""
    skin = stream.choice(("metal2", "dark", "white"))
    m = Model()
    m.box((-w / 2 + 0.02, 0.26, -_D / 2 + 0.03), (w / 2 - 0.02, 0.32, _D / 2 - 0.03), skin)
    for z, h in ((-_D / 2 + 0.025, 1.15), (_D / 2 - 0.025, 0.7)):
        for x in (-w / 2 + 0.025, w / 2 - 0.025):
            m.tube([(x, 0, z), (x, h - 0.04, z)], 0.018, skin, 5)
            m.lathe([(0.0, h - 0.05), (0.024, h - 0.02), (0.0, h)], "metal2", (x, z), 6)
        for y in (0.4, h - 0.12):
            m.tube([(-w / 2 + 0.03, y, z), (w / 2 - 0.03, y, z)], 0.012, skin, 4)
        n = int(w / 0.16)
        for k in range(n):
            x = (k + 0.5) / n * (w - 0.1) - (w - 0.1) / 2
            m.tube([(x, 0.4, z), (x, h - 0.12, z)], 0.008, skin, 3)
    _bedding(m, w - 0.02, 0.31, stream, 0.07)
    return Made("bed", m, (w, 1.15, _D))


def day_bed(stream: Stream, w: float) -> Made:
    """A narrow bed with a back along the wall, turned with its long side to it."""
    wood, cover = stream.choice(("wood", "white")), stream.choice(("fabric0", "fabric2", "throw"))
    long, d = 2.06, 0.94
    m = Model()
    legs(m, long, d, 0.16, wood, 0.06, 0.01)
    m.box((-long / 2, 0.14, -d / 2), (long / 2, 0.34, d / 2), wood)
    m.box((-long / 2, 0.34, -d / 2), (long / 2, 0.84, -d / 2 + 0.04), wood)
    for x0, x1 in both_sides(long / 2, long / 2 - 0.05):
        m.box((x0, 0.34, -d / 2), (x1, 0.76, d / 2), wood, skip="d")
    m.cushion((-long / 2 + 0.06, 0.33, -d / 2 + 0.05), (long / 2 - 0.06, 0.52, d / 2 - 0.01), cover, 0.05)
    for k in range(3):
        x = (k - 1) * 0.6
        cloth = stream.choice(("sheet", "fabric3", "throw"))
        m.cushion((x - 0.27, 0.5, -d / 2 + 0.06), (x + 0.27, 0.88, -d / 2 + 0.24), cloth, 0.08)
    return Made("bed", m, (long, 0.88, d))


def bunk_bed(stream: Stream, w: float) -> Made:
    """Two beds over each other, with a ladder."""
    wood = stream.choice(("wood", "white"))
    m = Model()
    long, w = 2.06, 1.0
    for x, z in four_corners(long / 2 - 0.04, w / 2 - 0.04):
        m.box((x - 0.04, 0, z - 0.04), (x + 0.04, 1.72, z + 0.04), wood, skip="d")
    for y in (0.25, 1.2):
        m.box((-long / 2 + 0.02, y, -w / 2 + 0.02), (long / 2 - 0.02, y + 0.12, w / 2 - 0.02), wood)
        m.cushion((-long / 2 + 0.08, y + 0.11, -w / 2 + 0.06), (long / 2 - 0.08, y + 0.27, w / 2 - 0.06), "sheet", 0.04)
        m.cushion((-long / 2 + 0.55, y + 0.16, -w / 2 + 0.05), (long / 2 - 0.07, y + 0.31, w / 2 - 0.05),
                  stream.choice(("fabric2", "fabric3", "throw")), 0.05)  # fmt: skip
        m.cushion((-long / 2 + 0.1, y + 0.24, -0.28), (-long / 2 + 0.46, y + 0.36, 0.28), "sheet", 0.05)
    for z in (-w / 2 + 0.04, w / 2 - 0.04):
        for y in (1.5, 1.64):
            m.box((-long / 2 + 0.06, y, z - 0.012), (long / 2 - 0.06 if z < 0 else 0.45, y + 0.06, z + 0.012), wood)
    for y in (0.4, 0.7, 1.0):
        m.box((0.52, y, w / 2 - 0.03), (0.9, y + 0.04, w / 2), wood)
    for x in (0.5, 0.9):
        m.box((x - 0.02, 0, w / 2 - 0.03), (x + 0.02, 1.7, w / 2), wood, skip="d")
    return Made("bed", m, (long, 1.72, w))


def cot(stream: Stream) -> Made:
    """A baby's bed with bars."""
    wood = stream.choice(("wood", "white"))
    w, d, h = 1.26, 0.68, 0.92
    m = Model()
    for s in (-1, 1):
        x0, x1 = sorted((s * w / 2, s * (w / 2 - 0.03)))
        m.box((x0, 0, -d / 2), (x1, h, d / 2), wood, skip="d")
        z = s * (d / 2 - 0.015)
        for y in (0.3, h - 0.06):
            m.box((-w / 2 + 0.03, y, z - 0.015), (w / 2 - 0.03, y + 0.05, z + 0.015), wood)
        for k in range(12):
            x = (k + 0.5) / 12 * (w - 0.08) - (w - 0.08) / 2
            m.box((x - 0.009, 0.35, z - 0.009), (x + 0.009, h - 0.06, z + 0.009), wood, skip="ud")
    m.cushion((-w / 2 + 0.035, 0.34, -d / 2 + 0.035), (w / 2 - 0.035, 0.46, d / 2 - 0.035), "sheet", 0.03)
    m.cushion((-w / 2 + 0.4, 0.42, -d / 2 + 0.04), (w / 2 - 0.04, 0.49, d / 2 - 0.04), "throw", 0.03)
    return Made("cot", m, (w, h, d), design="bar_cot")


DOUBLES = Family(panel_bed, padded_bed, poster_bed, platform_bed, slat_bed, metal_bed)
SINGLES = Family(panel_bed, padded_bed, platform_bed, slat_bed, metal_bed, day_bed, bunk_bed)
