"""PLY in its three encodings, read against files that trimesh wrote and files written by hand."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from nav_eval.engine.scene import load_scene
from nav_eval.errors import SceneError

HEADER = """ply
format {0} 1.0
comment made by hand
element vertex 5
property float x
property double y
property float z
property uchar red
property uchar green
property uchar blue
element edge 1
property int vertex1
property list uchar short others
element face 2
property list uchar int vertex_indices
property ushort object_id
end_header
"""
POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)]
COLORS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (1, 2, 3), (9, 9, 9)]
FACES = [((0, 1, 2, 3), 7), ((0, 1, 4), 65535)]


def body(encoding: str) -> bytes:
    if encoding == "ascii":
        lines = [" ".join(map(str, (*p, *c))) for p, c in zip(POINTS, COLORS)]
        lines += ["3 2 1 2", *(f"{len(f)} {' '.join(map(str, f))} {i}" for f, i in FACES)]
        return "\n".join(lines).encode()
    order = "<" if "little" in encoding else ">"
    data = b"".join(struct.pack(order + "fdf3B", *p, *c) for p, c in zip(POINTS, COLORS))
    data += struct.pack(order + "iB2h", 3, 2, 1, 2)
    for face, number in FACES:
        data += struct.pack(f"{order}B{len(face)}iH", len(face), *face, number)
    return data


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_all_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.ply"
    path.write_bytes(HEADER.format(encoding).encode() + body(encoding))
    scene = load_scene(path)
    np.testing.assert_array_equal(scene.positions, np.array(POINTS))
    assert scene.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]]
    assert scene.object_ids is not None
    assert scene.object_ids.tolist() == [7, 7, 65535]
    assert scene.colors is not None
    assert scene.colors[:, :3].tolist() == [list(c) for c in COLORS]


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_files_that_trimesh_writes(tmp_path: Path, encoding: str) -> None:
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(2)
    mesh.visual.vertex_colors = np.arange(len(mesh.vertices) * 4).reshape(-1, 4) % 256
    path = tmp_path / "ball.ply"
    path.write_bytes(mesh.export(file_type="ply", encoding=encoding))
    scene = load_scene(path)
    np.testing.assert_array_equal(scene.triangles, mesh.faces)
    np.testing.assert_allclose(scene.positions, mesh.vertices, atol=1e-6)
    assert scene.colors is not None
    np.testing.assert_array_equal(scene.colors, mesh.visual.vertex_colors)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ply\n",
        HEADER.format("ascii").encode(),
        HEADER.format("binary_little_endian").encode() + b"\0" * 40,
        HEADER.format("binary_little_endian").encode() + body("binary_little_endian")[:-5],
        HEADER.format("middle_endian").encode() + body("ascii"),
        HEADER.format("ascii").replace("vertex 5", "vertex 99999999999").encode() + body("ascii"),
        HEADER.format("ascii").replace("vertex 5", "vertex -5").encode() + body("ascii"),
        HEADER.format("ascii").replace("float x", "float q").encode() + body("ascii"),
        HEADER.format("ascii").replace("double y", "quad y").encode() + body("ascii"),
        HEADER.format("ascii").encode() + body("ascii").replace(b"4 0 1 2 3", b"4 0 1 2 9"),
        HEADER.format("ascii").encode() + body("ascii").replace(b"4 0 1 2 3", b"4 0 1 2 x"),
        HEADER.format("ascii").encode() + body("ascii").replace(b"4 0 1 2 3", b"-4 0 1 2 3"),
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        b"end_header\n0 0 0\n",
    ],
)
def test_broken_files_give_one_clear_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.ply"
    path.write_bytes(data)
    with pytest.raises(SceneError, match=r"x\.ply"):
        load_scene(path)
