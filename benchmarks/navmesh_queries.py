"""Navmesh queries per CPU second from Python, in turns with the commit in yardstick.py.

Run: python benchmarks/navmesh_queries.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
The questions are those that habitat-sim was asked for habitat-parity; answers of both sides must be the same bits.
"""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yardstick

import nav_eval

SCENES = ("gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors", "house_200k")
TIMES = 20
"""How often the recorded points are asked for one timing: 200 or so of them take a millisecond."""


def questions(folder: Path) -> dict[str, tuple[int, Callable[[], object]]]:
    """Name -> how many calls it makes, and the calls."""
    nav: Any = nav_eval.load_navmesh(folder / "scene.navmesh")
    if nav is None:
        raise SystemExit(f"no recording at {folder}: give --data")
    data = np.load(folder / "nav.npz")
    tiled = {name: np.tile(data[name], (TIMES, 1)) for name in ("start", "end", "end_0.25", "random_points")}
    starts, ends, short, points = (array.tolist() for array in tiled.values())
    arrays, goal = list(tiled["random_points"]), ends[0]
    path, geodesic, step, snap = nav.shortest_path, nav.geodesic_distance, nav.step, nav.snap
    field = nav.distance_field(goal)
    pairs = len(starts)
    return {
        "path": (pairs, lambda: [path(a, b) for a, b in zip(starts, ends)]),
        "geodesic": (pairs, lambda: [geodesic(a, b) for a, b in zip(starts, ends)]),
        "geodesic, goal kept": (pairs, lambda: [geodesic(a, goal) for a in starts]),
        "step": (pairs, lambda: [step(a, b) for a, b in zip(starts, short)]),
        "snap": (len(points), lambda: [snap(p) for p in points]),
        "snap (arrays)": (len(points), lambda: [snap(p) for p in arrays]),
        "exact, by field": (pairs, lambda: [field.distance(a) for a in starts]),
        "batch geodesic": (pairs, lambda: nav.geodesic_distances(tiled["start"], tiled["end"])),
        "batch step": (pairs, lambda: nav.steps(tiled["start"], tiled["end_0.25"])),
        "batch snap": (len(points), lambda: nav.snap_all(tiled["random_points"])),
    }


def threads_agree(folder: Path) -> bool:
    """Whether four threads at once get the answers that one gets."""
    nav: Any = nav_eval.load_navmesh(folder / "scene.navmesh")
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
    parser.add_argument("--side", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folders = {scene: arguments.data / "habitat-parity" / scene for scene in SCENES}
    asked = {f"{scene:26}{name:22}": what for scene in SCENES for name, what in questions(folders[scene]).items()}
    if arguments.side:
        yardstick.answer({name.strip(): call for name, (_, call) in asked.items()})
        return
    with yardstick.both(__file__, ["--data", str(arguments.data)], asked) as sides:
        print(f"{'scene':26}{'question':22}{'yardstick k/s':>14}{'ours k/s':>10}{'ratio':>8}")
        for name, (calls, _) in asked.items():
            found = yardstick.in_turns(sides, name)
            print(f"{name}{calls / found.theirs / 1e3:14.0f}{calls / found.ours / 1e3:10.0f}  {found}", flush=True)
    for scene, folder in folders.items():
        print(f"{scene:26}{'four threads agree':22}{threads_agree(folder)!s:>14}")


if __name__ == "__main__":
    main()
