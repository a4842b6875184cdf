"""Depth, object ids and normals of a visibility buffer."""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.layout import F32, I32, Assets, Camera, Scalar
from nav_eval.engine.render.planes import face_normal
from nav_eval.jit import inner, kernel


@kernel(_nrt=False)
def read_depth(camera: Camera, inverse_depth: F32, depth: F32) -> None:
    """Fill depth (H, W): metres along the optical axis, 0 where nothing is hit."""
    read_depth_rows(camera, inverse_depth, 0, camera.height, depth)


@inner(_nrt=False)
def read_depth_rows(camera: Camera, inverse_depth: F32, top: Scalar, bottom: Scalar, depth: F32) -> None:
    """The rows from `top` on.

    inverse_depth (R,), 1/m; depth (H, W), metres along the optical axis, 0 where nothing is seen.
    """
    for y in range(top, bottom):
        source = inverse_depth[y * camera.stride : y * camera.stride + camera.width]
        target = depth[y]
        for x in range(camera.width):
            w = source[x]
            target[x] = np.float32(1.0) / w if w > np.float32(0.0) else np.float32(0.0)


@kernel(_nrt=False)
def read_semantic(camera: Camera, assets: Assets, ids: I32, semantic: I32) -> None:
    """Fill semantic (H, W): object id of the triangle seen, 0 where there is none."""
    for y in range(camera.height):
        for x in range(camera.width):
            triangle = ids[y * camera.stride + x]
            semantic[y, x] = assets.triangles.object_id[triangle] if triangle >= 0 else 0


@kernel(_nrt=False)
def read_normal(camera: Camera, assets: Assets, ids: I32, normal: F32) -> None:
    """Fill normal (H, W, 3): unit normal of the face seen, world frame; zeros where nothing is hit."""
    for y in range(camera.height):
        last = -1
        nx = ny = nz = 0.0
        for x in range(camera.width):
            triangle = ids[y * camera.stride + x]
            if triangle != last:
                nx = ny = nz = 0.0
                if triangle >= 0:
                    nx, ny, nz = face_normal(camera, assets, triangle)
                last = triangle
            normal[y, x, 0] = nx
            normal[y, x, 1] = ny
            normal[y, x, 2] = nz
