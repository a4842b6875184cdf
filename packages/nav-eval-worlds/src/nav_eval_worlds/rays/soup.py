"""One ray through the triangles of a building themselves, where the cubes of march.py are too coarse.

A grid of cells lists the triangles that touch each; a ray walks from cell to cell and stops at the nearest triangle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import inner, kernel
from nav_eval_worlds.rays.march import F64, I64, Scalar

CELL = 0.15
FAR = 1e30


class Soup(NamedTuple):
    """Triangles in cells: those of cell c are items[first[c] : first[c + 1]].

    `corners` (T, 3, 3) metres; `shape` (3,) cells from the corner `low` (3,), `cell` metres wide.
    """

    corners: F64
    first: I64
    items: I64
    shape: I64
    low: F64
    cell: float


class Walk(NamedTuple):
    """What a ray needs on its way. `ray` (6,): start and direction.

    `found` (3,): how far along the direction, and the weights of the second and third corners of what is met.
    """

    ray: F64
    found: F64
    cell: I64
    following: F64


def standing() -> Walk:
    """Before any ray."""
    return Walk(np.zeros(6), np.zeros(3), np.zeros(3, np.int64), np.zeros(3))


def soup_of(positions: F64, triangles: NDArray[np.int32]) -> Soup:
    """Triangles (T, 3) of corners (V, 3), in metres."""
    corners = np.ascontiguousarray(positions[triangles])
    low = positions.min(axis=0) - CELL
    shape = ((positions.max(axis=0) - low) / CELL).astype(np.int64) + 2
    sums = np.zeros(int(shape[0] * shape[1] * shape[2]) + 1, np.int64)
    count(Soup(corners, sums, np.zeros(0, np.int64), shape, low, CELL), sums)
    first = np.cumsum(sums)
    soup = Soup(corners, first, np.zeros(int(first[-1]), np.int64), shape, low, CELL)
    sort(soup, first[:-1].copy())
    return soup


@kernel(_nrt=False)
def count(soup: Soup, sums: I64) -> None:
    """sums[c + 1] += the number of triangles whose box touches cell c. sums: (C + 1,) for C cells."""
    for t in range(len(soup.corners)):
        x0, x1 = span(soup, t, 0)
        y0, y1 = span(soup, t, 1)
        z0, z1 = span(soup, t, 2)
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                for z in range(z0, z1 + 1):
                    sums[(x * soup.shape[1] + y) * soup.shape[2] + z + 1] += 1


@kernel(_nrt=False)
def sort(soup: Soup, at: I64) -> None:
    """Writes the triangles of each cell into `soup.items`; `at` (cells,) begins as `soup.first` and is used up.

    at: of the shape of `soup.first` without its last.
    """
    for t in range(len(soup.corners)):
        x0, x1 = span(soup, t, 0)
        y0, y1 = span(soup, t, 1)
        z0, z1 = span(soup, t, 2)
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                for z in range(z0, z1 + 1):
                    cell = (x * soup.shape[1] + y) * soup.shape[2] + z
                    soup.items[at[cell]] = t
                    at[cell] += 1


@inner(_nrt=False)
def span(soup: Soup, t: Scalar, axis: Scalar) -> tuple[Scalar, Scalar]:
    """The first and the last cell that a triangle's box touches."""
    a, b, c = soup.corners[t, 0, axis], soup.corners[t, 1, axis], soup.corners[t, 2, axis]
    low = np.int64((min(a, b, c) - soup.low[axis]) / soup.cell - 1e-6)
    high = np.int64((max(a, b, c) - soup.low[axis]) / soup.cell + 1e-6)
    return max(low, 0), min(high, soup.shape[axis] - 1)


@inner(_nrt=False)
def nearest(soup: Soup, walk: Walk, far: Scalar, both: Scalar) -> Scalar:
    """The triangle that a ray meets first, before `far`, or -1: from the front, or, if `both`, any from either side."""
    ray, found, cell, following = walk
    found[0] = far
    best = -1
    for axis in range(3):
        place = (ray[axis] - soup.low[axis]) / soup.cell
        cell[axis] = np.int64(np.floor(place))
        if not 0 <= cell[axis] < soup.shape[axis]:
            return -1
        d = ray[3 + axis]
        ahead = cell[axis] + 1 - place if d > 0.0 else place - cell[axis]
        following[axis] = ahead * soup.cell / abs(d) if d != 0.0 else FAR
    while True:
        at = (cell[0] * soup.shape[1] + cell[1]) * soup.shape[2] + cell[2]
        for k in range(soup.first[at], soup.first[at + 1]):
            if meets(soup.corners, soup.items[k], ray, found, both):
                best = soup.items[k]
                if both:
                    return best
        axis = 0 if following[0] < following[1] else 1
        axis = axis if following[axis] < following[2] else 2
        if found[0] <= following[axis]:
            return best
        following[axis] += soup.cell / abs(ray[3 + axis])
        cell[axis] += 1 if ray[3 + axis] > 0.0 else -1
        if not 0 <= cell[axis] < soup.shape[axis]:
            return best


@inner(_nrt=False)
def meets(corners: F64, t: Scalar, ray: F64, found: F64, both: Scalar) -> bool:
    """Whether a triangle that faces the ray, or either way, is nearer than `found`, which then tells of it.

    Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.

    corners (T, 3, 3), metres; ray (6,), found (3,) as in `Walk`.
    """
    ax, ay, az = corners[t, 0, 0], corners[t, 0, 1], corners[t, 0, 2]
    ux, uy, uz = corners[t, 1, 0] - ax, corners[t, 1, 1] - ay, corners[t, 1, 2] - az
    vx, vy, vz = corners[t, 2, 0] - ax, corners[t, 2, 1] - ay, corners[t, 2, 2] - az
    dx, dy, dz = ray[3], ray[4], ray[5]
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    facing = ux * px + uy * py + uz * pz
    if facing <= 1e-12 and not (both and facing < -1e-12):
        return False
    sx, sy, sz = ray[0] - ax, ray[1] - ay, ray[2] - az
    u = (sx * px + sy * py + sz * pz) / facing
    if u < 0.0 or u > 1.0:
        return False
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    v = (dx * qx + dy * qy + dz * qz) / facing
    if v < 0.0 or u + v > 1.0:
        return False
    far = (vx * qx + vy * qy + vz * qz) / facing
    if far <= 1e-4 or far >= found[0]:
        return False
    found[0], found[1], found[2] = far, u, v
    return True


@kernel(_nrt=False)
def crowded(soup: Soup, walk: Walk, at: F64, directions: F64, far: float, out: F64) -> None:
    """out (N,): the share of the directions (D, 3) in which something is nearer than `far` metres."""
    for k in range(len(at)):
        out[k] = 0.0
        for d in range(len(directions)):
            for axis in range(3):
                walk.ray[axis], walk.ray[3 + axis] = at[k, axis], directions[d, axis]
            if nearest(soup, walk, far, True) >= 0:
                out[k] += 1.0 / len(directions)
