"""Frames by casting a ray through each pixel's centre with trimesh, triangle by triangle: slow, and no renderer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from nav_eval.geometry import Quaternion, Vec3, rotate, yaw_rotation

Floats = NDArray[np.float64]


def rays(width: int, height: int, hfov: float, rotation: Quaternion) -> Floats:
    """(H * W, 3) directions in the world, whose part along the camera's axis is 1 m."""
    focal = width / 2 / math.tan(math.radians(hfov) / 2)
    across, down = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
    axes = np.array([rotate(rotation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))])
    return np.stack([across.ravel() / focal, -down.ravel() / focal, np.ones(width * height)], axis=1) @ axes


def frame(
    triangles: Floats, eye: Vec3, yaw: float, width: int, height: int, hfov: float
) -> tuple[Floats, NDArray[np.int64]]:
    """(depth in metres, triangle) of each pixel, (H, W), of (T, 3, 3) triangles seen from in front; 0, -1 if none."""
    ways = rays(width, height, hfov, yaw_rotation(yaw))
    depth, seen = np.full(len(ways), np.inf), np.full(len(ways), -1)
    normals: Any = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    for number, (corners, normal) in enumerate(zip(triangles, normals, strict=True)):
        facing = np.flatnonzero(ways @ normal < 0)
        hit, distance = hits(corners, normal, eye, ways[facing])
        nearer = hit & (distance > 0.01) & (distance < depth[facing])
        depth[facing[nearer]], seen[facing[nearer]] = distance[nearer], number
    depth[seen < 0] = 0
    return depth.reshape(height, width), seen.reshape(height, width)


def hits(corners: Floats, normal: Floats, eye: Vec3, ways: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """(whether, how far in units of the direction) each ray meets the triangle."""
    count, found, far = len(ways), np.zeros(len(ways), np.bool_), np.zeros(len(ways))
    origins = np.broadcast_to(np.asarray(eye, np.float64), (count, 3))
    planes = np.broadcast_to(corners[0], (count, 3)), np.broadcast_to(normal, (count, 3))
    points, valid, distance = trimesh.intersections.planes_lines(*planes, origins, ways, return_distance=True)
    if len(points):
        shares = trimesh.triangles.points_to_barycentric(np.broadcast_to(corners, (len(points), 3, 3)), points)
        found[valid], far[valid] = (shares >= 0).all(axis=1), distance
    return found, far
