"""CPU seconds to build a navmesh, beside Habitat's recorded figures; cold compilation; a million triangles.

Run: python benchmarks/navmesh_build.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
Habitat's figures are those of habitat-parity/README.md, for the same triangles and settings. The yardstick is a fixed
piece of pure Python; its time tells how this machine compares with another on which the benchmark was run. Each
figure is the best of several rounds, because the machine may be shared. Cold compilation and the large scene run in
processes of their own, so that their memory and caches are theirs alone.
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

import numpy as np

from nav_eval.engine.navmesh.file import parse_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast import build_navmesh
from nav_eval.engine.scene.load import load_scene

ROUNDS = 7
HABITAT = {  # CPU seconds of a build
    "gz_aws_small_house": 0.08,
    "gz_cafe": 0.04,
    "ifc_LargeBuilding_nodoors": 0.18,
    "house_200k": 0.13,
}


def best(work: Callable[[], object]) -> float:
    """Least CPU seconds of a few rounds after one to warm up."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def yardstick() -> None:
    values = [0.5] * 1000
    for i in range(300_000):
        values[i % 1000] = values[(i * 7) % 1000] * 0.999 + 0.001


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


def scenes(data: Path) -> None:
    print(f"{'scene':28}{'triangles':>10}{'Habitat s':>11}{'ours s':>8}{'ratio':>7}  bytes")
    for name, habitat in HABITAT.items():
        scene = load_scene(data / "scenes" / f"{name}.glb", up="y")
        recorded = (data / "habitat-parity" / name / "scene.navmesh").read_bytes()
        settings = parse_navmesh(recorded).settings or NavmeshSettings()

        def build(scene=scene, settings=settings) -> bytes:  # type: ignore[no-untyped-def]
            return build_navmesh(scene.positions, scene.triangles, settings)

        ours = best(build)
        same = "identical" if build() == recorded else "DIFFERENT"
        print(f"{name:28}{len(scene.triangles):10d}{habitat:11.2f}{ours:8.3f}{ours / habitat:7.2f}  {same}")


def child(part: str, cache: str | None = None) -> str:
    """What this script prints for one part, run in a process of its own."""
    environment = os.environ | ({"NAV_EVAL_CACHE": cache} if cache else {})
    command = [sys.executable, __file__, "--part", part]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def first_build() -> None:
    """CPU seconds of the first build of a process, imports included."""
    build_navmesh(*terrain(5, 20), NavmeshSettings())
    print(f"{time.process_time():.1f}")


def large() -> None:
    build_navmesh(*terrain(5, 20), NavmeshSettings())
    points, triangles = terrain(100, 708)
    start = time.process_time()
    data = build_navmesh(points, triangles, NavmeshSettings())
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
    arguments = parser.parse_args()
    if arguments.part:
        {"first": first_build, "large": large}[arguments.part]()
        return
    print(f"yardstick {1e3 * best(yardstick):.1f} ms of pure Python, {os.cpu_count()} cores")
    scenes(arguments.data)
    with tempfile.TemporaryDirectory() as cache:
        print(f"first build of a process, nothing compiled: {child('first', cache)} CPU s")
        print(f"first build of a process, kernels cached:   {child('first', cache)} CPU s")
    print(child("large"))


if __name__ == "__main__":
    main()
