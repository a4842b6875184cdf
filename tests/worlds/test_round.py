"""Round small things have sixteen sides where there are triangles for it, twelve in a usual home: read by trimesh."""

from __future__ import annotations

import io

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from nav_eval_worlds.world import World, generate_world
from worlds.buildings import unlit

SEEN_CLOSE = ("mug", "drinking_glass", "bottle", "jar", "bowl", "vase", "candle", "teapot", "pan", "plate", "cactus")
FINE = 0.014
"""Metres: handles and wicks are thinner."""


def rings(world: World) -> list[tuple[str, int]]:
    """Of each level cut through a round part of a small thing: its category, and how many corners it has."""
    loaded = trimesh.load(io.BytesIO(world.glb()), file_type="glb", process=False)
    categories = {o.id: o.category for o in world.objects}
    out = []
    for part in loaded.geometry.values():
        owner = np.rint(part.vertex_attributes["_OBJECT_ID"]).astype(int).reshape(-1)[part.faces[:, 0]]
        for thing in np.unique(owner):
            if categories.get(int(thing)) in SEEN_CLOSE:
                own = part.submesh([np.flatnonzero(owner == thing)], append=True)
                out += [(categories[int(thing)], corners(ring)) for ring in _cuts(own) if is_round(ring)]
    return out


def _cuts(mesh: trimesh.Trimesh) -> list[NDArray[np.float64]]:
    """Closed rings (N, 2), metres, of cuts at a few heights."""
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    low, high = mesh.bounds[:, 1]
    out = []
    for share in (0.13, 0.37, 0.61, 0.83):
        cut = mesh.section([0, 1, 0], [0, low + share * (high - low), 0])
        if cut is not None:
            out += [ring[:, [0, 2]] for ring in cut.discrete if len(ring) > 3 and np.allclose(ring[0], ring[-1])]
    return out


def is_round(ring: NDArray[np.float64]) -> bool:
    """Whether a polygon could be meant as a circle: a hexagon could, a square not."""
    size = np.ptp(ring, axis=0)
    x, y = ring[:-1].T
    area = abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
    return bool(size.min() > 2 * FINE and size.max() < 1.16 * size.min() and abs(area / size.prod() - 0.785) < 0.07)


def corners(ring: NDArray[np.float64]) -> int:
    """Where a polygon turns by more than three degrees; a cut through a face has points along a side too."""
    points = ring[:-1][np.linalg.norm(np.diff(ring, axis=0), axis=1) > 1e-5]
    ways = np.roll(points, -1, axis=0) - points
    angles = np.unwrap(np.arctan2(ways[:, 1], ways[:, 0]))
    turns = np.abs((np.diff(angles, append=angles[0]) + np.pi) % (2 * np.pi) - np.pi)
    return int((turns > np.radians(3)).sum())


@pytest.mark.parametrize(("rooms", "detail", "sides"), [(4, 110_000, 16), (8, 60_000, 12)])
def test_what_is_round_has_many_sides(rooms: int, detail: int, sides: int) -> None:
    with unlit():
        found = rings(generate_world("round", rooms, 1, "home", detail))
    assert len(found) > 60
    assert len({category for category, _ in found}) >= 6
    assert [one for one in found if one[1] < sides] == []


def test_the_count_notices_few_sides() -> None:
    for sides, fits in ((6, True), (8, True), (4, False)):
        turn = np.arange(sides + 1) / sides * 2 * np.pi + np.pi / sides
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * 0.05
        assert is_round(ring) == fits
        assert corners(ring) == sides
