"""Homes, paths told in English and Chinese, and walks along them, to learn from."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.cli.progress import worked
from nav_eval.gym import collect
from nav_eval_baselines.learned.senses import SIDE
from nav_eval_extras.sweep.runs import Suite
from nav_eval_worlds.collection import find_sites, make_scenes
from nav_eval_worlds.episodes.controls import controls_of
from nav_eval_worlds.episodes.splits import write_task
from nav_eval_worlds.shares import Assets

LENS = f"{{width: {SIDE}, height: {SIDE}, hfov: 90}}"
SENSES = f"rgb: {LENS}, depth: {LENS}, gps: {{}}, compass: {{}}"
DETAIL = 30_000
ENVS = 16
"""At a time, at most."""
SEVERITY = 2
"""Of perturbations."""
MAX_STEPS = 250
"""Of a walk, as in an evaluation; the oracle needs 60 to 110. Who is lost learns to find the way as well."""


def make_homes(folder: Path, seeds: Sequence[str], rooms: int | range, assets: Assets) -> Path:
    """One home for each seed that has none yet, on all cores."""
    lacking = [seed for seed in seeds if not any(folder.glob(f"home_{seed}_*.navmesh"))]
    with worked(f"{len(lacking)} homes") as on_progress:
        cores = len(os.sched_getaffinity(0))
        list(make_scenes(folder, lacking, rooms, 1, "home", DETAIL, None, on_progress, assets, cores))
    return folder


def make_paths(homes: Path, splits: dict[str, slice], per_home: int, seed: str, least: float | None = None) -> None:
    """`<homes>/vln/<split>.json.gz`: paths through those homes of the folder, in the order of their names.

    `least`: metres of the shortest; None: as in vln-demo.
    """
    if all((homes / "vln" / f"{split}.json.gz").is_file() for split in splits):
        return
    sites = find_sites(homes)
    chosen = {split: sites[part] for split, part in splits.items()}
    write_task("vln", chosen, homes / "vln", per_home, seed, controls_of("vln", least, 0.0))


def played(
    homes: Path,
    split: str,
    episodes: Sequence[str],
    *,
    sensors: str = SENSES,
    stop_within: float | None = None,
    perturbed_by: str = "",
) -> list[str]:
    """Overrides of vln-demo: some paths of a split, seen through `sensors`, with an oracle that stops so near, m.

    `perturbed_by`: one of `nav-eval list perturbations`, at SEVERITY or its highest.
    """
    severities = Suite("", (perturbed_by,), (SEVERITY,)).of(perturbed_by) if perturbed_by else []
    perturbed = [f"{{name: {perturbed_by}, severity: {severity}}}" for severity in severities]
    return [
        f"perturbations=[{', '.join(perturbed)}]",
        f"dataset.data_path={homes}/vln/{split}.json.gz",
        f"dataset.split={split}",
        f"simulator.scenes_dir={homes}",
        f"simulator.sensors={{{sensors}}}",
        f"simulator.options.expert_within={json.dumps(stop_within)}",
        f"evaluation.max_steps={MAX_STEPS}",
        f"dataset.episodes={json.dumps(episodes)}",
    ]


def walk_with_oracle(
    homes: Path, split: str, episodes: Sequence[str], out: Path, *, seed: int, semantic: bool, stop_within: float
) -> None:
    """Pictures of walks by an oracle that strays in one step of eight, so that it is seen how to come back."""
    rng = np.random.default_rng(seed)

    def stray(seen: Any, begins: Any) -> Any:
        return rng.choice([1, 2, 3], size=len(begins))

    sensors = f"{SENSES}, semantic: {LENS}" if semantic else SENSES
    chosen = played(homes, split, episodes, sensors=sensors, stop_within=stop_within)
    envs = min(ENVS, len(episodes))
    collect("vln-demo", out, overrides=chosen, policy=stray, expert=0.875, seed=seed, num_envs=envs, dense_reward=True)


def read_split(homes: Path, split: str) -> list[dict[str, Any]]:
    """The episodes of a split, as its file has them."""
    with gzip.open(homes / "vln" / f"{split}.json.gz") as file:
        episodes: list[dict[str, Any]] = json.load(file)["episodes"]
    return episodes


def once(homes: Path, split: str) -> list[str]:
    """The id of one episode for each path, which has one for each of its wordings."""
    return [str(number) for number in {e["trajectory_id"]: e["episode_id"] for e in read_split(homes, split)}.values()]
