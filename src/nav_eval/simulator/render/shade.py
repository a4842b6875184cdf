"""Colours from a visibility buffer: textures are sampled once per visible pixel, in vector-friendly passes.

A row of pixels is taken in chunks of CHUNK. `locate` walks the runs of one triangle and writes, per pixel, where
in the texel array its two mip levels lie and with which weights; `gather` loads the eight texels; `blend` mixes
them, two 8-bit channels in one 32-bit multiplication, rounded at each step; `tint` multiplies vertex colours and
factors in where a material has them. All row arrays lie in one buffer at constant distances, which lets
the compiler see that they do not overlap. The level of detail is taken once per run of at most RUN pixels.
"""

from __future__ import annotations

import numpy as np

from nav_eval.jit import kernel
from nav_eval.simulator.render.layout import (
    CHUNK,
    DOUBLE_SIDED,
    MODULATED,
    PITCH,
    TEXTURED,
    U8,
    Assets,
    Camera,
    Workspace,
)
from nav_eval.simulator.render.sample import barycentric_planes, blend_plane, floor, fold, level_of_detail

RUN = 16
"""Longest run of pixels that shares a level of detail."""
NEAR_TEXEL, FAR_TEXEL, FRACTIONS, WEIGHT, TAPS, COLOR = 0, PITCH, 2 * PITCH, 3 * PITCH, 4 * PITCH, 12 * PITCH
"""Where the row arrays begin: texel index of the finer and the coarser level, four 8-bit fractions, weight of the
coarser level (0 to 256), the eight texels, the blended colour."""


@kernel()
def shade(camera: Camera, assets: Assets, headlight: bool, work: Workspace, rgb: U8) -> None:
    """Fill rgb (H, W, 3) from work.ids. Pixels without a triangle are black."""
    flat = rgb.reshape(-1)
    seen = 0
    for y in range(camera.height):
        for left in range(0, camera.width, CHUNK):
            count = min(CHUNK, camera.width - left)
            seen, tinted = locate(camera, assets, headlight, y, left, count, seen, work)
            gather(assets.texels, count, work.row)
            blend(count, work.row)
            if tinted:
                tint(camera, assets, y, left, count, headlight, work)
            write(count, work.row, flat[(y * camera.width + left) * 3 :])
    for k in range(seen):
        work.slot[work.seen[k]] = -1


@kernel()
def locate(camera, assets, headlight, y, left, count, seen, work):
    """Texel indices and weights of `count` pixels; returns the number of triangles seen, and if any is tinted."""
    row = work.row
    materials = assets.materials
    origin = y * camera.stride + left
    tinted = False
    x = 0
    while x < count:
        triangle = work.ids[origin + x]
        n = 1
        while n < RUN and x + n < count and work.ids[origin + x + n] == triangle:
            n += 1
        if triangle < 0:
            plain(row, x, n, 0)
            x += n
            continue
        material = assets.triangles.material[triangle]
        slot = work.slot[triangle]
        if slot < 0:
            slot = seen
            seen += 1
            work.slot[triangle] = slot
            work.seen[slot] = triangle
            prepare(camera, assets, headlight, triangle, material, slot, left + x, y, work)
        tinted |= headlight or (materials.flags[material] & MODULATED) != 0
        if materials.flags[material] & TEXTURED:
            locate_run(materials, material, work.planes[slot], left + x, y, x, n, row)
        else:
            plain(row, x, n, materials.tiles[material, 0, 0])
        x += n
    return seen, tinted


@kernel()
def plain(row, x, n, texel):
    """A run of one colour: `texel` is the first of its SOLID texels."""
    for i in range(x, x + n):
        row[NEAR_TEXEL + i] = texel
        row[FAR_TEXEL + i] = texel
        row[FRACTIONS + i] = 0
        row[WEIGHT + i] = 0


@kernel()
def prepare(camera, assets, headlight, triangle, material, slot, x, y, work):
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
    if headlight or assets.materials.flags[material] & MODULATED:
        light = brightness(camera, assets, triangle) if headlight else 1.0
        for channel in range(3):
            factor = light * assets.materials.factor[material, channel]
            values = (
                vertex_color(vertices, a, channel) * factor,
                vertex_color(vertices, b, channel) * factor,
                vertex_color(vertices, c, channel) * factor,
            )
            anchor(work.tints[slot], 3 * channel, blend_plane(corners, values[0], values[1], values[2]), x, y)


@kernel()
def anchor(target, at, plane, x, y):
    """Store a plane as (value at pixel (x, y), step in x, step in y)."""
    target[at] = plane[2] + plane[0] * (x + 0.5) + plane[1] * (y + 0.5)
    target[at + 1] = plane[0]
    target[at + 2] = plane[1]


@kernel()
def vertex_color(vertices, vertex, channel):
    """0 to 1; 1 where the scene has no vertex colours."""
    if vertices.color.shape[0] == 1:
        return 1.0
    return ((vertices.color[vertex] >> np.uint32(8 * channel)) & np.uint32(255)) / 255.0


@kernel()
def brightness(camera, assets, triangle):
    """Of a headlight on a triangle's plane: faces turned to the camera and upward are brighter."""
    nx, ny, nz = face_normal(camera, assets, triangle)
    ahead = camera.pose[6] * nx + camera.pose[7] * ny + camera.pose[8] * nz
    return 0.35 + 0.45 * abs(ahead) + 0.2 * (0.5 + 0.5 * ny)


@kernel()
def face_normal(camera, assets, triangle):
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


@kernel()
def locate_run(materials, material, plane, px, py, x, n, row):
    """Texel indices and weights of a run that starts at pixel (px, py); rounded up to eight pixels, too far is harmless."""
    one = np.float32(1.0)
    dx, dy = np.float32(px) - plane[9], np.float32(py) - plane[10]
    w, wx = plane[0] + plane[1] * dx + plane[2] * dy, plane[1]
    u, ux = plane[3] + plane[4] * dx + plane[5] * dy, plane[4]
    v, vx = plane[6] + plane[7] * dx + plane[8] * dy, plane[7]
    half = np.float32(n - 1) * np.float32(0.5)
    z = one / (w + wx * half)
    uc, vc = (u + ux * half) * z, (v + vx * half) * z
    scale = z * np.float32(1 / 256)
    level = level_of_detail(
        ux - uc * wx, plane[5] - uc * plane[2], vx - vc * wx, plane[8] - vc * plane[2],
        materials.size[material, 0, 0] * scale, materials.size[material, 0, 1] * scale, materials.top[material],
    )  # fmt: skip
    first = level >> 8
    weight = np.int32(level & 255)
    wide, high = materials.size[material, first, 0], materials.size[material, first, 1]
    wide2, high2 = materials.size[material, first + 1, 0], materials.size[material, first + 1, 1]
    base, across = materials.tiles[material, first, 0], materials.tiles[material, first, 1]
    base2, across2 = materials.tiles[material, first + 1, 0], materials.tiles[material, first + 1, 1]
    mode_s, mode_t = materials.wrap[material, 0], materials.wrap[material, 1]
    if mode_s != 0 or mode_t != 0:
        for i in range(n):
            z = one / (w + wx * np.float32(i))
            s, t = fold((u + ux * np.float32(i)) * z, mode_s), fold((v + vx * np.float32(i)) * z, mode_t)
            put(row, x + i, s, t, wide, high, base, across, wide2, high2, base2, across2, weight)
    else:
        for i in range((n + 7) & ~7):
            z = one / (w + wx * np.float32(i))
            s, t = fold((u + ux * np.float32(i)) * z, 0), fold((v + vx * np.float32(i)) * z, 0)
            put(row, x + i, s, t, wide, high, base, across, wide2, high2, base2, across2, weight)


@kernel(inline="always")
def put(row, i, s, t, wide, high, base, across, wide2, high2, base2, across2, weight):
    """Texel indices, fractions and weight of one pixel; s, t in [0, 1], sizes in 1/256 texel."""
    c = np.int32(s * wide + np.float32(128.5))
    r = np.int32(t * high + np.float32(128.5))
    row[NEAR_TEXEL + i] = tiled(c, r, base, across)
    c2 = np.int32(s * wide2 + np.float32(128.5))
    r2 = np.int32(t * high2 + np.float32(128.5))
    row[FAR_TEXEL + i] = tiled(c2, r2, base2, across2)
    row[FRACTIONS + i] = (c & 255) | ((r & 255) << 8) | ((c2 & 255) << 16) | ((r2 & 255) << 24)
    row[WEIGHT + i] = weight


@kernel(inline="always")
def tiled(c, r, base, across):
    """Index of the texel at column c and row r, both in 1/256, of a level that starts at `base`."""
    tile = np.int32(np.int32((r >> 12) * across) + (c >> 12))
    return np.int32(np.int32(base + np.int32(tile * 289)) + np.int32(((r >> 8) & 15) * 17)) + ((c >> 8) & 15)


@kernel()
def gather(texels, count, row):
    """Load the four texels of both levels."""
    for i in range(count):
        at = np.uint64(row[NEAR_TEXEL + i])
        row[TAPS + i] = texels[at]
        row[TAPS + PITCH + i] = texels[at + np.uint64(1)]
        row[TAPS + 2 * PITCH + i] = texels[at + np.uint64(17)]
        row[TAPS + 3 * PITCH + i] = texels[at + np.uint64(18)]
        at = np.uint64(row[FAR_TEXEL + i])
        row[TAPS + 4 * PITCH + i] = texels[at]
        row[TAPS + 5 * PITCH + i] = texels[at + np.uint64(1)]
        row[TAPS + 6 * PITCH + i] = texels[at + np.uint64(17)]
        row[TAPS + 7 * PITCH + i] = texels[at + np.uint64(18)]


@kernel()
def blend(count, row):
    """Bilinear in both levels, then linear between them."""
    for i in range(count):
        fractions = row[FRACTIONS + i]
        x, y = fractions & 255, (fractions >> 8) & 255
        x2, y2 = (fractions >> 16) & 255, (fractions >> 24) & 255
        weight = row[WEIGHT + i]
        a, b = row[TAPS + i], row[TAPS + PITCH + i]
        c, d = row[TAPS + 2 * PITCH + i], row[TAPS + 3 * PITCH + i]
        e, f = row[TAPS + 4 * PITCH + i], row[TAPS + 5 * PITCH + i]
        g, h = row[TAPS + 6 * PITCH + i], row[TAPS + 7 * PITCH + i]
        even = mix(bilinear(a, b, c, d, x, y), bilinear(e, f, g, h, x2, y2), weight)
        odd = mix(
            bilinear(a >> 8, b >> 8, c >> 8, d >> 8, x, y), bilinear(e >> 8, f >> 8, g >> 8, h >> 8, x2, y2), weight
        )
        row[COLOR + i] = np.int32(even | np.int32(odd << 8))


@kernel(inline="always")
def bilinear(a, b, c, d, x, y):
    """Channels 0 and 2 of four texels; x, y: fractions out of 256."""
    mask = np.int32(0x00FF00FF)
    xy = np.int32(np.int32(x * y) >> 8)
    top = np.int32(np.int32((a & mask) * np.int32(256 - x - y + xy)) + np.int32((b & mask) * np.int32(x - xy)))
    bottom = np.int32(np.int32((c & mask) * np.int32(y - xy)) + np.int32((d & mask) * xy))
    return np.int32(np.int32(np.int32(top + bottom) + np.int32(0x00800080)) >> 8) & mask


@kernel(inline="always")
def mix(a, b, weight):
    """Two pairs of channels, `weight` out of 256 of the second."""
    total = np.int32(np.int32(a * np.int32(256 - weight)) + np.int32(b * weight))
    return np.int32(np.int32(total + np.int32(0x00800080)) >> 8) & np.int32(0x00FF00FF)


@kernel()
def tint(camera, assets, y, left, count, headlight, work):
    """Multiply the colours of runs whose material has a factor, vertex colours or light."""
    origin = y * camera.stride + left
    for x in range(count):
        triangle = work.ids[origin + x]
        if triangle < 0:
            continue
        if not headlight and not assets.materials.flags[assets.triangles.material[triangle]] & MODULATED:
            continue
        slot = work.slot[triangle]
        plane, factor = work.planes[slot], work.tints[slot]
        dx, dy = np.float32(left + x) - plane[9], np.float32(y) - plane[10]
        z = np.float32(256.0) / (plane[0] + plane[1] * dx + plane[2] * dy)
        r = fixed((factor[0] + factor[1] * dx + factor[2] * dy) * z)
        g = fixed((factor[3] + factor[4] * dx + factor[5] * dy) * z)
        b = fixed((factor[6] + factor[7] * dx + factor[8] * dy) * z)
        color = work.row[COLOR + x]
        red = ((color & 255) * r + 128) >> 8
        green = (((color >> 8) & 255) * g + 128) >> 8
        blue = (((color >> 16) & 255) * b + 128) >> 8
        work.row[COLOR + x] = red | (green << 8) | (blue << 16)


@kernel(inline="always")
def fixed(value):
    """Rounded and limited to 0 .. 256."""
    return np.int32(min(max(value + np.float32(0.5), np.float32(0.0)), np.float32(256.0)))


@kernel()
def write(count, row, rgb):
    for i in range(count):
        color = row[COLOR + i]
        rgb[3 * i] = color & 255
        rgb[3 * i + 1] = (color >> 8) & 255
        rgb[3 * i + 2] = (color >> 16) & 255
