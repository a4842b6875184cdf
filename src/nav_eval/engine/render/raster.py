"""Visibility: which triangle is nearest in each pixel, by scan conversion front to back.

Per pixel only 1/z and the triangle's number are written; colours are computed afterwards, once per visible pixel
(a visibility buffer: Burns and Hunt, JCGT 2013). Tiles of 8 x 8 pixels keep a lower bound of their 1/z (Greene,
Kass and Miller, "Hierarchical Z-Buffer Visibility", 1993), recomputed only when a test needs it.

Two triangles that share an edge compute its crossing with a row of pixels by the same operations in the same
order, from its upper vertex down, in float64 without contraction: there is no crack between them. A pixel
belongs to a span if its centre lies in [left, right). Every span is handled in blocks of eight pixels, written
whole with the old value where a pixel is not covered, so that the compiler turns a block into vector code.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.instructions import choose
from nav_eval.engine.render.layout import (
    CLUSTER_SIZE,
    DOUBLE_SIDED,
    F32,
    F64,
    I32,
    MASKED,
    MAX_ROWS,
    NEAR,
    SPOTS,
    TILE,
    U8,
    Assets,
    Camera,
    Scalar,
    Vertices,
    Workspace,
)
from nav_eval.engine.render.sample import alpha, barycentric_planes, blend_plane, level_of_detail, to_camera
from nav_eval.jit import inner

X, Y, W, SNAPPED_X, SNAPPED_Y, Z = (np.uint64(k * SPOTS) for k in range(6))
"""Where the arrays of a cluster's vertices begin in `screen`."""
START, AFTER, INVERSE = (np.uint64(k * MAX_ROWS) for k in range(3))
"""Where the arrays of a triangle's rows begin in `spans`."""
CUT = np.uint64(3 * CLUSTER_SIZE)
"""The spot from which on the corners of a triangle stand that the near plane cuts."""
X0, Y0, X1, Y1, X2, Y2 = (np.uint64(6 * SPOTS + k * CLUSTER_SIZE) for k in range(6))
"""Where in `screen` the snapped corners of a cluster's triangles begin."""
BEYOND = 1e30
"""1/z of the padding at the right and lower border: never the farthest of a tile."""


@inner(_nrt=False)
def draw(camera: Camera, assets: Assets, count: Scalar, upper: Scalar, lower: Scalar, work: Workspace) -> None:
    """Draw the clusters work.sorted[:count] in the rows from `upper` to `lower`, both of them borders of tiles or of
    the image: fills work.inverse_depth and work.ids there."""
    pose, stride = camera.pose, camera.stride
    left, top = camera.width * 0.5, camera.height * 0.5
    first_vertex, first_triangle = assets.clusters.first_vertex, assets.clusters.first_triangle
    vx, vy, vz = assets.vertices.x, assets.vertices.y, assets.vertices.z
    corners, flags = assets.triangles.corners, assets.triangles.flags
    depth, ids, far, dirty = work.inverse_depth, work.ids, work.far, work.dirty
    rect, nearest, order = work.rect, work.nearest, work.sorted
    screen, shown, kept = work.screen, work.shown, work.kept
    clear(camera, upper, lower, depth, ids, far, dirty)
    for k in range(count):
        cluster = order[k]
        above, below = max(rect[cluster, 2], upper), min(rect[cluster, 3], lower)
        closest = np.float32(1.000001) / nearest[cluster]
        if is_hidden(rect[cluster, 0], rect[cluster, 1], above, below, stride, closest, depth, far, dirty):
            continue
        first = first_vertex[cluster]
        project(pose, camera.focal, left, top, first, first_vertex[cluster + 1] - first, vx, vy, vz, screen)
        begin, end = first_triangle[cluster], first_triangle[cluster + 1]
        for i in range(
            may_show(begin, end - begin, first, float(camera.width), upper, lower, corners, flags, screen, shown, kept)
        ):
            triangle = begin + kept[i]
            a, b, c = (
                spot(corners, triangle, 0, first),
                spot(corners, triangle, 1, first),
                spot(corners, triangle, 2, first),
            )
            if min(screen[a + Z], min(screen[b + Z], screen[c + Z])) >= NEAR:
                fill(camera, assets, triangle, flags[triangle], screen, a, b, c, upper, lower, depth, ids, work)
            else:
                for k in range(1, clip_near(camera, assets, triangle, first, screen) - 1):
                    b, c = CUT + np.uint64(k), CUT + np.uint64(k + 1)
                    fill(camera, assets, triangle, flags[triangle], screen, CUT, b, c, upper, lower, depth, ids, work)
        mark_dirty(rect[cluster, 0], rect[cluster, 1], above, below, stride, dirty)


@inner(_nrt=False, forceinline=True)
def clear(camera: Camera, upper: Scalar, lower: Scalar, depth: F32, ids: I32, far: F32, dirty: U8) -> None:
    """Empty depth in some rows; tiles start clean with bound 0.

    depth (R,), ids (R + CHUNK,), far and dirty (R / 64,), as in `Workspace`.
    """
    stride, last = camera.stride, lower == camera.height
    begin, end = upper * stride, lower * stride
    depth[begin:end] = np.float32(0.0)
    ids[begin : ids.shape[0] if last else end] = np.int32(-1)
    tiles, after = begin // TILE**2, far.shape[0] if last else end // TILE**2
    far[tiles:after] = np.float32(0.0)
    dirty[tiles:after] = np.uint8(0)
    for y in range(upper, lower):
        for x in range(camera.width, stride):
            depth[y * stride + x] = np.float32(BEYOND)
    if last:
        depth[end:] = np.float32(BEYOND)


@inner(_nrt=False, forceinline=True)
def is_hidden(
    left: Scalar,
    right: Scalar,
    top: Scalar,
    bottom: Scalar,
    stride: Scalar,
    nearest: Scalar,
    depth: F32,
    far: F32,
    dirty: U8,
) -> bool:
    """True if in every tile of a cluster's rectangle all pixels are nearer than its box (`nearest`: 1/z).

    depth (R,), far and dirty (R / 64,).
    """
    across = stride // TILE
    for ty in range(top // TILE, (bottom + TILE - 1) // TILE):
        for tx in range(left // TILE, (right + TILE - 1) // TILE):
            tile = ty * across + tx
            if far[tile] < nearest:
                if dirty[tile]:
                    far[tile] = farthest(ty * TILE * stride + tx * TILE, stride, depth)
                    dirty[tile] = 0
                if far[tile] < nearest:
                    return False
    return True


@inner(_nrt=False, forceinline=True)
def farthest(origin: Scalar, stride: Scalar, depth: F32) -> Scalar:
    """The least 1/z of a tile that starts at pixel `origin`; eight columns side by side, which vectorises.

    depth: (R,) 1/z, 1/m.
    """
    lowest = np.float32(BEYOND)
    for row in range(TILE):
        at = np.uint64(origin + row * stride)
        for column in range(TILE):
            value = depth[at + np.uint64(column)]
            lowest = value if value < lowest else lowest
    return lowest


@inner(_nrt=False, forceinline=True)
def mark_dirty(left: Scalar, right: Scalar, top: Scalar, bottom: Scalar, stride: Scalar, dirty: U8) -> None:
    """The tiles of a cluster's rectangle may have come nearer. dirty: (R / 64,)."""
    across = stride // TILE
    for ty in range(top // TILE, (bottom + TILE - 1) // TILE):
        for tx in range(left // TILE, (right + TILE - 1) // TILE):
            dirty[ty * across + tx] = 1


@inner(_nrt=False, forceinline=True)
def project(
    pose: F64,
    focal: Scalar,
    left: Scalar,
    top: Scalar,
    first: Scalar,
    count: Scalar,
    vx: F32,
    vy: F32,
    vz: F32,
    screen: F64,
) -> None:
    """Screen position, 1/z and z of a cluster's vertices.

    pose (12,) as in `Camera`; vx, vy, vz (V,) metres; screen as in `Workspace`.
    """
    right_x, right_y, right_z, down_x, down_y, down_z = pose[0], pose[1], pose[2], pose[3], pose[4], pose[5]
    ahead_x, ahead_y, ahead_z, px, py, pz = pose[6], pose[7], pose[8], pose[9], pose[10], pose[11]
    for k in range(count):
        at = np.uint64(first + k)
        dx, dy, dz = vx[at] - px, vy[at] - py, vz[at] - pz
        z = ahead_x * dx + ahead_y * dy + ahead_z * dz
        w = 1.0 / z if z >= NEAR else 0.0
        x = left + focal * (right_x * dx + right_y * dy + right_z * dz) * w
        y = top + focal * (down_x * dx + down_y * dy + down_z * dz) * w
        here = np.uint64(k)
        screen[here + X] = x
        screen[here + Y] = y
        screen[here + W] = w
        screen[here + SNAPPED_X] = snap(x)
        screen[here + SNAPPED_Y] = snap(y)
        screen[here + Z] = z


@inner(_nrt=False, forceinline=True)
def snap(value: Scalar) -> Scalar:
    """To the nearest 1/256 pixel, as graphics hardware does, so that edges cover the pixels that Habitat's cover.

    Adding 1.5 * 2**52 leaves no bits for a fraction.
    """
    return ((value * 256.0 + 6755399441055744.0) - 6755399441055744.0) * 0.00390625


@inner(_nrt=False, forceinline=True)
def spot(corners: I32, triangle: Scalar, k: Scalar, first: Scalar) -> Scalar:
    """Where in a row of `screen` corner k of a triangle stands. corners: (T, 3)."""
    return np.uint64(corners[np.uint64(triangle), k] - first)


@inner(_nrt=False, forceinline=True)
def may_show(
    begin: Scalar,
    count: Scalar,
    first: Scalar,
    width: Scalar,
    upper: Scalar,
    lower: Scalar,
    corners: I32,
    flags: U8,
    screen: F64,
    shown: U8,
    kept: I32,
) -> Scalar:
    """Write those of a cluster's triangles to `kept` that face the camera and whose box holds a pixel's centre.

    A triangle cut by the near plane is kept. Three loops, of which the one in the middle vectorises.

    corners (T, 3), flags (T,); shown and kept (CLUSTER_SIZE,).
    """
    for k in range(count):
        at, triangle = np.uint64(k), begin + k
        a, b, c = (
            spot(corners, triangle, 0, first),
            spot(corners, triangle, 1, first),
            spot(corners, triangle, 2, first),
        )
        screen[at + X0], screen[at + Y0] = screen[a + SNAPPED_X], screen[a + SNAPPED_Y]
        screen[at + X1], screen[at + Y1] = screen[b + SNAPPED_X], screen[b + SNAPPED_Y]
        screen[at + X2], screen[at + Y2] = screen[c + SNAPPED_X], screen[c + SNAPPED_Y]
        shown[at] = (screen[a + Z] >= NEAR) + (screen[b + Z] >= NEAR) + (screen[c + Z] >= NEAR)
    for k in range(count):
        at = np.uint64(k)
        x0, y0, x1, y1 = screen[at + X0], screen[at + Y0], screen[at + X1], screen[at + Y1]
        x2, y2 = screen[at + X2], screen[at + Y2]
        turn = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        top, below = min(y0, min(y1, y2)), max(y0, max(y1, y2))
        left, right = min(x0, min(x1, x2)), max(x0, max(x1, x2))
        shows = (turn < 0.0) | ((turn > 0.0) & ((flags[np.uint64(begin + k)] & DOUBLE_SIDED) != 0))
        shows &= next_center(max(top, float(upper))) < next_center(min(below, float(lower)))
        shows &= next_center(max(left, 0.0)) < next_center(min(right, width))
        ahead = shown[at]
        shown[at] = np.uint8((ahead > 0) & (shows | (ahead < 3)))
    n: Scalar = 0
    for k in range(count):
        kept[np.uint64(n)] = k
        n += np.int64(shown[np.uint64(k)])
    return n


@inner(_nrt=False, forceinline=True)
def next_center(value: Scalar) -> Scalar:
    """The pixel whose centre comes next: ceil(value - 0.5) of a multiple of 1/256, as a float, by rounding."""
    return (value - 0.001953125 + 6755399441055744.0) - 6755399441055744.0


@inner(_nrt=False, forceinline=True)
def clip_near(camera: Camera, assets: Assets, triangle: Scalar, first: Scalar, screen: F64) -> int:
    """The part of a triangle before the near plane from spot CUT on; returns how many corners it has, 3 or 4.

    A cut edge is always walked from its visible end, so that both triangles of the edge get the same point.

    screen: of the shape in `Workspace`.
    """
    n = 0
    for k in range(3):
        a = assets.triangles.corners[triangle, k]
        b = assets.triangles.corners[triangle, (k + 1) % 3]
        spot_a, spot_b, new = np.uint64(a - first), np.uint64(b - first), CUT + np.uint64(n)
        ahead_a, ahead_b = screen[spot_a + Z] >= NEAR, screen[spot_b + Z] >= NEAR
        if ahead_a:
            for axis in (X, Y, W, SNAPPED_X, SNAPPED_Y):
                screen[new + axis] = screen[spot_a + axis]
            n += 1
        if ahead_a != ahead_b:
            seen, behind = (a, b) if ahead_a else (b, a)
            sx, sy, sz = to_camera(camera.pose, assets.vertices, seen)
            hx, hy, hz = to_camera(camera.pose, assets.vertices, behind)
            share = (NEAR - sz) / (hz - sz)
            scale = camera.focal / NEAR
            x = camera.width * 0.5 + (sx + share * (hx - sx)) * scale
            y = camera.height * 0.5 + (sy + share * (hy - sy)) * scale
            new = CUT + np.uint64(n)
            screen[new + X], screen[new + Y], screen[new + W] = x, y, 1.0 / NEAR
            screen[new + SNAPPED_X], screen[new + SNAPPED_Y] = snap(x), snap(y)
            n += 1
    return n


@inner(_nrt=False, forceinline=True)
def ceil(value: Scalar) -> Scalar:
    """Ceiling of a value from 0 to 2**20, without the call into the C library that math.ceil would be."""
    return np.int64(1048576) - np.int64(1048576.0 - value)


@inner(_nrt=False, forceinline=True)
def fill(
    camera: Camera,
    assets: Assets,
    triangle: Scalar,
    flags: Scalar,
    points: F64,
    a: Scalar,
    b: Scalar,
    c: Scalar,
    upper: Scalar,
    lower: Scalar,
    depth: F32,
    ids: I32,
    work: Workspace,
) -> None:
    """Scan-convert three of the points in the rows from `upper` to `lower`.

    Edges from snapped positions, 1/z from exact ones.

    points: of the shape of `Workspace.screen`; depth (R,), ids (R + CHUNK,).
    """
    x0, y0, x1, y1, x2, y2 = (
        points[a + SNAPPED_X],
        points[a + SNAPPED_Y],
        points[b + SNAPPED_X],
        points[b + SNAPPED_Y],
        points[c + SNAPPED_X],
        points[c + SNAPPED_Y],
    )
    turn = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if turn >= 0.0 and (turn == 0.0 or not flags & DOUBLE_SIDED):
        return  # turned away: counter-clockwise with y up is clockwise with y down
    top = ceil(max(min(y0, min(y1, y2)) - 0.5, float(upper)))
    end = ceil(min(max(y0, max(y1, y2)) - 0.5, float(lower)))
    left = ceil(max(min(x0, min(x1, x2)) - 0.5, 0.0))
    right = ceil(min(max(x0, max(x1, x2)) - 0.5, float(camera.width)))
    if top >= end or left >= right:
        return
    ox, oy, ow = points[a + X], points[a + Y], points[a + W]
    ax, ay, aw = points[b + X] - ox, points[b + Y] - oy, points[b + W] - ow
    bx, by, bw = points[c + X] - ox, points[c + Y] - oy, points[c + W] - ow
    det = ax * by - bx * ay
    if det == 0.0:
        return
    wx = (by * aw - ay * bw) / det
    wy = (ax * bw - bx * aw) / det
    corner = ow + wx * (0.5 - ox) + wy * (0.5 - oy)
    if y1 < y0:
        x0, y0, x1, y1 = x1, y1, x0, y0
    if y2 < y1:
        x1, y1, x2, y2 = x2, y2, x1, y1
        if y1 < y0:
            x0, y0, x1, y1 = x1, y1, x0, y0
    spans = work.spans
    middle = ceil(min(max(y1 - 0.5, float(top)), float(end)))
    cross_rows(top, middle, end, x0, y0, x1, y1, x2, y2, float(left), float(right), corner, wx, wy, spans)
    for y in range(top, end):
        row = np.uint64(y - top)
        start, after = spans[row + START], spans[row + AFTER]
        if start < after:
            if flags & MASKED:
                span_masked(camera, assets, triangle, y, start, after, corner + wy * y, wx, work)
            else:
                w32 = np.int32(spans[row + INVERSE]).view(np.float32)
                row_start, slope = y * camera.stride, np.float32(wx)
                span(row_start, camera.stride, start, after, w32, slope, np.int32(triangle), depth, ids)


@inner(_nrt=False, forceinline=True)
def cross_rows(
    top: Scalar,
    middle: Scalar,
    end: Scalar,
    x0: Scalar,
    y0: Scalar,
    x1: Scalar,
    y1: Scalar,
    x2: Scalar,
    y2: Scalar,
    first: Scalar,
    last: Scalar,
    corner: Scalar,
    wx: Scalar,
    wy: Scalar,
    spans: I32,
) -> None:
    """Write to `spans` where a triangle's edges cross the rows from `top` on: first pixel, the one after the last, 1/z.

    Its corners stand from top to bottom; from row `middle` on the second edge is the lower one. Rounded up to eight
    rows, so that it vectorises; 1/z is that at the start of the first pixel's block of eight.

    spans: (3 * MAX_ROWS,).
    """
    long, above, below = (x2 - x0) / (y2 - y0), (x1 - x0) / (y1 - y0), (x2 - x1) / (y2 - y1)
    turning = np.int32(middle - top)
    for k in range((end - top + TILE - 1) & ~(TILE - 1)):
        y = np.float64(np.int32(top + k))
        upper = np.int32(k) < turning
        ex, ey, slope = x0 if upper else x1, y0 if upper else y1, above if upper else below
        p = x0 + (y + 0.5 - y0) * long - 0.5
        q = ex + (y + 0.5 - ey) * slope - 0.5
        start = narrow_ceil(min(max(min(p, q), first), last))
        row = np.uint64(k)
        spans[row + START] = start
        spans[row + AFTER] = narrow_ceil(min(max(max(p, q), first), last))
        block = np.float64(np.int32(start & ~(TILE - 1)))
        spans[row + INVERSE] = np.float32(corner + wy * y + wx * block).view(np.int32)


@inner(_nrt=False, forceinline=True)
def narrow_ceil(value: Scalar) -> Scalar:
    """`ceil` as an int32, of which a vector holds twice as many."""
    return np.int32(1048576) - np.int32(1048576.0 - value)


@inner(_nrt=False, forceinline=True)
def span(
    origin: Scalar, stride: Scalar, a: Scalar, b: Scalar, w: Scalar, wx: Scalar, triangle: Scalar, depth: F32, ids: I32
) -> None:
    """Pixels a .. b - 1 of a row of `stride` pixels that starts at `origin`; w: 1/z at the start of the block of eight
    that holds a.

    Whole blocks are written, but not beyond the row: another thread may be drawing the next one. A 1/z that is nearer
    has the larger bits; a plain selection would become a masked store, which costs ten times as much.

    depth (R,), ids (R + CHUNK,).
    """
    size = (b - a + TILE - 1) & ~(TILE - 1)
    begin = min(a, stride - size)
    before, after, first = np.int32(a - begin), np.int32(b - begin), np.float32(begin - (a & ~(TILE - 1)))
    for i in range(size):
        at, lane = np.uint64(origin + begin + i), np.int32(i)
        q = w + wx * (first + np.float32(lane))
        old, seen = depth[at], ids[at]
        nearer = (q > old) & (lane >= before) & (lane < after)
        over = choose(nearer, np.float32(q).view(np.int32), np.int32(0))
        depth[at] = np.int32(max(over, np.float32(old).view(np.int32))).view(np.float32)
        ids[at] = choose(nearer, triangle, seen)


@inner(_nrt=False)
def span_masked(
    camera: Camera,
    assets: Assets,
    triangle: Scalar,
    y: Scalar,
    a: Scalar,
    b: Scalar,
    w: Scalar,
    wx: Scalar,
    work: Workspace,
) -> None:
    """As `span`, for a material with holes: a pixel that is nearest so far asks the texture. w: 1/z at x = 0."""
    corners = assets.triangles.corners[triangle]
    vertices = assets.vertices
    material = assets.triangles.material[triangle]
    materials = assets.materials
    planes = barycentric_planes(camera, vertices, corners[0], corners[1], corners[2])
    ux, uy, u0 = blend_plane(planes, vertices.u[corners[0]], vertices.u[corners[1]], vertices.u[corners[2]])
    vx, vy, v0 = blend_plane(planes, vertices.v[corners[0]], vertices.v[corners[1]], vertices.v[corners[2]])
    px, py, _ = blend_plane(planes, 1.0, 1.0, 1.0)
    width, height = materials.size[material, 0, 0] / 256.0, materials.size[material, 0, 1] / 256.0
    factor = materials.factor[material, 3]
    ax, ay, a0 = blend_plane(
        planes,
        corner_alpha(vertices, corners[0]) * factor,
        corner_alpha(vertices, corners[1]) * factor,
        corner_alpha(vertices, corners[2]) * factor,
    )
    cutoff = materials.cutoff[material]
    for x in range(a, b):
        q = np.float32(w + wx * x)
        at = y * camera.stride + x
        if q <= work.inverse_depth[at]:
            continue
        z = 1.0 / (w + wx * x)
        u = (u0 + ux * (x + 0.5) + uy * (y + 0.5)) * z
        v = (v0 + vx * (x + 0.5) + vy * (y + 0.5)) * z
        level = level_of_detail(
            (ux - u * px) * z, (uy - u * py) * z, (vx - v * px) * z, (vy - v * py) * z,
            width, height, materials.top[material],
        )  # fmt: skip
        opacity = (a0 + ax * (x + 0.5) + ay * (y + 0.5)) * z
        if alpha(assets.texels, materials, material, np.float32(u), np.float32(v), level) * opacity >= cutoff:
            work.inverse_depth[at] = q
            work.ids[at] = triangle


@inner(_nrt=False, forceinline=True)
def corner_alpha(vertices: Vertices, vertex: Scalar) -> Scalar:
    """Alpha of a vertex's colour, 0 to 1."""
    if vertices.color.shape[0] == 1:
        return 1.0
    return (vertices.color[vertex] >> np.uint32(24)) / 255.0
