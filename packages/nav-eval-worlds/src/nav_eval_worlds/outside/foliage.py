"""Trees and bushes: a few drawn once for each view, seen from there near and far.

A plant is drawn from its boughs outwards: a trunk that tapers, a bough into each large clump of its crown, then the
small clumps of leaves that cover those, from the back to the front, lit from above and from the left. Smaller copies
of it serve what stands further off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nav_eval_worlds.exact import Floats, Stream
from nav_eval_worlds.surfaces.noise import noise

_SIDE = 384


@dataclass(frozen=True, slots=True)
class Plant:
    """`levels`, each of half the size of the one before: (3, H, H) of coverage, brightness and share of wood."""

    levels: tuple[Floats, ...]

    def at(self, u: Floats, v: Floats, foot: float) -> tuple[Floats, Floats, Floats]:
        """Columns u and rows v in [0, 1), and what a texel covers of them. u (C,), v (R,); three arrays (R, C)."""
        level = 0
        while level + 1 < len(self.levels) and foot * self.levels[level].shape[1] > 1.5:
            level += 1
        image = self.levels[level]
        side = image.shape[1]
        i = np.clip(np.floor(u * side), 0, side - 1).astype(np.int64)
        j = np.clip(np.floor(v * side), 0, side - 1).astype(np.int64)
        inside = ((v >= 0) & (v < 1))[:, None] & ((u >= 0) & (u < 1))
        cover, tone, wood = image[:, j].take(i, axis=2)
        return cover * inside, tone, wood


def plants(stream: Stream) -> tuple[Plant, ...]:
    """Two broad trees, a slim one, a conifer, and a bush."""
    leaves = noise(stream.child("leaves"), (_SIDE, _SIDE), (128, 128), 1)
    rough = 0.55 * noise(stream.child("clumps"), (_SIDE, _SIDE), (40, 40), 2) + 0.45 * leaves
    rough = np.tile(rough, (2, 2))
    shapes = ("broad", "broad", "slim", "conifer", "bush")
    return tuple(_plant(stream.child("plant", k), shape, rough) for k, shape in enumerate(shapes))


_Clump = tuple[float, float, float, float]
"""x, y, half width and half height, shares of the picture."""


def _plant(s: Stream, shape: str, rough: Floats) -> Plant:
    image = np.zeros((3, _SIDE, _SIDE))
    image[1] = 0.5
    crown = _layers(s) if shape == "conifer" else _lobes(s, shape)
    _wood(image, s, shape, crown)
    highest = min(y - high for _, y, _, high in crown)
    lowest = max(y + high for _, y, _, high in crown)
    turn = 0
    for k, lobe in enumerate(crown):
        _gloom(image, lobe, rough, k)
        for x, y, small in _tufts(s, lobe, shape):
            up = (lowest - y) / (lowest - highest)
            rise, left = (lobe[1] - y) / lobe[3], (lobe[0] - x) / lobe[2]
            bright = 0.5 + 0.24 * up + 0.2 * rise + 0.12 * left + 0.14 * k / len(crown)
            _leaves(image, (x, y), small, bright, rough, turn)
            turn += 1
    return Plant(_levels(image))


def _levels(image: Floats) -> tuple[Floats, ...]:
    """The picture, and halves of it, whose colours are weighted by their coverage."""
    levels = [image]
    while levels[-1].shape[1] > 8 and levels[-1].shape[1] % 2 == 0:
        a = levels[-1]
        weighted = np.concatenate([a[:1], a[1:] * a[:1]])
        less = (weighted[:, ::2, ::2] + weighted[:, 1::2, ::2] + weighted[:, ::2, 1::2] + weighted[:, 1::2, 1::2]) / 4
        less[1:] /= np.maximum(less[:1], 1e-6)
        levels.append(less)
    return tuple(levels)


def _lobes(s: Stream, shape: str) -> list[_Clump]:
    """The large clumps of a crown, those at the back first."""
    middle, reach, size = {
        "broad": ((0.5, 0.34), (0.32, 0.22), (95, 150)),
        "slim": ((0.5, 0.38), (0.14, 0.28), (70, 110)),
        "bush": ((0.5, 0.76), (0.32, 0.12), (90, 150)),
    }[shape]
    out: list[_Clump] = []
    while len(out) < 15:
        a, b = s.between(-1000, 1000) / 1000, s.between(-1000, 1000) / 1000
        if a * a + b * b <= 1:
            wide = s.between(*size) / 1000
            x = middle[0] + reach[0] * a * (1 + 0.15 * b)
            out.append((x, middle[1] + reach[1] * b, wide, wide * (0.78 if shape != "slim" else 1.1)))
    return out


def _layers(s: Stream) -> list[_Clump]:
    """The whorls of a conifer from its foot to its tip, each hanging over the one below."""
    out: list[_Clump] = []
    steps = s.between(9, 12)
    for k in range(steps):
        up = k / (steps - 1)
        half = (0.24 * (1 - up) + 0.008) * s.between(82, 114) / 100
        out.append((0.5 + s.between(-8, 8) / 1000, 0.88 - 0.8 * up, half, 0.075 - 0.03 * up))
    return out


def _tufts(s: Stream, lobe: _Clump, shape: str) -> list[tuple[float, float, float]]:
    """x, y and size of the small clumps that cover a large one: its lower and outer ones first."""
    x, y, wide, high = lobe
    drawn: list[tuple[int, int]] = []
    for _ in range(14 if shape != "conifer" else 18):
        a, b = s.between(-1000, 1000), s.between(-1000, 1000)
        if a * a + b * b <= 1_000_000:
            drawn.append((b, a))
    small = {"conifer": 0.022, "bush": 0.06}.get(shape, 0.042)
    sag = 0.5 if shape == "conifer" else 0.0
    return [
        (x + wide * a / 1000, y + high * (b / 1000 + sag * a * a / 1e6), small * s.between(75, 130) / 100)
        for b, a in sorted(drawn, reverse=True)
    ]


def _wood(image: Floats, s: Stream, shape: str, crown: list[_Clump]) -> None:
    """The trunk, its foot, and a bough into each clump of the crown."""
    if shape == "bush":
        for x, y, _, _ in crown[::4]:
            _bough(image, (0.5, 1.0), (x, y), 0.012, 0.006)
        return
    lean = s.between(-25, 25) / 1000
    top = 0.14 if shape == "conifer" else 0.34
    _bough(image, (0.5, 1.0), (0.5 + lean, top), 0.021, 0.006)
    for sway in (-1, 1):
        _bough(image, (0.5 + 0.03 * sway, 1.0), (0.5, 0.95), 0.012, 0.008)
    if shape != "conifer":
        for x, y, _, _ in crown[::2]:
            start = min(max(y + 0.2, 0.46), 0.7)
            _bough(image, (0.5 + lean * (1 - start), start), (x, y), 0.01, 0.003)


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
    covered, tone, wood = image[:, rows]
    np.maximum(covered, cover, out=covered)
    np.maximum(wood, cover, out=wood)
    tone += (0.85 + 0.25 * np.clip((x - middle) / half, -1, 1) - tone) * cover


def _gloom(image: Floats, lobe: _Clump, rough: Floats, turn: int) -> None:
    """The dark inside of a clump, seen between its leaves."""
    x, y, wide, high = lobe
    _dab(image, (x, y), (wide * 0.92, high * 0.92), rough, turn * 53, 1.15, lambda _x, _y, grain: 0.34 + 0.3 * grain)


def _leaves(image: Floats, at: tuple[float, float], small: float, bright: float, rough: Floats, turn: int) -> None:
    """A tuft: its upper left is lit, its lower right is not, and each leaf has a tone of its own."""

    def tone(dx: Floats, dy: Floats, grain: Floats) -> Floats:
        return np.clip(bright - 0.17 * dy - 0.1 * dx + 0.85 * (grain - 0.5), 0.26, 1.4)

    _dab(image, at, (small, small * 0.8), rough, turn * 37, 1.5, tone)


def _dab(
    image: Floats,
    at: tuple[float, float],
    size: tuple[float, float],
    rough: Floats,
    shift: int,
    ragged: float,
    tone: Callable[[Floats, Floats, Floats], Floats],
) -> None:
    """A round clump whose edge is torn by noise; `tone` of its dx, dy (-1 to 1) and of the noise.

    image (3, n, n); rough (2 n, 2 n), two of the same across and down.
    """
    n = _SIDE
    (x, y), (wide, high) = at, size
    reach = 1.3
    rows = slice(max(int((y - high * reach) * n), 0), min(int((y + high * reach) * n) + 1, n))
    columns = slice(max(int((x - wide * reach) * n), 0), min(int((x + wide * reach) * n) + 1, n))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return
    dx = ((np.arange(columns.start, columns.stop) + 0.5) / n - x) / wide
    dy = (((np.arange(rows.start, rows.stop) + 0.5) / n - y) / high)[:, None]
    down, across = shift % n, shift * 7 % n
    picked = rough[rows.start + down : rows.stop + down, columns.start + across : columns.stop + across]
    cover = np.clip((1 + ragged * 0.5 - (dx * dx + dy * dy) - picked * ragged) * 5, 0, 1)
    covered, bright, wood = image[:, rows, columns]
    covered += (1 - covered) * cover
    bright += (tone(dx, dy, picked) - bright) * cover
    wood *= 1 - cover
