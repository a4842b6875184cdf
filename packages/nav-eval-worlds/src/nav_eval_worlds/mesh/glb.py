"""Writes a world as an ordinary binary glTF 2.0 file: one primitive per material, textures embedded as PNG.

Vertex colours carry the baked light (sRGB as stored, the way habitat-sim multiplies them); large flat surfaces have it
in a lightmap too, more finely (docs/extending/scene-format.md). `_OBJECT_ID` on each vertex carries the semantics.
Materials are also marked KHR_materials_unlit, so that other viewers show the same.
"""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.scene import Sky
from nav_eval_worlds.exact import quantise
from nav_eval_worlds.mesh.triangles import Mesh
from nav_eval_worlds.surfaces.palette import Palette

_FLOAT, _BYTE, _UINT = 5126, 5121, 5125


class _Buffer:
    """The binary chunk, and the views and accessors into it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def view(self, data: bytes) -> int:
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": len(data)})
        padded = data + b"\0" * (-len(data) % 4)
        self.parts.append(padded)
        self.size += len(padded)
        return len(self.views) - 1

    def accessor(self, array: NDArray[Any], component: int, kind: str, **extra: Any) -> int:
        view = self.view(np.ascontiguousarray(array).tobytes())
        self.accessors.append(
            {"bufferView": view, "componentType": component, "count": len(array), "type": kind, **extra}
        )
        return len(self.accessors) - 1


def write_glb(
    name: str,
    mesh: Mesh,
    colors: NDArray[np.uint8],
    palette: Palette,
    textures: Sequence[NDArray[np.uint8]],
    lightmap: NDArray[np.uint8],
    sky: Sky,
) -> bytes:
    """`colors` (V, 4) uint8; `textures` one (H, W, 3) per name of the mesh's materials; `lightmap` (H, W, 3).

    The sky's pictures stand after the textures and the lightmap; the scene's `extras` name them.
    """
    buffer = _Buffer()
    scales = np.asarray([palette.paint(material).scale or 1.0 for material in mesh.names])
    uvs = quantise(mesh.uvs / scales[mesh.materials][:, None]).astype(np.float32)
    looks, owner = mesh.looks()
    primitives = [
        _primitive(buffer, mesh, uvs, colors, np.flatnonzero(owner == k), k, lit) for k, (_, lit) in enumerate(looks)
    ]
    images = [
        {"bufferView": buffer.view(png(texels)), "mimeType": "image/png", "name": n}
        for n, texels in zip((*mesh.names, "lightmap"), (*textures, lightmap), strict=True)
    ]
    beyond = [{"image": len(images) + k, "above": above} for k, above in enumerate(sky.above)]
    for k, faces in enumerate(sky.faces):
        strip = faces.reshape(-1, faces.shape[2], 4)[..., :3]
        images.append({"bufferView": buffer.view(png(strip)), "mimeType": "image/png", "name": f"sky{k}"})
    document = {
        "asset": {"version": "2.0", "generator": "nav_eval_worlds"},
        "extensionsUsed": ["KHR_materials_unlit", "NAV_EVAL_lightmap"],
        "scene": 0,
        "scenes": [{"nodes": [0], "extras": {"nav_eval_sky": beyond}}],
        "nodes": [{"mesh": 0, "name": name}],
        "meshes": [{"name": name, "primitives": primitives}],
        "materials": [_material(mesh.names[k], k, len(mesh.names) if lit else -1) for k, lit in looks],
        "textures": [{"source": k, "sampler": 0} for k in range(len(textures) + 1)],
        "samplers": [{"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497}],
        "images": images,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }
    return _container(json.dumps(document, separators=(",", ":")).encode(), b"".join(buffer.parts))


def _primitive(
    buffer: _Buffer,
    mesh: Mesh,
    uvs: NDArray[np.float32],
    colors: NDArray[np.uint8],
    chosen: NDArray[np.int64],
    material: int,
    lit: bool,
) -> dict[str, Any]:
    used, indices = np.unique(mesh.triangles[chosen], return_inverse=True)
    points = mesh.positions[used].astype(np.float32)
    bounds = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
    return {
        "attributes": {
            "POSITION": buffer.accessor(points, _FLOAT, "VEC3", **bounds),
            "TEXCOORD_0": buffer.accessor(uvs[used], _FLOAT, "VEC2"),
            **({"TEXCOORD_1": buffer.accessor(mesh.light_uvs[used], _FLOAT, "VEC2")} if lit else {}),
            "COLOR_0": buffer.accessor(colors[used], _BYTE, "VEC4", normalized=True),
            "_OBJECT_ID": buffer.accessor(mesh.objects[used].astype(np.float32), _FLOAT, "SCALAR"),
        },
        "indices": buffer.accessor(indices.reshape(-1).astype(np.uint32), _UINT, "SCALAR"),
        "material": material,
        "mode": 4,
    }


def _material(name: str, index: int, lightmap: int) -> dict[str, Any]:
    """`lightmap`: index of its texture, or -1."""
    light = {"NAV_EVAL_lightmap": {"texture": {"index": lightmap, "texCoord": 1}}} if lightmap >= 0 else {}
    return {
        "name": name,
        "pbrMetallicRoughness": {"baseColorTexture": {"index": index}, "metallicFactor": 0.0, "roughnessFactor": 1.0},
        "extensions": {"KHR_materials_unlit": {}, **light},
    }


def png(texels: NDArray[np.uint8]) -> bytes:
    """(H, W, 3) uint8 as a PNG file; with a palette, a third smaller, where 256 colours are enough."""
    from PIL import Image

    image = Image.fromarray(texels)
    few = image.getcolors(256)
    if few is not None:
        colours = np.asarray(sorted(colour for _, colour in few), np.uint8)
        number = np.empty(1 << 24, np.uint8)
        number[_pack(colours)] = np.arange(len(colours))
        image = Image.fromarray(number[_pack(texels)])
        image.putpalette(colours.tobytes())
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=4, compress_type=zlib.Z_DEFAULT_STRATEGY)
    return out.getvalue()


def _pack(texels: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """(...) 0xRRGGBB of (..., 3)."""
    packed = texels[..., 0].astype(np.uint32)
    for channel in (1, 2):
        packed <<= 8
        packed |= texels[..., channel]
    return packed


def _container(head: bytes, body: bytes) -> bytes:
    head += b" " * (-len(head) % 4)
    total = 12 + 8 + len(head) + 8 + len(body)
    return (
        struct.pack("<4sII", b"glTF", 2, total)
        + struct.pack("<I4s", len(head), b"JSON")
        + head
        + struct.pack("<I4s", len(body), b"BIN\0")
        + body
    )
