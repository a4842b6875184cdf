"""Cloth that lies: heaps of it, and sheets with folds over a bed."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.exact import Floats, cos_turns, sin_turns
from nav_eval_worlds.surfaces.parametric import Grid, lattice

Point = tuple[float, float, float]
_FOLD = 0.036
"""Metres by which a sheet's folds come inwards at most, where it hangs: a mattress is as much narrower."""

_LEAST = 0.6
"""Of a heap's height, in its valleys: what is uneven under it comes through nowhere."""


def folds(x: Floats, z: Floats, seed: int) -> Floats:
    """Creases over a plane (metres), 0 to 1, of another course for every seed. x, z: of one shape."""
    p, q = (seed * 618 % 1000) / 1000, (seed * 414 % 1000) / 1000
    bend = sin_turns(x * 0.9 - z * 0.7 + q) * 0.22
    one = sin_turns(x * (1.1 + p) + z * (0.9 - q) * 2 + p + bend)
    two = sin_turns(z * (1.7 + q) - x * (1.2 + p) * 0.8 + q - bend)
    fine = sin_turns(x * 3.1 * (1 - 2 * q) + z * (2.2 + p) + bend * 2)
    return 0.5 + 0.22 * one + 0.17 * two + 0.11 * fine


def heap(middle: Point, size: Point, material: str, seed: int, turn: float = 0.0, cells: int = 7) -> Grid:
    """A crumpled piece of cloth of (width, height, depth) at most, lying; `turn` in turns about the vertical."""
    c, s = float(sin_turns(np.asarray(turn + 0.25))), float(sin_turns(np.asarray(turn)))
    w, h, d = size

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        u, v = lattice(nu, nv)
        a, b = u * 2 - 1, v * 2 - 1
        x, z = a * np.sqrt(1 - b * b / 2), -b * np.sqrt(1 - a * a / 2)
        reach = 0.86 + 0.14 * sin_turns(x * 0.45 + z * 0.6 + seed * 0.37) * np.minimum(1.0, x * x + z * z)
        square = x * x + z * z
        high = (1 - square * square * square) * (_LEAST + (1 - _LEAST) * folds(x * 0.55, z * 0.55, seed))
        x, z = x * reach * w / 2, z * reach * d / 2
        points = np.stack([x * c + z * s + middle[0], middle[1] + high * h, z * c - x * s + middle[2]], axis=-1)
        return points, np.stack([x, -z], axis=-1)

    return Grid(evaluate, (w, d), (cells, cells), material, (3, 3), fair=(5, 5))


def sheet(
    half: float, near: float, far: float, top: float, drop: float, material: str, seed: int, crease: float
) -> Grid:
    """A duvet over a bed: `half` its width on top, from z `near` to `far`, hanging down `drop` on three sides.

    It has creases of `crease` metres and lies within these bounds, but for its top, which is `crease` higher at most.
    """
    rim = 0.06

    def over(s: Floats, edge: float) -> tuple[Floats, Floats]:
        """How far out and how far down the cloth is after a way `s` from the middle."""
        bend = np.clip((s - (edge - rim)) / (rim * 1.57), 0, 1)
        out = np.where(s < edge - rim, s, edge - rim + rim * sin_turns(bend / 4))
        down = rim * (1 - sin_turns(0.25 + bend / 4)) + np.maximum(0.0, s - (edge - rim) - rim * 1.57)
        return out, np.minimum(down, drop)

    def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
        u, v = lattice(nu, nv)
        across, along = (u * 2 - 1) * (half + drop), (1 - v) * (far - near + drop)
        out, down = over(np.abs(across), half)
        z, sunk = over(along, far - near)
        down = np.maximum(down, sunk)
        wave = folds(across, along, seed)
        hangs = np.clip(down / drop, 0, 1)
        inward = hangs * (1 - wave) * min(crease * 1.5, _FOLD)
        x = np.where(across < 0, -1.0, 1.0) * np.maximum(0.0, out - inward)
        y = top - down * (0.86 + 0.14 * wave) + wave * crease * 1.6 * (1 - hangs)
        points = np.stack([x, np.minimum(y, top + crease), near + z - np.where(sunk > rim, inward, 0.0)], axis=-1)
        return points, np.stack([across, -along], axis=-1)

    return Grid(evaluate, (2 * (half + drop), far - near + drop), (14, 12), material, (6, 4), give=crease, fair=(10, 8))


def over_bar(
    half: float, bar: Point, radius: float, drops: tuple[float, float], material: str, seed: int, lean: float = 0.0
) -> list[Grid]:
    """The two faces of a cloth over a level bar: `half` its width, `drops` how far it hangs before and behind.

    Its lowest edge is `drops[0]` below the bar; `lean`: by how much per metre its front comes forward further down.
    """
    front, behind = drops
    bend = radius * 3.1416

    def face(sign: float, r: float) -> Grid:
        def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
            u, v = lattice(nu, nv)
            x = (u * 2 - 1) * sign * half
            third = np.clip(v * 3, 0, 1), np.clip(v * 3 - 1, 0, 1), np.clip(v * 3 - 2, 0, 1)
            down = np.where(v < 0.5, (1 - third[0]) * front, third[2] * behind)
            turned = third[1] / 2
            wave = 0.5 + 0.3 * sin_turns(x * 5.3 + seed * 0.37) + 0.2 * sin_turns(x * 11.0 - down + seed * 0.61)
            out = np.minimum(down, 0.3) * 0.05 * wave
            z = cos_turns(turned) * r + np.where(v < 0.5, out + down * lean, -out * 0.4)
            y = sin_turns(turned) * r - down + np.where(v < 0.5, 0.03 * down * (x / half) * (x / half) * wave, 0.0)
            points = np.stack([bar[0] + x * (1 - 0.12 * down * wave), bar[1] + y, bar[2] + z], axis=-1)
            along = np.where(v < 0.5, -down, bend * third[1] + down)
            return points, np.stack([x, -along], axis=-1)

        return Grid(evaluate, (2 * half, front + behind), (10, 9), material, (4, 6))

    return [face(1.0, radius), face(-1.0, radius - 0.003)]
