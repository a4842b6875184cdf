"""Scene files of every format with what lies beside them: textures, sidecars of semantics, configurations.

An input is files (see `documents`); its head is "auto", "y" or "z". What loads must be safe for the kernels that draw
it and build on it, which check no bounds: every index in range, every number finite, every array as long as it says.
"""

from __future__ import annotations

import base64
import json
import random
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from engine.scene.made import Glb, encoded, simple
from engine.scene.test_fuzz import OBJ, PLY, RICH
from engine.scene.test_meshopt import VECTORS
from engine.scene.test_semantics import ANNOTATIONS, FACES, HOUSE, POINTS, hm3d_mesh, semantic_ply
from fuzz import documents, scene_mutations
from fuzz.expect import only
from nav_eval.engine.render.prepared import prepare
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.scene import load_scene
from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import SceneError

MAX_LEN = 32768
NAME = "room"
ENDINGS = ("glb", "gltf", "obj", "ply", "basis.glb")
MAX_BYTES = 1 << 30
OUTPUTS = ("rgb", "depth", "semantic", "normal")
PIXELS = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)


def seeds() -> list[bytes]:
    files: list[dict[str, bytes]] = [
        {"room.glb": RICH},
        {"room.obj": OBJ, "a.mtl": b"newmtl a\nKd 1 0 0\nd 0.5\nmap_Kd a.png\n", "a.png": encoded(PIXELS)},
        {"room.ply": PLY},
        {"room.ply": _ascii_ply(), "a.png": encoded(PIXELS, "BMP")},
        {"room.glb": simple(POINTS, FACES).bytes(), "room.house": HOUSE.encode(), "room_semantic.ply": _annotated()},
        {
            "room.basis.glb": simple(POINTS, FACES).bytes(),
            "room.semantic.txt": ANNOTATIONS.encode(),
            "room.semantic.glb": hm3d_mesh(POINTS, [0xA72E5B, 0xA72E5B, 0x00FF10, 0x123456], True).bytes(),
        },
        {
            "room.glb": simple().bytes(),
            "room.semantic.json": _sidecar(),
            "room.stage_config.json": b'{"up": [0, 0, 1]}',
        },
        {"room.glb": simple().bytes(), "room.scene_dataset_config.json": _dataset_config()},
        _gltf(),
        *({"room.glb": _textured(kind)} for kind in ("JPEG", "WEBP", "GIF", "TIFF", "TGA", "BMP")),
        {"room.glb": _draco()},
        *({"room.glb": _meshopt(vector)} for vector in VECTORS[:30:4] + VECTORS[30::3] if len(vector["encoded"]) < 600),
    ]
    return [documents.pack("auto", each) for each in files] + [documents.pack("z", _ktx2())]


def one(data: bytes) -> None:
    head, files = documents.unpack(data)
    main = next((f"{NAME}.{ending}" for ending in ENDINGS if f"{NAME}.{ending}" in files), None)
    if main is None:
        return
    with _folder() as folder:
        for name, content in files.items():
            if "/" not in name and name.strip("."):
                (folder / name).write_bytes(content)
        before = _peak()
        with only(SceneError, names=NAME):
            scene = load_scene(folder / main, head if head in ("y", "z") else "auto")  # type: ignore[arg-type]
            _check(scene)
            _draw(scene)
        assert _peak() - before < MAX_BYTES, f"{_peak() - before >> 20} MiB for {len(data)} bytes"


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """One of the files, by its kind: a GLB's document or its bytes, the words of a text, the bytes of a picture."""
    import atheris

    chance = random.Random(seed)
    head, files = documents.unpack(data)
    if not files or chance.random() < 0.02:
        return bytes(atheris.Mutate(data, max_size))
    name = chance.choice(sorted(files))
    files[name] = scene_mutations.mutated(name, files[name], chance, lambda raw: bytes(atheris.Mutate(raw, max_size)))
    changed = documents.pack(chance.choice((head, head, head, "auto", "y", "z")), files)
    return changed if len(changed) <= max_size else data


def _check(scene: Scene) -> None:
    vertices, triangles = len(scene.positions), len(scene.triangles)
    assert scene.positions.shape == (vertices, 3)
    assert scene.positions.dtype == np.float32
    assert np.isfinite(scene.positions).all()
    assert scene.triangles.shape == (triangles, 3)
    assert scene.triangles.dtype == np.int32
    assert triangles > 0
    assert 0 <= scene.triangles.min() <= scene.triangles.max() < vertices
    assert scene.material_ids.shape == (triangles,)
    assert 0 <= scene.material_ids.min() <= scene.material_ids.max() < len(scene.materials)
    _check_looks(scene, vertices, triangles)
    for thing in (*scene.objects, *scene.regions):
        for vector in (getattr(thing, name, ()) for name in ("center", "size", "low", "high")):
            assert np.isfinite(vector).all(), f"{thing} is not finite"


def _draw(scene: Scene) -> None:
    """From the middle of a small scene, and from above it."""
    if len(scene.triangles) > 2000 or sum(texture.size for texture in scene.textures) > 1 << 20:
        return
    low, high = (bound.astype(float) for bound in (scene.positions.min(axis=0), scene.positions.max(axis=0)))
    with np.errstate(all="ignore"):
        renderer = make_renderer("cpu", prepare(scene, cache=False), width=24, height=16, outputs=OUTPUTS)
        for place in ((low + high) / 2, np.array([low[0], high[1] + 1.0, high[2]])):
            depth = renderer.render(place, 0.5, -0.4).depth
            assert np.isfinite(depth).all()
        renderer.close()


def _check_looks(scene: Scene, vertices: int, triangles: int) -> None:
    if scene.uvs is not None:
        assert scene.uvs.shape == (vertices, 2)
        assert scene.uvs.dtype == np.float32
        assert np.isfinite(scene.uvs).all()
    if scene.colors is not None:
        assert scene.colors.shape == (vertices, 4)
        assert scene.colors.dtype == np.uint8
    if scene.object_ids is not None:
        assert scene.object_ids.shape == (triangles,)
        assert scene.object_ids.dtype == np.int32
        assert scene.object_ids.min() >= 0
    for material in scene.materials:
        assert -1 <= material.texture < len(scene.textures)
        assert np.isfinite([*material.base_color, material.alpha_cutoff]).all(), f"{material} is not finite"
    for texture in scene.textures:
        assert texture.dtype == np.uint8
        assert texture.shape[2:] == (4,)
        assert texture.size > 0


def _peak() -> int:
    """The most bytes that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fuzz_")


@contextmanager
def _folder() -> Iterator[Path]:
    """An empty folder, the same each time."""
    folder = Path(_place().name)
    for path in folder.iterdir():
        path.unlink()
    yield folder


def _ascii_ply() -> bytes:
    return b"""ply
format ascii 1.0
comment TextureFile a.png
element vertex 4
property float x
property float y
property float z
property float s
property float t
property float red
property float green
property float blue
element face 2
property list uchar int vertex_indices
end_header
0 0 0 0 0 1 0 0
1 0 0 1 0 0 1 0
1 1 0 1 1 0 0 1
0 1 0 0 1 1 1 1
3 0 1 2
4 0 1 2 3
"""


def _annotated() -> bytes:
    return semantic_ply(POINTS, FACES, [3, 3, 1, -1])


def _dataset_config() -> bytes:
    stages = {"default_attributes": {"up": [0, 0, 1], "front": [0, 1, 0]}, "paths": {".glb": ["room.*"]}}
    return json.dumps({"stages": stages}).encode()


def _sidecar() -> bytes:
    objects = [{"id": 1, "category": "chair", "region": 2}, {"id": 3, "category": "x", "center": [0, 1, 2]}]
    return json.dumps({"objects": objects, "regions": [{"id": 2, "category": "kitchen", "storey": 1}]}).encode()


def _gltf() -> dict[str, bytes]:
    """A document with its buffer beside it, and one in a data URI."""
    made = simple()
    made.json["buffers"] = [{"byteLength": len(made.buffer), "uri": "a.bin"}]
    made.json["images"] = [{"uri": "data:image/png;base64," + base64.b64encode(encoded(PIXELS)).decode()}]
    made.json["textures"] = [{"source": 0}]
    made.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}}, alphaMode="BLEND")
    return {"room.gltf": json.dumps(made.json).encode(), "a.bin": bytes(made.buffer)}


def _textured(kind: str) -> bytes:
    made = simple()
    made.material(pbrMetallicRoughness={"baseColorTexture": {"index": made.image(PIXELS, kind)}})
    return made.bytes()


def _draco() -> bytes:
    import DracoPy

    made = Glb()
    points = POINTS[FACES].reshape(-1, 3)
    packed = DracoPy.encode(points, np.arange(len(points)).reshape(-1, 3))
    accessor = made.accessor(points)
    extension = {"bufferView": made.view(packed), "attributes": {"POSITION": 0}}
    made.node(mesh=made.mesh({"POSITION": accessor}, accessor, extensions={"KHR_draco_mesh_compression": extension}))
    return made.bytes()


def _meshopt(vector: dict[str, Any]) -> bytes:
    """The stream as the positions or the indices of a mesh, whether that makes sense or not."""
    made = simple()
    packed = base64.b64decode(vector["encoded"])
    view = made.view(packed)
    names = {"count": vector["count"], "byteStride": vector["stride"], "mode": vector["mode"]}
    made.json["bufferViews"][view]["extensions"] = {
        "EXT_meshopt_compression": {**made.json["bufferViews"][view], **names, "filter": vector["filter"]}
    }
    shapes = {2: (5123, "SCALAR"), 4: (5125, "SCALAR"), 8: (5122, "VEC4"), 12: (5126, "VEC3"), 16: (5126, "VEC4")}
    kind, width = shapes.get(vector["stride"], (5121, "VEC4"))
    made.json["accessors"].append({"bufferView": view, "componentType": kind, "type": width, "count": vector["count"]})
    primitive = made.json["meshes"][0]["primitives"][0]
    if vector["mode"] == "ATTRIBUTES":
        primitive["attributes"]["COLOR_0"] = len(made.json["accessors"]) - 1
    else:
        primitive["attributes"]["POSITION"] = made.accessor(np.zeros((600, 3), np.float32))
        primitive["indices"] = len(made.json["accessors"]) - 2
    return made.bytes()


def _ktx2() -> dict[str, bytes]:
    """A Basis texture where both extras are there; a plain file where they are not."""
    if not (find_spec("opengl_basisu") and find_spec("alktx2")):
        return {"room.glb": simple().bytes()}
    import alktx2

    made = simple()
    packed = alktx2.encode_bytes_to_ktx2(encoded(np.tile(PIXELS, (4, 4, 1))), mime="image/png", codec="etc1s")
    made.json["images"] = [{"bufferView": made.view(packed), "mimeType": "image/ktx2"}]
    made.json["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
    made.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    return {"room.glb": made.bytes()}
