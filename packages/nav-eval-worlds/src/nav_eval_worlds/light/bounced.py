"""Light that surfaces send on, gathered at probes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, sphere
from nav_eval_worlds.light.coarse import fill, refined, soften
from nav_eval_worlds.light.exposure import luminance
from nav_eval_worlds.light.places import Places
from nav_eval_worlds.mesh.charts import Charts
from nav_eval_worlds.rays import bounce
from nav_eval_worlds.rays.march import Grid

PROBES = 5
"""Cubes from probe to probe."""
_RAYS = 64
"""Directions in which a probe looks."""
_BOUNCES = 2
_NEAR = (1.0, 2.0, 3.0, 4.5, 6.5, 9.0, 12.5)
"""Distances, in cubes, at which it is asked how open a place is."""
_AMBIENT = 0.1
"""Of the median, everywhere: all later bounces."""
_CORNER = 0.55
"""Of the light from all around, what a place keeps that sees nothing of it."""
_COVERED = 0.3
"""Least openness, of places that nothing reaches."""


class Probes:
    """What arrives at the probes of a building, from each of six directions: light as in the package's docstring."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        filled = np.flatnonzero(grid.solid)
        self._number = np.full(len(grid.solid), -1, np.int64)
        self._number[filled] = np.arange(len(filled))
        self._sums = np.zeros((len(filled), 4))
        self._shape = (grid.shape - 4) // PROBES + 1
        self._first = np.asarray([2.5, 2.5, 2.5])
        axes = np.meshgrid(*(np.arange(n) for n in self._shape.tolist()), indexing="ij")
        at = self._first + np.stack(axes, axis=-1).reshape(-1, 3) * float(PROBES)
        self._directions = np.stack([sphere(_RAYS, part / 8) for part in range(8)])
        self._seen = np.zeros((len(at), _RAYS), np.int64)
        bounce.look(grid, at, self._directions, self._number, self._seen)
        self._gathered = np.zeros((len(at), 6, 3))

    def fill(self, at: Floats, normals: Floats, leaving: Floats, weights: Floats) -> None:
        """From the light `leaving` points (N, 3) of surfaces `at`, metres, with unit normals; `weights` (N,)."""
        self._sums[:] = 0.0
        bounce.deposit(self._grid, at, normals, leaving, weights, self._number, self._sums)
        shining = self._sums[:, :3] / np.maximum(self._sums[:, 3:], 1.0)
        bounce.gather(self._seen, self._directions, shining, self._gathered)

    def read(self, starts: Floats, open_: NDArray[np.uint8], normals: Floats, out: Floats) -> None:
        """out (N, 3): light at places whose rays start at `starts` (N, 3), cubes, if `open_` (N,); normals (N, 3)."""
        lattice = (self._first, float(PROBES), self._shape, self._gathered)
        bounce.interpolate(self._grid, starts, open_, normals, *lattice, out)


def bounced(
    grid: Grid, charts: Charts, halved: Charts, sharp: Places, soft: Places, direct: Floats, back: Floats
) -> Floats:
    """(N, 3) light that has met at least one surface, at the places `sharp`.

    `direct` (N, 3): light that has met none; `back` (N, 3): the share of light that each place sends back.
    """
    probes, vertices = Probes(grid), len(sharp) - len(charts.texels[0])
    weights, out, coarse = sharp.open.astype(np.float64), np.zeros((len(sharp), 3)), np.zeros((len(soft), 3))
    for _ in range(_BOUNCES):
        probes.fill(sharp.points.at, sharp.points.normal, (direct + out) * back, weights)
        probes.read(soft.starts, soft.open, soft.points.normal, coarse)
        soften(halved, soft, coarse)
        fill(halved, soft, coarse)
        out = refined(charts, halved, coarse, vertices)
    near = np.zeros(len(sharp))
    bounce.openness(grid, sharp.starts, sharp.open, sharp.points.normal, sphere(36), np.asarray(_NEAR), near)
    near = np.maximum(near, _COVERED)
    middle = luminance(direct + out)
    ambient = _AMBIENT * float(np.median(middle[sharp.open > 0]))
    return np.asarray((out + ambient) * (_CORNER + (1.0 - _CORNER) * near)[:, None])
