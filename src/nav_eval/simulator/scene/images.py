"""Textures: encoded images to (H, W, 4) uint8 sRGB, with a limit on size before a pixel is decoded."""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nav_eval.errors import SceneError
from nav_eval.simulator.scene.ktx2 import KTX2_MAGIC, decode_ktx2

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MAX_PIXELS = (1 << 28) // 3
"""Of one image: Pillow's own limit, beyond which it warns of a decompression bomb; 341 MiB decoded."""
MAX_TOTAL_PIXELS = 1 << 29
"""Of all textures of a scene: 2 GiB decoded."""
FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "BMP", "TGA", "TIFF", "GIF", "DDS")


def decode_images(encoded: Sequence[tuple[bytes, str]], notes: list[str]) -> tuple[NDArray[np.uint8], ...]:
    """Decode in threads (the decoders release the GIL). Each item: the file's bytes, and a name for errors.

    Textures that together exceed MAX_TOTAL_PIXELS are halved until they fit, and `notes` says so.
    """
    sizes = [image_size(data, where) for data, where in encoded]
    total = sum(width * height for width, height in sizes)
    shrink = 1
    while total // shrink**2 > MAX_TOTAL_PIXELS:
        shrink *= 2
    if shrink > 1:
        notes.append(f"textures of {total / 1e6:.0f} megapixels are shown at 1/{shrink} of their resolution")
    with ThreadPoolExecutor(max_workers=4) as pool:
        return tuple(pool.map(lambda item: decode_image(item[0], item[1], shrink), encoded))


def image_size(data: bytes, where: str) -> tuple[int, int]:
    """(width, height) from the header; SceneError if it is no image, or an absurdly large one."""
    if data[:12] == KTX2_MAGIC:
        width, height = (int.from_bytes(data[at : at + 4], "little") for at in (20, 24))
    else:
        width, height = _open(data, where).size
    if width * height > MAX_PIXELS or not width * height:
        raise SceneError(f"{where}: {width} x {height} pixels; 1 to {MAX_PIXELS} are read. Scale the texture.")
    return width, height


def decode_image(data: bytes, where: str, shrink: int = 1) -> NDArray[np.uint8]:
    """(H, W, 4) uint8, H and W divided by `shrink`; SceneError if the data are damaged or cannot be read here."""
    image_size(data, where)
    if data[:12] == KTX2_MAGIC:
        return np.ascontiguousarray(decode_ktx2(data, where)[::shrink, ::shrink])
    image = _open(data, where)
    try:
        pixels = np.array(_to_rgba(image if shrink == 1 else image.reduce(shrink)), np.uint8)
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError, MemoryError) as error:
        raise SceneError(f"{where}: the image is damaged ({error}). Export the texture again.") from error
    return pixels


def _to_rgba(image: Picture) -> Picture:
    if image.mode.startswith("I"):  # 16-bit grey: Pillow would clip it at 255
        from PIL import Image

        return Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)).convert("RGBA")
    return image.convert("RGBA")


def _open(data: bytes, where: str) -> Picture:
    from PIL import Image

    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except (
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,  # an exception where warnings are errors
        *(OSError, ValueError, SyntaxError, EOFError, TypeError),
    ) as error:
        raise SceneError(f"{where}: not an image that nav_eval reads ({error}). Use PNG, JPEG or WebP.") from error
