"""Mutated files load, or raise SceneError: nothing else, whatever the bytes. tests/fuzz goes on from the same files."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scene.made import Glb, simple
from nav_eval.engine.scene import load_scene
from nav_eval.errors import SceneError

EDITS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6)
TOKENS = ("-1", "0", "1", "99", "4294967296", "1e308", "null", "true", '""', "[]", "{}", "[0]", '"x"', "0.5")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp())
    yield path
    shutil.rmtree(path)


def rich() -> Glb:
    """A small file that uses most of what the reader knows."""
    made = Glb()
    positions = np.random.default_rng(1).normal(size=(12, 3)).astype(np.float32)
    sparse = {
        "count": 1,
        "indices": {"bufferView": made.view(b"\1\0\0\0"), "componentType": 5121},
        "values": {"bufferView": made.view(bytes(12))},
    }
    attributes = {
        "POSITION": made.accessor(positions, sparse=sparse),
        "TEXCOORD_0": made.accessor((positions[:, :2] * 100).astype(np.int16), normalized=True),
        "COLOR_0": made.accessor(np.arange(48, dtype=np.uint8).reshape(12, 4), normalized=True),
        "_OBJECT_ID": made.accessor(np.arange(12, dtype=np.uint16)),
    }
    transform = {"KHR_texture_transform": {"rotation": 1, "scale": [2, 3]}}
    texture = {"index": made.image(np.zeros((4, 4, 3), np.uint8)), "extensions": transform}
    made.json["samplers"] = [{"wrapS": 33071}]
    made.json["textures"][0]["sampler"] = 0
    made.material(pbrMetallicRoughness={"baseColorTexture": texture}, alphaMode="MASK")
    mesh = made.mesh(attributes, made.accessor(np.arange(12, dtype=np.uint16)), material=0, mode=5)
    instances = {"attributes": {"TRANSLATION": made.accessor(positions[:2])}}
    made.node(mesh=mesh, translation=[1, 2, 3], rotation=[0, 0, 0, 1], children=[1])
    made.node(mesh=mesh, extensions={"EXT_mesh_gpu_instancing": instances})
    made.json["scenes"] = [{"nodes": [0]}]
    return made


RICH = rich().bytes()
TEXT = bytes(RICH[20 : 20 + int.from_bytes(RICH[12:16], "little")])
OBJ = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0 1 1 1\nv 0 1 0\nvt 0 1\nusemtl a\nf 1/1 2/1 3/1\nf -1 -2 -3\n"
PLY = (
    b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    b"property uchar red\nelement face 2\nproperty list uchar int vertex_index\nend_header\n"
    + bytes(range(39))
    + b"\3\0\0\0\0\1\0\0\0\2\0\0\0" * 2
)


def attempt(folder: Path, name: str, data: bytes) -> None:
    path = folder / name
    path.write_bytes(data)
    with contextlib.suppress(SceneError):
        load_scene(path)


def edited(data: bytes, edits: list[tuple[int, int]]) -> bytes:
    changed = bytearray(data)
    for place, value in edits:
        changed[place % len(changed)] = value
    return bytes(changed)


def test_the_unchanged_files_load(folder: Path) -> None:
    for name, data in (("x.glb", RICH), ("x.obj", OBJ), ("x.ply", PLY)):
        (folder / name).write_bytes(data)
        assert len(load_scene(folder / name).triangles) >= 2


@settings(max_examples=200, deadline=None)
@given(edits=EDITS)
def test_bytes_of_a_glb(folder: Path, edits: list[tuple[int, int]]) -> None:
    attempt(folder, "x.glb", edited(RICH, edits))


@settings(max_examples=200, deadline=None)
@given(edits=EDITS)
def test_text_of_a_gltf(folder: Path, edits: list[tuple[int, int]]) -> None:
    changed = edited(TEXT, edits)
    attempt(folder, "x.glb", RICH[:20] + changed + RICH[20 + len(TEXT) :])


@settings(max_examples=200, deadline=None)
@given(number=st.integers(0, 10**6), token=st.sampled_from(TOKENS))
def test_values_of_a_gltf(folder: Path, number: int, token: str) -> None:
    """One value of the document replaced by another of any type."""
    document = json.loads(TEXT)
    places: list[tuple[dict[str, object] | list[object], str | int]] = []

    def walk(value: object) -> None:
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in pairs:
            places.append((value, key))  # type: ignore[arg-type]
            walk(inner)

    walk(document)
    parent, key = places[number % len(places)]
    parent[key] = json.loads(token)  # type: ignore[index]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = RICH[20 + len(TEXT) :]
    header = b"glTF" + (2).to_bytes(4, "little") + (20 + len(text) + len(rest)).to_bytes(4, "little")
    attempt(folder, "x.glb", header + len(text).to_bytes(4, "little") + b"JSON" + text + rest)


@settings(max_examples=100, deadline=None)
@given(edits=EDITS, cut=st.integers(0, 400))
@pytest.mark.parametrize(("name", "data"), [("x.obj", OBJ), ("x.ply", PLY), ("x.glb", simple().bytes())])
def test_other_formats_and_cuts(folder: Path, name: str, data: bytes, edits: list[tuple[int, int]], cut: int) -> None:
    attempt(folder, name, edited(data, edits)[: len(data) - cut % len(data)])


@settings(max_examples=60, deadline=None)
@given(edits=EDITS)
def test_draco(folder: Path, edits: list[tuple[int, int]]) -> None:
    draco = pytest.importorskip("DracoPy")
    grid = np.random.default_rng(2).normal(size=(30, 3)).astype(np.float32)
    packed = draco.encode(grid, np.arange(30).reshape(-1, 3))
    made = Glb()
    accessor = made.accessor(grid)
    view = made.view(edited(packed, edits))
    extension = {"KHR_draco_mesh_compression": {"bufferView": view, "attributes": {"POSITION": 0}}}
    made.node(mesh=made.mesh({"POSITION": accessor}, accessor, extensions=extension))
    attempt(folder, "x.glb", made.bytes())
