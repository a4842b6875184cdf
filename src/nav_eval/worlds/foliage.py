"""Trees and bushes: a few drawn once for each view, seen from there near and far.

A plant is drawn from its boughs outwards: a trunk that tapers, a bough into each clump of leaves, then the clumps from
the back to the front, each brighter on its upper side. Smaller copies of it serve what stands further off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nav_eval.worlds.exact import Floats, Stream
from nav_eval.worlds.noise import noise

_SIDE = 256


@dataclass(frozen=True, slots=True)
class Plant:
    """`levels`, each of half the size of the one before: (H, H, 3) of coverage, brightness and share of wood."""

    levels: tuple[Floats, ...]

    def at(self, u: Floats, v: Floats, foot: float) -> tuple[Floats, Floats, Floats]:
        """Columns u and rows v in [0, 1), and what a texel covers of them."""
        level = 0
        while level + 1 < len(self.levels) and foot * self.levels[level].shape[0] > 1.5:
            level += 1
        image = self.levels[level]
        side = image.shape[0]
        i = np.clip(np.floor(u * side), 0, side - 1).astype(np.int64)
        j = np.clip(np.floor(v * side), 0, side - 1).astype(np.int64)
        inside = ((v >= 0) & (v < 1))[:, None] & ((u >= 0) & (u < 1))
        part = image[j][:, i]
        return part[..., 0] * inside, part[..., 1], part[..., 2]


def plants(stream: Stream) -> tuple[Plant, ...]:
    """Two broad trees, a slim one, a conifer, and a bush."""
    rough = noise(stream.child("leaves"), (_SIDE, _SIDE), (64, 64), 3)
    shapes = ("broad", "broad", "slim", "conifer", "bush")
    return tuple(_plant(stream.child("plant", k), shape, rough) for k, shape in enumerate(shapes))


def _plant(s: Stream, shape: str, rough: Floats) -> Plant:
    image = np.zeros((_SIDE, _SIDE, 3))
    image[..., 1] = 1.0
    if shape != "bush":
        lean = s.between(-25, 25) / 1000
        top = 0.25 if shape == "conifer" else 0.38
        _bough(image, (0.5, 1.0), (0.5 + lean, top), 0.022, 0.007)
        for sway in (-1, 1):
            _bough(image, (0.5 + 0.03 * sway, 1.0), (0.5, 0.95), 0.012, 0.008)
    clumps = [clump for _ in range(60 if shape != "bush" else 40) if (clump := _clump(s, shape))]
    if shape in ("broad", "slim"):
        for x, y, _, _ in clumps[::3]:
            start = 0.5 + 0.3 * max(y - 0.3, 0.0)
            _bough(image, (0.5, min(start + 0.16, 0.8)), (x, y), 0.011, 0.003)
    middle = sum(y for _, y, _, _ in clumps) / len(clumps)
    for k, (x, y, wide, high) in enumerate(clumps):
        _leaves(image, (x, y), (wide, high), 0.62 + 0.3 * k / len(clumps) + 0.35 * (middle - y), rough, k)
    levels = [image]
    while levels[-1].shape[0] > 8:
        a = levels[-1]
        cover = a[..., :1]
        weighted = np.concatenate([cover, a[..., 1:] * cover], axis=2)
        summed = (weighted[::2, ::2] + weighted[1::2, ::2] + weighted[::2, 1::2] + weighted[1::2, 1::2]) / 4
        less = summed.copy()
        less[..., 1:] = summed[..., 1:] / np.maximum(summed[..., :1], 1e-6)
        levels.append(less)
    return Plant(tuple(levels))


def _clump(s: Stream, shape: str) -> tuple[float, float, float, float] | None:
    """x, y, half width and half height, 0 to 1, or none where the crown does not reach."""
    a, b = s.between(-1000, 1000) / 1000, s.between(-1000, 1000) / 1000
    size = s.between(55, 100) / 1000
    if shape == "conifer":
        up = (b + 1) / 2
        return 0.5 + a * 0.2 * (1 - up), 0.9 - 0.84 * up, 0.03 + 0.07 * (1 - up), 0.035 + 0.02 * (1 - up)
    if a * a + b * b > 1:
        return None
    if shape == "bush":
        return 0.5 + 0.38 * a, 0.78 + 0.2 * b, size * 1.2, size
    if shape == "slim":
        return 0.5 + 0.16 * a, 0.42 + 0.34 * b, size * 0.8, size
    return 0.5 + 0.34 * a * (1 - 0.15 * b), 0.36 + 0.27 * b, size, size * 0.85


def _bough(image: Floats, start: tuple[float, float], end: tuple[float, float], wide: float, thin: float) -> None:
    """A limb of wood that tapers, darker on one side."""
    n = _SIDE
    low, high = min(start[1], end[1]), max(start[1], end[1])
    rows = slice(max(int(low * n), 0), min(int(high * n) + 1, n))
    y = (np.arange(rows.start, rows.stop) + 0.5) / n
    share = (y - start[1]) / (end[1] - start[1] if abs(end[1] - start[1]) > 1e-3 else 1e-3)
    share = np.clip(share, 0, 1)
    half = np.maximum(wide + (thin - wide) * share, 0.8 / n)[:, None]
    middle = (start[0] + (end[0] - start[0]) * share)[:, None]
    steep = max(1.0, min(3.0, abs(end[0] - start[0]) / max(abs(end[1] - start[1]), 1e-3)))
    half = half * steep
    x = (np.arange(n) + 0.5) / n
    cover = np.clip((half - np.abs(x - middle)) * n + 0.5, 0, 1)
    part = image[rows]
    part[..., 0] = np.maximum(part[..., 0], cover)
    part[..., 2] = np.maximum(part[..., 2], cover)
    part[..., 1] += (0.85 + 0.25 * np.clip((x - middle) / half, -1, 1) - part[..., 1]) * cover


def _leaves(
    image: Floats, at: tuple[float, float], size: tuple[float, float], bright: float, rough: Floats, turn: int
) -> None:
    n = _SIDE
    (x, y), (wide, high) = at, size
    reach = 1.25
    rows = slice(max(int((y - high * reach) * n), 0), min(int((y + high * reach) * n) + 1, n))
    columns = slice(max(int((x - wide * reach) * n), 0), min(int((x + wide * reach) * n) + 1, n))
    dx = ((np.arange(columns.start, columns.stop) + 0.5) / n - x) / wide
    dy = (((np.arange(rows.start, rows.stop) + 0.5) / n - y) / high)[:, None]
    shift = turn * 37 % n
    grain = np.roll(rough, shift, axis=0)[rows, columns]
    cover = np.clip((1.45 - (dx * dx + dy * dy) - grain * 1.3) * 4, 0, 1)
    tone = bright - 0.2 * dy + 0.08 * dx + 0.9 * (np.roll(rough, shift + 61, axis=1)[rows, columns] - 0.5)
    part = image[rows, columns]
    part[..., 0] += (1 - part[..., 0]) * cover
    part[..., 1] += (np.clip(tone, 0.25, 1.4) - part[..., 1]) * cover
    part[..., 2] *= 1 - cover
