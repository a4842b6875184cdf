"""Basis Universal textures through the optional package opengl-basisu: KTX2 (KHR_texture_basisu) and bare .basis.

HM3D ships bare .basis images (GOOGLE_texture_basis). They were made for Magnum, whose images begin at the bottom, and
its importer takes every .basis file so; we turn them over, as Habitat shows them. KTX2 begins at the top.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.errors import SceneError

_KTX2 = b"\xabKTX 20\xbb\r\n\x1a\n"
_BASIS = b"sB"


def is_basis(data: bytes) -> bool:
    """Whether the bytes begin like a KTX2 or a .basis file."""
    return data.startswith((_KTX2, _BASIS))


def basis_size(data: bytes, where: str) -> tuple[int, int]:
    """(width, height) of the largest mip level; SceneError as from decode_basis."""
    texture = _open(data, where)
    return int(texture.width), int(texture.height)


def decode_basis(data: bytes, where: str) -> NDArray[np.uint8]:
    """The largest mip level as (H, W, 4) uint8; SceneError names the extra to install where it is missing."""
    texture = _open(data, where)
    try:
        pixels = np.array(texture.transcode("rgba8", level=0, face=0, layer=0).data, np.uint8)
    except (ValueError, IndexError, RuntimeError, MemoryError, OverflowError) as error:
        raise _damage_error(where, error) from error
    return pixels if data.startswith(_KTX2) else np.ascontiguousarray(pixels[::-1])


def _open(data: bytes, where: str) -> Any:
    try:
        import opengl_basisu
    except ImportError as error:
        raise SceneError(
            f"{where}: a Basis/KTX2 texture needs the extra: pip install 'nav-eval[ktx2]'. "
            "Or convert the scene's textures to PNG or JPEG."
        ) from error
    try:
        return opengl_basisu.open(data)
    except (ValueError, IndexError, RuntimeError, MemoryError, OverflowError) as error:
        raise _damage_error(where, error) from error


def _damage_error(where: str, error: Exception) -> SceneError:
    return SceneError(f"{where}: the Basis/KTX2 texture cannot be decoded ({error}). Export it again.")
