"""Light and voxels against cases one can reason about, and against exact rays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh

from nav_eval.worlds.plan import Kind
from nav_eval.worlds.voxels import voxelise
from nav_eval.worlds.world import World

MakeWorld = Callable[[int, int, int, Kind], World]


def test_rays_through_voxels_agree_with_the_slab_method() -> None:
    """Random segments round three boxes: the one that is met first is the one with the nearest exact entry."""
    boxes = [trimesh.creation.box(extents=(1, 1, 1)) for _ in range(3)]
    for k, box in enumerate(boxes):
        box.apply_translation((2.5 * k, 0, 0.7 * k))
    mesh: Any = trimesh.util.concatenate(boxes)
    labels = np.repeat(np.arange(1, 4, dtype=np.int32), 12)
    voxels = voxelise(np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int32), labels, 0.04)
    rng = np.random.default_rng(3)
    starts = rng.uniform((-2, -0.4, 3), (7, 0.4, 4), (200, 3))
    ends = rng.uniform((-2, -0.4, -3), (7, 0.4, -2), (200, 3))
    found = voxels.first_hits(starts, ends)
    entries = np.stack([_entry(starts, ends, *box.bounds) for box in boxes])
    exact = np.where(np.isfinite(entries.min(axis=0)), entries.argmin(axis=0) + 1, 0)
    assert (found == exact).mean() > 0.95
    assert (found == 0).any()
    assert (found > 0).any()


def _entry(starts: np.ndarray, ends: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Where along each segment it enters a box, inf where it does not."""
    a, b = (low - starts) / (ends - starts), (high - starts) / (ends - starts)
    enter, leave = np.minimum(a, b).max(axis=1), np.maximum(a, b).min(axis=1)
    return np.where((enter <= leave) & (leave >= 0) & (enter <= 1), enter, np.inf)


def test_nothing_is_met_where_nothing_is() -> None:
    mesh = trimesh.creation.box(extents=(1, 1, 1))
    voxels = voxelise(np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int32), np.ones(12, np.int32), 0.1)
    above = np.array([[-0.6, 0.62, 0.0]])
    assert voxels.first_hits(above, above + np.array([1.2, 0, 0])).tolist() == [0]
    assert voxels.first_hits(np.empty((0, 3)), np.empty((0, 3))).tolist() == []


def test_floors_are_darker_under_beds_than_in_the_open(make_world: MakeWorld) -> None:
    world = make_world(2, 7, 1, "home")
    bed = next(o for o in world.objects if o.category == "bed")
    mesh, light = world.mesh, world.colors[:, :3].mean(axis=1)
    floor = np.isin(mesh.objects, [o.id for o in world.objects if o.category == "floor" and o.region == bed.region])
    offset = np.abs(mesh.positions - bed.center)[:, [0, 2]]
    half = np.array([bed.size[0], bed.size[2]]) / 2
    below = floor & (offset < half - 0.05).all(axis=1)
    beside = floor & ~(offset < half + 0.4).all(axis=1)
    assert below.any()
    assert light[below].mean() < light[beside].mean() - 40


def test_lamps_and_windows_stay_white_and_rooms_are_lit(make_world: MakeWorld) -> None:
    world = make_world(2, 7, 1, "home")
    glowing = np.isin(world.mesh.materials, [k for k, n in enumerate(world.mesh.names) if n in ("glow", "outside")])
    assert (world.colors[glowing] == 255).all()
    assert (world.colors[:, 3] == 255).all()
    floors = np.isin(world.mesh.objects, [o.id for o in world.objects if o.category == "floor"])
    assert 110 < world.colors[floors, :3].mean() < 235
