"""The triangles of a world, before light and textures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.mesh.charts import Charts


@dataclass(frozen=True, slots=True)
class Mesh:
    """V vertices (metres, world frame, y up), T triangles. `materials`, `objects` (from 1) and `rooms` are per vertex;
    uvs in metres or repeats.

    `lit` (V,) says whose light lies in the lightmap, at `light_uvs` (V, 2); `patches` are the quads that it covers.
    """

    positions: Floats
    normals: Floats
    uvs: Floats
    triangles: NDArray[np.int32]
    materials: NDArray[np.int32]
    objects: NDArray[np.int32]
    rooms: NDArray[np.int32]
    names: tuple[str, ...]
    lit: NDArray[np.bool_]
    light_uvs: NDArray[np.float32]
    patches: Patches

    def looks(self) -> tuple[tuple[tuple[int, bool], ...], NDArray[np.int32]]:
        """The pairs of material and `lit` that occur, in order, and which of them each triangle has (T,)."""
        first = self.triangles[:, 0]
        keys, owner = np.unique(self.materials[first] * 2 + self.lit[first], return_inverse=True)
        return tuple((int(key) // 2, bool(key % 2)) for key in keys), owner.reshape(-1).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Patches:
    """The quads that have charts: corners (C, 4, 3), if thin (C,), and the material, object and room of each (C, 3)."""

    charts: Charts
    corners: Floats
    thin: NDArray[np.bool_]
    labels: NDArray[np.int32]
