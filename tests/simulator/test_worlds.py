"""A data set names scenes; it does not reach outside the folder that the organiser gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from nav_eval.config.schema import SimulatorConfig
from nav_eval.errors import SceneError
from nav_eval.simulator.worlds import World


def world(folder: Path, scene_id: str) -> World:
    return World(SimulatorConfig(scenes_dir=str(folder)), scene_id)


def test_a_navmesh_without_its_scene_is_found_in_the_folder_only(tmp_path: Path) -> None:
    scenes = tmp_path / "scenes"
    scenes.mkdir()
    for file in (tmp_path / "secret.navmesh", scenes / "a.navmesh"):
        file.write_bytes(b"")
    assert world(scenes, "a.glb").navmesh_path == scenes / "a.navmesh"
    assert world(scenes, "b.glb").navmesh_path is None
    for name in ("../secret.glb", str(tmp_path / "secret.glb"), "data/scene_datasets/../../secret.glb"):
        with pytest.raises(SceneError, match="refuses the path"):
            _ = world(scenes, name).navmesh_path
