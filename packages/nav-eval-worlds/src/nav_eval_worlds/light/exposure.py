"""How a building is shown: as a camera would expose its hour, balance its colours and compress what is too bright.

Who walks from a bright room into a dark one sees it darker, not black: eyes and cameras follow. Both sides of a door
are seen at once, so that near it two rooms are exposed alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.light.daylight import Daylight
from nav_eval_worlds.plan.floor_plan import Door, Plan

_MIDDLE: dict[str, float] = {"morning": 0.33, "noon": 0.36, "overcast": 0.28, "afternoon": 0.32, "evening": 0.24}
"""Exposed light of the building's median, by the hour."""
_AT_WORK = 0.3
"""The least of it in offices."""
_DIM, _BRIGHT = 0.6, 0.6
"""The least median that a room is left with, of the building's, and the most."""
_DOORWAY = 1.8
"""Metres from a door in which a room's exposure becomes its own."""

_BALANCED, _BALANCED_AT_NIGHT = 0.6, 0.85
"""How much of a building's cast of colour a camera takes away."""
_KNEE, _WHITE = 0.6, 1.28
"""Where light is compressed, and what the brightest becomes."""
_SHOULDER, _MOST = 0.84, 1.12
"""From where the strongest colour of light rises ever less, and what it never reaches: white paint is not burnt out."""
_TOE, _SLOPE = 0.56, 0.58
"""Of a print's contrast: what is left of the darkest, and how much more of the bright."""


def exposed(light: Floats, texels: int, at: Floats, rooms: NDArray[np.int64], plan: Plan, day: Daylight) -> Floats:
    """`light` (N, 3) at places `at` (N, 3), metres, of `rooms` (N,), rows of the plan's.

    Only the first `texels` places are measured.
    """
    bright = luminance(light[:texels])
    seen = bright > 0.0
    middle = float(np.median(bright[seen])) if seen.any() else 1.0
    wanted = max(_MIDDLE[day.hour], _AT_WORK if plan.kind == "office" else 0.0)
    whole = wanted * day.exposure * day.exposure / max(middle, 1e-6)
    order = np.argsort(rooms, kind="stable")
    first = np.searchsorted(rooms[order], np.arange(len(plan.rooms) + 1))
    places = [order[a:b] for a, b in zip(first[:-1].tolist(), first[1:].tolist(), strict=True)]
    own = [_own(bright, rows[rows < texels], whole, wanted) for rows in places]
    out = light * whole
    for room, rows in zip(plan.rooms, places, strict=True):
        gain = np.full(len(rows), own[room.id - 1])
        near = np.zeros(len(rows))
        for door in plan.doors:
            if room.id in (door.a, door.b):
                other = own[(door.b if room.id == door.a else door.a) - 1]
                share = 0.5 * np.maximum(1.0 - _distance(door, room.base / 1000, at[rows]) / _DOORWAY, 0.0)
                gain = np.where(share > near, own[room.id - 1] + (other - own[room.id - 1]) * share, gain)
                near = np.maximum(near, share)
        out[rows] *= gain[:, None]
    return out


def _own(bright: Floats, rows: NDArray[np.int64], whole: float, wanted: float) -> float:
    """What a room is lifted by: halfway, in stops, to the building's median, and into what can be seen."""
    lit = bright[rows]
    lit = lit[lit > 0.0]
    if not len(lit):
        return 1.0
    middle = max(float(np.median(lit)) * whole, 1e-6)
    shown = float(np.sqrt(middle * wanted))
    return min(max(shown, wanted * _DIM), _BRIGHT) / middle


def _distance(door: Door, floor: float, at: Floats) -> Floats:
    """(N,) metres from places (N, 3) to a door's opening."""
    across, along = (at[:, 0], at[:, 2]) if door.vertical else (at[:, 2], at[:, 0])
    aside = np.maximum(np.maximum(door.low / 1000 - along, along - door.high / 1000), 0.0)
    above = np.maximum(at[:, 1] - floor - door.height / 1000, 0.0)
    beside = across - door.line / 1000
    return np.asarray(np.sqrt(beside * beside + aside * aside + above * above))


def balanced(light: Floats, texels: int, day: Daylight) -> Floats:
    """`light` (N, 3), its colours as a camera balances them to the mean of the first `texels` places."""
    seen = light[:texels][luminance(light[:texels]) > 0.0]
    if not len(seen):
        return light
    middle = np.asarray([float(np.median(seen[:, k])) for k in range(3)])
    cast = middle / max(float(luminance(middle[None])[0]), 1e-6)
    share = _BALANCED_AT_NIGHT if day.hour == "evening" else _BALANCED
    return np.asarray(light / (1.0 - share + share * cast))


def compressed(light: Floats) -> Floats:
    """(N, 3) what texels are multiplied with: light by 1 / (luminance + k) and a square root, the gamma that they
    expect, as the whole is bright, so that warm light stays warm; then more contrast, as prints have it."""
    value = np.sqrt(light / (luminance(light) + _KNEE)[:, None]) * _WHITE
    value *= (_TOE + _SLOPE * luminance(value))[:, None]
    most = np.maximum(np.maximum(value[:, 0], value[:, 1]), value[:, 2])
    over, room = np.maximum(most - _SHOULDER, 0.0), _MOST - _SHOULDER
    held = np.minimum(most, _SHOULDER) + over * room / (over + room)
    return np.asarray(value * (held / np.maximum(most, 1e-9))[:, None])


def luminance(light: Floats) -> Floats:
    """(N,) of linear light (N, 3): a weighted mean."""
    return light[:, 0] * 0.25 + light[:, 1] * 0.625 + light[:, 2] * 0.125
