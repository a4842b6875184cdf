"""What a place is made of, for its light."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.surfaces.palette import glows

_SMOOTH_FACES = ("mirror", "glass", "frosted")
"""Materials that throw sunlight on instead of scattering it."""


def matt(mesh: Mesh, free: NDArray[np.int64]) -> Floats:
    """(N, 1) 0 where a place scatters no sunlight, 1 elsewhere."""
    smooth = np.asarray([name in _SMOOTH_FACES for name in mesh.names])
    return np.where(smooth[materials(mesh, free)], 0.0, 1.0)[:, None]


def materials(mesh: Mesh, free: NDArray[np.int64]) -> NDArray[np.int32]:
    """(N,) of the texels of all charts, then of the vertices `free`."""
    chart, _, _ = mesh.patches.charts.texels
    return np.concatenate([mesh.patches.labels[chart, 0], mesh.materials[free]])


def sent_back(mesh: Mesh, colours: Floats, free: NDArray[np.int64]) -> Floats:
    """(N, 3) what share of light each place sends back, of materials (M, 3); nothing from what shines by itself."""
    albedo = colours * colours
    albedo[[glows(name) for name in mesh.names]] = 0.0
    return np.asarray(albedo[materials(mesh, free)])


def mean_colours(textures: Sequence[NDArray[np.uint8]]) -> Floats:
    """(M, 3) mean colours of textures, 0 to 1."""
    sums = [rows.sum(axis=0, dtype=np.uint32).sum(axis=0, dtype=np.int64) for rows in textures]  # 18 times one sum
    return np.asarray([each / (texels.size / 3 * 255) for each, texels in zip(sums, textures, strict=True)])
