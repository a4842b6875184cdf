"""Folders of generated buildings with their navmeshes, and the episodes on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from nav_eval.errors import NavmeshError
from nav_eval.simulator.navmesh.mesh import load_navmesh
from nav_eval.simulator.scene.load import load_scene
from nav_eval.worlds.episodes.controls import Controls
from nav_eval.worlds.episodes.site import Site
from nav_eval.worlds.episodes.splits import split_scenes, write_task
from nav_eval.worlds.plan import Kind
from nav_eval.worlds.world import generate_world


def make_scenes(
    folder: Path, seeds: Sequence[str], rooms: int, storeys: int, kind: Kind, detail: int
) -> Iterator[Path]:
    """Write <name>.glb, .semantic.json and .navmesh of one building per seed; yields each GLB when it is done."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        world = generate_world(seed, rooms, storeys, kind, detail)
        path = world.save(folder)
        world.scene().build_navmesh().save(path.with_suffix(".navmesh"))
        yield path


def open_sites(paths: Sequence[Path]) -> list[Site]:
    """Scenes with the navmeshes beside them; the scene id is the file's name."""
    return [_site(path) for path in paths]


def _site(path: Path) -> Site:
    navmesh = load_navmesh(path.with_suffix(".navmesh"))
    if navmesh is None:
        raise NavmeshError(
            f"{path.with_suffix('.navmesh')}: is missing. `nav-eval scene navmesh {path} --out` makes it."
        )
    return Site(path.name, load_scene(path, "y"), navmesh)


def make_episodes(
    task: str, sites: Sequence[Site], folder: Path, per_scene: int, seed: str, controls: Controls | None = None
) -> dict[str, Path]:
    """Write the splits of a task; split -> its main file."""
    return write_task(task, split_scenes(sites), folder, per_scene, seed, controls)
