"""Mip levels and tiles of one texture, compiled: a large scene has a hundred million texels.

Levels follow Mesa (u_gen_mipmap), which drew Habitat's recorded frames: sides halved and rounded down, a linear
sample at each new texel's centre, along x and then along y, each rounded, halves upwards.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.render.layout import U8, U32
from nav_eval.jit import kernel

SIDE = 16
BORDERED = (SIDE + 1) ** 2
KEPT = 256
"""Sizes of levels whose indices are kept: many textures share a few sizes."""
Index = NDArray[np.int64]


def level_shapes(height: int, width: int, most: int) -> list[tuple[int, int]]:
    """(height, width) of each mip level, at most `most`."""
    shapes = [(height, width)]
    while max(shapes[-1]) > 1 and len(shapes) < most:
        shapes.append((max(1, shapes[-1][0] // 2), max(1, shapes[-1][1] // 2)))
    return shapes


def tile_grid(height: int, width: int) -> tuple[int, int]:
    """Rows and columns of tiles; stored index i holds texel i - 1, from 0 to size + 1."""
    return -(-(height + 1) // SIDE), -(-(width + 1) // SIDE)


def tile(image: U8, wrap: tuple[str, str], out: U32) -> None:
    """Write the texels of one level, (H, W, 4), in tile order."""
    rows, columns = tile_grid(image.shape[0], image.shape[1])
    texels = _read_only(image).view(np.uint32)[..., 0]
    copy_tiles(texels, _border(image.shape[0], rows, wrap[1]), _border(image.shape[1], columns, wrap[0]), out)


def halve(image: U8) -> U8:
    """The next mip level, at least one texel each way. (H, W, 4) both."""
    height, width = (max(1, size // 2) for size in image.shape[:2])
    out = np.empty((height, width, 4), np.uint8)
    y, weight_y = _centres(image.shape[0], height)
    x, weight_x = _centres(image.shape[1], width)
    resample(_read_only(image), y, weight_y, x, weight_x, out)
    return out


def _read_only(image: U8) -> U8:
    """A contiguous view that kernels see as one type, whether the image may be written or not."""
    view = np.ascontiguousarray(image)[:]
    view.flags.writeable = False
    return view


@lru_cache(KEPT)
def _border(size: int, tiles: int, mode: str) -> Index:
    """Source index of each stored row or column, (SIDE + 1) for each tile."""
    index = (np.arange(tiles)[:, None] * SIDE + np.arange(SIDE + 1) - 1).ravel()
    return index % size if mode == "repeat" else np.clip(index, 0, size - 1)


@lru_cache(KEPT)
def _centres(size: int, half: int) -> tuple[Index, Index]:
    """For each new texel the first of the two old ones it lies between, and the weight of the second, of 256."""
    place = (np.arange(half) + 0.5) * (size / half) - 0.5
    low = np.clip(place.astype(np.int64), 0, max(0, size - 2))
    return low, np.rint((place - low) * 256.0).astype(np.int64) if size > 1 else np.zeros(1, np.int64)


@kernel(_nrt=False)
def copy_tiles(texels: U32, rows: Index, columns: Index, out: U32) -> None:
    """Gather texels[rows, columns] tile by tile; rows and columns hold SIDE + 1 indices for each tile.

    texels (H, W), rows and columns (K,), out (T,).
    """
    at = 0
    for ty in range(rows.shape[0] // (SIDE + 1)):
        for tx in range(columns.shape[0] // (SIDE + 1)):
            for j in range(SIDE + 1):
                row = rows[ty * (SIDE + 1) + j]
                for i in range(SIDE + 1):
                    out[at] = texels[row, columns[tx * (SIDE + 1) + i]]
                    at += 1


@kernel(_nrt=False)
def resample(image: U8, ys: Index, weights_y: Index, xs: Index, weights_x: Index, out: U8) -> None:
    """Linear samples between two neighbours on each axis, weights out of 256.

    image, out: (H, W, 4); ys and weights_y (H,), xs and weights_x (W,), of `out`.
    """
    right = min(1, image.shape[1] - 1)
    down = min(1, image.shape[0] - 1)
    for j in range(out.shape[0]):
        y, wy = ys[j], weights_y[j]
        for i in range(out.shape[1]):
            x, wx = xs[i], weights_x[i]
            for c in range(4):
                a = np.int64(image[y, x, c]) * (256 - wx) + np.int64(image[y, x + right, c]) * wx
                b = np.int64(image[y + down, x, c]) * (256 - wx) + np.int64(image[y + down, x + right, c]) * wx
                out[j, i, c] = (((a + 128) >> 8) * (256 - wy) + ((b + 128) >> 8) * wy + 128) >> 8
