"""Folders of generated buildings with their navmeshes, and the episodes on them."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from nav_eval.engine.scene.formats import SCENE_FORMATS
from nav_eval.errors import SceneError
from nav_eval.jit import cache_home, source_hash
from nav_eval.logging import get_logger
from nav_eval.worlds.crew import Order, made
from nav_eval.worlds.episodes.controls import Controls
from nav_eval.worlds.episodes.site import Site, load_site
from nav_eval.worlds.episodes.splits import Ratios, assets_of, split_scenes, write_task
from nav_eval.worlds.exact import Stream
from nav_eval.worlds.plan import Kind
from nav_eval.worlds.telling import Tell, in_lines, part, silent
from nav_eval.worlds.things.catalogue import Assets
from nav_eval.worlds.world import check_building


def make_scenes(
    folder: Path,
    seeds: Sequence[str],
    rooms: int | range,
    storeys: int,
    kind: Kind,
    detail: int,
    name: str | None = None,
    tell: Tell = silent,
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
    yield from made(orders, processes, tell)


def open_sites(folder: Path, tell: Tell = silent) -> list[Site]:
    """Every scene under `folder` with the navmesh beside it; the scene id is the file's path from there.

    Raises SceneError where there is none. Files called *semantic.* (HM3D, Matterport3D) colour another scene.
    """
    found = [path for path in sorted(folder.rglob("*")) if path.suffix.lower().lstrip(".") in SCENE_FORMATS]
    scenes = [path for path in found if not path.stem.endswith("semantic")]
    if not scenes:
        raise SceneError(f"{folder}: holds no scene. Make some with `nav-eval generate scenes {folder}`.")
    sites = []
    for path in scenes:
        sites.append(load_site(path, path.relative_to(folder).as_posix()))
        tell(1 / len(scenes))
    return sites


def make_episodes(
    task: str,
    sites: Sequence[Site],
    folder: Path,
    per_scene: int,
    seed: str,
    controls: Controls | None = None,
    tell: Tell = silent,
    ratios: Ratios | None = None,
) -> dict[str, Path]:
    """Write the splits of a task, and `all`, which has every scene; split -> its main file."""
    return write_task(task, split_scenes(sites, ratios) | {"all": list(sites)}, folder, per_scene, seed, controls, tell)


def cached_collection(
    task: str, seed: str, scenes: int, rooms: int, storeys: int, kind: Kind, detail: int, per_scene: int
) -> tuple[Path, Path]:
    """The folder of scenes and that of the task's splits, made once for these arguments and this code.

    The scenes hold the small things of the split that they are for: those of val_unseen none that train has.
    """
    building = (seed, str(scenes), str(rooms), str(storeys), kind, str(detail))
    house = Path(__file__).parents[1]
    sources = (source_hash(house / "worlds"), source_hash(house / "engine"))
    key = hashlib.sha256("/".join((*sources, *building)).encode()).hexdigest()[:16]
    root = cache_home() / "worlds" / key
    seeds = [f"{seed}-{number}" for number in range(scenes)]

    def build(folder: Path, tell: Tell) -> None:
        one = part(tell, 1 / scenes)
        for place, own in enumerate(sorted(seeds, key=lambda own: f"{own}_")):
            for _ in make_scenes(folder, [own], rooms, storeys, kind, detail, None, one, assets_of(place, scenes)):
                pass

    homes = _made_once(root / "scenes", f"{scenes} buildings", build)

    def play(folder: Path, tell: Tell) -> None:
        sites = open_sites(homes, part(tell, 0.5))
        make_episodes(task, sites, folder, per_scene, seed, tell=part(tell, 0.5))

    return homes, _made_once(root / f"{task}-{per_scene}", f"{task} episodes", play)


def _made_once(folder: Path, what: str, make: Callable[[Path, Tell], None]) -> Path:
    """`folder`, filled by `make` beside it and put in place whole; another process may be first."""
    if folder.is_dir():
        return folder
    say = get_logger(__name__).info
    say("Making %s, once: kept in %s.", what, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        make(fresh, in_lines(what, say))
        fresh.chmod(0o755)
        fresh.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder
