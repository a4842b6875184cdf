"""The cache of prepared scenes: the same frames, shared memory, and recovery from damage."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine.render.shapes import make_scene, painted, wall
from engine.render.six_processes import HOWS, ROUNDS
from nav_eval.engine.render.prepared import build, directory, load_prepared, make_room, prepare
from nav_eval.engine.render.recycle import ArrayPool
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.errors import ConfigError
from patience import PATIENCE

TESTS = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels stay where they were compiled; only scenes are kept elsewhere."""
    monkeypatch.setattr("nav_eval.engine.render.prepared.cache_home", lambda: tmp_path)


def test_a_cached_scene_draws_the_same_frame() -> None:
    scene = painted()
    assert load_prepared(scene) is None
    fresh = prepare(scene)
    mapped = load_prepared(scene)
    assert mapped is not None
    assert (mapped.name, mapped.bare, mapped.nbytes) == ("made", False, fresh.nbytes)
    frames = [make_renderer("cpu", p, width=40, height=30).render((0, 0, 0), 0.1) for p in (fresh, mapped)]
    np.testing.assert_array_equal(frames[0].rgb, frames[1].rgb)
    assert not mapped.assets.texels.flags.writeable
    assert not fresh.assets.vertices.x.flags.writeable


def test_a_damaged_or_foreign_entry_is_made_again() -> None:
    scene = painted()
    prepare(scene)
    (directory(scene) / "texels.npy").write_bytes(b"\x93NUMPY")
    assert load_prepared(scene) is None
    assert prepare(scene).assets.texels.size > 64 * 64
    assert load_prepared(scene) is not None
    turned = dataclasses.replace(scene, positions=scene.positions[:, [0, 2, 1]].copy())
    assert prepare(turned).assets.vertices.y.max() != prepare(scene).assets.vertices.y.max()


def test_beyond_its_bound_the_cache_forgets_what_was_longest_unused(tmp_path: Path) -> None:
    for age, name in enumerate(["newest", "used", "old", "oldest"]):
        folder = tmp_path / f"{name}-render5-2048"
        folder.mkdir()
        (folder / "texels.npy").write_bytes(bytes(100))
        os.utime(folder, (1e9 - age, 1e9 - age))
    make_room(tmp_path, 399)
    assert {folder.name.partition("-")[0] for folder in tmp_path.iterdir()} == {"newest", "used", "old"}
    make_room(tmp_path, 1)
    assert [folder.name.partition("-")[0] for folder in tmp_path.iterdir()] == ["newest"]


def test_a_scene_that_is_read_again_counts_as_used() -> None:
    scene = painted()
    prepare(scene)
    folder = directory(scene)
    os.utime(folder, (1e9, 1e9))
    prepare(scene)
    assert folder.stat().st_mtime > 1.1e9


def test_six_processes_that_prepare_one_scene_lose_nothing(tmp_path: Path) -> None:
    six = subprocess.run(
        [sys.executable, "-m", "engine.render.six_processes", str(tmp_path)],
        cwd=TESTS, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert six.returncode == 0, six.stderr
    said = re.split(rf"^({'|'.join(HOWS)})$", six.stderr, flags=re.MULTILINE)[1:]
    assert tuple(said[::2]) == HOWS
    for how, told in zip(HOWS, said[1::2], strict=True):
        lines = [line for line in told.splitlines() if "cached" in line]
        assert [line for line in lines if how != "damaged" or "made again" not in line] == [], how
        kept = Counter(folder.name.partition("-")[0] for folder in (tmp_path / how / "scenes").iterdir())
        assert kept == dict.fromkeys((f"{turn:032}" for turn in range(ROUNDS)), 1 + (how == "another")), how


def test_a_scene_without_digest_is_not_stored(tmp_path: Path) -> None:
    prepare(painted(digest=""))
    assert list(tmp_path.iterdir()) == []


def test_the_budget_is_part_of_the_key_and_bounded() -> None:
    scene = painted()
    prepare(scene, texture_budget_mib=1)
    assert load_prepared(scene) is None
    assert load_prepared(scene, texture_budget_mib=1) is not None
    with pytest.raises(ConfigError, match="texture_budget_mib"):
        prepare(scene, texture_budget_mib=0)


def test_an_unwritable_cache_is_no_obstacle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr("nav_eval.engine.render.prepared.cache_home", lambda: blocked)
    assert prepare(painted()).assets.texels.size > 0


def test_bare_means_that_no_texture_or_vertex_colour_differs() -> None:
    one, two = np.zeros((6, 4), np.uint8), np.arange(24, dtype=np.uint8).reshape(6, 4)
    assert build(make_scene(wall())).bare
    assert build(make_scene(wall(), colors=one)).bare
    assert not build(make_scene(wall(), colors=two)).bare
    assert build(make_scene(wall(), textures=(one.reshape(3, 2, 4),))).bare
    assert not build(make_scene(wall(), textures=(one.reshape(3, 2, 4), two.reshape(3, 2, 4)))).bare


def test_the_pool_hands_out_what_nobody_holds() -> None:
    pool = ArrayPool()
    first = pool.take((3, 4), np.uint8)
    second = pool.take((3, 4), np.uint8)
    assert not np.shares_memory(first, second)
    address = first.ctypes.data
    part = first[1:]
    del first
    assert pool.take((3, 4), np.uint8).ctypes.data != address
    del part
    assert pool.take((3, 4), np.uint8).ctypes.data == address
    pool.clear()
