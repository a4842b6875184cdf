"""nav-eval generate: furnished buildings from a seed, and episodes of every task on them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from nav_eval.cli.exit import DONE
from nav_eval.cli.say import say
from nav_eval.errors import ConfigError


def scenes(
    out: Path,
    *,
    count: int = 4,
    seed: str = "0",
    rooms: int = 8,
    storeys: int = 1,
    kind: Literal["home", "office"] = "home",
    detail: int = 60_000,
    name: str | None = None,
    assets: Literal["all", "train", "val", "test"] = "all",
) -> int:
    """Make furnished buildings: GLB with textures, semantic annotation and navmesh. The same seed gives the same ones.

    Parameters
    ----------
    out
        The folder to write to.
    count
        How many.
    seed
        Any text; keep it secret for a private test set, and give a --name.
    rooms
        Rooms of each building, corridors not counted.
    storeys
        1 or 2.
    kind
        home or office.
    detail
        About how many triangles each, 20000 to 1000000.
    name
        What the files' names begin with; without it they begin with kind and seed.
    assets
        Which small things may stand in them: those of train, of val, of test, or all. The three have none in common,
        so that homes made with val hold only objects that no home made with train has.
    """
    from nav_eval.cli.progress import worked
    from nav_eval.worlds.collection import make_scenes

    if name is not None and Path(name).name != name:
        raise ConfigError(f"--name {name!r}: is no beginning of a file's name.")
    seeds = [f"{seed}-{number}" for number in range(count)]
    with worked(f"{count} buildings") as tell:
        made = list(make_scenes(out, seeds, rooms, storeys, kind, detail, name, tell, assets))
    say(*made)
    return DONE


def episodes(
    scenes_dir: Path,
    out: Path,
    *,
    task: Literal["vln", "pointnav", "imagenav", "objectnav", "instance_imagenav", "all"] = "all",
    per_scene: int = 10,
    seed: str = "0",
) -> int:
    """Make the splits train, val_seen, val_unseen and test (without goals) of a task, in the field's file formats.

    Parameters
    ----------
    scenes_dir
        A folder of scenes with their navmeshes, such as `nav-eval generate scenes` writes; folders in it count too.
    out
        The folder to write to: <out>/<task>/<split>.json.gz.
    task
        Which task's episodes, or all. pointnav and imagenav do without rooms, as in scans that nobody has annotated.
    per_scene
        Episodes (for vln: paths) per scene and split.
    seed
        Any text; keep it secret for a private test set.
    """
    from nav_eval.cli.progress import worked
    from nav_eval.worlds.collection import make_episodes, open_sites
    from nav_eval.worlds.episodes.splits import TASKS

    with worked("scenes read") as tell:
        sites = open_sites(scenes_dir, tell)
    for name in TASKS if task == "all" else (task,):
        with worked(f"{name} episodes") as tell:
            made = make_episodes(name, sites, out / name, per_scene, seed, tell=tell)
        say(*made.values())
    return DONE
