"""GLB and glTF as containers: the JSON document, and the bytes of its buffers and buffer views.

Source: glTF 2.0 specification, sections 3.6.1 (buffers) and 4 (GLB). Every length is checked before it is used.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from nav_eval.engine.scene.gltf.schema import BufferView, Gltf
from nav_eval.engine.scene.meshopt import decode_view
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import SceneError, one_line

T = TypeVar("T")
SUPPORTED = {
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "GOOGLE_texture_basis",
    "KHR_draco_mesh_compression",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "NAV_EVAL_lightmap",
}
_DOCUMENT = msgspec.json.Decoder(Gltf)
"""Made here, because a type that threads show to msgspec for the first time together can end the process."""
_LOOK_ONLY = ("KHR_materials_", "KHR_lights_", "EXT_lights_", "KHR_animation_", "EXT_materials_")


class GltfFile:
    """A parsed document with lazy, checked access to its bytes; `at` looks up elements by index."""

    def __init__(self, source: SceneSource) -> None:
        self.source = source
        text, self._binary = _split(source, source.read())
        self.document = _parse(source, text)
        self._buffers: dict[int, memoryview] = {}
        self._views: dict[int, memoryview] = {}

    def error(self, message: str) -> SceneError:
        return SceneError(f"{self.source.path}: {message}")

    def at(self, elements: Sequence[T], index: int, kind: str) -> T:
        """`elements[index]`, or SceneError that names the dangling reference."""
        if not 0 <= index < len(elements):
            raise self.error(f"{kind} {index} does not exist ({len(elements)} do). Export the scene again.")
        return elements[index]

    def view(self, index: int) -> tuple[memoryview, BufferView]:
        """The (decompressed) bytes of a buffer view, and its description."""
        view = self.at(self.document.buffer_views, index, "bufferView")
        if index not in self._views:
            self._views[index] = self._read_view(index, view)
        return self._views[index], view

    def _read_view(self, index: int, view: BufferView) -> memoryview:
        packed = view.extensions.meshopt or view.extensions.khr_meshopt
        if packed is None:
            return self._slice(view.buffer, view.byte_offset, view.byte_length, f"bufferView {index}")
        data = self._slice(packed.buffer, packed.byte_offset, packed.byte_length, f"bufferView {index}")
        try:
            return decode_view(data, packed.count, packed.byte_stride, packed.mode, packed.filter)
        except ValueError as error:
            raise self.error(f"bufferView {index}: meshopt data are damaged ({error}).") from error

    def _slice(self, buffer: int, start: int, length: int, what: str) -> memoryview:
        data = self._buffer(buffer)
        if start + length > len(data):
            raise self.error(f"{what} reaches byte {start + length} of buffer {buffer}, which has {len(data)}.")
        return data[start : start + length]

    def _buffer(self, index: int) -> memoryview:
        if index not in self._buffers:
            self._buffers[index] = self._read_buffer(index)
        return self._buffers[index]

    def _read_buffer(self, index: int) -> memoryview:
        buffer = self.at(self.document.buffers, index, "buffer")
        if buffer.uri is not None:
            data = memoryview(self.source.sibling(buffer.uri))
        elif self._binary is not None and index == 0:
            data = self._binary
        else:
            raise self.error(f"buffer {index} has no bytes: neither a uri nor a GLB chunk.")
        if len(data) < buffer.byte_length:
            raise self.error(f"buffer {index} is truncated: {len(data)} of {buffer.byte_length} bytes are there.")
        return data[: buffer.byte_length]


def _split(source: SceneSource, data: bytes) -> tuple[memoryview, memoryview | None]:
    """JSON text and, in a GLB, the first binary chunk."""
    view = memoryview(data)
    if data[:4] != b"glTF":
        return view, None
    if len(data) < 20:
        raise SceneError(f"{source.path}: the GLB ends inside its header. Download it again.")
    version, total = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise SceneError(f"{source.path}: GLB version {version}; only 2 is read. Convert it to glTF 2.0.")
    if total > len(data):
        raise SceneError(f"{source.path}: truncated, {len(data)} of {total} bytes are there. Download it again.")
    if total < len(data):
        source.notes.append(f"ignored {len(data) - total} bytes after the end of the GLB")
    chunks = _chunks(source, view[:total])
    text = chunks.get(0x4E4F534A)
    if text is None:
        raise SceneError(f"{source.path}: the GLB holds no JSON chunk. Export the scene again.")
    return text, chunks.get(0x004E4942)


def _chunks(source: SceneSource, view: memoryview) -> dict[int, memoryview]:
    chunks: dict[int, memoryview] = {}
    position = 12
    while position + 8 <= len(view):
        length, kind = struct.unpack_from("<II", view, position)
        if position + 8 + length > len(view):
            raise SceneError(f"{source.path}: a GLB chunk of {length} bytes runs past the file's end.")
        chunks.setdefault(kind, view[position + 8 : position + 8 + length])
        position += 8 + length + (-length) % 4
    return chunks


def _parse(source: SceneSource, text: memoryview) -> Gltf:
    try:
        document = _DOCUMENT.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SceneError(f"{source.path}: not a valid glTF 2.0 document ({error}).") from error
    if not document.asset.version.startswith("2."):
        raise SceneError(f"{source.path}: glTF {document.asset.version}; only 2.0 is read. Convert the scene.")
    unknown = [
        name for name in document.extensions_required if name not in SUPPORTED and not name.startswith(_LOOK_ONLY)
    ]
    if unknown:
        raise SceneError(
            f"{source.path}: needs {', '.join(one_line(str(name)) for name in unknown)}, which nav_eval does not read. "
            "Export the scene without it."
        )
    return document
