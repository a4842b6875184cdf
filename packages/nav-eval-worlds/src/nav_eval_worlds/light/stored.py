"""Light as bytes: the lightmap and the vertices' colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.surfaces.palette import glows

_SHADE = 0.3
"""What a lampshade loses of its brightness to its upper edge."""


def stored(value: Floats, mesh: Mesh, free: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """As bytes of the vertices and the lightmap. What shines stays white.

    value (N, 3), 1 is full light; free (F,) vertices; (V, 4) and (H, W, 3).
    """
    texels = len(value) - len(free)
    lightmap = mesh.patches.charts.painted(np.floor(np.minimum(value[:texels] * 128, 255) + 0.5).astype(np.uint8))
    out = np.full((len(mesh.positions), 4), 255, dtype=np.uint8)
    out[free, :3] = np.floor(np.minimum(value[texels:], 1.0) * 255 + 0.5).astype(np.uint8)
    column = (mesh.light_uvs[mesh.lit, 0] * lightmap.shape[1]).astype(np.int64)
    row = (mesh.light_uvs[mesh.lit, 1] * lightmap.shape[0]).astype(np.int64)
    out[mesh.lit, :3] = np.minimum(lightmap[row, column].astype(np.int64) * 2, 255)
    out[np.asarray([glows(name) for name in mesh.names])[mesh.materials], :3] = 255
    return _shaded(mesh, out), lightmap


def _shaded(mesh: Mesh, colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Lampshades are brightest at their lower edge."""
    rows = np.flatnonzero(np.asarray([name == "shade" for name in mesh.names])[mesh.materials])
    low, high = np.full(int(mesh.objects.max()) + 1, np.inf), np.full(int(mesh.objects.max()) + 1, -np.inf)
    owner, y = mesh.objects[rows], mesh.positions[rows, 1]
    np.minimum.at(low, owner, y)
    np.maximum.at(high, owner, y)
    up = (y - low[owner]) / np.maximum(high[owner] - low[owner], 1e-3)
    colors[rows, :3] = np.floor(255.0 * (1.0 - _SHADE * up * up) + 0.5).astype(np.uint8)[:, None]
    return colors
