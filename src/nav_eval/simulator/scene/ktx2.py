"""KTX2 textures with a Basis Universal payload (KHR_texture_basisu), through the optional package opengl-basisu."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nav_eval.errors import SceneError

KTX2_MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"


def decode_ktx2(data: bytes, where: str) -> NDArray[np.uint8]:
    """The largest mip level as (H, W, 4) uint8; SceneError names the extra to install where it is missing."""
    try:
        import opengl_basisu
    except ImportError as error:
        raise SceneError(
            f"{where}: a KTX2/Basis texture needs the extra: pip install 'nav-eval[ktx2]'. "
            "Or convert the scene: gltf-transform ktxdecompress IN.glb OUT.glb"
        ) from error
    try:
        image = opengl_basisu.open(data).transcode(opengl_basisu.Target.RGBA8, level=0, face=0, layer=0)
    except (ValueError, IndexError, RuntimeError, MemoryError, OverflowError) as error:
        raise SceneError(f"{where}: the KTX2 texture cannot be decoded ({error}). Export it again.") from error
    return np.array(image.data, np.uint8)
