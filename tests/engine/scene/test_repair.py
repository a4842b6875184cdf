"""Meshes that can be saved are, by name; the others are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.scene.made import SQUARE, simple
from nav_eval.engine.scene import Scene, load_scene
from nav_eval.errors import SceneError


def load(folder: Path, positions: object, triangles: object) -> Scene:
    made = simple(np.asarray(positions, np.float32), np.asarray(triangles))
    return load_scene(made.save(folder / "x.glb"))


def test_vertices_that_are_not_finite_are_dropped(tmp_path: Path) -> None:
    positions = [*SQUARE, [np.nan, 0, 0], [0, np.inf, 0], [3, 3, 3]]
    scene = load(tmp_path, positions, [[0, 1, 2], [0, 1, 4], [5, 2, 3], [2, 3, 6]])
    np.testing.assert_array_equal(
        scene.positions[scene.triangles], np.array([*SQUARE, *[[3, 3, 3]] * 3])[[[0, 1, 2], [2, 3, 6]]]
    )
    assert scene.notes == ("dropped 2 vertices that are not finite, and 2 triangles on them",)


def test_a_prop_at_343_km_is_dropped(tmp_path: Path) -> None:
    grid = np.stack([*np.meshgrid(np.arange(9), np.arange(9)), np.zeros((9, 9))], axis=-1).reshape(-1, 3)
    faces = [[i, i + 1, i + 9] for i in range(70)]
    prop = SQUARE[:3] + np.array([343_000, 0, 0])
    scene = load(tmp_path, [*grid, *prop], [*faces, [81, 82, 83]])
    assert float(scene.positions.max()) == 8
    assert len(scene.triangles) == 70
    assert "343 km" in scene.notes[0]


def test_a_large_scene_is_left_alone(tmp_path: Path) -> None:
    positions = np.random.default_rng(0).uniform(0, 4000, (99, 3))
    scene = load(tmp_path, positions, np.arange(99).reshape(-1, 3))
    assert len(scene.positions) == 99
    assert scene.notes == ()


def test_what_cannot_be_saved_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="no triangle is left"):
        load(tmp_path, np.full((3, 3), np.nan), [[0, 1, 2]])
    with pytest.raises(SceneError, match="km across"):
        load(tmp_path, SQUARE * 1e9, [[0, 1, 2], [0, 2, 3]])
