"""The small frames of a recorded episode, beside its video: written by the recorder, shown by the report's slider."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import RunDirectoryError

VIDEOS = "videos"
"""The folder of a run directory that holds videos, contact sheets and frames."""
DEPTH = "depth/"


def stem(key: EpisodeKey) -> str:
    """A file name for an episode, readable and unique whatever the ids hold."""
    plain = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in "-".join(key))[-60:]
    return f"{plain.strip('-')}-{hashlib.sha256(chr(0).join(key).encode(errors='surrogatepass')).hexdigest()[:8]}"


def write_frames(path: Path, shots: Sequence[bytes], depths: Sequence[bytes] = ()) -> None:
    """JPEG files, one per step from step 0, the start, on, and those of the depth camera, in a zip that stores them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for folder, pictures in (("", shots), (DEPTH, depths)):
            for i, picture in enumerate(pictures):
                file.writestr(f"{folder}{i:05d}.jpg", picture)


def read_frames(path: Path, every: int = 1) -> dict[str, Any]:
    """Base64 of each `every`th frame: `rgb`, and `depth` where it was recorded; `first`: the step of the first one."""
    try:
        with zipfile.ZipFile(path) as file:
            names = sorted(file.namelist())
            kinds = {"rgb": [n for n in names if "/" not in n], "depth": [n for n in names if n.startswith(DEPTH)]}
            found = {
                kind: [base64.b64encode(file.read(name)).decode() for name in some[::every]]
                for kind, some in kinds.items()
                if some
            }
            return {"first": int(Path(min(names)).stem) if names else 0, **found}
    except (OSError, zipfile.BadZipFile) as error:
        raise RunDirectoryError(f"{path}: cannot be read ({error}). Delete it to go on.") from None
