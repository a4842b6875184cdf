"""Where agents are ranked: generated homes and offices, scenes of others, R2R's graph, and Matterport3D if licensed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evidence_agents import GRAPH, ROOMS, UNNAMED, Entry
from evidence_scenes import FREE, Walk, walks, walks_of, write

from nav_eval.config.schema import Config
from nav_eval.runs.effective import Effective
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config

HOMES, OFFICES, BY_TURNS = "homes", "offices", "homes, by turns"
SCENES, R2R, MATTERPORT = "scenes of others", "R2R's graph", "Matterport3D"


@dataclass(frozen=True)
class Size:
    """How much is played: homes, offices, paths in each, walks in a scene of others, steps at most, episodes of R2R."""

    homes: int = 8
    paths: int = 2
    walks: int = 4
    steps: int = 150
    graph: int = 300


@dataclass(frozen=True)
class World:
    """`config` without an agent; `entries` by name; `missing`: why there is none."""

    name: str
    config: Config | None
    entries: Mapping[str, Entry]
    missing: str = ""

    @property
    def folder(self) -> str:
        """Of its runs."""
        return self.name.replace(", ", "-").replace(" ", "_").replace("'", "")


def worlds(made: Mapping[str, Config], size: Size, data: Path, scenes: Path | None, work: Path) -> Iterator[World]:
    """`made`: the generated splits by name; `data`: where released data lie; `scenes`: a folder of scenes in place of
    those of others that `data` holds; `work`: where files of walks are written."""
    config = made[HOMES]
    for name, split in made.items():
        yield World(name, split, ROOMS)
    yield _told(BY_TURNS, config, list(walks_of(config)), work / "homes.json")
    yield _others(config, size, scenes or data / "scenes", named=scenes is None, file=work / "scenes.json")
    yield _graph(size, data / "r2r")
    yield _matterport(size)


def generated(benchmark: str, size: Size, seed: str, overrides: Sequence[str] = ()) -> Config:
    """A split of fresh buildings, with all its texts."""
    given = [
        f"dataset.generate.scenes={size.homes}",
        f"dataset.generate.per_scene={size.paths}",
        f"dataset.generate.seed={seed}",
        f"evaluation.max_steps={size.steps}",
        *overrides,
    ]
    return benchmark_config(benchmark, overrides=given)


def told_once(config: Config) -> Config:
    """The same with one English text of each path, in the styles in turn."""
    english = config.model_copy(update={"dataset": config.dataset.model_copy(update={"languages": ("en",)})})
    ids: dict[tuple[object, ...], list[str]] = {}
    with opened(english) as plan:
        for one in plan.episodes:
            ids.setdefault((one.scene_id, one.start_position), []).append(one.episode_id)
    chosen = tuple(told[number % len(told)] for number, told in enumerate(ids.values()))
    return english.model_copy(update={"dataset": english.dataset.model_copy(update={"episodes": chosen})})


def _told(name: str, config: Config, told: Sequence[Walk], file: Path, folder: Path | None = None) -> World:
    """A world of walks that the guide tells; `folder`: of its scenes, None: those of `config`."""
    place = folder or Effective.of(config).simulator.scenes_dir
    overrides = [
        "dataset.type=vln",
        "dataset.generate=null",
        f"dataset.data_path={write(told, file)}",
        f"simulator.scenes_dir={place}",
        f"evaluation.max_steps={config.evaluation.max_steps}",
    ]
    return World(name, benchmark_config(config.benchmark.name, overrides=overrides), UNNAMED)


def _others(config: Config, size: Size, folder: Path, *, named: bool, file: Path) -> World:
    known = [folder / f"{name}.glb" for name in FREE] if named else sorted(folder.rglob("*.glb"))
    lacking = [one.stem for one in known if not one.is_file()]
    simulator = config.simulator.model_copy(update={"scenes_dir": str(folder)})
    ids = [one.relative_to(folder).as_posix() for one in known if one.is_file()]
    told = [walk for scene_id in ids for walk in walks(simulator, scene_id, size.walks)]
    missing = f"not there: {', '.join(lacking)}" if lacking else "" if known else f"no .glb in {folder.name}"
    if not told:
        return World(SCENES, None, UNNAMED, missing)
    return replace(_told(SCENES, config, told, file, folder), missing=missing)


def _graph(size: Size, folder: Path) -> World:
    file = folder / "R2R_val_seen.json"
    if not file.is_file():
        return World(R2R, None, GRAPH, f"not there: {file.name}")
    overrides = [
        f"dataset.data_path={file}",
        f"simulator.connectivity_dir={folder / 'connectivity'}",
        f"dataset.sample={size.graph}",
    ]
    return World(R2R, benchmark_config("r2r", overrides=overrides), GRAPH)


def _matterport(size: Size) -> World:
    """Played with the camera and the steps of generated homes, which these agents know."""
    root = Path(os.environ.get("NAV_EVAL_DATA", "data"))
    file = root / "datasets/R2R_VLNCE_v1-3_preprocessed/val_unseen/val_unseen.json.gz"
    if not file.is_file() or not (root / "scene_datasets/mp3d").is_dir():
        return World(MATTERPORT, None, ROOMS, "not there: it needs Matterport's licence")
    overrides = [
        "dataset.type=r2r-ce",
        "dataset.generate=null",
        f"dataset.data_path={file}",
        f"dataset.sample={size.graph}",
        f"simulator.scenes_dir={root / 'scene_datasets'}",
        "evaluation.max_steps=500",
    ]
    return World(MATTERPORT, benchmark_config("vln-demo", overrides=overrides), ROOMS)
