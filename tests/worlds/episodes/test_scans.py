"""Point goals in scenes that nobody annotated, in folders as Matterport3D, HM3D and Replica lay them out."""

from __future__ import annotations

import gzip
import json
import math
import shutil
from pathlib import Path

import pytest
import trimesh

import nav_eval
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.errors import NavmeshError, SceneError
from nav_eval_worlds.cli import episodes as generate

LAYOUT = ("17DRP/17DRP.glb", "00800-TEE/TEE.basis.glb", "apartment_0/mesh.glb", "apartment_1/mesh.glb")
BESIDE = ("17DRP/17DRP_semantic.ply", "00800-TEE/TEE.semantic.glb")


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One room of 6 by 4 m with a wall across the middle that leaves a passage, and no semantics."""
    folder = tmp_path_factory.mktemp("scans")
    floor = trimesh.creation.box((6, 0.2, 4), trimesh.transformations.translation_matrix((0, -0.1, 0)))
    wall = trimesh.creation.box((0.2, 2.5, 3), trimesh.transformations.translation_matrix((0, 1.25, -0.5)))
    for name in LAYOUT:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        trimesh.util.concatenate([floor, wall]).export(path)
        if name == LAYOUT[0]:
            nav_eval.load_scene(path).build_navmesh().save(path.with_suffix(".navmesh"))
        else:
            shutil.copy(folder / "17DRP" / "17DRP.navmesh", path.with_suffix(".navmesh"))
    for name in BESIDE:
        (folder / name).write_bytes(b"not a scene of its own")
    return folder


@pytest.fixture(scope="module")
def points(scans: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("points")
    assert generate(scans, out, task="pointnav", per_scene=3) == 0
    return out / "pointnav"


def test_every_scan_has_its_episodes_by_the_path_that_finds_it(scans: Path, points: Path) -> None:
    files = sorted((points / "all" / "content").glob("*.json.gz"))
    episodes = [episode for file in files for episode in json.loads(gzip.decompress(file.read_bytes()))["episodes"]]
    assert [episode["scene_id"] for episode in episodes] == [name for name in sorted(LAYOUT) for _ in range(3)]
    assert all((scans / episode["scene_id"]).is_file() for episode in episodes)


def test_starts_and_goals_are_on_one_floor_and_the_distance_is_that_of_the_wall_walked_round(
    scans: Path, points: Path
) -> None:
    navmesh = NavMesh.from_bytes((scans / "17DRP" / "17DRP.navmesh").read_bytes())
    for file in (points / "all" / "content").glob("*.json.gz"):
        for episode in json.loads(gzip.decompress(file.read_bytes()))["episodes"]:
            start, goal = episode["start_position"], episode["goals"][0]["position"]
            assert navmesh.is_navigable(start)
            assert navmesh.is_navigable(goal)
            told, straight = episode["info"]["geodesic_distance"], math.dist(start, goal)
            assert 2 <= told <= 30
            assert told >= straight - 1e-4
            if start[0] * goal[0] < 0:
                end = (0.0, 0.0, 1.0)
                round_it = math.dist((start[0], 0, start[2]), end) + math.dist(end, (goal[0], 0, goal[2]))
                assert told >= min(round_it, straight) - 0.6


def test_the_oracle_arrives_and_the_hidden_split_hides(scans: Path, points: Path) -> None:
    blind = [f"~simulator.sensors.{name}" for name in ("rgb", "depth", "semantic", "objects")]
    data = [f"dataset.data_path={points}/all/all.json.gz", f"simulator.scenes_dir={scans}", "dataset.split=all"]
    oracle = ["agent_service.agent=shortest_path", "simulator.body.radius=0.1"]
    results = nav_eval.evaluate("pointnav-demo", overrides=[*data, *blind, *oracle])
    assert results.statuses == {"ok": 12}
    assert results.metrics["success"]["mean"] == 1.0
    hidden = [gzip.decompress(file.read_bytes()) for file in (points / "test" / "content").glob("*.gz")]
    assert hidden
    assert not any(b'"position"' in text or b"geodesic" in text for text in hidden)


def test_other_tasks_say_that_they_need_rooms(scans: Path, tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"00800-TEE/TEE\.basis\.glb.*pointnav.*\.semantic\.json"):
        generate(scans, tmp_path, task="vln")


def test_a_scan_without_a_navmesh_is_named_and_an_empty_folder_too(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="generate scenes"):
        generate(tmp_path, tmp_path / "out", task="pointnav")
    trimesh.creation.box((4, 0.2, 4)).export(tmp_path / "bare.glb")
    with pytest.raises(NavmeshError, match=r"bare\.navmesh"):
        generate(tmp_path, tmp_path / "out", task="pointnav")


def test_a_scene_too_small_for_what_is_asked_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    trimesh.creation.box((3, 0.2, 3)).export(tmp_path / "hut.glb")
    nav_eval.load_scene(tmp_path / "hut.glb").build_navmesh().save(tmp_path / "hut.navmesh")
    assert generate(tmp_path, tmp_path / "out", task="pointnav", per_scene=2) == 0
    assert "hut.glb, all: 0 of 2 episodes found" in caplog.text
