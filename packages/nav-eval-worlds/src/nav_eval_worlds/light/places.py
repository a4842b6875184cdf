"""Places that light is asked of: texels of charts, and vertices that have none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, cross, normalised
from nav_eval_worlds.mesh.charts import Charts
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.rays import sources
from nav_eval_worlds.rays.march import Grid
from nav_eval_worlds.rays.sources import Points

_TRIES = np.asarray(
    (
        (1.2, 0, 0, 0, 0, 0), (1.2, 1.3, 0, 0, 0, 0), (1.2, 0, 1.3, 0, 0, 0), (1.2, 1.3, 1.3, 0, 0, 0),
        (2.4, 0, 0, 0, 0, 0), (1.2, 0, 0, 0, 1.3, 0), (1.2, 0, 0, 1.3, 0, 0), (1.2, 0, 0, -1.3, 0, 0),
        (1.2, 0, 0, 0, 0, 1.3), (1.2, 0, 0, 0, 0, -1.3), (1.2, 0, 0, 0, -1.3, 0), (2.4, 0, 0, 0, 1.3, 0),
    )
)  # fmt: skip
"""Where a place's rays may start: see sources.lift."""


@dataclass(frozen=True, slots=True)
class Places:
    """Points of surfaces, where their rays start (N, 3) cubes, and whether they can (N,)."""

    points: Points
    starts: Floats
    open: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.open)

    def chosen(self, rows: NDArray[np.int64]) -> Places:
        """Those of these rows. rows: (R,)."""
        at, normal, inward, room = self.points
        points = Points(at[rows], normal[rows], inward[rows], room[rows])
        return Places(points, self.starts[rows], self.open[rows])


def places(grid: Grid, mesh: Mesh, charts: Charts, free: NDArray[np.int64]) -> Places:
    """The texels of all charts, then the vertices `free`. free: (F,)."""
    chart, u, v = charts.texels
    corners = mesh.patches.corners
    a, b, c, d = (corners[:, k] for k in range(4))
    weights = ((1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v)
    at = ((a[chart] * weights[0][:, None] + b[chart] * weights[1][:, None]) + c[chart] * weights[2][:, None]) + (
        d[chart] * weights[3][:, None]
    )
    normal, along, across = normalised(cross(c - a, d - b)), normalised(b - a), normalised(d - a)
    inward = np.concatenate(
        [along[chart] * np.where(u < 0.5, 1.0, -1.0)[:, None], across[chart] * np.where(v < 0.5, 1.0, -1.0)[:, None]],
        axis=1,
    )
    points = Points(
        np.concatenate([at, mesh.positions[free]]),
        np.concatenate([normal[chart], mesh.normals[free]]),
        np.concatenate([inward, np.zeros((len(free), 6))]),
        np.concatenate([mesh.patches.labels[chart, 2], mesh.rooms[free]]).astype(np.int64) - 1,
    )
    starts, open_ = np.zeros((len(points.at), 3)), np.zeros(len(points.at), np.uint8)
    sources.lift(grid, points, _TRIES, starts, open_)
    return Places(points, starts, open_)
