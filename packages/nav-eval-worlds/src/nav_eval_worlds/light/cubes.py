"""The cubes that a building fills, through which its light goes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nav_eval_worlds.exact import Floats
from nav_eval_worlds.light.holes import hole
from nav_eval_worlds.mesh.item import Item
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.mesh.voxels import Voxels, voxelise
from nav_eval_worlds.plan.floor_plan import OUTER, Plan
from nav_eval_worlds.rays.march import Grid

CELL = 0.06
"""Side of a cube, metres."""
_SLIGHT = 0.2
"""Metres; what hangs or stands on something and is thinner shades nothing."""
_LEAVES = ("leaf", "leaf2")
"""Materials through which light comes: cubes are far thicker than a blade."""


def cubes(mesh: Mesh, plan: Plan, items: Sequence[Item] = ()) -> Grid:
    """The cubes that the mesh fills; light gets to what hangs together with a way or a window, and is indoors.

    Without the things of `items`, those of the mesh, that are too slight to shade anything.
    """
    objects = mesh.objects[mesh.triangles[:, 0]]
    solid = np.asarray([True, *map(_shades, items)], np.bool_)[objects] if items else np.ones(len(objects), np.bool_)
    solid &= ~np.asarray([name in _LEAVES for name in mesh.names], np.bool_)[mesh.materials[mesh.triangles[:, 0]]]
    voxels = voxelise(mesh.positions, mesh.triangles[solid], objects[solid], CELL)
    lit = []
    for door in plan.doors:
        x, z = door.centre
        lit.append((x / 1000, plan.room(door.b).base / 1000 + 1.0, z / 1000))
    for window in plan.windows:
        one = hole(plan.room(window.room), window, window.top)
        across, along = one.planes[0] - one.out * 0.15, (one.hole[0] + one.hole[1]) / 2
        height = (one.hole[2] + one.hole[3]) / 2
        lit.append((across, height, along) if one.axis == 0 else (along, height, across))
    grid = cubes_of(voxels, np.asarray(lit).reshape(-1, 3))
    outside = np.ones(voxels.labels.shape, np.bool_)
    for room in plan.rooms:
        r, top = room.clear.grown(OUTER), room.base + max(room.ceiling, plan.pitch if room.type == "stairs" else 0)
        low, high = np.asarray([r.x0, room.base, r.z0]) / 1000, np.asarray([r.x1, top, r.z1]) / 1000
        (x0, y0, z0), (x1, y1, z1) = np.maximum(voxels.fixed(np.stack([low, high])) >> 8, 0).tolist()
        outside[x0 : x1 + 1, y0 : y1 + 1, z0 : z1 + 1] = False
    grid.sealed[outside.reshape(-1)] = 1
    return grid


def _shades(item: Item) -> bool:
    """Whether a thing fills cubes: of a flat one on a wall, or a cup, they would be far larger than it is."""
    if item.category in ("lamp", "curtain"):
        return False
    return item.support in ("shell", "floor") or min(item.size) >= _SLIGHT


def cubes_of(voxels: Voxels, lit: Floats) -> Grid:
    """Voxels as the rays read them; `lit` (L, 3) metres, some places to which light gets."""
    import scipy.ndimage

    solid = voxels.labels > 0
    parts, _ = scipy.ndimage.label(~solid)
    reached = np.zeros(int(parts.max()) + 1, np.bool_)
    at = voxels.fixed(lit) >> 8
    reached[parts[at[:, 0], at[:, 1], at[:, 2]]] = True
    reached[0] = False
    return Grid(
        solid.astype(np.uint8).reshape(-1),
        (~reached[parts]).astype(np.uint8).reshape(-1),
        np.asarray(voxels.labels.shape, np.int64),
        np.asarray(voxels.low),
        voxels.cell,
    )
