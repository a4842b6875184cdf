"""A glTF file to a Scene: walks the node tree and applies world transforms.

The arithmetic is float32 in the order of Magnum's matrices, on which Habitat stands: products are summed from the
first column on, without fused multiply-add. Only so do navmesh tiles come out equal to Habitat's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.assembly import MAX_ELEMENTS, Part, assemble
from nav_eval.engine.scene.gltf.accessors import read_accessor
from nav_eval.engine.scene.gltf.container import GltfFile
from nav_eval.engine.scene.gltf.materials import Look, read_look
from nav_eval.engine.scene.gltf.primitives import object_id, read_primitive
from nav_eval.engine.scene.gltf.schema import Node
from nav_eval.engine.scene.gltf.sky import read_sky
from nav_eval.engine.scene.scene import Scene
from nav_eval.engine.scene.source import SceneSource

Matrix = NDArray[np.float32]
MAX_INSTANCES = 1 << 20
IDENTITY: Matrix = np.eye(4, dtype=np.float32)


def load_gltf(source: SceneSource) -> Scene:
    """Read .glb or .gltf, in the file's own frame."""
    file = GltfFile(source)
    look = read_look(file)
    parts: list[Part] = []
    decoded: dict[int, list[tuple[Part, int]]] = {}
    vertices = 0
    with np.errstate(all="ignore"):
        for node, world in _mesh_nodes(file):
            mesh = _mesh(node)
            if mesh not in decoded:
                decoded[mesh] = list(_read_mesh(file, mesh, look))
            for part, own_id in decoded[mesh]:
                vertices = _count(file, vertices, part)
                parts.append(_place(part, world, own_id or object_id(node.extras)))
    scene = assemble(source.path.stem, parts, look.materials, look.textures, str(source.path))
    return replace(scene, sky=read_sky(file))


def _count(file: GltfFile, vertices: int, part: Part) -> int:
    """`vertices` and the part's, before more of them are kept than a scene may have."""
    vertices += len(part.positions)
    if max(vertices, len(part.triangles)) > MAX_ELEMENTS:
        raise file.error(f"more than {MAX_ELEMENTS} vertices. Split or decimate the scene.")
    return vertices


def _mesh(node: Node) -> int:
    assert node.mesh is not None
    return node.mesh


def _read_mesh(file: GltfFile, index: int, look: Look) -> Iterator[tuple[Part, int]]:
    mesh = file.at(file.document.meshes, index, "mesh")
    vertices = 0
    for number, primitive in enumerate(mesh.primitives):
        part = read_primitive(file, primitive, look, f"mesh {index}, primitive {number}")
        if part is not None:
            vertices = _count(file, vertices, part)
            yield part, object_id(primitive.extras, mesh.extras)


def _place(part: Part, world: Matrix, node_id: int) -> Part:
    mirrored = float(np.linalg.det(world[:3, :3].astype(np.float64))) < 0
    return Part(
        transform(part.positions, world),
        part.triangles[:, ::-1] if mirrored else part.triangles,
        part.material,
        part.uvs,
        part.colors,
        part.object_ids if not isinstance(part.object_ids, int) else node_id,
        part.light_uvs,
    )


def _mesh_nodes(file: GltfFile) -> Iterator[tuple[Node, Matrix]]:
    """Nodes with a mesh, depth first in the file's order, each with the matrix to the scene's frame."""
    nodes = file.document.nodes
    stack = [(index, IDENTITY) for index in reversed(_roots(file))]
    seen: set[int] = set()
    while stack:
        index, parent = stack.pop()
        node = file.at(nodes, index, "node")
        if index in seen:
            raise file.error(f"node {index} is its own ancestor, or has two parents. Export the scene again.")
        seen.add(index)
        world = product(parent, local_matrix(file, node, index))
        if node.mesh is not None:
            if node.skin is not None:
                file.source.notes.append(f"node {index} is skinned: shown in its rest pose")
            for instance in _instances(file, node):
                yield node, world if instance is None else product(world, instance)
        stack.extend((child, world) for child in reversed(node.children))


def _roots(file: GltfFile) -> list[int]:
    document = file.document
    if document.scenes:
        return file.at(document.scenes, document.scene or 0, "scene").nodes
    children = {child for node in document.nodes for child in node.children}
    return [index for index in range(len(document.nodes)) if index not in children]


def _instances(file: GltfFile, node: Node) -> Iterator[Matrix | None]:
    """One matrix per instance (EXT_mesh_gpu_instancing), or None for an ordinary node."""
    instancing = node.extensions.instancing
    if instancing is None:
        yield None
        return
    rows = {name: read_accessor(file, index) for name, index in instancing.attributes.items()}
    widths = {"TRANSLATION": 3, "ROTATION": 4, "SCALE": 3}
    rows = {name: values for name, values in rows.items() if values.shape[1] == widths.get(name)}
    count = min((len(values) for values in rows.values()), default=0)
    if count > MAX_INSTANCES:
        raise file.error(f"{count} instances of one mesh; at most {MAX_INSTANCES} are read.")
    for row in range(count):
        yield trs_matrix(*(rows[name][row].astype(np.float32) if name in rows else None for name in widths))


def local_matrix(file: GltfFile, node: Node, index: int) -> Matrix:
    """The node's own transform as a 4 x 4 float32 matrix. (4, 4), for column vectors."""
    if node.matrix is None:
        return trs_matrix(*(None if v is None else _vector(v) for v in (node.translation, node.rotation, node.scale)))
    if len(node.matrix) != 16:
        raise file.error(f"node {index} has a matrix of {len(node.matrix)} numbers; it needs 16.")
    return _vector(node.matrix).reshape(4, 4).T


def _vector(values: list[float] | tuple[float, ...]) -> NDArray[np.float32]:
    return np.array(values, np.float64).astype(np.float32)


def trs_matrix(
    translation: NDArray[np.float32] | None, rotation: NDArray[np.float32] | None, scale: NDArray[np.float32] | None
) -> Matrix:
    """Translation x rotation (quaternion x, y, z, w) x scaling, in float32. (4, 4), of (3,) metres, (4,) and (3,)."""
    matrix = IDENTITY.copy()
    if rotation is not None:
        matrix[:3, :3] = _rotation_matrix(rotation)
    if scale is not None:
        matrix[:3, :3] *= scale
    if translation is not None:
        matrix[:3, 3] = translation
    return matrix


def _rotation_matrix(quaternion: NDArray[np.float32]) -> NDArray[np.float32]:
    one, two = np.float32(1.0), np.float32(2.0)
    x, y, z, w = quaternion
    rows = [
        [one - two * (y * y) - two * (z * z), two * x * y - two * z * w, two * x * z + two * y * w],
        [two * x * y + two * z * w, one - two * (x * x) - two * (z * z), two * y * z - two * x * w],
        [two * x * z - two * y * w, two * y * z + two * x * w, one - two * (x * x) - two * (y * y)],
    ]
    return np.array(rows, np.float32)


def product(left: Matrix, right: Matrix) -> Matrix:
    """left x right, each element summed in float32 from the first column on. All (4, 4)."""
    terms = [left[:, k : k + 1] * right[k : k + 1, :] for k in range(4)]
    summed: Matrix = ((terms[0] + terms[1]) + terms[2]) + terms[3]
    return summed


def transform(points: NDArray[np.float32], matrix: Matrix) -> NDArray[np.float32]:
    """Points (N, 3) through a 4 x 4 matrix, in float32, summed x, y, z, 1."""
    if np.array_equal(matrix, IDENTITY):
        return points
    x, y, z = points[:, 0:1], points[:, 1:2], points[:, 2:3]
    turned: NDArray[np.float32] = ((matrix[:3, 0] * x + matrix[:3, 1] * y) + matrix[:3, 2] * z) + matrix[:3, 3]
    return turned
