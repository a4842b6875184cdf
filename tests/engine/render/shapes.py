"""Small scenes whose pictures can be worked out by other means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import trimesh
from numpy.typing import ArrayLike, NDArray

from nav_eval.engine.scene.scene import Material, Scene


def make_scene(
    corners: ArrayLike,
    *,
    materials: Sequence[Material] = (Material(),),
    material_ids: ArrayLike | None = None,
    **fields: Any,
) -> Scene:
    """A scene of separate triangles, corners (T, 3, 3)."""
    points = np.asarray(corners, np.float32).reshape(-1, 3)
    count = len(points) // 3
    ids = np.zeros(count, np.int32) if material_ids is None else np.asarray(material_ids, np.int32)
    return Scene(
        name="made",
        positions=points,
        triangles=np.arange(len(points), dtype=np.int32).reshape(-1, 3),
        material_ids=ids,
        materials=tuple(materials),
        **fields,
    )


def wall(z: float = -2.0, half: float = 5.0) -> NDArray[np.float64]:
    """(2, 3, 3) a square that faces +z, towards a camera at the origin that looks along -z."""
    a, b, c, d = (-half, -half, z), (half, -half, z), (half, half, z), (-half, half, z)
    return np.array([[a, b, c], [a, c, d]])


WALL_UVS = np.array([[0, 1], [1, 1], [1, 0], [0, 1], [1, 0], [0, 0]], np.float32)
"""Of `wall`: the texture upright, its first row at the top."""


def room(times: int, seed: int = 0, size: float = 4.0) -> Scene:
    """A closed box seen from inside, its triangles cut in four so many times, vertices inside faces jittered."""
    box = trimesh.creation.box((2, 2, 2))
    for _ in range(times):
        box = box.subdivide()
    edge = abs(box.vertices) == 1
    jitter = np.random.default_rng(seed).uniform(-0.3, 0.3, edge.shape) * 2.0 ** (1 - times)
    points = box.vertices + jitter * ~edge * (edge.sum(axis=1) == 1)[:, None]
    positions = (points * size * (1.0, 0.4, 0.8)).astype(np.float32)
    faces = box.faces[:, ::-1].astype(np.int32)
    return Scene("room", positions, faces, np.zeros(len(faces), np.int32), (Material(),))


def rays(width: int, height: int, hfov: float) -> NDArray[np.float64]:
    """(H, W, 3) direction through each pixel's centre for a camera that looks along -z; z component -1."""
    focal = width / 2 / np.tan(np.radians(hfov) / 2)
    x = (np.arange(width) + 0.5 - width / 2) / focal
    y = -(np.arange(height) + 0.5 - height / 2) / focal
    return np.stack(np.broadcast_arrays(x[None, :], y[:, None], -1.0), axis=-1)


def cast(
    corners: NDArray[np.float64], directions: NDArray[np.float64], near: float = 0.01
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(N,) distance along each ray from the origin to the nearest front face beyond `near`, and which of `corners`
    (T, 3, 3) that is; 0 and -1 where there is none.

    Moeller and Trumbore, "Fast, Minimum Storage Ray-Triangle Intersection", 1997; all pairs.
    """
    nearest, met = np.full(len(directions), np.inf), np.full(len(directions), -1)
    for number, (a, b, c) in enumerate(corners):
        edge1, edge2 = b - a, c - a
        p = np.cross(directions, edge2)
        det = p @ edge1
        with np.errstate(all="ignore"):
            u = (p @ -a) / det
            q = np.cross(-a, edge1)
            v = (directions @ q) / det
            t = (edge2 @ q) / det
        hit = (det > 0) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= near) & (t < nearest)
        nearest[hit], met[hit] = t[hit], number
    return np.where(met < 0, 0.0, nearest), met


def painted(digest: str = "d" * 64) -> Scene:
    """A wall with a texture; the file's digest is what the cache knows it by."""
    texture = np.random.default_rng(0).integers(0, 256, (64, 64, 4), dtype=np.uint8)
    return make_scene(wall(), materials=[Material(texture=0)], uvs=WALL_UVS, textures=(texture,), digest=digest)
