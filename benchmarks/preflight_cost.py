"""What the look at every episode costs before a run: 6000 R2R-CE-like episodes in 60 buildings with their navmeshes.

The navmeshes are those of three real buildings (shared data), each copied twenty times, so that each copy is loaded.

    python benchmarks/preflight_cost.py
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from nav_eval.core.preflight import Preflight
from nav_eval.dataset.dataset import records
from nav_eval.engine.navmesh.mesh import NavMesh, load_navmesh
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective
from nav_eval.runs.registry import benchmark_config

SHARED = Path(os.environ.get("NAV_EVAL_SHARED_DATA", "../shared/data")) / "habitat-parity"
NAMES = ("gz_aws_small_house", "ifc_LargeBuilding_nodoors", "house_200k")
SCENES, EPISODES = 60, 6000


def main() -> None:
    if not SHARED.is_dir():
        print("skipped: needs NAV_EVAL_SHARED_DATA")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write(folder)
        sources = [f"dataset.data_path={data}", f"simulator.scenes_dir={folder}", "simulator.sensors={}"]
        look(benchmark_config("r2r-ce", overrides=sources))


def write(folder: Path) -> Path:
    """Navmeshes and an episode file."""
    meshes = [mesh for name in NAMES if (mesh := load_navmesh(SHARED / name / "scene.navmesh"))]
    for number in range(SCENES):
        shutil.copy(SHARED / NAMES[number % len(NAMES)] / "scene.navmesh", folder / f"x{number}.navmesh")
    episodes = [episode(number, meshes[number % SCENES % len(meshes)]) for number in range(EPISODES)]
    data = folder / "val.json.gz"
    data.write_bytes(gzip.compress(json.dumps({"episodes": episodes}).encode()))
    return data


def episode(number: int, mesh: NavMesh) -> dict[str, Any]:
    largest = max(mesh.islands, key=lambda island: island.area).index
    start, goal = mesh.random_points(2, number, largest).tolist()
    return {
        "episode_id": number,
        "scene_id": f"x{number % SCENES}.glb",
        "start_position": start,
        "start_rotation": [0, 0, 0, 1],
        "goals": [{"position": goal, "radius": 3.0}],
        "instruction": {"instruction_text": "Walk past the table and stop at the door."},
        "reference_path": [start, goal],
    }


def look(config: Any) -> None:
    effective = Effective.of(config)
    task, backend = effective.task, builder.make_backend(effective)
    preflight = Preflight(backend, task)
    began = time.process_time()
    for record, found in records(builder.make_episodes(effective).dataset):
        preflight.take(record, found)
    read = time.process_time()
    faults = len(list(preflight.unplayable()))
    ended = time.process_time()
    print(f"{EPISODES} episodes, {SCENES} buildings, {faults} faults; seconds of one core:")
    print(f"  reading the episodes   {read - began:6.2f}")
    print(f"  navmeshes and distances {ended - read:5.2f}")
    backend.close()


if __name__ == "__main__":
    main()
