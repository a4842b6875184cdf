"""Stanford PLY, ascii and binary: positions, vertex colours, texture coordinates, polygons, object ids of faces.

Source: Greg Turk's PLY description. Matterport3D's `_semantic.ply` is one, with an object id on each face.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.assembly import MAX_ELEMENTS, Part, assemble, check_indices, numbers
from nav_eval.engine.scene.images import Pictures
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import SceneError

_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass(slots=True)
class _Property:
    name: str
    type: str
    count_type: str = ""
    """The type of a list's length; empty for a plain number."""


@dataclass(slots=True)
class _Element:
    name: str
    count: int
    properties: list[_Property]


Columns = dict[str, NDArray[Any]]


def load_ply(source: SceneSource) -> Scene:
    """Read .ply, in the file's own frame."""
    data = source.read()
    try:
        order, elements, texture, start = _header(data)
        columns = _Body(data, start, order).read(elements)
        part = _part(str(source.path), columns.get("vertex", {}), columns.get("face", {}))
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        reason = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise SceneError(f"{source.path}: the PLY is damaged ({reason}). Export the scene again.") from error
    encoded = [(source.sibling(texture), f"{source.path}: {texture}")] if texture else []
    textures = Pictures(encoded, source.notes)
    material = Material(texture=0 if textures and part.uvs is not None else -1)
    return assemble(source.path.stem, [part], [material], textures, str(source.path))


def _header(data: bytes) -> tuple[str, list[_Element], str, int]:
    """Byte order ('' for ascii), elements, the texture's name or '', and where the body starts."""
    end = data.find(b"end_header", 0, 1 << 20)
    if not data.startswith(b"ply") or end < 0:
        raise ValueError("no PLY header")
    order, texture = "", ""
    elements: list[_Element] = []
    for line in data[:end].decode("latin-1").splitlines()[1:]:
        words = line.split()
        if words[:1] == ["format"]:
            order = _ORDERS[words[1]]
        elif words[:2] == ["comment", "TextureFile"]:
            texture = " ".join(words[2:])
        elif words[:1] == ["element"]:
            elements.append(_Element(words[1], int(words[2]), []))
        elif words[:2] == ["property", "list"]:
            elements[-1].properties.append(_Property(words[4], _TYPES[words[3]], _TYPES[words[2]]))
        elif words[:1] == ["property"]:
            elements[-1].properties.append(_Property(words[2], _TYPES[words[1]]))
    for element in elements:
        if not 0 <= element.count <= MAX_ELEMENTS:
            raise ValueError(f"{element.count} of {element.name}")
    return order, elements, texture, data.index(b"\n", end) + 1


class _Body:
    """Reads elements one after the other, each to columns by property name; a list is an (n, 2) pair column.

    A list property named p becomes p (all items, flat) and p.lengths.
    """

    def __init__(self, data: bytes, start: int, order: str) -> None:
        self._data = data
        self._at = start
        self._order = order
        self._words = data[start:].split() if not order else []
        self._word = 0

    def read(self, elements: list[_Element]) -> dict[str, Columns]:
        return {element.name: self._element(element) for element in elements}

    def _element(self, element: _Element) -> Columns:
        if not element.properties:
            return {}  # however many rows it says: they take no bytes
        if not self._order:
            return self._ascii(element)
        lists = [p for p in element.properties if p.count_type]
        return self._uniform(element, lists) or self._ragged(element)

    def _uniform(self, element: _Element, lists: list[_Property]) -> Columns | None:
        """Rows of one size: plain numbers, or lists that all have the length of the first row's."""
        lengths = self._first_lengths(element) if lists and element.count else {}
        fields: list[Any] = []
        for p in element.properties:
            if p.count_type:
                fields.append((f"{p.name}.lengths", self._order + p.count_type))
                fields.append((p.name, self._order + p.type, (lengths.get(p.name, 0),)))
            else:
                fields.append((p.name, self._order + p.type))
        dtype = np.dtype(fields)
        if dtype.itemsize * element.count > len(self._data) - self._at:
            if lists:
                return None
            raise ValueError(f"the body ends inside {element.name}")
        rows = np.frombuffer(self._data, dtype, element.count, self._at)
        if any((rows[f"{p.name}.lengths"] != lengths[p.name]).any() for p in lists if element.count):
            return None
        self._at += dtype.itemsize * element.count
        return {name: rows[name].reshape(-1) for name in dtype.names or ()}

    def _first_lengths(self, element: _Element) -> dict[str, int]:
        at = self._at
        lengths = {}
        for p in element.properties:
            if p.count_type:
                lengths[p.name] = length = self._number(p.count_type, at)
                at += np.dtype(p.count_type).itemsize + length * np.dtype(p.type).itemsize
            else:
                at += np.dtype(p.type).itemsize
        return lengths

    def _number(self, kind: str, at: int) -> int:
        values = np.frombuffer(self._data, self._order + kind, 1, at)
        if not 0 <= int(values[0]) <= 1 << 16:
            raise ValueError(f"a list of {values[0]} items")
        return int(values[0])

    def _ragged(self, element: _Element) -> Columns:
        """Rows with lists of differing lengths, one by one."""
        items: dict[str, list[NDArray[Any]]] = {p.name: [] for p in element.properties}
        lengths: dict[str, list[int]] = {p.name: [] for p in element.properties if p.count_type}
        for _ in range(element.count):
            for p in element.properties:
                length = 1
                if p.count_type:
                    length = self._number(p.count_type, self._at)
                    self._at += np.dtype(p.count_type).itemsize
                    lengths[p.name].append(length)
                items[p.name].append(np.frombuffer(self._data, self._order + p.type, length, self._at))
                self._at += np.dtype(p.type).itemsize * length
        columns = {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in items.items()}
        return columns | {f"{name}.lengths": np.array(values, np.int64) for name, values in lengths.items()}

    def _ascii(self, element: _Element) -> Columns:
        if not any(p.count_type for p in element.properties):
            width = len(element.properties)
            words = self._take(element.count * width)
            table = numbers(words, np.float64).reshape(-1, width)
            return {p.name: table[:, index] for index, p in enumerate(element.properties)}
        items: dict[str, list[float]] = {p.name: [] for p in element.properties}
        lengths: dict[str, list[int]] = {p.name: [] for p in element.properties if p.count_type}
        for _ in range(element.count):
            for p in element.properties:
                length = int(self._take(1)[0]) if p.count_type else 1
                if p.count_type:
                    lengths[p.name].append(length)
                items[p.name] += [float(word) for word in self._take(length)]
        columns: Columns = {name: np.array(values, np.float64) for name, values in items.items()}
        return columns | {f"{name}.lengths": np.array(values, np.int64) for name, values in lengths.items()}

    def _take(self, count: int) -> list[bytes]:
        if not 0 <= count <= len(self._words) - self._word:
            raise ValueError("the body ends too early")
        self._word += count
        return self._words[self._word - count : self._word]


def _part(where: str, vertex: Columns, face: Columns) -> Part:
    positions = np.stack([vertex[axis] for axis in "xyz"], axis=1).astype(np.float32)
    name = next((name for name in ("vertex_indices", "vertex_index") if name in face), None)
    if name is None:
        return Part(positions, np.zeros((0, 3), np.int32))
    triangles, faces = _fans(face[name].astype(np.int64), face[f"{name}.lengths"].astype(np.int64))
    ids = face.get("object_id")
    return Part(
        positions,
        check_indices(triangles, len(positions), where),
        0,
        _uvs(vertex),
        _colors(vertex),
        0 if ids is None else np.maximum(ids[faces].astype(np.int64), 0).astype(np.int32),
    )


def _fans(items: NDArray[np.int64], lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Polygons to triangles: (T, 3) vertices, and (T,) the polygon each came from."""
    starts = np.cumsum(lengths) - lengths
    counts = np.maximum(lengths - 2, 0)
    faces = np.repeat(np.arange(len(lengths)), counts)
    within = np.arange(len(faces)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = starts[faces]
    return np.stack([items[first], items[first + within + 1], items[first + within + 2]], axis=1), faces


def _uvs(vertex: Columns) -> NDArray[np.float32] | None:
    for s, t in (("s", "t"), ("u", "v"), ("texture_u", "texture_v"), ("tx", "ty")):
        if s in vertex and t in vertex:
            return np.stack([vertex[s], 1.0 - vertex[t]], axis=1).astype(np.float32)
    return None


def _colors(vertex: Columns) -> NDArray[np.uint8] | None:
    if not all(channel in vertex for channel in ("red", "green", "blue")):
        return None
    colors = np.full((len(vertex["red"]), 4), 255, np.uint8)
    for index, channel in enumerate(("red", "green", "blue", "alpha")):
        if channel in vertex:
            values = vertex[channel]
            scale = 255.0 if values.dtype.kind == "f" and values.size and float(np.nanmax(values)) <= 1.0 else 1.0
            colors[:, index] = np.clip(np.rint(np.nan_to_num(values) * scale), 0, 255)
    return colors
