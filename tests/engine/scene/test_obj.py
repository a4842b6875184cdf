"""OBJ and MTL: against trimesh on a real file, and against the format's manual on small ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.scene.made import encoded
from nav_eval.engine.scene import load_scene
from nav_eval.errors import SceneError


def load(folder: Path, text: str, **files: bytes) -> Any:
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    path = folder / "made.obj"
    path.write_text(text, encoding="utf-8")
    return load_scene(path)


def test_a_real_file_holds_what_trimesh_reads(released: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    path = released / "scenes" / "dungeon.obj"
    theirs = trimesh.load(path, process=False, maintain_order=True, force="mesh")
    ours = load_scene(path)
    assert len(ours.triangles) == len(theirs.faces)
    np.testing.assert_allclose(ours.positions[ours.triangles], theirs.triangles, atol=1e-5)


def test_polygons_negative_indices_texture_coordinates_and_materials(tmp_path: Path) -> None:
    text = """
# a square, then the same triangle by negative numbers
mtllib made.mtl missing.mtl
mtllib made.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
usemtl näht
f 1/1/9 2/2/9 3/3/9 4//9
usemtl glass
f -4 -3 -2
usemtl näht
f 1 \\
 2 3
"""
    mtl = "newmtl näht\nKd 0 0 0\nmap_Kd -s 1 1 1 a b.png\nnewmtl glass\nKd .5 .25 2\nTr 0.75\n".encode()
    (tmp_path / "a b.png").write_bytes(encoded(np.full((2, 2, 3), 9, np.uint8)))
    scene = load(tmp_path, text, made__mtl=mtl)
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    np.testing.assert_array_equal(
        scene.positions[scene.triangles], square[[[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 1, 2]]]
    )
    names = [scene.materials[m].name for m in scene.material_ids]
    assert names == ["näht", "näht", "glass", "näht"]
    cloth, glass = scene.materials[scene.material_ids[0]], scene.materials[scene.material_ids[2]]
    assert cloth.base_color == (1, 1, 1, 1)
    assert scene.textures[cloth.texture][0, 0].tolist() == [9, 9, 9, 255]
    assert glass.base_color == (0.5, 0.25, 1, 0.25)
    assert glass.alpha_mode == "blend"
    np.testing.assert_array_equal(scene.uvs[scene.triangles[0]], [[0, 1], [1, 1], [1, 0]])  # v counts downwards
    assert any("missing.mtl" in note for note in scene.notes)


def test_vertex_colours(tmp_path: Path) -> None:
    scene = load(tmp_path, "v 0 0 0 1 0 0.2\nv 1 0 0 0 1 0\nv 0 1 0 0 0 2\nf 1 2 3\n")
    assert scene.colors.tolist() == [[255, 0, 51, 255], [0, 255, 0, 255], [0, 0, 255, 255]]


@pytest.mark.parametrize("name", ["../../secret.png", "C:\\Users\\me\\wall.png", "/etc/passwd", "gone.png"])
def test_pictures_that_are_not_there_or_elsewhere_are_left_out_with_a_note(tmp_path: Path, name: str) -> None:
    scene = load(
        tmp_path,
        "mtllib made.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n",
        made__mtl=f"newmtl a\nmap_Kd {name}\n".encode(),
    )
    assert len(scene.textures) == 0
    assert any("texture" in note for note in scene.notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no triangles"),
        ("v 0 0 0\n", "no triangles"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "names vertex 3"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -9\n", "line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999\n", "line 4"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/7 2/8 3/9\n", "vt"),
        ("v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "fewer than 3"),
        ("v 0 0 zero\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "no number"),
    ],
)
def test_broken_files_give_one_clear_error(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SceneError, match=said):
        load(tmp_path, text)


def test_infinities_are_repaired_by_name(tmp_path: Path) -> None:
    scene = load(tmp_path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 1 inf\nf 1 2 3\nf 1 2 4\n")
    assert len(scene.triangles) == 1
    assert any("not finite" in note for note in scene.notes)


def test_one_endless_number_does_not_make_all_numbers_long(tmp_path: Path) -> None:
    """100,000 numbers and one of a million digits would be 100 GB in an array of words."""
    path = tmp_path / "x.obj"
    path.write_bytes(b"v 0 0 0\n" * 33_000 + b"v 1 0 " + b"0" * 1_000_000 + b"\nv 0 1 0\nf 1 -1 -2\n")
    with pytest.raises(SceneError, match="1000000 characters"):
        load_scene(path)
