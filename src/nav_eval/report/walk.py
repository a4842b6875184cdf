"""A whole scene as one HTML page that needs nothing else: seen from outside with its ceilings cut off, or on foot.

The page's data is one gzipped block in base64: a JSON head and binary parts, which go to the graphics card as they
are. Positions are 16-bit shares of the scene's box, textures JPEG (PNG where they are transparent).
"""

from __future__ import annotations

import base64
import io
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import SceneError
from nav_eval.report.page import GZIP, WALK_SCRIPTS, filled
from nav_eval.report.storeys import find_storeys
from nav_eval.report.views import EYE, open_pose
from nav_eval.results.files import write_bytes

MOST_TRIANGLES = 2_000_000
MOST_TEXELS = 24_000_000
"""What browsers on phones hold: textures of more texels together are halved until they fit."""
_QUALITY = 86
_PLACES = 16


def write_walk(scene: Scene, navmesh: NavMesh | None, out: Path) -> None:
    """Write the page atomically. SceneError for a scene without triangles or with more than a browser takes."""
    write_bytes(out, render_walk(scene, navmesh).encode())


def render_walk(scene: Scene, navmesh: NavMesh | None) -> str:
    """The HTML; without a navmesh nothing stops who walks."""
    if not 0 < len(scene.triangles) <= MOST_TRIANGLES:
        raise SceneError(
            f"{scene.name}: has {len(scene.triangles):,} triangles, and a page takes 1 to {MOST_TRIANGLES:,}. "
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
    low, high = scene.positions.min(axis=0).astype(float), scene.positions.max(axis=0).astype(float)
    extent = np.maximum(high - low, 1e-3)
    order = np.argsort(scene.material_ids, kind="stable")
    floor = np.empty((0, 3, 3), np.float32) if navmesh is None else navmesh.layout.triangles
    seen = floor if len(floor) else scene.positions[scene.triangles]
    ends = seen.reshape(-1, 3).min(axis=0), seen.reshape(-1, 3).max(axis=0)
    halvings = _halvings(scene)
    parts = {
        "places": _places(scene, low, extent),
        "uvs": _bytes(np.zeros((len(scene.positions), 2)) if scene.uvs is None else scene.uvs, np.float32),
        "lightuvs": _shares(np.zeros((len(scene.positions), 2)) if scene.light_uvs is None else scene.light_uvs),
        "colours": _bytes(np.full((len(scene.positions), 4), 255) if scene.colors is None else scene.colors, np.uint8),
        "triangles": _bytes(scene.triangles[order], np.uint32),
        "floor": _bytes(floor, np.float32),
    }
    kinds = []
    for number, texture in enumerate(scene.textures):
        parts[f"texture{number}"], kind = _picture(texture, halvings)
        kinds.append(kind)
    sky = () if scene.sky is None else scene.sky.faces
    for number, faces in enumerate(sky):
        parts[f"sky{number}"], _ = _picture(faces.reshape(-1, *faces.shape[2:]), 0)
    head = {
        "name": scene.name,
        "low": low.tolist(),
        "extent": extent.tolist(),
        "centre": [float(a + b) / 2 for a, b in zip(*ends, strict=True)],
        "spread": math.hypot(*(float(b - a) for a, b in zip(*ends, strict=True))),
        "triangles": len(scene.triangles),
        "objects": len(scene.objects),
        "bare": scene.bare,
        "ranges": _ranges(scene.material_ids[order]),
        "materials": [
            {
                "factor": [min(max(float(value), 0.0), 1.0) for value in material.base_color],
                "texture": material.texture if scene.uvs is not None else -1,
                "lightmap": material.lightmap if scene.light_uvs is not None else -1,
                "cutoff": material.alpha_cutoff if material.alpha_mode == "mask" else -1.0,
                "wrap": material.wrap,
            }
            for material in scene.materials
        ],
        "textures": kinds,
        "storeys": _storeys(scene, navmesh),
        "rooms": _rooms(scene, navmesh),
        "start": _start(scene, navmesh),
        "sky": [] if scene.sky is None else scene.sky.above,
        "shrunk": 2**halvings,
    }
    return head, parts


def _places(scene: Scene, low: NDArray[Any], extent: NDArray[Any]) -> bytes:
    """(V, 4) uint16, the last of each 0: positions as shares of the box."""
    shares = np.zeros((len(scene.positions), 4))
    shares[:, :3] = (scene.positions - low) / extent
    return _shares(shares)


def _shares(values: NDArray[Any]) -> bytes:
    """Numbers from 0 to 1 as uint16."""
    return _bytes(np.rint(np.clip(values, 0, 1) * 65535), np.uint16)


def _bytes(array: NDArray[Any], dtype: type[Any]) -> bytes:
    return np.ascontiguousarray(array, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()


def _ranges(materials: NDArray[np.int32]) -> list[tuple[int, int, int]]:
    """Material, first index and number of indices, of sorted triangles."""
    used, first, count = np.unique(materials, return_index=True, return_counts=True)
    return [(int(m), 3 * int(a), 3 * int(n)) for m, a, n in zip(used, first, count, strict=True)]


def _halvings(scene: Scene) -> int:
    """How often both sides of all textures are halved to fit into MOST_TEXELS."""
    texels = sum(texture.shape[0] * texture.shape[1] for texture in scene.textures)
    return max(0, math.ceil(math.log(texels / MOST_TEXELS, 4))) if texels else 0


def _picture(texture: NDArray[np.uint8], halvings: int) -> tuple[bytes, str]:
    """An (H, W, 4) texture as a file, and its media type."""
    from PIL import Image as Pictures

    opaque = bool((texture[..., 3] == 255).all())
    image = Pictures.fromarray(np.ascontiguousarray(texture[..., :3] if opaque else texture))
    if halvings:
        image = image.resize([max(1, side >> halvings) for side in image.size], Pictures.Resampling.BOX)
    out = io.BytesIO()
    image.save(out, "JPEG" if opaque else "PNG", **({"quality": _QUALITY, "subsampling": 0} if opaque else {}))
    return out.getvalue(), "image/jpeg" if opaque else "image/png"


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
