"""Textures: encoded images to (H, W, 4) uint8 sRGB, with a limit on size before a pixel is decoded."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nav_eval.errors import SceneError
from nav_eval.simulator.scene.ktx2 import KTX2_MAGIC, decode_ktx2

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MAX_PIXELS = 1 << 27
"""Of one image: 512 MiB decoded."""
MAX_TOTAL_PIXELS = 1 << 30
FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "BMP", "TGA", "TIFF", "GIF", "DDS")


def decode_images(encoded: Sequence[tuple[bytes, str]]) -> tuple[NDArray[np.uint8], ...]:
    """Decode in threads (the decoders release the GIL). Each item: the file's bytes, and a name for errors."""
    sizes = [image_size(data, where) for data, where in encoded]
    total = sum(width * height for width, height in sizes)
    if total > MAX_TOTAL_PIXELS:
        raise SceneError(f"{encoded[0][1]}: all textures hold {total} pixels; at most {MAX_TOTAL_PIXELS} are read.")
    with ThreadPoolExecutor(max_workers=4) as pool:
        return tuple(pool.map(lambda item: decode_image(*item), encoded))


def image_size(data: bytes, where: str) -> tuple[int, int]:
    """(width, height) from the header; SceneError if it is no image, or an absurdly large one."""
    if data[:12] == KTX2_MAGIC:
        width, height = (int.from_bytes(data[at : at + 4], "little") for at in (20, 24))
    else:
        width, height = _open(data, where).size
    if width * height > MAX_PIXELS or not width * height:
        raise SceneError(f"{where}: {width} x {height} pixels; 1 to {MAX_PIXELS} are read. Scale the texture.")
    return width, height


def decode_image(data: bytes, where: str) -> NDArray[np.uint8]:
    """(H, W, 4) uint8; SceneError if the data are damaged or of a format that this installation cannot read."""
    image_size(data, where)
    if data[:12] == KTX2_MAGIC:
        return decode_ktx2(data, where)
    image = _open(data, where)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pixels = np.array(_to_rgba(image), np.uint8)
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # our own limit on pixels is the stricter one, and an error
            return Image.open(io.BytesIO(data), formats=FORMATS)
    except (Image.DecompressionBombError, OSError, ValueError, SyntaxError, EOFError, TypeError) as error:
        raise SceneError(f"{where}: not an image that nav_eval reads ({error}). Use PNG, JPEG or WebP.") from error
