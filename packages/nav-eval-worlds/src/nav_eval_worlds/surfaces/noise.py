"""Tileable noise and patterns in exact arithmetic: the raw stuff of all textures.

Value noise: random values on a lattice that wraps round, blended by a smooth cubic (Perlin's fade would do as well).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel
from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.rays.march import F64, I64

Colour = tuple[int, int, int]


def axes(size: tuple[int, int]) -> tuple[Floats, Floats]:
    """(x, y) in [0, 1): the middles of texels of a (height, width) image. Both of shape `size`."""
    h, w = size
    x = (np.arange(w) + 0.5) / w
    y = (np.arange(h) + 0.5) / h
    return np.broadcast_to(x, (h, w)), np.broadcast_to(y[:, None], (h, w))


def noise(stream: Stream, size: tuple[int, int], cells: tuple[int, int], octaves: int = 1) -> Floats:
    """(H, W) in [0, 1): `cells` = lattice cells down and across; each octave halves size and weight."""
    total = np.zeros(size)
    weight, whole = 1.0, 0.0
    for octave in range(octaves):
        rows, columns = min(cells[0] << octave, size[0]), min(cells[1] << octave, size[1])
        down, across = _fractions(size[0], rows), _fractions(size[1], columns)
        _add(stream.unit((rows, columns)), *down, *across, weight, np.empty(columns), total)
        whole += weight
        weight /= 2
    total /= whole
    return total


@kernel(_nrt=False)
def _add(values: F64, fy: F64, y0: I64, fx: F64, x0: I64, weight: float, line: F64, total: F64) -> None:
    """total (H, W) += `weight` of what lies between the values of a lattice, which repeats; `line`: room for a row."""
    rows, columns = values.shape
    for i in range(len(fy)):
        y1 = y0[i] + 1 if y0[i] + 1 < rows else 0
        for k in range(columns):
            line[k] = values[y0[i], k] * (1.0 - fy[i]) + values[y1, k] * fy[i]
        for j in range(len(fx)):
            x1 = x0[j] + 1 if x0[j] + 1 < columns else 0
            total[i, j] += (line[x0[j]] * (1.0 - fx[j]) + line[x1] * fx[j]) * weight


def _fractions(texels: int, cells: int) -> tuple[Floats, NDArray[np.int64]]:
    at = (np.arange(texels) + 0.5) * cells / texels
    whole = np.floor(at)
    f = at - whole
    return f * f * (3 - 2 * f), whole.astype(np.int64) % cells


def cell_values(stream: Stream, index: NDArray[np.int64]) -> Floats:
    """A random value in [0, 1) for each integer of `index` (>= 0). Of the shape of `index`."""
    return stream.unit((int(index.max()) + 1,))[index]


def shade(colour: Colour, value: Floats) -> Floats:
    """(H, W, 3): a colour times a brightness."""
    out = np.empty((*value.shape, 3))
    for k, channel in enumerate(colour):
        np.multiply(value, channel, out=out[..., k])
    return out


def mixed(a: Floats, b: Floats | Colour, share: Floats) -> Floats:
    """a where share is 0, b where it is 1.

    a, b: (..., 3), or b a colour (3,); share of the shape of a without its last axis.
    """
    return a * (1 - share[..., None]) + np.asarray(b, dtype=np.float64) * share[..., None]


def to_texels(image: Floats) -> NDArray[np.uint8]:
    """Rounded to bytes. Any shape."""
    rounded = image + 0.5
    np.floor(rounded, out=rounded)
    return np.clip(rounded, 0, 255, out=rounded).astype(np.uint8)
