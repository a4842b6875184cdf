"""Time and memory of reading large data sets as a stream, beside reading the whole file with json.

Writes 45,000 instructions as long as R4R's (5,000 paths of nine), 45,000 R2R-CE episodes with their expert paths and
200,000 PointNav episodes into a temporary folder, then reads each in a process of its own: as a stream, as a list of
episodes that is kept, and with json.load, which neither checks the records nor reads the experts' file.

    python benchmarks/dataset_stream.py [--quick]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nav_eval.dataset.registry import DATASETS, load_dataset
from nav_eval.dataset.tokens import tokenize
from nav_eval.dataset.writing import write_list, write_object

WORDS = ["walk", "past", "the", "table", "and", "turn", "left", "at", "bedroom", "door", "then", "stop", "near", "rug"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the episodes")
    parser.add_argument("--read", nargs=3, metavar=("HOW", "TYPE", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        print(json.dumps(measure(*arguments.read)))
        return
    share = 10 if arguments.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        print(
            f"{'file':25} {'MB':>6}  {'how':9} {'episodes':>8} {'wall s':>7} {'cpu s':>6} {'per s':>8} {'growth MB':>9}"
        )
        for kind, file in make_files(Path(folder), share):
            for how in ("stream", "keep", "json.load"):
                print_row(how, kind, file)


def print_row(how: str, kind: str, file: Path) -> None:
    command = [sys.executable, __file__, "--read", how, kind, str(file)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(
        f"{file.name:25} {found['unpacked']:6.0f}  {how:9} {found['count']:8} {found['wall']:7.2f} {found['cpu']:6.2f} "
        f"{found['count'] / found['wall']:8.0f} {found['growth']:9.1f}"
    )


def measure(how: str, kind: str, file: str) -> dict[str, float]:
    """Read `file` and say how many episodes it has, the time (s) and the growth of the peak memory (MB)."""
    unpacked = unpacked_megabytes(Path(file))
    DATASETS.get(kind)  # imports the format
    tokenize("")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    if how == "stream":
        count = sum(1 for _ in load_dataset(kind, file))
    elif how == "keep":
        count = len(list(load_dataset(kind, file)))
    else:
        count = len(whole_file(Path(file)))
    return {
        "count": count,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "growth": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
        "unpacked": unpacked,
    }


def whole_file(path: Path) -> list[Any]:
    """What every other loader does."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as handle:
        value = json.load(handle)
    episodes: list[Any] = value["episodes"] if isinstance(value, dict) else value
    return episodes


def unpacked_megabytes(path: Path) -> float:
    if path.suffix != ".gz":
        return path.stat().st_size / 1e6
    total = 0
    with gzip.open(path) as handle:
        while piece := handle.read(1 << 20):
            total += len(piece)
    return total / 1e6


def make_files(folder: Path, share: int) -> Iterator[tuple[str, Path]]:
    rng = random.Random(0)
    r4r, ce, points = folder / "R4R_45000.json", folder / "r2r_ce_45000.json.gz", folder / "pointnav_200000.json.gz"
    write_list(str(r4r), (walk(rng, i) for i in range(5_000 // share)))
    yield "r4r", r4r
    count = 45_000 // share
    write_object(str(ce), [("episodes", (spoken(rng, i) for i in range(count)))])
    write_object(str(folder / "r2r_ce_45000_gt.json.gz"), ((str(i), expert(rng)) for i in range(count)))
    yield "r2r-ce", ce
    write_object(str(points), [("episodes", (point(rng, i) for i in range(200_000 // share)))])
    yield "pointnav", points


def walk(rng: random.Random, number: int) -> dict[str, Any]:
    path = [f"{rng.getrandbits(128):032x}" for _ in range(12)]
    return {
        "path_id": number,
        "scan": f"scan{number % 61}",
        "heading": rng.random(),
        "distance": 23.3,
        "path": path,
        "instructions": [" ".join(rng.choices(WORDS, k=58)) for _ in range(9)],
    }


def point(rng: random.Random, number: int) -> dict[str, Any]:
    return {
        "episode_id": str(number),
        "scene_id": f"gibson/scene{number % 72}.glb",
        "start_position": position(rng),
        "start_rotation": [0, 0.6, 0, 0.8],
        "info": {"geodesic_distance": 9 * rng.random(), "difficulty": "easy"},
        "goals": [{"position": position(rng), "radius": None}],
        "shortest_paths": None,
        "start_room": None,
    }


def spoken(rng: random.Random, number: int) -> dict[str, Any]:
    return {
        **point(rng, number),
        "trajectory_id": number // 3,
        "instruction": {
            "instruction_text": " ".join(rng.choices(WORDS, k=30)),
            "instruction_tokens": [rng.randrange(2504) for _ in range(30)] + [0] * 170,
        },
        "reference_path": [position(rng) for _ in range(6)],
    }


def expert(rng: random.Random) -> dict[str, Any]:
    actions = [*rng.choices([1, 2, 3], weights=[4, 1, 1], k=57), 0]
    steps = actions.count(1)
    return {"locations": [position(rng) for _ in range(steps + 1)], "actions": actions, "forward_steps": steps}


def position(rng: random.Random) -> list[float]:
    return [20 * rng.random() - 10, 0.1, 20 * rng.random() - 10]


if __name__ == "__main__":
    main()
