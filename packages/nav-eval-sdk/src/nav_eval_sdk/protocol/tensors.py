"""Arrays as bytes: raw, zstd, png (lossless) and, only where it is declared, jpeg.

A decoder is told what to expect and checks dtype, shape and size before it allocates; nothing is unpickled.
Bytes are little-endian and in C order. Decoded arrays are read-only, because raw ones share the message's memory.
PNG takes uint8 of 1, 3 or 4 channels and uint16 of one; any other array asked for in png goes as raw.
"""

from __future__ import annotations

import io
import math
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np

from nav_eval_sdk.errors import BadMessage
from nav_eval_sdk.protocol.messages import Tensor, TensorSpec

DTYPES = frozenset(
    ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
)
ENCODINGS = ("raw", "zstd", "png", "jpeg")
MAX_BYTES = 1 << 28
JPEG_QUALITY = 90


def has_zstd() -> bool:
    if sys.version_info >= (3, 14):
        return True
    return find_spec("backports") is not None and find_spec("backports.zstd") is not None


def accepted_encodings() -> tuple[str, ...]:
    """What this installation can decode."""
    return tuple(name for name in ENCODINGS if name != "zstd" or has_zstd())


def fitting(encoding: str, shape: tuple[int, ...], dtype: str) -> str:
    """`encoding`, or "raw" where such an array cannot be packed so."""
    if encoding in ("png", "jpeg") and _mode(shape, dtype, encoding) is None:
        return "raw"
    return encoding


def nbytes(spec: TensorSpec) -> int:
    """Size of the array; raises BadMessage for a dtype or a shape that nobody should allocate."""
    if spec.dtype not in DTYPES:
        raise BadMessage(f"dtype {spec.dtype[:40]!r} is not one of {', '.join(sorted(DTYPES))}.")
    if any(length < 0 for length in spec.shape) or len(spec.shape) > 8:
        raise BadMessage(f"shape {list(spec.shape)[:9]} is not a shape.")
    size = math.prod(spec.shape) * np.dtype(spec.dtype).itemsize
    if size > MAX_BYTES:
        raise BadMessage(f"{size} bytes are more than a tensor may have ({MAX_BYTES}).")
    return size


def encode(array: np.ndarray, encoding: str = "raw") -> Tensor:
    """`array` as a message; raw shares its memory."""
    array = np.asarray(array, order="C")
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
        array = array.astype(array.dtype.newbyteorder("<"))
    data = _PACK[encoding](array)
    return Tensor(dtype=array.dtype.name, shape=array.shape, encoding=encoding, data=data)


def decode(tensor: Tensor, spec: TensorSpec) -> np.ndarray:
    """The array, read-only; raises BadMessage where it is not what `spec` declares."""
    if (tensor.dtype, tuple(tensor.shape), tensor.encoding) != (spec.dtype, tuple(spec.shape), spec.encoding):
        raise BadMessage(
            f"{tensor.dtype[:20]}{list(tensor.shape)[:9]} as {tensor.encoding[:20]!r} was declared "
            f"as {spec.dtype[:20]}{list(spec.shape)[:9]} {spec.encoding[:20]!r}."
        )
    return unpack(tensor.data, spec)


def unpack(data: memoryview | bytes, spec: TensorSpec) -> np.ndarray:
    """The array in `data`, packed as `spec.encoding` says."""
    size = nbytes(spec)
    if spec.encoding not in _UNPACK:
        raise BadMessage(f"encoding {spec.encoding[:20]!r} is not one of {', '.join(ENCODINGS)}.")
    raw = _UNPACK[spec.encoding](data, spec, size)
    if len(raw) != size:
        raise BadMessage(f"{len(raw)} bytes, but {spec.dtype}{list(spec.shape)} takes {size}.")
    try:
        array = np.frombuffer(raw, np.dtype(spec.dtype).newbyteorder("<")).reshape(spec.shape)
    except ValueError as error:  # nothing, in dimensions beyond an array's
        raise BadMessage(f"shape {list(spec.shape)}: {error}.") from None
    array.flags.writeable = False
    return array


def _pack_raw(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")


def _pack_zstd(array: np.ndarray) -> memoryview:
    return memoryview(_zstd().compress(_pack_raw(array), level=1))


def _pack_image(array: np.ndarray, name: str, **options: Any) -> memoryview:
    from PIL import Image

    mode = _mode(array.shape, array.dtype.name, name)
    if mode is None:
        raise ValueError(f"{array.dtype.name}{list(array.shape)} does not go into {name}: use raw.")
    stream = io.BytesIO()
    Image.fromarray(array.reshape(array.shape[:2] if mode in ("L", "I;16") else array.shape)).save(
        stream, name, **options
    )
    return stream.getbuffer()


def _unpack_zstd(data: memoryview | bytes, spec: TensorSpec, size: int) -> bytes:
    if not has_zstd():
        raise BadMessage("zstd is not installed here: pip install 'nav-eval-sdk[zstd]', or send raw.")
    try:
        decompressor = _zstd().ZstdDecompressor()
        raw: bytes = decompressor.decompress(data, max_length=size + 1)
    except (_zstd().ZstdError, EOFError) as error:
        raise BadMessage(f"zstd: {error}.") from None
    return raw


def _unpack_image(data: memoryview | bytes, spec: TensorSpec, size: int) -> bytes:
    from PIL import Image

    mode = _mode(spec.shape, spec.dtype, spec.encoding)
    if mode is None:
        raise BadMessage(f"{spec.dtype}{list(spec.shape)} cannot be sent as {spec.encoding}.")
    try:
        with Image.open(io.BytesIO(data), formats=[spec.encoding]) as image:
            if (image.height, image.width) != tuple(spec.shape[:2]) or image.mode != mode:
                raise BadMessage(f"the image is {image.mode} {image.size}, declared was {mode} {spec.shape[:2]}.")
            return image.tobytes()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BadMessage(f"{spec.encoding}: {str(error)[:100]}.") from None


def _mode(shape: tuple[int, ...], dtype: str, encoding: str) -> str | None:
    """Pillow's name for such an image, or None."""
    if len(shape) not in (2, 3) or 0 in shape:
        return None
    channels = shape[2] if len(shape) == 3 else 1
    modes = {("uint8", 1): "L", ("uint8", 3): "RGB", ("uint8", 4): "RGBA", ("uint16", 1): "I;16"}
    mode = modes.get((dtype, channels))
    return None if encoding == "jpeg" and mode not in ("L", "RGB") else mode


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


_PACK: dict[str, Any] = {
    "raw": _pack_raw,
    "zstd": _pack_zstd,
    "png": lambda array: _pack_image(array, "png", compress_level=1),
    "jpeg": lambda array: _pack_image(array, "jpeg", quality=JPEG_QUALITY),
}
_UNPACK: dict[str, Any] = {
    "raw": lambda data, spec, size: data,
    "zstd": _unpack_zstd,
    "png": _unpack_image,
    "jpeg": _unpack_image,
}
