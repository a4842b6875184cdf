"""Drawing small things with few triangles: prisms of quads, thin curved sheets, and the two sheets of colours.

A maker is called with a Shape, which hands out one decision after another from the variant's number: the product of
all its options is how many variants the maker has. Colours come from the home's stream and make no new variant.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from nav_eval_worlds.exact import Floats, Stream, cos_turns, sin_turns
from nav_eval_worlds.furniture.made import Made
from nav_eval_worlds.surfaces.parametric import ROUND, Evaluate, Grid, Model, Quad, fair_sides, lattice, pillow
from nav_eval_worlds.surfaces.prints import field_of

T = TypeVar("T")
Point = tuple[float, float, float]
BRIGHTS = ("red", "orange", "yellow", "green", "teal", "blue", "navy", "pink", "purple", "mint", "rust")
CALM = ("white", "cream", "grey", "slate", "sky", "clay", "tan", "olive")


_ARC = ((0.0, -1.0), (0.58, -0.81), (0.95, -0.31), (0.95, 0.31), (0.58, 0.81), (0.0, 1.0))
"""Half a circle from foot to top."""


@dataclass(slots=True)
class Shape:
    """A variant's number, spelt out digit by digit; `count` is the product of the options asked for."""

    number: int
    count: int = 1

    def of(self, *options: T) -> T:
        digit = self.number // self.count % len(options)
        self.count *= len(options)
        return options[digit]


def tint(stream: Stream, names: Sequence[str] = BRIGHTS) -> str:
    """A colour of the home's choice as a material."""
    return f"tint_{stream.choice(names)}"


class Sketch(Model):
    """A model with the strokes that small things are made of."""

    def block(
        self, middle: tuple[float, float], size: Point, y: float, material: str, skip: str = "d", top: str = "",
        front: str = "",
    ) -> None:  # fmt: skip
        """A box by the (x, z) of its middle, its (w, h, d) and its foot; `top` and `front`: other materials there."""
        (x, z), (w, h, d) = middle, size
        low, high = (x - w / 2, y, z - d / 2), (x + w / 2, y + h, z + d / 2)
        self.box(low, high, material, skip=skip + ("u" if top else ""), front=front)
        if top:
            self.flat(low[0], low[2], high[0], high[2], high[1], top)

    def drum(
        self, rings: Sequence[tuple[float, float]], material: str, at: tuple[float, float] = (0.0, 0.0),
        sides: int = 6, top: str = "", squash: float = 1.0,
    ) -> None:  # fmt: skip
        """A prism through (radius, y) rings from foot to rim, closed above by `top` (default: the same material).

        One of 6 sides or more is round, as finely as there are triangles for it.
        """
        if sides >= 6:
            self.grids.append(_turn(rings, material, at, squash))
            if rings[-1][0] > 0:
                self.grids.append(_turn((rings[-1], (0.0, rings[-1][1])), top or material, at, squash))
            return
        turn = (np.arange(sides) + 0.5) / sides
        c, s = cos_turns(turn), -sin_turns(turn) * squash
        loops = [np.stack([at[0] + r * c, np.full(sides, y), at[1] + r * s], axis=1) for r, y in rings]
        for below, above in itertools.pairwise(loops):
            for k in range(sides):
                n = (k + 1) % sides
                self.quad([below[k], below[n], above[n], above[k]], material)
        if rings[-1][0] > 0:
            _fan(self, loops[-1], top or material)

    def upright(self, radius: float, y: float, z: float, material: str, sides: int = 24) -> None:
        """A disc that faces the front."""
        self.grids.append(_disc(_facing(radius, y, z), radius, material, sides))

    def dial(self, radius: float, y: float, deep: float, frame: str, picture: str) -> None:
        """A round body on the wall, `deep` before its back at z = 0: a rim of `frame`, a picture sunk into it."""
        hollow = radius * 0.88
        rings = [(radius, 0.0), (radius, deep * 0.8), (radius * 0.95, deep), (hollow, deep), (hollow, deep * 0.7)]
        part = Model()
        part.lathe(rings, frame, least=28)
        inner, shown = part.grids[0].evaluate, _facing(hollow, y, deep * 0.7)
        sheet, (u0, v0, u1, v1) = field_of(picture) or ("prints", (0.0, 0.0, 1.0, 1.0))

        def turned(nu: int, nv: int) -> tuple[Floats, Floats]:
            points, uvs = inner(nu, nv)
            return np.stack([points[..., 0], y - points[..., 2], points[..., 1]], axis=-1), uvs

        def pictured(nu: int, nv: int) -> tuple[Floats, Floats]:
            points, _ = shown(nu, nv)
            u, v = 0.5 + points[..., 0] / (2 * hollow), 0.5 - (points[..., 1] - y) / (2 * hollow)
            return points, np.stack([u0 + (u1 - u0) * u, v0 + (v1 - v0) * v], axis=-1)

        self.grids += [replace(part.grids[0], evaluate=turned), _disc(pictured, hollow, sheet, 28)]

    def bar(self, a: Point, b: Point, thick: float, material: str) -> None:
        """A square bar from a to b, its ends open."""
        start, end = np.asarray(a), np.asarray(b)
        along = np.abs(end - start)
        axis = int(along.argmax())
        p, q = [(1, 2), (2, 0), (0, 1)][axis]
        if end[axis] < start[axis]:
            start, end = end, start
        offsets = []
        for i, k in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            off = np.zeros(3)
            off[p], off[q] = i * thick / 2, k * thick / 2
            offsets.append(off)
        for k in range(4):
            one, two = offsets[k], offsets[(k + 1) % 4]
            self.quad([start + one, start + two, end + two, end + one], material)

    def ball(self, middle: Point, r: float, material: str, tall: float = 1.0, least: int = 11) -> None:
        """A ball, or an egg `tall` times as high as wide."""
        x, y, z = middle
        self.lathe([(r * out, y + r * tall * up) for out, up in _ARC], material, (x, z), least)

    def pillow(self, middle: Point, size: Point, material: str, turn: float = 0.0) -> None:
        """A stuffed square of (w, d, thickness), lying, turned about the vertical."""
        c, s = float(cos_turns(np.asarray(turn))), float(sin_turns(np.asarray(turn)))
        self.grids += pillow(middle, size, material, lambda x, up, out: (x * c - up * s, out, -up * c - x * s), 0.22)

    def spun(self, other: Model, turns: float, shift: Point = (0.0, 0.0, 0.0)) -> None:
        """The quads of another model, turned about the vertical by any angle and shifted."""
        c, s = float(cos_turns(np.asarray(turns))), float(sin_turns(np.asarray(turns)))
        for quad in other.quads:
            x, y, z = quad.corners[:, 0], quad.corners[:, 1], quad.corners[:, 2]
            corners = np.stack([x * c + z * s + shift[0], y + shift[1], z * c - x * s + shift[2]], axis=1)
            self.quads.append(replace(quad, corners=corners))

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Sketch:
        out = Sketch()
        out.add(self, (x, y, z))
        return out

    def set_down(self) -> Sketch:
        """Moved so that its lowest point is at 0."""
        return self.moved(y=-float(extent(self)[0][1]))

    def grounded(self) -> Sketch:
        """Nothing below the foot: what a slanting bar puts there is cut off."""
        for quad in self.quads:
            quad.corners[:, 1] = quad.corners[:, 1].clip(0.0)
        return self


def _fan(m: Model, rim: Floats, material: str) -> None:
    """A flat polygon of an even number of corners, from quads."""
    for k in range(1, len(rim) - 2, 2):
        m.quad([rim[0], rim[k], rim[k + 1], rim[k + 2]], material)


def _disc(evaluate: Evaluate, radius: float, material: str, sides: int) -> Grid:
    return Grid(evaluate, (radius * 6.28, radius), (sides, 1), material, (8, 1), fair=(12, 1))


def _facing(radius: float, y: float, z: float) -> Evaluate:
    """A disc in the plane of z, from its rim to its middle."""

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        turn, share = lattice(nu, nv)
        r = radius * (1 - share)
        points = np.stack([r * cos_turns(turn), y + r * sin_turns(turn), np.full(r.shape, z)], axis=-1)
        return points, np.stack([turn, share], axis=-1)

    return evaluate


def _turn(rings: Sequence[tuple[float, float]], material: str, at: tuple[float, float], squash: float) -> Grid:
    """A surface of revolution through (radius, y) rings, its edges between them sharp in shape."""
    profile = np.asarray(rings)
    rows = len(rings) - 1

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        per = max(1, nv // rows)
        share = (np.arange(per) / per)[None, :, None]
        between = profile[:-1, None] + (profile[1:, None] - profile[:-1, None]) * share
        ring = np.concatenate([between.reshape(-1, 2), profile[-1:]])
        turn = np.arange(nu + 1) / nu
        x, z = at[0] + ring[:, :1] * cos_turns(turn)[None], at[1] - ring[:, :1] * sin_turns(turn)[None] * squash
        points = np.stack([x, np.broadcast_to(ring[:, 1:], x.shape), z], axis=-1)
        return points, np.stack([np.broadcast_to(turn, x.shape), -points[..., 1]], axis=-1)

    tall = float(np.abs(profile[1:] - profile[:-1]).sum())
    widest = float(profile[:, 0].max())
    sides, fair = ROUND if widest < 0.12 else 22, fair_sides(widest)
    return Grid(evaluate, (widest * 6.28, tall), (sides, rows), material, (6, rows), fair=(fair, rows))


def finished(category: str, m: Model) -> Made:
    """The thing with its colours found on the sheets, its size measured."""
    own = Model([_dyed_quad(quad) for quad in m.quads], [_dyed_grid(grid) for grid in m.grids])
    low, high = extent(own)
    size = (2 * max(-float(low[0]), float(high[0])), float(high[1]), 2 * max(-float(low[2]), float(high[2])))
    return Made(category, own, size)


def extent(m: Model) -> tuple[Floats, Floats]:
    """The least and the greatest corner (3,) of a model's box, metres, in its own frame."""
    parts = [quad.corners for quad in m.quads] + [grid.evaluate(*grid.least)[0].reshape(-1, 3) for grid in m.grids]
    points = np.concatenate(parts)
    return points.min(axis=0), points.max(axis=0)


def _dyed_quad(quad: Quad) -> Quad:
    found = field_of(quad.material)
    if found is None:
        return quad
    sheet, (u0, v0, u1, v1) = found
    return replace(quad, material=sheet, uvs=np.asarray([(u0, v1), (u1, v1), (u1, v0), (u0, v0)]))


def _dyed_grid(grid: Grid) -> Grid:
    found = field_of(grid.material)
    if found is None:
        return grid
    return replace(grid, material=found[0], evaluate=_on_sheet(grid.evaluate, found[1]))


def _on_sheet(inner: Evaluate, field: tuple[float, float, float, float]) -> Evaluate:
    u0, v0, u1, v1 = field

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, _ = inner(nu, nv)
        u, v = lattice(points.shape[1] - 1, points.shape[0] - 1)
        return points, np.stack([u0 + (u1 - u0) * u, v1 + (v0 - v1) * v], axis=-1)

    return evaluate
