"""A scene's surfaces as the pages' WebGL takes them: a JSON head and binary parts that go to the card as they are.

Positions are 16-bit shares of the scene's box, textures JPEG (PNG where they are transparent). Drawn by solid.js.
"""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Scene

Parts = dict[str, bytes]
CELL = np.array([5.0, 3.0, 5.0])
"""Metres: a chunk's width, height and depth."""


def solid_parts(scene: Scene, most_texels: int, quality: int) -> tuple[dict[str, Any], Parts]:
    """The head and the parts; textures of more texels together are halved until they fit (head: `shrunk`)."""
    low, high = scene.positions.min(axis=0).astype(float), scene.positions.max(axis=0).astype(float)
    extent = np.maximum(high - low, 1e-3)
    order, ranges, boxes = _chunks(scene)
    halvings = _halvings(scene, most_texels)
    parts = {
        "places": _places(scene, low, extent),
        "uvs": raw(np.zeros((len(scene.positions), 2)) if scene.uvs is None else scene.uvs, np.float32),
        "lightuvs": _shares(np.zeros((len(scene.positions), 2)) if scene.light_uvs is None else scene.light_uvs),
        "colours": raw(np.full((len(scene.positions), 4), 255) if scene.colors is None else scene.colors, np.uint8),
        "triangles": raw(scene.triangles[order], np.uint32),
    }
    kinds = []
    for number, texture in enumerate(scene.textures):
        parts[f"texture{number}"], kind = picture(texture, halvings, quality)
        kinds.append(kind)
    head = {
        "low": low.tolist(),
        "extent": extent.tolist(),
        "bare": scene.bare,
        "ranges": ranges,
        "boxes": boxes,
        "materials": [
            {
                "factor": [min(max(float(value), 0.0), 1.0) for value in material.base_color],
                "texture": material.texture if scene.uvs is not None else -1,
                "lightmap": material.lightmap if scene.light_uvs is not None else -1,
                "cutoff": material.alpha_cutoff if material.alpha_mode == "mask" else -1.0,
                "wrap": material.wrap,
            }
            for material in scene.materials
        ],
        "textures": kinds,
        "shrunk": 2**halvings,
    }
    return head, parts


def _places(scene: Scene, low: NDArray[Any], extent: NDArray[Any]) -> bytes:
    """(V, 4) uint16, the last of each 0: positions as shares of the box."""
    shares = np.zeros((len(scene.positions), 4))
    shares[:, :3] = (scene.positions - low) / extent
    return _shares(shares)


def _shares(values: NDArray[Any]) -> bytes:
    """Numbers from 0 to 1 as uint16."""
    return raw(np.rint(np.clip(values, 0, 1) * 65535), np.uint16)


def raw(array: NDArray[Any], dtype: type[Any]) -> bytes:
    """The numbers alone, low byte first."""
    return np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()


def _chunks(scene: Scene) -> tuple[NDArray[np.intp], list[tuple[int, int, int]], list[list[float]]]:
    """The triangles by material and cell; material, first index and number of indices of each chunk; its box.

    What lies outside a picture is skipped by chunks.
    """
    corners = scene.positions[scene.triangles].astype(np.float64)
    cells = np.floor(corners.mean(axis=1) / CELL).astype(np.int64)
    keys = np.column_stack([scene.material_ids, cells[:, 1], cells[:, 0], cells[:, 2]])
    order = np.lexsort(keys.T[::-1])
    keys = keys[order]
    first = np.flatnonzero(np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)]))
    count = np.diff(np.append(first, len(keys)))
    ends = corners[order]
    low = np.minimum.reduceat(ends.min(axis=1), first)
    high = np.maximum.reduceat(ends.max(axis=1), first)
    ranges = [(int(keys[a, 0]), 3 * int(a), 3 * int(n)) for a, n in zip(first, count, strict=True)]
    return order, ranges, np.round(np.hstack([low, high]), 2).tolist()


def _halvings(scene: Scene, most: int) -> int:
    """How often both sides of all textures are halved to fit into so many texels."""
    texels = sum(texture.shape[0] * texture.shape[1] for texture in scene.textures)
    return max(0, math.ceil(math.log(texels / most, 4))) if texels else 0


def picture(texture: NDArray[np.uint8], halvings: int, quality: int) -> tuple[bytes, str]:
    """An (H, W, 4) texture as a file, and its media type."""
    from PIL import Image as Pictures

    opaque = bool((texture[..., 3] == 255).all())
    image = Pictures.fromarray(np.ascontiguousarray(texture[..., :3] if opaque else texture))
    if halvings:
        image = image.resize([max(1, side >> halvings) for side in image.size], Pictures.Resampling.BOX)
    out = io.BytesIO()
    image.save(out, "JPEG" if opaque else "PNG", **({"quality": quality, "subsampling": 0} if opaque else {}))
    return out.getvalue(), "image/jpeg" if opaque else "image/png"
