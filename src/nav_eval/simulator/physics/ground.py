"""A building cut into tiles: the triangles that a body near one tile can touch, so that a step costs what is near.

Positions are the building's (m, y up); a tile is a square of the plane, with all that stands in it from cellar to roof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nav_eval.geometry import Vec3

if TYPE_CHECKING:
    from nav_eval.engine.scene.scene import Scene

TILE = 2.0
HYSTERESIS = 0.1
"""A body leaves its tile only so far beyond the border, so that it does not change to and fro on it, m."""
STEEPEST = math.cos(math.radians(45))

Tile: TypeAlias = tuple[int, int]
Triangles: TypeAlias = NDArray[np.float64]
"""(T, 3, 3): corners, m."""


def tile_of(position: Vec3, held: Tile | None = None) -> Tile:
    """The tile that a body at `position` belongs to, which is the `held` one as long as it is hardly left."""
    x, z = position[0] / TILE, position[2] / TILE
    slack = HYSTERESIS / TILE
    if held is not None and all(k - slack <= at <= k + 1 + slack for k, at in zip(held, (x, z), strict=True)):
        return held
    return math.floor(x), math.floor(z)


@dataclass(frozen=True)
class Tiles:
    """All triangles of a scene, and those of each tile with `reach` metres around it."""

    corners: Triangles
    reach: float

    @classmethod
    def of(cls, scene: Scene, reach: float) -> Tiles:
        corners = scene.positions[scene.triangles].astype(np.float64)
        areas = np.linalg.norm(_normals(corners), axis=1)
        return cls(corners[areas > 1e-10], reach + HYSTERESIS)

    @cached_property
    def _low(self) -> NDArray[np.float64]:
        low: NDArray[np.float64] = self.corners.min(axis=1)
        return low

    @cached_property
    def _high(self) -> NDArray[np.float64]:
        high: NDArray[np.float64] = self.corners.max(axis=1)
        return high

    def near(self, tile: Tile) -> Triangles:
        """The triangles whose bounds meet the tile and what is in reach of it."""
        inside = np.ones(len(self.corners), bool)
        for axis, k in zip((0, 2), tile, strict=True):
            inside &= self._low[:, axis] <= (k + 1) * TILE + self.reach
            inside &= self._high[:, axis] >= k * TILE - self.reach
        return self.corners[inside]


class Floors:
    """Triangles that can be stood on, asked for their height."""

    def __init__(self, triangles: Triangles) -> None:
        normals = _normals(triangles)
        flat = np.abs(normals[:, 1]) >= STEEPEST * np.linalg.norm(normals, axis=1)
        self._corners = triangles[flat]

    def height(self, position: Vec3, up: float, down: float) -> float:
        """Of the highest floor at x and z that is at most `up` metres above y and `down` below it; y if there is none.

        The highest, because stairs and thresholds lie on floors of their own.
        """
        a, b, c = (self._corners[:, k] for k in range(3))
        u, v, w = (_edge(p, q, position) for p, q in ((a, b), (b, c), (c, a)))
        hit = ((u >= 0) & (v >= 0) & (w >= 0)) | ((u <= 0) & (v <= 0) & (w <= 0))
        u, v, w = u[hit], v[hit], w[hit]
        heights = (u * c[hit, 1] + v * a[hit, 1] + w * b[hit, 1]) / (u + v + w)
        near = heights[(heights <= position[1] + up) & (heights >= position[1] - down)]
        return float(near.max()) if len(near) else position[1]


def _normals(triangles: Triangles) -> NDArray[np.float64]:
    return np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])


def _edge(p: NDArray[np.float64], q: NDArray[np.float64], at: Vec3) -> NDArray[np.float64]:
    """On which side of the edges p -> q a point lies, seen from above: twice the signed area."""
    area: NDArray[np.float64] = (q[:, 0] - p[:, 0]) * (at[2] - p[:, 2]) - (q[:, 2] - p[:, 2]) * (at[0] - p[:, 0])
    return area
