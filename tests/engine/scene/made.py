"""Makes small GLB files for the tests, written from the glTF specification and not with our reader's code."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

TYPES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
WIDTHS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)


class Glb:
    """Collects a document and its buffer; `bytes()` is the file."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": []}

    def view(self, data: bytes, **more: Any) -> int:
        self.buffer += bytes(-len(self.buffer) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data), **more})
        self.buffer += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values: ArrayLike, **more: Any) -> int:
        array = np.asarray(values)
        array = array if array.ndim == 2 else array.reshape(-1, 1)
        self.json["accessors"].append(
            {
                "bufferView": self.view(array.tobytes()),
                "componentType": TYPES[array.dtype.str[1:]],
                "count": len(array),
                "type": WIDTHS[array.shape[1]],
                **more,
            }
        )
        return len(self.json["accessors"]) - 1

    def mesh(self, attributes: dict[str, int], indices: int | None = None, **more: Any) -> int:
        primitive: dict[str, Any] = {"attributes": attributes, **more}
        if indices is not None:
            primitive["indices"] = indices
        self.json.setdefault("meshes", []).append({"primitives": [primitive]})
        return len(self.json["meshes"]) - 1

    def node(self, **node: Any) -> int:
        self.json.setdefault("nodes", []).append(node)
        return len(self.json["nodes"]) - 1

    def image(self, picture: NDArray[np.uint8] | bytes, kind: str = "PNG", extension: str = "") -> int:
        """A texture of pixels or of a file's bytes, by way of an extension if one is named."""
        data = picture if isinstance(picture, bytes) else encoded(picture, kind)
        images, textures = (self.json.setdefault(name, []) for name in ("images", "textures"))
        images.append({"bufferView": self.view(data), "mimeType": f"image/{kind.lower()}"})
        source = {"source": len(images) - 1}
        textures.append({"extensions": {extension: source}} if extension else source)
        if extension:
            self.json["extensionsRequired"] = [extension]
        return len(textures) - 1

    def textured(self, picture: NDArray[np.uint8] | bytes, kind: str = "PNG", extension: str = "") -> int:
        """A material that shows a picture."""
        texture = {"index": self.image(picture, kind, extension)}
        return self.material(pbrMetallicRoughness={"baseColorTexture": texture})

    def material(self, **material: Any) -> int:
        self.json.setdefault("materials", []).append(material)
        return len(self.json["materials"]) - 1

    def bytes(self) -> bytes:
        if self.buffer:
            self.json["buffers"] = [{"byteLength": len(self.buffer)}]
        return glb(json.dumps(self.json).encode(), bytes(self.buffer))

    def save(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        return path


def glb(text: bytes, binary: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def encoded(pixels: NDArray[np.uint8], kind: str = "PNG", **more: Any) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, kind, **more)
    return out.getvalue()


def simple(positions: NDArray[np.float32] = SQUARE, triangles: ArrayLike = ((0, 1, 2), (0, 2, 3))) -> Glb:
    """A file with one mesh on one node."""
    made = Glb()
    faces = np.asarray(triangles, np.uint16).reshape(-1)
    made.node(mesh=made.mesh({"POSITION": made.accessor(positions)}, made.accessor(faces)))
    return made
