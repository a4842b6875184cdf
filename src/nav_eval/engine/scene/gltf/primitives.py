"""A mesh primitive to a Part in the mesh's own frame: indices, strips and fans, colours, texture coordinates, ids.

Source: glTF 2.0 specification, section 3.7.2. Object ids are nav_eval's own: `extras.object_id` of a primitive, mesh
or node, or the vertex attribute `_OBJECT_ID` (a triangle takes its first vertex's).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.assembly import MAX_ELEMENTS, Part, check_indices
from nav_eval.engine.scene.draco import decode_draco
from nav_eval.engine.scene.gltf.accessors import normalise, read_accessor, read_raw
from nav_eval.engine.scene.gltf.container import GltfFile
from nav_eval.engine.scene.gltf.materials import Look, UvSource
from nav_eval.engine.scene.gltf.schema import Primitive


def read_primitive(file: GltfFile, primitive: Primitive, look: Look, where: str) -> Part | None:
    """The primitive's triangles, or None (with a note) for points, lines and primitives without positions."""
    if primitive.mode not in (4, 5, 6) or "POSITION" not in primitive.attributes:
        what = "has no positions" if primitive.mode in (4, 5, 6) else "is made of points or lines"
        file.source.notes.append(f"{where} {what}: left out")
        return None
    if primitive.targets:
        file.source.notes.append(f"{where} has morph targets: shown in its rest shape")
    attributes, indices = _decode(file, primitive)
    positions = _floats(file, attributes, "POSITION", 3, where)
    triangles = _triangles(file, indices, primitive.mode, len(positions), where)
    material = len(look.materials) - 1 if primitive.material is None else primitive.material
    file.at(look.materials[:-1] if primitive.material is not None else look.materials, material, "material")
    look_of = look.materials[material]
    uvs, light_uvs = (
        _uvs(file, attributes, source[material], shown, len(positions), where)
        for source, shown in ((look.uv_sources, look_of.texture >= 0), (look.light_sources, look_of.lightmap >= 0))
    )
    return Part(
        positions,
        triangles,
        material,
        uvs,
        _colors(attributes.get("COLOR_0"), len(positions)),
        _ids(attributes.get("_OBJECT_ID"), triangles, len(positions)),
        light_uvs if look_of.lightmap >= 0 else None,
    )


def object_id(*extras: Any) -> int:
    """The first `object_id` among the extras of a primitive, its mesh and its node; 0 where none has one."""
    for extra in extras:
        found = extra.get("object_id") if isinstance(extra, dict) else None
        if isinstance(found, int) and 0 <= found < 2**31:
            return found
    return 0


def _decode(file: GltfFile, primitive: Primitive) -> tuple[dict[str, NDArray[Any]], NDArray[Any] | None]:
    """Attributes as (count, width) arrays by name, and indices as (n,), from accessors and from Draco."""
    packed = primitive.extensions.draco
    wanted = {
        name: index
        for name, index in primitive.attributes.items()
        if name in ("POSITION", "COLOR_0", "_OBJECT_ID") or name.startswith("TEXCOORD_")
    }
    if packed is None:
        attributes = {name: read_accessor(file, index) for name, index in wanted.items()}
        return attributes, None if primitive.indices is None else read_raw(file, primitive.indices)[:, 0]
    decoded, indices = _draco(file, packed.buffer_view, {n: i for n, i in packed.attributes.items() if n in wanted})
    for name, index in wanted.items():
        if name in decoded:
            accessor = file.at(file.document.accessors, index, "accessor")
            decoded[name] = normalise(decoded[name], accessor.normalized)
        else:
            decoded[name] = read_accessor(file, index)
    return decoded, indices


def _draco(file: GltfFile, view: int, attributes: dict[str, int]) -> tuple[dict[str, NDArray[Any]], NDArray[np.int32]]:
    try:
        return decode_draco(bytes(file.view(view)[0]), attributes)
    except ValueError as error:
        raise file.error(f"bufferView {view}: Draco data are damaged ({error}). Export the scene again.") from error


def _triangles(file: GltfFile, indices: NDArray[Any] | None, mode: int, vertices: int, where: str) -> NDArray[np.int32]:
    if vertices > MAX_ELEMENTS:
        raise file.error(f"{where} has {vertices} vertices; at most {MAX_ELEMENTS} are read.")
    if indices is None:
        indices = np.arange(vertices, dtype=np.int32)
    if indices.dtype.kind == "f":
        raise file.error(f"{where} has indices that are not integers. Export the scene again.")
    if mode == 4:
        if len(indices) % 3:
            file.source.notes.append(f"{where} ends in {len(indices) % 3} indices that make no triangle: left out")
        triangles = indices[: len(indices) // 3 * 3].reshape(-1, 3)
    else:
        triangles = indices[_strip(len(indices)) if mode == 5 else _fan(len(indices))]
    return check_indices(triangles, vertices, f"{file.source.path}: {where}")


def _strip(count: int) -> NDArray[np.int64]:
    first = np.arange(max(count - 2, 0))
    odd = first % 2
    return np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)


def _fan(count: int) -> NDArray[np.int64]:
    first = np.arange(1, max(count - 1, 1))
    return np.stack([first, first + 1, np.zeros_like(first)], axis=1)


def _floats(
    file: GltfFile, attributes: dict[str, NDArray[Any]], name: str, width: int, where: str
) -> NDArray[np.float32]:
    values = attributes[name]
    if values.shape[1] != width:
        raise file.error(f"{where}: {name} has {values.shape[1]} components; it needs {width}.")
    return values.astype(np.float32, copy=False)


def _uvs(
    file: GltfFile, attributes: dict[str, NDArray[Any]], source: UvSource, shown: bool, count: int, where: str
) -> NDArray[np.float32] | None:
    name = f"TEXCOORD_{source.set}"
    if name not in attributes:
        if shown:
            file.source.notes.append(f"{where} has a texture but no {name}: its corner is shown everywhere")
        return None
    uvs = _floats(file, attributes, name, 2, where)
    return source.apply(_same_length(uvs, count))


def _colors(stored: NDArray[Any] | None, count: int) -> NDArray[np.uint8] | None:
    if stored is None or stored.shape[1] not in (3, 4):
        return None
    if stored.dtype.kind != "f":
        stored = normalise(stored, True)
    colors = np.full((count, 4), 255, np.uint8)
    bounded = np.clip(np.nan_to_num(_same_length(stored, count)), 0.0, 1.0)
    colors[:, : stored.shape[1]] = np.rint(bounded * 255.0)
    return colors


def _ids(stored: NDArray[Any] | None, triangles: NDArray[np.int32], count: int) -> NDArray[np.int32] | int:
    if stored is None:
        return 0
    values = np.clip(np.nan_to_num(_same_length(stored, count)[:, 0]), 0, 2**31 - 128).astype(np.int32)
    ids: NDArray[np.int32] = values[triangles[:, 0]]
    return ids


def _same_length(values: NDArray[Any], count: int) -> NDArray[Any]:
    """Attributes of one primitive have one length by the specification; a short one is filled with zeros."""
    if len(values) >= count:
        return values[:count]
    return np.concatenate([values, np.zeros((count - len(values), values.shape[1]), values.dtype)])
