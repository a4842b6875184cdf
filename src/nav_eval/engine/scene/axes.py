"""Which way is up in a file and what its unit is, and the turn to nav_eval's frame (metres, y up, -z forward).

Habitat reads a bare .glb as Z-up unless a stage or scene data set configuration says otherwise; glTF itself is Y-up.
`auto` follows such a configuration, then the layouts of Matterport3D, HM3D and Gibson (Z-up), then glTF.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from nav_eval.engine.scene.source import SceneSource, is_file
from nav_eval.errors import SceneError

T = TypeVar("T")
UpAxis = Literal["auto", "y", "z"]
Vector = tuple[float, float, float]
Layout = Literal["mp3d", "hm3d", "gibson"]
_FRONTS: dict[int, Vector] = {0: (0.0, 0.0, -1.0), 1: (0.0, 0.0, -1.0), 2: (0.0, 1.0, 0.0)}


@dataclass(frozen=True, slots=True)
class Frame:
    """A file's up and front directions, the rule that told them, and the metres of its unit."""

    up: Vector
    front: Vector
    reason: str
    scale: float = 1.0

    @property
    def axes(self) -> NDArray[np.float64]:
        """(3, 3), unit rows: right, up and back in the file's coordinates."""
        return np.array([np.cross(self.front, self.up), self.up, np.negative(self.front)]) + 0.0  # no -0.0

    @property
    def is_identity(self) -> bool:
        return np.array_equal(self.axes, np.eye(3))

    def scaled(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """(N, 3) from the file's unit to metres."""
        return points if self.scale == 1.0 else points * np.float32(self.scale)

    def turn(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """(N, 3) from the file's axes to y up, -z forward; exact where the axes are the file's own."""
        if self.is_identity:
            return points
        rows = self.axes
        turned = np.empty_like(points)
        for row, weights in enumerate(rows):
            used = np.flatnonzero(weights)
            if len(used) == 1 and abs(weights[used[0]]) == 1.0:
                turned[:, row] = points[:, used[0]] * np.float32(weights[used[0]])
            else:
                turned[:, row] = points @ weights.astype(np.float32)
        return turned


Y_UP = Frame((0.0, 1.0, 0.0), (0.0, 0.0, -1.0), "glTF's Y-up")
Z_UP = Frame((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), "asked for")


class _Stage(Struct, frozen=True):
    up: list[float] | None = None
    front: list[float] | None = None


class _Stages(Struct, frozen=True):
    default_attributes: _Stage = _Stage()
    paths: dict[str, list[str]] = {}


class _SceneDataset(Struct, frozen=True):
    stages: _Stages = _Stages()


_STAGE = msgspec.json.Decoder(_Stage)
_SCENE_DATASET = msgspec.json.Decoder(_SceneDataset)
"""Both made here, because a type that threads show to msgspec for the first time together can end the process."""


def frame_of(source: SceneSource, up: UpAxis = "auto", scale: float = 1.0) -> Frame:
    """The frame of the scene in `source`; SceneError for another `up`, or a configuration that is damaged."""
    if not 0 < scale < math.inf:
        raise SceneError(f"{source.path}: scale={scale:g}; it is the metres of a unit, 0.001 for millimetres.")
    return replace(_orient(source, up), scale=scale)


def _orient(source: SceneSource, up: UpAxis) -> Frame:
    if up == "y":
        return Frame(Y_UP.up, Y_UP.front, "asked for")
    if up == "z":
        return Z_UP
    if up != "auto":
        raise SceneError(f"{source.path}: up={up!r}; it is auto, y or z.")
    layout = layout_of(source.path)
    by_layout = None if layout is None else Frame(Z_UP.up, Z_UP.front, f"the layout of {layout}")
    return _from_stage_config(source) or _from_dataset_config(source) or by_layout or Y_UP


def scene_stem(path: Path) -> str:
    """The scene's name without its endings: `.basis.glb` and `_semantic.ply` are a scene's other faces."""
    return re.sub(r"(\.basis|\.semantic|_semantic)$", "", path.stem)


def layout_of(path: Path) -> Layout | None:
    """Whose layout a file lies in, told by its neighbours and the two to four folders above it."""
    folders = [part.lower() for part in path.absolute().parts[:-1]][::-1]
    stem = scene_stem(path)
    if path.stem.endswith(".basis") or re.fullmatch(r"\d{5}-" + re.escape(stem), path.parent.name):
        return "hm3d"
    if is_file(path.with_name(f"{stem}.house")) or (
        path.parent.name == stem and folders[1:2] in (["mp3d"], ["matterport3d"])
    ):
        return "mp3d"
    if any(name.startswith("hm3d") for name in folders[:3]):
        return "hm3d"
    return "gibson" if any(name.startswith("gibson") for name in folders[:2]) else None


def _from_stage_config(source: SceneSource) -> Frame | None:
    for stem in dict.fromkeys((source.path.stem, scene_stem(source.path))):
        path = source.path.with_name(f"{stem}.stage_config.json")
        text = source.optional(path)
        if text is not None:
            return _frame(_decode(path, text, _STAGE), path)
    return None


def _from_dataset_config(source: SceneSource) -> Frame | None:
    """The nearest `*.scene_dataset_config.json` in the folders above whose paths name this file."""
    scene = source.path.absolute()
    for folder in scene.parents[:4]:
        for path in sorted(folder.glob("*.scene_dataset_config.json")):
            stages = _decode(path, source.read(path), _SCENE_DATASET).stages
            patterns = [pattern for group in stages.paths.values() for pattern in group]
            relative = scene.relative_to(folder)
            if not patterns or any(_matches(relative, pattern) for pattern in patterns):
                frame = _frame(stages.default_attributes, path)
                if frame is not None:
                    return frame
    return None


def _matches(relative: Path, pattern: str) -> bool:
    """Whether a pattern of the configuration names the file, or the folder that it lies in."""
    return any(part.match(pattern) for part in (relative, *relative.parents[:-1]) if pattern.strip("./"))


def _decode(path: Path, text: bytes, kind: msgspec.json.Decoder[T]) -> T:
    try:
        return kind.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SceneError(f"{path}: not a valid configuration ({error}). Correct it, or pass up='y' or 'z'.") from error


def _frame(stage: _Stage, path: Path) -> Frame | None:
    if stage.up is None:
        return None
    up = _unit(stage.up, path)
    front = _unit(stage.front, path) if stage.front is not None else _FRONTS[int(np.argmax(np.abs(up)))]
    if abs(float(np.dot(up, front))) > 1e-3:
        raise SceneError(f"{path}: up {up} and front {front} are not perpendicular. Correct one of them.")
    return Frame(up, front, path.name)


def _unit(values: list[float], path: Path) -> Vector:
    length = float(np.linalg.norm(values)) if len(values) == 3 else 0.0
    if not 0.0 < length < float("inf"):
        raise SceneError(f"{path}: {values} is not a direction. Give three numbers.")
    return values[0] / length, values[1] / length, values[2] / length
