"""Exact nDTW of R2R-CE paths, side by side: ours, dtaidistance (C, exact) and fastdtw (Python, what VLN-CE calls).

Usage: python benchmarks/dtw.py [val_seen_gt.json.gz]. Each gt path is compared with the next episode's, as an agent
that went another way. CPU seconds per pair, best of several rounds; the answers are checked against each other.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from dtaidistance import dtw_ndim
from fastdtw import fastdtw

from nav_eval.metrics.dtw import dtw_points, fastdtw_points
from nav_eval.metrics.functional import ndtw

Pair = tuple[np.ndarray, np.ndarray]


def main() -> None:
    root = Path(os.environ.get("NAV_EVAL_SHARED_DATA") or Path(__file__).parents[2] / "shared" / "data")
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "r2r-ce" / "val_seen_gt.json.gz"
    pairs = read_pairs(file)
    length = np.mean([len(points) for points, _ in pairs])
    print(f"exact nDTW, {len(pairs)} pairs of R2R-CE paths, {length:.1f} points each on average")
    ours = cpu_seconds(dtw_points, pairs, rounds=20)
    rows = [
        ("nav_eval, exact", ours),
        ("nav_eval, fastdtw radius 1", cpu_seconds(fastdtw_points, pairs, rounds=3)),
        ("dtaidistance, exact", cpu_seconds(by_dtaidistance, pairs, rounds=20)),
        ("fastdtw package, radius 1", cpu_seconds(by_fastdtw, pairs[:40], rounds=1)),
    ]
    print(f"{'':28} {'CPU us/pair':>12} {'ours is faster by':>18}")
    for name, seconds in rows:
        print(f"{name:28} {seconds * 1e6:12.1f} {seconds / ours:17.1f}x")
    worst = max(abs(dtw_points(*pair) - by_dtaidistance(*pair)) for pair in pairs)
    print(f"largest difference to dtaidistance: {worst:.1e} m")


def read_pairs(file: Path) -> list[Pair]:
    paths = [np.array(entry["locations"]) for entry in json.loads(gzip.decompress(file.read_bytes())).values()]
    return list(zip(paths, paths[1:] + paths[:1]))


def cpu_seconds(distance: Callable[[np.ndarray, np.ndarray], float], pairs: list[Pair], rounds: int) -> float:
    """Per pair, nDTW included; the first call is not counted."""
    distance(*pairs[0])
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for agent, reference in pairs:
            ndtw(distance(agent, reference), len(reference))
        best = min(best, time.process_time() - start)
    return best / len(pairs)


def by_dtaidistance(agent: np.ndarray, reference: np.ndarray) -> float:
    return float(dtw_ndim.distance_fast(agent, reference, inner_dist="euclidean"))


def by_fastdtw(agent: np.ndarray, reference: np.ndarray) -> float:
    return float(fastdtw(agent, reference, dist=lambda a, b: np.linalg.norm(a - b, ord=2))[0])


if __name__ == "__main__":
    main()
