"""Scene ids to files, the table of licensed data, the registry and `scene info`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.scene.made import simple
from nav_eval.dataset.data_check import data_check
from nav_eval.engine.scene import (
    SCENE_FORMATS,
    Material,
    Scene,
    SceneSource,
    load_scene,
    register_scene_format,
    resolve_scene,
    scene_info,
)
from nav_eval.errors import ConfigError, SceneError


@pytest.mark.parametrize(
    ("scene_id", "file"),
    [
        ("mp3d/17DR/17DR.glb", "mp3d/17DR/17DR.glb"),
        ("data/scene_datasets/mp3d/17DR/17DR.glb", "mp3d/17DR/17DR.glb"),
        ("./data/scene_datasets/mp3d/17DR/17DR.glb", "mp3d/17DR/17DR.glb"),
        ("mp3d/17DR/17DR", "mp3d/17DR/17DR.glb"),
        ("mp3d/17DR", "mp3d/17DR/17DR.glb"),
        ("hm3d/val/00800-TEE/TEE.basis.glb", "hm3d/val/00800-TEE/TEE.basis.glb"),
        ("hm3d/val/00800-TEE", "hm3d/val/00800-TEE/TEE.basis.glb"),
        ("hm3d/val/00800-TEE/TEE", "hm3d/val/00800-TEE/TEE.basis.glb"),
        ("häuser/a b.v2", "häuser/a b.v2.obj"),
        ("plain", "plain.ply"),
    ],
)
def test_scene_ids_resolve(tmp_path: Path, scene_id: str, file: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    assert resolve_scene(tmp_path, scene_id) == path


def test_a_scenes_dir_that_is_the_data_sets_own_folder(tmp_path: Path) -> None:
    path = tmp_path / "mp3d" / "17DR" / "17DR.glb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    assert resolve_scene(tmp_path / "mp3d", "mp3d/17DR/17DR.glb") == path


@pytest.mark.parametrize(
    "scene_id",
    ["../secret.glb", "/etc/passwd", "a/../../b.glb", "C:/x.glb", "", "a\0b", "file:///x", "a\\..\\..\\b", "%2e%2e/x"],
)
def test_path_tricks_are_refused(tmp_path: Path, scene_id: str) -> None:
    with pytest.raises(SceneError, match="refuses the path"):
        resolve_scene(tmp_path, scene_id)


@pytest.mark.parametrize("scene_id", ["mp3d/none/none.glb", "x" * 5000, "notes.txt"])
def test_a_missing_scene_says_where_it_was_sought(tmp_path: Path, scene_id: str) -> None:
    (tmp_path / "notes.txt").write_text("no scene")
    with pytest.raises(SceneError, match="scenes_dir"):
        resolve_scene(tmp_path, scene_id)


def test_data_check_tells_missing_partial_and_present(tmp_path: Path) -> None:
    before = {finding.name: finding for finding in data_check(tmp_path)}
    assert {finding.state for finding in before.values()} == {"missing"}
    covered = {benchmark for finding in before.values() for benchmark in finding.benchmarks}
    assert covered >= {
        *("r2r", "r4r", "r2r-ce", "rxr-ce", "pointnav", "imagenav", "instance-imagenav"),
        *("objectnav-mp3d", "objectnav-hm3d", "rxr", "reverie", "multion"),
    }
    assert "terms" in before["Matterport3D scenes"].detail
    scan = tmp_path / "scene_datasets" / "mp3d" / "17DR"
    scan.mkdir(parents=True)
    for ending in (".glb", ".navmesh", ".house"):
        (scan / f"17DR{ending}").write_bytes(b"")
    (tmp_path / "connectivity").mkdir()
    (tmp_path / "connectivity" / "17DR_connectivity.json").write_text("[]")
    after = {finding.name: finding for finding in data_check(tmp_path)}
    assert after["Matterport3D scenes"].state == "partial"
    assert "1 scenes lack *_semantic.ply" in after["Matterport3D scenes"].detail
    assert after["Matterport3D navigation graphs"].state == "present"


def test_hm3d_neighbours_are_found(tmp_path: Path) -> None:
    folder = tmp_path / "scene_datasets" / "hm3d" / "val" / "00800-TEE"
    folder.mkdir(parents=True)
    for name in ("TEE.basis.glb", "TEE.basis.navmesh", "TEE.semantic.glb", "TEE.semantic.txt"):
        (folder / name).write_bytes(b"")
    assert {f.name: f.state for f in data_check(tmp_path)}["HM3D scenes"] == "present"


def test_a_format_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SCENE_FORMATS, "_members", {})

    @register_scene_format(".TRI")
    def cube(source: SceneSource) -> Scene:
        points = np.frombuffer(source.read(), np.float32).reshape(-1, 3).copy()
        faces = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
        return Scene(source.path.stem, points, faces, np.zeros(len(faces), np.int32), (Material(),))

    path = tmp_path / "x.TRI"
    path.write_bytes(np.arange(9, dtype=np.float32).tobytes())
    scene = load_scene(path, up="z")
    np.testing.assert_array_equal(scene.positions, [[0, 2, -1], [3, 5, -4], [6, 8, -7]])
    assert len(scene.digest) == 64
    with pytest.raises(ConfigError, match="registered already"):
        register_scene_format("obj")(cube)


def test_scene_info_counts(tmp_path: Path) -> None:
    info = scene_info(simple().save(tmp_path / "x.glb"))
    assert (info.vertices, info.triangles, info.textures, info.objects, info.storeys) == (4, 2, 0, 0, 0)
    assert (info.low, info.high, info.size) == ((0, 0, 0), (1, 1, 0), (1, 1, 0))
    assert info.up_axis.startswith("+y")
    assert info.memory_bytes == 4 * 12 + 2 * 12 + 2 * 4
