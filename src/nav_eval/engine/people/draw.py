"""People laid over a frame: their skins bent by their bones, lit, and drawn where nothing of the building is nearer.

The building's frame is finished when people are drawn into it, so a frame without them is what it always was. Depth
is compared as in the renderer, by 1/z; a pixel is covered if its centre is, by exact edge functions on corners snapped
to 1/256 pixel, with the top-left rule, so that neighbouring triangles leave no crack. Colours are computed at the
corners and blended without perspective, which triangles of a few pixels do not need. Light comes from above; under the
feet the floor is darker.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.people.kinds import F64, I32, Canvas, Eye, Scalar, Skin
from nav_eval.jit import inner, kernel

NEAR = 0.01
SKY, SIDE, GROUND = 0.98, 0.70, 0.46
"""Light on what faces up, sideways and down, in stored values."""
KEY = (-0.35, 0.55, 0.76)
KEY_LIGHT = 0.16
SHADOW, SHADOW_REACH = 0.42, 0.42
"""How much of its light the floor loses right under a body, and how far, m."""


@kernel(_nrt=False)
def bend(eye: Eye, skin: Skin, bones: F64, light: float, corners: F64, box: I32) -> bool:
    """Fill corners (V, 10): x and y snapped, 1/z, red, green, blue, 1 where before the camera, z, x and y.

    `box`: left, right, top, bottom of what may show; False if nothing does.
    """
    pose, focal = eye.pose, eye.focal
    left, top = eye.width * 0.5, eye.height * 0.5
    x_low, x_high, y_low, y_high = 1e9, -1e9, 1e9, -1e9
    for v in range(skin.points.shape[0]):
        a, b, share = skin.first[v], skin.second[v], float(skin.share[v])
        px, py, pz = skin.points[v, 0], skin.points[v, 1], skin.points[v, 2]
        nx, ny, nz = skin.normals[v, 0], skin.normals[v, 1], skin.normals[v, 2]
        x, y, z = spot(bones, a, px, py, pz)
        ux, uy, uz = turned(bones, a, nx, ny, nz)
        if share > 0.0:
            x2, y2, z2 = spot(bones, b, px, py, pz)
            ux2, uy2, uz2 = turned(bones, b, nx, ny, nz)
            x, y, z = x + (x2 - x) * share, y + (y2 - y) * share, z + (z2 - z) * share
            ux, uy, uz = ux + (ux2 - ux) * share, uy + (uy2 - uy) * share, uz + (uz2 - uz) * share
        dx, dy, dz = x - pose[9], y - pose[10], z - pose[11]
        depth = pose[6] * dx + pose[7] * dy + pose[8] * dz
        corners[v, 7] = depth
        if depth < NEAR:
            corners[v, 6] = 0.0
            continue
        w = 1.0 / depth
        corners[v, 8] = left + focal * (pose[0] * dx + pose[1] * dy + pose[2] * dz) * w
        corners[v, 9] = top + focal * (pose[3] * dx + pose[4] * dy + pose[5] * dz) * w
        sx, sy = snap(corners[v, 8]), snap(corners[v, 9])
        key = max(0.0, ux * KEY[0] + uy * KEY[1] + uz * KEY[2])
        lit = SIDE + (SKY - SIDE) * uy if uy > 0.0 else SIDE + (SIDE - GROUND) * uy
        lit = (lit + KEY_LIGHT * key) * light
        corners[v, 0], corners[v, 1], corners[v, 2] = sx, sy, w
        for c in range(3):
            corners[v, 3 + c] = min(skin.colours[v, c] * lit, 1.0) * 255.0
        corners[v, 6] = 1.0
        x_low, x_high = min(x_low, sx), max(x_high, sx)
        y_low, y_high = min(y_low, sy), max(y_high, sy)
    box[0], box[1] = max(int(x_low), 0), min(int(min(x_high, 1e6)) + 1, eye.width)
    box[2], box[3] = max(int(y_low), 0), min(int(min(y_high, 1e6)) + 1, eye.height)
    return bool(box[0] < box[1] and box[2] < box[3])


@inner(_nrt=False, forceinline=True)
def spot(bones: F64, k: Scalar, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Where a bone takes a point."""
    return (
        bones[k, 0, 0] * x + bones[k, 0, 1] * y + bones[k, 0, 2] * z + bones[k, 0, 3],
        bones[k, 1, 0] * x + bones[k, 1, 1] * y + bones[k, 1, 2] * z + bones[k, 1, 3],
        bones[k, 2, 0] * x + bones[k, 2, 1] * y + bones[k, 2, 2] * z + bones[k, 2, 3],
    )


@inner(_nrt=False, forceinline=True)
def turned(bones: F64, k: Scalar, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Where a bone turns a direction."""
    return (
        bones[k, 0, 0] * x + bones[k, 0, 1] * y + bones[k, 0, 2] * z,
        bones[k, 1, 0] * x + bones[k, 1, 1] * y + bones[k, 1, 2] * z,
        bones[k, 2, 0] * x + bones[k, 2, 1] * y + bones[k, 2, 2] * z,
    )


@inner(_nrt=False, forceinline=True)
def snap(value: Scalar) -> Scalar:
    """To the nearest 1/256 pixel."""
    return ((value * 256.0 + 6755399441055744.0) - 6755399441055744.0) * 0.00390625


@kernel(_nrt=False)
def paint(eye: Eye, canvas: Canvas, triangles: I32, corners: F64, first_id: int) -> None:
    """Draw the triangles; a pixel that triangle k wins gets the id `first_id` - k."""
    for k in range(triangles.shape[0]):
        a, b, c = triangles[k, 0], triangles[k, 1], triangles[k, 2]
        if corners[a, 6] + corners[b, 6] + corners[c, 6] == 3.0:
            fill(eye, canvas, corners, a, b, c, np.int32(first_id - k))


@inner(_nrt=False)
def fill(eye: Eye, canvas: Canvas, corners: F64, a: Scalar, b: Scalar, c: Scalar, name: Scalar) -> None:
    """One triangle; those that face away (clockwise with y up) are left out."""
    x0, y0, x1, y1, x2, y2 = corners[a, 0], corners[a, 1], corners[b, 0], corners[b, 1], corners[c, 0], corners[c, 1]
    area = (x2 - x0) * (y1 - y0) - (x1 - x0) * (y2 - y0)
    if area <= 0.0:
        return
    left = max(int(np.ceil(min(x0, min(x1, x2)) - 0.5)), 0)
    right = min(int(np.floor(max(x0, max(x1, x2)) - 0.5)), eye.width - 1)
    top = max(int(np.ceil(min(y0, min(y1, y2)) - 0.5)), 0)
    bottom = min(int(np.floor(max(y0, max(y1, y2)) - 0.5)), eye.height - 1)
    if left > right or top > bottom:
        return
    keeps = canvas.rgb.shape[0] > 1
    least0, least1, least2 = least(x1, y1, x2, y2), least(x2, y2, x0, y0), least(x0, y0, x1, y1)
    ox, oy, ow = corners[a, 8], corners[a, 9], corners[a, 2]
    ax, ay, aw = corners[b, 8] - ox, corners[b, 9] - oy, corners[b, 2] - ow
    bx, by, bw = corners[c, 8] - ox, corners[c, 9] - oy, corners[c, 2] - ow
    det = ax * by - bx * ay
    if det == 0.0:
        return
    wx, wy = (by * aw - ay * bw) / det, (ax * bw - bx * aw) / det
    step0, step1, step2 = y2 - y1, y0 - y2, y1 - y0
    down0, down1, down2 = x2 - x1, x0 - x2, x1 - x0
    px, py = left + 0.5, top + 0.5
    row0 = (px - x1) * step0 - (py - y1) * down0
    row1 = (px - x2) * step1 - (py - y2) * down1
    row2 = (px - x0) * step2 - (py - y0) * down2
    share = -65536.0 / area
    red, red_x, red_y = shaded(corners, 3, a, b, c, x1 - x0, y1 - y0, x2 - x0, y2 - y0, px - x0, py - y0, share)
    green, green_x, green_y = shaded(corners, 4, a, b, c, x1 - x0, y1 - y0, x2 - x0, y2 - y0, px - x0, py - y0, share)
    blue, blue_x, blue_y = shaded(corners, 5, a, b, c, x1 - x0, y1 - y0, x2 - x0, y2 - y0, px - x0, py - y0, share)
    for y in range(top, bottom + 1):
        e0, e1, e2 = row0, row1, row2
        w = ow + wx * (px - ox) + wy * (y + 0.5 - oy)
        r, g, b_ = red, green, blue
        at = np.uint64(y * eye.stride + left)
        pixel = np.uint64(3 * (y * eye.width + left))
        for _ in range(left, right + 1):
            if (e0 >= least0) & (e1 >= least1) & (e2 >= least2) & (np.float32(w) > canvas.inverse_depth[at]):
                canvas.inverse_depth[at] = np.float32(w)
                canvas.ids[at] = name
                if keeps:
                    canvas.rgb[pixel] = np.uint8((np.int64(r) + 32768) >> 16)
                    canvas.rgb[pixel + np.uint64(1)] = np.uint8((np.int64(g) + 32768) >> 16)
                    canvas.rgb[pixel + np.uint64(2)] = np.uint8((np.int64(b_) + 32768) >> 16)
            e0, e1, e2, w = e0 + step0, e1 + step1, e2 + step2, w + wx
            r, g, b_ = r + red_x, g + green_x, b_ + blue_x
            at += np.uint64(1)
            pixel += np.uint64(3)
        row0, row1, row2 = row0 - down0, row1 - down1, row2 - down2
        red, green, blue = red + red_y, green + green_y, blue + blue_y


@inner(_nrt=False, forceinline=True)
def shaded(
    corners: F64,
    k: Scalar,
    a: Scalar,
    b: Scalar,
    c: Scalar,
    bx: Scalar,
    by: Scalar,
    cx: Scalar,
    cy: Scalar,
    x: Scalar,
    y: Scalar,
    share: Scalar,
) -> tuple[Scalar, Scalar, Scalar]:
    """Column k of the corners in 1/65536: at (x, y) from the first corner, and a pixel's step across and down."""
    first, db, dc = corners[a, k], corners[b, k] - corners[a, k], corners[c, k] - corners[a, k]
    across, down = (db * cy - dc * by) * share, (dc * bx - db * cx) * share
    return first * 65536.0 + across * x + down * y, across, down


@inner(_nrt=False, forceinline=True)
def least(x0: Scalar, y0: Scalar, x1: Scalar, y1: Scalar) -> Scalar:
    """Of an edge function inside: 0 where the triangle owns the edge, else what no multiple of 2**-16 lies below."""
    return 0.0 if owns(x0, y0, x1, y1) else 1e-9


@inner(_nrt=False, forceinline=True)
def owns(x0: Scalar, y0: Scalar, x1: Scalar, y1: Scalar) -> bool:
    """Whether a pixel's centre on this edge belongs to the triangle: the opposite direction does not own it."""
    return bool(y1 < y0 or (y1 == y0 and x1 > x0))


@kernel(_nrt=False)
def darken(eye: Eye, canvas: Canvas, x: float, y: float, z: float) -> None:
    """The soft shadow on the floor round a body that stands at (x, y, z): of what lies less than 6 cm off its floor."""
    pose, focal = eye.pose, eye.focal
    x_low, x_high, y_low, y_high = 1e9, -1e9, 1e9, -1e9
    for k in range(8):
        dx = x + (SHADOW_REACH if k & 1 else -SHADOW_REACH) - pose[9]
        dz = z + (SHADOW_REACH if k & 2 else -SHADOW_REACH) - pose[11]
        dy = y + (0.06 if k & 4 else -0.06) - pose[10]
        depth = max(pose[6] * dx + pose[7] * dy + pose[8] * dz, 0.05)
        sx = eye.width * 0.5 + focal * (pose[0] * dx + pose[1] * dy + pose[2] * dz) / depth
        sy = eye.height * 0.5 + focal * (pose[3] * dx + pose[4] * dy + pose[5] * dz) / depth
        x_low, x_high, y_low, y_high = min(x_low, sx), max(x_high, sx), min(y_low, sy), max(y_high, sy)
    for row in range(max(int(max(y_low, -1.0)), 0), min(int(min(y_high, 1e6)) + 1, eye.height)):
        for column in range(max(int(max(x_low, -1.0)), 0), min(int(min(x_high, 1e6)) + 1, eye.width)):
            w = canvas.inverse_depth[row * eye.stride + column]
            if w <= 0.0:
                continue
            depth = 1.0 / w
            across = (column + 0.5 - eye.width * 0.5) / focal * depth
            down = (row + 0.5 - eye.height * 0.5) / focal * depth
            gap_y = pose[10] + pose[1] * across + pose[4] * down + pose[7] * depth - y
            if abs(gap_y) > 0.06:
                continue
            gap_x = pose[9] + pose[0] * across + pose[3] * down + pose[6] * depth - x
            gap_z = pose[11] + pose[2] * across + pose[5] * down + pose[8] * depth - z
            far = (gap_x * gap_x + gap_z * gap_z) / (SHADOW_REACH * SHADOW_REACH)
            if far < 1.0:
                keep = 1.0 - SHADOW * (1.0 - far) * (1.0 - far)
                pixel = 3 * (row * eye.width + column)
                for channel in range(3):
                    canvas.rgb[pixel + channel] = np.uint8(canvas.rgb[pixel + channel] * keep + 0.5)


@kernel(_nrt=False)
def hidden(eye: Eye, canvas: Canvas, box: I32, nearest: float) -> bool:
    """Whether everything in a rectangle is nearer than 1/`nearest`."""
    bound = np.float32(nearest)
    for y in range(box[2], box[3]):
        row = y * eye.stride
        for x in range(box[0], box[1]):
            if canvas.inverse_depth[row + x] < bound:
                return False
    return True


@kernel("void(int32[:,:],int32[::1],int64,int32[:,::1])", _nrt=False)
def tell(ids: I32, names: I32, first_id: int, image: I32) -> None:
    """Fill in names[k] where the id is `first_id` - k; both images (H, W)."""
    for y in range(ids.shape[0]):
        for x in range(ids.shape[1]):
            if ids[y, x] <= first_id:
                image[y, x] = names[first_id - ids[y, x]]
