"""From a path to a Scene in nav_eval's frame: read, repair, turn upright, add semantics."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from nav_eval.admission import Blaming, file_of
from nav_eval.engine.scene.axes import Frame, UpAxis, frame_of
from nav_eval.engine.scene.formats import SCENE_FORMATS, SceneLoader
from nav_eval.engine.scene.images import Pictures
from nav_eval.engine.scene.repair import repaired
from nav_eval.engine.scene.scene import Scene
from nav_eval.engine.scene.semantics.attach import with_semantics
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import ConfigError, SceneError
from nav_eval.reading import file_sha256

MAX_NOTES = 20


def load_scene(path: str | Path, up: UpAxis = "auto", scale: float = 1.0) -> Scene:
    """The scene in `path`, in metres, y up; `scale`: metres of the file's unit.

    SceneError says what is wrong with a file that cannot be used.
    """
    return read_scene(SceneSource(Path(path)), up, scale)


def read_scene(source: SceneSource, up: UpAxis = "auto", scale: float = 1.0) -> Scene:
    """As load_scene; `source` then knows which files were read."""
    frame = frame_of(source, up, scale)
    try:
        scene = _load(source)
        scene = repaired(replace(scene, positions=frame.scaled(scene.positions)), str(source.path))
    except MemoryError as error:
        raise SceneError(f"{source.path}: does not fit into memory. Decimate the scene or its textures.") from error
    scene = replace(scene, positions=np.ascontiguousarray(frame.turn(scene.positions)))
    scene = with_semantics(source, scene, frame)
    return _frozen(replace(scene, digest=_digest(source, frame), notes=_shorten([*scene.notes, *source.notes])))


def _load(source: SceneSource) -> Scene:
    loader = loader_of(source.path)
    with Blaming(f"{source.path}: its loader", loader, SceneError):
        scene: object = loader(source)
    if not isinstance(scene, Scene):
        raise SceneError(f"{source.path}: its loader{file_of(loader)} returned {scene!r:.60}. Return a Scene.")
    return scene


def _digest(source: SceneSource, frame: Frame) -> str:
    """Of all that the geometry depends on, since caches are kept by it: files, frame, code of a plug-in's loader."""
    code = _code(loader_of(source.path))
    unit = "" if frame.scale == 1.0 else f" times {frame.scale!r}"
    if frame.is_identity and not unit + code:
        return source.digest
    return hashlib.sha256(f"{source.digest} {frame.axes}{unit}{code}".encode()).hexdigest()


def _code(loader: SceneLoader) -> str:
    """SHA-256 of the module that holds a plug-in's loader; "" for our own, whose version the caches know."""
    module = getattr(loader, "__module__", "")
    file = getattr(sys.modules.get(module), "__file__", None)
    if module.startswith("nav_eval.") or file is None:
        return ""
    return file_sha256(file)


def _shorten(notes: list[str]) -> tuple[str, ...]:
    """Each note once, and no more of them than a person reads."""
    once = list(dict.fromkeys(notes))
    rest = len(once) - MAX_NOTES
    return (*once[:MAX_NOTES], f"and {rest} more of the kind") if rest > 0 else tuple(once)


def _frozen(scene: Scene) -> Scene:
    """Sessions share the arrays: nobody may write to them."""
    beyond = () if scene.sky is None else scene.sky.pictures
    for pictures in (scene.arrays, scene.textures, beyond):
        if not isinstance(pictures, Pictures):  # whose arrays are read-only, and need not be decoded for this
            for array in pictures:
                array.flags.writeable = False
    return scene


def loader_of(path: Path) -> SceneLoader:
    """The registered loader for the file's ending."""
    if path.suffix == ".navmesh":
        raise SceneError(
            f"{path}: a navmesh has no walls to show. Give the scene that it was built for (.glb, .ply, ...)."
        )
    try:
        return SCENE_FORMATS.get(path.suffix.lower().lstrip("."))
    except ConfigError as error:
        raise SceneError(f"{path}: {error}") from error
