"""Carries object ids from an annotated mesh to the mesh that is drawn.

The annotated surface is covered with points about 5 cm apart; a triangle of the drawn mesh takes the id of the point
nearest to its middle, and none where that is more than 25 cm away. Where both meshes are one, ids are copied.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Scene

SPACING_M = 0.05
REACH_M = 0.25
MAX_POINTS = 3_000_000


def transfer_ids(annotated: Scene, ids: NDArray[np.int32], drawn: Scene) -> NDArray[np.int32]:
    """(T,) int32 for the triangles of `drawn`, from `ids` of the triangles of `annotated`."""
    if _same_mesh(annotated, drawn):
        return ids
    from scipy.spatial import cKDTree

    points, owners = cover(annotated.positions[annotated.triangles].astype(np.float64))
    middles = drawn.positions[drawn.triangles].astype(np.float64).mean(axis=1)
    distance, nearest = cKDTree(points).query(middles, distance_upper_bound=REACH_M)
    found = np.isfinite(distance)
    carried = np.zeros(len(middles), np.int32)
    carried[found] = ids[owners[nearest[found]]]
    return carried


def _same_mesh(first: Scene, second: Scene) -> bool:
    if len(first.triangles) != len(second.triangles):
        return False
    ours, theirs = first.positions[first.triangles], second.positions[second.triangles]
    return bool(np.abs(ours - theirs).max(initial=0.0) < 1e-4)


def _counts(areas: NDArray[np.float64], longest: NDArray[np.float64], spacing: float) -> NDArray[np.int64]:
    """Points on each triangle."""
    counts: NDArray[np.int64] = np.ceil(np.maximum(areas / spacing**2, 1.5 * longest / spacing)).astype(np.int64)
    return counts.clip(1)


def cover(corners: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points (P, 3) over triangles (T, 3, 3), at least one each, and the triangle (P,) each lies on.

    The first point of a triangle is its middle, then come its corners, drawn in a little, where it needs as many;
    the others follow the R2 sequence (M. Roberts, 2018), folded into the triangle. Slivers get points for their length.
    """
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(sides, axis=1) / 2.0
    spacing = max(SPACING_M, float(np.sqrt(areas.sum() / MAX_POINTS)))
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1, initial=0.0)
    counts = _counts(areas, longest, spacing)
    while counts.sum() > 4 * MAX_POINTS + len(counts):  # slivers that cross all of a huge scene
        spacing *= 2.0
        counts = _counts(areas, longest, spacing)
    owners = np.repeat(np.arange(len(corners)), counts)
    number = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    u, v = (1.0 / 3.0 + number * 0.7548776662466927) % 1.0, (1.0 / 3.0 + number * 0.5698402909980532) % 1.0
    folded = u + v > 1.0
    u, v = np.where(folded, 1.0 - u, u), np.where(folded, 1.0 - v, v)
    for place, (at_u, at_v) in enumerate(((0.02, 0.02), (0.96, 0.02), (0.02, 0.96)), 1):
        corner = (number == place) & (counts[owners] > 3)
        u, v = np.where(corner, at_u, u), np.where(corner, at_v, v)
    first, second, third = (corners[owners, corner] for corner in range(3))
    return first + u[:, None] * (second - first) + v[:, None] * (third - first), owners
