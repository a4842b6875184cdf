"""CPU milliseconds a frame of the cpu renderer, beside the measured prototype in the same run.

Usage: python benchmarks/render_speed.py [--data DIR] [--prototype DIR] [--repeats N]
Needs the real data (default $NAV_EVAL_SHARED_DATA or ../shared/data) and, for the ratios, the prototype's folder
(default: prototypes/renderer beside the data). Per pose the minimum of N repeats, then the mean over 50 poses;
prototype and product take turns pose by pose, so that a noisy neighbour hits both.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.simulator.render.prepared import prepare
from nav_eval.simulator.render.renderer import make_renderer
from nav_eval.simulator.render.warm import warm
from nav_eval.simulator.scene import load_scene

ROOT = Path(__file__).parents[1]
Pose = tuple[np.ndarray[Any, Any], float]
SCENES = ("house_200k", "gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors")


def poses(data: Path, name: str) -> list[Pose]:
    """50 camera poses: the recorded ones, else points of the recorded navmesh with seeded headings."""
    recorded = data / "habitat-parity" / name / "poses.json"
    if recorded.exists():
        return [(np.asarray(p["position"]), p["yaw"]) for p in json.loads(recorded.read_text())["poses"]]
    points = np.load(data / "habitat-parity" / name / "nav.npz")["random_points"][:50, :3]
    yaws = np.random.default_rng(0).uniform(-np.pi, np.pi, len(points))
    return [(point + np.array([0, 1.25, 0]), float(yaw)) for point, yaw in zip(points, yaws)]


def cost(call: Callable[..., Any], pose: Pose, best: float) -> float:
    """The lower of `best` and the CPU seconds of one call."""
    started = time.process_time()
    call(*pose)
    return min(best, time.process_time() - started)


def side_by_side(calls: dict[str, Callable[..., Any]], views: list[Pose], repeats: int) -> dict[str, float]:
    """Mean over poses of each call's best CPU milliseconds."""
    total = dict.fromkeys(calls, 0.0)
    for pose in views:
        best = dict.fromkeys(calls, 9.0)
        for _ in range(repeats):
            for name, call in calls.items():
                best[name] = cost(call, pose, best[name])
        for name in calls:
            total[name] += best[name] * 1e3 / len(views)
    return total


def load_prototype(folder: Path, data: Path) -> Any:
    """The prototype's renderer on house_200k, or None where it is absent."""
    if not (folder / "nbraster.py").exists():
        return None
    sys.path.insert(0, str(folder))
    os.environ["NUMBA_CACHE_DIR"] = str(Path.home() / ".cache" / "nav_eval" / "prototype")
    module = importlib.import_module("nbraster")
    return module.Renderer(module.Scene(str(data / "scenes" / "house_200k.glb")), 1)


def throughput(worker: str, args: list[str], count: int) -> float:
    """Frames per second of `count` processes that start together."""
    command = [sys.executable, __file__, worker, *args]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) for _ in range(count)]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    return sum(float(process.communicate()[0]) for process in running)


def work(kind: str, data: Path, seconds: float = 4.0) -> None:
    """The timed part of a child process: single frames, or batches of 16."""
    renderer = make_renderer("cpu", load_scene(data / "scenes" / "house_200k.glb"), hfov=79)
    views = poses(data, "house_200k")[:48]
    places, yaws = np.array([p for p, _ in views]), np.array([y for _, y in views])
    renderer.render_batch(places, yaws)
    print("ready", flush=True)
    sys.stdin.readline()
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("child", nargs="?", choices=("single", "batch"))
    shared = os.environ.get("NAV_EVAL_SHARED_DATA") or ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(shared))
    parser.add_argument("--prototype", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.child:
        work(options.child, options.data)
        return
    print(f"warm (compiled or read from the cache): {warm():.1f} s")
    prototype = load_prototype(options.prototype or options.data.parent / "prototypes" / "renderer", options.data)
    baseline = 0.0
    print("640x480 RGB + depth, one thread, CPU ms a frame (and of the prototype's house_200k figure)")
    for name in SCENES:
        started = time.perf_counter()
        scene = load_scene(options.data / "scenes" / f"{name}.glb")
        loaded = time.perf_counter()
        prepared = prepare(scene)
        ready = time.perf_counter()
        full = make_renderer("cpu", prepared, hfov=79)
        every = make_renderer("cpu", prepared, hfov=79, outputs=("rgb", "depth", "semantic", "normal"))
        small = make_renderer("cpu", prepared, width=224, height=224, hfov=90)
        calls: dict[str, Callable[..., Any]] = {
            "rgb+depth": full.render,
            "all four": every.render,
            "224x224": small.render,
        }
        if name == "house_200k" and prototype is not None:
            calls["prototype"] = prototype.frame
        views = poses(options.data, name)
        for call in calls.values():
            call(*views[0])
        result = side_by_side(calls, views, options.repeats)
        baseline = result.get("prototype", baseline)
        cells = [
            f"{key} {value:.2f}" + (f" ({value / baseline:.2f}x)" if baseline else "") for key, value in result.items()
        ]
        print(f"{name}: {', '.join(cells)}")
        print(
            f"    read {loaded - started:.2f} s, prepared {ready - loaded:.2f} s, "
            f"{prepared.nbytes / 2**20:.0f} MiB shared by all cameras"
        )
    two = throughput("single", ["--data", str(options.data)], 2)
    batch = throughput("batch", ["--data", str(options.data)], 1)
    print(
        f"house_200k frames/s: two processes {two:.0f}, one process with render_batch {batch:.0f} = {batch / two:.2f}"
    )
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
