"""What recording costs per step: composing a frame (640 x 480 rgb and depth, map, instruction) and encoding it."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState, StepRecord
from nav_eval.report.compose import Composer, Scenario, contact_sheet, small_jpeg
from nav_eval.report.film import Film
from nav_eval.report.topdown import GridMap

STEPS = 150
TEXT = "走出卧室，左转穿过走廊，在厨房的冰箱前停下。Walk out of the bedroom, turn left and stop at the fridge."


def main() -> None:
    random = np.random.default_rng(0)
    noise = np.repeat(np.repeat(random.integers(0, 255, (60, 80, 3), dtype=np.uint8), 8, axis=0), 8, axis=1)
    depth = random.random((480, 640, 1)).astype(np.float32) * 10
    floor = np.kron(random.random((30, 30)) < 0.8, np.ones((10, 10))).astype(np.bool_)
    storey = GridMap(0.0, (-15.0, -15.0), 0.1, floor, np.zeros_like(floor))
    for fog in (False, True):
        composer = Composer(fog=fog)
        composer.begin(Scenario(TEXT, (storey,), (0.0, 0.0, 0.0), 0.0, goals=[(5.0, 0.0, 5.0)]))
        with tempfile.TemporaryDirectory() as folder:
            record(composer, noise, depth, Path(folder) / "film.mp4", "with fog" if fog else "without fog")


def record(composer: Composer, rgb: np.ndarray, depth: np.ndarray, path: Path, name: str) -> None:
    spent = dict.fromkeys(("compose", "encode", "thumbnail"), 0.0)
    shots, cpu = [], time.process_time()
    film = Film(path, 6)
    for i in range(STEPS):
        times = [time.perf_counter()]
        state = AgentState((0.02 * i, 0.0, 0.03 * i))
        frame = composer.frame(
            StepRecord(Action("move_forward"), state), {"rgb": np.roll(rgb, 4 * i, 1), "depth": depth}
        )
        times.append(time.perf_counter())
        film.add(frame)
        times.append(time.perf_counter())
        shots.append(small_jpeg(rgb))
        times.append(time.perf_counter())
        for part, seconds in zip(spent, np.diff(times), strict=True):
            spent[part] += float(seconds)
    film.close()
    contact_sheet(shots, name)
    parts = "  ".join(f"{part} {1000 * seconds / STEPS:5.1f} ms" for part, seconds in spent.items())
    sys.stdout.write(
        f"{name:<12} per step: {parts}   CPU {1000 * (time.process_time() - cpu) / STEPS:5.1f} ms   "
        f"file {path.stat().st_size / 1e6:.2f} MB for {STEPS} steps\n"
    )


if __name__ == "__main__":
    main()
