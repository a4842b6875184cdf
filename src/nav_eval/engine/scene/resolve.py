"""From the scene id of an episode to the file that holds the scene."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nav_eval.engine.scene.formats import SCENE_FORMATS
from nav_eval.engine.scene.source import is_file, safe_relative
from nav_eval.errors import SceneError

PREFIX = "data/scene_datasets/"
ENDINGS = (".glb", ".gltf", ".obj", ".ply")


def resolve_scene(scenes_dir: str | Path, scene_id: str) -> Path:
    """`<scenes_dir>/<scene_id>`, with an ending added if it has none; SceneError where no such file is.

    A leading `data/scene_datasets/` is stripped. An id that names a folder, as Matterport3D's and HM3D's scans are
    often called, finds the scene in it.
    """
    name = safe_relative(scene_id.removeprefix("./").removeprefix(PREFIX), "scene id").as_posix()
    root = Path(scenes_dir)
    for candidate in _candidates(root, name):
        if is_file(candidate):
            return candidate
    shown = name if len(name) <= 200 else f"{name[:197]}..."
    raise SceneError(
        f"{root / shown}: there is no such scene. Set simulator.scenes_dir to the folder that holds "
        f"{shown.split('/')[0]!r}, or see `nav-eval data check`."
    )


def _candidates(root: Path, name: str) -> Iterator[Path]:
    names = [name]
    head, _, rest = name.partition("/")
    if rest and head == root.name:
        names.append(rest)  # scenes_dir was given as .../mp3d itself
    for relative in names:
        path = root / relative
        if path.suffix.lower().lstrip(".") in SCENE_FORMATS:
            yield path
        short = path.name.partition("-")[2] or path.name
        for ending in (*ENDINGS, ".basis.glb"):
            yield path.with_name(path.name + ending)
            yield path / f"{path.name}{ending}"
            yield path / f"{short}{ending}"
