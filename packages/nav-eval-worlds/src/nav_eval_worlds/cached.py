"""What a run plays on generated buildings: made once, kept in the cache, found there by every later run.

What makes them is imported only where something has to be made: it is as much again as the rest of a run imports.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import nav_eval.engine
from nav_eval.config.schema import GenerateConfig
from nav_eval.errors import ConfigError, asked_from_python
from nav_eval.jit import cache_home, room_beside, source_hash
from nav_eval.logging import get_logger
from nav_eval.progress import ProgressCallback, progress_lines
from nav_eval_worlds.shares import Assets, assets_of

MOST = 8
"""Processes that make homes for a run: each takes half a gigabyte, and a machine with many cores may have lent two."""


def cached_collection(task: str, split: str, config: GenerateConfig) -> tuple[Path, Path]:
    """The folder of a split's scenes and that of its episodes, made once for these arguments and this code.

    Raises ConfigError for an unknown split.
    """
    seed, building = config.seed, map(str, (config.rooms, config.storeys, config.kind, config.detail))
    buildings = buildings_of(split, config.scenes, seed)
    sources = (source_hash(Path(__file__).parent), source_hash(Path(nav_eval.engine.__file__).parent))
    made = cache_home() / "worlds" / _key(*sources, *building)
    root = made / _key(*(f"{own}:{assets}" for own, assets in buildings.items()))

    def build(folder: Path, on_progress: ProgressCallback) -> None:
        from nav_eval_worlds.workers import make_all

        each = [_Kept(made / "each" / _key(*own), *own, config) for own in buildings.items()]
        list(make_all([one for one in each if not one.folder.is_dir()], _processes(), on_progress))
        for one in each:
            shutil.copytree(one.folder, folder, copy_function=_link, dirs_exist_ok=True)

    def play(folder: Path, on_progress: ProgressCallback) -> None:
        from nav_eval_worlds.collection import find_sites
        from nav_eval_worlds.episodes.splits import write_task

        sites = {split: find_sites(homes)}
        write_task(task, sites, folder, config.per_scene, seed, None, on_progress, _processes())

    homes = _in_the_log(f"{len(buildings)} buildings", root / "scenes", build)
    return homes, _in_the_log(f"{task} episodes", root / f"{task}-{split}-{config.per_scene}", play)


def _processes() -> int:
    """One for each core, as far as MOST; one where a script asks, which further ones would begin by running again."""
    return 1 if asked_from_python() else min(MOST, len(os.sched_getaffinity(0)))


@dataclass(frozen=True, slots=True)
class _Kept:
    """A building in a folder of its own, for all collections that hold it."""

    folder: Path
    seed: str
    assets: Assets
    config: GenerateConfig

    def make(self, on_progress: ProgressCallback) -> Path:
        return _made_once(self.folder, self._build, on_progress)

    def _build(self, folder: Path, on_progress: ProgressCallback) -> None:
        from nav_eval_worlds.collection import make_scenes

        of = self.config
        list(make_scenes(folder, [self.seed], of.rooms, of.storeys, of.kind, of.detail, None, on_progress, self.assets))


_IN_TURN: Mapping[str, tuple[int, Assets]] = {
    "train": (0, "train"),
    "val_seen": (0, "train"),
    "val_unseen": (1, "val"),
    "test": (2, "test"),
}
"""Which of three buildings a split has, and of which split the small things in it are."""


def buildings_of(split: str, scenes: int | None, seed: str) -> dict[str, Assets]:
    """The seeds of the buildings that a split plays, and of which split their small things are.

    Buildings are for train, val_unseen and test in turn, so that none is seen and unseen, whatever number of them is
    asked for. `all` has the first ones, dealt as split_scenes deals them.
    """
    if split == "all":
        dealt = sorted((f"{seed}-{number}" for number in range(scenes or 3)), key=lambda own: f"{own}_")
        return {own: assets_of(place, len(dealt)) for place, own in enumerate(dealt)}
    if split not in _IN_TURN:
        raise ConfigError(f"dataset.split: is {split!r}; generated data have {', '.join(_IN_TURN)} or all.")
    first, assets = _IN_TURN[split]
    return {f"{seed}-{number}": assets for number in range(first, 3 * (scenes or 1), 3)}


def _key(*parts: str) -> str:
    return hashlib.sha256("/".join(parts).encode()).hexdigest()[:16]


def _link(source: str, target: str) -> None:
    """The same file in two folders, or a copy where a file system has no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _in_the_log(what: str, folder: Path, make: Callable[[Path, ProgressCallback], None]) -> Path:
    """`_made_once`, of which the log tells."""
    say = get_logger(__name__).info
    if not folder.is_dir():
        say("Making %s, once: kept in %s.", what, folder)
    return _made_once(folder, make, progress_lines(what, say))


def _made_once(folder: Path, make: Callable[[Path, ProgressCallback], None], on_progress: ProgressCallback) -> Path:
    """`folder`, filled by `make` beside it and put in place whole; another process may be first."""
    if folder.is_dir():
        on_progress(1.0)
        return folder
    try:
        with room_beside(folder) as room:
            fresh = room / folder.name
            fresh.mkdir()
            make(fresh, on_progress)
            fresh.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
    return folder
