"""Frames as bytes: JPEG, 16-bit PNG, and H.264 video, the same bytes for the same frames."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
from PIL import Image

JPEG_QUALITY = 90
MM = 1000.0
PNG_HEAD = b"\x89PNG\r\n\x1a\n"
UP = 2
"""PNG's filter that stores each row's difference to the one above: small in depth images of walls and floors."""


def jpeg(rgb: Any) -> bytes:
    """(H, W, 3) uint8 -> a JPEG file."""
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "JPEG", quality=JPEG_QUALITY)
    return file.getvalue()


def millimetres(depth: Any) -> Any:
    """(H, W) or (H, W, 1) metres -> (H, W) uint16 millimetres, at most 65.535 m."""
    scaled = np.multiply(depth.reshape(depth.shape[:2]), np.float32(MM))
    scaled += np.float32(0.5)
    return np.minimum(scaled, np.float32(65535), out=scaled).astype(np.uint16)


def png16(values: Any) -> bytes:
    """(H, W) uint16 -> a 16-bit greyscale PNG file.

    Written here, because general encoders try five filters a row: that takes longer than to render the frame.
    """
    height, width = values.shape
    rows = np.empty((height, 1 + 2 * width), np.uint8)
    rows[:, 0] = UP
    raw = values.astype(">u2").view(np.uint8).reshape(height, 2 * width)
    rows[0, 1:] = raw[0]
    np.subtract(raw[1:], raw[:-1], out=rows[1:, 1:])
    packer = zlib.compressobj(2, memLevel=7)  # of levels and memory what was fastest, and small
    data = packer.compress(rows.data) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)
    return PNG_HEAD + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


class Video:
    """An MP4 file in memory, frame by frame. Every second frame is a key frame, because trainers seek at random."""

    CODEC, PIXELS, GAP = "h264", "yuv420p", 2

    def __init__(self, width: int, height: int, fps: int) -> None:
        import av

        self._file = io.BytesIO()
        self._container = av.open(self._file, "w", format="mp4")
        self._stream: Any = self._container.add_stream("libx264", rate=fps)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, self.PIXELS
        self._stream.thread_count = 1
        self._stream.options = {"preset": "ultrafast", "crf": "20", "g": str(self.GAP), "bf": "0"}

    def add(self, rgb: Any) -> None:
        """(H, W, 3) uint8."""
        import av

        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), format="rgb24")
        self._container.mux(self._stream.encode(frame))

    def close(self) -> bytes:
        self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._file.getvalue()


def splice(path: str, films: Iterable[Any], frames: int | None = None) -> None:
    """Write an MP4 file of the films one after the other, of each the first `frames`, without encoding them again.

    `films`: paths or open files of what Video wrote, of one size and rate.
    """
    import av

    with av.open(path, "w", format="mp4") as whole:
        stream, begun = None, 0
        for film in films:
            with av.open(film) as part:
                stream = stream or whole.add_stream_from_template(part.streams.video[0])
                for packet in islice((one for one in part.demux(video=0) if one.size), frames):
                    length = packet.duration
                    packet.stream, packet.pts, packet.dts = stream, begun, begun
                    whole.mux(packet)
                    begun += length
