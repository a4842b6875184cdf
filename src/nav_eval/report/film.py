"""One MP4 file, written frame by frame with PyAV (H.264 where its FFmpeg has it)."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.errors import ConfigError, RunDirectoryError

CODECS = ("libx264", "h264", "mpeg4")


class Film:
    """A video in the making; use as a context manager, or call close."""

    def __init__(self, path: Path, fps: int) -> None:
        self._path = path
        self._fps = fps
        self._container: Any = None
        self._stream: Any = None

    def add(self, frame: npt.NDArray[np.uint8]) -> None:
        """(H, W, 3) RGB; the first frame decides the size, odd sides lose a pixel."""
        import av

        frame = frame[: frame.shape[0] // 2 * 2, : frame.shape[1] // 2 * 2]
        if self._container is None:
            self._open(frame.shape[1], frame.shape[0])
        for packet in self._stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")):
            self._container.mux(packet)

    def _open(self, width: int, height: int) -> None:
        av = require_av()
        try:
            self._container = av.open(str(self._path), "w", format="mp4")
        except OSError as error:
            raise RunDirectoryError(
                f"{self._path}: cannot be written ({error}). Make room, or output.video=none."
            ) from error
        codec = next(name for name in CODECS if name in av.codecs_available)
        self._stream = self._container.add_stream(codec, rate=self._fps)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.thread_count = 1
        if codec == "libx264":
            self._stream.options = {"preset": "veryfast", "crf": "26"}

    def close(self) -> None:
        if self._container is None:
            return
        for packet in self._stream.encode(None):
            self._container.mux(packet)
        self._container.close()
        self._container = None

    def __enter__(self) -> Film:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def require_av() -> Any:
    """The package av; raises ConfigError that says how to get it."""
    try:
        import av
    except ImportError:
        raise ConfigError("output.video: needs the package av. Install it: pip install 'nav-eval[video]'") from None
    return av
