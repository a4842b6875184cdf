"""Light straight from the sun, from the sky in the windows and from lamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nav_eval_worlds.exact import Floats, cross, normalised
from nav_eval_worlds.light.coarse import fill, refined
from nav_eval_worlds.light.daylight import Daylight, Rgb
from nav_eval_worlds.light.exposure import luminance
from nav_eval_worlds.light.holes import windows_of
from nav_eval_worlds.light.lamps import lamps_of
from nav_eval_worlds.light.places import Places
from nav_eval_worlds.mesh.charts import Charts
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.plan.floor_plan import Plan
from nav_eval_worlds.rays import bounce, sources
from nav_eval_worlds.rays.march import Grid
from nav_eval_worlds.rays.soup import Soup, soup_of, standing
from nav_eval_worlds.rays.sources import Close, Lamps, Seen, Texels, Windows

_EDGE = 0.45
"""Of the brightest of sixteen coarse texels and the usual one, what the darkest has less of where a shadow has its
edge."""
_NEAR_BY = 0.3
"""Metres round a place from which what shades it is asked of the triangles, where a shadow has its edge."""
_SUN = 3.0
"""Of sunlight, where the sky in a window has 1."""
_PENUMBRA = 0.012
"""Half the width of the sun, in radians: three times the true one, which the cubes could not show."""
_CLEAR = ("glass", "frosted")
_SHIFTS = ((-0.3, -0.1), (0.1, -0.3), (0.3, 0.1), (-0.1, 0.3))
"""In texels: places from which the sun is looked for."""
_BULB = 0.1
"""Metres from a lamp's middle to the points that stand for it."""


@dataclass(frozen=True, slots=True)
class Shining:
    """What shines softly: sky (3,) in the windows, and lamps; which of them each room sees, its own and others'."""

    windows: Windows
    windows_seen: tuple[Seen, NDArray[np.int64]]
    sky: Floats
    lamps: Lamps
    lamp_rooms: Sequence[int]
    lamps_seen: tuple[Seen, NDArray[np.int64]]

    @classmethod
    def of(cls, plan: Plan, items: Sequence[Item], day: Daylight) -> Shining:
        near, (lamps, rooms) = _near_rooms(plan), lamps_of(plan, items, day)
        seen = _listed(near, [window.room for window in plan.windows])
        return cls(windows_of(plan, items), seen, np.asarray(day.sky), lamps, rooms, _listed(near, rooms))


def soft_light(
    grid: Grid, soup: Soup, charts: Charts, halved: Charts, sharp: Places, soft: Places, shining: Shining
) -> Floats:
    """(N, 3) light from the sky and from lamps, at the places `sharp`: from `soft`, but where shadows have edges."""
    texels = len(charts.texels[0])
    vertices = len(sharp) - texels
    coarse = _gathered(grid, Close(soup, standing(), 0.0), soft, len(soft) - vertices, shining)
    fill(halved, soft, coarse)
    out = refined(charts, halved, coarse, vertices)
    rows = _edges(charts, halved, luminance(coarse[: len(soft) - vertices]), soft) & (sharp.open[:texels] > 0)
    chosen = np.flatnonzero(rows)
    out[chosen] = _gathered(grid, Close(soup, standing(), _NEAR_BY), sharp.chosen(chosen), len(chosen), shining)
    return out


def _edges(charts: Charts, halved: Charts, bright: Floats, soft: Places) -> NDArray[np.bool_]:
    """(N,) where, among the texels of `charts`, an edge of a shadow passes."""
    texels = charts.texels
    edge, usual = np.zeros(len(texels[0]), np.uint8), float(np.median(bright[soft.open[: len(bright)] > 0]))
    bounce.uneven(*texels, halved.size, halved.begins, bright, _EDGE, usual, edge)
    return edge > 0


def _gathered(grid: Grid, close: Close, at: Places, texels: int, shining: Shining) -> Floats:
    """(N, 3) light from the sky in the windows and from lamps; the first `texels` places are those of charts."""
    amount, shone = np.zeros(len(at)), np.zeros((len(at), 3))
    asked = grid, close, at.points, at.starts, at.open
    sources.skylight(*asked, shining.windows, *shining.windows_seen, texels, amount)
    spread = np.asarray([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * (_BULB * 0.57735)
    sources.lamplight(*asked, shining.lamps, *shining.lamps_seen, spread, shone)
    return np.asarray(shone + amount[:, None] * shining.sky)


def sunlight(grid: Grid, soup: Soup, mesh: Mesh, at: Places, windows: Windows, day: Daylight) -> Floats:
    """(N, 3) light straight from the sun."""
    amount = np.zeros(len(at))
    if day.sun is not None:
        texels = Texels(*mesh.patches.charts.texels, mesh.patches.corners, mesh.patches.charts.size)
        rays = (windows, _disc(day.sun), np.asarray(_SHIFTS))
        sources.sunlight(grid, soup, standing(), at.points, at.starts, at.open, texels, *rays, amount)
    return np.asarray(amount[:, None] * (np.asarray(day.sun_colour) * _SUN))


def opaque(mesh: Mesh, items: Sequence[Item] = ()) -> Soup:
    """The triangles that throw shadows in the sun: lamps are too bright to, and glass does not."""
    first = mesh.triangles[:, 0]
    dark = ~np.asarray([name in _CLEAR for name in mesh.names], np.bool_)[mesh.materials[first]]
    if items:
        dark &= np.asarray([True, *(item.category != "lamp" for item in items)], np.bool_)[mesh.objects[first]]
    return soup_of(mesh.positions, mesh.triangles[dark])


def _disc(sun: Rgb) -> Floats:
    """Four directions round the sun's middle."""
    middle = np.asarray([sun])
    right = normalised(cross(middle, np.asarray([[0.0, 1.0, 0.0]])))
    up = cross(right, middle)
    corners = [right * a + up * b for a, b in ((-0.9, -0.4), (0.4, -0.9), (0.9, 0.4), (-0.4, 0.9))]
    return np.concatenate([normalised(middle + corner * _PENUMBRA) for corner in corners])


def _near_rooms(plan: Plan) -> list[list[int]]:
    """Of each room the ids of those whose light reaches it, its own first: through doors, and two open ways on."""
    joined: list[set[int]] = [set() for _ in plan.rooms]
    open_: list[set[int]] = [set() for _ in plan.rooms]
    ways = [(door.a, door.b, not door.leaf) for door in plan.doors]
    wells = [room.id for room in plan.rooms if room.type == "stairs"]
    for a, b, passage in (*ways, *((a, b, True) for a, b in pairwise(wells))):
        for here, there in ((a, b), (b, a)):
            joined[here - 1].add(there)
            if passage:
                open_[here - 1].add(there)
    out = []
    for room in plan.rooms:
        beyond = {other for way in open_[room.id - 1] for other in joined[way - 1]}
        out.append([room.id, *sorted((joined[room.id - 1] | beyond) - {room.id})])
    return out


def _listed(near: list[list[int]], rooms: Sequence[int]) -> tuple[Seen, NDArray[np.int64]]:
    """Which sources, in `rooms` (S,), each room sees; and where in its list those of other rooms begin."""
    first, own, items = [0], [], []
    for reached in near:
        for room in reached:
            items += [k for k, at in enumerate(rooms) if at == room]
            if room == reached[0]:
                own.append(len(items))
        first.append(len(items))
    return Seen(np.asarray(first, np.int64), np.asarray(items, np.int64)), np.asarray(own, np.int64)
