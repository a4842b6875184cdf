"""How much an archive unpacks to, before an engine is trusted with it.

`python -m nav_eval_server.images.archive FILE GIB`: in a process of its own, whose memory is bounded, because an
archive may say anything. Exit code 0: it fits, and stdout says into how many bytes; UNFIT: it does not,
and stdout says why.
"""

from __future__ import annotations

import json
import lzma
import resource
import sys
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from posixpath import normpath
from typing import IO, Any

from nav_eval.errors import InputError

ZSTD = b"\x28\xb5\x2f\xfd"
UNFIT = 3
MANIFEST = "/manifest.json"
BLOCK = 4096
"""Bytes that the smallest file takes on a disk."""
MEMORY = 1 << 30


def check(file: Path, most: float) -> float:
    """Bytes that it unpacks to, if not fewer. Raises InputError if it is none that `docker save` writes, or if they are
    more than `most`.
    """
    try:
        with tarfile.open(file, "r:") as archive:
            size = _unpacked_size(archive, most)
    except (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, MemoryError, ValueError, RecursionError):
        raise InputError("it is not an archive as `docker save` or `podman save` writes it.") from None
    if size > most:
        raise InputError(f"it unpacks to more than {most / 2**30:g} GiB.")
    return size


def _unpacked_size(archive: tarfile.TarFile, most: float) -> float:
    """Bytes; so many as are sure to be more than `most` once they are. A layer counts as often as a list names it.

    One that is named otherwise, as through a link, counts as the largest. Docker reads one list, podman another.
    """
    total, sizes, dockers, others = 0, dict[str, int](), Counter[str](), Counter[str]()
    for member in archive:
        linked = member.issym() or member.islnk()
        place, content = _place(member.name), None if linked else archive.extractfile(member)
        if content is None:
            continue
        sizes.setdefault(place, 0)
        layer = _layer(content)
        if layer is None:
            (dockers if place == MANIFEST else others).update(_layers_of(content))
            continue
        with layer:
            for size in _sizes(layer):
                sizes[place] += size
                total += size
                if total > most:
                    return total
    largest, named = max(sizes.values(), default=0), dockers | others
    return total + sum((times - (place in sizes)) * sizes.get(place, largest) for place, times in named.items())


def _layer(content: IO[bytes]) -> tarfile.TarFile | None:
    if content.read(len(ZSTD)) == ZSTD:
        raise InputError("a layer is packed with zstd; save it as `docker save` does by default.")
    content.seek(0)
    with suppress(tarfile.ReadError):
        return tarfile.open(fileobj=content, mode="r:*")
    return None


def _sizes(layer: tarfile.TarFile) -> Iterator[int]:
    """Of the files in it."""
    for member in layer:
        yield max(member.size, BLOCK)
        layer.members.clear()  # type: ignore[attr-defined]


def _layers_of(content: IO[bytes]) -> list[str]:
    """Where the layers are that a manifest names, if it is one; an engine reads its keys in any case."""
    found: list[str] = []

    def read(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        folded = [(key.casefold(), value) for key, value in pairs]
        for key, value in folded:
            if key == "layers" and isinstance(value, list):
                found.extend(_place(_blob(one) if isinstance(one, dict) else str(one)) for one in value)
        return dict(folded)

    content.seek(0)
    with suppress(ValueError):
        json.loads(content.read(), object_pairs_hook=read)
    return found


def _blob(described: dict[str, Any]) -> str:
    return f"blobs/{described.get('digest')}".replace(":", "/")


def _place(name: str) -> str:
    """However it is written."""
    return normpath(f"///{name}")


def main(file: str, gib: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        size = check(Path(file), float(gib) * 2**30)
    except InputError as error:
        sys.stdout.write(f"{error}\n")
        return UNFIT
    sys.stdout.write(f"{size:.0f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
