"""From the parts that a file holds to one flat Scene: concatenation, and repairs that say what they did.

Vertex and triangle order are the file's own: navmesh tiles equal to Habitat's depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.errors import SceneError

MAX_ELEMENTS = 1 << 26
"""Most vertices, and most triangles, that a scene may have."""


LONGEST_NUMBER = 400
"""Characters; the longest double, written out, has 327."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a scene: positions (V, 3) float32, triangles (T, 3) int32 into them; what is None is absent.

    `material` and `object_ids` are one number for the whole part, or (T,) int32.
    """

    positions: NDArray[np.float32]
    triangles: NDArray[np.int32]
    material: NDArray[np.int32] | int = 0
    uvs: NDArray[np.float32] | None = None
    colors: NDArray[np.uint8] | None = None
    object_ids: NDArray[np.int32] | int = 0
    light_uvs: NDArray[np.float32] | None = None


def numbers(words: Sequence[bytes], dtype: type[Any]) -> NDArray[Any]:
    """Words of a text as an array; ValueError where one is no number.

    NumPy makes every word as long as the longest, so one word of a megabyte would cost a megabyte for each.

    (N,) for N words.
    """
    longest = max(map(len, words), default=0)
    if longest > LONGEST_NUMBER:
        raise ValueError(f"a number of {longest} characters")
    with np.errstate(over="ignore"):  # what is too large is inf, and no vertex: see repair.py
        return np.array(words, dtype="S").astype(dtype)


def check_indices(triangles: NDArray[Any], count: int, where: str) -> NDArray[np.int32]:
    """`triangles` as int32; SceneError if one of them names a vertex that does not exist. (T, 3)."""
    if triangles.size and (int(triangles.max()) >= count or int(triangles.min()) < 0):
        bad = int(triangles.max()) if int(triangles.max()) >= count else int(triangles.min())
        raise SceneError(f"{where}: a triangle names vertex {bad}, but there are {count}. Export the scene again.")
    return triangles.astype(np.int32, copy=False)


def assemble(
    name: str, parts: Sequence[Part], materials: Sequence[Material], textures: Sequence[NDArray[np.uint8]], where: str
) -> Scene:
    """One scene from `parts`; SceneError if they hold no triangle, or absurdly many. textures: each (H, W, 4), sRGB."""
    vertices, triangles = sum(len(part.positions) for part in parts), sum(len(part.triangles) for part in parts)
    if not triangles:
        raise SceneError(f"{where}: holds no triangles. Export meshes, not points or lines.")
    if max(vertices, triangles) > MAX_ELEMENTS:
        raise SceneError(f"{where}: {vertices} vertices, {triangles} triangles; at most {MAX_ELEMENTS} are read.")
    starts = np.cumsum([0, *(len(part.positions) for part in parts)])
    object_ids = _per_triangle(parts, lambda part: part.object_ids)
    return Scene(
        name=name,
        positions=np.concatenate([part.positions for part in parts]),
        triangles=np.concatenate([part.triangles + np.int32(start) for part, start in zip(parts, starts)]),
        material_ids=_per_triangle(parts, lambda part: part.material),
        materials=tuple(materials) or (Material(),),
        uvs=_join(parts, lambda part: part.uvs, np.zeros(2, np.float32)),
        colors=_join(parts, lambda part: part.colors, np.full(4, 255, np.uint8)),
        textures=textures,
        object_ids=object_ids if object_ids.any() else None,
        light_uvs=_join(parts, lambda part: part.light_uvs, np.zeros(2, np.float32)),
    )


def _join(
    parts: Sequence[Part], pick: Callable[[Part], NDArray[Any] | None], fill: NDArray[Any]
) -> NDArray[Any] | None:
    """A per-vertex attribute of all parts, `fill` where a part has none; None where no part has it."""
    if all(pick(part) is None for part in parts):
        return None
    arrays = []
    for part in parts:
        own = pick(part)
        arrays.append(np.broadcast_to(fill, (len(part.positions), len(fill))) if own is None else own)
    return np.concatenate(arrays)


def _per_triangle(parts: Sequence[Part], pick: Callable[[Part], NDArray[np.int32] | int]) -> NDArray[np.int32]:
    """(T,) int32 of all parts, one number spread over a part where it has only that."""
    spread = [np.broadcast_to(np.asarray(pick(part), np.int32), (len(part.triangles),)) for part in parts]
    return np.concatenate(spread)
