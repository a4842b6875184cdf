"""Scene ids to files, the table of licensed data, the registry, `scene info`, and a scene that makes its navmesh."""

from __future__ import annotations

import sys
from importlib import reload
from pathlib import Path

import numpy as np
import pytest

from engine.scene.made import SQUARE, simple
from nav_eval.dataset.data_check import data_check
from nav_eval.engine.scene import SCENE_FORMATS, load_scene, register_scene_format, resolve_scene, scene_info
from nav_eval.errors import ConfigError, NavmeshError, SceneError
from nav_eval.registry import import_plugins

LOADER = """
import numpy as np
from nav_eval import register_scene_format
from nav_eval.engine.scene.scene import Material, Scene

@register_scene_format(".TRI")
def load(source):
    points = SCALE * np.frombuffer(source.read(), np.float32).reshape(-1, 3)
    faces = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    return Scene(source.path.stem, points, faces, np.zeros(len(faces), np.int32), (Material(),))
"""


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
    """Also where the folder is the data set's own."""
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    assert resolve_scene(tmp_path, scene_id) == path
    if scene_id == "mp3d/17DR/17DR.glb":
        assert resolve_scene(tmp_path / "mp3d", scene_id) == path


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
    scans = [f"mp3d/17DR/17DR{ending}" for ending in (".glb", ".navmesh", ".house")]
    hm3d = ("basis.glb", "basis.navmesh", "semantic.glb", "semantic.txt")
    scans += [f"hm3d/val/00800-TEE/TEE.{name}" for name in hm3d]
    for name in (*(f"scene_datasets/{scan}" for scan in scans), "connectivity/17DR_connectivity.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("[]")
    after = {finding.name: finding for finding in data_check(tmp_path)}
    assert after["Matterport3D scenes"].state == "partial"
    assert "1 scenes lack *_semantic.ply" in after["Matterport3D scenes"].detail
    assert after["Matterport3D navigation graphs"].state == "present"
    assert after["HM3D scenes"].state == "present"


def test_a_format_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned as is asked; what was cached of it does not outlive the code that made it."""
    monkeypatch.setattr(SCENE_FORMATS, "_members", {})
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "x.TRI").write_bytes(np.arange(9, dtype=np.float32).tobytes())
    scenes = []
    for scale in (1, 1, 10):
        (tmp_path / "tri_plugin.py").write_text(LOADER.replace("SCALE", str(scale)))
        import_plugins(["tri_plugin"])
        reload(sys.modules["tri_plugin"])
        scenes.append(load_scene(tmp_path / "x.TRI", up="z"))
    for scene, scale in zip(scenes, (1, 1, 10)):
        np.testing.assert_array_equal(scene.positions, scale * np.array([[0, 2, -1], [3, 5, -4], [6, 8, -7]]))
    digests = [scene.digest for scene in scenes]
    assert digests[0] == digests[1] != digests[2]
    assert len(digests[0]) == 64
    with pytest.raises(ConfigError, match="registered already"):
        register_scene_format("obj")(lambda source: scenes[0])


def test_scene_info_counts(tmp_path: Path) -> None:
    info = scene_info(simple().save(tmp_path / "x.glb"))
    assert (info.vertices, info.triangles, info.textures, info.objects, info.storeys) == (4, 2, 0, 0, 0)
    assert (info.low, info.high, info.size) == ((0, 0, 0), (1, 1, 0), (1, 1, 0))
    assert info.up_axis.startswith("+y")
    assert info.memory_bytes == 4 * 12 + 2 * 12 + 2 * 4


def test_a_floor_becomes_walkable(tmp_path: Path) -> None:
    floor = SQUARE[:, [0, 2, 1]] * 6
    scene = load_scene(simple(floor, [[0, 2, 1], [0, 3, 2]]).save(tmp_path / "floor.glb"))
    navmesh = scene.build_navmesh(agent_radius=0.1)
    assert navmesh.area == pytest.approx(5.8**2, rel=0.05)
    assert scene.build_navmesh(agent_radius=0.5).area < navmesh.area
    with pytest.raises(NavmeshError, match="agent_radius"):
        scene.build_navmesh(agent_radus=0.5)
    with pytest.raises(NavmeshError, match="cell_size"):
        scene.build_navmesh(cell_size=0)
