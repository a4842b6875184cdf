"""The small frames of a recorded episode, beside its video: written by the recorder, shown by the report's slider."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import RunDirectoryError

VIDEOS = "videos"
"""The folder of a run directory that holds videos, contact sheets and frames."""


def stem(key: EpisodeKey) -> str:
    """A file name for an episode, readable and unique whatever the ids hold."""
    plain = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in "-".join(key))[-60:]
    return f"{plain.strip('-')}-{hashlib.sha256(chr(0).join(key).encode(errors='surrogatepass')).hexdigest()[:8]}"


def write_frames(path: Path, shots: Sequence[bytes]) -> None:
    """JPEG files, one per step, in a zip that does not compress them again."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for i, shot in enumerate(shots):
            file.writestr(f"{i + 1:05d}.jpg", shot)


def read_frames(path: Path) -> list[str]:
    """Base64 of the frames, first step first."""
    try:
        with zipfile.ZipFile(path) as file:
            return [base64.b64encode(file.read(name)).decode() for name in sorted(file.namelist())]
    except (OSError, zipfile.BadZipFile) as error:
        raise RunDirectoryError(f"{path}: cannot be read ({error}). Delete it to go on.") from None
