"""The shape of a building, coarse enough for a web page: vertices on a grid merged, colours per triangle.

Vertex clustering (Rossignac & Borrel 1993): every vertex moves to its cell's mean, triangles that lose a corner go.
The cell grows until few enough triangles are left.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.engine.scene.scene import Scene

MOST_TRIANGLES = 12_000
FIRST_CELL = 0.05
GROWTH = 1.3
GREY = 180


@dataclass(frozen=True, slots=True)
class SceneMesh:
    """vertices (V, 3) int16 cm, triangles (T, 3) uint16, colours (T, 3) uint8 sRGB."""

    vertices: npt.NDArray[np.int16]
    triangles: npt.NDArray[np.uint16]
    colours: npt.NDArray[np.uint8]

    def to_record(self) -> dict[str, Any]:
        arrays: dict[str, npt.NDArray[Any]] = {
            "vertices": self.vertices,
            "triangles": self.triangles,
            "colours": self.colours,
        }
        return {name: base64.b64encode(array.tobytes()).decode() for name, array in arrays.items()}


def scene_mesh(scene: Scene, most: int = MOST_TRIANGLES) -> SceneMesh | None:
    """At most `most` triangles of the scene; None for one without any, or too wide for centimetres in 16 bits."""
    positions = scene.positions.astype(np.float64)
    if not len(scene.triangles) or np.abs(positions).max() > 327:
        return None
    colours = triangle_colours(scene)
    cell = FIRST_CELL
    while True:
        vertices, triangles, kept = clustered(positions, scene.triangles, cell)
        if len(triangles) <= most and len(vertices) <= 1 << 16:
            break
        cell *= GROWTH
    centimetres = np.rint(vertices * 100).astype(np.int16)
    return SceneMesh(centimetres, triangles.astype(np.uint16), colours[kept])


def clustered(
    positions: npt.NDArray[np.float64], triangles: npt.NDArray[Any], cell: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Vertices (V', 3), triangles (T', 3) into them, and which of the (T, 3) triangles these were."""
    cells = np.floor(positions / cell).astype(np.int64)
    _, own = np.unique(cells, axis=0, return_inverse=True)
    own = own.reshape(-1)
    counts = np.bincount(own)
    means = np.stack([np.bincount(own, positions[:, axis]) / counts for axis in range(3)], axis=1)
    corners = own[triangles]
    whole = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    kept = np.flatnonzero(whole)
    _, first = np.unique(np.sort(corners[kept], axis=1), axis=0, return_index=True)
    kept = kept[np.sort(first)]
    used, renamed = np.unique(corners[kept], return_inverse=True)
    return means[used], renamed.reshape(-1, 3), kept


def triangle_colours(scene: Scene) -> npt.NDArray[np.uint8]:
    """(T, 3) sRGB: the texture at the triangle's middle, else the material's colour, else the vertices'."""
    base = np.array([material.base_color[:3] for material in scene.materials] or [(1, 1, 1)], np.float64)
    material = np.clip(scene.material_ids, 0, len(base) - 1)
    colours = np.full((len(scene.triangles), 3), float(GREY))
    textured = np.zeros(len(colours), np.bool_)
    if scene.uvs is not None:
        middles = scene.uvs[scene.triangles].mean(axis=1)
        for i, entry in enumerate(scene.materials):
            mine = np.flatnonzero(material == i)
            if 0 <= entry.texture < len(scene.textures) and len(mine):
                colours[mine] = _texels(scene.textures[entry.texture], middles[mine])
                textured[mine] = True
    if scene.colors is not None:
        plain = ~textured
        colours[plain] = scene.colors[scene.triangles[plain]][:, :, :3].mean(axis=1)
        textured |= plain
    tint = base[material] ** (1 / 2.2)
    return np.clip(np.where(textured[:, None], colours * tint, 255 * tint), 0, 255).astype(np.uint8)


def _texels(texture: npt.NDArray[np.uint8], uvs: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    height, width = texture.shape[:2]
    wrapped = np.nan_to_num(uvs % 1)
    x = np.minimum((wrapped[:, 0] * width).astype(int), width - 1)
    y = np.minimum((wrapped[:, 1] * height).astype(int), height - 1)
    return texture[y, x, :3]
