"""How much an archive unpacks to, before an engine is trusted with it.

`python -m nav_eval_server.images.archive FILE GIB`: in a process of its own, whose memory is bounded, because an
archive may say anything. Exit code 0: it fits; UNFIT: it does not, and stdout says why.
"""

from __future__ import annotations

import lzma
import resource
import sys
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from nav_eval.errors import InputError

ZSTD = b"\x28\xb5\x2f\xfd"
UNFIT = 3
BLOCK = 4096
"""Bytes that the smallest file takes on a disk."""
MEMORY = 1 << 30


def check(file: Path, most: float) -> None:
    """Raises InputError if it is none that `docker save` writes, or unpacks to more than `most` bytes."""
    left = most
    try:
        with tarfile.open(file, "r:") as archive:
            for member in archive:
                content = archive.extractfile(member)
                for size in _sizes(content) if content else ():
                    left -= max(size, BLOCK)
                    if left < 0:
                        raise InputError(f"it unpacks to more than {most / 2**30:g} GiB.")
    except (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, MemoryError, ValueError, RecursionError):
        raise InputError("it is not an archive as `docker save` or `podman save` writes it.") from None


def _sizes(content: IO[bytes]) -> Iterator[int]:
    """Of the files in a layer; of nothing in what is no layer."""
    if content.read(len(ZSTD)) == ZSTD:
        raise InputError("a layer is packed with zstd; save it as `docker save` does by default.")
    content.seek(0)
    try:
        layer = tarfile.open(fileobj=content, mode="r:*")  # noqa: SIM115 - closed below
    except tarfile.ReadError:
        return
    with layer:
        for member in layer:
            yield member.size
            layer.members.clear()  # type: ignore[attr-defined]


def main(file: str, gib: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        check(Path(file), float(gib) * 2**30)
    except InputError as error:
        sys.stdout.write(f"{error}\n")
        return UNFIT
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
