"""What a world writes: read by the project's scene loader and by trimesh, it is the world itself."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.scene.load import load_scene
from nav_eval.engine.scene.scene import Scene
from nav_eval_worlds import GENERATOR, workers
from nav_eval_worlds.collection import make_scenes
from nav_eval_worlds.episodes.site import SiteFile
from worlds.buildings import HOME, RELEASED, make_world


def test_the_loader_reads_what_was_written(tmp_path: Path) -> None:
    world = make_world(*RELEASED[0])
    path = world.save(tmp_path)
    scene, own = load_scene(path), world.scene()
    assert len(scene.triangles) == len(own.triangles)
    assert scene.objects == own.objects
    stairs = tuple(room.id for room in world.plan.rooms if room.type == "stairs")
    joined = {(door.a, door.b) for door in world.plan.doors} | {stairs}
    assert {thing.joins for thing in scene.objects if thing.joins} == joined
    assert json.loads(path.with_suffix(".semantic.json").read_text())["generator"] == GENERATOR
    assert scene.regions == own.regions
    ids: Any = (scene.object_ids, own.object_ids)
    assert np.bincount(ids[0]).tolist() == np.bincount(ids[1]).tolist()
    for read, written in zip(scene.textures, own.textures, strict=True):
        assert (read == written).all()
    lightmaps = {material.lightmap for material in scene.materials}
    assert lightmaps == {-1, len(own.textures) - 1}
    assert (_lit_corners(scene) == _lit_corners(own)).all()
    assert (_sorted_triangles(scene) == _sorted_triangles(own)).all()
    assert NavMesh.from_bytes(path.with_suffix(".navmesh").read_bytes()).area > 20
    assert SiteFile(path, path.name).load().rooms.rooms.keys() == {room.id for room in world.plan.rooms}


def _sorted_triangles(scene: Scene) -> np.ndarray:
    corners = scene.positions[scene.triangles].reshape(-1, 9)
    return corners[np.lexsort(corners.T)]


def _lit_corners(scene: Scene) -> np.ndarray:
    """Position and lightmap coordinates of each corner that has the latter, sorted."""
    lit = np.asarray([material.lightmap >= 0 for material in scene.materials])[scene.material_ids]
    corners = scene.triangles[lit].ravel()
    assert scene.light_uvs is not None
    rows = np.concatenate([scene.positions[corners], scene.light_uvs[corners]], axis=1)
    return rows[np.lexsort(rows.T)]


def test_trimesh_reads_the_same_mesh() -> None:
    world = make_world(*HOME)
    scene: Any = trimesh.load(io.BytesIO(world.glb()), file_type="glb")
    assert sum(len(mesh.faces) for mesh in scene.geometry.values()) == len(world.mesh.triangles)
    low, high = scene.bounds
    assert np.allclose(low, world.mesh.positions.min(axis=0), atol=1e-6)
    assert np.allclose(high, world.mesh.positions.max(axis=0), atol=1e-6)


def test_objects_have_the_boxes_of_their_triangles() -> None:
    world = make_world(*HOME)
    for thing in world.objects[::7]:
        own = world.mesh.positions[world.mesh.objects == thing.id]
        assert np.allclose(own.min(axis=0), np.subtract(thing.center, np.divide(thing.size, 2)))
        assert np.allclose(own.max(axis=0), np.add(thing.center, np.divide(thing.size, 2)))


def test_names_that_are_given_keep_the_seed_out_of_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, rooms, storeys, kind = RELEASED[1]
    monkeypatch.setattr(workers, "generate_world", lambda *case: make_world(*case[:4]))
    (path,) = make_scenes(tmp_path, [str(seed)], rooms, storeys, kind, 20_000, "hidden")
    assert path.name == "hidden_0.glb"
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["hidden_0.glb", "hidden_0.navmesh", "hidden_0.semantic.json"]
    assert not any(b"anywhere" in file.read_bytes() for file in files)
