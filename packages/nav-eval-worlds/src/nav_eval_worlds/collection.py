"""Folders of generated buildings with their navmeshes, and the episodes on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from nav_eval.engine.scene.formats import SCENE_FORMATS
from nav_eval.errors import SceneError
from nav_eval.progress import ProgressCallback, no_progress
from nav_eval_worlds.episodes.controls import Controls
from nav_eval_worlds.episodes.site import SiteFile
from nav_eval_worlds.episodes.splits import Ratios, split_scenes, write_task
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.shares import Assets
from nav_eval_worlds.workers import Order, make_all
from nav_eval_worlds.world import check_building


def make_scenes(
    folder: Path,
    seeds: Sequence[str],
    rooms: int | range,
    storeys: int,
    kind: Kind,
    detail: int,
    name: str | None = None,
    on_progress: ProgressCallback = no_progress,
    assets: Assets = "all",
    processes: int = 1,
) -> Iterator[Path]:
    """Write <name>.glb, .semantic.json and .navmesh of one building per seed; yields each GLB when it is done.

    `rooms`: of a range each building draws its number from its seed.
    `assets`: of which split the small things are, so that unseen homes hold unseen objects.
    With `name` they are called <name>_0, <name>_1, ...; else their names tell the seed.
    `processes`: how many are made side by side. With more than one a script needs `if __name__ == "__main__":`.
    """
    numbers = range(rooms, rooms + 1) if isinstance(rooms, int) else rooms
    for end in (numbers[0], numbers[-1]):
        check_building(end, storeys, kind, detail, assets)
    drawn = [Stream("rooms", seed).choice(numbers) for seed in seeds]
    names = [None if name is None else f"{name}_{number}" for number in range(len(seeds))]
    building = (storeys, kind, detail, assets)
    orders = [Order(folder, seed, own, *building, called) for seed, own, called in zip(seeds, drawn, names)]
    yield from make_all(orders, processes, on_progress)


def find_sites(folder: Path) -> list[SiteFile]:
    """Every scene under `folder`, in the order of their names; the scene id is the file's path from there.

    Raises SceneError where there is none. Files called *semantic.* (HM3D, Matterport3D) colour another scene.
    """
    found = [path for path in sorted(folder.rglob("*")) if path.suffix.lower().lstrip(".") in SCENE_FORMATS]
    scenes = [path for path in found if not path.stem.endswith("semantic")]
    if not scenes:
        raise SceneError(f"{folder}: holds no scene. Make some with `nav-eval generate scenes {folder}`.")
    return [SiteFile(path, path.relative_to(folder).as_posix()) for path in scenes]


def make_episodes(
    task: str,
    sites: Sequence[SiteFile],
    folder: Path,
    per_scene: int,
    seed: str,
    controls: Controls | None = None,
    on_progress: ProgressCallback = no_progress,
    ratios: Ratios | None = None,
    processes: int = 1,
) -> dict[str, Path]:
    """Write the splits of a task; split -> its main file.

    Without `ratios` also `all`, which has every scene; with them no scene is to be in two files.
    """
    splits = split_scenes(sites, ratios)
    every = {"all": list(sites)} if ratios is None else {}
    return write_task(task, splits | every, folder, per_scene, seed, controls, on_progress, processes)
