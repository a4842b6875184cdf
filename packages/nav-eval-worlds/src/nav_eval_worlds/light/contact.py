"""Close to one another things get less light, or, where they are thin, as much as the rest of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, cross, length, sphere
from nav_eval_worlds.light.places import Places
from nav_eval_worlds.mesh.charts import THIN
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.rays.soup import crowded, soup_of, standing

_LOOKS, _OVER, _CLOSE, _STANDS = 14, 0.012, 0.16, 0.85
"""Directions, metres from above a rug's edge on, and how far it is looked for what stands on a floor; and how much of
its light a place loses that sees nothing else."""
_BESIDE, _BESIDE_SHARE = 0.1, 0.7
"""Metres round which, and share with which, thin faces take the light of their object: black ones show as dashes."""


def grounded(mesh: Mesh, items: Sequence[Item], at: Places) -> Floats:
    """(N, 1) what share floors and tops keep of their light close to what stands on them; 1 elsewhere."""
    out = np.ones((len(at), 1))
    chart, _, _ = mesh.patches.charts.texels
    level = at.points.normal[: len(chart), 1] > 0.9
    rows = np.flatnonzero(level & (at.open[: len(chart)] > 0) & ~mesh.patches.thin[chart])
    loose = np.asarray([False, *(item.support != "shell" for item in items)])[mesh.objects[mesh.triangles[:, 0]]]
    if not len(rows) or not loose.any():
        return out
    around = sphere(2 * _LOOKS)
    around = around[around[:, 1] > 0]
    share = np.zeros(len(rows))
    above = at.points.at[rows] + np.asarray([0.0, _OVER, 0.0])
    soup = soup_of(mesh.positions, mesh.triangles[loose])
    crowded(soup, standing(), above, around, _CLOSE, share)
    out[rows, 0] = 1.0 - _STANDS * share * (2.0 - share)
    return out


def lifted(mesh: Mesh, at: Places, light: Floats, free: NDArray[np.int64]) -> Floats:
    """Thin faces get a share at least of the brightest light that their object has close by, and not more than it.

    light: (N, 3), a row for each of `at`; free: (F,) vertices.
    """
    chart, _, _ = mesh.patches.charts.texels
    objects = np.concatenate([mesh.patches.labels[chart, 1], mesh.objects[free]]).astype(np.int64)
    thin = np.concatenate([mesh.patches.thin[chart], _narrow(mesh)[free]])
    rows = np.flatnonzero(np.isin(objects, objects[thin]))
    key = objects[rows]
    for axis in range(3):
        place = np.floor(at.points.at[rows, axis] / _BESIDE + 0.5).astype(np.int64)
        place -= place.min(initial=0)
        key = key * (int(place.max(initial=0)) + 1) + place
    _, cell = np.unique(key, return_inverse=True)
    cell, chosen, out = cell.reshape(-1), thin[rows], light.copy()
    most = np.zeros((int(cell.max(initial=0)) + 1, 3))
    wide = np.zeros_like(most)
    np.maximum.at(most, cell, light[rows])
    np.maximum.at(wide, cell[~chosen], light[rows[~chosen]])
    most = np.where(wide > 0, wide, most)[cell[chosen]]
    out[rows[chosen]] = np.minimum(np.maximum(light[rows[chosen]], most * _BESIDE_SHARE), most)
    return out


def _narrow(mesh: Mesh) -> NDArray[np.bool_]:
    """(V,) whether a vertex belongs to narrow triangles only."""
    points = mesh.positions[mesh.triangles]
    sides = np.stack([length(points[:, k] - points[:, k - 1]) for k in range(3)], axis=1)
    area = length(cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
    out = np.ones(len(mesh.positions), np.bool_)
    out[mesh.triangles[area > sides.max(axis=1) * THIN].reshape(-1)] = False
    return out
