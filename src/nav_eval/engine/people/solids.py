"""The shapes that a figure is sewn from: tubes of rings, and balls, each with colours and the bones it hangs on.

Metres, y up, facing -z; right is +x. Triangles are counter-clockwise seen from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Colour: TypeAlias = tuple[float, float, float]
"""sRGB, 0 to 1."""


def shade(colour: Colour, by: float) -> Colour:
    """The colour, `by` times as bright."""
    red, green, blue = (min(max(part * by, 0.0), 1.0) for part in colour)
    return (red, green, blue)


@dataclass(frozen=True, slots=True)
class Cloth:
    """A skin over R rows of A points, the lowest row first: points and colours (R, A, 3); each point moves with bone
    `first`, and by `share` with `second`, all (R, A). Closed where `top` or `bottom` says so."""

    points: Floats
    colours: Floats
    first: NDArray[np.int_]
    second: NDArray[np.int_]
    share: Floats
    top: bool
    bottom: bool


@dataclass(frozen=True, slots=True)
class Solid:
    """V vertices: points, m, and unit normals (V, 3), colours (V, 3), bones and shares (V,); triangles (T, 3)."""

    points: Floats
    normals: Floats
    colours: Floats
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    share: Floats
    triangles: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Ring:
    """A horizontal ring of a tube: its middle, half widths in x and z, colour, and the bones that move it.

    `square`: exponent of the superellipse, 2 is an ellipse.
    """

    middle: tuple[float, float, float]
    wide: float
    deep: float
    colour: Colour
    bone: int
    other: int = 0
    share: float = 0.0
    square: float = 2.0


def tube(rings: Sequence[Ring], around: int = 14, *, top: bool = False, bottom: bool = False) -> Cloth:
    """A skin over rings from the lowest to the highest."""
    turn = np.arange(around) / around * 2 * np.pi
    points = np.stack([_ring(ring, turn) for ring in rings])
    colours = np.repeat(np.array([ring.colour for ring in rings])[:, None], around, axis=1)
    first, second, share = (
        np.repeat(np.array(each)[:, None], around, axis=1)
        for each in zip(*((ring.bone, ring.other, ring.share) for ring in rings), strict=True)
    )
    return Cloth(points, colours, first, second, share, top, bottom)


def _ring(ring: Ring, turn: Floats) -> Floats:
    power = 2.0 / ring.square
    across = np.sign(np.cos(turn)) * np.abs(np.cos(turn)) ** power * ring.wide
    along = np.sign(np.sin(turn)) * np.abs(np.sin(turn)) ** power * ring.deep
    x, y, z = ring.middle
    return np.stack([x + across, np.full(len(turn), y), z - along], axis=1)


def shell(points: Floats, colours: Floats, bone: int, *, top: bool = True, bottom: bool = True) -> Cloth:
    """A skin that one bone moves; points, m, and colours, 0 to 1, (R, A, 3)."""
    bones = np.full(points.shape[:2], bone)
    return Cloth(points, colours, bones, bones, np.zeros(points.shape[:2]), top, bottom)


def ball(
    middle: ArrayLike, half: ArrayLike, colour: Colour, bone: int, rows: int = 5, around: int = 8, tilt: float = 0.0
) -> Cloth:
    """An ellipsoid with half axes `half`, turned by `tilt` rad about z. middle, half: (3,), m."""
    rise = (np.arange(rows) + 0.5) / rows * np.pi - np.pi / 2
    turn = np.arange(around) / around * 2 * np.pi
    flat = np.cos(rise)[:, None]
    unit = np.stack(
        [flat * np.cos(turn), np.repeat(np.sin(rise)[:, None], around, 1), -flat * np.sin(turn)], axis=2
    ) * np.asarray(half)
    c, s = np.cos(tilt), np.sin(tilt)
    x, y = unit[..., 0] * c - unit[..., 1] * s, unit[..., 0] * s + unit[..., 1] * c
    points = np.stack([x, y, unit[..., 2]], axis=2) + np.asarray(middle)
    return shell(points, np.broadcast_to(np.array(colour), points.shape).copy(), bone)


def sewn(cloth: Cloth, every: int = 1) -> Solid:
    """Triangles over it; `every`: only each so many-th column is kept, and from 4 on only each second row and both
    ends; from 3 on if the cloth does not bend."""
    step = max(1, every // 2 if cloth.share.any() else (every + 1) // 2)
    kept = [*range(0, len(cloth.points) - 1, step), len(cloth.points) - 1]
    rows, colours = cloth.points[kept, ::every], cloth.colours[kept, ::every]
    bones: list[NDArray[Any]] = [part[kept, ::every] for part in (cloth.first, cloth.second, cloth.share)]
    count, around = rows.shape[:2]
    here = np.arange(count * around).reshape(count, around)
    right = np.roll(here, -1, axis=1)
    quads = [(here[:-1], right[:-1], right[1:]), (here[:-1], right[1:], here[1:])]
    faces = [np.stack(corners, axis=2).reshape(-1, 3) for corners in quads]
    points, colours, bones = rows.reshape(-1, 3), colours.reshape(-1, 3), [part.reshape(-1) for part in bones]
    for closed, row, (a, b) in ((cloth.bottom, 0, (right, here)), (cloth.top, count - 1, (here, right))):
        if closed:
            faces.append(np.stack([a[row], b[row], np.full(around, len(points))], axis=1))
            points = np.concatenate([points, rows[row].mean(axis=0)[None]])
            colours = np.concatenate([colours, colours[row * around][None]])
            bones = [np.append(part, part[row * around]) for part in bones]
    triangles = np.concatenate(faces).astype(np.int32)
    first, second, share = bones
    normals = _normals(points, triangles)
    return Solid(points, normals, colours, first.astype(np.int32), second.astype(np.int32), share, triangles)


def _normals(points: Floats, faces: NDArray[np.int32]) -> Floats:
    """(V, 3) unit normals, the mean of a vertex's faces by their area."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    summed = np.zeros_like(points)
    for k in range(3):
        np.add.at(summed, faces[:, k], cross)
    length = np.linalg.norm(summed, axis=1, keepdims=True)
    return np.asarray(summed / np.maximum(length, 1e-12))


def joined(solids: Sequence[Solid]) -> Solid:
    """One solid of many."""
    starts = np.cumsum([0, *(len(one.points) for one in solids[:-1])])
    return Solid(
        np.concatenate([one.points for one in solids]),
        np.concatenate([one.normals for one in solids]),
        np.concatenate([one.colours for one in solids]),
        np.concatenate([one.first for one in solids]),
        np.concatenate([one.second for one in solids]),
        np.concatenate([one.share for one in solids]),
        np.concatenate([one.triangles + start for one, start in zip(solids, starts, strict=True)]).astype(np.int32),
    )
