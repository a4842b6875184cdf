"""Bathroom fittings and the washing machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nav_eval.worlds.exact import Floats, Stream
from nav_eval.worlds.furniture.made import Made, fronts
from nav_eval.worlds.surfaces import Grid, Model, Profile


def _oval(m: Model, profile: Profile, z: float, stretch: float, material: str, least: int = 12) -> None:
    """A lathe stretched along z."""
    part = Model()
    part.lathe(profile, material, least=least)
    grid = part.grids[0]
    inner = grid.evaluate

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, uvs = inner(nu, nv)
        points = points.copy()
        points[..., 2] = points[..., 2] * stretch + z
        return points, uvs

    m.grids.append(replace(grid, evaluate=evaluate))


def toilet(stream: Stream) -> Made:
    m = Model()
    _oval(m, [(0.0, 0.0), (0.13, 0.0), (0.12, 0.12), (0.17, 0.3), (0.19, 0.38), (0.19, 0.4)], 0.06, 1.28, "ceramic")
    _oval(m, [(0.19, 0.4), (0.195, 0.42), (0.18, 0.435), (0.12, 0.43), (0.1, 0.34), (0.0, 0.28)], 0.06, 1.28, "ceramic")
    m.cushion((-0.2, 0.36, -0.35), (0.2, 0.78, -0.17), "ceramic", 0.03)
    m.cushion((-0.21, 0.77, -0.35), (0.21, 0.81, -0.16), "ceramic", 0.015)
    m.box((-0.12, 0, -0.35), (0.12, 0.37, -0.12), "ceramic", skip="ud")
    m.cushion((-0.18, 0.43, -0.18), (0.18, 0.8, -0.14), "ceramic", 0.015)
    m.lathe([(0.025, 0.81), (0.025, 0.82), (0.0, 0.82)], "metal", (0.0, -0.26), 6)
    return Made("toilet", m, (0.42, 0.82, 0.7))


def bathtub(stream: Stream) -> Made:
    w, d, h, rim = 1.7, 0.75, 0.56, 0.07
    m = Model()
    m.box((-w / 2, 0, -d / 2), (w / 2, h, d / 2), "ceramic", skip="ud")
    x1, z1 = w / 2 - rim, d / 2 - rim
    m.quad([(-w / 2, h, d / 2), (w / 2, h, d / 2), (x1, h, z1), (-x1, h, z1)], "ceramic")
    m.quad([(w / 2, h, -d / 2), (-w / 2, h, -d / 2), (-x1, h, -z1), (x1, h, -z1)], "ceramic")
    m.quad([(-w / 2, h, -d / 2), (-w / 2, h, d / 2), (-x1, h, z1), (-x1, h, -z1)], "ceramic")
    m.quad([(w / 2, h, d / 2), (w / 2, h, -d / 2), (x1, h, -z1), (x1, h, z1)], "ceramic")
    bx, bz, by = x1 - 0.12, z1 - 0.08, 0.14
    m.quad([(-x1, h, z1), (x1, h, z1), (bx, by, bz), (-bx, by, bz)], "basin")
    m.quad([(x1, h, -z1), (-x1, h, -z1), (-bx, by, -bz), (bx, by, -bz)], "basin")
    m.quad([(-x1, h, -z1), (-x1, h, z1), (-bx, by, bz), (-bx, by, -bz)], "basin")
    m.quad([(x1, h, z1), (x1, h, -z1), (bx, by, -bz), (bx, by, bz)], "basin")
    m.quad([(-bx, by, bz), (bx, by, bz), (bx, by, -bz), (-bx, by, -bz)], "basin")
    m.tube([(-w / 2 + 0.04, h, 0.0), (-w / 2 + 0.04, h + 0.14, 0.0), (-w / 2 + 0.16, h + 0.14, 0.0)], 0.018, "metal", 6)
    return Made("bathtub", m, (w, h + 0.16, d))


def shower(stream: Stream) -> Made:
    """A corner shower: tray, two frames of glass bars and a head."""
    w = 0.9
    m = Model()
    m.box((-w / 2, 0, -w / 2), (w / 2, 0.08, w / 2), "ceramic", skip="d")
    m.quad(
        [
            (-w / 2, 0.08, -w / 2 + 0.004),
            (w / 2, 0.08, -w / 2 + 0.004),
            (w / 2, 2.0, -w / 2 + 0.004),
            (-w / 2, 2.0, -w / 2 + 0.004),
        ],
        "wall_tile2",
    )
    m.box((-w / 2, 0.08, -w / 2), (-w / 2 + 0.02, 1.95, w / 2), "glass", skip="d")
    m.box((-w / 2 + 0.02, 0.08, w / 2 - 0.02), (-w / 2 + 0.3, 1.95, w / 2), "glass", skip="d")
    for x, z in ((-w / 2 + 0.015, w / 2 - 0.015), (w / 2 - 0.015, w / 2 - 0.015)):
        m.box((x - 0.015, 0.08, z - 0.015), (x + 0.015, 1.98, z + 0.015), "metal", skip="d")
    m.box((-w / 2, 1.95, w / 2 - 0.03), (w / 2, 1.98, w / 2), "metal")
    m.tube([(0.1, 1.0, -w / 2 + 0.04), (0.1, 2.02, -w / 2 + 0.04), (0.1, 2.05, -w / 2 + 0.25)], 0.012, "metal", 5)
    m.lathe([(0.1, 2.0), (0.1, 2.02), (0.0, 2.05)], "metal", (0.1, -w / 2 + 0.27), 10)
    return Made("shower", m, (w, 2.06, w))


def vanity(stream: Stream, basins: int = 1) -> Made:
    """A washstand with basin, tap and mirror."""
    w, d, h = 0.85 * basins, 0.48, 0.84
    wood = stream.choice(("wood", "white", "wood2"))
    m = Model()
    m.box((-w / 2 + 0.03, 0, -d / 2), (w / 2 - 0.03, 0.08, d / 2 - 0.06), "dark", skip="ud")
    m.box((-w / 2, 0.08, -d / 2), (w / 2, h - 0.04, d / 2 - 0.02), wood, skip="u")
    fronts(m, (-w / 2, 0.09), (w / 2, h - 0.05), d / 2 - 0.02, 1, 2 * basins, wood, "metal")
    m.box((-w / 2, h - 0.04, -d / 2), (w / 2, h, d / 2), "counter")
    for k in range(basins):
        x = (k - (basins - 1) / 2) * 0.85
        _bowl(m, x, h)
    m.box((-w / 2 + 0.06, 1.15, -d / 2), (w / 2 - 0.06, 1.95, -d / 2 + 0.03), "metal", skip="b")
    x1 = w / 2 - 0.08
    m.quad(
        [
            (-x1, 1.17, -d / 2 + 0.031),
            (x1, 1.17, -d / 2 + 0.031),
            (x1, 1.93, -d / 2 + 0.031),
            (-x1, 1.93, -d / 2 + 0.031),
        ],
        "mirror",
        [(0, 1), (1, 1), (1, 0), (0, 0)],
    )
    m.box((-0.25, 2.0, -d / 2), (0.25, 2.06, -d / 2 + 0.1), "glow", skip="b")
    return Made("sink", m, (w, 2.06, d + 0.05))


def _bowl(m: Model, x: float, h: float) -> None:
    m.lathe([(0.14, h), (0.19, h + 0.1), (0.175, h + 0.1), (0.1, h + 0.02), (0.0, h + 0.01)], "ceramic", (x, 0.03), 12)
    m.tube([(x, h, -0.18), (x, h + 0.2, -0.18), (x, h + 0.22, -0.1), (x, h + 0.18, -0.07)], 0.012, "metal", 5)


def towel_rail(stream: Stream) -> Made:
    """Hangs on the wall; the origin is the middle of its lower edge, its back at -z."""
    m = Model()
    m.tube([(-0.3, 0.62, 0.02), (0.3, 0.62, 0.02)], 0.012, "metal", 5)
    for x in (-0.29, 0.29):
        m.box((x - 0.01, 0.6, -0.04), (x + 0.01, 0.64, 0.02), "metal")
    m.cushion((-0.24, 0.0, -0.01), (0.2, 0.66, 0.04), stream.choice(("fabric2", "fabric3", "sheet")), 0.02, skip="")
    return Made("towel", m, (0.6, 0.66, 0.08))


def washing_machine(stream: Stream) -> Made:
    w, d, h = 0.6, 0.6, 0.86
    m = Model()
    m.box((-w / 2 + 0.03, 0, -d / 2 + 0.03), (w / 2 - 0.03, 0.03, d / 2 - 0.06), "dark", skip="u")
    m.cushion((-w / 2, 0.02, -d / 2), (w / 2, h, d / 2 - 0.02), "white", 0.015)
    m.box((-w / 2 + 0.02, h - 0.14, d / 2 - 0.025), (w / 2 - 0.02, h - 0.02, d / 2 - 0.01), "metal", skip="b")
    ring = Model()
    ring.lathe([(0.21, 0.0), (0.21, 0.03), (0.16, 0.045), (0.15, 0.015), (0.0, 0.01)], "metal", least=14)
    grid = ring.grids[0]
    _upright(m, grid, 0.42, d / 2 - 0.025)
    return Made("washing_machine", m, (w, h, d + 0.03))


def _upright(m: Model, grid: Grid, y: float, z: float) -> None:
    """A lathe turned so that its axis points to the front."""
    inner = grid.evaluate

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, uvs = inner(nu, nv)
        return np.stack([points[..., 0], y - points[..., 2], z + points[..., 1]], axis=-1), uvs

    m.grids.append(replace(grid, evaluate=evaluate))
