"""CPU milliseconds a frame of the cpu renderer, in turns with the commit in yardstick.py; threads against batches.

Run: python benchmarks/render_speed.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
Colour and depth of camera poses that habitat-sim was given, or that stand on its navmesh; the pictures of both sides
must be the same bytes. What a scene takes to prepare, and frames per second, are of this tree alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import yardstick

import nav_eval

Pose = tuple[np.ndarray[Any, Any], float]
SCENES = ("house_200k", "gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors")
SIZES = ((640, 480, 79.0), (224, 224, 90.0), (128, 128, 90.0))
POSES = 10
"""Width, height and field of view in degrees; how many of the poses are drawn for one timing."""


def poses(data: Path, name: str) -> list[Pose]:
    """50 camera poses: the recorded ones, else points of the recorded navmesh with seeded headings."""
    recorded = data / "habitat-parity" / name / "poses.json"
    if recorded.exists():
        return [(np.asarray(p["position"]), p["yaw"]) for p in json.loads(recorded.read_text())["poses"]]
    points = np.load(data / "habitat-parity" / name / "nav.npz")["random_points"][:50, :3]
    yaws = np.random.default_rng(0).uniform(-np.pi, np.pi, len(points))
    return [(point + np.array([0, 1.25, 0]), float(yaw)) for point, yaw in zip(points, yaws)]


def drawings(data: Path) -> dict[str, Callable[[], object]]:
    """Scene and size -> POSES frames of it."""

    def of(scene: Any, views: list[Pose], width: int, height: int, hfov: float) -> Callable[[], object]:
        renderer = nav_eval.make_renderer("cpu", scene, width=width, height=height, hfov=hfov)

        def draw() -> object:
            frames = [renderer.render(*view) for view in views]
            return [image for frame in frames for image in (frame.rgb, frame.depth)]

        return draw

    found = {}
    for name in SCENES:
        scene, views = nav_eval.load_scene(data / "scenes" / f"{name}.glb"), poses(data, name)
        chosen = views[:: len(views) // POSES][:POSES]
        for size in SIZES:
            found[f"{name:28}{size[0]}x{size[1]}"] = of(scene, chosen, *size)
    return found


def side_by_side(data: Path) -> None:
    questions = [f"{name:28}{width}x{height}" for name in SCENES for width, height, _ in SIZES]
    with yardstick.both(__file__, ["--data", str(data)], questions) as sides:
        print(f"{'scene':28}{'size':9}{'yardstick ms':>13}{'ours ms':>9}{'ratio':>8}")
        ratios: dict[str, list[float]] = {}
        for question in questions:
            found = yardstick.in_turns(sides, question)
            theirs, ours = (1e3 * seconds / POSES for seconds in (found.theirs, found.ours))
            print(f"{question:37}{theirs:13.2f}{ours:9.2f}  {found}", flush=True)
            ratios.setdefault(question.split()[1], []).append(found.ratio)
    for size, values in ratios.items():
        print(f"{'geometric mean':28}{size:31}  {geometric_mean(values):6.2f}")


def throughput(data: Path, rounds: int = 6) -> tuple[float, float]:
    """Best frames per second of two processes and of one that renders batches on two threads, taking turns."""
    kinds = ("single", "single", "batch")
    children = [
        subprocess.Popen(
            [sys.executable, __file__, kind, "--data", str(data)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )
        for kind in kinds
    ]  # fmt: skip
    for child in children:
        answer(child)
    best = [0.0, 0.0]
    for _ in range(rounds):
        for k, group in enumerate((children[:2], children[2:])):
            for child in group:
                assert child.stdin is not None
                child.stdin.write("go\n")
            best[k] = max(best[k], sum(float(answer(child)) for child in group))
    for child in children:
        child.communicate("")
    return best[0], best[1]


def answer(child: subprocess.Popen[str]) -> str:
    """The child's next line."""
    assert child.stdout is not None
    return child.stdout.readline()


def work(kind: str, data: Path, seconds: float = 1.5) -> None:
    """A child process: for each line on stdin, the frames per second of single frames or of batches of 16."""
    renderer = nav_eval.make_renderer("cpu", nav_eval.load_scene(data / "scenes" / "house_200k.glb"), hfov=79)
    views = poses(data, "house_200k")[:48]
    places, yaws = np.array([p for p, _ in views]), np.array([y for _, y in views])
    renderer.render_batch(places, yaws)
    print("ready", flush=True)
    for _ in sys.stdin:
        frames, started = 0, time.perf_counter()
        while time.perf_counter() - started < seconds:
            if kind == "batch":
                start = frames % 48
                renderer.render_batch(places[start : start + 16], yaws[start : start + 16])
                frames += 16
            else:
                renderer.render(*views[frames % 48])
                frames += 1
        print(frames / (time.perf_counter() - started), flush=True)


def preparation(data: Path) -> None:
    from nav_eval.engine.render.prepared import prepare

    for name in SCENES:
        started = time.perf_counter()
        scene = nav_eval.load_scene(data / "scenes" / f"{name}.glb")
        loaded = time.perf_counter()
        prepared = prepare(scene)
        ready = time.perf_counter()
        times = f"read {loaded - started:.2f} s, prepared {ready - loaded:.2f} s"
        print(f"{name:28}{times}, {prepared.nbytes / 2**20:.0f} MiB shared by all cameras")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("child", nargs="?", choices=("single", "batch"))
    shared = os.environ.get("NAV_EVAL_SHARED_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(shared))
    parser.add_argument("--side", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        work(options.child, options.data)
        return
    if options.side:
        yardstick.answer(drawings(options.data))
        return
    side_by_side(options.data)
    print("of this tree alone, without a yardstick:")
    preparation(options.data)
    two, batch = throughput(options.data)
    print(f"house_200k frames/s, best of 6 turns: two processes {two:.0f}, ", end="")
    print(f"one process with render_batch {batch:.0f} = {batch / two:.2f}")


if __name__ == "__main__":
    main()
