"""Matterport3D: `<scan>.house` (rooms, objects, categories) and `<scan>_semantic.ply` (object ids of faces).

Source: Matterport3D's data organization document, ".house format"; region labels from the same. Object ids are the
`.house` file's object indices, as Habitat's semantic sensor shows them; index 0 cannot be told from "no object".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from nav_eval.engine.scene.axes import Frame, scene_stem
from nav_eval.engine.scene.ply import load_ply
from nav_eval.engine.scene.repair import MAX_EXTENT_M, repaired
from nav_eval.engine.scene.scene import Scene, SemanticObject, SemanticRegion
from nav_eval.engine.scene.semantics.transfer import transfer_ids
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import SceneError

REGION_LABELS = {
    "a": "bathroom",
    "b": "bedroom",
    "c": "closet",
    "d": "dining room",
    "e": "entryway/foyer/lobby",
    "f": "familyroom/lounge",
    "g": "garage",
    "h": "hallway",
    "i": "library",
    "j": "laundryroom/mudroom",
    "k": "kitchen",
    "l": "living room",
    "m": "meetingroom/conferenceroom",
    "n": "lounge",
    "o": "office",
    "p": "porch/terrace/deck",
    "r": "rec/game",
    "s": "stairs",
    "t": "toilet",
    "u": "utilityroom/toolroom",
    "v": "tv",
    "w": "workout/gym/exercise",
    "x": "outdoor",
    "y": "balcony",
    "z": "other room",
    "B": "bar",
    "C": "classroom",
    "D": "dining booth",
    "S": "spa/sauna",
    "Z": "junk",
    "-": "no label",
}


def attach(source: SceneSource, scene: Scene, frame: Frame, text: bytes) -> Scene:
    """`scene` with the house's objects and regions, and ids from the semantic mesh where it is there."""
    stem = scene_stem(source.path)
    try:
        objects, regions = parse_house(text.decode("utf-8", "replace"), frame)
    except (ValueError, IndexError, OverflowError) as error:
        raise SceneError(f"{stem}.house: not a Matterport3D house ({error}). Download it again.") from error
    mesh = source.path.with_name(f"{stem}_semantic.ply")
    ids = scene.object_ids
    if mesh != source.path and source.has(mesh):
        annotated = repaired(load_ply(source.beside(mesh)), str(mesh))
        annotated = replace(annotated, positions=frame.turn(frame.scaled(annotated.positions)))
        if annotated.object_ids is not None:
            ids = transfer_ids(annotated, annotated.object_ids, scene)
    elif ids is None:
        source.notes.append(f"{mesh.name} is not there: objects are listed, but no triangle shows them")
    return replace(scene, objects=objects, regions=regions, object_ids=ids)


def parse_house(text: str, frame: Frame) -> tuple[tuple[SemanticObject, ...], tuple[SemanticRegion, ...]]:
    """Objects and regions in nav_eval's frame; ValueError or IndexError where a line is not of the format."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not lines or lines[0][0] != "ASCII":
        raise ValueError("it does not start with 'ASCII'")
    categories = {int(line[1]): line[5].replace("#", " ") for line in _lines(lines, "C", 6)}
    regions = tuple(_region(line, frame) for line in _lines(lines, "R", 15))
    objects = tuple(_object(line, categories, frame) for line in _lines(lines, "O", 16))
    return objects, regions


def _lines(lines: Sequence[list[str]], kind: str, width: int) -> Iterator[list[str]]:
    for line in lines:
        if line[0] == kind:
            if len(line) < width:
                raise ValueError(f"a line {kind!r} has {len(line)} fields, not {width}")
            yield line


def _region(line: list[str], frame: Frame) -> SemanticRegion:
    """R index level 0 0 label px py pz xlo ylo zlo xhi yhi zhi ..."""
    corners = _turn([_vector(line, at) for at in (9, 12)], frame)
    low, high = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    label = REGION_LABELS.get(line[5], line[5])
    return SemanticRegion(
        _index(line[1]), label, _index(line[2]), (low[0], low[1], low[2]), (high[0], high[1], high[2])
    )


def _object(line: list[str], categories: dict[int, str], frame: Frame) -> SemanticObject:
    """O index region category px py pz a0x a0y a0z a1x a1y a1z r0 r1 r2 ...: a box along axes a0, a1, a0 x a1."""
    center, first, second, radii = (_vector(line, at) for at in (4, 7, 10, 13))
    axes = np.abs(_turn([first, second, np.cross(first, second).tolist()], frame))
    x, y, z = _turn([center], frame)[0].tolist()
    width, height, depth = (2.0 * (axes * np.array(radii)[:, None]).sum(axis=0)).tolist()
    category = categories.get(int(line[3]), "unlabeled")
    return SemanticObject(_index(line[1]), category, _index(line[2]), (x, y, z), (width, height, depth))


def _index(word: str) -> int:
    number = int(word)
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"index {word[:40]}")
    return number


def _vector(line: list[str], at: int) -> list[float]:
    """Three numbers of a size that a house has; ValueError for others."""
    values = [float(word) for word in line[at : at + 3]]
    if not all(abs(value) < MAX_EXTENT_M for value in values):
        raise ValueError(f"{' '.join(line[at : at + 3])[:60]} are not metres")
    return values


def _turn(points: list[list[float]], frame: Frame) -> np.ndarray:
    return frame.turn(frame.scaled(np.array(points, np.float32))).astype(np.float64)
