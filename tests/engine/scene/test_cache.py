"""The process-wide cache: one reading, one copy, bounded, and never stale."""

from __future__ import annotations

import hashlib
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.scene.made import SQUARE, simple
from nav_eval.engine.scene import SCENE_FORMATS, Scene, SceneCache, SceneSource, scene_bytes, shared_scenes
from nav_eval.errors import SceneError
from patience import PATIENCE


def test_the_same_file_is_read_once_and_again_when_it_changes(tmp_path: Path) -> None:
    path = simple().save(tmp_path / "x.glb")
    cache = SceneCache()
    first = cache.get(path)
    assert cache.get(str(path)) is first
    assert cache.nbytes == scene_bytes(first) > 0
    simple(SQUARE * 2).save(path)
    second = cache.get(path)
    np.testing.assert_array_equal(second.positions, SQUARE * 2)
    assert cache.get(path, up="z") is not second


def test_a_new_sidecar_is_noticed(tmp_path: Path) -> None:
    path = simple().save(tmp_path / "x.glb")
    cache = SceneCache()
    assert cache.get(path).objects == ()
    (tmp_path / "x.semantic.json").write_text('{"objects": [{"id": 1, "category": "floor"}]}')
    assert len(cache.get(path).objects) == 1


def test_copies_of_one_content_share_one_scene(tmp_path: Path) -> None:
    path = simple().save(tmp_path / "x.glb")
    (tmp_path / "b").mkdir()
    shutil.copy(path, tmp_path / "b" / "x.glb")
    cache = SceneCache()
    assert cache.get(path) is cache.get(tmp_path / "b" / "x.glb") is cache.get(path, up="y")
    (tmp_path / "gibson").mkdir()
    shutil.copy(path, tmp_path / "gibson" / "x.glb")
    turned = cache.get(tmp_path / "gibson" / "x.glb")
    assert turned is cache.get(path, up="z") is not cache.get(path)
    assert turned.digest != cache.get(path).digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    paths = [simple(SQUARE * (n + 1)).save(tmp_path / f"{n}.glb") for n in range(3)]
    size = scene_bytes(SceneCache().get(paths[0]))
    cache = SceneCache(max_bytes=2 * size)
    first, second = cache.get(paths[0]), cache.get(paths[1])
    assert cache.get(paths[0]) is first
    cache.get(paths[2])
    assert cache.get(paths[0]) is first
    assert cache.get(paths[1]) is not second
    assert cache.nbytes <= 2 * size
    assert SceneCache(max_bytes=1).get(paths[0]).name == "0"


def test_concurrent_askers_share_one_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = []
    gate = threading.Barrier(8, timeout=PATIENCE)

    def slow(source: SceneSource) -> Scene:
        readings.append(source.path)
        return SCENE_FORMATS.get("gltf")(source)

    monkeypatch.setitem(SCENE_FORMATS._members, "glb", slow)
    path = simple().save(tmp_path / "x.glb")
    cache = SceneCache()

    def ask(_: int) -> Scene:
        gate.wait()
        return cache.get(path)

    with ThreadPoolExecutor(8) as pool:
        scenes = list(pool.map(ask, range(8)))
    assert len(readings) == 1
    assert all(scene is scenes[0] for scene in scenes)


def test_an_error_is_not_remembered(tmp_path: Path) -> None:
    cache = SceneCache()
    with pytest.raises(SceneError):
        cache.get(tmp_path / "x.glb")
    simple().save(tmp_path / "x.glb")
    assert len(cache.get(tmp_path / "x.glb").triangles) == 2
    cache.clear()
    assert cache.nbytes == 0
    assert shared_scenes() is shared_scenes()
