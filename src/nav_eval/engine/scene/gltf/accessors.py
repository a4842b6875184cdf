"""Accessors: typed arrays inside buffers, with strides, normalised integers and sparse corrections.

Source: glTF 2.0 specification, section 3.6.2; KHR_mesh_quantization for the component types of attributes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.gltf.container import GltfFile
from nav_eval.engine.scene.gltf.schema import Accessor

MAX_ELEMENTS = 1 << 27
MAX_ZEROS = 1 << 14
"""Of an accessor that has no bytes, and so costs its file nothing."""
_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def read_accessor(file: GltfFile, index: int) -> NDArray[Any]:
    """(count, width) array of the stored type; floats from normalised integers.

    Width 1 for scalars.
    """
    accessor = file.at(file.document.accessors, index, "accessor")
    return normalise(read_raw(file, index), accessor.normalized)


def read_raw(file: GltfFile, index: int) -> NDArray[Any]:
    """(count, width) array as stored; a view into the file's bytes where nothing had to change.

    Width 1 for scalars.
    """
    accessor = file.at(file.document.accessors, index, "accessor")
    dtype, width = _layout(file, index, accessor)
    if accessor.count > MAX_ELEMENTS:
        raise file.error(f"accessor {index} claims {accessor.count} elements; at most {MAX_ELEMENTS} are read.")
    if accessor.buffer_view is None:
        if accessor.count > MAX_ZEROS:
            raise file.error(f"accessor {index} claims {accessor.count} elements without a bufferView for them.")
        values = np.zeros((accessor.count, width), dtype)
    else:
        values = _read_strided(
            file, accessor.buffer_view, accessor.byte_offset, accessor.count, dtype, width, f"accessor {index}"
        )
    return values if accessor.sparse is None else _correct(file, index, accessor, values)


def normalise(values: NDArray[Any], normalized: bool) -> NDArray[Any]:
    """Integers to [0, 1] or [-1, 1] when `normalized`, per the specification's equations, in float32. Any shape."""
    if not normalized or values.dtype.kind == "f":
        return values
    scaled = values.astype(np.float32) / np.float32(np.iinfo(values.dtype).max)
    return np.maximum(scaled, np.float32(-1.0)) if values.dtype.kind == "i" else scaled


def _layout(file: GltfFile, index: int, accessor: Accessor) -> tuple[np.dtype[Any], int]:
    if accessor.component_type not in _COMPONENTS or accessor.type not in _WIDTHS:
        raise file.error(
            f"accessor {index} has type {accessor.type!r} of component type {accessor.component_type}, "
            "which a mesh cannot use."
        )
    return np.dtype(_COMPONENTS[accessor.component_type]), _WIDTHS[accessor.type]


def _read_strided(
    file: GltfFile, view_index: int, offset: int, count: int, dtype: np.dtype[Any], width: int, what: str
) -> NDArray[Any]:
    data, view = file.view(view_index)
    element = dtype.itemsize * width
    stride = view.byte_stride or element
    end = offset + stride * (count - 1) + element if count else offset
    if end > len(data) or stride < element:
        raise file.error(f"{what} needs {end} bytes of bufferView {view_index}, which has {len(data)}.")
    if not count:
        return np.empty((0, width), dtype)
    raw = np.frombuffer(data, np.uint8, end - offset, offset)
    rows = np.lib.stride_tricks.as_strided(raw, (count, element), (stride, 1), writeable=False)
    return np.ascontiguousarray(rows).view(dtype)


def _correct(file: GltfFile, index: int, accessor: Accessor, values: NDArray[Any]) -> NDArray[Any]:
    sparse = accessor.sparse
    assert sparse is not None
    if sparse.indices.component_type not in (5121, 5123, 5125):
        raise file.error(f"accessor {index} has sparse indices of type {sparse.indices.component_type}.")
    dtype = np.dtype(_COMPONENTS[sparse.indices.component_type])
    what = f"accessor {index} (sparse)"
    where = _read_strided(file, sparse.indices.buffer_view, sparse.indices.byte_offset, sparse.count, dtype, 1, what)
    new = _read_strided(
        file, sparse.values.buffer_view, sparse.values.byte_offset, sparse.count, values.dtype, values.shape[1], what
    )
    if sparse.count and int(where.max()) >= accessor.count:
        raise file.error(f"accessor {index} has a sparse index past its {accessor.count} elements.")
    corrected = values.copy()
    corrected[where[:, 0]] = new
    return corrected
