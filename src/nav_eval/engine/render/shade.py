"""Colours from a visibility buffer: textures are sampled once per visible pixel, in vector-friendly passes.

A row of pixels is taken in chunks of CHUNK. `begin_run` notes the runs of one triangle; `find_levels` gives each its
level of detail; `join` makes longer stretches of them, and `locate` writes, per pixel, where in the texel array its two
mip levels lie; `gather` loads the eight texels; `blend` mixes them (rows.py); `tint` multiplies the chunk with light,
vertex colours and factors where a material has them; where there is no triangle, `paint` shows the sky. Passes hardly
branch on what the one before found, which nobody can foresee.
The level of detail is taken once per run of at most RUN pixels, fewer where the surface recedes quickly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from nav_eval.engine.render.instructions import spread
from nav_eval.engine.render.layout import (
    CHUNK,
    F32,
    I32,
    LIGHTMAPPED,
    MODULATED,
    TEXTURED,
    U8,
    U32,
    Assets,
    Camera,
    Materials,
    Plane,
    Scalar,
    Workspace,
)
from nav_eval.engine.render.planes import prepare
from nav_eval.engine.render.rows import (
    BLOCK,
    EIGHT,
    FAR_TEXEL,
    FIRST,
    HIGH,
    LANES,
    LENGTH,
    LEVEL,
    LIT_AFTER,
    LIT_FIRST,
    LIT_MATERIAL,
    LIT_SLOT,
    LOW,
    MATERIAL,
    MIDDLE,
    NEAR_TEXEL,
    RUN_U,
    RUN_V,
    RUN_W,
    SEVEN,
    SLOT,
    STEP,
    WEIGHT,
    WIDE,
    bits,
    gather_light,
    lighten,
    put,
    put_light,
    put_near,
    real,
    sampled,
    solid,
    u32,
    unlit,
    write,
)
from nav_eval.engine.render.sample import fold, level_of_detail, unit, within
from nav_eval.engine.render.sky import paint
from nav_eval.jit import inner

lowest_bit: Any = trailing_zeros
RUN = 16
"""Longest run of pixels that shares a level of detail."""
INTO_TEXELS = np.float32(1 / 256)
"""Sizes are stored in 1/256 texel."""


@inner(_nrt=False)
def shade(
    camera: Camera,
    assets: Assets,
    headlight: Scalar,
    beyond: U32,
    side: Scalar,
    upper: Scalar,
    lower: Scalar,
    used: Scalar,
    work: Workspace,
    rgb: U8,
) -> Scalar:
    """Fill the rows of rgb (H * W * 3,) from `upper` to `lower` from work.ids.

    Pixels without a triangle show `beyond`, (6 * side * side,) of a cube around, or black where `side` is 0.
    `used`: how many triangles have planes in `work` already; returns how many have them then.
    """
    texels, row, ids = assets.texels, work.row, work.ids
    slot, seen, planes, materials = work.slot, work.seen, work.planes, assets.materials
    flags, top, tiles, size = materials.flags, materials.top, materials.tiles, materials.size
    for y in range(upper, lower):
        for left in range(0, camera.width, CHUNK):
            count = min(CHUNK, camera.width - left)
            origin = y * camera.stride + left
            x, begun, runs, tinted = 0, 0, 0, 0
            for word in range(0, count, 64):
                ends = run_ends(ids, origin + word, count - word)
                while ends:
                    end: Scalar = word + np.int64(lowest_bit(ends)) + 1
                    ends &= ends - np.uint64(1)
                    triangle = ids[np.uint64(origin + x)]
                    material = np.uint64(0 if triangle < 0 else slot[np.uint64(triangle), 1])
                    textured = triangle >= 0 and (flags[material] & TEXTURED) != 0
                    lit = triangle >= 0 and (headlight or (flags[material] & (MODULATED | LIGHTMAPPED)) != 0)
                    k = -1
                    if lit or textured:
                        k = slot[np.uint64(triangle), 0]
                        if k < 0:
                            k = used
                            used += 1
                            slot[triangle, 0] = k
                            seen[k] = triangle
                            prepare(camera, assets, headlight, triangle, material, k, left + x, y, upper, work)
                    if lit:
                        note(np.uint64(tinted), x, end, k, material, row)
                        tinted += 1
                    if textured:
                        runs = begin_runs(runs, material, size, top, planes, np.uint64(k), left, y, x, end, row)
                    else:
                        if runs:
                            sample(runs, begun, x, left, y, assets, planes, row)
                            runs = 0
                        if triangle < 0 and side:
                            paint(camera, beyond, side, left, y, x, end, row)
                        else:
                            solid(row, x, end - x, texels[0 if triangle < 0 else tiles[material, 0, 0]])
                        begun = end
                    x = end
            if runs:
                sample(runs, begun, x, left, y, assets, planes, row)
            if tinted:
                tint(tinted, y, left, count, assets, headlight, work)
            write(count, row, (y * camera.width + left) * 3, rgb)
    return used


@inner(_nrt=False)
def sample(
    runs: Scalar, begin: Scalar, end: Scalar, left: Scalar, y: Scalar, assets: Assets, planes: F32, row: U32
) -> None:
    """Colours of the runs that were noted for the pixels from begin to end of a chunk.

    planes (W * H, PLANES), row (ROW_ARRAYS * PITCH,).
    """
    find_levels(runs, y, row)
    stretches, blended = join(runs, begin, left, row)
    locate(stretches, begin, left, y, assets.materials, planes, row)
    sampled(begin, end, blended, assets.texels, row)


@inner(_nrt=False)
def forget(used: Scalar, work: Workspace) -> None:
    """No triangle has planes any more, and no row its colours."""
    for k in range(used):
        work.slot[work.seen[k], 0] = -1
    work.colored[:] = np.uint8(0)


@inner(_nrt=False, forceinline=True)
def run_ends(ids: I32, start: Scalar, count: Scalar) -> Scalar:
    """Bit i: ids[start + i] is the last of its triangle's run; of 64 ids, or of the last `count` of a row.

    ids: (R + CHUNK,).
    """
    ends = np.uint64(0)
    for i in range(64):
        at = np.uint64(start + i)
        ends |= np.uint64(ids[at] != ids[at + np.uint64(1)]) << np.uint64(i)
    if count <= 64:
        final = np.uint64(1) << np.uint64(count - 1)
        ends = (ends & (final - np.uint64(1))) | final
    return ends


@inner(_nrt=False, forceinline=True)
def steady(planes: F32, k: Scalar, px: Scalar, py: Scalar) -> Scalar:
    """How many pixels, an even number, may share a level of detail at (px, py).

    1/z changes by at most STEADY among them, but for the two of a block of 2 x 2.

    planes: (W * H, PLANES).
    """
    dx, dy = np.float32(px) - planes[k, 9], np.float32(py) - planes[k, 10]
    w = planes[k, 0] + planes[k, 1] * dx + planes[k, 2] * dy
    return max(np.int64(2), np.int64(min(w * planes[k, 11], np.float32(RUN)))) & ~1


@inner(_nrt=False, forceinline=True)
def begin_runs(
    runs: Scalar,
    material: Scalar,
    size: F32,
    top: I32,
    planes: F32,
    k: Scalar,
    left: Scalar,
    y: Scalar,
    x: Scalar,
    end: Scalar,
    row: U32,
) -> Scalar:
    """Note the runs of a triangle seen in the pixels x to end of a chunk; how many there are in the row now.

    Each ends with a block of 2 x 2. What is steady at both ends alike is so between them: no run waits for the last.

    size (M, LEVELS, 2), top (M,), planes (W * H, PLANES), row (ROW_ARRAYS * PITCH,).
    """
    stop = min(x + RUN, end)
    room, last = steady(planes, k, left + x, y), steady(planes, k, left + end - 1, y)
    while x < end:
        n = min(stop - x, room - ((left + x) & 1))
        begin_run(np.uint64(runs), planes, k, left + x, y, n, row)
        at = np.uint64(runs)
        row[at + FIRST], row[at + LENGTH] = np.uint32(x), np.uint32(n)
        row[at + WIDE], row[at + HIGH] = bits(size[material, 0, 0]), bits(size[material, 0, 1])
        row[at + LEVEL], row[at + MATERIAL] = np.uint32(top[material]), np.uint32(material)
        row[at + SLOT] = np.uint32(k)
        runs += 1
        x += n
        stop = min(stop + RUN, end) if x == stop else stop
        if room != last:
            room = steady(planes, k, left + x, y)
    return runs


@inner(_nrt=False, forceinline=True)
def begin_run(at: Scalar, planes: F32, k: Scalar, px: Scalar, py: Scalar, n: Scalar, row: U32) -> None:
    """Note the planes of run `at` at its first pixel (px, py), and the block of 2 x 2 in its middle.

    planes (W * H, PLANES), row (ROW_ARRAYS * PITCH,).
    """
    dx, dy = np.float32(px) - planes[k, 9], np.float32(py) - planes[k, 10]
    for first, target in ((np.uint64(0), RUN_W), (np.uint64(3), RUN_U), (np.uint64(6), RUN_V)):
        step_x, step_y = planes[k, first + np.uint64(1)], planes[k, first + np.uint64(2)]
        row[at + target] = bits(planes[k, first] + step_x * dx + step_y * dy)
        row[at + target + STEP] = bits(step_x)
        row[at + target + STEP + STEP] = bits(step_y)
    row[at + MIDDLE] = np.uint32(((px + ((n - 1) >> 1)) & ~1) - px + 1)


@inner(_nrt=False)
def find_levels(runs: Scalar, y: Scalar, row: U32) -> None:
    """Level of detail times 256 of each run, in place of the last level.

    It follows from differences within the block of 2 x 2 pixels in the middle of the run, as graphics hardware takes
    them.

    row: (ROW_ARRAYS * PITCH,).
    """
    above = np.float32(-(y & 1))
    for start in range(0, runs, BLOCK):
        for i in range(start, start + BLOCK):
            at = np.uint64(i)
            left = np.float32(np.int32(row[at + MIDDLE])) - np.float32(1.0)
            w, wx, wy = in_the_middle(row, at + RUN_W, left, above)
            u, ux, uy = in_the_middle(row, at + RUN_U, left, above)
            v, vx, vy = in_the_middle(row, at + RUN_V, left, above)
            scale_x, scale_y = INTO_TEXELS / (w * (w + wx)), INTO_TEXELS / (w * (w + wy))
            row[at + LEVEL] = np.uint32(level_of_detail(
                (ux * w - u * wx) * scale_x, (uy * w - u * wy) * scale_y,
                (vx * w - v * wx) * scale_x, (vy * w - v * wy) * scale_y,
                real(row[at + WIDE]), real(row[at + HIGH]), np.int32(row[at + LEVEL]),
            ))  # fmt: skip


@inner(_nrt=False, forceinline=True)
def in_the_middle(row: U32, at: Scalar, left: Scalar, above: Scalar) -> Plane:
    """Value of a run's plane there, and its steps. row: (ROW_ARRAYS * PITCH,)."""
    step_x, step_y = real(row[at + STEP]), real(row[at + STEP + STEP])
    return real(row[at]) + step_x * left + step_y * above, step_x, step_y


@inner(_nrt=False)
def join(runs: Scalar, begin: Scalar, left: Scalar, row: U32) -> tuple[Scalar, Scalar]:
    """Join neighbouring runs of a triangle whose finer level is the same; to each pixel its run's begin and weight.

    How many stretches there are, and which blocks, counted from pixel `begin`, need two levels, a bit for each. What a
    stretch has in common takes the place of runs: its last run's entries, but LENGTH is the pixel after its last one,
    and the weight in LEVEL is 0 where no pixel has any.

    row: (ROW_ARRAYS * PITCH,).
    """
    n: Scalar = 0
    blended: Scalar = 0
    slot, near, weights = np.uint32(0xFFFFFFFF), np.uint32(0), np.uint32(0)
    for run in range(runs):
        at = np.uint64(run)
        x, level = np.int64(row[at + FIRST]), row[at + LEVEL]
        after, weight = x + np.int64(row[at + LENGTH]), level & LOW
        other = (row[at + SLOT] != slot) | (u32(level >> EIGHT) != near)
        slot, near = row[at + SLOT], u32(level >> EIGHT)
        weights = weight if other else weights | weight
        n += np.int64(other)
        here = np.uint64(n - 1)
        row[here + SLOT], row[here + MATERIAL] = slot, row[at + MATERIAL]
        row[here + LENGTH], row[here + LEVEL] = np.uint32(after), u32(near << EIGHT) | weights
        two = np.int64(weight != 0)
        blended |= (two << ((x - begin) // BLOCK)) | (two << ((after - 1 - begin) // BLOCK))
        spread(row, np.uint64(x) + WEIGHT, u32(np.uint32(left + x) << EIGHT) | weight)
    return n, blended


@inner(_nrt=False)
def locate(
    stretches: Scalar, begin: Scalar, left: Scalar, y: Scalar, materials: Materials, planes: F32, row: U32
) -> None:
    """Texel indices and fractions of the pixels of all stretches, from pixel `begin` of a chunk on.

    Of LANES pixels at once, however long the stretch: what is written too far is overwritten by the next one.

    planes (W * H, PLANES), row (ROW_ARRAYS * PITCH,).
    """
    x = begin
    for stretch in range(stretches):
        at = np.uint64(stretch)
        k, material, level = np.uint64(row[at + SLOT]), np.uint64(row[at + MATERIAL]), row[at + LEVEL]
        after, near = np.int64(row[at + LENGTH]), np.uint64(level >> EIGHT)
        far, anchor_x = near + np.uint64(1), planes[k, 9]
        w, u, v = in_row(planes, k, 0, y), in_row(planes, k, 3, y), in_row(planes, k, 6, y)
        wide, high = materials.size[material, near, 0], materials.size[material, near, 1]
        base, across = u32(materials.tiles[material, near, 0]), u32(materials.tiles[material, near, 1])
        wide2, high2 = materials.size[material, far, 0], materials.size[material, far, 1]
        base2, across2 = u32(materials.tiles[material, far, 0]), u32(materials.tiles[material, far, 1])
        mode_s, mode_t = materials.wrap[material, 0], materials.wrap[material, 1]
        if mode_s != 0 or mode_t != 0:
            for i in range(x, after):
                s, t = coordinates(w, u, v, anchor_x, left, i, row)
                s, t = fold(s, mode_s), fold(t, mode_t)
                put(row, i, s, t, wide, high, base, across, wide2, high2, base2, across2)
        elif level & LOW:
            for block in range(x, after, LANES):
                for i in range(block, block + LANES):
                    s, t = coordinates(w, u, v, anchor_x, left, i, row)
                    put(row, i, unit(s), unit(t), wide, high, base, across, wide2, high2, base2, across2)
        else:
            for block in range(x, after, LANES):
                for i in range(block, block + LANES):
                    s, t = coordinates(w, u, v, anchor_x, left, i, row)
                    put_near(row, i, unit(s), unit(t), wide, high, base, across)
                    row[np.uint64(i) + FAR_TEXEL] = row[np.uint64(i) + NEAR_TEXEL]
        x = after


@inner(_nrt=False, forceinline=True)
def in_row(planes: F32, k: Scalar, first: Scalar, y: Scalar) -> Plane:
    """Of a plane in row y: value at the anchor's column, step in x, and what the row adds. planes: (W * H, PLANES)."""
    at, dy = np.uint64(first), np.float32(y) - planes[k, 10]
    return planes[k, at], planes[k, at + np.uint64(1)], planes[k, at + np.uint64(2)] * dy


@inner(_nrt=False, forceinline=True)
def coordinates(
    w: Plane, u: Plane, v: Plane, anchor_x: Scalar, left: Scalar, i: Scalar, row: U32
) -> tuple[Scalar, Scalar]:
    """Texture coordinates of pixel i of a chunk: the planes where its run begins, then steps from there.

    row: (ROW_ARRAYS * PITCH,).
    """
    start = np.float32(np.int32(row[np.uint64(i) + WEIGHT] >> EIGHT))
    dx, step = start - anchor_x, np.float32(np.int32(left + i)) - start
    z = np.float32(1.0) / (w[0] + w[1] * dx + w[2] + w[1] * step)
    return (u[0] + u[1] * dx + u[2] + u[1] * step) * z, (v[0] + v[1] * dx + v[2] + v[1] * step) * z


@inner(_nrt=False, forceinline=True)
def note(at: Scalar, first: Scalar, after: Scalar, k: Scalar, material: Scalar, row: U32) -> None:
    """Remember a run whose colours are multiplied. row: (ROW_ARRAYS * PITCH,)."""
    row[at + LIT_FIRST], row[at + LIT_AFTER] = np.uint32(first), np.uint32(after)
    row[at + LIT_SLOT], row[at + LIT_MATERIAL] = np.uint32(k), np.uint32(material)


@inner(_nrt=False)
def tint(
    runs: Scalar, y: Scalar, left: Scalar, count: Scalar, assets: Assets, headlight: bool, work: Workspace
) -> None:
    """Multiply the colours of the runs that were noted with light, else with vertex colours and factors.

    Where a material has both, the latter come in a second pass.
    """
    row, flags, both = work.row, assets.materials.flags, False
    x: Scalar = 0
    begun: Scalar = 0
    for run in range(runs):
        at = np.uint64(run)
        first, after = np.int64(row[at + LIT_FIRST]), np.int64(row[at + LIT_AFTER])
        k, material = np.uint64(row[at + LIT_SLOT]), np.uint64(row[at + LIT_MATERIAL])
        lightmapped = (flags[material] & LIGHTMAPPED) != 0
        if first > x or not lightmapped:
            gather_light(begun, x, assets.texels, row)
            unlit(x, first, row)
            begun = first
        if lightmapped:
            both |= headlight or (flags[material] & MODULATED) != 0
            locate_light(assets.materials, material, work.planes, work.lights, k, left, y, first, after, row)
        else:
            modulate(work.planes, work.tints, k, left, y, first, after, row)
            begun = after
        x = after
    gather_light(begun, x, assets.texels, row)
    unlit(x, count, row)
    lighten(count, row)
    if both:
        tint_again(runs, y, left, count, assets, headlight, work)


@inner(_nrt=False)
def tint_again(
    runs: Scalar, y: Scalar, left: Scalar, count: Scalar, assets: Assets, headlight: bool, work: Workspace
) -> None:
    """Multiply the runs that have light and a factor with the latter."""
    row, flags = work.row, assets.materials.flags
    x: Scalar = 0
    for run in range(runs):
        at = np.uint64(run)
        first, after = np.int64(row[at + LIT_FIRST]), np.int64(row[at + LIT_AFTER])
        k, material = np.uint64(row[at + LIT_SLOT]), np.uint64(row[at + LIT_MATERIAL])
        if flags[material] & LIGHTMAPPED and (headlight or flags[material] & MODULATED):
            unlit(x, first, row)
            modulate(work.planes, work.tints, k, left, y, first, after, row)
            x = after
    unlit(x, count, row)
    lighten(count, row)


@inner(_nrt=False)
def locate_light(
    materials: Materials,
    material: Scalar,
    planes: F32,
    lights: F32,
    k: Scalar,
    left: Scalar,
    y: Scalar,
    begin: Scalar,
    end: Scalar,
    row: U32,
) -> None:
    """Texel indices and fractions in the lightmap, its finest level, of a run; rounded up to LANES pixels.

    planes (W * H, PLANES), lights (W * H, 6), row (ROW_ARRAYS * PITCH,).
    """
    one = np.float32(1.0)
    wide, high = materials.light_size[material, 0], materials.light_size[material, 1]
    base, across = u32(materials.light_tiles[material, 0]), u32(materials.light_tiles[material, 1])
    dx, dy = np.float32(left + begin) - planes[k, 9], np.float32(y) - planes[k, 10]
    wx, ux, vx = planes[k, 1], lights[k, 1], lights[k, 4]
    w = planes[k, 0] + wx * dx + planes[k, 2] * dy
    u = lights[k, 0] + ux * dx + lights[k, 2] * dy
    v = lights[k, 3] + vx * dx + lights[k, 5] * dy
    for block in range(begin, end, LANES):
        for i in range(block, block + LANES):
            step = np.float32(np.int32(i - begin))
            z = one / (w + wx * step)
            put_near(row, i, within((u + ux * step) * z), within((v + vx * step) * z), wide, high, base, across)


@inner(_nrt=False)
def modulate(planes: F32, tints: F32, k: Scalar, left: Scalar, y: Scalar, begin: Scalar, end: Scalar, row: U32) -> None:
    """Interpolated vertex colours and factors of a run as its light; rounded up to LANES pixels.

    planes (W * H, PLANES), tints (W * H, 9), row (ROW_ARRAYS * PITCH,).
    """
    anchor, dy = planes[k, 9], np.float32(y) - planes[k, 10]
    w, wx, wy = planes[k, 0], planes[k, 1], planes[k, 2] * dy
    r, rx, ry = tints[k, 0], tints[k, 1], tints[k, 2] * dy
    g, gx, gy = tints[k, 3], tints[k, 4], tints[k, 5] * dy
    b, bx, by = tints[k, 6], tints[k, 7], tints[k, 8] * dy
    for block in range(begin, end, LANES):
        for i in range(block, block + LANES):
            dx = np.float32(np.int32(left + i)) - anchor
            z = np.float32(256.0) / (w + wx * dx + wy)
            put_light(
                np.uint64(i), fixed((r + rx * dx + ry) * z), fixed((g + gx * dx + gy) * z),
                fixed((b + bx * dx + by) * z), row,
            )  # fmt: skip


@inner(_nrt=False, forceinline=True)
def fixed(value: Scalar) -> Scalar:
    """Rounded and limited to 0 .. 256, in 1/128 of that: a light of 256 * 128 is 1."""
    inside = min(max(value + np.float32(0.5), np.float32(0.0)), np.float32(256.0))
    return u32(np.uint32(np.int32(inside)) << SEVEN)
