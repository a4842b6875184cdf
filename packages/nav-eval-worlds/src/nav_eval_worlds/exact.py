"""Arithmetic and random numbers that are the same on every machine, Python and numpy.

Only additions, multiplications, divisions and square roots of float64 are used (IEEE 754 rounds them correctly at
every SIMD level), never libm, BLAS or a float reduction; what is written is quantised on top of that. Random numbers
come from SplitMix64 (Steele, Lea, Flood 2014, public domain) in integers; each purpose has its own named stream, so
that one more chair in a bedroom does not move the kitchen.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import kernel

Floats = NDArray[np.float64]
T = TypeVar("T")

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
LATTICE = 4096
"""Positions are written in steps of 1/4096 m: exact in float32 up to 4 km."""


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class Stream:
    """Seeded integers. Streams of other names are independent of this one, whatever has been drawn from it."""

    def __init__(self, *names: object) -> None:
        self._names = tuple(str(name) for name in names)
        self._state = int.from_bytes(hashlib.sha256("/".join(self._names).encode()).digest()[:8], "little")

    def child(self, *names: object) -> Stream:
        """The stream of a purpose within this one's."""
        return Stream(*self._names, *names)

    def below(self, n: int) -> int:
        """An integer in [0, n)."""
        self._state = (self._state + _GOLDEN) & _MASK
        return (_mix(self._state) * n) >> 64

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high], both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A new list in random order (Fisher and Yates)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def bits(self, shape: tuple[int, ...]) -> NDArray[np.uint64]:
        """An array of 64 random bits each. Of that shape."""
        count = math.prod(shape)
        start = self.below(1 << 64)
        steps = (np.arange(1, count + 1, dtype=np.uint64)) * np.uint64(_GOLDEN) + np.uint64(start)
        z = (steps ^ (steps >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return (z ^ (z >> np.uint64(31))).reshape(shape)

    def unit(self, shape: tuple[int, ...]) -> Floats:
        """Floats in [0, 1), multiples of 2^-16. Of that shape."""
        return (self.bits(shape) >> np.uint64(48)).astype(np.float64) / 65536.0


def sin_turns(turns: Floats) -> Floats:
    """Sine of an angle in turns, to 4e-7, by a polynomial on a quarter turn. Any shape."""
    out = np.array(turns, np.float64, order="C")
    _sines(out.reshape(-1))
    return out


@kernel(_nrt=False)
def _sines(turns: Floats) -> None:
    """The sine of each of turns (N,), in its place."""
    for k in range(len(turns)):
        t = turns[k] - np.floor(turns[k])
        sign = 1.0 if t < 0.5 else -1.0
        t = t if t < 0.5 else t - 0.5
        x = (t if t < 0.25 else 0.5 - t) * 6.283185307179586
        y = x * x
        turns[k] = (
            sign * x * (1.0 + y * (-1.0 / 6 + y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880 - y / 39916800)))))
        )


def cos_turns(turns: Floats) -> Floats:
    """Cosine of an angle in turns. Any shape."""
    return sin_turns(turns + 0.25)


def quantise(metres: Floats) -> Floats:
    """To the lattice of positions and texture coordinates. Any shape."""
    return np.floor(metres * LATTICE + 0.5) / LATTICE


def length(v: Floats) -> Floats:
    """Euclidean norm of the last axis (three components), in a fixed order of additions.

    (..., 3) in, one axis less out.
    """
    return np.sqrt(v[..., 0] * v[..., 0] + v[..., 1] * v[..., 1] + v[..., 2] * v[..., 2])


def cross(a: Floats, b: Floats) -> Floats:
    """Cross product of the last axis. All (..., 3)."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for axis, (i, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        out[..., axis] = a[..., i] * b[..., k] - a[..., k] * b[..., i]
    return out


def normalised(v: Floats) -> Floats:
    """Unit vectors; a zero vector stays zero. (..., 3)."""
    size = length(v)
    return v / np.where(size > 0, size, 1.0)[..., None]


def sphere(count: int, part: float = 0.5) -> Floats:
    """Evenly spread unit vectors (a Fibonacci spiral); those of other parts, 0 to 1, lie between. (count, 3)."""
    k = np.arange(count, dtype=np.float64) + (0.25 + 0.5 * part)
    y = 1 - 2 * k / count
    r = np.sqrt(1 - y * y)
    turns: Floats = k * 0.6180339887498949 + part
    return np.stack([r * cos_turns(turns), y, r * sin_turns(turns)], axis=1)
