"""Which flat quads carry a lightmap, and where each lies in it.

A chart's first and last texels lie on its quad's edges, so that neighbours in one plane agree along the edge they
share, and a border of copies round each keeps the other charts two texels away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats

TEXEL = 0.06
"""Most metres between two texels."""
BORDER = 1
THIN = 0.03
"""Metres: faces narrower than this are thin."""
_LONG = 0.5
"""Metres from which on thin ones of the building have charts: their ends lie in dark corners."""
_LEAST_BUILT_IN, _LEAST_FURNITURE = 0.1, 0.3
"""Square metres from which a quad of the building, or of a thing in it, gets a chart."""


@dataclass(frozen=True)
class Charts:
    """C charts in an atlas of `shape` (height, width) texels.

    `quads` (C,) which quads they belong to; `first` (C, 2) column and row of the first texel; `size` (C, 2) texels
    along u and v, at least two.
    """

    quads: NDArray[np.int64]
    first: NDArray[np.int64]
    size: NDArray[np.int64]
    shape: tuple[int, int]

    @property
    def corners(self) -> Floats:
        """(C, 4, 2) lightmap coordinates of the quads' corners, 0 to 1 across and down the atlas."""
        low = self.first + 0.5
        high = self.first + self.size - 0.5
        u = np.stack([low[:, 0], high[:, 0], high[:, 0], low[:, 0]], axis=1) / self.shape[1]
        v = np.stack([low[:, 1], low[:, 1], high[:, 1], high[:, 1]], axis=1) / self.shape[0]
        return np.stack([u, v], axis=-1)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """(C,) which of the texels is each chart's first."""
        counts = self.size[:, 0] * self.size[:, 1]
        return np.asarray(np.cumsum(counts) - counts)

    @cached_property
    def halved(self) -> Charts:
        """The same charts with about half as many texels each way, from edge to edge; they lie in no atlas."""
        return Charts(self.quads, self.first, self.size // 2 + 1, self.shape)

    @cached_property
    def texels(self) -> tuple[NDArray[np.int64], Floats, Floats]:
        """The chart of each texel (N,), and its place on the quad, u and v from 0 to 1."""
        counts = self.size[:, 0] * self.size[:, 1]
        chart = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(chart)) - np.repeat(self.begins, counts)
        wide = self.size[chart]
        return chart, within % wide[:, 0] / (wide[:, 0] - 1.0), within // wide[:, 0] / (wide[:, 1] - 1.0)

    def painted(self, values: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """(H, W, 3) the atlas with the values (N, 3) of `texels`, borders filled; unused texels stand for 1."""
        image = np.full((*self.shape, 3), 128, np.uint8)
        start = 0
        for (x, y), (wide, high) in zip(self.first.tolist(), self.size.tolist(), strict=True):
            own = values[start : start + wide * high].reshape(high, wide, 3)
            start += wide * high
            rows, columns = (np.arange(-BORDER, n + BORDER).clip(0, n - 1) for n in (high, wide))
            image[y - BORDER : y + high + BORDER, x - BORDER : x + wide + BORDER] = own[rows[:, None], columns]
        return image


def lay_out(sizes: Floats, built_in: NDArray[np.bool_], dark: NDArray[np.bool_]) -> Charts:
    """Charts of the quads that are large enough. `sizes` (Q, 2) metres; `dark` (Q,): whether light falls on them."""
    area = sizes[:, 0] * sizes[:, 1]
    thin, long = sizes.min(axis=1) < THIN, sizes.max(axis=1) >= _LONG
    large = np.where(thin, built_in & long, area >= np.where(built_in, _LEAST_BUILT_IN, _LEAST_FURNITURE))
    quads = np.flatnonzero(large & dark)
    size = np.maximum(np.ceil(sizes[quads] / TEXEL).astype(np.int64), 1) + 1
    first, shape = _shelves(size + 2 * BORDER)
    return Charts(quads, first + BORDER, size, shape)


def _shelves(size: NDArray[np.int64]) -> tuple[NDArray[np.int64], tuple[int, int]]:
    """Rectangles (C, 2) in rows of falling height: their corners, and the height and width of it all."""
    first = np.zeros_like(size)
    total = int((size[:, 0] * size[:, 1]).sum())
    width = max(64, int(size[:, 0].max(initial=0)))
    while width * width < total:
        width += 16
    x = y = shelf = 0
    for k in np.lexsort((size[:, 0], -size[:, 1])).tolist():
        wide, high = int(size[k, 0]), int(size[k, 1])
        if x + wide > width:
            x, y = 0, y + shelf
            shelf = 0
        shelf = max(shelf, high)
        first[k] = (x, y)
        x += wide
    return first, (max(y + shelf, 4), width)
