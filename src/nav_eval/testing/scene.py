"""Does a scene format's loader keep its contract? A good file becomes a Scene, a damaged one a SceneError."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from nav_eval.engine.scene.load import load_scene, loader_of
from nav_eval.engine.scene.scene import Scene
from nav_eval.engine.scene.source import SceneSource
from nav_eval.errors import SceneError
from nav_eval.testing.findings import Finding, run_checks


@dataclass(frozen=True, slots=True)
class Trial:
    path: Path

    def raw(self) -> Scene:
        """As the loader gives it, before it is repaired and turned upright."""
        return loader_of(self.path)(SceneSource(self.path))


def check_scene_format(path: str | Path) -> Iterator[Finding]:
    """Findings, one by one. `path`: a good file of the format, whose ending is registered."""
    yield from run_checks(CHECKS, Trial(Path(path)))


def its_arrays_have_the_declared_form(trial: Trial) -> str:
    scene = trial.raw()
    vertices, triangles = len(scene.positions), len(scene.triangles)
    forms = {
        "positions": (scene.positions, (vertices, 3), "float32"),
        "triangles": (scene.triangles, (triangles, 3), "int32"),
        "material_ids": (scene.material_ids, (triangles,), "int32"),
        "uvs": (scene.uvs, (vertices, 2), "float32"),
        "light_uvs": (scene.light_uvs, (vertices, 2), "float32"),
        "colors": (scene.colors, (vertices, 4), "uint8"),
        "object_ids": (scene.object_ids, (triangles,), "int32"),
    }
    for name, (array, shape, dtype) in forms.items():
        if array is not None and (array.shape, array.dtype.name) != (shape, dtype):
            return f"{name} is {array.dtype.name}{list(array.shape)}, not {dtype}{list(shape)}."
    return "" if triangles else "there is no triangle."


def its_indices_name_what_is_there(trial: Trial) -> str:
    scene = trial.raw()
    if scene.triangles.min() < 0 or scene.triangles.max() >= len(scene.positions):
        return "a triangle names a vertex that does not exist."
    if scene.material_ids.min() < 0 or scene.material_ids.max() >= len(scene.materials):
        return "a material_id names a material that does not exist."
    named = [(max(material.texture, material.lightmap), material.name) for material in scene.materials]
    wrong = [name for texture, name in named if texture >= len(scene.textures)]
    return f"material {wrong[0]!r} names a texture that does not exist." if wrong else ""


def reads_the_same_twice(trial: Trial) -> str:
    one, other = load_scene(trial.path), load_scene(trial.path)
    same = np.array_equal(one.positions, other.positions) and np.array_equal(one.triangles, other.triangles)
    return "" if same and one.digest == other.digest else "two readings differ."


def every_file_enters_the_digest(trial: Trial) -> str:
    """What is read past SceneSource is missing from the manifest, and a change in it from the cache's notice."""
    before = load_scene(trial.path).digest
    with TemporaryDirectory(prefix="nav-eval-") as folder:
        copy = _copy(trial.path, folder)
        if load_scene(copy).digest != before:
            return "a copy of the folder has another digest."
        source = SceneSource(copy)
        loader_of(copy)(source)
        unseen = [path.name for path in copy.parent.iterdir() if path not in source.stamps]
        for name in unseen:
            (copy.parent / name).unlink()
        try:
            loader_of(copy)(SceneSource(copy))
        except SceneError:
            return f"it reads {', '.join(sorted(unseen))} without SceneSource."
    return ""


def something_can_be_walked_on(trial: Trial) -> str:
    area = load_scene(trial.path).build_navmesh().area
    return "" if area > 0 else "there is no walkable ground: are the floors' triangles seen from above, and y up?"


def a_damaged_file_is_a_scene_error(trial: Trial) -> str:
    data = trial.path.read_bytes()
    cuts = (b"", data[:1], data[: len(data) // 3], data[: len(data) // 2], b"\xff\xfe\x00" + data)
    with TemporaryDirectory(prefix="nav-eval-") as folder:
        copy = _copy(trial.path, folder)
        for cut in cuts:
            copy.write_bytes(cut)
            try:
                load_scene(copy)
            except SceneError as error:
                if copy.name not in str(error):
                    return f"the message names no file: {error}"
            except Exception as error:  # noqa: BLE001 - whatever a plug-in raises is a finding
                return f"cut to {len(cut)} bytes it raised {type(error).__name__}: {error}"
    return ""


def _copy(path: Path, folder: str) -> Path:
    """The file and its neighbours in a folder of their own."""
    shutil.copytree(path.parent, folder, dirs_exist_ok=True)
    return Path(folder) / path.name


CHECKS = (
    its_arrays_have_the_declared_form,
    its_indices_name_what_is_there,
    reads_the_same_twice,
    every_file_enters_the_digest,
    something_can_be_walked_on,
    a_damaged_file_is_a_scene_error,
)
