"""Cuts a scene into clusters: up to 128 neighbouring triangles with a box and a cone of normals.

Whole clusters are rejected at once when they lie outside the view, behind something nearer, or turned away
(normal cones: Shirman and Abi-Ezzi, "The Cone of Normals Technique", 1993). The cut is a kd-tree by median over
the triangles' centres, split at multiples of the leaf size so that leaves are full.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.render.layout import CLUSTER_SIZE, DOUBLE_SIDED, F32, MASKED, Clusters, Triangles, Vertices
from nav_eval.engine.scene.scene import Scene


def cut(scene: Scene) -> tuple[Clusters, Triangles, Vertices]:
    """Sort the scene's triangles into clusters; degenerate triangles, which cover no pixel, are left out."""
    flags = triangle_flags(scene)
    corners = scene.positions[scene.triangles].astype(np.float64)
    normals, whole = _normals(corners)
    keep = np.flatnonzero(whole)
    order, starts = kd_leaves(corners[keep].mean(axis=1), CLUSTER_SIZE)
    order = keep[order]
    clusters = _bounds(corners[order], normals[order], flags[order], starts)
    local, vertices, first_vertex = _gather_vertices(scene, scene.triangles[order], starts)
    object_ids = scene.object_ids if scene.object_ids is not None else np.zeros(len(scene.triangles), np.int32)
    triangles = Triangles(
        local, scene.material_ids[order].astype(np.int32), flags[order], object_ids[order].astype(np.int32)
    )
    return clusters._replace(first_vertex=first_vertex), triangles, vertices


def triangle_flags(scene: Scene) -> NDArray[np.uint8]:
    """(T,) DOUBLE_SIDED and MASKED bits of each triangle's material."""
    table = [
        DOUBLE_SIDED * material.double_sided + MASKED * (material.alpha_mode == "mask") for material in scene.materials
    ]
    return np.asarray(table or [0], np.uint8)[scene.material_ids]


def kd_leaves(points: NDArray[np.float64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order of the points, and the start of each leaf of at most `size` points, with the total appended.

    points (N, 3); (N,) and (L + 1,).
    """
    order = np.arange(len(points), dtype=np.int64)
    starts: list[int] = []
    stack = [(0, len(points))] if len(points) else []
    while stack:
        low, high = stack.pop()
        if high - low <= size:
            starts.append(low)
            continue
        part = order[low:high]
        axis = int(np.ptp(points[part], axis=0).argmax())
        leaves = -(-(high - low) // size)
        middle = (leaves // 2) * size
        order[low:high] = part[np.argpartition(points[part, axis], middle)]
        stack += [(low + middle, high), (low, low + middle)]
    return order, np.asarray([*starts, len(points)], np.int64)


def _normals(corners: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(T, 3) unit normals, and which triangles have an area."""
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(cross, axis=1)
    whole = np.isfinite(length) & (length > 0.0)
    return cross / np.where(whole, length, 1.0)[:, None], whole


def _bounds(
    corners: NDArray[np.float64], normals: NDArray[np.float64], flags: NDArray[np.uint8], starts: NDArray[np.int64]
) -> Clusters:
    """Boxes and cones; a cluster with a double-sided triangle, or of more than a half space, gets no cone."""
    first = starts[:-1]
    count = len(first)
    empty = np.zeros(0, np.int32)
    if count == 0:
        none = np.zeros((0, 3), np.float32)
        return Clusters(none, none, none, np.zeros(0, np.float32), empty, starts.astype(np.int32))
    low = np.minimum.reduceat(corners.min(axis=1), first)
    high = np.maximum.reduceat(corners.max(axis=1), first)
    axis = np.add.reduceat(normals, first)
    axis /= np.linalg.norm(axis, axis=1, keepdims=True) + 1e-20
    cluster = np.repeat(np.arange(count), np.diff(starts))
    cosine = np.minimum.reduceat(np.einsum("ij,ij->i", normals, axis[cluster]), first)
    two_sided = np.maximum.reduceat(flags & DOUBLE_SIDED, first) > 0
    sine = np.sqrt(np.maximum(0.0, 1.0 - cosine**2))
    half = (high - low) / 2 + 1e-5
    return Clusters(
        ((low + high) / 2).astype(np.float32),
        half.astype(np.float32),
        axis.astype(np.float32),
        np.where(two_sided | (cosine <= 0.0), 2.0, sine + 1e-4).astype(np.float32),
        empty,
        starts.astype(np.int32),
    )


def _gather_vertices(
    scene: Scene, triangles: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], Vertices, NDArray[np.int32]]:
    """Copy each cluster's vertices to one run of memory: (T, 3) new indices, vertices, (C + 1,) run starts."""
    total = np.int64(max(1, len(scene.positions)))
    cluster = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    keys, inverse = np.unique(cluster[:, None] * total + triangles, return_inverse=True)
    source = keys % total
    first = np.searchsorted(keys, np.arange(len(starts)) * total).astype(np.int32)
    x, y, z = (np.ascontiguousarray(scene.positions[source, axis], np.float32) for axis in range(3))
    u, v = _coordinates(scene.uvs, source) or (np.zeros(len(source), np.float32),) * 2
    light_u, light_v = _coordinates(scene.light_uvs, source) or (np.zeros(1, np.float32),) * 2
    if scene.colors is None:
        color = np.full(1, 0xFFFFFFFF, np.uint32)
    else:
        color = np.ascontiguousarray(scene.colors[source]).view(np.uint32)[:, 0]
    vertices = Vertices(x, y, z, u, v, color, light_u, light_v)
    return inverse.reshape(-1, 3).astype(np.int32), vertices, first


def _coordinates(uvs: NDArray[np.float32] | None, source: NDArray[np.int64]) -> tuple[F32, F32] | None:
    """u and v of the vertices `source`, finite; None where the scene has none."""
    if uvs is None:
        return None
    u, v = (np.nan_to_num(uvs[source, axis], posinf=0.0, neginf=0.0).astype(np.float32) for axis in range(2))
    return u, v
