"""Light known at every other texel: covered ones filled, smoothed, and brought to all."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.light.places import Places
from nav_eval_worlds.mesh.charts import Charts
from nav_eval_worlds.rays import bounce

_FILL = 3
"""Texels that the light beside a covered place is carried into it."""
_SMOOTH = 4
"""Coarse texels over which the bounced light of a surface is smoothed, to each side."""


def fill(charts: Charts, at: Places, values: Floats) -> None:
    """Gives the covered texels of all charts the light that lies round them. values: (N, 3), a row for each of `at`."""
    bounce.fill(charts.size, charts.begins, _FILL, at.open.copy(), values)


def refined(charts: Charts, halved: Charts, coarse: Floats, vertices: int) -> Floats:
    """From the halved charts' texels to those of the charts (N, 3); the vertices that follow stay."""
    chart, u, v = charts.texels
    out = np.zeros((len(chart) + vertices, 3))
    bounce.refine(chart, u, v, halved.size, halved.begins, coarse, out[: len(chart)])
    out[len(chart) :] = coarse[len(coarse) - vertices :]
    return out


def soften(halved: Charts, at: Places, values: Floats) -> None:
    """Smooths what probes told, within each chart: between them it shows their lattice.

    values: (N, 3), a row for each of `at`.
    """
    other = np.zeros((int(halved.size.prod(axis=1).sum()), 3))
    bounce.soften(halved.size, halved.begins, _SMOOTH, 0, at.open, values, other)
    bounce.soften(halved.size, halved.begins, _SMOOTH, 1, at.open, other, values)
