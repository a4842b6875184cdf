"""Colours from a visibility buffer: textures are sampled once per visible pixel, in vector-friendly passes.

A row of pixels is taken in chunks of CHUNK. `locate` walks the runs of one triangle and writes, per pixel, where
in the texel array its two mip levels lie and with which weights; `gather` loads the eight texels; `blend` mixes
them (rows.py); `tint` multiplies vertex colours and factors in where a material has them. The level of detail is
taken once per run of at most RUN pixels, fewer where the surface recedes quickly.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.layout import (
    CHUNK,
    DOUBLE_SIDED,
    F32,
    I32,
    LIGHTMAPPED,
    MODULATED,
    TEXTURED,
    U8,
    U32,
    Assets,
    Camera,
    Plane,
    Scalar,
    Vertices,
    Workspace,
)
from nav_eval.engine.render.rows import COLOR, gather_near, lighten, put, put_near, sampled, solid, u32, write
from nav_eval.engine.render.sample import barycentric_planes, blend_plane, fold, level_of_detail, unit, within
from nav_eval.jit import inner, kernel

RUN = 16
"""Longest run of pixels that shares a level of detail."""
INTO_TEXELS = np.float32(1 / 256)
"""Sizes are stored in 1/256 texel."""
STEADY = np.float32(1 / 32)
"""1/z may change by this share within a run."""


@kernel(_nrt=False)
def shade(camera: Camera, assets: Assets, headlight: bool, work: Workspace, rgb: U8) -> None:
    """Fill rgb (H * W * 3,) from work.ids. Pixels without a triangle are black."""
    texels, row, ids = assets.texels, work.row, work.ids
    slot, seen, planes = work.slot, work.seen, work.planes
    triangle_material, materials = assets.triangles.material, assets.materials
    flags, top, wrap, tiles, size = materials.flags, materials.top, materials.wrap, materials.tiles, materials.size
    used = 0
    for y in range(camera.height):
        for left in range(0, camera.width, CHUNK):
            count = min(CHUNK, camera.width - left)
            origin = y * camera.stride + left
            tinted = False
            x, begun, levels = 0, 0, 0
            while x < count:
                triangle = ids[origin + x]
                n = run_length(ids, origin + x, min(RUN, count - x), triangle)
                if triangle < 0:
                    sampled(begun, x, levels, texels, row)
                    solid(row, x, n, texels[0])
                    x += n
                    begun = x
                    continue
                material = triangle_material[triangle]
                lit = headlight or (flags[material] & (MODULATED | LIGHTMAPPED)) != 0
                textured = (flags[material] & TEXTURED) != 0
                k = slot[triangle]
                if k < 0 and (lit or textured):
                    k = used
                    used += 1
                    slot[triangle] = k
                    seen[k] = triangle
                    prepare(camera, assets, headlight, triangle, material, k, left + x, y, work)
                tinted |= lit
                if not textured:
                    sampled(begun, x, levels, texels, row)
                    solid(row, x, n, texels[tiles[material, 0, 0]])
                    x += n
                    begun = x
                    continue
                while n > 0:
                    part = min(n, steady_run(planes, k, left + x, y))
                    needed = locate(material, top, wrap, tiles, size, planes, k, left + x, y, x, part, row)
                    if needed != levels:
                        sampled(begun, x, levels, texels, row)
                        begun, levels = x, needed
                    x += part
                    n -= part
            sampled(begun, x, levels, texels, row)
            if tinted:
                tint(camera, assets, y, left, count, headlight, work)
            write(count, row, (y * camera.width + left) * 3, rgb)
    for k in range(used):
        slot[seen[k]] = -1


@inner(_nrt=False, forceinline=True)
def run_length(ids: I32, start: Scalar, limit: Scalar, triangle: Scalar) -> Scalar:
    """How many of ids[start : start + limit] are `triangle` before the first that is not; the first one is."""
    n = 0
    while n + 4 <= limit:
        at = np.uint64(start + n)
        if (
            (ids[at] ^ triangle)
            | (ids[at + np.uint64(1)] ^ triangle)
            | (ids[at + np.uint64(2)] ^ triangle)
            | (ids[at + np.uint64(3)] ^ triangle)
        ):
            break
        n += 4
    while n < limit and ids[np.uint64(start + n)] == triangle:
        n += 1
    return n


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
    work: Workspace,
) -> None:
    """Planes of 1/z, u/z and v/z of a triangle seen for the first time, from pixel (x, y) on."""
    vertices = assets.vertices
    a = assets.triangles.corners[triangle, 0]
    b = assets.triangles.corners[triangle, 1]
    c = assets.triangles.corners[triangle, 2]
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


@inner(_nrt=False, forceinline=True)
def anchor(target: F32, at: Scalar, plane: Plane, x: Scalar, y: Scalar) -> None:
    """Store a plane as (value at pixel (x, y), step in x, step in y)."""
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


@inner(_nrt=False, forceinline=True)
def steady_run(planes: F32, k: Scalar, px: Scalar, py: Scalar) -> Scalar:
    """How many pixels from (px, py) on may share a level of detail, up to the end of a block of 2 x 2.

    1/z changes by at most STEADY among them, but for the two of a block.
    """
    dx, dy = np.float32(px) - planes[k, 9], np.float32(py) - planes[k, 10]
    w = planes[k, 0] + planes[k, 1] * dx + planes[k, 2] * dy
    return (max(np.int64(2), np.int64(min(w * planes[k, 11], np.float32(RUN)))) & ~1) - (px & 1)


@inner(_nrt=False, forceinline=True)
def locate(
    material: Scalar,
    top: I32,
    wrap: I32,
    tiles: I32,
    size: F32,
    planes: F32,
    k: Scalar,
    px: Scalar,
    py: Scalar,
    x: Scalar,
    n: Scalar,
    row: U32,
) -> Scalar:
    """Texel indices and weights of a run that starts at pixel (px, py); whether it needs one mip level or two.

    Rounded up to eight pixels: what is written too far is overwritten by the next run. The level of detail follows
    from differences within the block of 2 x 2 pixels in the middle of the run, as graphics hardware takes them.
    """
    one = np.float32(1.0)
    dx, dy = np.float32(px) - planes[k, 9], np.float32(py) - planes[k, 10]
    wx, wy, ux, uy, vx, vy = planes[k, 1], planes[k, 2], planes[k, 4], planes[k, 5], planes[k, 7], planes[k, 8]
    w = planes[k, 0] + wx * dx + wy * dy
    u = planes[k, 3] + ux * dx + uy * dy
    v = planes[k, 6] + vx * dx + vy * dy
    left = np.float32(((px + (n - 1) // 2) & ~1) - px)
    above = np.float32(-(py & 1))
    wq, uq, vq = w + wx * left + wy * above, u + ux * left + uy * above, v + vx * left + vy * above
    scale_x, scale_y = INTO_TEXELS / (wq * (wq + wx)), INTO_TEXELS / (wq * (wq + wy))
    level = level_of_detail(
        (ux * wq - uq * wx) * scale_x, (uy * wq - uq * wy) * scale_y,
        (vx * wq - vq * wx) * scale_x, (vy * wq - vq * wy) * scale_y,
        size[material, 0, 0], size[material, 0, 1], top[material],
    )  # fmt: skip
    first = level >> 8
    weight = np.uint32(level & 255)
    wide, high = size[material, first, 0], size[material, first, 1]
    base, across = u32(tiles[material, first, 0]), u32(tiles[material, first, 1])
    mode_s, mode_t = wrap[material, 0], wrap[material, 1]
    if weight == 0 and mode_s == 0 and mode_t == 0:
        for i in range((n + 7) & ~7):
            step = np.float32(np.int32(i))
            z = one / (w + wx * step)
            s, t = unit((u + ux * step) * z), unit((v + vx * step) * z)
            put_near(row, x + i, s, t, wide, high, base, across)
        return 1
    wide2, high2 = size[material, first + 1, 0], size[material, first + 1, 1]
    base2, across2 = u32(tiles[material, first + 1, 0]), u32(tiles[material, first + 1, 1])
    if mode_s != 0 or mode_t != 0:
        for i in range(n):
            z = one / (w + wx * np.float32(i))
            s, t = fold((u + ux * np.float32(i)) * z, mode_s), fold((v + vx * np.float32(i)) * z, mode_t)
            put(row, x + i, s, t, wide, high, base, across, wide2, high2, base2, across2, weight)
    else:
        for i in range((n + 7) & ~7):
            step = np.float32(np.int32(i))
            z = one / (w + wx * step)
            s, t = unit((u + ux * step) * z), unit((v + vx * step) * z)
            put(row, x + i, s, t, wide, high, base, across, wide2, high2, base2, across2, weight)
    return 2


@inner(_nrt=False)
def tint(
    camera: Camera, assets: Assets, y: Scalar, left: Scalar, count: Scalar, headlight: bool, work: Workspace
) -> None:
    """Multiply the colours of runs whose material has a factor, vertex colours or light."""
    origin = y * camera.stride + left
    x = 0
    while x < count:
        triangle = work.ids[origin + x]
        n = run_length(work.ids, origin + x, count - x, triangle)
        if triangle >= 0:
            material = assets.triangles.material[triangle]
            flags, slot = assets.materials.flags[material], work.slot[triangle]
            if flags & LIGHTMAPPED:
                light(assets, material, work.planes, work.lights, slot, left + x, y, x, n, work.row)
            if headlight or flags & MODULATED:
                modulate(work.planes[slot], work.tints[slot], left, y, x, x + n, work.row)
        x += n


@inner(_nrt=False)
def light(
    assets: Assets,
    material: Scalar,
    planes: F32,
    lights: F32,
    k: Scalar,
    px: Scalar,
    py: Scalar,
    x: Scalar,
    n: Scalar,
    row: U32,
) -> None:
    """Multiply a run that starts at pixel (px, py) with its lightmap: bilinear, the finest level only."""
    one = np.float32(1.0)
    wide, high = assets.materials.light_size[material, 0], assets.materials.light_size[material, 1]
    base, across = u32(assets.materials.light_tiles[material, 0]), u32(assets.materials.light_tiles[material, 1])
    dx, dy = np.float32(px) - planes[k, 9], np.float32(py) - planes[k, 10]
    wx, ux, vx = planes[k, 1], lights[k, 1], lights[k, 4]
    w = planes[k, 0] + wx * dx + planes[k, 2] * dy
    u = lights[k, 0] + ux * dx + lights[k, 2] * dy
    v = lights[k, 3] + vx * dx + lights[k, 5] * dy
    for i in range((n + 7) & ~7):
        step = np.float32(np.int32(i))
        z = one / (w + wx * step)
        put_near(row, x + i, within((u + ux * step) * z), within((v + vx * step) * z), wide, high, base, across)
    gather_near(assets.texels, x, x + n, row)
    lighten(x, x + n, row)


@inner(_nrt=False, forceinline=True)
def modulate(plane: F32, factor: F32, left: Scalar, y: Scalar, begin: Scalar, end: Scalar, row: U32) -> None:
    """Multiply the pixels from begin to end of a triangle with its interpolated vertex colours and factors."""
    for x in range(begin, end):
        dx, dy = np.float32(left + x) - plane[9], np.float32(y) - plane[10]
        z = np.float32(256.0) / (plane[0] + plane[1] * dx + plane[2] * dy)
        r = fixed((factor[0] + factor[1] * dx + factor[2] * dy) * z)
        g = fixed((factor[3] + factor[4] * dx + factor[5] * dy) * z)
        b = fixed((factor[6] + factor[7] * dx + factor[8] * dy) * z)
        color = np.int64(row[COLOR + np.uint64(x)])
        red = ((color & 255) * r + 128) >> 8
        green = (((color >> 8) & 255) * g + 128) >> 8
        blue = (((color >> 16) & 255) * b + 128) >> 8
        row[COLOR + np.uint64(x)] = red | (green << 8) | (blue << 16)


@inner(_nrt=False, forceinline=True)
def fixed(value: Scalar) -> Scalar:
    """Rounded and limited to 0 .. 256."""
    return np.int32(min(max(value + np.float32(0.5), np.float32(0.0)), np.float32(256.0)))
