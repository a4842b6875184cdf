"""The shape of a building, small enough for a web page: whole with small textures, or its vertices on a grid merged.

Vertex clustering (Rossignac & Borrel 1993): every vertex moves to its cell's mean, triangles that lose a corner go.
The cell grows until few enough triangles are left.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.report.solid import Parts, solid_parts

MAX_BYTES = 2_400_000
"""Of one scene, and of all of a report together, packed."""
PACKED_TRIANGLE = 9.0
"""Bytes that gzip leaves of a triangle and its vertices in a coarser scene."""
HOPELESS = 8
"""A scene of so many times the bytes is not tried whole."""
MAX_TEXELS = 1_500_000
QUALITY = 72
FIRST_CELL = 0.02
GROWTH = 1.3
GREY = 180


@dataclass(frozen=True, slots=True)
class SceneMesh:
    """What solid.js draws: its head, and its parts as bytes."""

    head: dict[str, Any]
    parts: Parts

    @property
    def vertices(self) -> npt.NDArray[np.float64]:
        """(V, 3) metres."""
        shares = np.frombuffer(self.parts["places"], "<u2").reshape(-1, 4)[:, :3] / 65535
        positions: npt.NDArray[np.float64] = np.array(self.head["low"]) + shares * np.array(self.head["extent"])
        return positions

    @property
    def triangles(self) -> npt.NDArray[np.uint32]:
        """(T, 3) indices."""
        return np.frombuffer(self.parts["triangles"], "<u4").reshape(-1, 3)

    @property
    def colours(self) -> npt.NDArray[np.uint8]:
        """(V, 4) of the vertices."""
        return np.frombuffer(self.parts["colours"], np.uint8).reshape(-1, 4)

    def to_record(self) -> dict[str, Any]:
        return {"head": self.head, "parts": {n: base64.b64encode(data).decode() for n, data in self.parts.items()}}


def scene_mesh(scene: Scene, most: int = MAX_BYTES) -> SceneMesh | None:
    """With its textures where that packs into about `most` bytes, else made coarser; None without triangles."""
    if not len(scene.triangles):
        return None
    known = scene.positions.nbytes + scene.triangles.nbytes
    whole = _pack(scene, min(most, MAX_TEXELS)) if known <= HOPELESS * most else None
    if whole is not None and sum(len(zlib.compress(part, 1)) for part in whole.parts.values()) <= most:
        return whole
    return coarse_mesh(scene, most)


def coarse_mesh(scene: Scene, most: int = MAX_BYTES) -> SceneMesh | None:
    """Without textures, in colours of its vertices; None without triangles."""
    return _pack(coarser(scene, int(most / PACKED_TRIANGLE)), most) if len(scene.triangles) else None


def _pack(scene: Scene, texels: int) -> SceneMesh:
    head, parts = solid_parts(scene, texels, QUALITY)
    # Without baked light only shading shows the edges of what has one colour.
    return SceneMesh(head | {"bare": all(material.lightmap < 0 for material in scene.materials)}, parts)


def coarser(scene: Scene, most: int) -> Scene:
    """At most `most` triangles, in colours of their vertices."""
    colours = triangle_colours(scene).astype(np.float64)
    positions = scene.positions.astype(np.float64)
    cell = FIRST_CELL
    while True:
        vertices, triangles, kept = clustered(positions, scene.triangles, cell)
        if len(triangles) <= most:
            break
        cell *= GROWTH
    corners, counts = triangles.ravel(), np.bincount(triangles.ravel(), minlength=len(vertices))
    mixed = [np.bincount(corners, np.repeat(colours[kept, k], 3), len(vertices)) / counts for k in range(3)]
    return Scene(
        scene.name,
        vertices.astype(np.float32),
        triangles.astype(np.int32),
        np.zeros(len(triangles), np.int32),
        (Material(),),
        colors=np.stack([*mixed, np.full(len(vertices), 255.0)], axis=1).astype(np.uint8),
    )


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
