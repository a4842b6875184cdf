"""Pictures, rugs, and what else makes a room look lived in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nav_eval_worlds.exact import Floats, Stream, sin_turns
from nav_eval_worlds.furniture.made import Made, four_corners
from nav_eval_worlds.surfaces.parametric import WHOLE, Grid, Model, lattice

_FOLDS = 4
"""Of a curtain."""
_FRAMES = ("wood", "wood2", "dark", "white", "metal2", "metal", "")


@dataclass(frozen=True, slots=True)
class _Look:
    """Of frames: their material (none: bare canvas), how wide they are, and whether paper is between."""

    frame: str
    edge: float
    mount: bool


def picture(stream: Stream, w: float = 0.0) -> Made:
    """Framed, in a mount or on bare canvas; wide ones may be three in a row. The origin: the middle of the lower edge.

    `w`: the width in metres, else from A4 to a metre, lying or standing.
    """
    look = _Look(stream.choice(_FRAMES), stream.choice((0.014, 0.022, 0.034, 0.05)), stream.chance(45))
    m = Model()
    if w >= 0.9 and stream.chance(45):
        own = w * 0.31
        for k in (-1, 0, 1):
            _frame_artwork(m, k * (w - own) / 2, own, own * 1.36, look)
        return Made("picture", m, (w, own * 1.36, 0.03))
    upright = not w and stream.chance(45)
    w = w or stream.choice((0.3, 0.45, 0.55, 0.65, 0.78) if upright else (0.3, 0.5, 0.6, 0.75, 0.9, 1.1))
    h = w * (stream.choice((125, 134, 142)) if upright else stream.choice((62, 70, 75, 80))) / 100
    _frame_artwork(m, 0.0, w, h, look)
    return Made("picture", m, (w, h, 0.03))


def _frame_artwork(m: Model, x: float, w: float, h: float, look: _Look) -> None:
    """One artwork about x."""
    f = min(look.edge, w * 0.07) if look.frame else 0.0
    x0, x1, z = x - w / 2, x + w / 2, 0.003
    if look.frame:
        for y0, y1, hidden in ((0.0, f, "bd"), (h - f, h, "b")):
            m.box((x0, y0, -0.015), (x1, y1, 0.015), look.frame, skip=hidden)
        for a, b in ((x0, x0 + f), (x1 - f, x1)):
            m.box((a, f, -0.015), (b, h - f, 0.015), look.frame, skip="bud")
    else:
        z = 0.015
        m.box((x0, 0.0, -0.015), (x1, h, z), "white", skip="bf")
    if look.frame and look.mount:
        m.card(x0 + f, f, x1 - f, h - f, z, "white")
        f, z = f + min(w, h) * 0.13, z + 0.002
    m.card(x0 + f, f, x1 - f, h - f, z, "art0", WHOLE)


def rug(stream: Stream, w: float, d: float, number: int = -1) -> Made:
    m = Model()
    name = f"rug{stream.below(3) if number < 0 else number}"
    m.flat(-w / 2, -d / 2, w / 2, d / 2, 0.012, name, WHOLE)
    m.box((-w / 2, 0, -d / 2), (w / 2, 0.012, d / 2), "basket", skip="ud")
    return Made("rug", m, (w, 0.012, d), design="square_rug")


def round_rug(stream: Stream, w: float) -> Made:
    """Its texture is cut out of the middle of a square one's."""
    part = Model()
    part.lathe([(0.0, 0.012), (w / 2, 0.012)], f"rug{stream.below(3)}", least=20)
    inner = part.grids[0].evaluate

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, _ = inner(nu, nv)
        return points[::-1], np.stack([0.5 + points[..., 0] / (w * 1.5), 0.5 + points[..., 2] / w], axis=-1)[::-1]

    m = Model(grids=[replace(part.grids[0], evaluate=evaluate)])
    m.lathe([(w / 2, 0.0), (w / 2, 0.012)], "basket", least=20)
    return Made("rug", m, (w, 0.012, w), design="round_rug")


def curtain(w: float, h: float, reach: float) -> Made:
    """A gathered curtain on its half of a rail, which goes `reach` to its inner side (the sign says which).

    The origin is at the middle of its lower edge.
    """
    m = Model()
    folded = max(_FOLDS, round(_FOLDS * w / 0.5))

    def side(sign: float) -> Grid:
        def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
            u, v = lattice(nu, nv)
            x = (u - 0.5) * w * sign
            at = (x / w + 0.5) * folded
            deep = 0.027 + 0.01 * sin_turns(at * 0.31 + 0.2)
            sway = sin_turns(x * 1.9 + v * 0.4) * 0.01 * (1 - v)
            out = sin_turns(at + 0.06 * sin_turns(v * 0.7 + at * 0.4)) * deep * (1.0 - 0.35 * v * v) + sway
            spread = 1.05 - 0.13 * v + 0.05 * v * v
            return np.stack([x * spread, v * h, out], axis=-1), np.stack([at / 4, -v * h * 0.8], axis=-1)

        return Grid(evaluate, (w * 1.6, h), (6 * folded, 3), "curtain", (4 * folded, 1))

    m.grids += [side(1.0), side(-1.0)]
    outer = -(w / 2 + 0.05) if reach > 0 else w / 2 + 0.05
    m.tube([(outer, h + 0.012, 0.0), (reach, h + 0.012, 0.0)], 0.012, "metal2", 5)
    return Made("curtain", m, (w, h, 0.09))


def boxes(stream: Stream) -> Made:
    """Two or three cardboard boxes on top of each other."""
    m = Model()
    y = 0.0
    for _ in range(stream.between(2, 3)):
        w, h, d = stream.between(38, 50) / 100, stream.between(26, 36) / 100, stream.between(34, 44) / 100
        m.box((-w / 2, y, -d / 2), (w / 2, y + h, d / 2), "cardboard", skip="d")
        m.flat(-0.03, -d / 2, 0.03, d / 2, y + h + 0.001, "basket")
        y += h
    return Made("box", m, (0.5, y, 0.44))


def whiteboard(stream: Stream, w: float = 1.6) -> Made:
    """`w`: its width, metres."""
    h = 1.0
    m = Model()
    m.box((-w / 2, 0, -0.02), (w / 2, h, 0.015), "metal", skip="b")
    x = w / 2 - 0.03
    m.card(-x, 0.03, x, h - 0.03, 0.016, "board", WHOLE)
    m.box((0.3 - w / 2, -0.0, 0.015), (w / 2 - 0.3, 0.02, 0.07), "metal", skip="b")
    return Made("whiteboard", m, (w, h, 0.09))


def coat_rack(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.0, 0.0), (0.2, 0.0), (0.2, 0.02), (0.03, 0.05)], "wood2", least=10)
    m.tube([(0, 0.04, 0), (0, 1.75, 0)], 0.022, "wood2", 6)
    for x, z in ((0.16, 0), (-0.16, 0), (0, 0.16), (0, -0.16)):
        m.tube([(0, 1.6, 0), (x, 1.68, z), (x * 1.2, 1.75, z * 1.2)], 0.01, "wood2", 4)
    m.cushion((0.04, 0.85, -0.14), (0.22, 1.65, 0.14), stream.choice(("fabric1", "fabric3")), 0.07, skip="")
    return Made("clothes", m, (0.46, 1.76, 0.46))


def printer(stream: Stream) -> Made:
    """A standing copier."""
    m = Model()
    m.box((-0.32, 0.04, -0.33), (0.32, 0.72, 0.33), "white")
    m.box((-0.3, 0, -0.3), (0.3, 0.04, 0.3), "dark", skip="u")
    m.box((-0.34, 0.72, -0.33), (0.34, 0.8, 0.3), "dark")
    m.cushion((-0.33, 0.8, -0.33), (0.33, 1.02, 0.24), "white", 0.04)
    for y in (0.12, 0.32, 0.52):
        m.box((-0.28, y, 0.33), (0.28, y + 0.16, 0.345), "metal", skip="b")
    m.box((0.05, 1.02, 0.02), (0.3, 1.05, 0.22), "screen")
    return Made("printer", m, (0.68, 1.05, 0.7))


def drying_rack(stream: Stream) -> Made:
    """A folding rack with washing on it."""
    m = Model()
    for x, z in four_corners(0.42, 0.24):
        m.tube([(x, 0.0, z), (x, 0.92, z * 0.4)], 0.012, "metal", 4)
    for z in (-0.24, -0.12, 0.0, 0.12, 0.24):
        m.tube([(-0.45, 0.95, z), (0.45, 0.95, z)], 0.008, "metal", 4)
    for x, z in ((-0.2, -0.12), (0.15, 0.12), (-0.05, 0.24)):
        cloth = stream.choice(("sheet", "fabric2", "fabric3", "fabric0"))
        m.box((x - 0.17, 0.45, z - 0.012), (x + 0.17, 0.97, z + 0.012), cloth)
    return Made("clothes", m, (0.92, 0.98, 0.54))


def laundry_basket(stream: Stream) -> Made:
    m = Model()
    m.lathe([(0.0, 0.0), (0.18, 0.0), (0.23, 0.5), (0.2, 0.5), (0.19, 0.42)], "basket", least=10)
    m.lathe([(0.2, 0.4), (0.15, 0.5), (0.0, 0.53)], stream.choice(("sheet", "fabric2", "fabric3")), least=8)
    return Made("basket", m, (0.46, 0.53, 0.46))
