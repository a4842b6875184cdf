"""What surfaces show close up: textures at twice the resolution, with the grain or the relief of their stuff.

A painter's texel is 3 to 6 mm wide, a pixel from half a metre 1.3 mm. From afar the mip levels average it all away.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel
from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.rays.march import F64, U8
from nav_eval_worlds.surfaces.noise import noise, to_texels

COARSE = 0.0025
"""Metres of a texel from which a texture gets detail."""
_GRAIN = frozenset(("planks", "parquet", "herringbone", "wood", "slats", "metal"))
_SMOOTH = frozenset(("smooth", "leather", "water", "render", "boards", "stone", "hex_tiles"))
_PAINTED = frozenset(
    ("plaster", "beadboard", "panelled", "stripes", "circles", "diamonds", "damask", "leaves", "botanic", "wainscot",
     "blossoms", "trellis")
)  # fmt: skip
_WOVEN = frozenset(("linen", "fabric", "plaid", "ticking"))
_DEPTH, _FAINT, _WEAVE = 0.11, 0.5, 0.16
"""Of bumps in brightness, how much of it shows under paint, and how deep threads lie."""


def detailed(image: Floats, painter: str, scale: float) -> NDArray[np.uint8]:
    """(H, W, 3) as bytes (2 H, 2 W, 3), or (H, W, 3): fine enough (`scale`: metres of a repeat), or of smooth stuff."""
    if painter in _SMOOTH or scale / image.shape[1] < COARSE:
        return to_texels(image)
    rows, columns = 2 * image.shape[0], 2 * image.shape[1]
    pattern = _threads(rows, columns) if painter in _WOVEN else _pattern(painter in _GRAIN, rows, columns)
    fine = np.empty((rows, columns, 3), np.uint8)
    _refine(image, pattern, _FAINT if painter in _PAINTED else 1.0, np.empty(image.shape[1:]), fine)
    return fine


@kernel(_nrt=False)
def _refine(image: F64, pattern: F64, depth: float, line: F64, out: U8) -> None:
    """out (2 H, 2 W, 3): linear between the texels of an image (H, W, 3) that repeats, times so much of a pattern.

    line: (W, 3), room for a row.
    """
    high, wide, _ = image.shape
    for i in range(2 * high):
        beside = (i // 2 + i % 2 * 2 - 1) % high
        for k in range(wide):
            for c in range(3):
                line[k, c] = image[i // 2, k, c] * 0.75 + image[beside, k, c] * 0.25
        for j in range(2 * wide):
            beside = (j // 2 + j % 2 * 2 - 1) % wide
            tone = 1.0 + (pattern[i, j] - 1.0) * depth
            for c in range(3):
                value = (line[j // 2, c] * 0.75 + line[beside, c] * 0.25) * tone
                out[i, j, c] = min(max(np.floor(value + 0.5), 0.0), 255.0)


@cache
def _pattern(grain: bool, rows: int, columns: int) -> Floats:
    """(rows, columns) about 1: pores along u, or bumps with light from one side."""
    stream = Stream("detail", grain, rows, columns)
    if grain:
        pores = noise(stream, (rows, columns), (rows // 2, 24), 2)
        return 1 + (pores - 0.5) * _DEPTH * 1.4
    bumps = noise(stream, (rows, columns), (rows // 4, columns // 4), 2)
    return 1 + (bumps - np.roll(bumps, (1, 1), (0, 1))) * _DEPTH * 0.75


@cache
def _threads(rows: int, columns: int) -> Floats:
    """(rows, columns) about 1: a plain weave of threads two texels wide, each of its own thickness."""
    stream = Stream("detail", "threads", rows, columns)
    i, j = np.arange(rows)[:, None], np.arange(columns)[None]
    over = (i // 2 + j // 2) % 2 < 1
    across, along = stream.unit((rows // 2, 1))[i[:, 0] // 2], stream.unit((1, columns // 2))[:, j[0] // 2]
    lit = np.where(over, i % 2, j % 2)
    return 1 + _WEAVE * (0.5 * np.where(over, across, along) + 0.5 * lit - 0.5)
