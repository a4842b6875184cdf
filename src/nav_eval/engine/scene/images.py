"""Textures: encoded images to (H, W, 4) uint8 sRGB, with a limit on size before a pixel is decoded."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.basis import basis_size, decode_basis, is_basis
from nav_eval.errors import SceneError

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MAX_PIXELS = 1 << 28
"""Of one image: some Gibson scenes have a single texture of 16384 x 16384."""
MAX_TOTAL_PIXELS = 1 << 29
"""Of all textures of a scene: 2 GiB decoded."""
LARGE_PIXELS = 1 << 26
"""Images beyond this are decoded one at a time."""
BOMB_PIXELS = 1 << 24
PIXELS_PER_BYTE = 4096
"""No picture of a scene is packed so densely; it is asked of images beyond BOMB_PIXELS."""
DAMAGE = (OSError, ValueError, SyntaxError, EOFError, TypeError, IndexError, KeyError, OverflowError, struct.error)
"""What Pillow raises for files that are damaged."""
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\r"
"""How a PNG begins: its signature, and the length of its header."""
FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "BMP", "TIFF", "GIF", "DDS", "TGA")


class Pictures(Sequence[NDArray[np.uint8]]):
    """Encoded pictures, each (H, W, 4) uint8 sRGB, all decoded when one is first looked at, and then kept.

    Nobody looks at those of a scene that the renderer finds in its cache, and decoding is the longest part of loading
    a scan. A damaged one raises SceneError when it is looked at; headers and sizes are checked at once. Each item: the
    file's bytes, and a name for errors. Pictures that together exceed MAX_TOTAL_PIXELS are halved until they fit, and
    `notes` says so.
    """

    def __init__(self, encoded: Sequence[tuple[bytes, str]], notes: list[str]) -> None:
        self._encoded = tuple(encoded)
        self._sizes = [width * height for width, height in (image_size(data, where) for data, where in encoded)]
        self._shrink = 1
        while self.pixels > MAX_TOTAL_PIXELS:
            self._shrink *= 2
        if self._shrink > 1:
            megapixels = sum(self._sizes) / 1e6
            notes.append(f"textures of {megapixels:.0f} megapixels are shown at 1/{self._shrink} of their resolution")

    @property
    def pixels(self) -> int:
        """Of all together."""
        return sum(self._sizes) // self._shrink**2

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, index: Any) -> Any:
        return self._decoded[index]

    @cached_property
    def _decoded(self) -> tuple[NDArray[np.uint8], ...]:
        """In threads: the decoders release the GIL."""
        one_by_one = max(self._sizes, default=0) > LARGE_PIXELS
        with ThreadPoolExecutor(max_workers=1 if one_by_one else 4) as pool:
            decoded = tuple(pool.map(lambda item: decode_image(item[0], item[1], self._shrink), self._encoded))
        for picture in decoded:
            picture.flags.writeable = False
        self._encoded = ()
        return decoded


def image_size(data: bytes, where: str) -> tuple[int, int]:
    """(width, height) from the header; SceneError if it is no image, or an absurdly large one."""
    width, height = basis_size(data, where) if is_basis(data) else _png_size(data) or _open(data, where).size
    if width * height > MAX_PIXELS or not width * height:
        raise SceneError(f"{where}: {width} x {height} pixels; 1 to {MAX_PIXELS} are read. Scale the texture.")
    if width * height > max(BOMB_PIXELS, PIXELS_PER_BYTE * len(data)):
        raise SceneError(
            f"{where}: {width} x {height} pixels in {len(data)} bytes cannot be a picture. Scale the texture."
        )
    return width, height


def _png_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) of a PNG whose header is whole; Pillow, which takes longer to import, says what else it is."""
    header = data[12:29]
    if data[:12] != PNG or header[:4] != b"IHDR" or data[29:33] != zlib.crc32(header).to_bytes(4):
        return None
    width, height = struct.unpack(">II", header[4:12])
    return width, height


def decode_image(data: bytes, where: str, shrink: int = 1) -> NDArray[np.uint8]:
    """(H, W, 4) uint8 sRGB, H and W divided by `shrink`; SceneError if the data are damaged or cannot be read here."""
    image_size(data, where)
    if is_basis(data):
        return np.ascontiguousarray(decode_basis(data, where)[::shrink, ::shrink])
    from PIL import Image

    image = _open(data, where)
    try:
        return np.asarray(_to_rgba(image if shrink == 1 else image.reduce(shrink)))
    except (*DAMAGE, MemoryError, Image.DecompressionBombError) as error:
        raise SceneError(f"{where}: the image is damaged ({error}). Export the texture again.") from error


def _to_rgba(image: Picture) -> Picture:
    if image.mode.startswith("I"):  # 16-bit grey: Pillow would clip it at 255
        from PIL import Image

        return Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)).convert("RGBA")
    return image.convert("RGBA")


def _open(data: bytes, where: str) -> Picture:
    """As PIL.Image.open, whose own guard against bombs is stricter than ours: it refuses Gibson's largest texture."""
    from PIL import Image

    try:
        for register in (Image.preinit, Image.init):  # most files need no more than the common formats
            register()
            for name in FORMATS:
                factory, accept = Image.OPEN.get(name, (None, None))
                if factory is not None and (accept is None or accept(data[:16]) is True):
                    return factory(io.BytesIO(data), "")
    except (*DAMAGE, Image.DecompressionBombError) as error:
        raise SceneError(f"{where}: not an image that nav_eval reads ({error}). Use PNG, JPEG or WebP.") from error
    raise SceneError(f"{where}: not an image that nav_eval reads. Use PNG, JPEG or WebP.")
