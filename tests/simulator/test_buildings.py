"""A data set names scenes; it does not reach outside the folder that the organiser gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from nav_eval.config.schema import SimulatorConfig
from nav_eval.errors import SceneError
from nav_eval.simulator.buildings import World


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


def test_a_scene_of_several_files_has_the_digest_of_all(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("mtllib a.mtl\nv 0 0 0\nv 0 0 1\nv 1 0 0\nusemtl red\nf 1 2 3\n")
    digests = []
    for colour in ("1 0 0", "0 0 1"):
        (tmp_path / "a.mtl").write_text(f"newmtl red\nKd {colour}\n")
        digests.append(world(tmp_path, "a.obj").assets(triangles=True)["a.obj: scene"])
    assert len(set(digests)) == 2
    assert all(len(digest) == 64 for digest in digests)
