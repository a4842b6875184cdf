"""Bathroom fittings and the washing machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.furniture.cloth import over_bar
from nav_eval_worlds.furniture.made import Family, Made, four_corners, fronts, legs
from nav_eval_worlds.surfaces.parametric import WHOLE, Grid, Model, Profile
from nav_eval_worlds.surfaces.styles import Style

_BUILT_IN = 1.7


def _oval(m: Model, profile: Profile, z: float, stretch: float, material: str, least: int = 12, x: float = 0.0) -> None:
    """A lathe stretched along z."""
    part = Model()
    part.lathe(profile, material, least=least)
    grid = part.grids[0]
    inner = grid.evaluate

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, uvs = inner(nu, nv)
        points = points.copy()
        points[..., 0] = points[..., 0] + x
        points[..., 2] = points[..., 2] * stretch + z
        return points, uvs

    m.grids.append(replace(grid, evaluate=evaluate))


def _seat(m: Model, y: float) -> None:
    rim = [(0.19, y), (0.195, y + 0.02), (0.18, y + 0.035), (0.12, y + 0.03), (0.1, y - 0.06), (0.0, y - 0.12)]
    _oval(m, rim, 0.06, 1.28, "ceramic")


def close_toilet(stream: Stream) -> Made:
    """The cistern sits on the bowl."""
    m = Model()
    _oval(m, [(0.0, 0.0), (0.13, 0.0), (0.12, 0.12), (0.17, 0.3), (0.19, 0.38), (0.19, 0.4)], 0.06, 1.28, "ceramic")
    _seat(m, 0.4)
    m.cushion((-0.2, 0.36, -0.35), (0.2, 0.78, -0.17), "ceramic", 0.03)
    m.cushion((-0.21, 0.77, -0.35), (0.21, 0.81, -0.16), "ceramic", 0.015)
    m.box((-0.12, 0, -0.35), (0.12, 0.37, -0.12), "ceramic", skip="ud")
    m.cushion((-0.18, 0.43, -0.18), (0.18, 0.8, -0.14), "ceramic", 0.015)
    m.lathe([(0.025, 0.81), (0.025, 0.82), (0.0, 0.82)], "metal", (0.0, -0.26), 6)
    return Made("toilet", m, (0.42, 0.82, 0.7))


def wall_toilet(stream: Stream) -> Made:
    """Hung before a tiled box that hides the cistern."""
    m = Model()
    m.box((-0.45, 0, -0.36), (0.45, 1.1, -0.2), "wall_tile", skip="db")
    m.box((-0.45, 1.1, -0.36), (0.45, 1.12, -0.19), "counter")
    m.box((-0.12, 0.88, -0.2), (0.12, 1.02, -0.192), "metal", skip="b")
    m.cushion((-0.17, 0.12, -0.2), (0.17, 0.4, 0.1), "ceramic", 0.06, skip="b")
    _oval(m, [(0.0, 0.12), (0.12, 0.14), (0.18, 0.34), (0.19, 0.4)], 0.06, 1.28, "ceramic")
    _seat(m, 0.4)
    _oval(m, [(0.19, 0.435), (0.185, 0.455), (0.0, 0.46)], 0.06, 1.28, "ceramic")
    return Made("toilet", m, (0.9, 1.12, 0.72))


def high_toilet(stream: Stream) -> Made:
    """An old bowl with a wooden seat, the cistern high on a pipe."""
    m = Model()
    _oval(m, [(0.0, 0.0), (0.15, 0.0), (0.1, 0.08), (0.11, 0.2), (0.18, 0.36), (0.19, 0.4)], 0.06, 1.28, "ceramic")
    _oval(m, [(0.2, 0.4), (0.2, 0.425), (0.12, 0.425), (0.1, 0.34), (0.0, 0.28)], 0.06, 1.28, "wood")
    m.tube([(0, 0.36, -0.2), (0, 0.36, -0.31), (0, 1.45, -0.31)], 0.025, "metal2", 6)
    m.cushion((-0.24, 1.45, -0.36), (0.24, 1.75, -0.16), "ceramic", 0.03, skip="")
    m.tube([(0.18, 1.5, -0.14), (0.18, 1.05, -0.14)], 0.006, "metal2", 3)
    return Made("toilet", m, (0.5, 1.76, 0.72))


toilet = Family(close_toilet, wall_toilet, high_toilet)


def built_tub(stream: Stream) -> Made:
    """Enamel behind an apron of tiles or wood, a screen of glass at the tap."""
    w, d, h, rim = _BUILT_IN, 0.75, 0.56, 0.07
    apron = stream.choice(("ceramic", "wall_tile", "wood"))
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h - 0.03, d / 2 - 0.01), apron, skip="ud")
    _rim(m, w, d, h, rim)
    _tap(m, -w / 2 + 0.04, h)
    high = h + 0.16
    if stream.chance(50):
        m.box((-w / 2 + 0.02, h, d / 2 - 0.03), (-w / 2 + 0.75, 1.95, d / 2 - 0.022), "glass")
        m.tube([(-w / 2 + 0.02, 1.0, -0.1), (-w / 2 + 0.02, 2.0, -0.1), (-w / 2 + 0.2, 2.05, -0.1)], 0.012, "metal", 5)
        m.lathe([(0.09, 2.0), (0.09, 2.02), (0.0, 2.05)], "metal", (-w / 2 + 0.22, -0.1), 8)
        high = 2.06
    return Made("bathtub", m, (w, high, d))


def _rim(m: Model, w: float, d: float, h: float, rim: float) -> None:
    """The flat rim and the sloping inside."""
    x1, z1 = w / 2 - rim, d / 2 - rim
    m.box((-w / 2, h - 0.03, -d / 2), (w / 2, h, d / 2), "ceramic", skip="ud")
    m.quad([(-w / 2, h, d / 2), (w / 2, h, d / 2), (x1, h, z1), (-x1, h, z1)], "ceramic")
    m.quad([(w / 2, h, -d / 2), (-w / 2, h, -d / 2), (-x1, h, -z1), (x1, h, -z1)], "ceramic")
    m.quad([(-w / 2, h, -d / 2), (-w / 2, h, d / 2), (-x1, h, z1), (-x1, h, -z1)], "ceramic")
    m.quad([(w / 2, h, d / 2), (w / 2, h, -d / 2), (x1, h, -z1), (x1, h, z1)], "ceramic")
    bx, bz, by = x1 - 0.12, z1 - 0.08, 0.14
    m.quad([(-x1, h, z1), (x1, h, z1), (bx, by, bz), (-bx, by, bz)], "basin")
    m.quad([(x1, h, -z1), (-x1, h, -z1), (-bx, by, -bz), (bx, by, -bz)], "basin")
    m.quad([(-x1, h, -z1), (-x1, h, z1), (-bx, by, bz), (-bx, by, -bz)], "basin")
    m.quad([(x1, h, z1), (x1, h, -z1), (bx, by, -bz), (bx, by, bz)], "basin")
    m.flat(-bx, -bz, bx, bz, by, "basin")


def _tap(m: Model, x: float, h: float) -> None:
    m.tube([(x, h, 0.0), (x, h + 0.14, 0.0), (x + 0.12, h + 0.14, 0.0)], 0.018, "metal", 6)


def _shell(m: Model, w: float, d: float, foot: float, h: float, skin: str) -> None:
    """An oval tub, its wall with an inside."""
    part = Model()
    r = w / 2
    out = [(0.0, foot), (r * 0.72, foot), (r * 0.9, foot + 0.2), (r * 0.98, h), (r, h + 0.02), (r * 0.95, h + 0.02)]
    _oval(part, out, 0, d / w, skin, 16)
    inside = [(r * 0.95, h + 0.02), (r * 0.86, h - 0.1), (r * 0.68, foot + 0.08), (0.0, foot + 0.06)]
    _oval(part, inside, 0, d / w, "basin", 16)
    m.add(part)


def free_tub(stream: Stream) -> Made:
    """Free-standing, oval, with its tap on the floor."""
    w, d = 1.66, 0.78
    m = Model()
    _shell(m, w, d, 0.0, 0.56, "ceramic")
    m.tube([(-0.5, 0, -0.4), (-0.5, 0.88, -0.4), (-0.5, 0.9, -0.26)], 0.016, "metal2", 6)
    return Made("bathtub", m, (w + 0.02, 0.92, 0.86))


def claw_tub(stream: Stream) -> Made:
    """On four feet, painted outside."""
    w, d = 1.6, 0.76
    m = Model()
    _shell(m, w, d, 0.13, 0.6, stream.choice(("ceramic", "front", "dark")))
    for at in four_corners(0.45, 0.18):
        m.lathe([(0.03, 0.0), (0.035, 0.04), (0.02, 0.1), (0.05, 0.2)], "metal2", at, 6)
    m.tube([(-0.7, 0.5, -0.36), (-0.7, 0.82, -0.36), (-0.6, 0.84, -0.2)], 0.016, "metal2", 6)
    return Made("bathtub", m, (w + 0.02, 0.86, 0.8))


bathtub = Family(built_tub, free_tub, claw_tub)


def _head(m: Model, x: float, z: float, w: float) -> None:
    m.tube([(x, 1.0, z), (x, 2.02, z), (x, 2.05, z + 0.2)], 0.012, "metal", 5)
    m.lathe([(0.1, 2.0), (0.1, 2.02), (0.0, 2.05)], "metal", (x, z + 0.22), 10)


def corner_shower(stream: Stream) -> Made:
    """A tray between bars of glass."""
    w = 0.9
    m = Model()
    m.box((-w / 2, 0, -w / 2), (w / 2, 0.08, w / 2), "ceramic", skip="d")
    _tile(m, w, w)
    m.box((-w / 2, 0.08, -w / 2), (-w / 2 + 0.02, 1.95, w / 2), "glass", skip="d")
    m.box((-w / 2 + 0.02, 0.08, w / 2 - 0.02), (-w / 2 + 0.3, 1.95, w / 2), "glass", skip="d")
    for x, z in ((-w / 2 + 0.015, w / 2 - 0.015), (w / 2 - 0.015, w / 2 - 0.015)):
        m.box((x - 0.015, 0.08, z - 0.015), (x + 0.015, 1.98, z + 0.015), "metal", skip="d")
    m.box((-w / 2, 1.95, w / 2 - 0.03), (w / 2, 1.98, w / 2), "metal")
    _head(m, 0.1, -w / 2 + 0.04, w)
    return Made("shower", m, (w, 2.06, w))


def _tile(m: Model, w: float, d: float) -> None:
    z = -d / 2 + 0.004
    m.card(-w / 2, 0.05, w / 2, 2.0, z, "wall_tile2")


def walk_shower(stream: Stream) -> Made:
    """A flat tray and one framed pane of glass."""
    w, d = 1.3, 0.9
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.05, d / 2), stream.choice(("ceramic", "stone")), skip="d")
    _tile(m, w, d)
    m.box((-w / 2 + 0.02, 0.05, d / 2 - 0.016), (w / 2 - 0.55, 2.0, d / 2 - 0.006), "glass", skip="d")
    for x in (-w / 2, w / 2 - 0.57):
        m.box((x, 0.05, d / 2 - 0.024), (x + 0.024, 2.02, d / 2), "metal2", skip="d")
    m.box((-w / 2, 2.0, d / 2 - 0.024), (w / 2 - 0.55, 2.024, d / 2), "metal2")
    _head(m, -0.2, -d / 2 + 0.04, w)
    return Made("shower", m, (w, 2.06, d))


def curtain_shower(stream: Stream) -> Made:
    """A curtain on a rail, gathered at one side."""
    w = 0.9
    m = Model()
    m.box((-w / 2, 0, -w / 2), (w / 2, 0.14, w / 2), "ceramic", skip="d")
    _tile(m, w, w)
    m.tube([(-w / 2, 1.96, w / 2 - 0.05), (w / 2, 1.96, w / 2 - 0.05)], 0.012, "metal", 5)
    cloth = stream.choice(("throw", "sheet", "fabric2"))
    for k in range(7):
        x = -w / 2 + 0.01 + k * 0.07
        m.cushion((x, 0.16, w / 2 - 0.075), (x + 0.072, 1.94, w / 2 - 0.03), cloth, 0.022, skip="du")
    _head(m, 0.0, -w / 2 + 0.04, w)
    return Made("shower", m, (w, 2.06, w))


shower = Family(corner_shower, walk_shower, curtain_shower)


def vanity(stream: Stream, style: Style, basins: int = 1) -> Made:
    """A washstand with basin, tap and mirror: a cabinet, one hung on the wall, a table on legs or a pedestal."""
    kind = stream.choice(("cabinet", "hung", "table", "pedestal") if basins == 1 else ("cabinet", "hung"))
    w, d, h = (0.85 if kind != "pedestal" else 0.68) * basins, 0.48, 0.84
    wood = stream.choice(("wood", "white", "wood2", "front"))
    m = Model()
    if kind == "pedestal":
        m.lathe([(0.11, 0.0), (0.08, 0.1), (0.075, 0.6), (0.13, 0.7)], "ceramic", (0.0, -0.08), 9)
        m.cushion((-w / 2, 0.68, -d / 2), (w / 2, h, d / 2 - 0.02), "ceramic", 0.05, skip="")
        _oval(m, [(0.2, h + 0.002), (0.17, h - 0.0), (0.0, h + 0.004)], 0.02, 0.7, "basin", 12)
        m.tube([(0, h, -0.18), (0, h + 0.14, -0.18), (0, h + 0.15, -0.08)], 0.014, "metal2", 5)
    else:
        _stand(m, kind, w, d, h, wood, basins, stream)
        m.box((-w / 2, h - 0.04, -d / 2), (w / 2, h, d / 2), stream.choice(("counter", "marble", "ceramic")))
        shape = stream.below(2)
        for k in range(basins):
            (_bowl if shape else _square)(m, (k - (basins - 1) / 2) * 0.85, h)
    _mirror(m, w, d, stream)
    return Made("sink", m, (w, 2.06, d + 0.05), design=f"{kind}_vanity")


def _stand(m: Model, kind: str, w: float, d: float, h: float, wood: str, basins: int, stream: Stream) -> None:
    if kind == "table":
        legs(m, w, d, h - 0.04, wood, 0.05, 0.01)
        m.box((-w / 2 + 0.03, h - 0.2, -d / 2 + 0.02), (w / 2 - 0.03, h - 0.04, d / 2 - 0.03), wood, skip="u")
        m.box((-w / 2 + 0.02, 0.2, -d / 2 + 0.02), (w / 2 - 0.02, 0.23, d / 2 - 0.02), wood)
        for x in (-0.2, 0.14):
            m.box(
                (x - 0.13, 0.23, -0.14), (x + 0.13, 0.4, 0.14), stream.choice(("basket", "sheet", "fabric2")), skip="d"
            )
        return
    low = 0.08 if kind == "cabinet" else 0.36
    if kind == "cabinet":
        m.box((-w / 2 + 0.03, 0, -d / 2), (w / 2 - 0.03, 0.08, d / 2 - 0.06), "dark", skip="ud")
    else:
        m.box((-w / 2 + 0.1, 0.0, -d / 2), (w / 2 - 0.1, low, -d / 2 + 0.02), "wall_tile", skip="d")
    m.box((-w / 2, low, -d / 2), (w / 2, h - 0.04, d / 2 - 0.02), wood, skip="u")
    rows, columns = (1, 2 * basins) if kind == "cabinet" else (2, basins)
    grips = stream.choice(("bar", "knob", "frame")) if kind == "cabinet" else "slot"
    fronts(m, (-w / 2, low + 0.01), (w / 2, h - 0.05), d / 2 - 0.02, rows, columns, wood, "metal2", grips)


def _mirror(m: Model, w: float, d: float, stream: Stream) -> None:
    """Round, or square in a frame; a lamp above."""
    z = -d / 2
    if stream.chance(40):
        part = Model()
        part.lathe([(0.33, 0.0), (0.31, 0.02), (0.0, 0.02)], "metal2", least=16)
        upright(m, part.grids[0], 1.55, z + 0.005)
        glass = Model()
        glass.lathe([(0.3, 0.026), (0.0, 0.026)], "mirror", least=16)
        upright(m, glass.grids[0], 1.55, z)
    else:
        frame = stream.choice(("metal", "metal2", "wood"))
        m.box((-w / 2 + 0.06, 1.15, z), (w / 2 - 0.06, 1.95, z + 0.03), frame, skip="b")
        x1 = w / 2 - 0.08
        m.card(-x1, 1.17, x1, 1.93, z + 0.031, "mirror", WHOLE)
    m.box((-0.25, 2.0, z), (0.25, 2.06, z + 0.1), "glow", skip="b")


def _bowl(m: Model, x: float, h: float) -> None:
    m.lathe([(0.14, h), (0.19, h + 0.1), (0.175, h + 0.1), (0.1, h + 0.02), (0.0, h + 0.01)], "ceramic", (x, 0.03), 12)
    m.tube([(x, h, -0.18), (x, h + 0.2, -0.18), (x, h + 0.22, -0.1), (x, h + 0.18, -0.07)], 0.012, "metal2", 5)


def _square(m: Model, x: float, h: float) -> None:
    """A basin let into the top."""
    m.box((x - 0.25, h, -0.13), (x + 0.25, h + 0.02, 0.2), "ceramic", skip="d")
    m.flat(x - 0.22, -0.1, x + 0.22, 0.17, h + 0.021, "basin")
    m.tube([(x, h, -0.17), (x, h + 0.16, -0.17), (x, h + 0.17, -0.06)], 0.013, "metal2", 5)


def towel_rail(stream: Stream) -> Made:
    """Hangs on the wall; the origin is the middle of its lower edge, its back at -z."""
    m = Model()
    m.tube([(-0.3, 0.62, 0.005), (0.3, 0.62, 0.005)], 0.012, "metal2", 8)
    for x in (-0.29, 0.29):
        m.box((x - 0.01, 0.6, -0.04), (x + 0.01, 0.64, 0.017), "metal2")
    cloth, behind = stream.choice(("fabric2", "fabric3", "sheet", "towel")), stream.choice((0.4, 0.5, 0.3))
    m.grids += over_bar(0.2, (stream.choice((-0.06, 0.0, 0.05)), 0.62, 0.005), 0.018, (0.62, behind), cloth, 3)
    return Made("towel", m, (0.6, 0.66, 0.08))


def towel_shelf(stream: Stream) -> Made:
    """Boards with folded towels and a basket."""
    w, d, h, skin = 0.6, 0.32, 1.5, stream.choice(("wood", "metal2", "white"))
    m = Model()
    legs(m, w, d, h, skin, 0.025, 0.0)
    for k in range(4):
        y = 0.12 + k * 0.45
        m.box((-w / 2, y, -d / 2), (w / 2, y + 0.025, d / 2), skin if skin != "metal2" else "wood")
        if k == 0:
            m.box((-w / 2 + 0.06, y + 0.025, -d / 2 + 0.03), (w / 2 - 0.06, y + 0.25, d / 2 - 0.03), "basket", skip="d")
            continue
        for n in range(stream.between(1, 3) if k < 3 else 0):
            low, cloth = y + 0.025 + n * 0.07, stream.choice(("sheet", "fabric2", "fabric3", "sheet"))
            m.box((-w / 2 + 0.06, low, -d / 2 + 0.04), (0.04, low + 0.065, d / 2 - 0.03), cloth, skip="d")
    return Made("shelf", m, (w, h, d), design="towel_shelf")


def washing_machine(stream: Stream) -> Made:
    """A front loader, white or grey."""
    w, d, h = 0.6, 0.6, 0.86
    skin = stream.choice(("white", "white", "metal", "dark"))
    m = Model()
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.03, d / 2 - 0.06), "dark", skip="u")
    m.cushion((-w / 2, 0.02, -d / 2), (w / 2, h, d / 2 - 0.02), skin, 0.015)
    panel = "metal" if skin == "white" else "lacquer"
    m.box((-w / 2 + 0.02, h - 0.14, d / 2 - 0.025), (w / 2 - 0.02, h - 0.02, d / 2 - 0.01), panel, skip="b")
    m.box((-w / 2 + 0.22, h - 0.11, d / 2 - 0.011), (-w / 2 + 0.27, h - 0.06, d / 2 + 0.01), "metal", skip="b")
    ring = Model()
    profile = [(0.21, 0.0), (0.21, 0.03), (0.16, 0.045), (0.15, 0.015), (0.0, 0.01)]
    ring.lathe(profile, "lacquer" if skin != "dark" else "metal", least=14)
    upright(m, ring.grids[0], 0.42, d / 2 - 0.025)
    return Made("washing_machine", m, (w, h, d + 0.03), design=f"{skin}_loader")


def upright(m: Model, grid: Grid, y: float, z: float) -> None:
    """A lathe turned so that its axis points to the front."""
    inner = grid.evaluate

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, uvs = inner(nu, nv)
        return np.stack([points[..., 0], y - points[..., 2], z + points[..., 1]], axis=-1), uvs

    m.grids.append(replace(grid, evaluate=evaluate))
