"""webdataset: tar files of about a gigabyte; an episode's steps follow each other, each a sample of a few files.

A step is <episode>-<step>.{jpg,depth.png,json}. A tar file grows by whole episodes; what a kill left behind the last
whole one is cut off.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nav_eval.results.files import explained
from nav_eval_extras.collecting.formats.base import About, Format, steps_of, wordings
from nav_eval_extras.collecting.walking import Walk

SHARD_BYTES = 1_000_000_000
END = bytes(2 * tarfile.BLOCKSIZE)


class WebDataset(Format):
    """What `webdataset.WebDataset("FOLDER/steps-{000000..000009}.tar")` reads."""

    def __init__(self, out: Path, about: About) -> None:
        super().__init__(out, about)
        self._shard = self._at = 0

    def resume(self, records: Iterable[Mapping[str, Any]]) -> None:
        for record in records:
            self._shard, self._at = record["shard"], record["end"]

    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        if self._at > SHARD_BYTES:
            self._close()
            self._shard, self._at = self._shard + 1, 0
        path = self._path(self._shard)
        with explained(path), path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(self._at)
            file.seek(self._at)
            for name, data in _files(walk, index):
                file.write(_member(name, data))
            self._at = file.tell()
        return {"shard": self._shard, "end": self._at, "languages": [one.language for one in walk.route.wordings]}

    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        if self._at:
            self._close()

    def _close(self) -> None:
        """Write what ends a tar file; another episode would overwrite it."""
        path = self._path(self._shard)
        with explained(path), path.open("r+b") as file:
            file.seek(self._at)
            file.write(END)
            file.truncate()

    def _path(self, shard: int) -> Path:
        return self.out / f"steps-{shard:06d}.tar"

    def loading(self) -> str:
        return (
            '`webdataset.WebDataset("steps-{000000..NNNNNN}.tar")`: `jpg`, `depth.png` (16 bits, millimetres) and '
            "`json` of each step, in the order of the walk; the instructions stand in the first step's `json`."
        )


def _files(walk: Walk, index: int) -> Iterator[tuple[str, bytes]]:
    columns = steps_of(walk)
    for step in range(len(walk)):
        name = f"{index:08d}-{step:05d}"
        yield f"{name}.jpg", walk.rgb[step]
        yield f"{name}.depth.png", walk.depth[step]
        if walk.semantic:
            yield f"{name}.semantic.png", walk.semantic[step]
        yield f"{name}.json", json.dumps(_step_row(walk, columns, index, step), ensure_ascii=False).encode()


def _step_row(walk: Walk, columns: Mapping[str, Any], index: int, step: int) -> dict[str, Any]:
    rows = {name: column if name == "intrinsics" else column[step] for name, column in columns.items()}
    first = {"scene_id": walk.route.key[0], "steps": len(walk), "instructions": wordings(walk)}
    return {"episode_index": index, "step": step, **rows, **(first if step == 0 else {})}


def _member(name: str, data: bytes) -> bytes:
    """A file of a tar file, the same bytes whenever it is written."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    return info.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE)
