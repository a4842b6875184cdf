"""HM3D: `<id>.semantic.txt` (id, colour, category, region) and `<id>.semantic.glb` (a mesh in those colours).

Source: the HM3D-Semantics data set as published. A triangle's id is that of the colour seen most often on it, from
the texture at seven points or from its corners' vertex colours.
"""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.scene.axes import Frame, scene_stem
from nav_eval.engine.scene.gltf.loader import load_gltf
from nav_eval.engine.scene.repair import repaired
from nav_eval.engine.scene.scene import Scene, SemanticObject, SemanticRegion
from nav_eval.engine.scene.semantics.transfer import transfer_ids
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import SceneError

HEADER = "HM3D Semantic Annotations"
_PROBES = np.array(
    [[4, 4, 4], [8, 2, 2], [2, 8, 2], [2, 2, 8], [1, 5.5, 5.5], [5.5, 1, 5.5], [5.5, 5.5, 1]], np.float64
) / np.full((7, 1), 12.0)
"""Barycentric coordinates inside a triangle, the middle first."""


def attach(source: SceneSource, scene: Scene, frame: Frame, text: bytes) -> Scene:
    """`scene` with the listed objects and regions, and ids from the semantic mesh where it is there."""
    stem = scene_stem(source.path)
    try:
        objects, colors = parse_annotations(text.decode("utf-8-sig", "replace"))
    except (ValueError, IndexError, csv.Error) as error:
        raise SceneError(f"{stem}.semantic.txt: not an HM3D annotation ({error}). Download it again.") from error
    mesh = source.path.with_name(f"{stem}.semantic.glb")
    ids = scene.object_ids
    if mesh != source.path and source.has(mesh):
        annotated = repaired(load_gltf(source.beside(mesh)), str(mesh))
        annotated = replace(annotated, positions=frame.turn(frame.scaled(annotated.positions)))
        ids = transfer_ids(annotated, ids_of_colors(annotated, colors), scene)
    elif ids is None:
        source.notes.append(f"{mesh.name} is not there: objects are listed, but no triangle shows them")
    numbers = sorted({o.region for o in objects if o.region >= 0})
    regions = tuple(SemanticRegion(number, "unknown") for number in numbers)
    return replace(scene, objects=objects, regions=regions, object_ids=ids)


def parse_annotations(text: str) -> tuple[tuple[SemanticObject, ...], dict[int, int]]:
    """Objects, and ids by colour 0xRRGGBB; ValueError or IndexError where a line is not of the format."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != HEADER:
        raise ValueError(f"it does not start with {HEADER!r}")
    objects, colors = [], {}
    for row in csv.reader(line for line in lines[1:] if line.strip()):
        number, color, category, region = int(row[0]), int(row[1], 16), row[2].strip(), int(row[3])
        if not 0 < number < 2**31 or not 0 <= color < 1 << 24:
            raise ValueError(f"object {row[0]} of colour {row[1]}")
        objects.append(SemanticObject(number, category, region))
        colors[color] = number
    return tuple(objects), colors


def ids_of_colors(annotated: Scene, colors: dict[int, int]) -> NDArray[np.int32]:
    """(T,) int32: the object whose colour each triangle of the semantic mesh shows; 0 for other colours."""
    seen = _seen_colors(annotated)
    seen.sort(axis=1)
    votes = (seen[:, :, None] == seen[:, None, :]).sum(axis=2)
    chosen = np.take_along_axis(seen, votes.argmax(axis=1)[:, None], axis=1)[:, 0]
    known = np.array(sorted(colors), np.int64)
    ids = np.array([colors[int(color)] for color in known] or [0], np.int32)
    place = np.searchsorted(known, chosen).clip(0, max(len(known) - 1, 0))
    return np.where(known[place] == chosen, ids[place], 0).astype(np.int32) if len(known) else ids[place] * 0


def _seen_colors(scene: Scene) -> NDArray[np.int64]:
    """(T, 7) colours 0xRRGGBB: texels where there is a texture, else vertex colours, else the material's."""
    base = np.array([m.base_color[:3] for m in scene.materials])
    seen = np.repeat(_pack(np.rint(base * 255.0).astype(np.int64))[scene.material_ids][:, None], 7, axis=1)
    if scene.colors is not None:
        corners = _pack(scene.colors[scene.triangles][:, :, :3].astype(np.int64))
        seen = corners[:, [0, 1, 2, 0, 1, 2, 0]]
    for material, look in enumerate(scene.materials):
        rows = np.flatnonzero(scene.material_ids == material)
        if look.texture >= 0 and scene.uvs is not None and len(rows):
            texture = scene.textures[look.texture]
            uvs = np.einsum("pc,tcd->tpd", _PROBES, scene.uvs[scene.triangles[rows]].astype(np.float64)) % 1.0
            height, width = texture.shape[:2]
            x, y = (uvs[..., 0] * width).astype(np.int64), (uvs[..., 1] * height).astype(np.int64)
            seen[rows] = _pack(texture[y.clip(0, height - 1), x.clip(0, width - 1), :3].astype(np.int64))
    return seen


def _pack(rgb: NDArray[np.int64]) -> NDArray[np.int64]:
    packed: NDArray[np.int64] = (rgb[..., 0] << 16) | (rgb[..., 1] << 8) | rgb[..., 2]
    return packed
