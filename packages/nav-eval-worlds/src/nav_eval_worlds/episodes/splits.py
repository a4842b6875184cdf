"""Data sets on generated scenes: train, val_seen (scenes of train), val_unseen and test (scenes of their own).

The files are those of the field: `<split>.json.gz` with `content/<scene>.json.gz` where the format has it, and
`<split>_gt.json.gz` for instructions, with `<split>_clauses.json.gz`, which is ours: what part of an instruction tells
what part of its path. A test split carries no goals, no paths and no distances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from nav_eval.dataset.vocabulary import numbered, vocabulary_of
from nav_eval.dataset.writing import write_object
from nav_eval.errors import ConfigError
from nav_eval.logging import get_logger
from nav_eval.progress import ProgressCallback, no_progress, share_of
from nav_eval_worlds.episodes.controls import CONTROLS, Controls
from nav_eval_worlds.episodes.goals import CATEGORIES
from nav_eval_worlds.episodes.records import (
    Record,
    clause_records,
    instance_records,
    object_records,
    point_records,
    vln_records,
)
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.episodes.vln import Drawn, vln_paths
from nav_eval_worlds.shares import shares

TASKS = ("vln", "pointnav", "imagenav", "objectnav", "instance_imagenav", "socialnav")
SPLITS = ("train", "val_seen", "val_unseen", "test")
Scenes = Mapping[str, Sequence[Site]]
"""Scenes of each split."""
Ratios = tuple[Fraction, Fraction, Fraction]
"""Shares of the scenes for train (and val_seen), val_unseen and test; they need not sum to one."""


def write_task(
    task: str,
    scenes: Scenes,
    folder: Path,
    per_scene: int,
    seed: str,
    controls: Controls | None = None,
    on_progress: ProgressCallback = no_progress,
) -> dict[str, Path]:
    """Writes the splits of one task under `folder`; returns their main files. ConfigError for an unknown task."""
    if task not in TASKS:
        raise ConfigError(f"task {task!r} cannot be generated: choose one of {', '.join(TASKS)}.")
    files = {}
    each = 1 / max(sum(len(sites) for sites in scenes.values()), 1)
    for split, chosen in scenes.items():
        key = f"{seed}/{task}/{split}"
        if task == "vln":
            files[split] = _write_vln(chosen, folder, split, per_scene, key, controls, share_of(on_progress, each))
        else:
            sites = _one_by_one(chosen, share_of(on_progress, each))
            files[split] = _write_content(task, sites, folder / split, split, per_scene, key, controls)
    return files


def _one_by_one(sites: Sequence[Site], on_progress: ProgressCallback) -> Iterator[Site]:
    """The sites, each told of when whoever takes them comes back for the next."""
    for site in sites:
        yield site
        on_progress(1.0)


def split_scenes(sites: Sequence[Site], ratios: Ratios | None = None) -> dict[str, list[Site]]:
    """The scenes of each split, in their order: none in two but train and val_seen, no split whose share is 0.

    Without `ratios` half of them are for train, a quarter each for val_unseen and test, and few scenes are shared.
    """
    count = len(sites)
    if count == 0:
        raise ConfigError("no scenes: generate at least one before its episodes.")
    if ratios is not None:
        train, val_unseen, test = _dealt(sites, ratios)
        splits = {"train": train, "val_seen": train, "val_unseen": val_unseen, "test": test}
        return {split: chosen for split, chosen in splits.items() if chosen}
    seen, unseen = shares(count)
    rest = list(sites[seen + unseen :]) or list(sites[-1:])
    return {
        "train": list(sites[:seen]),
        "val_seen": list(sites[:seen]),
        "val_unseen": list(sites[seen : seen + unseen]) or list(sites),
        "test": rest,
    }


def _dealt(sites: Sequence[Site], ratios: Ratios) -> list[list[Site]]:
    """As near to the ratios as whole scenes come (Sainte-Lague's method), at least one for each share above 0."""
    given = [int(share > 0) for share in ratios]
    if sum(given) > len(sites):
        raise ConfigError(
            f"--ratios asks for {sum(given)} splits without a common scene, and there are {len(sites)} scenes: "
            "generate more, or give a split the share 0."
        )
    for _ in range(len(sites) - sum(given)):
        given[max(range(3), key=lambda split: ratios[split] / (2 * given[split] + 1))] += 1
    ends = [sum(given[: split + 1]) for split in range(3)]
    return [list(sites[end - size : end]) for end, size in zip(ends, given, strict=True)]


def _write_vln(
    sites: Iterable[Site],
    folder: Path,
    split: str,
    per_scene: int,
    seed: str,
    controls: Controls | None,
    on_progress: ProgressCallback,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    episodes: list[Record] = []
    truth: dict[str, Record] = {}
    clauses: dict[str, Record] = {}
    for site in sites:
        drawn = vln_paths(site, per_scene, seed, controls, on_progress)
        _tell_of_few(site, split, len(drawn.paths), per_scene, _reason(drawn))
        clauses |= clause_records(drawn.paths, len(episodes) + 1)
        records, gt = vln_records(drawn.paths, len(episodes) + 1)
        episodes += records
        truth |= gt
    vocabulary = vocabulary_of(episode["instruction"]["instruction_text"] for episode in episodes)
    for episode in episodes:
        episode["instruction"]["instruction_tokens"] = numbered(episode["instruction"]["instruction_text"], vocabulary)
    path = folder / f"{split}.json.gz"
    hidden = split == "test"
    write_object(str(path), [("episodes", [_hide(e, hidden) for e in episodes]), ("instruction_vocab", vocabulary)])
    if not hidden:
        write_object(str(folder / f"{split}_gt.json.gz"), truth.items())
        write_object(str(folder / f"{split}_clauses.json.gz"), clauses.items())
    return path


def _reason(drawn: Drawn) -> str:
    """Why there are no more paths: what was wrong with most of the others that were drawn."""
    if not drawn.refused:
        return "it has no more to offer"
    why = max(drawn.refused, key=lambda reason: drawn.refused[reason])
    return f"of the last {sum(drawn.refused.values())} draws {drawn.refused[why]} {why}"


def _tell_of_few(site: Site, split: str, found: int, asked: int, reason: str = "it has no more to offer") -> None:
    if found < asked:
        get_logger(__name__).warning(
            "%s, %s: %d of %d episodes found; %s. Draw another seed, take a larger scene, or ask for less.",
            site.scene_id,
            split,
            found,
            asked,
            reason,
        )


def _hide(episode: Record, hidden: bool) -> Record:
    secret = ("info", "goals", "reference_path")
    return {key: value for key, value in episode.items() if not (hidden and key in secret)}


def _write_content(
    task: str, sites: Iterable[Site], folder: Path, split: str, per_scene: int, seed: str, controls: Controls | None
) -> Path:
    """A main file with the shared members and one content file per scene."""
    content = folder / "content"
    content.mkdir(parents=True, exist_ok=True)
    for site in sites:
        name = Path(site.scene_id).with_suffix("").as_posix().replace("/", "_")
        members = _MEMBERS[task](site, per_scene, seed, controls)
        _tell_of_few(site, split, len(members["episodes"]), per_scene)
        if split == "test":
            members = _without_goals(members)
        write_object(str(content / f"{name}.json.gz"), members.items())
    path = folder / f"{split}.json.gz"
    write_object(str(path), ({"episodes": []} | _SHARED.get(task, {})).items())
    return path


def _without_goals(members: Record) -> Record:
    """Only what a participant may see: starts and the name of what is searched."""
    members = {key: value for key, value in members.items() if key not in ("goals_by_category", "goals")}
    members["episodes"] = [e | {"goals": [], "info": {}} for e in members["episodes"]]
    return members


def _points(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
    return {"episodes": point_records(site, count, seed, controls)}


def _among_people(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
    return _points(site, count, seed, controls or CONTROLS["socialnav"])


def _objects(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
    episodes, goals = object_records(site, count, seed, controls)
    return {"goals_by_category": goals, "episodes": episodes, **_SHARED["objectnav"]}


def _instances(site: Site, count: int, seed: str, controls: Controls | None) -> Record:
    episodes, goals = instance_records(site, count, seed, controls)
    return {"goals": goals, "episodes": episodes}


_CATEGORY_IDS = {name: k for k, name in enumerate(CATEGORIES)}
_SHARED: dict[str, Record] = {
    "objectnav": {"category_to_task_category_id": _CATEGORY_IDS, "category_to_mp3d_category_id": _CATEGORY_IDS},
    "instance_imagenav": {"goals": {}},
}
_MEMBERS: dict[str, Callable[[Site, int, str, Controls | None], Any]] = {
    "pointnav": _points,
    "imagenav": _points,
    "socialnav": _among_people,
    "objectnav": _objects,
    "instance_imagenav": _instances,
}
