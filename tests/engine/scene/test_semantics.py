"""Semantic sidecars, in files of the owners' exact formats made here: the real scenes are licensed."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.scene.made import Glb, simple
from nav_eval.engine.scene import Scene, SemanticObject, load_scene, scene_info
from nav_eval.engine.scene.semantics.transfer import cover
from nav_eval.errors import SceneError

FLOOR = np.array([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], np.float32)  # z up
TABLE = np.array([[1, 1, 1], [2, 1, 1], [2, 3, 1], [1, 3, 1]], np.float32)
FACES = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
POINTS = np.concatenate([FLOOR, TABLE])
HOUSE = """ASCII 1.1
H 17DR - 0 0 0 0 0 2 2 1 0 1  0 0 0 0 0  0 0 0 4 4 3  0 0 0 0 0
L 0 1 -  2 2 0  0 0 0 4 4 3  0 0 0 0 0
R 0 0 0 0 k  2 2 0  0 0 0 4 4 3 3  0 0 0 0
C 0 4 wooden#floor 2 floor 0 0 0 0 0
C 1 30 coffee#table 5 table 0 0 0 0 0
O 0 0 0 2 2 0  1 0 0  0 1 0  2 2 0 0 0 0 0 0 0 0 0
O 1 0 1 1.5 2 1  0 1 0  -1 0 0  1 0.5 0.25 0 0 0 0 0 0 0 0
O 2 -1 -1 0 0 0  1 0 0  0 1 0  1 1 1 0 0 0 0 0 0 0 0
E 0 1 77 1.5  0 0 0  0 0 0 1 1 1  0 0 0 0 0
"""


def semantic_ply(points: NDArray[np.float32], faces: NDArray[Any], ids: list[int]) -> bytes:
    """As Habitat's Matterport3D archive has it: binary, coloured vertices, object_id on each face."""
    head = f"""ply
format binary_little_endian 1.0
element vertex {len(points)}
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
element face {len(faces)}
property list uchar int vertex_indices
property int object_id
end_header
"""
    body = b"".join(struct.pack("<3f3B", *map(float, point), 1, 2, 3) for point in points)
    body += b"".join(struct.pack("<B3ii", 3, *map(int, face), number) for face, number in zip(faces, ids))
    return head.encode() + body


def subdivided(points: NDArray[np.float32], faces: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The same surface as four times the triangles: another mesh, as the owners' picture meshes are."""
    a, b, c = (points[faces[:, corner]] for corner in range(3))
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    corners = np.stack([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], axis=1).reshape(-1, 3)
    return corners.astype(np.float32), np.arange(len(corners)).reshape(-1, 3)


def ids_of(scene: Scene) -> list[int]:
    assert scene.object_ids is not None
    return [int(number) for number in scene.object_ids]


@pytest.mark.parametrize("same", [True, False])
def test_matterport(tmp_path: Path, same: bool) -> None:
    folder = tmp_path / "mp3d" / "17DR"
    path = simple(*((POINTS, FACES) if same else subdivided(POINTS, FACES))).save(folder / "17DR.glb")
    (folder / "17DR.house").write_text(HOUSE)
    (folder / "17DR_semantic.ply").write_bytes(semantic_ply(POINTS, FACES, [3, 3, 1, -1]))
    scene = load_scene(path)
    assert ids_of(scene) == ([3, 3, 1, 0] if same else [3] * 8 + [1] * 4 + [0] * 4)
    table = scene.objects[1]
    assert (table.id, table.category, table.region) == (1, "table", 0)
    assert table.center == (1.5, 1.0, -2.0)  # (x, y, z) -> (x, z, -y)
    assert table.size == (1.0, 0.5, 2.0)
    assert scene.objects[2].category == "unlabeled"
    (kitchen,) = scene.regions
    assert (kitchen.category, kitchen.storey, kitchen.low, kitchen.high) == ("kitchen", 0, (0, 0, -4), (4, 3, 0))
    assert load_scene(folder / "17DR_semantic.ply").positions[4].tolist() == [1, 1, -1]


def test_matterport_without_the_semantic_mesh(tmp_path: Path) -> None:
    path = simple().save(tmp_path / "17DR.glb")
    (tmp_path / "17DR.house").write_text(HOUSE)
    scene = load_scene(path)
    assert scene.object_ids is None
    assert len(scene.objects) == 3
    assert any("17DR_semantic.ply is not there" in note for note in scene.notes)


ANNOTATIONS = """HM3D Semantic Annotations
1,A72E5B,"wall",0
2,00FF10,"table, folding",3
"""


def hm3d_mesh(points: NDArray[np.float32], colors: list[int], textured: bool) -> Glb:
    """The semantic mesh: one colour per triangle, from vertex colours or from a texture of one texel each."""
    made = Glb()
    corners = points[FACES].reshape(-1, 3)
    rgb = np.array([[c >> 16, c >> 8 & 255, c & 255] for c in colors], np.uint8)
    attributes = {"POSITION": made.accessor(corners)}
    if textured:
        uvs = np.repeat((np.arange(4) + 0.5) / 4, 3)[:, None] * [1, 0] + [0, 0.5]
        spread = uvs + np.tile([[-0.1, 0], [0.1, -0.4], [0, 0.4]], (4, 1))
        attributes["TEXCOORD_0"] = made.accessor(spread.astype(np.float32))
        made.node(mesh=made.mesh(attributes, material=made.textured(rgb[None])))
    else:
        attributes["COLOR_0"] = made.accessor(np.repeat(rgb, 3, axis=0), normalized=True)
        made.node(mesh=made.mesh(attributes))
    return made


@pytest.mark.parametrize("textured", [True, False])
def test_hm3d(tmp_path: Path, textured: bool) -> None:
    folder = tmp_path / "hm3d" / "val" / "00800-TEE"
    path = simple(*subdivided(POINTS, FACES)).save(folder / "TEE.basis.glb")
    hm3d_mesh(POINTS, [0xA72E5B, 0xA72E5B, 0x00FF10, 0x123456], textured).save(folder / "TEE.semantic.glb")
    (folder / "TEE.semantic.txt").write_text(ANNOTATIONS)
    scene = load_scene(path)
    assert ids_of(scene) == [1] * 8 + [2] * 4 + [0] * 4
    wall, table = scene.objects
    assert (table.category, table.region) == ("table, folding", 3)
    assert (wall.center, wall.size) == ((2, 0, -2), (4, 0, 4))
    assert [region.id for region in scene.regions] == [0, 3]
    assert scene.regions[0].high == (4, 0, 0)


def test_our_own_sidecar(tmp_path: Path) -> None:
    made = Glb()
    for number, points in ((5, FLOOR), (6, TABLE)):
        faces = made.accessor(np.array([0, 1, 2, 0, 2, 3], np.uint8))
        made.node(mesh=made.mesh({"POSITION": made.accessor(points)}, faces), extras={"object_id": number})
    path = made.save(tmp_path / "home.glb")
    sidecar = {
        "objects": [
            {"id": 5, "category": "floor", "region": 1},
            {"id": 6, "category": "стол", "region": 1, "center": [1, 2, 3], "size": [9, 9, 9]},
            {"id": 7, "category": "ghost", "joins": [2, 1]},
        ],
        "regions": [{"id": 1, "category": "kitchen", "storey": 2}, {"id": 2, "category": "hall", "high": [1, 1, 1]}],
    }
    (tmp_path / "home.semantic.json").write_text(json.dumps(sidecar), encoding="utf-8")
    scene = load_scene(path)
    assert ids_of(scene) == [5, 5, 6, 6]
    assert scene.objects[0] == SemanticObject(5, "floor", 1, (2, 2, 0), (4, 4, 0))
    assert scene.objects[1].size == (9, 9, 9)
    assert scene.objects[2].size == (0, 0, 0)
    assert [thing.joins for thing in scene.objects] == [None, None, (2, 1)]
    assert (scene.regions[0].storey, scene.regions[1].high) == (2, (1, 1, 1))
    info = scene_info(path)
    assert (info.objects, info.regions, info.storeys) == (3, 2, 2)
    assert info.categories == ("floor", "ghost", "стол")
    assert scene.floors is None
    (tmp_path / "home.semantic.json").write_text(json.dumps(sidecar | {"walkable": ["floor", "ghost"]}), "utf-8")
    assert load_scene(path).floors.tolist() == [True, True, False, False]  # type: ignore[union-attr]


DAMAGED = {
    ("17DR.glb", "17DR.house"): [
        "", "PLY 1.1", HOUSE.replace("O 1 0 1 1.5", "O 1 0 1 one"), HOUSE + "O 5 0 0 1 2\n", HOUSE + "R x\n"
    ],
    ("TEE.basis.glb", "TEE.semantic.txt"): [
        "", "1,A72E5B,wall,0", ANNOTATIONS + "3,XYZ,wall,0", ANNOTATIONS + "3,A72E5B", ANNOTATIONS + "0,A72E5B,a,0"
    ],
    ("home.glb", "home.semantic.json"): [
        "{",
        '{"objects": [{"id": -1, "category": "x"}]}',
        '{"objects": [{"id": 1}]}',
        '{"walkable": "floor"}',
        '{"objects": [{"id": 1, "category": "x"}, {"id": 1, "category": "y"}]}',
        '{"regions": [{"id": 1, "category": "x", "low": [1]}]}',
        '{"objects": [{"id": 1, "category": "door", "joins": [1, 2]}], "regions": [{"id": 1, "category": "x"}]}',
        '{"objects": [{"id": 1, "category": "door", "joins": [1, 1]}], "regions": [{"id": 1, "category": "x"}]}',
        '{"objects": [{"id": 1, "category": "door", "joins": [1]}]}',
        "[]",
    ],
}  # fmt: skip
"""What stands in the file beside a scene."""


@pytest.mark.parametrize(("files", "text"), [(files, text) for files, texts in DAMAGED.items() for text in texts])
def test_a_damaged_file_is_named(tmp_path: Path, files: tuple[str, str], text: str) -> None:
    scene, beside = files
    path = simple().save(tmp_path / scene)
    (tmp_path / beside).write_text(text)
    with pytest.raises(SceneError, match=re.escape(beside)):
        load_scene(path)


def test_cover_points_lie_on_their_triangles_and_leave_no_gap() -> None:
    corners = np.random.default_rng(5).normal(size=(20, 3, 3))
    points, owners = cover(corners)
    assert np.unique(owners).tolist() == list(range(20))
    for triangle in range(20):
        a, b, c = corners[triangle]
        own = points[owners == triangle]
        weights = np.linalg.lstsq(np.stack([b - a, c - a], axis=1), (own - a).T, rcond=None)[0]
        assert weights.min() > -1e-9
        assert weights.sum(axis=0).max() < 1 + 1e-9
        rng = np.random.default_rng(triangle)
        probes = a + np.sort(rng.uniform(size=(50, 2)), axis=1)[:, ::-1].dot([b - a, c - b])
        gaps = np.linalg.norm(probes[:, None] - own[None], axis=2).min(axis=1)
        assert gaps.max() < 0.15
