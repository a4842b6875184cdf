"""All of it in order: what reaches every texel and vertex, exposed, polished and stored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nav_eval.progress import ProgressCallback, no_progress
from nav_eval_worlds.light.bounced import bounced
from nav_eval_worlds.light.coarse import fill
from nav_eval_worlds.light.contact import grounded, lifted
from nav_eval_worlds.light.cubes import cubes
from nav_eval_worlds.light.daylight import Daylight
from nav_eval_worlds.light.direct import Shining, opaque, soft_light, sunlight
from nav_eval_worlds.light.exposure import balanced, compressed, exposed
from nav_eval_worlds.light.gloss import Glints, polished
from nav_eval_worlds.light.materials import materials, matt, mean_colours, sent_back
from nav_eval_worlds.light.places import places
from nav_eval_worlds.light.stored import stored
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.plan.floor_plan import Plan

_DIRECT = 2.2
"""Of sky and lamps, where what surfaces send back has 1: shadows have a direction, which white rooms wash out."""


def bake(
    plan: Plan,
    items: Sequence[Item],
    mesh: Mesh,
    textures: Sequence[NDArray[np.uint8]],
    day: Daylight,
    on_progress: ProgressCallback = no_progress,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(V, 4) uint8, what the vertices are multiplied with (255 is 1), and the lightmap (H, W, 3) uint8 (128 is 1)."""
    grid = cubes(mesh, plan, items)
    on_progress(0.15)
    free = np.flatnonzero(~mesh.lit)
    charts = mesh.patches.charts
    halved = charts.halved
    sharp, soft = (places(grid, mesh, chosen, free) for chosen in (charts, halved))
    shining = Shining.of(plan, items, day)
    soup, colours = opaque(mesh, items), mean_colours(textures)
    direct = soft_light(grid, soup, charts, halved, sharp, soft, shining)
    sun = sunlight(grid, soup, mesh, sharp, shining.windows, day) * matt(mesh, free)
    on_progress(0.5)
    light = direct * _DIRECT + bounced(grid, charts, halved, sharp, soft, direct + sun, sent_back(mesh, colours, free))
    light = lifted(mesh, sharp, light, free) * grounded(mesh, items, sharp) + sun
    fill(charts, sharp, light)
    on_progress(0.3)
    light = exposed(light, len(sharp) - len(free), sharp.points.at, sharp.points.room, plan, day)
    value = compressed(balanced(light, len(sharp) - len(free), day))
    glints = Glints(plan, day, shining.windows, shining.lamps, shining.lamp_rooms)
    value = polished(value, glints, sharp.points, materials(mesh, free), mesh.names, colours)
    on_progress(0.05)
    return stored(value, mesh, free)
