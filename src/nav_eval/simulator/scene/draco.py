"""Draco-compressed primitives (KHR_draco_mesh_compression), decoded by Google's library through DracoPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def decode_draco(data: bytes, attributes: dict[str, int]) -> tuple[dict[str, NDArray[Any]], NDArray[np.int32]]:
    """(count, width) arrays by name for `attributes` (name -> Draco's unique id), and flat triangle indices."""
    raise ValueError("not there yet")
