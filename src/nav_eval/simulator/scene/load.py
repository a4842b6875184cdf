"""From a path to a Scene in nav_eval's frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from nav_eval.errors import ConfigError, SceneError
from nav_eval.simulator.scene.formats import SCENE_FORMATS, SceneLoader
from nav_eval.simulator.scene.scene import Scene
from nav_eval.simulator.scene.source import SceneSource

UpAxis = Literal["auto", "y", "z"]


def load_scene(path: str | Path, up: UpAxis = "auto") -> Scene:
    """The scene in `path`, in metres, y up. SceneError says what is wrong with a file that cannot be used."""
    source = SceneSource(Path(path))
    scene = loader_of(source.path)(source)
    return replace(scene, digest=source.digest, notes=(*scene.notes, *source.notes))


def loader_of(path: Path) -> SceneLoader:
    """The registered loader for the file's ending."""
    try:
        return SCENE_FORMATS.get(path.suffix.lower().lstrip("."))
    except ConfigError as error:
        raise SceneError(f"{path}: {error}") from error
