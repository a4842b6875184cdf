"""What surfaces show close up: textures at twice the resolution, with the grain or the relief of their stuff.

A painter's texel is 3 to 6 mm wide, a pixel from half a metre 1.3 mm. From afar the mip levels average it all away.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.surfaces.noise import noise

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


def detailed(image: Floats, painter: str, scale: float) -> Floats:
    """(H, W, 3) to (2 H, 2 W, 3), or as it was: fine enough (`scale`: metres of a repeat), or of smooth stuff."""
    if painter in _SMOOTH or scale / image.shape[1] < COARSE:
        return image
    fine = _doubled(_doubled(image, 0), 1)
    pattern = _threads(*fine.shape[:2]) if painter in _WOVEN else _pattern(painter in _GRAIN, *fine.shape[:2])
    fine *= (1 + (pattern - 1) * (_FAINT if painter in _PAINTED else 1.0))[..., None]
    return fine


def _doubled(image: Floats, axis: int) -> Floats:
    """Twice as many texels along an axis, linear between the old ones; it still repeats."""
    near = image * 0.75
    before, after = near + np.roll(image, 1, axis) * 0.25, near + np.roll(image, -1, axis) * 0.25
    shape = list(image.shape)
    shape[axis] *= 2
    return np.stack([before, after], axis=axis + 1).reshape(shape)


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
