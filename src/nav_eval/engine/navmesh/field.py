"""A distance field: the exact distance to one goal from anywhere, after one build.

The wall corners that a shortest way can bend at are found once per mesh: corners of walkable polygons that meet
across portals are one, and one counts if its polygons take up half a turn or more and a wall runs into it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh.layout import Layout

Ints = npt.NDArray[np.int32]
Point = tuple[float, float, float]

HALF_TURN = math.pi - 1e-3


@dataclass(frozen=True, slots=True)
class BendPoints:
    """Numbers (P, 6) of the corners that a way can bend at, -1 elsewhere, and how many there are."""

    corner: Ints
    count: int


class DistanceField:
    """Exact distances and ways to one goal, in metres, world frame (y up).

    Immutable; its mesh's memory (`owner`) is kept alive by it.
    """

    def __init__(self, mesh: int, owner: object, bends: BendPoints, goal: Point) -> None:
        from nav_eval.engine.navmesh import visibility

        self._mesh, self._owner, self._query, self._place = mesh, owner, visibility.query_field, visibility.end_point
        polygon, x, y, z = visibility.end_point(mesh, *goal)
        polygons = len(bends.corner)
        self._start, self._of = np.zeros(polygons + 1, np.int32), np.zeros(0, np.int32)
        self._cones, self._roots = np.zeros((0, 5)), np.zeros((1, 4))
        self._parent = np.full(1, -1, np.int32)
        if polygon < 0:
            return
        keys, cones, self._parent, self._roots = visibility.grow_field(
            mesh, polygon, np.array([x, y, z]), bends.corner, bends.count
        )
        order = np.lexsort((cones[:, 4], keys[:, 0]))
        self._cones, self._of = np.ascontiguousarray(cones[order]), np.ascontiguousarray(keys[order, 1])
        self._start = np.searchsorted(keys[order, 0], np.arange(polygons + 1)).astype(np.int32)

    def distance(self, point: Point | list[float]) -> float:
        """Length of the shortest way from the point to the goal, metres; inf if there is none."""
        x, y, z = point
        return self._query(self._mesh, x, y, z, self._start, self._of, self._cones, self._roots)[0]

    def path(self, point: Point) -> npt.NDArray[np.float32]:
        """Corners (N, 3), metres, of the shortest way from the point to the goal; none where there is no way."""
        _, root = self._query(self._mesh, *point, self._start, self._of, self._cones, self._roots)
        if root < 0:
            return np.zeros((0, 3), np.float32)
        corners = [self._place(self._mesh, *point)[1:]]
        while root >= 0:
            corners.append(tuple(self._roots[root, :3]))
            root = int(self._parent[root])
        return np.array(corners, np.float32)


def find_bend_points(layout: Layout) -> BendPoints:
    """The corners at which a shortest way can bend."""
    polygons = len(layout.counts)
    same = np.arange(polygons * 6)
    for polygon in range(polygons):
        for link in range(layout.link_start[polygon], layout.link_start[polygon + 1]):
            other = layout.link_to[link]
            if layout.walkable[polygon] and layout.walkable[other]:
                _join_corners(layout, same, polygon, int(layout.link_edge[link]), int(other))
    groups = np.array([_leader(same, k) for k in range(polygons * 6)], np.int64)
    angle, walled = np.zeros(polygons * 6), np.zeros(polygons * 6, bool)
    for polygon in np.flatnonzero(layout.walkable).tolist():
        count = int(layout.counts[polygon])
        for k in range(count):
            group = groups[polygon * 6 + k]
            angle[group] += _angle(layout, polygon, k, count)
            walled[group] |= (layout.edges[polygon, [k, k - 1 if k else count - 1]] < 0).any()
    bends = walled & (angle >= HALF_TURN)
    bends |= np.isin(np.arange(polygons * 6), groups[_tile_border(layout)])
    number = np.where(bends, np.cumsum(bends) - 1, -1)
    used = (np.arange(6) < layout.counts[:, None]) & (layout.walkable[:, None] == 1)
    return BendPoints(np.where(used, number[groups].reshape(-1, 6), -1).astype(np.int32), int(bends.sum()))


def _join_corners(layout: Layout, same: npt.NDArray[np.int64], polygon: int, edge: int, other: int) -> None:
    """Unite the corners of an edge with equal corners of the polygon behind it."""
    count, others = int(layout.counts[polygon]), int(layout.counts[other])
    for k in (edge, (edge + 1) % count):
        equal = (layout.corners[other, :others] == layout.corners[polygon, k]).all(axis=1)
        if equal.any():
            same[_leader(same, polygon * 6 + k)] = _leader(same, other * 6 + int(equal.argmax()))


def _leader(same: npt.NDArray[np.int64], k: int) -> int:
    while same[k] != k:
        same[k] = same[same[k]]
        k = int(same[k])
    return k


def _angle(layout: Layout, polygon: int, k: int, count: int) -> float:
    here, before, after = (layout.corners[polygon, i % count][[0, 2]].astype(float) for i in (k, k - 1 + count, k + 1))
    a, b = before - here, after - here
    return abs(math.atan2(a[0] * b[1] - a[1] * b[0], float(a @ b)))


def _tile_border(layout: Layout) -> npt.NDArray[np.int64]:
    """Corner slots on edges that lead to other tiles, where a way may bend at part of an edge."""
    polygon, edge = np.nonzero((layout.edges == -2) & (np.arange(6) < layout.counts[:, None]))
    return np.concatenate([polygon * 6 + edge, polygon * 6 + (edge + 1) % np.maximum(layout.counts[polygon], 1)])
