"""CPU seconds to build a navmesh, in turns with the commit in yardstick.py; cold compilation; a million triangles.

Run: python benchmarks/navmesh_build.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
Both sides build from the same triangles with the settings of the recorded navmesh, and must make the same bytes; that
these are habitat-sim's is a test (tests/engine/recast). Cold compilation and the large scene run in processes of their
own, so that their memory and caches are theirs alone; they have no yardstick, and depend on the machine and its load.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yardstick

import nav_eval

recast = yardstick.module("nav_eval.engine.recast", "nav_eval.simulator.navmesh.build")
SCENES = ("gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors", "house_200k")


def terrain(side: float, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """2 * cells^2 triangles of a wavy floor `side` metres wide, with a pillar of noise every few metres."""
    line = np.linspace(0, side, cells + 1)
    x, z = np.meshgrid(line, line, indexing="ij")
    pillars = (np.sin(x * 1.7) * np.sin(z * 1.3) > 0.93) * 2.5
    y = 0.15 * np.sin(x * 0.5) * np.cos(z * 0.4) + pillars
    index = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = (index[i : i + cells, j : j + cells].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    triangles = np.concatenate([np.stack([a, d, c], 1), np.stack([a, c, b], 1)])
    return np.stack([x.ravel(), y.ravel(), z.ravel()], 1).astype(np.float32), triangles.astype(np.int32)


def builds(data: Path) -> dict[str, Callable[[], bytes]]:
    """Scene -> a build of its navmesh with the settings of the recorded one."""

    def of(name: str) -> Callable[[], bytes]:
        scene = nav_eval.load_scene(data / "scenes" / f"{name}.glb", up="y")
        recorded: Any = nav_eval.load_navmesh(data / "habitat-parity" / name / "scene.navmesh")
        if recorded is None:
            raise SystemExit(f"no recording of {name} in {data}: give --data")
        return lambda: recast.build_navmesh(scene.positions, scene.triangles, recorded.settings)

    return {name: of(name) for name in SCENES}


def scenes(data: Path) -> None:
    with yardstick.both(__file__, ["--data", str(data)], SCENES) as sides:
        print(f"{'scene':28}{'yardstick s':>12}{'ours s':>8}{'ratio':>8}")
        for name in SCENES:
            found = yardstick.in_turns(sides, name)
            print(f"{name:28}{found.theirs:12.3f}{found.ours:8.3f}  {found}", flush=True)


def child(part: str, cache: str | None = None) -> str:
    """What this script prints for one part, run in a process of its own."""
    environment = os.environ | ({"NAV_EVAL_CACHE": cache} if cache else {})
    command = [sys.executable, __file__, "--part", part]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def first_build() -> None:
    """CPU seconds of the first build of a process, imports included."""
    from nav_eval.engine.navmesh.settings import NavmeshSettings

    recast.build_navmesh(*terrain(5, 20), NavmeshSettings())
    print(f"{time.process_time():.1f}")


def large() -> None:
    from nav_eval.engine.navmesh.file import parse_navmesh
    from nav_eval.engine.navmesh.settings import NavmeshSettings

    recast.build_navmesh(*terrain(5, 20), NavmeshSettings())
    points, triangles = terrain(100, 708)
    start = time.process_time()
    data = recast.build_navmesh(points, triangles, NavmeshSettings())
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    polygons = len(parse_navmesh(data).tiles[0].sections["polys"])
    print(
        f"100 x 100 m, {len(triangles):,} triangles: {taken:.1f} CPU s, {polygons} polygons, "
        f"at most {peak / 1024:.0f} MB resident in all"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("NAV_EVAL_SHARED_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--part", choices=("first", "large"), help=argparse.SUPPRESS)
    parser.add_argument("--side", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        {"first": first_build, "large": large}[arguments.part]()
        return
    if arguments.side:
        yardstick.answer(builds(arguments.data))
        return
    scenes(arguments.data)
    print("of this tree alone, without a yardstick:")
    with tempfile.TemporaryDirectory() as cache:
        print(f"first build of a process, nothing compiled: {child('first', cache)} CPU s")
        print(f"first build of a process, kernels cached:   {child('first', cache)} CPU s")
    print(child("large"))


if __name__ == "__main__":
    main()
