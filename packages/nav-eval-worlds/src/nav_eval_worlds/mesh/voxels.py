"""A world on a grid of cubes: which object fills each, and integer ray marching through it.

Light and visibility ask it many short questions. Rays are marched in fixed point (1/256 cell), so that an answer is
the same on every machine; a cell is filled if a surface passes through it, which errs towards "hidden".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, length

FIXED = 256
_MARGIN = 3
_TOGETHER = 16
"""Steps of a march that are looked up in one go: calls of numpy cost more than what is looked up behind a hit."""
_ASIDE = 0.0135
"""Metres: no surface lies where two cells meet, half of it filling the one and half the other; they lie at whole mm."""


@dataclass(frozen=True, slots=True)
class Voxels:
    """`labels` (X, Y, Z) int32: the object id in each cell, 0 = free. `low`: the grid's corner; `cell`: metres."""

    labels: NDArray[np.int32]
    low: tuple[float, float, float]
    cell: float

    def fixed(self, points: Floats) -> NDArray[np.int64]:
        """(N, 3) metres as fixed-point grid coordinates; they may lie outside."""
        at: NDArray[np.int64] = np.floor((points - np.asarray(self.low)) * (FIXED / self.cell)).astype(np.int64)
        return at

    def at(self, fixed: NDArray[np.int64]) -> NDArray[np.int32]:
        """Labels of the cells that hold fixed-point coordinates (..., 3); the free margin stands for all outside."""
        i = np.minimum(np.maximum(fixed >> 8, 0), np.asarray(self.labels.shape) - 1)
        found: NDArray[np.int32] = self.labels[i[..., 0], i[..., 1], i[..., 2]]
        return found

    def first_hits(self, starts: Floats, ends: Floats, spacing: float = 0.5, skip: float = 0.0) -> NDArray[np.int32]:
        """The label that each segment meets first, 0 if none; cells are visited every `spacing` cells.

        `skip`: metres at the start that are not looked at.

        starts, ends: (N, 3), metres; (N,).
        """
        a, b = self.fixed(starts), self.fixed(ends)
        longest = float(length(ends - starts).max()) if len(starts) else 0.0
        steps = max(2, int(longest / (self.cell * spacing)) + 1)
        first = min(steps, int(skip / max(longest, 1e-9) * steps))
        found = np.zeros(len(a), dtype=np.int32)
        open_ = np.arange(len(a))
        for begin in range(first, steps + 1, _TOGETHER):
            k = np.arange(begin, min(begin + _TOGETHER, steps + 1))[:, None]
            labels = self.at(a[open_, None] + (b - a)[open_, None] * k // steps)
            found[open_] = labels[np.arange(len(open_)), (labels != 0).argmax(axis=1)]
            open_ = open_[found[open_] == 0]
            if not len(open_):
                break
        return found


def voxelise(positions: Floats, triangles: NDArray[np.int32], labels: NDArray[np.int32], cell: float) -> Voxels:
    """Marks the cells that triangles (T, 3) pass through; positions (V, 3) and `cell` in metres; `labels` (T,) are
    the triangles' object ids."""
    low = np.floor(positions.min(axis=0) / cell) * cell - _MARGIN * cell - _ASIDE
    shape = np.ceil((positions.max(axis=0) - low) / cell).astype(np.int64) + _MARGIN
    grid = np.zeros(tuple(int(n) for n in shape), dtype=np.int32)
    corners = positions[triangles] - low
    edges = np.stack([length(corners[:, (k + 1) % 3] - corners[:, k]) for k in range(3)]).max(axis=0)
    cuts = np.ceil(edges / (cell * 0.8)).astype(np.int64) + 1
    for n in np.unique(cuts).tolist():
        chosen = np.flatnonzero(cuts == n)
        for part in np.array_split(chosen, max(1, len(chosen) * n * n // 2_000_000)):
            _mark(grid, corners[part] / cell, labels[part], n)
    return Voxels(grid, (float(low[0]), float(low[1]), float(low[2])), cell)


def _mark(grid: NDArray[np.int32], corners: Floats, labels: NDArray[np.int32], n: int) -> None:
    """Samples each triangle on a barycentric lattice of n steps."""
    i, k = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    inside = (i + k) <= n
    u, v = i[inside] / n, k[inside] / n
    a, ab, ac = (
        corners[:, None, 0],
        corners[:, None, 1] - corners[:, None, 0],
        corners[:, None, 2] - corners[:, None, 0],
    )
    cells = np.zeros((len(corners), len(u)), np.int64)
    for axis, wide in enumerate(grid.shape):
        along = (a[..., axis] + ab[..., axis] * u) + ac[..., axis] * v
        cells = cells * wide + along.astype(np.int64)
    grid.reshape(-1)[cells.reshape(-1)] = np.repeat(labels, len(u))
