"""A scene made ready for the software renderer: clusters and tiled textures, immutable, shared by all cameras.

It is kept in the cache directory, one .npy file per array, and mapped from there: a second process starts
without reading the scene's file, and all processes of a machine share the same pages of memory.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.render.clusters import cut
from nav_eval.engine.render.layout import Assets, Clusters, Materials, Triangles, Vertices
from nav_eval.engine.render.sky import halvings
from nav_eval.engine.render.textures import pack
from nav_eval.engine.scene.scene import Scene, Sky
from nav_eval.errors import ConfigError
from nav_eval.jit import cache_home, room_beside
from nav_eval.logging import get_logger

FORMAT = 6
"""Raised whenever the arrays, or `bare`, change their meaning."""
TEXTURE_BUDGET_MIB = 2048
MAX_KEPT_BYTES = 20 << 30
"""Of all prepared scenes in the cache: some 400 generated homes, or a hundred scans."""
LARGEST_BUDGET_MIB = 7168
"""Texels are numbered with 31 bits."""
UNUSABLE = (OSError, ValueError, KeyError)
"""What reading a scene of the cache raises that is not there, damaged or taken away at this moment."""
GROUPS: dict[str, Any] = {"clusters": Clusters, "triangles": Triangles, "vertices": Vertices, "materials": Materials}


@dataclass(frozen=True, slots=True)
class PreparedScene:
    """`bare`: as the Scene's, so that shading="auto" lights it. `skies`: the `halvings` of its sky, if it has one."""

    name: str
    digest: str
    assets: Assets
    bare: bool
    notes: tuple[str, ...] = ()
    skies: tuple[Sky, ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory taken by all arrays, in bytes; mapped pages count once per machine."""
        return sum(array.nbytes for array in _arrays(self).values())


def prepare(scene: Scene, *, texture_budget_mib: int = TEXTURE_BUDGET_MIB, cache: bool = True) -> PreparedScene:
    """From the cache if it holds this scene, else built and stored there (a scene without digest is not stored)."""
    if not 1 <= texture_budget_mib <= LARGEST_BUDGET_MIB:
        raise ConfigError(f"texture_budget_mib must be between 1 and {LARGEST_BUDGET_MIB}, not {texture_budget_mib}.")
    if cache and scene.digest:
        found = load_prepared(scene, texture_budget_mib=texture_budget_mib)
        if found is not None:
            return found
    built = build(scene, texture_budget_mib)
    for note in built.notes:
        get_logger(__name__).warning(note)
    return _stored(built, directory(scene, texture_budget_mib)) if cache and scene.digest else built


def build(scene: Scene, texture_budget_mib: int = TEXTURE_BUDGET_MIB) -> PreparedScene:
    """Cut and tile a scene, without the cache."""
    clusters, triangles, vertices = cut(scene)
    textures = pack(scene, texture_budget_mib * 2**20)
    assets = Assets(clusters, triangles, vertices, textures.materials, textures.texels)
    skies = () if scene.sky is None else tuple(halvings(scene.sky))
    prepared = PreparedScene(scene.name, scene.digest, assets, scene.bare, textures.notes, skies)
    for array in _arrays(prepared).values():
        array.flags.writeable = False
    return prepared


def fingerprint(scene: Scene) -> str:
    """What tells two readings of the same file apart (up axis, repairs): sizes and the box of all positions."""
    box = [scene.positions.min(axis=0), scene.positions.max(axis=0)] if len(scene.positions) else []
    told = json.dumps([len(scene.positions), len(scene.triangles), np.asarray(box, np.float64).tolist()])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def directory(scene: Scene, texture_budget_mib: int = TEXTURE_BUDGET_MIB) -> Path:
    """Where a prepared scene is kept: whoever prepares it with this name makes the same of it."""
    return cache_home() / "scenes" / f"{scene.digest[:32]}-{fingerprint(scene)}-render{FORMAT}-{texture_budget_mib}"


def load_prepared(scene: Scene, *, texture_budget_mib: int = TEXTURE_BUDGET_MIB) -> PreparedScene | None:
    """Map a prepared scene from the cache; None if it is not there or damaged."""
    folder = directory(scene, texture_budget_mib)
    if not folder.exists():  # asked first: another process may put it there between a failure and this question
        return None
    try:
        return _mapped(folder)
    except UNUSABLE as error:
        if folder.exists():
            get_logger(__name__).warning("The cached scene %s cannot be read (%s); it is made again.", folder, error)
        return None


def _mapped(folder: Path) -> PreparedScene:
    """Raises one of UNUSABLE where there is no whole scene."""
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    _mark_used(folder)
    arrays = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
    faces = [np.asarray(arrays.pop(f"sky{number}")) for number in range(about["skies"])]
    skies = tuple(Sky(pictures, tuple(about["above"])) for pictures in faces)
    assets = _unflatten(arrays)
    return PreparedScene(about["name"], about["digest"], assets, about["bare"], tuple(about["notes"]), skies)


def _stored(scene: PreparedScene, folder: Path) -> PreparedScene:
    """What is kept of it: written to a temporary folder and renamed, or what another process was first to store."""
    about = {"name": scene.name, "digest": scene.digest, "bare": scene.bare, "notes": scene.notes}
    about |= {"skies": len(scene.skies), "above": scene.skies[0].above if scene.skies else ()}
    try:
        with room_beside(folder) as room:
            made = room / "scene"
            made.mkdir()
            for name, array in _arrays(scene).items():
                np.save(made / f"{name}.npy", array)
            (made / "about.json").write_text(json.dumps(about), encoding="utf-8")
            if not _move_into_place(made, folder):
                with suppress(*UNUSABLE):
                    return _mapped(folder)
                _move_aside(folder)
                _move_into_place(made, folder)
        with suppress(FileNotFoundError):  # another process makes room at this moment
            make_room(folder.parent)
    except OSError as error:
        get_logger(__name__).warning("The prepared scene was not cached at %s: %s", folder, error)
    return scene


def _move_into_place(made: Path, folder: Path) -> bool:
    """Whether `made` is `folder` now; False where there is one."""
    try:
        made.rename(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def _move_aside(folder: Path) -> None:
    """Remove it so that nobody who reads meets half of it; another process may be first."""
    with room_beside(folder) as room, suppress(FileNotFoundError):
        folder.rename(room / folder.name)


def _mark_used(folder: Path) -> None:
    with suppress(OSError):  # a cache that may only be read is as good
        os.utime(folder)


def make_room(kept: Path, most: int = MAX_KEPT_BYTES) -> None:
    """Remove the longest unused scenes beyond `most` bytes; the latest stays. Who has one mapped keeps its pages."""
    total = 0
    for number, folder in enumerate(sorted(kept.glob("*-render*"), key=lambda entry: -entry.stat().st_mtime_ns)):
        total += sum(file.stat().st_size for file in folder.iterdir())
        if number and total > most:
            with suppress(OSError):  # somebody else's, in a cache that many use
                _move_aside(folder)


def _arrays(scene: PreparedScene) -> dict[str, NDArray[Any]]:
    """All arrays of a prepared scene by the names of their files."""
    arrays: dict[str, NDArray[Any]] = {"texels": scene.assets.texels}
    for group in GROUPS:
        for name, array in getattr(scene.assets, group)._asdict().items():
            arrays[f"{group}.{name}"] = array
    return arrays | {f"sky{number}": sky.faces for number, sky in enumerate(scene.skies)}


def _unflatten(arrays: dict[str, NDArray[Any]]) -> Assets:
    """Plain read-only arrays in place of memory maps, so that kernels see one type wherever a scene came from."""
    plain = {name: np.asarray(array) for name, array in arrays.items()}
    groups = {group: kind(*(plain[f"{group}.{field}"] for field in kind._fields)) for group, kind in GROUPS.items()}
    return Assets(texels=plain["texels"], **groups)
