"""Parametric surfaces, and how finely they are cut.

A model is a list of flat quads and curved grids in its own frame (metres, y up, front towards +z, the origin in the
middle of its footprint on the floor). Nothing is tessellated until the whole world is known: one edge length,
found by bisection, brings the world to the triangle count that was asked for, and dense vertices carry the light.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from nav_eval_worlds.exact import Floats, cos_turns, cross, length, normalised, sin_turns

Evaluate = Callable[[int, int], tuple[Floats, Floats]]
"""(nu, nv) -> positions (nv+1, nu+1, 3) and uvs (nv+1, nu+1, 2)."""
Profile = list[tuple[float, float]]
Profile3 = list[tuple[float, float, float]]
WHOLE = [(0, 1), (1, 1), (1, 0), (0, 0)]
"""Texture coordinates of a quad that shows a whole picture, upright."""


@dataclass(frozen=True, slots=True)
class Quad:
    """Corners (4, 3) counter-clockwise from the front, in metres, and their texture coordinates (4, 2)."""

    corners: Floats
    uvs: Floats
    material: str
    max_edge: float = 9.0


@dataclass(frozen=True, slots=True)
class Grid:
    """A curved surface. `size` in metres along u and v; `least` cells keep its shape, `rough` cells barely do, `fair`
    cells as far as one sees from two metres (None: the rough ones do).

    `give`: metres by which its top is uneven; what lies on it sinks in by a third of that.
    """

    evaluate: Evaluate
    size: tuple[float, float]
    least: tuple[int, int]
    material: str
    rough: tuple[int, int]
    give: float = 0.0
    fair: tuple[int, int] | None = None


@dataclass(slots=True)
class Model:
    """What a builder function draws into: the parts of one object, in its own frame."""

    quads: list[Quad] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)

    def quad(self, corners: object, material: str, uvs: object = None, max_edge: float = 9.0) -> None:
        """A flat quad; without `uvs` its texture lies on it in metres, grain along the longer side."""
        points = np.asarray(corners, dtype=np.float64)
        if uvs is None:
            (x0, y0, z0), (x1, y1, z1), (x2, y2, z2), _ = points.tolist()
            w = math.sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0) + (z1 - z0) * (z1 - z0))
            h = math.sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1) + (z2 - z1) * (z2 - z1))
            flat = [(0, h), (w, h), (w, 0), (0, 0)] if w >= h else [(0, 0), (0, w), (h, w), (h, 0)]
            shift = x0 * 0.37 + y0 * 0.61 + z0 * 0.83
            uvs = [(u + shift, v + shift * 0.71) for u, v in flat]
        self.quads.append(Quad(points, np.asarray(uvs, dtype=np.float64), material, max_edge))

    def flat(self, x0: float, z0: float, x1: float, z1: float, y: float, material: str, uvs: object = None) -> None:
        """A level rectangle that faces up; from x1 to x0 it faces down."""
        self.quad([(x0, y, z1), (x1, y, z1), (x1, y, z0), (x0, y, z0)], material, uvs)

    def card(self, x0: float, y0: float, x1: float, y1: float, z: float, material: str, uvs: object = None) -> None:
        """An upright rectangle that faces the front; from x1 to x0 it faces the back."""
        self.quad([(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)], material, uvs)

    def box(
        self,
        low: tuple[float, float, float],
        high: tuple[float, float, float],
        material: str,
        skip: str = "",
        front: str = "",
    ) -> None:
        """An axis-aligned box; `skip` names faces to leave out (l r d u b f), `front` another material for f."""
        (x0, y0, z0), (x1, y1, z1) = low, high
        faces = {
            "l": [(x0, y0, z0), (x0, y0, z1), (x0, y1, z1), (x0, y1, z0)],
            "r": [(x1, y0, z1), (x1, y0, z0), (x1, y1, z0), (x1, y1, z1)],
            "d": [(x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y0, z1)],
            "u": [(x0, y1, z1), (x1, y1, z1), (x1, y1, z0), (x0, y1, z0)],
            "b": [(x1, y0, z0), (x0, y0, z0), (x0, y1, z0), (x1, y1, z0)],
            "f": [(x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)],
        }
        for name, corners in faces.items():
            if name not in skip:
                self.quad(corners, front if front and name == "f" else material)

    def drape(self, rows: Profile3, back: float, material: str, folds: int = 3) -> None:
        """Hanging cloth with folds before a wall: (half width, y, z) rows from its hem up; its edges are at `back`."""
        self.grids.append(_draped(np.asarray(rows), back, material, folds))

    def leaning(self, middle: tuple[float, float, float], size: tuple[float, float, float], material: str) -> None:
        """A loose pillow of (width, height, thickness) that leans back a little, its rim thin."""
        self.grids += pillow(
            middle, size, material, lambda x, up, out: (x, up * 0.94 + out * 0.34, out * 0.94 - up * 0.34)
        )

    def cushion(
        self,
        low: tuple[float, float, float],
        high: tuple[float, float, float],
        material: str,
        radius: float,
        skip: str = "d",
        least: int = 0,
    ) -> None:
        """A box with rounded edges and corners: six grids pulled onto a rounded box; a plain box where all is rough."""
        least = least or (3 if radius < _SLIGHT else 5)
        for name in "lrdubf":
            if name not in skip:
                self.grids.append(_rounded_face(name, np.asarray(low), np.asarray(high), radius, material, least))

    def lathe(self, profile: Profile, material: str, at: tuple[float, float] = (0.0, 0.0), least: int = 12) -> None:
        """A surface of revolution about the vertical through `at`; profile = (radius, y) from bottom to top.

        Where the profile bends little it is a curve through its points.
        """
        self.grids.append(_revolved(_curve(profile), material, at, least))

    def tube(self, points: list[tuple[float, float, float]], radius: float, material: str, least: int = 7) -> None:
        """A round bar along a line of points."""
        self.grids.append(_tube(points, radius, material, least))

    def add(self, other: Model, shift: tuple[float, float, float] = (0.0, 0.0, 0.0), turn: int = 0) -> None:
        """Another model's parts, turned by quarter turns and shifted."""
        for quad in other.quads:
            self.quads.append(Quad(place(quad.corners, shift, turn), quad.uvs, quad.material, quad.max_edge))
        for grid in other.grids:
            self.grids.append(replace(grid, evaluate=_placed(grid.evaluate, shift, turn)))


def place(points: Floats, shift: tuple[float, float, float], turn: int) -> Floats:
    """Points turned about +y by quarter turns (counter-clockwise from above: +z goes to +x) and shifted.

    (..., 3), metres.
    """
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    for _ in range(turn % 4):
        x, z = z, -x
    out = np.empty(points.shape)
    out[..., 0], out[..., 1], out[..., 2] = x + shift[0], y + shift[1], z + shift[2]
    return out


def _placed(evaluate: Evaluate, shift: tuple[float, float, float], turn: int) -> Evaluate:
    def moved(nu: int, nv: int) -> tuple[Floats, Floats]:
        points, uvs = evaluate(nu, nv)
        return place(points, shift, turn), uvs

    return moved


@cache
def lattice(nu: int, nv: int) -> tuple[Floats, Floats]:
    """u and v in [0, 1], each (nv + 1, nu + 1): views that cannot be written to."""
    u = np.arange(nu + 1, dtype=np.float64) / nu
    v = np.arange(nv + 1, dtype=np.float64) / nv
    return np.broadcast_to(u, (nv + 1, nu + 1)), np.broadcast_to(v[:, None], (nv + 1, nu + 1))


_AXES = {
    "l": (2, 1, 0, 0),
    "r": (2, 1, 0, 1),
    "d": (0, 2, 1, 0),
    "u": (0, 2, 1, 1),
    "b": (0, 1, 2, 0),
    "f": (0, 1, 2, 1),
}
"""Of each face: the axes of u, v and normal, and which end of the normal's axis."""
_FLIPPED = frozenset("rbu")
_BENDS, _SHORT = 0.5, 0.012
"""The cosine of the angle up to which a profile's bend is round, and the shortest span that gets a point, metres."""
ROUND = 16
"""Sides from which what one holds in a hand looks round from a step away."""
_SLIGHT = 0.035
"""Metres of a rounded rim from which its shape is seen."""


def _rounded_face(name: str, low: Floats, high: Floats, radius: float, material: str, least: int) -> Grid:
    a, b, n, end = _AXES[name]
    extent = high - low
    r = min(radius, float(extent.min()) / 2)

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        u, v = lattice(nu, nv)
        if name in _FLIPPED:
            u = 1.0 - u
        points = np.empty((nv + 1, nu + 1, 3))
        points[..., a] = low[a] + _eased(u, r / extent[a], nu) * extent[a]
        points[..., b] = low[b] + _eased(v, r / extent[b], nv) * extent[b]
        points[..., n] = high[n] if end else low[n]
        uvs = np.stack([u * extent[a], (1.0 - v) * extent[b]], axis=-1)
        if nu == nv == 1:
            return points, uvs
        inner = np.clip(points, low + r, high - r)
        out = points - inner
        size = length(out)
        points = inner + out * (r / np.where(size > 0, size, 1.0))[..., None]
        return points, uvs

    fair = min(least, 3)
    return Grid(evaluate, (float(extent[a]), float(extent[b])), (least, least), material, (1, 1), fair=(fair, fair))


def _eased(t: Floats, share: float, cells: int) -> Floats:
    """Spend cells on the rounded rims: a third of them or more, of five two on each."""
    rim, own = min(share, 0.5), max(1, (cells + 1) // 3) / max(cells, 2)
    lower = t / own * rim
    middle = rim + (t - own) / max(1 - 2 * own, 1e-9) * (1 - 2 * rim)
    upper = 1 - (1 - t) / own * rim
    return np.where(t < own, lower, np.where(t > 1 - own, upper, middle))


def _curve(profile: Profile) -> Profile:
    """The profile with a point more in each of its spans that goes on smoothly at one end at least."""
    points = np.asarray(profile, dtype=np.float64)
    steps = points[1:] - points[:-1]
    ways = steps / np.maximum(np.sqrt(steps[:, 0] * steps[:, 0] + steps[:, 1] * steps[:, 1]), 1e-9)[:, None]
    out = [profile[0]]
    for k, step in enumerate(steps):
        ends = [
            float(ways[j][0] * ways[j + 1][0] + ways[j][1] * ways[j + 1][1]) > _BENDS
            if 0 <= j < len(steps) - 1 else False
            for j in (k - 1, k)
        ]  # fmt: skip
        if any(ends) and float(np.abs(step).max()) > _SHORT:
            before = points[k - 1] if ends[0] else points[k] - step
            after = points[k + 2] if ends[1] else points[k + 1] + step
            r, y = ((points[k] + points[k + 1]) * 9 - before - after) / 16
            heights = profile[k][1], profile[k + 1][1]
            out.append((max(float(r), 0.0), min(max(float(y), min(heights)), max(heights))))
        out.append(profile[k + 1])
    return out


def _revolved(profile: Profile, material: str, at: tuple[float, float], least: int) -> Grid:
    points = np.asarray(profile, dtype=np.float64)
    steps = np.sqrt((points[1:, 0] - points[:-1, 0]) ** 2 + (points[1:, 1] - points[:-1, 1]) ** 2)
    along = [0.0]
    for step in steps.tolist():
        along.append(along[-1] + step)
    widest = float(points[:, 0].max())

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        rows = len(profile) - 1
        per = max(1, nv // rows)
        u = np.arange(nu + 1, dtype=np.float64) / nu
        rim = points[:-1, None] + (points[1:, None] - points[:-1, None]) * (np.arange(per) / per)[None, :, None]
        ring = np.concatenate([rim.reshape(-1, 2), points[-1:]])
        if nv < rows:
            ring = points[np.arange(nv + 1) * rows // nv]
        x = at[0] + ring[:, :1] * cos_turns(u)[None]
        z = at[1] - ring[:, :1] * sin_turns(u)[None]
        y = np.broadcast_to(ring[:, 1:], x.shape)
        v = np.broadcast_to(ring[:, 1:] + ring[:, :1] * 0.5, x.shape)
        return np.stack([x, y, z], axis=-1), np.stack([np.broadcast_to(u * widest * 6.28, x.shape), -v], axis=-1)

    sides = max(least, 34 if widest > 0.22 else 26 if widest > 0.12 else 18 if widest > 0.03 else ROUND)
    rough = max(8 if widest > 0.03 else 6, least // 2)
    rows = len(profile) // 2 if len(profile) > 4 else len(profile) - 1
    cells, fair = (sides, len(profile) - 1), (max(rough, fair_sides(widest)), rows)
    return Grid(evaluate, (widest * 6.28, along[-1]), cells, material, (rough, rows), fair=fair)


def fair_sides(radius: float) -> int:
    """Sides from which what is so wide (metres) looks round from two metres away."""
    return 12 if radius > 0.014 else 6


def _tube(points: list[tuple[float, float, float]], radius: float, material: str, least: int) -> Grid:
    line = np.asarray(points, dtype=np.float64)
    total = 0.0
    for step in length(line[1:] - line[:-1]).tolist():
        total += step

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        forward = np.concatenate([line[1:] - line[:-1], line[-1:] - line[-2:-1]])
        forward = forward / length(forward)[:, None]
        side = np.where(np.abs(forward[:, 1:2]) < 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
        right = normalised(cross(side, forward))
        up = cross(forward, right)
        u = np.arange(nu + 1, dtype=np.float64) / nu
        c, s = cos_turns(u) * radius, sin_turns(u) * radius
        ring = line[:, None] + right[:, None] * c[None, :, None] + up[:, None] * s[None, :, None]
        v = np.broadcast_to((np.arange(len(line)) * (total / max(1, len(line) - 1)))[:, None], ring.shape[:2])
        return ring, np.stack([np.broadcast_to(u * radius * 6.28, v.shape), v], axis=-1)

    return Grid(evaluate, (radius * 6.28, 0.0), (least, len(points) - 1), material, (3, len(points) - 1))


def _draped(rows: Floats, back: float, material: str, folds: int) -> Grid:
    spans, across = len(rows) - 1, 4 * folds

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        per = max(1, nv // spans)
        share = (np.arange(per) / per)[None, :, None]
        between = rows[:-1, None] + (rows[1:, None] - rows[:-1, None]) * share
        half, y, z = (part[:, None] for part in np.concatenate([between.reshape(-1, 3), rows[-1:]]).T)
        u = (np.arange(nu + 1) / nu)[None]
        a = u * 2 - 1
        square = a * a
        edge = 1 - square * square * square * square
        out = (z - back) * (0.8 + 0.3 * sin_turns(u * folds))
        x = half * a
        points = np.stack([x, np.broadcast_to(y, x.shape), back + out * edge], axis=-1)
        return points, np.stack([x, -points[..., 1]], axis=-1)

    tall = float(rows[-1, 1] - rows[0, 1])
    return Grid(evaluate, (float(rows[:, 0].max()) * 2, tall), (across, spans), material, (2 * folds, spans))


def pillow(
    middle: tuple[float, float, float],
    size: tuple[float, float, float],
    material: str,
    placed: Callable[[Floats, Floats, Floats], tuple[Floats, Floats, Floats]],
    dent: float = 0.0,
) -> list[Grid]:
    """The two sides of a stuffed square of (width, height, thickness), its rim thin, its front dented by a share.

    `placed`: x, y and z about the middle of what lies across, up and outwards in the pillow itself.

    The three are of one shape, metres.
    """
    return [_pillow_side(middle, size, material, placed, sign, dent if sign > 0 else 0.0) for sign in (1.0, -1.0)]


def _pillow_side(
    middle: tuple[float, float, float],
    size: tuple[float, float, float],
    material: str,
    placed: Callable[[Floats, Floats, Floats], tuple[Floats, Floats, Floats]],
    sign: float,
    dent: float,
) -> Grid:
    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        u, v = lattice(nu, nv)
        a, b = (u * 2 - 1) * sign, v * 2 - 1
        full = (1 - a * a * a * a) * (1 - b * b * b * b)
        hollow = np.clip(1 - a * a * 2.2 - (b + 0.1) * (b + 0.1) * 2.2, 0, 1)
        out = sign * size[2] / 2 * full * (1 - dent * hollow)
        across = a * size[0] / 2 * (1 - 0.09 * b * b * (1 - a * a))
        up = b * size[1] / 2 * (1 - 0.09 * a * a * (1 - b * b))
        points = np.stack(placed(across, up, out), axis=-1)
        return points + np.asarray(middle), np.stack([u * size[0], (1 - v) * size[1]], axis=-1)

    return Grid(evaluate, (size[0], size[1]), (6, 6), material, (2, 2), fair=(4, 4))
