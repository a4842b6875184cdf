"""What a furniture builder returns, the choice among designs of a family, and parts that many designs share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nav_eval_worlds.exact import Floats, Stream, cos_turns, cross, length, sin_turns
from nav_eval_worlds.surfaces.parametric import Grid, Model
from nav_eval_worlds.surfaces.styles import Style

Point = tuple[float, float, float]
_LIKED = 80


@dataclass(frozen=True, slots=True)
class Made:
    """One object. `size` = (width, height, depth) in metres of its box; the origin is the middle of its underside.

    `on` lists what stands on it: (object, x, y, z) of its origin in this one's frame. `variant` names its shape where
    shapes are dealt to splits, `design` what is chosen by style; both are stable. `notch`: of an L-shaped one, (x, z)
    of its free floor, the middle of its rear edge.
    """

    category: str
    model: Model
    size: tuple[float, float, float]
    on: tuple[tuple[Made, float, float, float], ...] = field(default=())
    variant: str = ""
    design: str = ""
    notch: tuple[float, float] | None = None


class Family(dict[str, Callable[..., Made]]):
    """Designs by their names; called, it makes one, mostly one that the style likes."""

    def __init__(self, *builders: Callable[..., Made]) -> None:
        super().__init__({builder.__name__: builder for builder in builders})

    def __call__(self, stream: Stream, style: Style, *arguments: Any) -> Made:
        liked = [name for name in self if name in style.likes]
        name = stream.choice(liked if liked and stream.chance(_LIKED) else list(self))
        return replace(self[name](stream, *arguments), design=name)


def askew(made: Made, turn: float) -> Made:
    """The object turned about the vertical by a few hundredths of a turn; its box grows as it must."""
    c, s = float(cos_turns(np.asarray(turn))), float(sin_turns(np.asarray(turn)))

    def turned(points: Floats) -> Floats:
        x, y, z = points[..., 0], points[..., 1], points[..., 2]
        return np.stack([x * c + z * s, y, z * c - x * s], axis=-1)

    def grid(old: Grid) -> Grid:
        def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
            points, uvs = old.evaluate(nu, nv)
            return turned(points), uvs

        return replace(old, evaluate=evaluate)

    quads = [replace(quad, corners=turned(quad.corners)) for quad in made.model.quads]
    (w, h, d), t = made.size, abs(s)
    size = (w * c + d * t, h, d * c + w * t)
    return replace(made, model=Model(quads, [grid(old) for old in made.model.grids]), size=size)


def four_corners(x: float, z: float) -> tuple[tuple[float, float], ...]:
    """The four corners of a rectangle about the origin, of which one is (x, z)."""
    return (-x, -z), (-x, z), (x, -z), (x, z)


def both_sides(outer: float, inner: float) -> tuple[tuple[float, float], ...]:
    """From where to where along x what stands at both ends of a thing reaches."""
    return (-outer, -inner), (inner, outer)


def slope(
    model: Model,
    x0: float,
    x1: float,
    low: tuple[float, float],
    high: tuple[float, float],
    material: str,
    uvs: object = None,
) -> None:
    """A rectangle between two level edges at (y, z) that faces the front; from x1 to x0 it faces the back."""
    model.quad([(x0, *low), (x1, *low), (x1, *high), (x0, *high)], material, uvs)


def legs(
    model: Model, w: float, d: float, height: float, material: str, thick: float = 0.05, inset: float = 0.03
) -> None:
    """Four square legs under a w x d top."""
    h = thick / 2
    for x, z in four_corners(w / 2 - inset - h, d / 2 - inset - h):
        model.box((x - h, 0, z - h), (x + h, height, z + h), material, skip="ud")


def pegs(model: Model, w: float, d: float, height: float, material: str, splay: float = 0.03) -> None:
    """Four thin legs that stand outwards, within w x d."""
    out, back = w / 2 - 0.02, d / 2 - 0.02
    for (x, z), (x1, z1) in zip(four_corners(out, back), four_corners(out - splay, back - splay), strict=True):
        beam(model, (x, 0.0, z), (x1, height, z1), 0.034, material, foot=0.6)


def beam(model: Model, a: Point, b: Point, thick: float, material: str, foot: float = 1.0) -> None:
    """A straight square bar from a to b; at a its thickness is times `foot`.

    Its ends are open; those of a steep one are level, so that a leg stands flat.
    """
    start, end = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    forward = (end - start) / float(length(end - start))
    if abs(float(forward[1])) > 0.6:
        right, up = np.asarray((1.0, 0.0, 0.0)), np.asarray((0.0, 0.0, -1.0 if forward[1] > 0 else 1.0))
    else:
        right = cross(np.asarray((0.0, 1.0, 0.0)), forward)
        right = right / float(length(right))
        up = cross(forward, right)
    ring = [(right * i + up * k) * (thick / 2) for i, k in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
    for k in range(4):
        p, q = ring[k], ring[(k + 1) % 4]
        model.quad([start + p * foot, start + q * foot, end + q, end + p], material)


def ellipse(model: Model, w: float, d: float, y0: float, y1: float, material: str, least: int = 14) -> None:
    """A round or oval plate between two heights."""
    part = Model()
    part.lathe([(0.0, y0), (w / 2, y0), (w / 2, y1), (0.0, y1)], material, least=least)
    inner = part.grids[0].evaluate
    share = d / w

    def evaluate(nu: int, nv: int) -> Any:
        points, uvs = inner(nu, nv)
        points = points.copy()
        points[..., 2] = points[..., 2] * share
        flat = np.stack([points[..., 0], points[..., 2]], axis=-1)
        return points, np.where((points[..., 1] >= y1 - 1e-9)[..., None], flat, uvs)

    model.grids.append(replace(part.grids[0], evaluate=evaluate))


def fronts(
    model: Model,
    low: tuple[float, float],
    high: tuple[float, float],
    z: float,
    rows: int,
    columns: int,
    material: str,
    handle: str,
    kind: str = "bar",
) -> None:
    """A field of doors or drawers with gaps on the plane z, between (x, y) corners.

    `kind`: "bar" handles, "knob", "plain" (none), "frame" (a raised border and knobs) or "slot" (a dark grip above).
    """
    gap, thick = 0.006, 0.018
    model.card(*low, *high, z + 0.0015, "dark")
    w, h = (high[0] - low[0]) / columns, (high[1] - low[1]) / rows
    for i in range(columns):
        for k in range(rows):
            x0, y0 = low[0] + i * w + gap / 2, low[1] + k * h + gap / 2
            x1, y1 = x0 + w - gap, y0 + h - gap
            model.box((x0, y0, z), (x1, y1, z + thick), material, skip="bd")
            if kind == "frame" and min(x1 - x0, y1 - y0) > 0.16:
                _border(model, x0, y0, x1, y1, z + thick, material)
            _grip(model, (x0, y0, x1, y1), z + thick, handle, kind, h > w * 1.2, i % 2 == 0)


def _border(model: Model, x0: float, y0: float, x1: float, y1: float, z: float, material: str) -> None:
    t, out = 0.055, 0.008
    for a, b in (((x0, y0), (x1, y0 + t)), ((x0, y1 - t), (x1, y1))):
        model.box((a[0], a[1], z), (b[0], b[1], z + out), material, skip="blr")
    for a, b in (((x0, y0 + t), (x0 + t, y1 - t)), ((x1 - t, y0 + t), (x1, y1 - t))):
        model.box((a[0], a[1], z), (b[0], b[1], z + out), material, skip="bud")


def _grip(
    model: Model, at: tuple[float, float, float, float], z: float, handle: str, kind: str, tall: bool, left: bool
) -> None:
    x0, y0, x1, y1 = at
    hx, cx = (x1 - 0.04 if left else x0 + 0.04), (x0 + x1) / 2
    cy = y1 - min(0.06, (y1 - y0) * 0.4)
    if kind == "slot":
        model.box((x0, y1 - 0.022, z), (x1, y1, z + 0.001), "dark", skip="blrud")
    elif kind in ("knob", "frame"):
        x, y = (hx, y0 + (y1 - y0) * 0.5) if tall else (cx, (y0 + y1) / 2)
        model.box((x - 0.014, y - 0.014, z), (x + 0.014, y + 0.014, z + 0.025), handle, skip="bd")
    elif kind == "bar" and tall:
        model.box((hx - 0.008, y0 + (y1 - y0) * 0.42, z), (hx + 0.008, y0 + (y1 - y0) * 0.58, z + 0.025), handle, "bd")
    elif kind == "bar":
        model.box((cx - 0.07, cy - 0.008, z), (cx + 0.07, cy + 0.008, z + 0.025), handle, skip="bd")
