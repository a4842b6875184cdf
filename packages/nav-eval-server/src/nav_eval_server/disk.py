"""Whether a disk has room: the server's own and a worker's fill up, and neither is a team's fault."""

from __future__ import annotations

import errno
import os
from pathlib import Path

ROOM = 16 << 20
"""Bytes that a disk must have left: what a database or a run writes for a while."""


def is_full(error: BaseException | None) -> bool:
    """Whether it says that there is no room."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def has_room(folder: Path) -> bool:
    """By taking it: quotas count too."""
    path = folder / ".room"
    try:
        with path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, ROOM)
    except OSError:
        return False
    finally:
        path.unlink(missing_ok=True)
    return True
