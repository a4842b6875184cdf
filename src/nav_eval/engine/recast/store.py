"""Built navmeshes on disk, so that a scene is voxelised once per machine.

A file's name is the SHA-256 of what decides its bytes: the triangles, the settings and the source of builder and file.
Writing is atomic, so processes that build the same scene at once do no harm; a damaged file is built again, and
where nothing can be written the build just is not remembered.
"""

from __future__ import annotations

import hashlib
from dataclasses import astuple
from pathlib import Path

import numpy as np

from nav_eval.engine.navmesh.file import parse_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast.build import build_navmesh
from nav_eval.engine.recast.grid import Mask, Positions, Triangles
from nav_eval.errors import NavmeshError
from nav_eval.jit import cache_home, room_beside, source_hash
from nav_eval.logging import get_logger


def build_or_load(
    positions: Positions, triangles: Triangles, settings: NavmeshSettings, walked: Mask | None = None
) -> bytes:
    """The `.navmesh` bytes over these triangles: from the cache if they were built with these settings, else built.

    NavmeshError as build_navmesh.

    (V, 3) metres, y up, and (T, 3); walked (T,) as build_navmesh's.
    """
    path = cache_home() / "navmesh" / f"{_key(positions, triangles, settings, walked)}.navmesh"
    stored = _read(path)
    if stored is not None:
        return stored
    data = build_navmesh(positions, triangles, settings, walked)
    _write(path, data)
    return data


def _key(positions: Positions, triangles: Triangles, settings: NavmeshSettings, walked: Mask | None) -> str:
    engine = Path(__file__).parents[1]
    sources = source_hash(engine / "recast") + source_hash(engine / "navmesh")
    digest = hashlib.sha256(sources.encode())
    digest.update(np.array(astuple(settings), np.float32).tobytes())
    for array in (positions, triangles, *(() if walked is None else (walked,))):
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _read(path: Path) -> bytes | None:
    """A whole navmesh file, or None."""
    try:
        data = path.read_bytes()
        parse_navmesh(data, str(path))
    except FileNotFoundError:
        return None
    except (OSError, NavmeshError) as error:
        get_logger(__name__).warning("the cached navmesh cannot be used, it is built again: %s", error)
        return None
    return data


def _write(path: Path, data: bytes) -> None:
    try:
        with room_beside(path) as room:
            part = room / path.name
            part.write_bytes(data)
            part.replace(path)
    except OSError as error:
        get_logger(__name__).warning(
            "the navmesh was not cached: %s (set NAV_EVAL_CACHE to a directory that can be written)", error
        )
