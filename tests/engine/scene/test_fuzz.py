"""Mutated files load, or raise SceneError: nothing else, whatever the bytes. tests/fuzz goes on from the same files."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scene.made import Glb, simple
from fuzz.scene_mutations import mutated
from nav_eval.engine.scene import load_scene
from nav_eval.errors import SceneError

EDITS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutated")


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
OBJ = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0 1 1 1\nv 0 1 0\nvt 0 1\nusemtl a\nf 1/1 2/1 3/1\nf -1 -2 -3\n"
PLY = (
    b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    b"property uchar red\nelement face 2\nproperty list uchar int vertex_index\nend_header\n"
    + bytes(range(39))
    + b"\3\0\0\0\0\1\0\0\0\2\0\0\0" * 2
)


FILES = {"x.glb": RICH, "plain.glb": simple().bytes(), "x.obj": OBJ, "x.ply": PLY}


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


@pytest.mark.parametrize("name", FILES)
def test_the_unchanged_files_load(folder: Path, name: str) -> None:
    (folder / name).write_bytes(FILES[name])
    assert len(load_scene(folder / name).triangles) >= 2


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=200, deadline=None)
@given(edits=EDITS, cut=st.one_of(st.just(0), st.just(0), st.integers(0, 400)))
def test_bytes_and_cuts(folder: Path, name: str, edits: list[tuple[int, int]], cut: int) -> None:
    data = FILES[name]
    attempt(folder, name, edited(data, edits)[: len(data) - cut % len(data)])


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), edits=EDITS)
def test_values_and_words(folder: Path, name: str, seed: int, edits: list[tuple[int, int]]) -> None:
    """Those of a glTF's document and of lines replaced by others of any type."""
    attempt(folder, name, mutated(name, FILES[name], random.Random(seed), lambda data: edited(data or b"\0", edits)))


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
