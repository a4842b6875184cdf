"""Wavefront OBJ with its MTL: positions, texture coordinates, vertex colours, diffuse colour and picture.

Source: the "Object Files" appendix of Wavefront's Advanced Visualizer manual. Triangles keep the file's order;
polygons become fans. What an MTL names but nobody shipped is left out with a note, as usual in the wild.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.assembly import Part, assemble, check_indices, numbers
from nav_eval.engine.scene.images import Pictures
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import SceneError


@dataclass(slots=True)
class _Mesh:
    """What the lines of an OBJ said; `corners` holds (vertex, texture coordinate or -1) of each triangle corner."""

    positions: list[list[bytes]] = field(default_factory=list)
    uvs: list[list[bytes]] = field(default_factory=list)
    corners: list[tuple[int, int]] = field(default_factory=list)
    materials: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    libraries: list[str] = field(default_factory=list)


def load_obj(source: SceneSource) -> Scene:
    """Read .obj, in the file's own frame."""
    mesh = _parse(source)
    materials, textures = _read_materials(source, mesh)
    return assemble(source.path.stem, [_part(source, mesh)], materials, textures, str(source.path))


def _parse(source: SceneSource) -> _Mesh:
    mesh = _Mesh()
    current = 0
    for number, line in enumerate(source.read().replace(b"\\\n", b" ").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            mesh.positions.append(words[1:])
        elif words[0] == b"vt":
            mesh.uvs.append(words[1:3])
        elif words[0] == b"f":
            count = len(mesh.corners)
            _add_face(source, mesh, words[1:], number)
            mesh.materials.extend([current] * ((len(mesh.corners) - count) // 3))
        elif words[0] == b"usemtl":
            current = mesh.names.setdefault(_text(line, words[0]), len(mesh.names) + 1)
        elif words[0] == b"mtllib":
            mesh.libraries.append(_text(line, words[0]))
    return mesh


def _text(line: bytes, keyword: bytes) -> str:
    return line.strip()[len(keyword) :].strip().decode("utf-8", "replace")


def _add_face(source: SceneSource, mesh: _Mesh, words: Sequence[bytes], number: int) -> None:
    try:
        corners = [_corner(word, len(mesh.positions), len(mesh.uvs)) for word in words]
    except ValueError as error:
        raise SceneError(f"{source.path}: line {number} is not a face ({error}). Export the scene again.") from error
    for second, third in pairwise(corners[1:]):
        mesh.corners += (corners[0], second, third)


def _corner(word: bytes, vertices: int, uvs: int) -> tuple[int, int]:
    """`v`, `v/vt`, `v//vn`, `v/vt/vn`; from 1 on, or negative from the latest one back."""
    numbers = word.split(b"/")
    vertex = _index(numbers[0], vertices)
    return vertex, _index(numbers[1], uvs) if len(numbers) > 1 and numbers[1] else -1


def _index(word: bytes, count: int) -> int:
    number = int(word)
    index = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= index < 2**31:
        raise ValueError(f"index {number}")
    return index


def _part(source: SceneSource, mesh: _Mesh) -> Part:
    """One vertex per distinct (position, texture coordinate) pair."""
    values = _numbers(source, mesh.positions, 3, "v")
    uvs = _numbers(source, mesh.uvs, 2, "vt")
    corners = np.array(mesh.corners, np.int64).reshape(-1, 2)
    where = str(source.path)
    check_indices(corners[:, 0], len(values), where)
    check_indices(corners[:, 1] + 1, len(uvs) + 1, f"{where} (vt)")
    pairs, flat = np.unique(corners[:, 0] * (len(uvs) + 1) + corners[:, 1] + 1, return_inverse=True)
    vertex, uv = pairs // (len(uvs) + 1), pairs % (len(uvs) + 1) - 1
    return Part(
        np.ascontiguousarray(values[vertex, :3]),
        flat.reshape(-1, 3).astype(np.int32),
        np.array(mesh.materials, np.int32),
        _flip(uvs, uv) if len(uvs) else None,
        _colors(values[vertex, 3:6]) if values.shape[1] >= 6 else None,
    )


def _numbers(source: SceneSource, lines: list[list[bytes]], least: int, what: str) -> NDArray[np.float32]:
    """(N, M) float32 from lines of words; M is 6 where every vertex carries a colour."""
    if not lines:
        return np.zeros((0, least), np.float32)
    widths = {len(line) for line in lines}
    width = 6 if least == 3 and min(widths) >= 6 else least
    if min(widths) < least:
        raise SceneError(f"{source.path}: a {what!r} line has fewer than {least} numbers. Export the scene again.")
    try:
        return numbers([word for line in lines for word in line[:width]], np.float32).reshape(-1, width)
    except ValueError as error:
        raise SceneError(f"{source.path}: a {what!r} line holds no number ({error}).") from error


def _flip(uvs: NDArray[np.float32], index: NDArray[np.int64]) -> NDArray[np.float32]:
    """OBJ counts v from the bottom, glTF and we from the top; corners without a coordinate get (0, 0)."""
    chosen = np.concatenate([uvs, [[0.0, 1.0]]]).astype(np.float32)[index]
    chosen[:, 1] = np.float32(1.0) - chosen[:, 1]
    return chosen


def _colors(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    colors = np.full((len(values), 4), 255, np.uint8)
    colors[:, :3] = np.rint(np.clip(np.nan_to_num(values), 0.0, 1.0) * 255.0)
    return colors


def _read_materials(source: SceneSource, mesh: _Mesh) -> tuple[list[Material], Pictures]:
    """Material 0 is the default; then those that faces use, in the order of first use."""
    library: dict[str, dict[str, list[str]]] = {}
    for name in mesh.libraries:
        text = _optional(source, name, "material library")
        if text is not None:
            library.update(_parse_mtl(text))
    images: dict[str, int] = {}
    encoded: list[tuple[bytes, str]] = []
    materials = [Material(name="default")]
    for name in mesh.names:
        materials.append(_material(source, name, library.get(name, {}), images, encoded))
    return materials, Pictures(encoded, source.notes)


def _parse_mtl(text: bytes) -> dict[str, dict[str, list[str]]]:
    library: dict[str, dict[str, list[str]]] = {}
    current: dict[str, list[str]] = {}
    for line in text.decode("utf-8", "replace").splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == "newmtl":
            current = library.setdefault(line.strip()[6:].strip(), {})
        elif len(words) > 1:
            current[words[0]] = words[1:]
    return library


def _material(
    source: SceneSource,
    name: str,
    stored: dict[str, list[str]],
    images: dict[str, int],
    encoded: list[tuple[bytes, str]],
) -> Material:
    color = _floats(stored.get("Kd", []), 3) or (1.0, 1.0, 1.0)
    alpha = _floats(stored.get("d", []), 1)
    veil = _floats(stored.get("Tr", []), 1)
    opacity = alpha[0] if alpha else 1.0 - veil[0] if veil else 1.0
    picture = " ".join(_without_options(stored.get("map_Kd", [])))
    if picture and picture not in images:
        data = _optional(source, picture, "texture")
        images[picture] = len(encoded) if data is not None else -1
        if data is not None:
            encoded.append((data, f"{source.path}: {picture}"))
    texture = images.get(picture, -1)
    if texture >= 0 and not any(color):
        color = (1.0, 1.0, 1.0)  # exporters write a black Kd beside a picture that is meant to be seen
    red, green, blue = color
    return Material(name, (red, green, blue, opacity), texture, "blend" if opacity < 1.0 else "opaque")


def _floats(words: Sequence[str], count: int) -> tuple[float, ...] | None:
    try:
        numbers = [float(word) for word in words[:count]]
    except ValueError:
        return None
    if len(numbers) != count or any(map(math.isnan, numbers)):
        return None
    return tuple(min(max(number, 0.0), 1.0) for number in numbers)


def _without_options(words: Sequence[str]) -> list[str]:
    """A file name may hold blanks; options (-s 1 1 1, -clamp on) come before it."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest.pop(0)
        while len(rest) > 1 and (rest[0] in ("on", "off") or rest[0].lstrip("-").replace(".", "", 1).isdigit()):
            rest.pop(0)
    return rest


def _optional(source: SceneSource, name: str, what: str) -> bytes | None:
    """A file that the OBJ names, or None with a note that says what is missing."""
    try:
        return source.sibling(name)
    except SceneError as error:
        source.notes.append(f"{what} {name!r} is left out: {error}")
        return None
