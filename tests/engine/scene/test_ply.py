"""PLY in its three encodings, read against files that trimesh wrote and files written by hand."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

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


def whole(encoding: str) -> bytes:
    return HEADER.format(encoding).encode() + body(encoding)


@pytest.mark.parametrize("encoding", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_all_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.ply"
    path.write_bytes(whole(encoding))
    scene: Any = load_scene(path)
    np.testing.assert_array_equal(scene.positions, np.array(POINTS))
    assert scene.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 4]]
    assert scene.object_ids.tolist() == [7, 7, 65535]
    np.testing.assert_array_equal(scene.colors[:, :3], COLORS)


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_files_that_trimesh_writes(tmp_path: Path, encoding: str) -> None:
    mesh = trimesh.creation.icosphere(2)
    mesh.visual.vertex_colors = np.arange(len(mesh.vertices) * 4).reshape(-1, 4) % 256
    path = tmp_path / "ball.ply"
    path.write_bytes(mesh.export(file_type="ply", encoding=encoding))
    scene: Any = load_scene(path)
    np.testing.assert_array_equal(scene.triangles, mesh.faces)
    np.testing.assert_allclose(scene.positions, mesh.vertices, atol=1e-6)
    np.testing.assert_array_equal(scene.colors, mesh.visual.vertex_colors)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"ply\n",
        whole("ascii")[: -len(body("ascii"))],
        whole("binary_little_endian")[:-5],
        HEADER.format("binary_little_endian").encode() + b"\0" * 40,
        whole("ascii").replace(b"ascii", b"middle_endian"),
        whole("ascii").replace(b"vertex 5", b"vertex 99999999999"),
        whole("ascii").replace(b"vertex 5", b"vertex -5"),
        whole("ascii").replace(b"float x", b"float q"),
        whole("ascii").replace(b"double y", b"quad y"),
        whole("ascii").replace(b"4 0 1 2 3", b"4 0 1 2 9"),
        whole("ascii").replace(b"4 0 1 2 3", b"4 0 1 2 x"),
        whole("ascii").replace(b"4 0 1 2 3", b"-4 0 1 2 3"),
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        b"end_header\n0 0 0\n",
    ],
)
def test_broken_files_give_one_clear_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.ply"
    path.write_bytes(data)
    with pytest.raises(SceneError, match=r"x\.ply"):
        load_scene(path)
