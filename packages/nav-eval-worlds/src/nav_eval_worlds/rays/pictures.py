"""What one sees along rays through the triangles of a building: the pictures in its mirrors and dark screens.

A ray's colour is read as the renderer reads it: texture times baked light; the sky where nothing is met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nav_eval.jit import inner, kernel
from nav_eval_worlds.rays.march import F64, I64, U8, Scalar
from nav_eval_worlds.rays.soup import FAR, Soup, Walk, nearest


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
def look(soup: Soup, paints: Paints, walk: Walk, starts: F64, directions: F64, out: F64) -> None:
    """out (N, 3): the sRGB, 0 to 255, that rays meet. starts, directions: (N, 3), metres, world frame."""
    ray, found = walk.ray, walk.found
    for k in range(len(starts)):
        for axis in range(3):
            ray[axis], ray[3 + axis] = starts[k, axis], directions[k, axis]
        t = nearest(soup, walk, FAR, False)
        if t < 0:
            beyond(paints.sky, ray, out[k])
        else:
            colour(paints, t, found[1], found[2], out[k])


@inner(_nrt=False)
def colour(paints: Paints, t: Scalar, v: Scalar, w: Scalar, out: F64) -> None:
    """out (3,): sRGB, 0 to 255, of a place on a triangle."""
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
    """out (3,): sRGB, 0 to 255, of the sky (6, N, N, 4) in the direction of a ray (6,), as in `Walk`."""
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
