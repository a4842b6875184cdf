"""What one sees along rays through the triangles of a building: the pictures in its mirrors and dark screens.

A coarse grid of cells lists the triangles that touch each; a ray walks from cell to cell and stops at the nearest
triangle that faces it. Its colour is read as the renderer reads it: texture times baked light; the sky where nothing
is met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nav_eval.jit import inner, kernel
from nav_eval.worlds.rays.march import F64, I64, U8, Scalar

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


class Paints(NamedTuple):
    """What colours the triangles' corners: `uvs`, `light_uvs` (V, 2), `colors` (V, 4), `vertices` (T, 3).

    `material` (T,) picks the picture, from texels[start[m]], of `size` (M, 2) rows and columns; `lit` (T,) tells if
    `lightmap` lights it; `sky` (6, N, N, 4) lies beyond.
    """

    uvs: F64
    light_uvs: F64
    colors: U8
    vertices: I64
    material: I64
    lit: U8
    texels: U8
    start: I64
    size: I64
    lightmap: U8
    sky: U8


@kernel(_nrt=False)
def count(soup: Soup, sums: I64) -> None:
    """sums[c + 1] += the number of triangles whose box touches cell c."""
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
    """Writes the triangles of each cell into `soup.items`; `at` (cells,) begins as `soup.first` and is used up."""
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
def nearest(soup: Soup, walk: Walk) -> Scalar:
    """The triangle that a ray meets first from the front, or -1."""
    ray, found, cell, following = walk
    found[0] = FAR
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
            if meets(soup.corners, soup.items[k], ray, found):
                best = soup.items[k]
        axis = 0 if following[0] < following[1] else 1
        axis = axis if following[axis] < following[2] else 2
        if found[0] <= following[axis]:
            return best
        following[axis] += soup.cell / abs(ray[3 + axis])
        cell[axis] += 1 if ray[3 + axis] > 0.0 else -1
        if not 0 <= cell[axis] < soup.shape[axis]:
            return best


@inner(_nrt=False)
def meets(corners: F64, t: Scalar, ray: F64, found: F64) -> bool:
    """Whether a triangle that faces the ray is nearer than `found`, which then tells of it (Moeller, Trumbore 1997)."""
    ax, ay, az = corners[t, 0, 0], corners[t, 0, 1], corners[t, 0, 2]
    ux, uy, uz = corners[t, 1, 0] - ax, corners[t, 1, 1] - ay, corners[t, 1, 2] - az
    vx, vy, vz = corners[t, 2, 0] - ax, corners[t, 2, 1] - ay, corners[t, 2, 2] - az
    dx, dy, dz = ray[3], ray[4], ray[5]
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    facing = ux * px + uy * py + uz * pz
    if facing <= 1e-12:
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
def look(soup: Soup, paints: Paints, walk: Walk, starts: F64, directions: F64, out: F64) -> None:
    """out (N, 3): the colours, 0 to 255, that rays (N, 3) meet."""
    ray, found = walk.ray, walk.found
    for k in range(len(starts)):
        for axis in range(3):
            ray[axis], ray[3 + axis] = starts[k, axis], directions[k, axis]
        t = nearest(soup, walk)
        if t < 0:
            beyond(paints.sky, ray, out[k])
        else:
            colour(paints, t, found[1], found[2], out[k])


@inner(_nrt=False)
def colour(paints: Paints, t: Scalar, v: Scalar, w: Scalar, out: F64) -> None:
    """out (3,): of a place on a triangle."""
    a, b, c = paints.vertices[t, 0], paints.vertices[t, 1], paints.vertices[t, 2]
    u = 1.0 - v - w
    m = paints.material[t]
    rows, columns = paints.size[m, 0], paints.size[m, 1]
    x = paints.uvs[a, 0] * u + paints.uvs[b, 0] * v + paints.uvs[c, 0] * w
    y = paints.uvs[a, 1] * u + paints.uvs[b, 1] * v + paints.uvs[c, 1] * w
    column = min(np.int64((x - np.floor(x)) * columns), columns - 1)
    row = min(np.int64((y - np.floor(y)) * rows), rows - 1)
    at = paints.start[m] + row * columns + column
    if paints.lit[t]:
        high, wide = paints.lightmap.shape[0], paints.lightmap.shape[1]
        x = paints.light_uvs[a, 0] * u + paints.light_uvs[b, 0] * v + paints.light_uvs[c, 0] * w
        y = paints.light_uvs[a, 1] * u + paints.light_uvs[b, 1] * v + paints.light_uvs[c, 1] * w
        column, row = min(np.int64(x * wide), wide - 1), min(np.int64(y * high), high - 1)
        for channel in range(3):
            out[channel] = min(paints.texels[at, channel] * paints.lightmap[row, column, channel] / 128.0, 255.0)
    else:
        for channel in range(3):
            light = paints.colors[a, channel] * u + paints.colors[b, channel] * v + paints.colors[c, channel] * w
            out[channel] = paints.texels[at, channel] * light / 255.0


@inner(_nrt=False)
def beyond(sky: U8, ray: F64, out: F64) -> None:
    """out (3,): of the sky (6, N, N, 4) in a ray's direction."""
    x, y, z = ray[3], ray[4], ray[5]
    if abs(y) > max(abs(x), abs(z)):
        face, s, t = (4, x / y, -z / y) if y > 0.0 else (5, x / -y, z / -y)
    elif abs(x) > abs(z):
        face, s, t = (3, z / x, -y / x) if x > 0.0 else (1, z / x, y / x)
    else:
        face, s, t = (2, -x / z, -y / z) if z > 0.0 else (0, x / -z, y / z)
    side = sky.shape[1]
    column = min(max(np.int64((s + 1.0) * 0.5 * side), 0), side - 1)
    row = min(max(np.int64((t + 1.0) * 0.5 * side), 0), side - 1)
    for channel in range(3):
        out[channel] = sky[face, row, column, channel]
