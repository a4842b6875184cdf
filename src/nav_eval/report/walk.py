"""A whole scene as one HTML page that needs nothing else: seen from outside with its ceilings cut off, or on foot.

The page's data is one gzipped block in base64: a JSON head and binary parts (solid.py).
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import SceneError
from nav_eval.report.page import GZIP, WALK_SCRIPTS, filled
from nav_eval.report.solid import picture, raw, solid_parts
from nav_eval.report.storeys import find_storeys
from nav_eval.report.views import EYE, open_pose
from nav_eval.results.files import write_bytes

MAX_TRIANGLES = 2_000_000
MAX_TEXELS = 24_000_000
"""What browsers on phones hold: textures of more texels together are halved until they fit."""
_QUALITY = 86
_PLACES = 16


def write_walk(scene: Scene, navmesh: NavMesh | None, out: Path) -> None:
    """Write the page atomically. SceneError for a scene without triangles or with more than a browser takes."""
    write_bytes(out, render_walk(scene, navmesh).encode())


def render_walk(scene: Scene, navmesh: NavMesh | None) -> str:
    """The HTML; without a navmesh nothing stops who walks."""
    if not 0 < len(scene.triangles) <= MAX_TRIANGLES:
        raise SceneError(
            f"{scene.name}: has {len(scene.triangles):,} triangles, and a page takes 1 to {MAX_TRIANGLES:,}. "
            "Look at it with --kind pose or sheet, or simplify its mesh first."
        )
    data = base64.b64encode(_container(*_document(scene, navmesh))).decode()
    return filled(scene.name, ("page", "页面"), WALK_SCRIPTS, data)


def _container(head: dict[str, Any], parts: Mapping[str, bytes]) -> bytes:
    """Gzip of the head's length, the head, which says where each part lies, and the parts, each at a multiple of 4."""
    body, places = bytearray(), {}
    for name, data in parts.items():
        places[name] = (len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    text = msgspec.json.encode(head | {"parts": places})
    text += b" " * (-len(text) % 4)
    pack = zlib.compressobj(7, wbits=GZIP)
    return pack.compress(len(text).to_bytes(4, "little") + text + bytes(body)) + pack.flush()


def _document(scene: Scene, navmesh: NavMesh | None) -> tuple[dict[str, Any], dict[str, bytes]]:
    head, parts = solid_parts(scene, MAX_TEXELS, _QUALITY)
    floor = np.empty((0, 3, 3), np.float32) if navmesh is None else navmesh.layout.triangles
    seen = floor if len(floor) else scene.positions[scene.triangles]
    ends = seen.reshape(-1, 3).min(axis=0), seen.reshape(-1, 3).max(axis=0)
    parts["floor"] = raw(floor, np.float32)
    sky = () if scene.sky is None else scene.sky.faces
    for number, faces in enumerate(sky):
        parts[f"sky{number}"], _ = picture(faces.reshape(-1, *faces.shape[2:]), 0, _QUALITY)
    head |= {
        "name": scene.name,
        "centre": [float(a + b) / 2 for a, b in zip(*ends, strict=True)],
        "spread": math.hypot(*(float(b - a) for a, b in zip(*ends, strict=True))),
        "triangles": len(scene.triangles),
        "objects": len(scene.objects),
        "storeys": _storeys(scene, navmesh),
        "rooms": _rooms(scene, navmesh),
        "start": _start(scene, navmesh),
        "sky": [] if scene.sky is None else scene.sky.above,
    }
    return head, parts


def _storeys(scene: Scene, navmesh: NavMesh | None) -> list[float]:
    """Heights of the floors, metres, lowest first."""
    if scene.regions:
        return sorted(
            min(region.low[1] for region in scene.regions if region.storey == storey)
            for storey in {region.storey for region in scene.regions}
        )
    return [] if navmesh is None else find_storeys(navmesh.random_points(2000, 0)[:, 1])


def _rooms(scene: Scene, navmesh: NavMesh | None) -> list[dict[str, Any]]:
    """Each room and the floor nearest to its middle."""
    found = []
    for region in scene.regions:
        middle = ((region.low[0] + region.high[0]) / 2, region.low[1], (region.low[2] + region.high[2]) / 2)
        feet = middle if navmesh is None else navmesh.snap(middle)
        if np.isfinite(feet).all():
            found.append({"id": region.id, "name": region.category, "feet": [float(value) for value in feet]})
    return found


def _start(scene: Scene, navmesh: NavMesh | None) -> dict[str, Any]:
    """A place of the largest island from which much is seen: feet (m) and yaw (rad)."""
    if navmesh is None:
        middle = (scene.positions.min(axis=0) + scene.positions.max(axis=0)) / 2
        return {"feet": [float(middle[0]), float(middle[1]) - EYE, float(middle[2])], "yaw": 0.0}
    largest = max(navmesh.islands, key=lambda island: island.area)
    spots = navmesh.random_points(_PLACES, 0, largest.index)
    (x, y, z), yaw = open_pose(scene, [(float(x), float(y) + EYE, float(z)) for x, y, z in spots])
    return {"feet": [x, y - EYE, z], "yaw": yaw}
