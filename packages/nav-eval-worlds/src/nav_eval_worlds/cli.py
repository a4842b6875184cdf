"""nav-eval generate scenes and episodes: furnished buildings from a seed, and episodes of every task on them."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nav_eval.cli.exit import DONE
from nav_eval.cli.progress import worked
from nav_eval.cli.say import say
from nav_eval.errors import ConfigError

if TYPE_CHECKING:
    from nav_eval_worlds.episodes.splits import Ratios


def scenes(
    out: Path,
    *,
    count: int = 4,
    seed: str = "0",
    rooms: str = "8",
    storeys: int = 1,
    kind: Literal["home", "office"] = "home",
    detail: int = 60_000,
    name: str | None = None,
    assets: Literal["all", "train", "val", "test"] = "all",
    processes: int | None = None,
) -> int:
    """Make furnished buildings: GLB with textures, semantic annotation and navmesh. The same seed gives the same ones.

    Parameters
    ----------
    out
        The folder to write to.
    count
        How many buildings.
    seed
        Any text; keep it secret for a private test set, and give a --name.
    rooms
        Rooms of each building, not counting corridors: a number, or a range such as 4-8 from which each building draws
        its own.
    storeys
        1 or 2.
    kind
        home or office.
    detail
        Triangles of each building, roughly: 20000 to 1000000.
    name
        Prefix of the file names; by default kind and seed.
    assets
        Which set of small objects to place: train, val and test have none in common; all uses the three.
    processes
        How many to make in parallel; each takes a core, and memory that grows with --detail. By default one per core.
    """
    from nav_eval_worlds.collection import make_scenes

    if name is not None and Path(name).name != name:
        raise ConfigError(f"--name {name!r}: file names cannot begin with it.")
    numbers, cores = _room_range(rooms), _cores(processes)
    seeds = [f"{seed}-{number}" for number in range(count)]
    with worked(f"{count} building{'s' * (count != 1)}") as on_progress:
        made = list(make_scenes(out, seeds, numbers, storeys, kind, detail, name, on_progress, assets, cores))
    say(*made)
    return DONE


def _cores(processes: int | None) -> int:
    cores = len(os.sched_getaffinity(0)) if processes is None else processes
    if cores < 1:
        raise ConfigError(f"--processes {cores}: give 1 or more.")
    return cores


def _room_range(text: str) -> range:
    """Both ends included. ConfigError for what is neither a number nor a range."""
    found = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if low > high:
        raise ConfigError(f"--rooms {text}: give a number such as 8, or a rising range such as 4-8.")
    return range(low, high + 1)


def episodes(
    scenes_dir: Path,
    out: Path,
    *,
    task: Literal[
        "vln",
        "pointnav",
        "imagenav",
        "objectnav",
        "ovon",
        "roomnav",
        "instance_imagenav",
        "multi_objectnav",
        "goat",
        "socialnav",
        "all",
    ] = "all",
    per_scene: int = 10,
    seed: str = "0",
    spacing: float = 0.0,
    min_length: float | None = None,
    ratios: str | None = None,
    processes: int | None = None,
) -> int:
    """Make the splits train, val_seen, val_unseen and test (without goals) of a task, in the field's file formats.

    Parameters
    ----------
    scenes_dir
        A folder of scenes with their navmeshes, such as `nav-eval generate scenes` writes; folders in it count too.
    out
        The folder to write to: <out>/<task>/<split>.json.gz.
    task
        Which task's episodes, or all. pointnav, imagenav and socialnav need no rooms, as in scans without annotation.
        ovon looks for anything that has a name, goat for five things told by name, photograph or description.
    per_scene
        Episodes (for vln: paths) per scene and split.
    seed
        Any text; keep it secret for a private test set.
    spacing
        Least straight-line distance in metres between the starts of a scene's episodes in a split; for vln, pointnav,
        imagenav and socialnav also between their goals. A scene may then have fewer episodes than asked for, and a
        warning says so.
    min_length
        Least length in metres, 0 to 30, of the shortest path from start to goal; by default 6.5 for vln, 5 for
        socialnav, 3 for roomnav, 2 for the others. Of several goals each is as far from the one before.
    ratios
        Shares of the scenes, in the order of their names, for train (and val_seen), val_unseen and test, such as 8,1,1
        or 0.7,0.2,0.1. No scene is then in two of the three; a share above 0 gets at least one, a share of 0 no file.
        By default half, a quarter and a quarter, fewer than three scenes are shared, and a split `all` has every scene.
    processes
        For how many scenes side by side; each takes a core, and the memory of one scene. By default one per core.
    """
    from nav_eval_worlds.collection import find_sites, make_episodes
    from nav_eval_worlds.episodes.controls import controls_of
    from nav_eval_worlds.episodes.splits import TASKS

    shares = None if ratios is None else _shares(ratios)
    asked = {name: controls_of(name, min_length, spacing) for name in (TASKS if task == "all" else (task,))}
    sites, cores = find_sites(scenes_dir), _cores(processes)
    for name, controls in asked.items():
        with worked(f"episodes of {name}") as on_progress:
            made = make_episodes(name, sites, out / name, per_scene, seed, controls, on_progress, shares, cores)
        say(*made.values())
    return DONE


def _shares(text: str) -> Ratios:
    """ConfigError for what is not three shares."""
    parts = text.split(",")
    shares = [Fraction(part) for part in parts if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", part)]
    if len(parts) != 3 or len(shares) != 3 or not any(shares):
        raise ConfigError(f"--ratios {text}: give three shares, of train, val_unseen and test, such as 8,1,1.")
    return shares[0], shares[1], shares[2]
