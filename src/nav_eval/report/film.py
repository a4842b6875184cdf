"""One MP4 file, written frame by frame with PyAV (H.264 where its FFmpeg has it)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nav_eval.errors import ConfigError, RunDirectoryError

CODECS = ("libx264", "h264", "mpeg4")


class Film:
    """A video in the making; close finishes it. Raises RunDirectoryError where FFmpeg fails."""

    def __init__(self, path: Path, fps: int) -> None:
        self._path = path
        self._fps = fps
        self._container: Any = None
        self._stream: Any = None

    def add(self, frame: npt.NDArray[np.uint8]) -> None:
        """(H, W, 3) RGB; the first frame decides the size, odd sides lose a pixel."""
        av = require_av()
        frame = frame[: frame.shape[0] // 2 * 2, : frame.shape[1] // 2 * 2]
        with self._explain():
            if self._container is None:
                self._open(frame.shape[1], frame.shape[0])
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
            self._container.mux(self._stream.encode(picture))

    def _open(self, width: int, height: int) -> None:
        av = require_av()
        self._container = av.open(str(self._path), "w", format="mp4")
        codec = next(name for name in CODECS if name in av.codecs_available)
        self._stream = self._container.add_stream(codec, rate=self._fps)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.thread_count = 1
        if codec == "libx264":
            self._stream.options = {"preset": "veryfast", "crf": "26"}

    def close(self) -> None:
        """Write what the encoder still holds, and the end of the file."""
        if self._container is None:
            return
        with self._explain():
            self._container.mux(self._stream.encode(None))
            self._container.close()
        self._container = None

    def abandon(self) -> None:
        """Let go of a file that is of no use; the container closes itself when it is collected."""
        self._container = self._stream = None

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except (OSError, require_av().FFmpegError) as error:
            raise RunDirectoryError(
                f"{self._path}: cannot be written ({error}). Make room, or use output.video=none."
            ) from error


def require_av() -> Any:
    """The package av; raises ConfigError that says how to get it."""
    try:
        import av
    except ImportError:
        raise ConfigError("output.video: needs the package av. Install it: pip install av") from None
    return av
