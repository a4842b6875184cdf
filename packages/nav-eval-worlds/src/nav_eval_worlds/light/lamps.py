"""Lamps: where their light comes from, and how strong it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.light.daylight import Daylight
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.plan.floor_plan import Plan
from nav_eval_worlds.rays.sources import Lamps
from nav_eval_worlds.surfaces.parametric import place

_LAMP_BY_DAY, _LAMP_AT_WORK, _LAMP = 0.035, 0.07, 0.08
_INNER = 1.6
"""By day, of lamps in rooms without windows."""
_STANDING, _STANDING_AT_NIGHT = 0.35, 0.7
"""Of a lamp that does not hang, where one that does has 1: pools of light, when it is dark."""


def lamps_of(plan: Plan, items: Sequence[Item], day: Daylight) -> tuple[Lamps, list[int]]:
    """Every lamp, and its room: they shine by day too, but less, and most where there is no window."""
    lamps = [item for item in items if item.category == "lamp"]
    at, power = np.zeros((len(lamps), 3)), np.zeros((len(lamps), 3))
    bright = {window.room for window in plan.windows}
    for k, item in enumerate(lamps):
        hanging = item.support == "ceiling"
        at[k] = _bulb(item)
        by_day = _LAMP_AT_WORK if plan.kind == "office" else _LAMP_BY_DAY
        strength = _LAMP if day.hour == "evening" else by_day * (1.0 if item.room in bright else _INNER)
        share = _STANDING_AT_NIGHT if day.hour == "evening" else _STANDING
        power[k] = np.asarray(day.lamp) * (strength * (1.0 if hanging else share))
    return Lamps(at, power), [item.room for item in lamps]


def _bulb(item: Item) -> Floats:
    """(3,) metres, where a lamp's light comes from: below what hangs or has a shade that is open below only."""
    x, y, z = item.at[0] / 1000, item.at[1] / 1000, item.at[2] / 1000
    if item.support == "ceiling":
        return np.asarray([x, y - item.size[1] - 0.12, z])
    parts = {"glow": [np.zeros((0, 3))], "shade": [np.zeros((0, 3))]}
    for quad in item.model.quads:
        parts.get(quad.material, []).append(quad.corners)
    for grid in item.model.grids:
        parts.get(grid.material, []).append(grid.evaluate(*grid.least)[0].reshape(-1, 3))
    shade, glow = (np.concatenate(parts[name]) for name in ("shade", "glow"))
    shining = shade if len(shade) else glow
    if not len(shining):
        return np.asarray([x, y + item.size[1] + 0.12, z])
    middle = (shining.min(axis=0) + shining.max(axis=0)) / 2
    middle[1] -= 0.0 if len(shade) else 0.1
    return np.asarray(place(middle, (x, y, z), item.turn))
