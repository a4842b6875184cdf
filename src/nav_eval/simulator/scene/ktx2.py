"""Placeholder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.errors import SceneError

KTX2_MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"


def decode_ktx2(data: bytes, where: str) -> NDArray[np.uint8]:
    raise SceneError(f"{where}: KTX2")
