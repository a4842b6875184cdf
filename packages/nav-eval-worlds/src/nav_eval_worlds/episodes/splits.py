"""Data sets on generated scenes: train, val_seen (scenes of train), val_unseen and test (scenes of their own).

The files are those of the field: `<split>.json.gz` with `content/<scene>.json.gz` where the format has it, and
`<split>_gt.json.gz` for instructions, with `<split>_clauses.json.gz`, which is ours: what part of an instruction tells
what part of its path. A test split carries no goals, no paths and no distances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from nav_eval.dataset.vocabulary import numbered, vocabulary_of
from nav_eval.dataset.writing import write_object
from nav_eval.errors import ConfigError
from nav_eval.logging import get_logger
from nav_eval.progress import ProgressCallback, no_progress
from nav_eval_worlds.episodes.building import SHARED, Building, Given
from nav_eval_worlds.episodes.controls import Controls
from nav_eval_worlds.episodes.records import Record, clause_records, vln_records
from nav_eval_worlds.episodes.site import SiteFile
from nav_eval_worlds.shares import shares
from nav_eval_worlds.workers import make_all

TASKS = (
    "vln", "pointnav", "imagenav", "objectnav", "ovon", "roomnav", "instance_imagenav", "multi_objectnav", "goat",
    "socialnav",
)  # fmt: skip
TOLD = ("multi_objectnav", "goat")
"""Tasks whose goals are what the agent is told, one after the other: hidden, nothing is left to play, so that they have
no split test."""
SPLITS = ("train", "val_seen", "val_unseen", "test")
Scenes = Mapping[str, Sequence[SiteFile]]
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
    processes: int = 1,
) -> dict[str, Path]:
    """Writes the splits of one task under `folder`; returns their main files. ConfigError for an unknown task.

    `processes`: of how many buildings side by side; each has one in memory at a time. With more than one a script needs
    `if __name__ == "__main__":`.
    """
    if task not in TASKS:
        raise ConfigError(f"task {task!r} cannot be generated: choose one of {', '.join(TASKS)}.")
    scenes = {split: chosen for split, chosen in scenes.items() if split != "test" or task not in TOLD}
    keys: dict[SiteFile, dict[str, str]] = {}
    for split, chosen in scenes.items():
        for site in chosen:
            keys.setdefault(site, {})[split] = f"{seed}/{task}/{split}"
    jobs = [Building(site, task, of, per_scene, controls) for site, of in keys.items()]
    made = dict(zip(keys, make_all(jobs, processes, on_progress), strict=True))
    files = {}
    for split, chosen in scenes.items():
        given = {site.scene_id: made[site][split] for site in chosen}
        _tell_of_few(given, split, per_scene)
        files[split] = _write_vln(given, folder, split) if task == "vln" else _write_content(task, given, folder, split)
    return files


def split_scenes(sites: Sequence[SiteFile], ratios: Ratios | None = None) -> dict[str, list[SiteFile]]:
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


def _dealt(sites: Sequence[SiteFile], ratios: Ratios) -> list[list[SiteFile]]:
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


def _write_vln(given: Mapping[str, Given], folder: Path, split: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    episodes: list[Record] = []
    truth: dict[str, Record] = {}
    clauses: dict[str, Record] = {}
    for one in given.values():
        clauses |= clause_records(one.held, len(episodes) + 1)
        records, gt = vln_records(one.held, len(episodes) + 1)
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


def _tell_of_few(given: Mapping[str, Given], split: str, asked: int) -> None:
    for scene_id, one in given.items():
        if one.found < asked:
            get_logger(__name__).warning(
                "%s, %s: %d of %d episodes found; %s. Draw another seed, take a larger scene, or ask for less.",
                scene_id,
                split,
                one.found,
                asked,
                one.reason,
            )


def _hide(episode: Record, hidden: bool) -> Record:
    secret = ("info", "goals", "reference_path")
    return {key: value for key, value in episode.items() if not (hidden and key in secret)}


def _write_content(task: str, given: Mapping[str, Given], folder: Path, split: str) -> Path:
    """A main file with the shared members and one content file per scene."""
    content = folder / split / "content"
    content.mkdir(parents=True, exist_ok=True)
    for scene_id, one in given.items():
        name = Path(scene_id).with_suffix("").as_posix().replace("/", "_")
        members = _without_goals(one.held) if split == "test" else one.held
        write_object(str(content / f"{name}.json.gz"), members.items())
    path = folder / split / f"{split}.json.gz"
    write_object(str(path), ({"episodes": []} | SHARED.get(task, {})).items())
    return path


def _without_goals(members: Record) -> Record:
    """Only what a participant may see: starts and the name of what is searched."""
    members = {key: value for key, value in members.items() if key not in ("goals_by_category", "goals")}
    members["episodes"] = [e | {"goals": [], "info": {}} for e in members["episodes"]]
    return members
