"""Pictures taken of boxes in sunlight: what photographs on walls show of rooms, houses and streets.

Each ray meets the nearest of some boxes and is lit by the sun, where no other box is in its way, and by the sky. Exact
arithmetic only, so that a photograph is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, cross, length, normalised
from nav_eval_worlds.rays.boxes import meet
from nav_eval_worlds.surfaces.noise import Colour

Point = tuple[float, float, float]
Paint = Callable[[Floats, Floats], Floats]
"""(points (N, 3), normals (N, 3)) -> how bright a box is there, (N,), 1 for its plain colour."""
_LIFT = 1e-4
"""Metres that a shadow's ray starts above its surface."""
_HORIZON = (0.92, 0.95, 1.0)
"""The sky's light far away."""
_SAMPLES = 2
"""Rays to a texel and side."""


@dataclass
class Boxes:
    """What stands before the camera, metres, y up, lit from where `sun` points to; light is linear.

    `even`: how much of the sky's light comes from all sides, as indoors, and not from above.
    """

    sun: Point
    sunlight: Point = (1.3, 1.17, 0.96)
    skylight: Point = (0.36, 0.43, 0.54)
    even: float = 0.62
    low: list[Point] = field(default_factory=list)
    high: list[Point] = field(default_factory=list)
    colours: list[Point] = field(default_factory=list)
    paints: list[Paint | None] = field(default_factory=list)

    def add(self, low: Point, high: Point, colour: Colour, paint: Paint | None = None) -> None:
        """A box; its colour is sRGB, 0 to 255."""
        self.low.append(low)
        self.high.append(high)
        red, green, blue = ((channel / 255) * (channel / 255) for channel in colour)
        self.colours.append((red, green, blue))
        self.paints.append(paint)

    def taken(self, eye: Point, at: Point, zoom: float, size: tuple[int, int]) -> Floats:
        """The photograph (H, W, 3), 0 to 255, from `eye` towards `at`; `zoom` 1: 90 degrees on its short side."""
        rows, columns = size[0] * _SAMPLES, size[1] * _SAMPLES
        ways = _ways(np.asarray(eye), np.asarray(at), zoom, rows, columns)
        starts = np.tile(np.asarray(eye, np.float64), (len(ways), 1))
        far, hit, normals = self._met(starts, ways)
        light, beyond, seen = np.empty_like(ways), np.flatnonzero(hit < 0), np.flatnonzero(hit >= 0)
        light[beyond] = self._sky(ways[beyond])
        points = starts[seen] + ways[seen] * far[seen][:, None] + normals[seen] * _LIFT
        haze = np.clip(far[seen] / 260, 0, 0.55)[:, None]
        light[seen] = self._lit(points, normals[seen], hit[seen]) * (1 - haze) + np.asarray(_HORIZON) * haze
        small = light.reshape(size[0], _SAMPLES, size[1], _SAMPLES, 3).mean(axis=(1, 3))
        return _developed(small)

    def _met(self, starts: Floats, ways: Floats, nearest: bool = True) -> tuple[Floats, NDArray[np.int64], Floats]:
        """Of rays (N, 3): how far away (N,) which box (N,) is, -1 for none, and the normal there (N, 3)."""
        far, hit, axis = np.empty(len(ways)), np.empty(len(ways), np.int64), np.empty(len(ways), np.int64)
        meet(np.asarray(self.low), np.asarray(self.high), starts, ways, far, hit, axis, nearest)
        normals = np.zeros_like(ways)
        rows = np.arange(len(ways))
        normals[rows, axis] = np.where(ways[rows, axis] > 0, -1.0, 1.0)
        return far, hit, normals

    def _lit(self, points: Floats, normals: Floats, hit: NDArray[np.int64]) -> Floats:
        sun = normalised(np.asarray(self.sun)[None])[0]
        facing = np.maximum(normals[:, 0] * sun[0] + normals[:, 1] * sun[1] + normals[:, 2] * sun[2], 0.0)
        lit = np.flatnonzero(facing > 0)
        shadow = self._met(points[lit], np.tile(sun, (len(lit), 1)), nearest=False)[1] >= 0
        facing[lit] = np.where(shadow, 0.0, facing[lit])
        above = self.even + (1 - self.even) * normals[:, 1]
        light = facing[:, None] * np.asarray(self.sunlight) + above[:, None] * np.asarray(self.skylight)
        tone = np.ones(len(points))
        for k, paint in enumerate(self.paints):
            own = np.flatnonzero(hit == k)
            if paint is not None and len(own):
                tone[own] = paint(points[own], normals[own])
        return np.asarray(np.asarray(self.colours)[hit] * light * tone[:, None])

    def _sky(self, ways: Floats) -> Floats:
        """Paler towards the horizon."""
        up = np.clip(ways[:, 1:2] / np.maximum(length(ways)[:, None], 1e-9), 0, 1)
        return np.asarray(np.asarray(_HORIZON) * (1 - up) + np.asarray(self.skylight) * 0.9 * up)


def _ways(eye: Floats, at: Floats, zoom: float, rows: int, columns: int) -> Floats:
    """The directions (rows * columns, 3) of a camera's rays; upright lines stay upright."""
    ahead = at - eye
    level = normalised(np.asarray([[ahead[0], 0.0, ahead[2]]]))[0]
    right = cross(level, np.asarray((0.0, 1.0, 0.0)))
    short = min(rows, columns)
    x = ((np.arange(columns) + 0.5) * 2 - columns) / short / zoom
    y = (rows - (np.arange(rows) + 0.5) * 2) / short / zoom + ahead[1] / float(length(ahead * (1.0, 0.0, 1.0)))
    ways = level + right * x[None, :, None] + np.asarray((0.0, 1.0, 0.0)) * y[:, None, None]
    return np.asarray(ways.reshape(-1, 3))


def _developed(light: Floats) -> Floats:
    """Linear light (H, W, 3) as a print, 0 to 255: highlights held, a little more contrast, dark corners."""
    value = np.sqrt(light * 1.8 / (light + 0.72))
    value = value * (0.62 + 0.42 * value)
    rows, columns = value.shape[:2]
    x, y = (np.arange(columns) + 0.5) / columns - 0.5, (np.arange(rows) + 0.5) / rows - 0.5
    corner = 1.04 - 0.5 * (x * x)[None, :] - 0.5 * (y * y)[:, None]
    return np.asarray(np.clip(value * corner[..., None] * 255, 4, 250))
