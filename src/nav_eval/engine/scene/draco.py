"""Draco-compressed primitives (KHR_draco_mesh_compression), decoded by Google's library through DracoPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def decode_draco(data: bytes, attributes: dict[str, int]) -> tuple[dict[str, NDArray[Any]], NDArray[np.int32]]:
    """(count, width) arrays by name for `attributes` (name -> Draco's unique id), and flat triangle indices.

    ValueError if the data are damaged, hold no triangles or lack an attribute.

    Indices: (3 * T,).
    """
    import DracoPy

    try:
        mesh = DracoPy.decode(data)
    except (DracoPy.FileTypeException, RuntimeError, MemoryError, OverflowError, TypeError) as error:
        raise ValueError(str(error) or type(error).__name__) from error
    if not isinstance(mesh, DracoPy.DracoMesh):
        raise ValueError("a point cloud, not a mesh")
    stored = {attribute["unique_id"]: attribute["data"] for attribute in mesh.attributes}
    missing = [name for name, number in attributes.items() if stored.get(number) is None]
    if missing:
        raise ValueError(f"no attribute {missing[0]}")
    decoded = {name: _columns(np.asarray(stored[number])) for name, number in attributes.items()}
    return decoded, np.asarray(mesh.faces, np.int64).reshape(-1).astype(np.int32)


def _columns(values: NDArray[Any]) -> NDArray[Any]:
    return values.reshape(-1, 1) if values.ndim == 1 else values
