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
from nav_eval.simulator.render.sample import barycentric_planes, blend_plane, fold, level_of_detail, unit

RUN = 16
"""Longest run of pixels that shares a level of detail."""
INTO_TEXELS = np.float32(1 / 256)
"""Sizes are stored in 1/256 texel."""
STEADY = np.float32(1 / 32)
NEAR_TEXEL, FAR_TEXEL, FRACTIONS, WEIGHT, TAPS, COLOR = (np.uint64(k * PITCH) for k in (0, 1, 2, 3, 4, 12))
"""Where the row arrays begin: texel index of the finer and the coarser level, four 8-bit fractions, weight of the
coarser level (0 to 256), the eight texels, the blended colour."""
STEP = np.uint64(PITCH)
PAIR, HALVES = np.uint32(0x00FF00FF), np.uint32(0x00800080)
LOW, FIFTEEN = np.uint32(255), np.uint32(15)
EIGHT, TWELVE, SIXTEEN, TWENTY_FOUR = np.uint32(8), np.uint32(12), np.uint32(16), np.uint32(24)
u32 = np.uint32
"""Numba widens uint32 arithmetic to 64 bits; the cast after each step keeps it narrow, and the code in vectors."""


@kernel(_nrt=False)
def shade(camera: Camera, assets: Assets, headlight: bool, work: Workspace, rgb: U8) -> None:
    """Fill rgb (H * W * 3,) from work.ids. Pixels without a triangle are black.

    Arrays are taken out of their tuples once, here: doing so in a loop counts references each time.
    """
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
            x = 0
            while x < count:
                triangle = ids[origin + x]
                n = run_length(ids, origin + x, min(RUN, count - x), triangle)
                if triangle < 0:
                    plain(row, x, n, 0)
                    x += n
                    continue
                material = triangle_material[triangle]
                k = slot[triangle]
                if k < 0:
                    k = used
                    used += 1
                    slot[triangle] = k
                    seen[k] = triangle
                    prepare(camera, assets, headlight, triangle, material, k, left + x, y, work)
                tinted |= headlight or (flags[material] & MODULATED) != 0
                if flags[material] & TEXTURED:
                    while n > 0:
                        part = min(n, steady_run(planes, k, left + x, y))
                        locate(material, top, wrap, tiles, size, planes, k, left + x, y, x, part, row)
                        x += part
                        n -= part
                else:
                    plain(row, x, n, tiles[material, 0, 0])
                x += n
            gather(texels, count, row)
            blend(count, row)
            if tinted:
                tint(camera, assets, y, left, count, headlight, work)
            write(count, row, (y * camera.width + left) * 3, rgb)
    for k in range(used):
        slot[seen[k]] = -1


@kernel(_nrt=False, forceinline=True)
def run_length(ids, start, limit, triangle):
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


@kernel(_nrt=False, forceinline=True)
def plain(row, x, n, texel):
    """A run of one colour: `texel` is the first of its SOLID texels."""
    for i in range(x, x + n):
        at = np.uint64(i)
        row[at + NEAR_TEXEL] = texel
        row[at + FAR_TEXEL] = texel
        row[at + FRACTIONS] = 0
        row[at + WEIGHT] = 0


@kernel(_nrt=False, forceinline=True)
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
    plane[11] = STEADY / abs(plane[1])
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


@kernel(_nrt=False, forceinline=True)
def anchor(target, at, plane, x, y):
    """Store a plane as (value at pixel (x, y), step in x, step in y)."""
    target[at] = plane[2] + plane[0] * (x + 0.5) + plane[1] * (y + 0.5)
    target[at + 1] = plane[0]
    target[at + 2] = plane[1]


@kernel(_nrt=False, forceinline=True)
def vertex_color(vertices, vertex, channel):
    """0 to 1; 1 where the scene has no vertex colours."""
    if vertices.color.shape[0] == 1:
        return 1.0
    return ((vertices.color[vertex] >> np.uint32(8 * channel)) & np.uint32(255)) / 255.0


@kernel(_nrt=False)
def brightness(camera, assets, triangle):
    """Of a headlight on a triangle's plane: faces turned to the camera and upward are brighter."""
    nx, ny, nz = face_normal(camera, assets, triangle)
    ahead = camera.pose[6] * nx + camera.pose[7] * ny + camera.pose[8] * nz
    return 0.35 + 0.45 * abs(ahead) + 0.2 * (0.5 + 0.5 * ny)


@kernel(_nrt=False)
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


@kernel(_nrt=False, forceinline=True)
def steady_run(planes, k, px, py):
    """How many pixels from (px, py) on may share a level of detail, up to the end of a block of 2 x 2.

    1/z changes by at most STEADY among them, but for the two of a block.
    """
    dx, dy = np.float32(px) - planes[k, 9], np.float32(py) - planes[k, 10]
    w = planes[k, 0] + planes[k, 1] * dx + planes[k, 2] * dy
    return (max(np.int64(2), np.int64(min(w * planes[k, 11], np.float32(RUN)))) & ~1) - (px & 1)


@kernel(_nrt=False, forceinline=True)
def locate(material, top, wrap, tiles, size, planes, k, px, py, x, n, row):
    """Texel indices and weights of a run that starts at pixel (px, py).

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
    wide2, high2 = size[material, first + 1, 0], size[material, first + 1, 1]
    base, across = u32(tiles[material, first, 0]), u32(tiles[material, first, 1])
    base2, across2 = u32(tiles[material, first + 1, 0]), u32(tiles[material, first + 1, 1])
    mode_s, mode_t = wrap[material, 0], wrap[material, 1]
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


@kernel(_nrt=False, forceinline=True)
def put(row, i, s, t, wide, high, base, across, wide2, high2, base2, across2, weight):
    """Texel indices, fractions and weight of one pixel; s, t in [0, 1], sizes in 1/256 texel."""
    at = np.uint64(i)
    c = np.uint32(np.int32(s * wide + np.float32(128.5)))
    r = np.uint32(np.int32(t * high + np.float32(128.5)))
    row[at + NEAR_TEXEL] = tiled(c, r, base, across)
    c2 = np.uint32(np.int32(s * wide2 + np.float32(128.5)))
    r2 = np.uint32(np.int32(t * high2 + np.float32(128.5)))
    row[at + FAR_TEXEL] = tiled(c2, r2, base2, across2)
    near = (c & LOW) | u32((r & LOW) << EIGHT)
    row[at + FRACTIONS] = near | u32((c2 & LOW) << SIXTEEN) | u32((r2 & LOW) << TWENTY_FOUR)
    row[at + WEIGHT] = weight


@kernel(_nrt=False, forceinline=True)
def tiled(c, r, base, across):
    """Index of the texel at column c and row r, both in 1/256, of a level that starts at `base`."""
    tile = u32(u32(u32(r >> TWELVE) * across) + (c >> TWELVE))
    inside = u32(u32(((r >> EIGHT) & FIFTEEN) * np.uint32(17)) + ((c >> EIGHT) & FIFTEEN))
    return u32(u32(base + u32(tile * np.uint32(289))) + inside)


@kernel(_nrt=False, forceinline=True)
def gather(texels, count, row):
    """Load the four texels of both levels."""
    for i in range(count):
        k = np.uint64(i)
        at = np.uint64(row[k + NEAR_TEXEL])
        row[k + TAPS] = texels[at]
        row[k + TAPS + STEP] = texels[at + np.uint64(1)]
        row[k + TAPS + np.uint64(2) * STEP] = texels[at + np.uint64(17)]
        row[k + TAPS + np.uint64(3) * STEP] = texels[at + np.uint64(18)]
        at = np.uint64(row[k + FAR_TEXEL])
        row[k + TAPS + np.uint64(4) * STEP] = texels[at]
        row[k + TAPS + np.uint64(5) * STEP] = texels[at + np.uint64(1)]
        row[k + TAPS + np.uint64(6) * STEP] = texels[at + np.uint64(17)]
        row[k + TAPS + np.uint64(7) * STEP] = texels[at + np.uint64(18)]


@kernel(_nrt=False, forceinline=True)
def blend(count, row):
    """Bilinear in both levels, then linear between them."""
    for i in range(count):
        k = np.uint64(i)
        fractions = row[k + FRACTIONS]
        x, y = fractions & LOW, u32(fractions >> EIGHT) & LOW
        x2, y2 = u32(fractions >> SIXTEEN) & LOW, u32(fractions >> TWENTY_FOUR)
        weight = row[k + WEIGHT]
        a, b = row[k + TAPS], row[k + TAPS + STEP]
        c, d = row[k + TAPS + np.uint64(2) * STEP], row[k + TAPS + np.uint64(3) * STEP]
        e, f = row[k + TAPS + np.uint64(4) * STEP], row[k + TAPS + np.uint64(5) * STEP]
        g, h = row[k + TAPS + np.uint64(6) * STEP], row[k + TAPS + np.uint64(7) * STEP]
        even = mix(
            bilinear(a & PAIR, b & PAIR, c & PAIR, d & PAIR, x, y),
            bilinear(e & PAIR, f & PAIR, g & PAIR, h & PAIR, x2, y2),
            weight,
        )
        odd = mix(
            bilinear(upper(a), upper(b), upper(c), upper(d), x, y),
            bilinear(upper(e), upper(f), upper(g), upper(h), x2, y2),
            weight,
        )
        row[k + COLOR] = even | u32(odd << EIGHT)


@kernel(_nrt=False, forceinline=True)
def upper(color):
    """Channels 1 and 3."""
    return u32(color >> EIGHT) & PAIR


@kernel(_nrt=False, forceinline=True)
def bilinear(a, b, c, d, x, y):
    """Two channels of four texels, 16 bits apart; x, y: fractions out of 256."""
    xy = u32(u32(x * y) >> EIGHT)
    top = u32(u32(a * u32(u32(np.uint32(256) + xy) - u32(x + y))) + u32(b * u32(x - xy)))
    bottom = u32(u32(c * u32(y - xy)) + u32(d * xy))
    return u32(u32(u32(top + bottom) + HALVES) >> EIGHT) & PAIR


@kernel(_nrt=False, forceinline=True)
def mix(a, b, weight):
    """Two pairs of channels, `weight` out of 256 of the second."""
    total = u32(u32(a * u32(np.uint32(256) - weight)) + u32(b * weight))
    return u32(u32(total + HALVES) >> EIGHT) & PAIR


@kernel(_nrt=False)
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
        color = np.int64(work.row[COLOR + np.uint64(x)])
        red = ((color & 255) * r + 128) >> 8
        green = (((color >> 8) & 255) * g + 128) >> 8
        blue = (((color >> 16) & 255) * b + 128) >> 8
        work.row[COLOR + np.uint64(x)] = red | (green << 8) | (blue << 16)


@kernel(_nrt=False, forceinline=True)
def fixed(value):
    """Rounded and limited to 0 .. 256."""
    return np.int32(min(max(value + np.float32(0.5), np.float32(0.0)), np.float32(256.0)))


@kernel(_nrt=False, forceinline=True)
def write(count, row, start, rgb):
    """Three bytes a pixel from rgb[start] on."""
    for i in range(count):
        color = row[np.uint64(i) + COLOR]
        at = np.uint64(start + 3 * i)
        rgb[at] = np.uint8(color & LOW)
        rgb[at + np.uint64(1)] = np.uint8(u32(color >> EIGHT) & LOW)
        rgb[at + np.uint64(2)] = np.uint8(u32(color >> SIXTEEN) & LOW)
