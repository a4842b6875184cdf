"""What is wrong with a mesh that can still be used, put right and said so; what cannot be used is refused.

A vertex at infinity, or one prop hundreds of kilometres away, would make every grid over the scene explode.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import SceneError

NEAR_M = 1_000.0
"""Nothing closer than this to the scene's middle counts as astray."""
MAX_EXTENT_M = 100_000.0
MAX_REPEATS = float(1 << 20)
"""Of a texture: float32 cannot tell texels apart beyond, and sampling would overflow."""


def repaired(scene: Scene, where: str) -> Scene:
    """`scene` without vertices that are not finite or far astray; its notes name what was done."""
    if not len(scene.triangles):
        raise SceneError(f"{where}: holds no triangles. Export meshes, not points or lines.")
    scene = _without_nonfinite(scene, where)
    scene = _without_strays(scene, where)
    return scene if scene.uvs is None else _with_sane_uvs(scene, scene.uvs)


def _with_sane_uvs(scene: Scene, uvs: NDArray[np.float32]) -> Scene:
    sane = np.abs(uvs) < MAX_REPEATS
    if sane.all():
        return scene
    note = f"set {int((~sane.all(axis=1)).sum())} texture coordinates that are not finite or beyond reason to 0"
    return replace(scene, uvs=np.where(sane, uvs, np.float32(0.0)), notes=(*scene.notes, note))


def _without_nonfinite(scene: Scene, where: str) -> Scene:
    if np.isfinite(scene.positions).all():
        return scene
    bad = np.logical_not(np.isfinite(scene.positions).all(axis=1))
    note = f"dropped {int(bad.sum())} vertices that are not finite, and {{}} triangles on them"
    return _without(scene, bad, note, where)


def _without_strays(scene: Scene, where: str) -> Scene:
    """Drop what lies beyond 1 km and ten times farther out than nine tenths of the scene."""
    extent = scene.positions.max(axis=0) - scene.positions.min(axis=0)
    if float(extent.max()) > NEAR_M:
        corners = scene.positions[scene.triangles.reshape(-1)]
        middle = np.median(corners, axis=0)
        distance = np.abs(scene.positions - middle).max(axis=1)
        usual = float(np.quantile(np.abs(corners - middle).max(axis=1), 0.9))
        astray = distance > max(NEAR_M, 10.0 * usual)
        if astray.any():
            note = (
                f"dropped {int(astray.sum())} stray vertices, up to {float(distance.max()) / 1000.0:.0f} km "
                "from the scene's middle, and {} triangles on them"
            )
            scene = _without(scene, astray, note, where)
    extent = scene.positions.max(axis=0) - scene.positions.min(axis=0)
    if float(extent.max()) > MAX_EXTENT_M:
        across = float(extent.max()) / 1000.0
        raise SceneError(f"{where}: {across:.0f} km across. Give its unit as simulator.scale (--scale), such as 0.001.")
    return scene


def _without(scene: Scene, bad: NDArray[np.bool_], note: str, where: str) -> Scene:
    """Drop vertices and every triangle that touches them; `note` has a place for the number of triangles."""
    keep = ~bad[scene.triangles].any(axis=1)
    if not keep.any():
        raise SceneError(f"{where}: no triangle is left with usable positions. Export the scene again.")
    renumbered = np.cumsum(~bad, dtype=np.int32) - np.int32(1)
    return replace(
        scene,
        positions=scene.positions[~bad],
        triangles=renumbered[scene.triangles[keep]],
        material_ids=scene.material_ids[keep],
        uvs=None if scene.uvs is None else scene.uvs[~bad],
        light_uvs=None if scene.light_uvs is None else scene.light_uvs[~bad],
        colors=None if scene.colors is None else scene.colors[~bad],
        object_ids=None if scene.object_ids is None else scene.object_ids[keep],
        notes=(*scene.notes, note.format(int((~keep).sum()))),
    )
