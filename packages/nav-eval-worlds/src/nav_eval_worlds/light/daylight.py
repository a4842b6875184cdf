"""The hour and the weather of a home: where its sun stands, what colour its light has, how it is exposed.

Drawn once from the seed. The light (light/) and the views through the windows are made from the same one, so that a
room with long yellow patches on its floor looks out on an afternoon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nav_eval_worlds.exact import Stream, cos_turns, sin_turns

Hour = Literal["morning", "noon", "overcast", "afternoon", "evening"]
Rgb = tuple[float, float, float]

HOURS: tuple[Hour, ...] = ("morning", "noon", "overcast", "afternoon", "evening")


@dataclass(frozen=True, slots=True)
class Daylight:
    """`sun`: unit vector from the ground to the sun (x east, y up, z south), or None where none is seen.

    Colours are linear and mean strength too: `sun_colour` of what falls on a surface that faces the sun, `sky` of a
    window's brightness, `lamp` of a ceiling lamp. `exposure` multiplies all of them.
    """

    hour: Hour
    sun: Rgb | None
    sun_colour: Rgb
    sky: Rgb
    lamp: Rgb
    exposure: float


_SUN: dict[Hour, tuple[int, int, int, int, Rgb]] = {
    "morning": (230, 350, 40, 90, (1.0, 0.86, 0.66)),
    "noon": (440, 560, 105, 160, (1.0, 0.96, 0.88)),
    "afternoon": (640, 770, 35, 85, (1.0, 0.78, 0.52)),
}
"""Azimuth clockwise from north and elevation, least and most of each in 1/1000 turn, and the sun's colour."""
_SKY: dict[Hour, Rgb] = {
    "morning": (0.84, 0.93, 1.0),
    "noon": (0.88, 0.95, 1.0),
    "overcast": (0.93, 0.96, 1.0),
    "afternoon": (0.97, 0.93, 0.90),
    "evening": (0.008, 0.010, 0.015),
}


def draw_daylight(seed: str, kind: str) -> Daylight:
    """The daylight of the building with this seed; the same everywhere."""
    stream = Stream("world", seed, kind, "daylight")
    hour = stream.choice(HOURS)
    warmth = stream.between(0, 100) / 100
    lamp = (1.0, 0.86 - 0.16 * warmth, 0.64 - 0.28 * warmth)
    if hour == "evening":
        lamp = (1.0, 0.78 - 0.12 * warmth, 0.48 - 0.18 * warmth)
    if kind == "office":
        lamp = (1.0, (1 + lamp[1]) / 2, (1 + lamp[2]) / 2)
    exposure = stream.between(80, 125) / 100
    if hour not in _SUN:
        return Daylight(hour, None, (0.0, 0.0, 0.0), _SKY[hour], lamp, exposure)
    least, most, low, high, colour = _SUN[hour]
    azimuth, elevation = stream.between(least, most) / 1000, stream.between(low, high) / 1000
    return Daylight(hour, _towards(azimuth, elevation), colour, _SKY[hour], lamp, exposure)


def _towards(azimuth: float, elevation: float) -> Rgb:
    """The unit vector to a point of the sky; angles in turns, azimuth clockwise from north (-z)."""
    a, e = np.asarray(azimuth), np.asarray(elevation)
    flat = cos_turns(e)
    return float(flat * sin_turns(a)), float(sin_turns(e)), float(-flat * cos_turns(a))
