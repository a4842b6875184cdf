"""What polished surfaces throw back: bright windows and lamps on floors, tiles, enamel and metal.

Baked, so that it costs a frame nothing: each place is lit as it looks from the middle of its room, floors as the mean
of several places to stand. It moves with no one, and reads as shine all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, length
from nav_eval_worlds.light.daylight import Daylight
from nav_eval_worlds.plan.floor_plan import Plan, Room
from nav_eval_worlds.rays.sources import Lamps, Points, Windows

_EYE = 1.4
"""Metres above the floor."""
_STANDS = ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75), (0.5, 0.5))
"""Of a room's width and depth: from where its floor is looked at."""
_DIM = 0.1
"""Brightness of a window at night, where by day it has 1."""
_LAMP, _BULB = 0.7, 0.16
"""Brightness of a lamp, and its radius in metres."""
_BELOW, _LEVEL, _ABOVE = 0.45, 0.8, 1.1
"""Brightness of what metal mirrors of its room: floor, walls, ceiling, where walls have about 0.8."""


@dataclass(frozen=True, slots=True)
class Finish:
    """`metal`: the share of a surface's look that is its room, mirrored; `shine`: strength of highlights on top.

    `blur`: how far highlights spread, in radians.
    """

    shine: float
    blur: float
    metal: float = 0.0


FINISHES = {
    "metal": Finish(0.5, 0.12, 0.7),
    "metal2": Finish(0.4, 0.16, 0.6),
    "ceramic": Finish(0.45, 0.12),
    "basin": Finish(0.35, 0.12),
    "lacquer": Finish(0.4, 0.08),
    "dark": Finish(0.1, 0.25),
    "front": Finish(0.12, 0.16),
    "white": Finish(0.08, 0.2),
    "leather": Finish(0.1, 0.3),
    "wood": Finish(0.12, 0.2),
    "wood2": Finish(0.12, 0.2),
    "door": Finish(0.08, 0.2),
    "counter": Finish(0.25, 0.14),
    "marble": Finish(0.35, 0.08),
    "stone": Finish(0.3, 0.1),
    "wall_tile": Finish(0.22, 0.08),
    "wall_tile2": Finish(0.22, 0.08),
    "floor_wood": Finish(0.4, 0.1),
    "floor_tile": Finish(0.5, 0.07),
    "floor_tile2": Finish(0.5, 0.07),
    "tints": Finish(0.14, 0.2),
}


@dataclass(frozen=True, slots=True)
class Glints:
    """The bright things of a building, and in which room each is (ids)."""

    plan: Plan
    day: Daylight
    windows: Windows
    lamps: Lamps
    lamp_rooms: Sequence[int]


def polished(
    value: Floats, glints: Glints, at: Points, materials: NDArray[np.int32], names: Sequence[str], texels: Floats
) -> Floats:
    """What places are multiplied with, `value` (N, 3), with what they throw back.

    `materials` (N,) index `names` and `texels` (M, 3), the materials' mean colours, 0 to 1.
    """
    out = value.copy()
    for room in glints.plan.rooms:
        here = np.flatnonzero(at.room == room.id - 1)
        if not len(here):
            continue
        bright = value[here, 1]
        usual = max(float(np.median(bright)), 1e-3)
        for k, name in enumerate(names):
            finish = FINISHES.get(name)
            rows = here[materials[here] == k] if finish else here[:0]
            if finish is None or not len(rows):
                continue
            eyes = list(_eyes(room, name.startswith("floor")))
            glint, level = _seen(glints, room, at.at[rows], at.normal[rows], eyes, finish.blur)
            open_ = np.minimum(value[rows, 1] / usual, 1.0)
            added = glint * (finish.shine * open_ * open_)[:, None] / np.maximum(texels[k], 0.12)
            kept = value[rows] * ((1.0 - finish.metal) + finish.metal * level[:, None])
            out[rows] = kept + added
    return out


def _eyes(room: Room, floor: bool) -> Iterator[Floats]:
    """Places (3,), metres, from which a room is looked at."""
    x0, z0, x1, z1 = (v / 1000 for v in (room.clear.x0, room.clear.z0, room.clear.x1, room.clear.z1))
    for a, b in _STANDS if floor else _STANDS[-1:]:
        yield np.asarray([x0 + (x1 - x0) * a, room.base / 1000 + _EYE, z0 + (z1 - z0) * b])


def _seen(
    glints: Glints, room: Room, at: Floats, normal: Floats, eyes: Sequence[Floats], blur: float
) -> tuple[Floats, Floats]:
    """(N, 3) brightness and colour of what is mirrored of windows and lamps, and (N,) of the room itself."""
    total, level = np.zeros((len(at), 3)), np.zeros(len(at))
    share = 1.0 / len(eyes)
    for eye in eyes:
        away = eye - at
        away = away / np.maximum(length(away), 0.05)[:, None]
        facing = _dot(away, normal)
        ray = normal * (2.0 * facing)[:, None] - away
        front = np.clip(facing * 8.0, 0.0, 1.0) * share
        slant = 1.0 - np.clip(facing, 0.0, 1.0)
        front = front * (0.55 + 1.2 * slant * slant * slant)
        total += _windows(glints, room, at, ray, blur) * front[:, None]
        total += _lamps(glints, room, at, ray, blur) * front[:, None]
        up, down = np.maximum(ray[:, 1], 0.0), np.maximum(-ray[:, 1], 0.0)
        level += (_LEVEL + (_ABOVE - _LEVEL) * np.sqrt(up) + (_BELOW - _LEVEL) * np.sqrt(down)) * share
    return total, level


def _windows(glints: Glints, room: Room, at: Floats, ray: Floats, blur: float) -> Floats:
    """(N, 3) what rays meet of the room's windows."""
    out, windows = np.zeros(len(at)), glints.windows
    for w, window in enumerate(glints.plan.windows):
        if window.room != room.id:
            continue
        axis = int(windows.axis[w])
        towards = ray[:, axis] * windows.out[w]
        far = (windows.planes[w, 0] - at[:, axis]) * windows.out[w] / np.maximum(towards, 1e-3)
        a, y = at[:, 2 - axis] + ray[:, 2 - axis] * far, at[:, 1] + ray[:, 1] * far
        soft = 0.04 + 2.0 * blur * np.clip(far, 0.0, 9.0)
        low, high, foot, top = windows.hole[w].tolist()
        across = np.clip((a - low) / soft + 0.5, 0.0, 1.0) * np.clip((high - a) / soft + 0.5, 0.0, 1.0)
        upright = np.clip((y - foot) / soft + 0.5, 0.0, 1.0) * np.clip((top - y) / soft + 0.5, 0.0, 1.0)
        out = np.maximum(out, np.where((towards > 1e-3) & (far > 0.0), across * upright, 0.0))
    sky = np.asarray(glints.day.sky)
    colour = sky / max(float(sky.max()), 1e-6) * (_DIM if glints.day.hour == "evening" else 1.0)
    return np.asarray(out[:, None] * colour)


def _lamps(glints: Glints, room: Room, at: Floats, ray: Floats, blur: float) -> Floats:
    """(N, 3) what rays meet of the room's lamps."""
    out = np.zeros(len(at))
    for k, owner in enumerate(glints.lamp_rooms):
        if owner != room.id:
            continue
        to = glints.lamps.at[k] - at
        far = np.maximum(length(to), 0.1)
        off = 2.0 * (1.0 - _dot(ray, to) / far)
        wide = blur + _BULB / far
        spot = np.clip(1.0 - off / (wide * wide), 0.0, 1.0)
        out = np.maximum(out, spot * spot)
    return np.asarray(out[:, None] * (np.asarray(glints.day.lamp) * _LAMP))


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2])
