"""Potted plants: species by their leaves, in pots of several kinds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nav_eval_worlds.exact import Floats, Stream, cos_turns, sin_turns
from nav_eval_worlds.furniture.made import Family, Made, beam, legs
from nav_eval_worlds.surfaces.parametric import Grid, Model, lattice

Path = Callable[[Floats], tuple[Floats, Floats, Floats]]


def _pot(m: Model, stream: Stream, r: float, h: float) -> float:
    """A pot: tapered, straight, bellied, woven, or on a wooden stand; returns the height of its soil."""
    kind, skin = stream.below(5), stream.choice(("pot", "ceramic", "pot", "fabric3", "metal2"))
    y = 0.0
    if kind == 4:
        y = 0.18
        legs(m, 2 * r + 0.02, 2 * r + 0.02, y + h * 0.5, "wood", 0.025, 0.0)
        m.box((-r, y - 0.03, -0.015), (r, y, 0.015), "wood")
    profile = {
        0: [(0.0, y), (r * 0.72, y), (r, y + h), (r * 0.9, y + h)],
        1: [(0.0, y), (r * 0.95, y), (r * 0.95, y + h), (r * 0.85, y + h)],
        2: [(0.0, y), (r * 0.6, y), (r, y + h * 0.55), (r * 0.8, y + h), (r * 0.72, y + h)],
        3: [(0.0, y), (r * 0.9, y), (r, y + h * 0.6), (r * 0.88, y + h), (r * 0.8, y + h)],
        4: [(0.0, y), (r * 0.9, y), (r * 0.95, y + h), (r * 0.85, y + h)],
    }[kind]
    m.lathe(profile, "basket" if kind == 3 else skin, least=10)
    m.lathe([(profile[-1][0], y + h - 0.03), (0.0, y + h - 0.025)], "soil", least=8)
    return y + h - 0.03


def blade(m: Model, turn: float, path: Path, material: str, size: tuple[float, float], rows: int) -> None:
    """A two-sided leaf: `path` gives, along it (0 to 1), how far out, how high and how wide it is."""
    c, s = float(cos_turns(np.asarray(turn))), float(sin_turns(np.asarray(turn)))

    def side(sign: float) -> Grid:
        def evaluate(nu: int, nv: int) -> tuple[Floats, Floats]:
            u, v = lattice(nu, nv)
            out, rise, wide = path(v)
            width = (u - 0.5) * sign * 2 * wide
            fold = np.abs(u - 0.5) * wide * 0.5
            x, z = c * out - s * width, s * out + c * width
            return np.stack([x, rise + fold, z], axis=-1), np.stack([u * 0.12, -v * 0.5], axis=-1)

        rough = 1 if rows < 4 else 2
        return Grid(evaluate, size, (2, rows), material, (1, rough), fair=(1, max(rough, rows // 2)))

    m.grids += [side(1.0), side(-1.0)]


def _arching(reach: float, foot: float, top: float, wide: float) -> Path:
    def path(v: Floats) -> tuple[Floats, Floats, Floats]:
        rise = foot + (top - foot) * v * (1.25 - 0.25 * v * v) - v * v * v * 0.12
        return v * v * reach, rise, wide * (0.15 + 5.44 * v * v * (1 - v))

    return path


def lily(stream: Stream) -> Made:
    """Arching leaves on stalks."""
    m = Model()
    soil = _pot(m, stream, stream.between(15, 19) / 100, stream.between(28, 36) / 100)
    for k in range(stream.between(12, 16)):
        turn = (k * 618 % 1000) / 1000 + stream.below(40) / 1000
        reach, top = stream.between(18, 34) / 100, stream.between(35, 90) / 100
        blade(m, turn, _arching(reach, soil, soil + top, stream.between(5, 8) / 100), "leaf", (0.14, top), 6)
    return Made("plant", m, (0.8, soil + 1.0, 0.8))


def snake(stream: Stream) -> Made:
    """Upright swords."""
    m = Model()
    soil = _pot(m, stream, stream.between(14, 18) / 100, stream.between(24, 34) / 100)
    for k in range(stream.between(8, 11)):
        turn, off = (k * 618 % 1000) / 1000, stream.between(1, 8) / 100
        top, lean = stream.between(45, 85) / 100, stream.between(2, 12) / 100

        def path(v: Floats, off: float = off, top: float = top, lean: float = lean) -> tuple[Floats, Floats, Floats]:
            return off + lean * v * v, soil + top * v, 0.06 * (0.7 + 0.6 * v) * (1 - v * v * v * v) * 0.6

        blade(m, turn, path, "leaf2", (0.1, top), 3)
    return Made("plant", m, (0.5, soil + 0.86, 0.5))


def monstera(stream: Stream) -> Made:
    """Large round leaves on long stalks."""
    m = Model()
    soil = _pot(m, stream, 0.2, stream.between(30, 38) / 100)
    for k in range(stream.between(8, 11)):
        turn = (k * 618 % 1000) / 1000 + stream.below(50) / 1000
        out, high, r = stream.between(12, 24) / 100, stream.between(30, 80) / 100, stream.between(13, 18) / 100
        c, s = float(cos_turns(np.asarray(turn))), float(sin_turns(np.asarray(turn)))
        beam(m, (c * 0.03, soil, s * 0.03), (c * out, soil + high, s * out), 0.012, "leaf")

        def path(v: Floats, out: float = out, high: float = high, r: float = r) -> tuple[Floats, Floats, Floats]:
            return (
                out - 0.05 + v * 2 * r * 0.85,
                soil + high + 0.05 - v * v * r * 1.3,
                r * 4 * (v * (1 - v)) * (1.35 - 0.7 * v),
            )

        blade(m, turn, path, "leaf", (2 * r, 2 * r), 6)
    return Made("plant", m, (0.96, soil + 0.95, 0.96))


def palm(stream: Stream) -> Made:
    """A trunk with feathered fronds."""
    m = Model()
    soil = _pot(m, stream, 0.2, stream.between(30, 38) / 100)
    trunk = stream.between(20, 60) / 100
    m.lathe([(0.05, soil), (0.035, soil + trunk), (0.0, soil + trunk + 0.04)], "basket", least=6)
    for k in range(stream.between(9, 12)):
        turn = (k * 618 % 1000) / 1000 + stream.below(40) / 1000
        reach, top = stream.between(34, 48) / 100, stream.between(40, 70) / 100

        def path(v: Floats, reach: float = reach, top: float = top) -> tuple[Floats, Floats, Floats]:
            return v * reach, soil + trunk + top * v * (1.5 - v), 0.09 * (0.2 + 3.0 * v * (1 - v))

        blade(m, turn, path, "leaf", (0.1, 0.6), 5)
    return Made("plant", m, (1.0, soil + trunk + 0.45, 1.0))


def fiddle(stream: Stream) -> Made:
    """A small tree: a thin trunk, broad leaves all round its crown."""
    m = Model()
    soil = _pot(m, stream, 0.19, 0.34)
    high = stream.between(95, 125) / 100
    beam(m, (0, soil, 0), (0.03, soil + high, 0.02), 0.03, "wood2")
    for k in range(stream.between(16, 20)):
        turn, y = (k * 618 % 1000) / 1000, soil + high * 0.45 + k * high * 0.034
        r = stream.between(11, 16) / 100

        def path(v: Floats, y: float = y, r: float = r) -> tuple[Floats, Floats, Floats]:
            return 0.02 + v * 2 * r, y + 0.12 * v - 0.1 * v * v, r * 3.2 * v * (1.1 - v) * (0.6 + 0.6 * v) + 0.004

        blade(m, turn, path, "leaf", (2 * r, 2 * r), 5)
    return Made("plant", m, (0.74, soil + high + 0.25, 0.74))


def fern(stream: Stream) -> Made:
    """Many fine arching fronds."""
    m = Model()
    soil = _pot(m, stream, stream.between(13, 17) / 100, stream.between(20, 28) / 100)
    for k in range(stream.between(18, 22)):
        turn = (k * 618 % 1000) / 1000
        reach, top = stream.between(24, 38) / 100, stream.between(14, 34) / 100

        def path(v: Floats, reach: float = reach, top: float = top) -> tuple[Floats, Floats, Floats]:
            return v * reach, soil + top * v * (2.0 - 1.6 * v), 0.05 * (0.3 + 2.4 * v * (1 - v))

        blade(m, turn, path, "leaf2" if k % 3 == 0 else "leaf", (0.08, reach), 5)
    return Made("plant", m, (0.8, soil + 0.35, 0.8))


def cactus(stream: Stream) -> Made:
    """A column with arms."""
    m = Model()
    soil = _pot(m, stream, 0.16, 0.28)
    h = stream.between(55, 95) / 100
    m.lathe([(0.06, soil), (0.08, soil + h * 0.4), (0.07, soil + h * 0.9), (0.0, soil + h)], "leaf2", least=9)
    for s, y in ((1, 0.35), (-1, 0.5)):
        arm = [(0.0, y), (s * 0.13, y), (s * 0.16, y + 0.1), (s * 0.16, y + 0.35)]
        m.tube([(x, soil + h * up, 0) for x, up in arm], 0.04, "leaf2", 6)
    return Made("plant", m, (0.44, soil + h, 0.4))


def bonsai(stream: Stream) -> Made:
    """A bent trunk with flat clouds of leaves, in a square bowl."""
    m = Model()
    m.box((-0.24, 0, -0.17), (0.24, 0.4, 0.17), "wood2", skip="d")
    m.box((-0.2, 0.4, -0.14), (0.2, 0.5, 0.14), "pot", skip="d")
    m.tube([(0, 0.48, 0), (0.06, 0.62, 0.02), (-0.04, 0.78, 0), (0.04, 0.94, 0)], 0.026, "wood2", 5)
    for k, (x, y, r) in enumerate(((0.14, 0.74, 0.13), (-0.15, 0.82, 0.15), (0.04, 0.98, 0.16))):
        m.lathe([(0.0, y - 0.02), (r * 0.8, y + 0.01), (0.0, y + 0.03)], "leaf2", (x, 0.0), 10)
        for n in range(26):
            turn, off = (n * 618 % 1000) / 1000, r * (0.15 + 0.85 * ((n * 381 % 26) / 26))
            up, tip = y + 0.075 * (1 - off * off / (r * r)), 0.045 + 0.01 * (n % 3)
            blade(m, turn, _tuft(off, up, tip), "leaf" if (n + k) % 3 else "leaf2", (0.04, 0.05), 2)
    return Made("plant", m, (0.62, 1.08, 0.4))


def _tuft(off: float, up: float, tip: float) -> Path:
    """A small leaf that grows outwards and upwards."""
    return lambda v: (off - tip * 0.4 + v * tip, up + v * 0.03, 0.07 * (0.35 + v * 1.4) * (1.02 - v))


plant = Family(lily, snake, monstera, palm, fiddle, fern, cactus, bonsai)
