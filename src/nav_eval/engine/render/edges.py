"""Antialiasing of edges: a pixel through which the edge of a surface runs takes its share of the neighbour's colour.

Where two neighbouring pixels show different surfaces, the edge of the nearer triangle tells where between their
centres the one ends and the other begins, and thereby how much of a pixel each covers (Persson, "Geometry Buffer
Anti-Aliasing", SIGGRAPH 2011). Steep edges are blended along rows, flat ones along columns. Depth and object ids stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from nav_eval.engine.render.layout import F32, F64, I32, U8, Assets, Camera, Plane, Scalar, Workspace
from nav_eval.engine.render.sample import barycentric_planes
from nav_eval.jit import inner, kernel

lowest_bit: Any = trailing_zeros
CONTRAST = 10
"""Sum over the channels; neighbours nearer in colour are left alone."""
FLAT = 2e-5
"""Share of 1/z by which the planes of two triangles may differ that count as one surface."""
NOWHERE = -1.0


@kernel(_nrt=False)
def blend(camera: Camera, assets: Assets, work: Workspace, plain: U8, rgb: U8) -> None:
    """Blend the edges in rgb (H * W * 3,), a copy of `plain`; work.seen is overwritten.

    Row by row: first the pairs of pixels between which an edge may run, then those alone are looked at closely.
    """
    width, ids, inverse_depth, pairs = camera.width, work.ids, work.inverse_depth, work.seen
    used = 0
    for y in range(camera.height):
        for k in range(find_pairs(camera, assets.triangles.material, ids, inverse_depth, y, plain, pairs)):
            x, dy = pairs[k] >> 1, pairs[k] & 1
            here = y * camera.stride + x
            there = here + (camera.stride if dy else 1)
            first, used = row_of(camera, assets, ids[here], used, work.slot, work.outlines)
            second, used = row_of(camera, assets, ids[there], used, work.slot, work.outlines)
            one_material = first >= 0 and second >= 0 and same_material(assets.triangles.material, ids, here, there)
            w, v = inverse_depth[here], inverse_depth[there]
            share = border(work.outlines, first, second, one_material, w, v, x + 0.5, y + 0.5, 1 - dy, dy)
            if share >= 0.0:
                at = 3 * (y * width + x)
                other = at + 3 * (width if dy else 1)
                target, source = (at, other) if share < 0.5 else (other, at)
                mix(plain, rgb, target, source, abs(0.5 - share))
    for k in range(used):
        work.slot[np.int64(work.outlines[k, 9]), 0] = -1


@inner(_nrt=False)
def find_pairs(
    camera: Camera, materials: I32, ids: I32, inverse_depth: F32, y: Scalar, plain: U8, pairs: I32
) -> Scalar:
    """Write the pairs of row y between which an edge may run: twice x, plus 1 for the pixel below; how many.

    materials (T,), ids (R + CHUNK,), inverse_depth (R,), plain (H * W * 3,), pairs (W * H,).
    """
    width, height, stride = camera.width, camera.height, camera.stride
    count = 0
    for word in range(0, width, 64):
        start = y * stride + word
        right = changes(ids, start, 1) & lowest(width - 1 - word)
        below = changes(ids, start, stride) & lowest(width - word) if y + 1 < height else np.uint64(0)
        left = right | below
        while left:
            i = np.uint64(lowest_bit(left))
            left &= left - np.uint64(1)
            x = word + np.int64(i)
            here, at = np.uint64(start) + i, np.uint64(3 * (y * width + x))
            if (right >> i) & np.uint64(1) and contrast(plain, at, at + np.uint64(3)) >= CONTRAST:
                inside = 0 < x < width - 2
                if not (inside and even(ids, materials, inverse_depth, here, np.uint64(1))):
                    pairs[count] = 2 * x
                    count += 1
            if (below >> i) & np.uint64(1) and contrast(plain, at, at + np.uint64(3 * width)) >= CONTRAST:
                inside = 0 < y < height - 2
                if not (inside and even(ids, materials, inverse_depth, here, np.uint64(stride))):
                    pairs[count] = 2 * x + 1
                    count += 1
    return count


@inner(_nrt=False, forceinline=True)
def changes(ids: I32, start: Scalar, step: Scalar) -> Scalar:
    """Bit i: ids[start + i] is another than that `step` further on; of 64 ids. ids: (R + CHUNK,)."""
    found = np.uint64(0)
    for i in range(64):
        at = np.uint64(start + i)
        found |= np.uint64(ids[at] != ids[at + np.uint64(step)]) << np.uint64(i)
    return found


@inner(_nrt=False, forceinline=True)
def lowest(count: Scalar) -> Scalar:
    """The lowest `count` bits of 64, at least 0."""
    return ~np.uint64(0) if count >= 64 else (np.uint64(1) << np.uint64(count)) - np.uint64(1)


@inner(_nrt=False, forceinline=True)
def row_of(
    camera: Camera, assets: Assets, triangle: Scalar, used: Scalar, slot: I32, outlines: F64
) -> tuple[Scalar, Scalar]:
    """Which row of `outlines` belongs to a triangle, -1 if there is none, and how many rows are used then.

    slot (T, 2), outlines (K, 10) as in `Workspace`.
    """
    if triangle < 0:
        return -1, used
    row = np.int64(slot[np.uint64(triangle), 0])
    if row >= 0:
        return row, used
    corners = assets.triangles.corners
    planes = barycentric_planes(
        camera, assets.vertices, corners[triangle, 0], corners[triangle, 1], corners[triangle, 2]
    )
    for k in range(3):
        for axis in range(3):
            outlines[used, 3 * k + axis] = planes[k][axis]
    outlines[used, 9] = triangle
    slot[triangle, 0] = used
    return used, used + 1


@inner(_nrt=False, forceinline=True)
def same_material(materials: I32, ids: I32, here: Scalar, there: Scalar) -> bool:
    """Of two pixels that show triangles. materials (T,), ids (R + CHUNK,)."""
    return bool(materials[np.uint64(ids[here])] == materials[np.uint64(ids[there])])


@inner(_nrt=False, forceinline=True)
def contrast(plain: U8, at: Scalar, other: Scalar) -> Scalar:
    """Sum of the channels' differences between the pixels whose colours begin at `at` and `other`.

    plain: (H * W * 3,).
    """
    red = abs(np.int64(plain[at]) - np.int64(plain[other]))
    green = abs(np.int64(plain[at + np.uint64(1)]) - np.int64(plain[other + np.uint64(1)]))
    blue = abs(np.int64(plain[at + np.uint64(2)]) - np.int64(plain[other + np.uint64(2)]))
    return red + green + blue


@inner(_nrt=False, forceinline=True)
def mix(plain: U8, rgb: U8, target: Scalar, source: Scalar, share: Scalar) -> None:
    """The pixel at `target` takes `share` of the colour at `source`. plain, rgb: (H * W * 3,)."""
    weight = np.int64(share * 256.0 + 0.5)
    for channel in range(3):
        step = (np.int64(plain[source + channel]) - np.int64(plain[target + channel])) * weight
        blended = np.int64(rgb[target + channel]) + ((step + 128) >> 8)
        rgb[target + channel] = np.uint8(min(max(blended, np.int64(0)), np.int64(255)))


@inner(_nrt=False, forceinline=True)
def even(ids: I32, materials: I32, inverse_depth: F32, here: Scalar, step: Scalar) -> bool:
    """Whether a pixel and the next show one material on one plane: 1/z goes on in equal steps.

    ids, inverse_depth: (R,); materials (T,).
    """
    there = here + step
    if ids[here] < 0 or ids[there] < 0:
        return False
    w0, w1, w2, w3 = inverse_depth[here - step], inverse_depth[here], inverse_depth[there], inverse_depth[there + step]
    limit = np.float32(FLAT) * w1
    if abs(w0 - w1 - (w1 - w2)) > limit or abs(w1 - w2 - (w2 - w3)) > limit:
        return False
    return same_material(materials, ids, here, there)


@inner(_nrt=False, forceinline=True)
def border(
    outlines: F64,
    first: Scalar,
    second: Scalar,
    one_material: bool,
    w: Scalar,
    v: Scalar,
    px: Scalar,
    py: Scalar,
    dx: Scalar,
    dy: Scalar,
) -> Scalar:
    """Where between two pixels' centres (0 to 1) the nearer surface ends; NOWHERE if no edge of this slope is there.

    first, second: their rows of `outlines` (K, 10), -1 where nothing is seen; w, v: their 1/z.
    """
    if second < 0:
        share, along, _ = leave(outlines, np.uint64(first), px, py, dx, dy)
        return share if along and share <= 1.0 else NOWHERE
    back, back_along, behind = leave(outlines, np.uint64(second), px + dx, py + dy, -dx, -dy)
    if first < 0:
        return 1.0 - back if back_along and back <= 1.0 else NOWHERE
    share, along, beyond = leave(outlines, np.uint64(first), px, py, dx, dy)
    if one_material and abs(beyond - v) < FLAT * v and abs(behind - w) < FLAT * w:
        return NOWHERE
    if share <= 1.0 and (back > 1.0 or beyond >= v):
        return share if along else NOWHERE
    return 1.0 - back if back_along and back <= 1.0 else NOWHERE


@inner(_nrt=False, forceinline=True)
def leave(outlines: F64, k: Scalar, px: Scalar, py: Scalar, dx: Scalar, dy: Scalar) -> tuple[Scalar, bool, Scalar]:
    """How far from a point within a triangle its edge is in a direction, in pixels, whether that edge runs across
    rather than along the direction, and 1/z of the triangle's plane one pixel on. outlines: (K, 10)."""
    a = outlines[k, 0], outlines[k, 1], outlines[k, 2]
    b = outlines[k, 3], outlines[k, 4], outlines[k, 5]
    c = outlines[k, 6], outlines[k, 7], outlines[k, 8]
    way, along = 1e9, False
    way, along = nearer(a, px, py, dx, dy, way, along)
    way, along = nearer(b, px, py, dx, dy, way, along)
    way, along = nearer(c, px, py, dx, dy, way, along)
    qx, qy = px + dx, py + dy
    w = (a[0] + b[0] + c[0]) * qx + (a[1] + b[1] + c[1]) * qy + a[2] + b[2] + c[2]
    return way, along, w


@inner(_nrt=False, forceinline=True)
def nearer(
    edge: Plane, px: Scalar, py: Scalar, dx: Scalar, dy: Scalar, way: Scalar, along: bool
) -> tuple[Scalar, bool]:
    """`way` and `along`, or those of `edge` if it is met before."""
    step = edge[0] * dx + edge[1] * dy
    value = edge[0] * px + edge[1] * py + edge[2]
    if step < 0.0 and value < way * -step:
        across = abs(edge[0]) >= abs(edge[1]) if dx != 0 else abs(edge[1]) > abs(edge[0])
        return max(value / -step, 0.0), across
    return way, along
