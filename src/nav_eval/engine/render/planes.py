"""What of a triangle is linear over the screen: 1/z, texture coordinates, tints and light, as planes.

They are found once for each triangle that a frame shows, from its first pixel on, so that no other choice of strips
changes a bit of them. Its normal and the light of a headlight on it are found here as well.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.layout import (
    DOUBLE_SIDED,
    F32,
    I32,
    LIGHTMAPPED,
    MODULATED,
    NEAR,
    TILE,
    U8,
    Assets,
    Camera,
    Plane,
    Scalar,
    Vertices,
    Workspace,
)
from nav_eval.engine.render.sample import barycentric_planes, blend_plane, to_camera
from nav_eval.jit import inner

STEADY = np.float32(1 / 32)
"""1/z may change by this share within a run."""


@inner(_nrt=False, forceinline=True)
def prepare(
    camera: Camera,
    assets: Assets,
    headlight: bool,
    triangle: Scalar,
    material: Scalar,
    slot: Scalar,
    x: Scalar,
    y: Scalar,
    upper: Scalar,
    work: Workspace,
) -> None:
    """Planes of 1/z, u/z and v/z of a triangle from its first pixel on, which is (x, y) or lies above row `upper`."""
    vertices = assets.vertices
    a = assets.triangles.corners[triangle, 0]
    b = assets.triangles.corners[triangle, 1]
    c = assets.triangles.corners[triangle, 2]
    if upper > 0:
        x, y = first_pixel(camera, vertices, a, b, c, triangle, x, y, upper, work.ids, work.colored)
    corners = barycentric_planes(camera, vertices, a, b, c)
    plane = work.planes[slot]
    anchor(plane, 0, blend_plane(corners, 1.0, 1.0, 1.0), x, y)
    anchor(plane, 3, blend_plane(corners, vertices.u[a], vertices.u[b], vertices.u[c]), x, y)
    anchor(plane, 6, blend_plane(corners, vertices.v[a], vertices.v[b], vertices.v[c]), x, y)
    plane[9] = x
    plane[10] = y
    plane[11] = STEADY / abs(plane[1])
    lightmapped = (assets.materials.flags[material] & LIGHTMAPPED) != 0
    if lightmapped:
        light_u, light_v, target = vertices.light_u, vertices.light_v, work.lights[slot]
        anchor(target, 0, blend_plane(corners, light_u[a], light_u[b], light_u[c]), x, y)
        anchor(target, 3, blend_plane(corners, light_v[a], light_v[b], light_v[c]), x, y)
    if headlight or assets.materials.flags[material] & MODULATED:
        light = brightness(camera, assets, triangle) if headlight else 1.0
        for channel in range(3):
            factor = light * assets.materials.factor[material, channel]
            values = (factor, factor, factor)
            if not lightmapped:
                values = (
                    vertex_color(vertices, a, channel) * factor,
                    vertex_color(vertices, b, channel) * factor,
                    vertex_color(vertices, c, channel) * factor,
                )
            anchor(work.tints[slot], 3 * channel, blend_plane(corners, values[0], values[1], values[2]), x, y)


@inner(_nrt=False)
def first_pixel(
    camera: Camera,
    vertices: Vertices,
    a: Scalar,
    b: Scalar,
    c: Scalar,
    triangle: Scalar,
    x: Scalar,
    y: Scalar,
    upper: Scalar,
    ids: I32,
    colored: U8,
) -> tuple[Scalar, Scalar]:
    """Where above row `upper` a triangle shows first, else (x, y).

    Only where its corners' box lies is looked at, and not in rows of which this thread has seen each triangle.

    ids (R + CHUNK,), colored as in `Workspace`.
    """
    across, down, ahead = to_camera(camera.pose, vertices, a)
    across2, down2, ahead2 = to_camera(camera.pose, vertices, b)
    across3, down3, ahead3 = to_camera(camera.pose, vertices, c)
    row: Scalar = 0
    left: Scalar = 0
    right: Scalar = camera.width
    if min(ahead, min(ahead2, ahead3)) >= NEAR:
        scale, scale2, scale3 = camera.focal / ahead, camera.focal / ahead2, camera.focal / ahead3
        top = camera.height * 0.5 + min(down * scale, min(down2 * scale2, down3 * scale3)) - 2.0
        if top >= upper:
            return x, y
        middle = camera.width * 0.5
        low = middle + min(across * scale, min(across2 * scale2, across3 * scale3)) - 2.0
        high = middle + max(across * scale, max(across2 * scale2, across3 * scale3)) + 2.0
        row = np.int64(top) if top > 0.0 else 0
        left = np.int64(min(low, middle * 2.0)) if low > 0.0 else 0
        right = np.int64(high) if high < middle * 2.0 else camera.width
    for above in range(row, upper):
        if colored[np.uint64(above // TILE)]:
            continue
        start = above * camera.stride
        if shows_in(ids, start + left, start + right, triangle):
            at = left
            while ids[np.uint64(start + at)] != triangle:
                at += 1
            return at, above
    return x, y


@inner(_nrt=False, forceinline=True)
def shows_in(ids: I32, begin: Scalar, end: Scalar, triangle: Scalar) -> bool:
    """Whether one of ids[begin:end] is `triangle`; without leaving early, so that it vectorises. ids: (R + CHUNK,)."""
    found = False
    for at in range(begin, end):
        found |= ids[np.uint64(at)] == triangle
    return found


@inner(_nrt=False, forceinline=True)
def anchor(target: F32, at: Scalar, plane: Plane, x: Scalar, y: Scalar) -> None:
    """Store a plane as (value at pixel (x, y), step in x, step in y). target: (K,), written from `at` on."""
    target[at] = plane[2] + plane[0] * (x + 0.5) + plane[1] * (y + 0.5)
    target[at + 1] = plane[0]
    target[at + 2] = plane[1]


@inner(_nrt=False, forceinline=True)
def vertex_color(vertices: Vertices, vertex: Scalar, channel: Scalar) -> Scalar:
    """0 to 1; 1 where the scene has no vertex colours."""
    if vertices.color.shape[0] == 1:
        return 1.0
    return ((vertices.color[vertex] >> np.uint32(8 * channel)) & np.uint32(255)) / 255.0


@inner(_nrt=False)
def brightness(camera: Camera, assets: Assets, triangle: Scalar) -> Scalar:
    """Of a headlight on a triangle's plane: faces turned to the camera and upward are brighter."""
    nx, ny, nz = face_normal(camera, assets, triangle)
    ahead = camera.pose[6] * nx + camera.pose[7] * ny + camera.pose[8] * nz
    return 0.35 + 0.45 * abs(ahead) + 0.2 * (0.5 + 0.5 * ny)


@inner(_nrt=False)
def face_normal(camera: Camera, assets: Assets, triangle: Scalar) -> Plane:
    """Unit normal in the world frame; a double-sided triangle's points to the camera."""
    vertices = assets.vertices
    a = assets.triangles.corners[triangle, 0]
    b = assets.triangles.corners[triangle, 1]
    c = assets.triangles.corners[triangle, 2]
    ax, ay, az = np.float64(vertices.x[a]), np.float64(vertices.y[a]), np.float64(vertices.z[a])
    ux, uy, uz = vertices.x[b] - ax, vertices.y[b] - ay, vertices.z[b] - az
    vx, vy, vz = vertices.x[c] - ax, vertices.y[c] - ay, vertices.z[c] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    scale = 1.0 / np.sqrt(nx * nx + ny * ny + nz * nz)
    if assets.triangles.flags[triangle] & DOUBLE_SIDED:
        view = camera.pose
        if nx * (ax - view[9]) + ny * (ay - view[10]) + nz * (az - view[11]) > 0.0:
            scale = -scale
    return nx * scale, ny * scale, nz * scale
