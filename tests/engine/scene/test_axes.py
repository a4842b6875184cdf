"""Which way is up: the rules of conventions 1, on files laid out as their owners do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.scene.made import SQUARE, simple
from nav_eval.engine.scene import load_scene, scene_info
from nav_eval.errors import SceneError

Z_UP = SQUARE[:, [0, 2, 1]] * [1, 1, -1]


def positions(path: Path, **more: Any) -> Any:
    return load_scene(simple().save(path), **more).positions


@pytest.mark.parametrize(
    "path",
    [
        "scene_datasets/mp3d/17DRP5sb8fy/17DRP5sb8fy.glb",
        "hm3d/val/00800-TEEsavR23oF/TEEsavR23oF.basis.glb",
        "elsewhere/00800-TEEsavR23oF/TEEsavR23oF.glb",
        "gibson/Cantwell.glb",
    ],
)
def test_licensed_layouts_are_z_up(tmp_path: Path, path: str) -> None:
    np.testing.assert_array_equal(positions(tmp_path / path), Z_UP)
    np.testing.assert_array_equal(positions(tmp_path / path, up="y"), SQUARE)
    assert "layout" in scene_info(tmp_path / path).up_axis


def test_other_files_are_y_up_as_gltf_is(tmp_path: Path) -> None:
    np.testing.assert_array_equal(positions(tmp_path / "house.glb"), SQUARE)
    np.testing.assert_array_equal(positions(tmp_path / "house.glb", up="z"), Z_UP)


def test_a_house_file_marks_matterport(tmp_path: Path) -> None:
    (tmp_path / "scan.house").write_text("ASCII 1.1\n")
    np.testing.assert_array_equal(positions(tmp_path / "scan.glb"), Z_UP)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"up": [0, 0, 1], "front": [0, 1, 0]}, Z_UP),
        ({"up": [0, 0, 2.0]}, Z_UP),
        ({"up": [0, 1, 0], "front": [0, 0, -1]}, SQUARE),
        ({"up": [0, 1, 0], "front": [0, 0, 1]}, SQUARE * [-1, 1, -1]),
        ({"up": [1, 0, 0]}, SQUARE[:, [1, 0, 2]] * [-1, 1, 1]),
        ({"render_asset": "x.glb"}, SQUARE),
    ],
)
def test_a_stage_config_decides(tmp_path: Path, config: dict[str, Any], expected: Any) -> None:
    (tmp_path / "house.stage_config.json").write_text(json.dumps(config))
    turned = positions(tmp_path / "house.glb")
    np.testing.assert_array_equal(turned, expected)
    a, b, c = turned[:3]  # turned, not mirrored: the square still faces along its corners' right-hand normal
    before = np.cross(SQUARE[1] - SQUARE[0], SQUARE[2] - SQUARE[0])
    assert np.linalg.norm(np.cross(b - a, c - a)) == np.linalg.norm(before)


def test_a_stage_config_wins_over_the_layout(tmp_path: Path) -> None:
    folder = tmp_path / "gibson"
    folder.mkdir()
    (folder / "Adrian.stage_config.json").write_text('{"up": [0, 1, 0], "front": [0, 0, -1]}')
    np.testing.assert_array_equal(positions(folder / "Adrian.glb"), SQUARE)


def test_a_scene_dataset_config_decides_for_its_paths(tmp_path: Path) -> None:
    config = {
        "stages": {
            "paths": {".glb": ["val/*/*.basis.glb"]},
            "default_attributes": {"shader_type": "flat", "up": [0, 0, 1], "front": [0, 1, 0]},
        }
    }
    (tmp_path / "my.scene_dataset_config.json").write_text(json.dumps(config))
    np.testing.assert_array_equal(positions(tmp_path / "val" / "x" / "x.basis.glb", up="auto"), Z_UP)
    np.testing.assert_array_equal(positions(tmp_path / "train" / "x" / "x.glb"), SQUARE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a valid configuration"),
        ('{"up": "z"}', "not a valid configuration"),
        ('{"up": [0, 0]}', "is not a direction"),
        ('{"up": [0, 0, 0]}', "is not a direction"),
        ('{"up": [0, 0, 1], "front": [0, 0, 1]}', "perpendicular"),
    ],
)
def test_damaged_configurations_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "house.stage_config.json").write_text(text)
    with pytest.raises(SceneError, match=said):
        positions(tmp_path / "house.glb")
    np.testing.assert_array_equal(positions(tmp_path / "house.glb", up="y"), SQUARE)


def test_another_up_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="auto, y or z"):
        positions(tmp_path / "house.glb", up="x")
