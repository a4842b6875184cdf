"""The glTF reader: against trimesh on real files, and against the specification on small made ones."""

from __future__ import annotations

import base64
import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.scene.made import SQUARE, TRIANGLE, Glb, encoded, glb, simple
from nav_eval.engine.scene import Scene, load_scene
from nav_eval.errors import SceneError

SCENES = ["gz_cafe", "gz_aws_small_house_collision", "ifc_LargeBuilding_nodoors", "three_pathfinding_level"]


def load(made: Glb, folder: Path) -> Scene:
    return load_scene(made.save(folder / "made.glb"))


def corners(scene: Scene) -> NDArray[np.float32]:
    return scene.positions[scene.triangles]


@pytest.mark.parametrize("name", [*SCENES, "house_200k", "gz_aws_small_house"])
def test_real_files_hold_what_trimesh_reads(released: Path, name: str) -> None:
    trimesh = pytest.importorskip("trimesh")
    path = released / "scenes" / f"{name}.glb"
    theirs = trimesh.load(path, process=False, maintain_order=True, skip_materials=name.startswith("gz_aws"))
    ours = load_scene(path)
    positions, faces, uvs = [], [], []
    start = 0
    data = path.read_bytes()
    document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    for node in [node["name"] for node in document["nodes"]]:
        matrix, key = theirs.graph[node]
        mesh = theirs.geometry[key]
        positions.append(mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3])
        faces.append(mesh.faces + start)
        start += len(mesh.vertices)
        uv = getattr(mesh.visual, "uv", None)
        uvs.append(np.zeros((len(mesh.vertices), 2)) if uv is None else uv * [1, -1] + [0, 1])
    np.testing.assert_array_equal(ours.triangles, np.concatenate(faces))
    np.testing.assert_allclose(ours.positions, np.concatenate(positions), atol=1e-6)
    if ours.uvs is not None and not name.startswith("gz_aws"):
        textured = [ours.materials[m].texture >= 0 for m in ours.material_ids]
        used = np.unique(ours.triangles[textured])
        np.testing.assert_allclose(ours.uvs[used], np.concatenate(uvs)[used], atol=1e-5)


def test_parity_scenes_keep_the_bits_of_the_file(released: Path) -> None:
    """Identity transforms leave float32 positions untouched, in the order of nodes and primitives."""
    path = released / "scenes" / "ifc_LargeBuilding_nodoors.glb"
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    document = json.loads(data[20 : 20 + length])
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    offset = 20 + length + 8 + document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0)
    raw = np.frombuffer(data, "<f4", accessor["count"] * 3, offset + accessor.get("byteOffset", 0))
    assert load_scene(path).positions.tobytes() == raw.tobytes()


def test_transforms_are_float32_in_magnums_order(tmp_path: Path) -> None:
    """Element by element: from zero, column by column, rounded to float32 after each product and each sum."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(9, 3)).astype(np.float32)
    parent, child = (np.vstack([rng.normal(size=(3, 4)), [0, 0, 0, 1]]).astype(np.float32) for _ in range(2))
    made = Glb()
    mesh = made.mesh({"POSITION": made.accessor(points)})
    made.node(children=[1], matrix=parent.T.ravel().tolist())
    made.node(mesh=mesh, matrix=child.T.ravel().tolist())
    made.json["scenes"] = [{"nodes": [0]}]
    world = [[np.float32(0)] * 4 for _ in range(4)]
    for row, column, inner in product(range(4), repeat=3):
        world[row][column] += parent[row, inner] * child[inner, column]
    expected = np.zeros_like(points)
    for number, row, inner in product(range(9), range(3), range(4)):
        expected[number, row] += world[row][inner] * [*points[number], np.float32(1)][inner]
    assert load(made, tmp_path).positions.tobytes() == expected.tobytes()


def test_translation_rotation_scale_and_children(tmp_path: Path) -> None:
    made = Glb()
    mesh = made.mesh({"POSITION": made.accessor(TRIANGLE)})
    half = math.sqrt(0.5)
    made.node(children=[1], translation=[10, 0, 0], rotation=[0, half, 0, half])  # +90 degrees about y
    made.node(mesh=mesh, scale=[2, 3, 4], translation=[0, 1, 0])
    made.node(mesh=mesh, name="not in the scene")
    made.json["scenes"], made.json["scene"] = [{"nodes": []}, {"nodes": [0]}], 1
    np.testing.assert_allclose(load(made, tmp_path).positions, [[10, 1, 0], [10, 1, -2], [10, 4, 0]], atol=1e-6)


def test_a_mirrored_node_keeps_its_faces_outward(tmp_path: Path) -> None:
    made = simple(TRIANGLE, [[0, 1, 2]])
    made.json["nodes"][0]["scale"] = [-1, 1, 1]
    a, b, c = corners(load(made, tmp_path))[0]
    np.testing.assert_array_equal(np.cross(b - a, c - a), [0, 0, 1])


@pytest.mark.parametrize(
    ("mode", "indices", "expected"),
    [
        (4, None, [[0, 1, 2]]),
        (4, [2, 1, 0, 1, 2, 3], [[2, 1, 0], [1, 2, 3]]),
        (5, [0, 1, 2, 3], [[0, 1, 2], [1, 3, 2]]),
        (6, [0, 1, 2, 3], [[1, 2, 0], [2, 3, 0]]),
        (5, None, [[0, 1, 2], [1, 3, 2]]),
        (4, [0, 1, 2, 3], [[0, 1, 2]]),
    ],
)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_lists_strips_and_fans(
    tmp_path: Path, mode: int, indices: list[int] | None, expected: list[list[int]], dtype: Any
) -> None:
    made = Glb()
    positions = TRIANGLE if mode == 4 and indices is None else SQUARE
    own = None if indices is None else made.accessor(np.array(indices, dtype))
    made.node(mesh=made.mesh({"POSITION": made.accessor(positions)}, own, mode=mode))
    scene = load(made, tmp_path)
    assert sorted(map(sorted, scene.triangles.tolist())) == sorted(map(sorted, expected))
    normals = np.cross(corners(scene)[:, 1] - corners(scene)[:, 0], corners(scene)[:, 2] - corners(scene)[:, 0])
    wanted = SQUARE[np.array(expected)]
    np.testing.assert_array_equal(normals, np.cross(wanted[:, 1] - wanted[:, 0], wanted[:, 2] - wanted[:, 0]))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([[255, 0, 51], [0, 128, 255], [1, 2, 3]], np.uint8), [[255, 0, 51, 255], [0, 128, 255, 255]]),
        (np.array([[65535, 0, 13107, 32768]] * 3, np.uint16), [[255, 0, 51, 128]] * 2),
        (np.array([[1.5, -1.0, 0.2, 0.5]] * 3, np.float32), [[255, 0, 51, 128]] * 2),
    ],
)
def test_vertex_colours(tmp_path: Path, values: NDArray[Any], expected: list[list[int]]) -> None:
    made = Glb()
    colors = made.accessor(values, normalized=values.dtype.kind == "u")
    made.node(mesh=made.mesh({"POSITION": made.accessor(TRIANGLE), "COLOR_0": colors}))
    assert load(made, tmp_path).colors[:2].tolist() == expected  # type: ignore[index]


def test_quantised_interleaved_positions(tmp_path: Path) -> None:
    made = Glb()
    rows = np.zeros(4, [("p", "<i2", 4), ("t", "<u2", 2)])
    rows["p"][:, :3] = SQUARE * 32767
    rows["t"] = SQUARE[:, :2] * 65535
    made.json["accessors"] += [
        {"bufferView": 0, "componentType": 5122, "normalized": True, "count": 4, "type": "VEC3"},
        {"bufferView": 0, "componentType": 5123, "normalized": True, "count": 4, "type": "VEC2", "byteOffset": 8},
    ]
    made.view(rows.tobytes(), byteStride=12)
    made.textured(np.zeros((2, 2, 3), np.uint8))
    indices = made.accessor(np.array([0, 1, 2], np.uint8))
    made.node(mesh=made.mesh({"POSITION": 0, "TEXCOORD_0": 1}, indices, material=0), scale=[2, 2, 2])
    made.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    scene = load(made, tmp_path)
    np.testing.assert_array_equal(scene.positions, SQUARE * 2)
    np.testing.assert_array_equal(scene.uvs, SQUARE[:, :2])  # type: ignore[arg-type]


def test_sparse_accessors_with_and_without_a_base(tmp_path: Path) -> None:
    made = Glb()
    sparse = {
        "count": 2,
        "indices": {"bufferView": made.view(np.array([1, 2], np.uint16).tobytes()), "componentType": 5123},
        "values": {"bufferView": made.view(np.array([[5, 0, 0], [0, 6, 0]], np.float32).tobytes())},
    }
    made.json["accessors"].append({"componentType": 5126, "count": 3, "type": "VEC3", "sparse": sparse})
    made.node(mesh=made.mesh({"POSITION": 0}))
    made.node(mesh=made.mesh({"POSITION": made.accessor(TRIANGLE + 9, sparse=sparse)}))
    positions = load(made, tmp_path).positions
    np.testing.assert_array_equal(positions[:3], [[0, 0, 0], [5, 0, 0], [0, 6, 0]])
    np.testing.assert_array_equal(positions[3:], [[9, 9, 9], [5, 0, 0], [0, 6, 0]])


def test_materials(tmp_path: Path) -> None:
    made = Glb()
    red, blue = (np.full((2, 3, 3), color, np.uint8) for color in ((255, 0, 0), (0, 0, 255)))
    made.json["samplers"] = [{"wrapS": 33071, "wrapT": 33648}]
    first, second = made.image(red), made.image(blue)
    made.json["textures"][second]["sampler"] = 0
    made.material(name="unused")
    made.material(
        pbrMetallicRoughness={"baseColorFactor": [0.5, 0.25, 0, 1], "baseColorTexture": {"index": second}},
        alphaMode="MASK",
        alphaCutoff=0.3,
        doubleSided=True,
        extensions={"KHR_materials_unlit": {}},
    )
    made.material(emissiveTexture={"index": first}, alphaMode="BLEND")
    made.material(extensions={"KHR_materials_pbrSpecularGlossiness": {"diffuseFactor": [0, 1, 0, 1]}})
    position, uv = made.accessor(TRIANGLE), made.accessor(TRIANGLE[:, :2])
    for material in (1, 2, 3):
        made.node(mesh=made.mesh({"POSITION": position, "TEXCOORD_0": uv}, material=material))
    made.node(mesh=made.mesh({"POSITION": position}))
    made.json["extensionsRequired"] = ["KHR_materials_unlit"]
    scene = load(made, tmp_path)
    masked, emissive, green, default = (scene.materials[scene.material_ids[i]] for i in range(4))
    assert (masked.base_color, masked.alpha_mode, masked.alpha_cutoff) == ((0.5, 0.25, 0, 1), "mask", 0.3)
    assert masked.double_sided
    assert masked.wrap == ("clamp", "mirror")
    assert scene.textures[masked.texture][0, 0].tolist() == [0, 0, 255, 255]
    assert scene.textures[emissive.texture].shape == (2, 3, 4)
    assert emissive.alpha_mode == "blend"
    assert green.base_color == (0, 1, 0, 1)
    assert default.texture == -1
    assert any("emissive" in note for note in scene.notes)


def test_a_lightmap_has_coordinates_of_its_own(tmp_path: Path) -> None:
    made = Glb()
    colour, light = (made.image(np.full((2, side, 3), side, np.uint8)) for side in (3, 5))
    extension = {"NAV_EVAL_lightmap": {"texture": {"index": light, "texCoord": 1}}}
    made.material(pbrMetallicRoughness={"baseColorTexture": {"index": colour}}, extensions=extension)
    made.material(pbrMetallicRoughness={"baseColorTexture": {"index": colour}})
    uvs = np.array([[0.3, 0.7], [1, 0], [0, 1]], np.float32)
    attributes = {"POSITION": made.accessor(TRIANGLE), "TEXCOORD_0": made.accessor(uvs)}
    made.node(mesh=made.mesh(attributes | {"TEXCOORD_1": made.accessor(uvs / 2)}, material=0))
    made.node(mesh=made.mesh(attributes, material=1))
    made.json["extensionsRequired"] = ["NAV_EVAL_lightmap"]
    scene = load(made, tmp_path)
    lit, plain = scene.materials[:2]
    assert (lit.lightmap, plain.lightmap) == (1, -1)
    assert scene.textures[lit.lightmap].shape == (2, 5, 4)
    np.testing.assert_array_equal([scene.uvs, scene.light_uvs], [[*uvs, *uvs], [*uvs / 2, *uvs * 0]])


def test_texture_transform_is_that_of_three_js(tmp_path: Path) -> None:
    """Reference: three.js Matrix3.setUvTransform (scale is uniform here, where orders agree)."""
    made = Glb()
    transform = {"offset": [0.1, 0.2], "rotation": 0.4, "scale": [1.5, 1.5], "texCoord": 1}
    info = {"index": made.image(np.zeros((2, 2, 3), np.uint8)), "extensions": {"KHR_texture_transform": transform}}
    made.material(pbrMetallicRoughness={"baseColorTexture": info})
    uvs = np.array([[0.3, 0.7], [1, 0], [0, 1]], np.float32)
    attributes = {"POSITION": made.accessor(TRIANGLE), "TEXCOORD_1": made.accessor(uvs)}
    made.node(mesh=made.mesh(attributes, material=0))
    c, s = math.cos(0.4), math.sin(0.4)
    matrix = np.array([[1.5 * c, 1.5 * s], [-1.5 * s, 1.5 * c]])
    scene: Any = load(made, tmp_path)
    np.testing.assert_allclose(scene.uvs, uvs @ matrix.T + [0.1, 0.2], atol=1e-6)


@pytest.mark.parametrize(("kind", "extension"), [("PNG", ""), ("JPEG", ""), ("WEBP", "EXT_texture_webp")])
def test_picture_formats(tmp_path: Path, kind: str, extension: str) -> None:
    pixels = np.zeros((8, 16, 3), np.uint8)
    pixels[:, 8:] = (200, 100, 50)
    made = simple()
    made.json["meshes"][0]["primitives"][0]["material"] = made.textured(pixels, kind, extension)
    texture = load(made, tmp_path).textures[0]
    assert texture.shape == (8, 16, 4)
    np.testing.assert_allclose(texture[4, 12].astype(int), [200, 100, 50, 255], atol=8)


def test_buffers_in_data_uris_and_files_with_odd_names(tmp_path: Path) -> None:
    made = simple()
    document = made.json
    made.bytes()
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(made.buffer).decode()
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    document["buffers"][0]["uri"] = "h%C3%A4user/b%20in.bin"
    (tmp_path / "häuser").mkdir()
    (tmp_path / "häuser" / "b in.bin").write_bytes(made.buffer)
    (tmp_path / "b.gltf").write_text(json.dumps(document))
    inside, outside = load_scene(tmp_path / "a.gltf"), load_scene(tmp_path / "b.gltf")
    np.testing.assert_array_equal(inside.positions, outside.positions)
    assert inside.digest != outside.digest


def test_gpu_instances(tmp_path: Path) -> None:
    made = Glb()
    mesh = made.mesh({"POSITION": made.accessor(TRIANGLE)})
    places = made.accessor(np.array([[1, 0, 0], [0, 5, 0]], np.float32))
    sizes = made.accessor(np.array([[2, 2, 2], [1, 1, 1]], np.float32))
    instancing = {"attributes": {"TRANSLATION": places, "SCALE": sizes}}
    made.node(mesh=mesh, extensions={"EXT_mesh_gpu_instancing": instancing}, translation=[0, 0, 3])
    expected = np.concatenate([TRIANGLE * 2 + np.array([1, 0, 3]), TRIANGLE + np.array([0, 5, 3])])
    np.testing.assert_array_equal(load(made, tmp_path).positions, expected)


def test_object_ids_of_primitive_mesh_node_and_vertices(tmp_path: Path) -> None:
    made = Glb()
    position = made.accessor(TRIANGLE)
    own = made.mesh({"POSITION": position}, extras={"object_id": 7})
    plain = made.mesh({"POSITION": position})
    vertices = made.mesh({"POSITION": position, "_OBJECT_ID": made.accessor(np.array([5, 5, 5], np.uint16))})
    named = made.mesh({"POSITION": position})
    made.json["meshes"][named]["extras"] = {"object_id": 4}
    made.node(mesh=own, extras={"object_id": 9})
    made.node(mesh=plain, extras={"object_id": 9})
    made.node(mesh=vertices)
    made.node(mesh=named)
    made.node(mesh=plain, extras={"object_id": "nine"})
    assert load(made, tmp_path).object_ids.tolist() == [7, 9, 5, 4, 0]  # type: ignore[union-attr]
    assert load(simple(), tmp_path).object_ids is None


def test_arrays_are_read_only_and_typed(tmp_path: Path) -> None:
    scene = load(simple(), tmp_path)
    assert (scene.name, scene.positions.dtype, scene.triangles.dtype) == ("made", np.float32, np.int32)
    with pytest.raises(ValueError):
        scene.positions[0, 0] = 1.0


def test_points_and_lines_are_left_out_with_notes_that_stay_readable(tmp_path: Path) -> None:
    made = simple()
    points = made.accessor(SQUARE)
    for _ in range(30):
        made.node(mesh=made.mesh({"POSITION": points}, mode=0))
    scene = load(made, tmp_path)
    assert len(scene.triangles) == 2
    assert len(scene.notes) == 21
    assert "points or lines" in scene.notes[0]
    assert scene.notes[-1] == "and 10 more of the kind"


def broken(change: str) -> bytes:
    made = simple()
    document = made.json
    made.bytes()
    exec(change, {"document": document, "made": made, "math": math})
    return glb(json.dumps(document).encode(), bytes(made.buffer))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("document['accessors'][0]['count'] = 5", "bytes of bufferView"),
        ("document['accessors'][0]['count'] = -1", "count"),
        ("document['accessors'][0]['count'] = 10**15", "elements"),
        ("document['accessors'][0]['count'] = 10**15; del document['accessors'][0]['bufferView']", "elements"),
        ("document['accessors'][0]['componentType'] = 5130", "component type"),
        ("document['accessors'][0]['type'] = 'MAT4'", "MAT4"),
        ("document['accessors'][0]['type'] = 'VEC2'", "components"),
        ("document['accessors'][0]['bufferView'] = 77", "bufferView 77"),
        ("document['bufferViews'][0]['byteLength'] = 10**12", "reaches byte"),
        ("document['bufferViews'][0]['buffer'] = 3", "buffer 3"),
        ("document['buffers'][0]['byteLength'] = 10**9", "truncated"),
        ("document['buffers'][0]['uri'] = '../../etc/passwd'", "refuses the path"),
        ("document['buffers'][0]['uri'] = '/etc/passwd'", "refuses the path"),
        ("document['buffers'][0]['uri'] = 'a/%2e%2e/%2e%2e/b'", "refuses the path"),
        ("document['buffers'][0]['uri'] = 'C:\\\\b.bin'", "refuses the path"),
        ("document['buffers'][0]['uri'] = 'file:///etc/passwd'", "refuses the path"),
        ("document['buffers'][0]['uri'] = 'https://example.org/b.bin'", "refuses the path"),
        ("document['buffers'][0]['uri'] = 'gone.bin'", "no such file"),
        ("document['buffers'][0]['uri'] = 'data:;base64,???'", "data URI"),
        ("made.buffer[48:50] = b'\\xff\\xff'", "names vertex 65535"),
        ("document['nodes'][0]['children'] = [0]; document['scenes'] = [{'nodes': [0]}]", "ancestor"),
        ("document['nodes'] += [{'children': [0]}, {'children': [0]}]", "ancestor"),
        ("document['nodes'][0]['mesh'] = 5", "mesh 5"),
        ("document['nodes'][0]['matrix'] = [1, 2]", "matrix"),
        ("document['nodes'][0]['translation'] = [1, 2]", "translation"),
        ("document['nodes'] = []", "no triangles"),
        ("document['meshes'][0]['primitives'][0]['material'] = 0", "material 0"),
        ("document['meshes'][0]['primitives'][0]['mode'] = 1", "no triangles"),
        ("document['extensionsRequired'] = ['ACME_secret']", "ACME_secret"),
        ("document['asset']['version'] = '1.0'", "only 2.0"),
        ("document['scene'] = 4; document['scenes'] = [{}]", "scene 4"),
        ("document['images'] = [{'uri': '../x.png'}]; document['textures'] = [{'source': 0}];"
         "document['materials'] = [{'pbrMetallicRoughness': {'baseColorTexture': {'index': 0}}}]", "refuses"),
        ("document['meshes'] = 'none'", "meshes"),
    ],
)  # fmt: skip
def test_broken_and_hostile_files_give_one_clear_error(tmp_path: Path, change: str, said: str) -> None:
    path = tmp_path / "broken.glb"
    path.write_bytes(broken(change))
    with pytest.raises(SceneError, match=said) as caught:
        load_scene(path)
    assert "broken.glb" in str(caught.value) or "gone.bin" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 2


@pytest.mark.parametrize("length", [0, 3, 4, 12, 19, 30, 200, -1])
def test_truncated_glb(tmp_path: Path, length: int) -> None:
    path = tmp_path / "cut.glb"
    path.write_bytes(simple().bytes()[:length])
    with pytest.raises(SceneError):
        load_scene(path)


def test_other_containers(tmp_path: Path) -> None:
    path = tmp_path / "x.glb"
    data = simple().bytes()
    for other, said in ((data[:4] + b"\1" + data[5:], "version 1"), (b"PK\3\4" * 9, "glTF"), (b"{" * 99999, "glTF")):
        path.write_bytes(other)
        with pytest.raises(SceneError, match=said):
            load_scene(path)
    path.write_bytes(data + b"tail")
    assert any("4 bytes after" in note for note in load_scene(path).notes)
    for name, said in (("none.glb", "no such file"), ("x" * 300 + ".glb", "no such file"), ("x.gbl", "gbl")):
        with pytest.raises(SceneError, match=said):
            load_scene(tmp_path / name)


def test_a_bomb_of_a_picture_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    made = simple()
    png = bytearray(encoded(np.zeros((2, 2, 3), np.uint8)))
    png[16:24] = (60000).to_bytes(4, "big") * 2
    made.textured(bytes(png))
    with pytest.raises(SceneError, match="image 0"):
        load(made, tmp_path)


def with_sky(entries: Any, shape: tuple[int, ...] = (24, 4, 3), **scene: Any) -> Glb:
    """Six faces in one image."""
    made = simple()
    made.image(np.arange(np.prod(shape), dtype=np.uint8).reshape(shape))
    made.json["scenes"] = [{"nodes": [0], "extras": {"nav_eval_sky": entries}} | scene]
    return made


def test_faces_of_the_sky_lie_one_below_the_other(tmp_path: Path) -> None:
    sky: Any = load(with_sky([{"image": 0}, {"image": 0, "above": 2.5}]), tmp_path).sky
    assert sky.above == (0.0, 2.5)
    assert sky.faces.shape == (2, 6, 4, 4, 4)
    stored = np.arange(24 * 4 * 3, dtype=np.uint8).reshape(24, 4, 3)
    assert np.array_equal(sky.faces[1, 5, ..., :3], stored[20:])
    assert not sky.faces.flags.writeable


@pytest.mark.parametrize("extras", [None, 7, ["nav_eval_sky"], {"sky": "blue"}])
def test_other_extras_are_nobodys_sky(extras: Any, tmp_path: Path) -> None:
    assert load(with_sky(None, extras=extras), tmp_path).sky is None


DESCENDING = [{"image": 0, "above": 3.0}, {"image": 0, "above": 1.0}]


@pytest.mark.parametrize(
    "entries", ["blue", [], [{"image": 5}], [{"above": 1.0}], DESCENDING, [{"image": 0}] * 17, None]
)
def test_a_damaged_sky_is_refused(entries: Any, tmp_path: Path) -> None:
    """None: of a picture that is no column of six squares."""
    made = with_sky([{"image": 0}], (20, 4, 3)) if entries is None else with_sky(entries)
    with pytest.raises(SceneError, match=r"sky|image 5"):
        load(made, tmp_path)
