"""Sensor images as the JPEG data URLs that a chat endpoint takes, and which earlier ones are shown."""

from __future__ import annotations

import base64
import hashlib
import io
from typing import Any

import numpy as np

FAR = 10.0
"""Depth in metres that is drawn black."""
QUALITY = 85
SHOWN = (("u", 3), ("u", 1), ("f", 1))
"""Kinds of numbers and channels."""
HEAD = "data:image/jpeg;base64,"


def picture(value: Any, side: int = 0) -> bytes | None:
    """(H, W, 3 or 1) uint8, or depth (H, W, 1) float in metres, as a JPEG no longer than `side`; None if it is none."""
    from PIL import Image

    array = np.asarray(value)
    if array.ndim != 3 or not array.size or (array.dtype.kind, array.shape[2]) not in SHOWN:
        return None
    array = _grey(array) if is_depth(array) else array.astype(np.uint8, copy=False)
    image = Image.fromarray(array[..., 0] if array.shape[2] == 1 else array)
    if side:
        image.thumbnail((side, side))
    stream = io.BytesIO()
    image.save(stream, "jpeg", quality=QUALITY)
    return stream.getvalue()


def is_depth(value: Any) -> bool:
    return bool(np.asarray(value).dtype.kind == "f")


def _grey(depth: Any) -> Any:
    """Near is bright; what is not measured is black."""
    near = 1.0 - np.clip(np.nan_to_num(depth, nan=FAR, posinf=FAR), 0.0, FAR) / FAR
    return np.round(near * 255).astype(np.uint8)


def as_part(jpeg: bytes) -> dict[str, Any]:
    """The part of a message that shows it."""
    return {"type": "image_url", "image_url": {"url": HEAD + base64.b64encode(jpeg).decode()}}


def digest(part: dict[str, Any]) -> str:
    """Names a picture in the log."""
    return hashlib.sha256(base64.b64decode(part["image_url"]["url"].removeprefix(HEAD))).hexdigest()[:16]


class History:
    """The earlier frames of an episode: `limit` of them, the last or evenly spread."""

    def __init__(self, limit: int, how: str) -> None:
        self._limit, self._even = limit, how == "even"
        self._frames: list[bytes] = []

    def add(self, frame: bytes) -> None:
        self._frames.append(frame)
        if not self._even:
            self._frames = self._frames[-self._limit :] if self._limit else []

    def shown(self) -> list[bytes]:
        """Oldest first."""
        count = len(self._frames)
        if count <= self._limit:
            return list(self._frames)
        return [self._frames[index] for index in np.linspace(0, count - 1, self._limit).round().astype(int)]
