"""Interpolation over a triangle and trilinear texture samples, one at a time.

An attribute a that is linear over a triangle gives a/z linear over the screen. Its plane follows from the inverse
of the matrix of the triangle's corners in the camera's frame (Olano and Greer, "Triangle Scan Conversion Using 2D
Homogeneous Coordinates", 1997), which also holds for corners behind the camera.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.layout import F32, U32, Camera, Materials, Plane, Scalar, Vertices
from nav_eval.jit import inner


@inner(_nrt=False, forceinline=True)
def barycentric_planes(
    camera: Camera, vertices: Vertices, a: Scalar, b: Scalar, c: Scalar
) -> tuple[Plane, Plane, Plane]:
    """Nine numbers: (step in x, step in y, value at pixel coordinate 0, 0) of weight / z for each corner."""
    view = camera.pose
    ax, ay, az = to_camera(view, vertices, a)
    bx, by, bz = to_camera(view, vertices, b)
    cx, cy, cz = to_camera(view, vertices, c)
    nax, nay, naz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    nbx, nby, nbz = cy * az - cz * ay, cz * ax - cx * az, cx * ay - cy * ax
    ncx, ncy, ncz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    inverse = 1.0 / (ax * nax + ay * nay + az * naz)
    scale = inverse / camera.focal
    left, top = camera.width * 0.5, camera.height * 0.5
    nax, nay, naz = nax * scale, nay * scale, naz * inverse
    nbx, nby, nbz = nbx * scale, nby * scale, nbz * inverse
    ncx, ncy, ncz = ncx * scale, ncy * scale, ncz * inverse
    return (
        (nax, nay, naz - nax * left - nay * top),
        (nbx, nby, nbz - nbx * left - nby * top),
        (ncx, ncy, ncz - ncx * left - ncy * top),
    )


@inner(_nrt=False, forceinline=True)
def to_camera(view: Scalar, vertices: Vertices, index: Scalar) -> Plane:
    """A vertex in the camera's frame: right, down, forward, metres."""
    dx = vertices.x[index] - view[9]
    dy = vertices.y[index] - view[10]
    dz = vertices.z[index] - view[11]
    return (
        view[0] * dx + view[1] * dy + view[2] * dz,
        view[3] * dx + view[4] * dy + view[5] * dz,
        view[6] * dx + view[7] * dy + view[8] * dz,
    )


@inner(_nrt=False, forceinline=True)
def blend_plane(planes: tuple[Plane, Plane, Plane], a: Scalar, b: Scalar, c: Scalar) -> Plane:
    """Plane of an attribute over z from its values at the three corners: step in x, step in y, value at 0, 0."""
    pa, pb, pc = planes
    return (pa[0] * a + pb[0] * b + pc[0] * c, pa[1] * a + pb[1] * b + pc[1] * c, pa[2] * a + pb[2] * b + pc[2] * c)


@inner(_nrt=False, forceinline=True)
def level_of_detail(ux: Scalar, uy: Scalar, vx: F32, vy: F32, width: Scalar, height: Scalar, top: Scalar) -> Scalar:
    """Mip level times 256, 0 to `top`, from the steps of u and v per pixel (of one texture length); NaN gives 0.

    A triangle seen so nearly from its side that its planes have no inverse has steps that are NaN.

    All are scalars.
    """
    a, b, c, d = ux * width, vx * height, uy * width, vy * height
    square = np.float32(max(max(a * a + b * b, c * c + d * d), 1.0))
    bits = square.view(np.int32)
    mantissa = np.int32((bits & 0x7FFFFF) | 0x3F800000).view(np.float32) - np.float32(1.0)
    log2 = np.float32((bits >> 23) - 127) + mantissa * (np.float32(1.34) - np.float32(0.34) * mantissa)
    return max(min(np.int32(log2 * np.float32(128.0)), np.int32(top)), np.int32(0))


@inner(_nrt=False, forceinline=True)
def fold(value: Scalar, mode: Scalar) -> Scalar:
    """Texture coordinate to [0, 1]: 0 repeat, 1 clamp, 2 mirror. NaN gives 0."""
    one = np.float32(1.0)
    if mode == 1:
        inside = value
    elif mode == 2:
        half = value * np.float32(0.5)
        inside = (half - floor(half)) * np.float32(2.0)
        inside = inside if inside <= one else np.float32(2.0) - inside
    else:
        inside = value - floor(value)
    inside = inside if inside > np.float32(0.0) else np.float32(0.0)
    return inside if inside < one else one


@inner(_nrt=False, forceinline=True)
def unit(value: Scalar) -> Scalar:
    """`fold` of mode 0, alone, so that loops over it vectorise."""
    inside = value - floor(value)
    return inside if inside > np.float32(0.0) else np.float32(0.0)


@inner(_nrt=False, forceinline=True)
def within(value: Scalar) -> Scalar:
    """`fold` of mode 1, alone, so that loops over it vectorise."""
    inside = value if value > np.float32(0.0) else np.float32(0.0)
    return inside if inside < np.float32(1.0) else np.float32(1.0)


@inner(_nrt=False, forceinline=True)
def floor(value: Scalar) -> Scalar:
    """Floor of a float32, one instruction; math.floor would be a call into the C library."""
    return np.floor(value)


@inner(_nrt=False)
def alpha(texels: U32, materials: Materials, material: Scalar, u: Scalar, v: Scalar, level: Scalar) -> Scalar:
    """Alpha (0 to 255) of a trilinear sample; `level` times 256. texels: (K,)."""
    first = level >> 8
    near = _alpha_of_level(texels, materials, material, u, v, first)
    if level & 255 == 0:
        return near
    other = _alpha_of_level(texels, materials, material, u, v, first + 1)
    return (near * (256 - (level & 255)) + other * (level & 255) + 128) >> 8


@inner(_nrt=False)
def _alpha_of_level(texels: U32, materials: Materials, material: Scalar, u: Scalar, v: Scalar, level: Scalar) -> Scalar:
    x = np.int64(fold(u, materials.wrap[material, 0]) * materials.size[material, level, 0] + np.float32(128.5))
    y = np.int64(fold(v, materials.wrap[material, 1]) * materials.size[material, level, 1] + np.float32(128.5))
    column, row = x >> 8, y >> 8
    tile = (row >> 4) * materials.tiles[material, level, 1] + (column >> 4)
    at = materials.tiles[material, level, 0] + tile * 289 + (row & 15) * 17 + (column & 15)
    right, down = x & 255, y & 255
    above = (np.int64(texels[at]) >> 24) * (256 - right) + (np.int64(texels[at + 1]) >> 24) * right
    below = (np.int64(texels[at + 17]) >> 24) * (256 - right) + (np.int64(texels[at + 18]) >> 24) * right
    return (above * (256 - down) + below * down + 32768) >> 16
