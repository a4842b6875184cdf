"""Which clusters a camera may see, and in what order: frustum, normal cone, nearest first.

Boxes are tested in the camera's frame; the order is a counting sort on the leading bits of the nearest depth
(1 % steps), because front to back need only hold roughly for the depth hierarchy to reject what is hidden.
"""

from __future__ import annotations

import math

import numpy as np

from nav_eval.engine.render.layout import BUCKETS, NEAR, Camera, Clusters, Scalar, Workspace
from nav_eval.jit import inner

NEAREST = np.int32(0x3C23D70A)
"""The bits of the float 0.01."""


@inner(_nrt=False)
def visible_clusters(camera: Camera, clusters: Clusters, work: Workspace) -> Scalar:
    """Fill work.order[:count], work.rect and work.nearest; returns count."""
    view, focal, width, height = camera.pose, camera.focal, camera.width, camera.height
    r00, r01, r02, r10, r11, r12 = view[0], view[1], view[2], view[3], view[4], view[5]
    r20, r21, r22, px, py, pz = view[6], view[7], view[8], view[9], view[10], view[11]
    cx, cy = width * 0.5, height * 0.5
    count = 0
    for c in range(clusters.center.shape[0]):
        dx = clusters.center[c, 0] - px
        dy = clusters.center[c, 1] - py
        dz = clusters.center[c, 2] - pz
        ex, ey, ez = clusters.half[c, 0], clusters.half[c, 1], clusters.half[c, 2]
        z = r20 * dx + r21 * dy + r22 * dz
        hz = abs(r20) * ex + abs(r21) * ey + abs(r22) * ez
        far = z + hz
        if far < NEAR:
            continue
        x = r00 * dx + r01 * dy + r02 * dz
        hx = abs(r00) * ex + abs(r01) * ey + abs(r02) * ez
        if (x - hx) * focal > (width - cx) * far or (x + hx) * focal < -cx * far:
            continue
        y = r10 * dx + r11 * dy + r12 * dz
        hy = abs(r10) * ex + abs(r11) * ey + abs(r12) * ez
        if (y - hy) * focal > (height - cy) * far or (y + hy) * focal < -cy * far:
            continue
        if clusters.spread[c] < 1.0:
            distance = math.sqrt(dx * dx + dy * dy + dz * dz)
            radius = math.sqrt(ex * ex + ey * ey + ez * ez)
            along = clusters.axis[c, 0] * dx + clusters.axis[c, 1] * dy + clusters.axis[c, 2] * dz
            if along > clusters.spread[c] * distance + 2.0 * radius:
                continue
        near = z - hz
        if near < NEAR:
            near = NEAR
            work.rect[c, 0], work.rect[c, 1], work.rect[c, 2], work.rect[c, 3] = 0, width, 0, height
        else:
            left, right = x - hx, x + hx
            top, bottom = y - hy, y + hy
            xa = cx + focal * left / (near if left < 0.0 else far)
            xb = cx + focal * right / (near if right > 0.0 else far)
            ya = cy + focal * top / (near if top < 0.0 else far)
            yb = cy + focal * bottom / (near if bottom > 0.0 else far)
            if xb < 0.0 or xa > width or yb < 0.0 or ya > height:
                continue
            work.rect[c, 0], work.rect[c, 1] = int(max(0.0, xa)), int(min(float(width), xb + 1.0))
            work.rect[c, 2], work.rect[c, 3] = int(max(0.0, ya)), int(min(float(height), yb + 1.0))
        work.nearest[c] = np.float32(near)
        work.order[count] = c
        count += 1
    return count


@inner(_nrt=False)
def sort_front_to_back(count: Scalar, work: Workspace) -> None:
    """Write work.order[:count] to work.sorted, nearest cluster first."""
    starts = work.starts
    first, last = BUCKETS - 1, 0
    for k in range(count):
        bucket = bucket_of(work, k)
        first, last = min(first, bucket), max(last, bucket)
    starts[first : last + 2] = np.int32(0)
    for k in range(count):
        starts[bucket_of(work, k) + 1] += 1
    for bucket in range(first, last + 1):
        starts[bucket + 1] += starts[bucket]
    for k in range(count):
        bucket = bucket_of(work, k)
        work.sorted[starts[bucket]] = work.order[k]
        starts[bucket] += 1


@inner(_nrt=False, forceinline=True)
def bucket_of(work: Workspace, k: Scalar) -> Scalar:
    """Of the k-th cluster in view: the leading bits of its nearest depth, as positive floats sort as integers do."""
    return min(max((work.nearest.view(np.int32)[work.order[k]] - NEAREST) >> 16, 0), BUCKETS - 1)
