"""What scoring costs: each step of an R2R-CE episode, and the statistics of a run of 45,000 episodes. CPU seconds.

Usage: python benchmarks/metrics.py [val_seen_gt.json.gz]. The distance function is a constant here, because asking
for distances is the simulator's cost, and every metric together asks once per step.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nav_eval.config.schema import TaskConfig
from nav_eval.core.actions import Action
from nav_eval.core.definitions import Definition
from nav_eval.core.interfaces import MetricContext
from nav_eval.core.measurements import Measurements
from nav_eval.core.types import AgentState, Kind, Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.geometry import Vec3
from nav_eval.metrics.registry import METRICS, make_metrics
from nav_eval.results.compare import RunRecords, compare
from nav_eval.results.statistics import summarise_metric

VLN = ["success", "spl", "navigation_error", "oracle_success", "path_length", "ndtw", "sdtw", "collisions", "steps"]
EPISODES, SCENES, METRIC_COUNT = 45_000, 61, 20


def main() -> None:
    root = Path(os.environ.get("NAV_EVAL_SHARED_DATA") or Path(__file__).parents[2] / "shared" / "data")
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "r2r-ce" / "val_seen_gt.json.gz"
    paths = [
        [tuple(p) for p in entry["locations"]] for entry in json.loads(gzip.decompress(file.read_bytes())).values()
    ]
    print(f"{'metrics':34} {'us/step':>8} {'us/episode start':>17}")
    for title, names, settings in (
        (f"all {len(METRICS.names())}", METRICS.names(), TaskConfig()),
        ("those of VLN-CE", VLN, TaskConfig()),
        ("those of VLN-CE, dtw: fastdtw", VLN, TaskConfig(dtw="fastdtw")),
    ):
        scoring(paths[:5], names, settings)
        step, start = min(scoring(paths, names, settings) for _ in range(3))
        print(f"{title:34} {step * 1e6:8.1f} {start * 1e6:17.1f}")
    print(f"\n{'statistics':34} {'CPU s':>8}")
    print(f"{f'{METRIC_COUNT} means, {EPISODES} episodes':34} {statistics('mean'):8.2f}")
    print(f"{f'{METRIC_COUNT} rates, {EPISODES} episodes':34} {statistics('rate'):8.2f}")
    print(f"{f'compare two runs, {EPISODES} episodes':34} {comparison():8.2f}")


def scoring(paths: Sequence[Sequence[Vec3]], names: Sequence[str], settings: TaskConfig) -> tuple[float, float]:
    """CPU seconds (per step, per reset)."""
    measurements, forward = Measurements(make_metrics(names)), Action("move_forward")
    stepping = starting = steps = 0.0
    for path in paths:
        reference = [Place(point) for point in path]
        episode, start = Episode(episode_id="1", scene_id="s"), AgentState(path[0])
        context = MetricContext(episode, start, reference[-1:], reference, "gt", lambda a, b: 1.0, 3.0, settings)
        records = [StepRecord(forward, AgentState(point)) for point in path[1:]]
        began = time.process_time()
        measurements.reset(context)
        moved = time.process_time()
        for record in records:
            measurements.update(record)
        starting += moved - began
        stepping += time.process_time() - moved
        steps += len(records)
    return stepping / steps, starting / len(paths)


def statistics(kind: Kind) -> float:
    generator = np.random.default_rng(0)
    scenes = [f"scene{i % SCENES}" for i in range(EPISODES)]
    columns = [generator.integers(0, 2, EPISODES) if kind == "rate" else generator.random(EPISODES)] * METRIC_COUNT
    began = time.process_time()
    for column in columns:
        summarise_metric(Definition(kind=kind), column.tolist(), scenes)
    return time.process_time() - began


def comparison() -> float:
    generator = np.random.default_rng(0)
    runs = [
        RunRecords(
            name,
            {
                (f"scene{i % SCENES}", str(i)): {"spl": value, "success": float(value > 0.5)}
                for i, value in enumerate(generator.random(EPISODES).tolist())
            },
        )
        for name in ("a", "b")
    ]
    began = time.process_time()
    compare(runs)
    return time.process_time() - began


if __name__ == "__main__":
    main()
