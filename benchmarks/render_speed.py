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

from nav_eval.engine.render.prepared import prepare
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.render.warm import warm
from nav_eval.engine.scene import load_scene

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


def load_prototype(folder: Path, data: Path) -> dict[str, Callable[..., Any]]:
    """The prototype's renderers on house_200k; none where it is absent."""
    if not (folder / "nbraster.py").exists():
        return {}
    sys.path.insert(0, str(folder))
    os.environ["NUMBA_CACHE_DIR"] = str(Path.home() / ".cache" / "nav_eval" / "prototype")
    module = importlib.import_module("nbraster")
    scene = module.Scene(str(data / "scenes" / "house_200k.glb"))
    return {
        "prototype": module.Renderer(scene, 1).frame,
        "prototype 224x224": module.Renderer(scene, 1, 224, 224, 90.0).frame,
    }


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
    renderer = make_renderer("cpu", load_scene(data / "scenes" / "house_200k.glb"), hfov=79)
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
    warm()
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
        if name == "house_200k":
            calls |= prototype
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
    two, batch = throughput(options.data)
    print(f"house_200k frames/s, best of 6 turns: two processes {two:.0f}, ", end="")
    print(f"one process with render_batch {batch:.0f} = {batch / two:.2f}")
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
