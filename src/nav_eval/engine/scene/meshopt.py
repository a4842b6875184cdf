"""EXT_meshopt_compression and KHR_meshopt_compression: a compressed buffer view to the bytes it stands for.

Source: Khronos, KHR_meshopt_compression: the rules on stride and count, and appendix B (filters); the codecs
themselves are in meshopt_codecs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_BYTES = 1 << 30
_FAULTS = {-1: "the stream ends too early", -2: "bytes are left over", -3: "an unknown mode"}


def decode_view(data: memoryview, count: int, stride: int, mode: str, filter_name: str) -> memoryview:
    """count x stride bytes; ValueError says what is wrong with the stream or its description."""
    from nav_eval.engine.scene import meshopt_codecs

    if count * stride > MAX_BYTES:
        raise ValueError(f"{count} elements of {stride} bytes are more than {MAX_BYTES} bytes")
    stream = np.frombuffer(data, np.uint8)
    header = int(stream[0]) if len(stream) else -1
    if mode == "ATTRIBUTES":
        _require(header in (0xA0, 0xA1), f"attributes of version byte {header:#x}")
        _require(stride % 4 == 0 and 4 <= stride <= 256, f"attributes of {stride} bytes")
        values = np.empty((count, stride), np.uint8)
        _check(meshopt_codecs.attributes(stream, count, stride, header & 1, values))
        return _filtered(values, stride, filter_name)
    _require(stride in (2, 4), f"indices of {stride} bytes")
    out = np.empty(count, np.uint32)
    if mode == "TRIANGLES":
        _require(header == 0xE1 and count % 3 == 0, f"{count} triangle indices, version byte {header:#x}")
        _check(meshopt_codecs.triangles(stream, count, out))
    else:
        _require(mode == "INDICES" and header == 0xD1, f"mode {mode!r}, version byte {header:#x}")
        _check(meshopt_codecs.indices(stream, count, out))
    return _bytes(out.astype("<u2" if stride == 2 else "<u4"))


def _require(true: bool, what: str) -> None:
    if not true:
        raise ValueError(f"{what}: not what the specification allows")


def _check(status: int) -> None:
    if status:
        raise ValueError(_FAULTS[status])


def _filtered(values: NDArray[np.uint8], stride: int, name: str) -> memoryview:
    strides: dict[str, tuple[Callable[[NDArray[Any]], NDArray[Any]], bool]] = {
        "OCTAHEDRAL": (_octahedral, stride in (4, 8)),
        "QUATERNION": (_quaternion, stride == 8),
        "EXPONENTIAL": (_exponential, True),
        "COLOR": (_color, stride in (4, 8)),
    }
    if name == "NONE":
        return _bytes(values)
    _require(name in strides and strides[name][1], f"filter {name!r} on {stride} bytes")
    component = np.dtype("<i4" if name == "EXPONENTIAL" else f"<i{stride // 4}")
    with np.errstate(all="ignore"):
        filtered = strides[name][0](values.view(component))
    return _bytes(np.ascontiguousarray(filtered))


def _bytes(values: NDArray[Any]) -> memoryview:
    return memoryview(values.reshape(-1).view(np.uint8).data)


def _rounded(values: NDArray[Any], low: int, high: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Halves away from zero, as C's round."""
    whole = np.trunc(np.nan_to_num(values) + np.copysign(np.float32(0.5), values))
    limited: NDArray[Any] = np.clip(whole, low, high).astype(dtype)
    return limited


def _octahedral(stored: NDArray[Any]) -> NDArray[Any]:
    """x, y on the octahedron and a K-bit 1.0 to a unit vector; the fourth component passes through."""
    top = np.iinfo(stored.dtype).max
    x, y = (stored[:, axis].astype(np.float32) / stored[:, 2].astype(np.float32) for axis in (0, 1))
    z = np.float32(1.0) - np.abs(x) - np.abs(y)
    fold = np.minimum(z, np.float32(0.0))
    vector = np.stack([x - np.copysign(fold, x), y - np.copysign(fold, y), z], axis=1)
    vector /= np.sqrt((vector * vector).sum(axis=1, keepdims=True))
    out = stored.copy()
    out[:, :3] = _rounded(vector * np.float32(top), -top, top, stored.dtype)
    return out


def _quaternion(stored: NDArray[Any]) -> NDArray[Any]:
    """Three components and the place of the largest, omitted one to x, y, z, w."""
    one = (stored[:, 3] | 3).astype(np.float32)
    small = stored[:, :3].astype(np.float32) / one[:, None] * np.float32(1.0 / np.sqrt(2.0))
    largest = np.sqrt(np.maximum(0.0, np.float32(1.0) - (small * small).sum(axis=1)))
    place = (stored[:, 3] & 3)[:, None]
    out = np.empty_like(stored)
    scaled = _rounded(np.concatenate([largest[:, None], small], axis=1) * 32767.0, -32767, 32767, stored.dtype)
    np.put_along_axis(out, (place + np.arange(4)) % 4, scaled, axis=1)
    return out


def _exponential(stored: NDArray[Any]) -> NDArray[np.float32]:
    """8-bit exponent and 24-bit mantissa, both signed, to float32."""
    mantissa = (stored << 8) >> 8
    values: NDArray[np.float32] = np.ldexp(mantissa.astype(np.float32), stored >> 24)
    return values


def _color(stored: NDArray[Any]) -> NDArray[Any]:
    """Y, Co, Cg and alpha with a marker bit above it to red, green, blue, alpha."""
    unsigned = np.dtype(f"<u{stored.dtype.itemsize}")
    luma = stored[:, 0].astype(np.int32) & int(np.iinfo(unsigned).max)
    orange, green = stored[:, 1].astype(np.int32), stored[:, 2].astype(np.int32)
    marked = stored[:, 3].astype(np.int32) & int(np.iinfo(unsigned).max)
    scale = (1 << np.frexp(marked.astype(np.float64))[1]) - 1
    alpha = marked & (scale >> 1)
    alpha = (alpha << 1) | (alpha & 1)
    rgba = np.stack([luma + orange - green, luma + green, luma - orange - green, alpha], axis=1)
    top = int(np.iinfo(unsigned).max)
    return _rounded(rgba.astype(np.float32) * (np.float32(top) / scale[:, None]), 0, top, unsigned)
