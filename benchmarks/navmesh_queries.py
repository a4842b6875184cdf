"""Navmesh queries per CPU second from Python, beside Habitat's recorded figures.

Run: python benchmarks/navmesh_queries.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
Habitat's figures are those of habitat-parity/README.md. The yardstick is a fixed piece of pure Python; its time tells
how this machine compares with another on which the benchmark was run: figures scale by its ratio.
Each figure is the best of several rounds, because the machine may be shared.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from nav_eval.engine.navmesh.mesh import NavMesh, load_navmesh

ROUNDS = 7
HABITAT = {  # calls per CPU second: find_path, geodesic with the goal kept, try_step, snap; target factor
    "gz_aws_small_house": (27e3, 39e3, 129e3, 254e3, 3.0),
    "gz_cafe": (57e3, 53e3, 179e3, 431e3, 3.0),
    "ifc_LargeBuilding_nodoors": (73e3, 112e3, 458e3, 806e3, 1.5),
    "house_200k": (23e3, 32e3, 73e3, 194e3, 3.0),
}


def yardstick() -> float:
    """CPU milliseconds of a fixed loop of float arithmetic and list access in pure Python."""

    def work() -> None:
        values = [0.5] * 1000
        for i in range(300_000):
            values[i % 1000] = values[(i * 7) % 1000] * 0.999 + 0.001

    return 1e3 * best(work)


def best(work: Callable[[], object]) -> float:
    """Least CPU seconds of a few rounds."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def rates(nav: NavMesh, folder: Path) -> dict[str, float]:
    """Thousands of calls per CPU second on the recorded questions."""
    data = np.load(folder / "nav.npz")
    starts, ends = data["start"].tolist(), data["end"].tolist()
    goal = ends[0]
    short, points = data["end_0.25"].tolist(), data["random_points"].tolist()
    arrays = list(data["random_points"])
    geodesic, step, snap = nav.geodesic_distance, nav.step, nav.snap
    count = len(starts)
    field = nav.distance_field(goal)
    tiled = [np.tile(data[name], (20, 1)) for name in ("start", "end", "end_0.25", "random_points")]
    return {
        "path": count / best(lambda: [nav.shortest_path(a, b) for a, b in zip(starts, ends)]) / 1e3,
        "geodesic": count / best(lambda: [geodesic(a, b) for a, b in zip(starts, ends)]) / 1e3,
        "geodesic, goal kept": count / best(lambda: [geodesic(a, goal) for a in starts]) / 1e3,
        "step": count / best(lambda: [step(a, b) for a, b in zip(starts, short)]) / 1e3,
        "snap": count / best(lambda: [snap(p) for p in points]) / 1e3,
        "snap (arrays)": count / best(lambda: [snap(p) for p in arrays]) / 1e3,
        "exact, by field": count / best(lambda: [field.distance(a) for a in starts]) / 1e3,
        "batch geodesic": 20 * count / best(lambda: nav.geodesic_distances(tiled[0], tiled[1])) / 1e3,
        "batch step": 20 * count / best(lambda: nav.steps(tiled[0], tiled[2])) / 1e3,
        "batch snap": 20 * count / best(lambda: nav.snap_all(tiled[3])) / 1e3,
    }


def threads_agree(nav: NavMesh, folder: Path) -> bool:
    """Whether four threads at once get the answers that one gets."""
    data = np.load(folder / "nav.npz")
    expected = nav.geodesic_distances(data["start"], data["end"])
    wrong = []

    def work() -> None:
        for _ in range(50):
            wrong.append(not np.array_equal(nav.geodesic_distances(data["start"], data["end"]), expected))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return not any(wrong)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    default = os.environ.get("NAV_EVAL_SHARED_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(default))
    data = parser.parse_args().data / "habitat-parity"
    print(f"yardstick: {yardstick():.1f} CPU ms")
    print(f"{'scene':26}{'question':22}{'Habitat k/s':>12}{'ours k/s':>10}{'ratio':>8}{'target':>8}")
    for scene, (path, geodesic, step, snap, target) in HABITAT.items():
        nav = load_navmesh(data / scene / "scene.navmesh")
        if nav is None:
            raise SystemExit(f"no recording at {data / scene}: give --data")
        theirs = {"path": path, "geodesic": path, "geodesic, goal kept": geodesic, "step": step, "snap": snap}
        theirs |= {
            "exact, by field": geodesic,
            "snap (arrays)": snap,
            "batch geodesic": path,
            "batch step": step,
            "batch snap": snap,
        }
        for name, ours in rates(nav, data / scene).items():
            aim = 4.0 if name.startswith("batch") else target
            ratio = ours * 1e3 / theirs[name]
            print(f"{scene:26}{name:22}{theirs[name] / 1e3:12.0f}{ours:10.0f}{ratio:8.1f}{aim:8.1f}")
        print(f"{scene:26}{'four threads agree':22}{threads_agree(nav, data / scene)!s:>22}")


if __name__ == "__main__":
    main()
