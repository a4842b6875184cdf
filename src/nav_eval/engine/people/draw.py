"""People laid over a frame: their skins bent by their bones, lit, and drawn where nothing of the building is nearer.

The building's frame is finished when people are drawn into it, so a frame without them is what it always was. Depth
is compared as in the renderer, by 1/z; a pixel is covered if its centre is, by exact edge functions on corners snapped
to 1/256 pixel, with the top-left rule, so that neighbouring triangles leave no crack. Colours are computed at the
corners and blended without perspective, which triangles of a few pixels do not need. Light comes from above; under the
feet the floor is darker.
"""

from __future__ import annotations

import math

import numpy as np

from nav_eval.engine.people.gait import walk
from nav_eval.engine.people.kinds import (
    F32,
    F64,
    I32,
    Bones,
    Box,
    Canvas,
    Corners,
    Eye,
    Joints,
    Scalar,
    Scratch,
    Skin,
    Spots,
)
from nav_eval.geometry import Vec3
from nav_eval.jit import inner, kernel

NEAR = 0.01
REACH = 0.9
"""No part of a walking body is farther from the line above its place than this, m."""
TALLEST = 2.2
SKY, SIDE, GROUND = 0.98, 0.70, 0.46
"""Light on what faces up, sideways and down, in stored values."""
KEY = (-0.35, 0.55, 0.76)
KEY_LIGHT = 0.16
TIE = 1e-10
"""Far less than a pixel's centre that is not on an edge lies off it, far more than rounding puts it there, pixels."""
SHADOW, SHADOW_REACH, SHADOW_HEIGHT = 0.42, 0.42, 0.06
"""How much of its light the floor loses right under a body, how far, and what is so little off the floor too, m."""


@kernel(_nrt=False)
def find(eye: Eye, places: F64, ahead: F64) -> None:
    """Fill ahead (N,): how far before the camera bodies at places (N, 3) are, m; not a number for those out of view."""
    pose, radius = eye.pose, math.hypot(REACH, TALLEST / 2)
    wide, high = eye.width / 2 / eye.focal, eye.height / 2 / eye.focal
    most_wide, most_high = radius * math.hypot(1.0, wide), radius * math.hypot(1.0, high)
    for k in range(places.shape[0]):
        x, y, z = places[k, 0] - pose[9], places[k, 1] + TALLEST / 2 - pose[10], places[k, 2] - pose[11]
        right = abs(pose[0] * x + pose[1] * y + pose[2] * z)
        down = abs(pose[3] * x + pose[4] * y + pose[5] * z)
        gap = pose[6] * x + pose[7] * y + pose[8] * z
        aside = right - wide * gap > most_wide or down - high * gap > most_high
        ahead[k] = np.nan if aside or gap < -radius else gap


@kernel(_nrt=False)
def draw(
    eye: Eye,
    canvas: Canvas,
    skin: Skin,
    joints: Joints,
    scale: float,
    phase: float,
    vigour: float,
    yaw: float,
    place: Vec3,
    light: Vec3,
    scratch: Scratch,
    first_id: int,
    box: Box,
) -> bool:
    """Bend one body, as `gait.posed`, and draw it; a pixel that triangle k wins gets the id `first_id` - k.

    Fill `box` with what may show. `place` in the world, m; `light`: share of red, green and blue. False for a body
    that is out of view or behind things.
    """
    walk(joints, scale, phase, vigour, yaw, place[0], place[1], place[2], scratch.bones)
    nearest = bend(eye, skin, scratch.bones, light, scratch.spots, scratch.corners, box)
    if box[0] >= box[1] or box[2] >= box[3] or (nearest > 0.0 and hidden(eye, canvas, box, 1.0 / nearest)):
        return False
    paint(eye, canvas, skin.triangles, scratch.spots, scratch.corners, first_id)
    return True


@inner(_nrt=False)
def bend(eye: Eye, skin: Skin, bones: Bones, light: Vec3, spots: Spots, corners: Corners, box: Box) -> Scalar:
    """Fill spots, corners and the box. How far ahead the nearest vertex is, m."""
    pose, focal = eye.pose, eye.focal
    left, top = eye.width * 0.5, eye.height * 0.5
    x_low, x_high, y_low, y_high, nearest = 1e9, -1e9, 1e9, -1e9, 1e9
    for v in range(skin.points.shape[0]):
        x, y, z, shade = vertex(skin, bones, v)
        dx, dy, dz = x - pose[9], y - pose[10], z - pose[11]
        depth = pose[6] * dx + pose[7] * dy + pose[8] * dz
        nearest = min(nearest, depth)
        if depth < NEAR:
            spots[v, 0] = np.nan
            continue
        w = 1.0 / depth
        sx = snap(left + focal * (pose[0] * dx + pose[1] * dy + pose[2] * dz) * w)
        sy = snap(top + focal * (pose[3] * dx + pose[4] * dy + pose[5] * dz) * w)
        spots[v, 0], spots[v, 1], corners[v, 0] = sx, sy, w
        for c in range(3):
            corners[v, 1 + c] = min(skin.colours[v, c] * shade * light[c], 1.0) * 255.0
        x_low, x_high = min(x_low, sx), max(x_high, sx)
        y_low, y_high = min(y_low, sy), max(y_high, sy)
    box[0], box[1] = max(int(x_low), 0), min(int(min(x_high, 1e6)) + 1, eye.width)
    box[2], box[3] = max(int(y_low), 0), min(int(min(y_high, 1e6)) + 1, eye.height)
    return nearest


@kernel(_nrt=False)
def stand(skin: Skin, bones: Bones, light: Vec3, vertices: F32) -> None:
    """Fill vertices (V, 6): places in the world, m, and colours from 0 to 1."""
    for v in range(skin.points.shape[0]):
        vertices[v, 0], vertices[v, 1], vertices[v, 2], shade = vertex(skin, bones, v)
        for c in range(3):
            vertices[v, 3 + c] = min(skin.colours[v, c] * shade * light[c], 1.0)


@inner(_nrt=False, forceinline=True)
def vertex(skin: Skin, bones: Bones, v: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Where vertex v is in the world, m, and the share of light that falls on it."""
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
    key = max(0.0, ux * KEY[0] + uy * KEY[1] + uz * KEY[2])
    lit = SIDE + (SKY - SIDE) * uy if uy > 0.0 else SIDE + (SIDE - GROUND) * uy
    return x, y, z, lit + KEY_LIGHT * key


@inner(_nrt=False, forceinline=True)
def spot(bones: Bones, k: Scalar, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """Where a bone takes a point."""
    return (
        bones[k, 0, 0] * x + bones[k, 0, 1] * y + bones[k, 0, 2] * z + bones[k, 0, 3],
        bones[k, 1, 0] * x + bones[k, 1, 1] * y + bones[k, 1, 2] * z + bones[k, 1, 3],
        bones[k, 2, 0] * x + bones[k, 2, 1] * y + bones[k, 2, 2] * z + bones[k, 2, 3],
    )


@inner(_nrt=False, forceinline=True)
def turned(bones: Bones, k: Scalar, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
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


@inner(_nrt=False)
def paint(eye: Eye, canvas: Canvas, triangles: I32, spots: Spots, corners: Corners, first_id: Scalar) -> None:
    """Draw those of the triangles (T, 3) that face the camera (clockwise, with y down)."""
    for k in range(triangles.shape[0]):
        a, b, c = triangles[k, 0], triangles[k, 1], triangles[k, 2]
        x, y = spots[a, 0], spots[a, 1]
        area = (spots[c, 0] - x) * (spots[b, 1] - y) - (spots[b, 0] - x) * (spots[c, 1] - y)
        if area > 0.0:  # no number is not
            fill(eye, canvas, spots, corners, a, b, c, area, np.int32(first_id - k))


@inner(_nrt=False, forceinline=True)
def fill(
    eye: Eye,
    canvas: Canvas,
    spots: Spots,
    corners: Corners,
    a: Scalar,
    b: Scalar,
    c: Scalar,
    area: Scalar,
    name: Scalar,
) -> None:
    """One triangle, of twice this area in pixels."""
    x0, y0, x1, y1, x2, y2 = spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1], spots[c, 0], spots[c, 1]
    left = max(int(np.ceil(min(x0, min(x1, x2)) - 0.5)), 0)
    right = min(int(np.floor(max(x0, max(x1, x2)) - 0.5)), eye.width - 1)
    top = max(int(np.floor(min(y0, min(y1, y2)) + 0.5)), 0)
    bottom = min(int(np.floor(max(y0, max(y1, y2)) - 0.5)), eye.height - 1)
    if left > right or top > bottom:
        return
    keeps = canvas.rgb.shape[0] > 1
    step0, step1, step2 = y2 - y1, y0 - y2, y1 - y0
    down0, down1, down2 = x2 - x1, x0 - x2, x1 - x0
    px, py = left + 0.5, top + 0.5
    row0 = (px - x1) * step0 - (py - y1) * down0
    row1 = (px - x2) * step1 - (py - y2) * down1
    row2 = (px - x0) * step2 - (py - y0) * down2
    bx, by, cx, cy, share = x1 - x0, y1 - y0, x2 - x0, y2 - y0, -1.0 / area
    depth, depth_x, depth_y = plane(corners, 0, a, b, c, bx, by, cx, cy, px - x0, py - y0, share)
    red, red_x, red_y = shaded(corners, 1, a, b, c, bx, by, cx, cy, px - x0, py - y0, share)
    green, green_x, green_y = shaded(corners, 2, a, b, c, bx, by, cx, cy, px - x0, py - y0, share)
    blue, blue_x, blue_y = shaded(corners, 3, a, b, c, bx, by, cx, cy, px - x0, py - y0, share)
    begin0, end0, slope0 = bounds(step0, owns(x1, y1, x2, y2))
    begin1, end1, slope1 = bounds(step1, owns(x2, y2, x0, y0))
    begin2, end2, slope2 = bounds(step2, owns(x0, y0, x1, y1))
    width = float(right - left)
    for y in range(top, bottom + 1):
        t0, t1, t2 = row0 * slope0, row1 * slope1, row2 * slope2
        begin = int(max(0.0, max(t0 + begin0, max(t1 + begin1, t2 + begin2))))
        end = int(min(width + 1.0, min(t0 + end0, min(t1 + end1, t2 + end2))))
        w = depth + begin * depth_x
        r, g, b_ = red + begin * red_x, green + begin * green_x, blue + begin * blue_x
        at = np.uint64(y * eye.stride + left + begin)
        pixel = np.uint64(3 * (y * eye.width + left + begin))
        for _ in range(begin, end):
            if np.float32(w) > canvas.inverse_depth[at]:
                canvas.inverse_depth[at] = np.float32(w)
                canvas.ids[at] = name
                if keeps:
                    canvas.rgb[pixel] = np.uint8(r >> 16)
                    canvas.rgb[pixel + np.uint64(1)] = np.uint8(g >> 16)
                    canvas.rgb[pixel + np.uint64(2)] = np.uint8(b_ >> 16)
            w += depth_x
            r, g, b_ = r + red_x, g + green_x, b_ + blue_x
            at += np.uint64(1)
            pixel += np.uint64(3)
        row0, row1, row2 = row0 - down0, row1 - down1, row2 - down2
        depth, red, green, blue = depth + depth_y, red + red_y, green + green_y, blue + blue_y


@inner(_nrt=False, forceinline=True)
def bounds(step: Scalar, owned: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """What an edge function that is e at the first pixel of a row and grows by `step` leaves of that row: of
    e * slope + begin and e * slope + end the whole parts, first pixel and the one after the last.

    Edge functions are multiples of 2**-16, so `TIE` tells a pixel's centre on the edge, which an owned edge has, from
    the nearest that is not on it.
    """
    tie = TIE if owned else -TIE
    slope = -1.0 / step if step != 0.0 else 0.0
    return (1.0 - tie if step > 0.0 else -1e9), (1.0 + tie if step < 0.0 else 1e9), slope


@inner(_nrt=False, forceinline=True)
def shaded(
    corners: Corners,
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
    """As `plane`, in 1/65536, rounded half up as it is cut."""
    value, across, down = plane(corners, k, a, b, c, bx, by, cx, cy, x, y, share)
    return np.int64(value * 65536.0 + 32768.0), np.int64(across * 65536.0), np.int64(down * 65536.0)


@inner(_nrt=False, forceinline=True)
def plane(
    corners: Corners,
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
    """Column k of the corners: at (x, y) from the first corner, and a pixel's step across and down."""
    first, db, dc = corners[a, k], corners[b, k] - corners[a, k], corners[c, k] - corners[a, k]
    across, down = (db * cy - dc * by) * share, (dc * bx - db * cx) * share
    return first + across * x + down * y, across, down


@inner(_nrt=False, forceinline=True)
def owns(x0: Scalar, y0: Scalar, x1: Scalar, y1: Scalar) -> bool:
    """Whether a pixel's centre on this edge belongs to the triangle: the opposite direction does not own it."""
    return bool(y1 < y0 or (y1 == y0 and x1 > x0))


@kernel(_nrt=False)
def darken(eye: Eye, canvas: Canvas, places: F64) -> None:
    """The soft shadows on the floor round bodies that stand at places (N, 3), m."""
    for k in range(places.shape[0]):
        darken_round(eye, canvas, places[k, 0], places[k, 1], places[k, 2])


@inner(_nrt=False)
def darken_round(eye: Eye, canvas: Canvas, x: Scalar, y: Scalar, z: Scalar) -> None:
    """One of them."""
    pose, focal = eye.pose, eye.focal
    x_low, x_high, y_low, y_high = 1e9, -1e9, 1e9, -1e9
    for k in range(8):
        dx = x + (SHADOW_REACH if k & 1 else -SHADOW_REACH) - pose[9]
        dz = z + (SHADOW_REACH if k & 2 else -SHADOW_REACH) - pose[11]
        dy = y + (SHADOW_HEIGHT if k & 4 else -SHADOW_HEIGHT) - pose[10]
        depth = max(pose[6] * dx + pose[7] * dy + pose[8] * dz, 0.05)
        sx = eye.width * 0.5 + focal * (pose[0] * dx + pose[1] * dy + pose[2] * dz) / depth
        sy = eye.height * 0.5 + focal * (pose[3] * dx + pose[4] * dy + pose[5] * dz) / depth
        x_low, x_high, y_low, y_high = min(x_low, sx), max(x_high, sx), min(y_low, sy), max(y_high, sy)
    above, tilt = pose[10] - y, pose[1] / focal
    for row in range(max(int(max(y_low, -1.0)), 0), min(int(min(y_high, 1e6)) + 1, eye.height)):
        rise = pose[7] + pose[4] * (row + 0.5 - eye.height * 0.5) / focal - eye.width * 0.5 * tilt
        for column in range(max(int(max(x_low, -1.0)), 0), min(int(min(x_high, 1e6)) + 1, eye.width)):
            w = canvas.inverse_depth[row * eye.stride + column]
            lift = rise + (column + 0.5) * tilt
            if w <= 0.0 or abs(lift + above * w) > SHADOW_HEIGHT * w:
                continue
            depth = 1.0 / w
            across = (column + 0.5 - eye.width * 0.5) / focal * depth
            down = (row + 0.5 - eye.height * 0.5) / focal * depth
            gap_x = pose[9] + pose[0] * across + pose[3] * down + pose[6] * depth - x
            gap_z = pose[11] + pose[2] * across + pose[5] * down + pose[8] * depth - z
            far = (gap_x * gap_x + gap_z * gap_z) / (SHADOW_REACH * SHADOW_REACH)
            if far < 1.0:
                keep = 1.0 - SHADOW * (1.0 - far) * (1.0 - far)
                pixel = 3 * (row * eye.width + column)
                for channel in range(3):
                    canvas.rgb[pixel + channel] = np.uint8(canvas.rgb[pixel + channel] * keep + 0.5)


@inner(_nrt=False)
def hidden(eye: Eye, canvas: Canvas, box: Box, nearest: Scalar) -> bool:
    """Whether everything in a rectangle is nearer than 1/`nearest`."""
    bound = np.float32(nearest)
    for y in range(box[2], box[3]):
        row = y * eye.stride
        for x in range(box[0], box[1]):
            if canvas.inverse_depth[row + x] < bound:
                return False
    return True


@kernel("void(int32[:,::1],int32[::1],int32[::1],int32[:,::1],int32[:,::1])", _nrt=False)
def tell(ids: I32, names: I32, firsts: I32, boxes: I32, image: I32) -> None:
    """In each rectangle k fill in names[k] where the id is at most firsts[k] and above firsts[k + 1]; names (N,),
    firsts (N + 1,), boxes (N, 4) pixels; ids (H, W or more), image (H, W)."""
    for k in range(len(names)):
        name, first, past = names[k], firsts[k], firsts[k + 1]
        for y in range(np.uint64(boxes[k, 2]), np.uint64(boxes[k, 3])):
            for x in range(np.uint64(boxes[k, 0]), np.uint64(boxes[k, 1])):
                if past < ids[y, x] <= first:
                    image[y, x] = name
