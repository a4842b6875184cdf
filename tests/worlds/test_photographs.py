"""Photographs are of boxes that the rays really meet, and shaded by what stands in the sun's way."""

from __future__ import annotations

import numpy as np

from nav_eval_worlds.rays.boxes import meet
from nav_eval_worlds.surfaces.boxes import Boxes


def test_rays_meet_the_nearest_box() -> None:
    """Against marching along each ray in steps of a millimetre."""
    rng = np.random.default_rng(3)
    low = rng.uniform(-2, 2, (12, 3))
    high = low + rng.uniform(0.2, 1.0, (12, 3))
    starts = np.tile([0.0, 0.0, 6.0], (60, 1))
    ways = rng.uniform(-2, 2, (60, 3)) - starts
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    far, hit, axis = np.empty(60), np.empty(60, np.int64), np.empty(60, np.int64)
    meet(low, high, starts, ways, far, hit, axis, True)
    steps = np.arange(0, 12, 0.001)
    for k in range(60):
        at = starts[k] + steps[:, None] * ways[k]
        inside = ((at[:, None] > low) & (at[:, None] < high)).all(axis=2)
        if not inside.any():
            assert hit[k] == -1 or far[k] > 12
            continue
        first = int(inside.any(axis=1).argmax())
        assert abs(far[k] - steps[first]) < 0.002
        assert inside[first + 1 : first + 3, hit[k]].any()
        place = starts[k] + far[k] * ways[k]
        face = low[hit[k], axis[k]] if ways[k, axis[k]] > 0 else high[hit[k], axis[k]]
        assert abs(place[axis[k]] - face) < 1e-9
    assert (hit >= 0).sum() > 20


def test_a_box_throws_its_shadow_away_from_the_sun() -> None:
    def taken(sun: float) -> tuple[float, float]:
        scene = Boxes((sun, 0.8, 0.0))
        scene.add((-50, -1, -50), (50, 0, 50), (200, 200, 200))
        scene.add((-0.5, 0, -4.5), (0.5, 1.5, -3.5), (200, 60, 60))
        picture = scene.taken((0.0, 9.0, 4.0), (0.0, 0.0, -4.0), 1.6, (120, 160)).mean(axis=2)
        return float(picture[58:64, 54:58].mean()), float(picture[58:64, 102:106].mean())

    west, east = taken(1.0)
    assert west < 0.8 * east
    west, east = taken(-1.0)
    assert east < 0.8 * west
