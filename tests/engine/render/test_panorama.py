"""Panoramas of a box whose walls are known: every ray's length follows from the box alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.render.shapes import room
from nav_eval.engine.render.panorama import FACES, cube_faces, equirectangular, vln_directions, vln_views
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.errors import ConfigError

HALF = 4.0 * np.array([1.0, 0.4, 0.8])
PLACE = np.array([0.7, -0.3, 0.4])
YAW = 0.6
AHEAD = {
    "front": (0, 0, -1), "left": (-1, 0, 0), "back": (0, 0, 1), "right": (1, 0, 0), "up": (0, 1, 0), "down": (0, -1, 0)
}  # fmt: skip


def to_wall(directions: np.ndarray) -> np.ndarray:
    """Length of rays of unit directions from PLACE to the box."""
    safe = np.where(directions == 0, 1e-12, directions)
    return np.min((np.sign(safe) * HALF - PLACE) / safe, axis=-1)


def test_every_ray_of_the_sphere_has_its_length() -> None:
    renderer = make_renderer("cpu", room(1), width=256, height=256, hfov=90)
    frame = equirectangular(renderer, PLACE, YAW, width=256)
    heading = YAW + math.pi - (np.arange(256) + 0.5)[None, :] / 128 * math.pi
    up = math.pi / 2 - (np.arange(128) + 0.5)[:, None] / 128 * math.pi
    ways = np.broadcast_arrays(-np.sin(heading) * np.cos(up), np.sin(up), -np.cos(heading) * np.cos(up))
    direction = np.stack(ways, axis=-1)
    assert frame.rgb.shape == (128, 256, 3)
    assert (frame.rgb == 255).all()
    assert np.percentile(abs(frame.depth / to_wall(direction) - 1), 99) < 0.02


def test_faces_look_where_their_names_say() -> None:
    renderer = make_renderer("cpu", room(1), width=33, height=33, hfov=90)
    frames = cube_faces(renderer, PLACE)
    assert {*FACES} == {*AHEAD}
    for name, ahead in AHEAD.items():
        assert frames[name].depth[16, 16] == pytest.approx(to_wall(np.array(ahead, float)), rel=1e-5)


def test_vln_views_come_in_matterport_order() -> None:
    yaws, pitches = vln_directions(YAW, 36)
    np.testing.assert_allclose(np.degrees(pitches[[0, 11, 12, 35]]), [-30, -30, 0, 30])
    np.testing.assert_allclose(yaws[[0, 12, 24]], YAW)
    np.testing.assert_allclose(np.degrees(yaws[13] - yaws[12]), -30)
    assert vln_directions(YAW, 12)[1].tolist() == [0.0] * 12
    renderer = make_renderer("cpu", room(1), width=17, height=13, hfov=60)
    frames = vln_views(renderer, PLACE, YAW, views=36)
    for k in (3, 17, 30):
        direct = renderer.render(PLACE, float(yaws[k]), float(pitches[k]))
        np.testing.assert_array_equal(frames[k].depth, direct.depth)


def test_wrong_lenses_and_sizes_are_refused() -> None:
    renderer = make_renderer("cpu", room(0), width=20, height=20, hfov=90)
    with pytest.raises(ConfigError, match="hfov = 90"):
        cube_faces(make_renderer("cpu", room(0), width=20, height=10, hfov=90), PLACE)
    with pytest.raises(ConfigError, match="even width"):
        equirectangular(renderer, PLACE, width=31)
    with pytest.raises(ConfigError, match="12 or 36"):
        vln_views(renderer, PLACE, views=8)
