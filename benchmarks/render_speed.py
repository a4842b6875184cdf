"""Milliseconds a frame of the cpu renderer, in turns with a commit's; threads against batches.

Run: python benchmarks/render_speed.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
Colour and depth of camera poses that habitat-sim was given, or that stand on its navmesh; in two homes and an office
of forty rooms, which are made here, and in a gallery, on ours. Each timing is a pass over POSES poses, so that no texel
is warm of the frame before; the pictures of both sides must be the same bytes, and a scene that is missing ends it all.
One table is in CPU time, one by the clock, of frames on one thread and on two. What a scene takes to prepare and frames
per second are of this tree alone, by the clock too: only on a quiet machine do these tell what they seem to.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import yardstick
from buildings import HOMES, OFFICE, made, released
from machine import machine

import nav_eval

Pose = tuple[np.ndarray[Any, Any], float]
SCENES = ("house_200k", "gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors", "playcanvas_vr-gallery")
SIZES = ((640, 480, 79.0), (224, 224, 90.0), (128, 128, 90.0))
THREADS = (1, 2)
POSES = 25
"""Width, height and field of view in degrees; threads of a frame; how many of the poses are drawn for one timing."""
COMMIT = "acbb004"
"""The first that had all that is drawn here: baked light, the sky, threads."""
SHORT = 60
"""Rounds by the clock, of which the fastest third counts."""


def poses(data: Path, name: str) -> list[Pose]:
    """50 camera poses: the recorded ones, else points of the recorded navmesh with seeded headings."""
    folder = data / "habitat-parity" / name
    if (folder / "poses.json").exists():
        return [(np.asarray(p["position"]), p["yaw"]) for p in json.loads((folder / "poses.json").read_text())["poses"]]
    return standing(np.load(folder / "nav.npz")["random_points"][:50, :3])


def poses_of(path: Path, data: Path) -> list[Pose]:
    """`poses` of a scene file; on a navmesh of our own where nothing is recorded."""
    if (data / "habitat-parity" / path.stem).exists():
        return poses(data, path.stem)
    nav: Any = nav_eval.load_navmesh(path.with_suffix(".navmesh")) or nav_eval.load_scene(path).build_navmesh()
    return standing(nav.random_points(50, 0))


def standing(points: np.ndarray[Any, Any]) -> list[Pose]:
    """Cameras at eye level over (N, 3) points of a floor, with seeded headings."""
    yaws = np.random.default_rng(0).uniform(-np.pi, np.pi, len(points))
    return [(point + np.array([0, 1.25, 0]), float(yaw)) for point, yaw in zip(points, yaws)]


def drawings(data: Path, scenes: Sequence[Path]) -> dict[str, Callable[[], object]]:
    """A question -> POSES frames."""

    def of(scene: Any, views: list[Pose], width: int, height: int, hfov: float, **options: Any) -> Callable[[], object]:
        renderer = nav_eval.make_renderer("cpu", scene, width=width, height=height, hfov=hfov, **options)

        def draw() -> object:
            frames = [renderer.render(*view) for view in views]
            return [image for frame in frames for image in (frame.rgb, frame.depth)]

        return draw

    found = {}
    for path in scenes:
        scene, chosen = nav_eval.load_scene(path), chosen_poses(path, data)
        for size in SIZES:
            for threads in THREADS:
                found[question(path, size, threads)] = of(scene, chosen, *size, threads=threads)
        found[question(path, SIZES[0], 1, True)] = of(scene, chosen, *SIZES[0], antialiasing=True)
    return found


def question(path: Path, size: tuple[int, int, float], threads: int = 1, antialiasing: bool = False) -> str:
    kind = "smooth" if antialiasing else "" if threads == 1 else f"{threads} threads"
    return f"{path.stem:28}{size[0]}x{size[1]}  {kind}".strip()


def chosen_poses(path: Path, data: Path) -> list[Pose]:
    """POSES of a scene's, spread over all."""
    views = poses_of(path, data)
    return views[:: len(views) // POSES][:POSES]


def side_by_side(arguments: list[str], scenes: Sequence[Path], commit: str) -> None:
    """In CPU time, of one thread."""
    questions = [asked for path in scenes for asked in (*(question(path, s) for s in SIZES), smooth(path))]
    with yardstick.both(__file__, arguments, questions, commit=commit) as sides:
        print(f"{'scene':28}{'size':17}{'yardstick ms':>13}{'ours ms':>9}{'ratio':>8}")
        ratios: dict[str, list[float]] = {}
        for asked in questions:
            found = yardstick.in_turns(sides, asked)
            theirs, ours = (1e3 * seconds / POSES for seconds in (found.theirs, found.ours))
            print(f"{asked:45}{theirs:13.2f}{ours:9.2f}  {found}", flush=True)
            ratios.setdefault(asked[28:], []).append(found.ratio)
    for size, values in ratios.items():
        print(f"{'geometric mean':28}{size:39}  {geometric_mean(values):6.2f}")


def smooth(path: Path) -> str:
    return question(path, SIZES[0], antialiasing=True)


def by_the_clock(arguments: list[str], scenes: Sequence[Path], commit: str) -> None:
    """Single frames, on as many threads on either side."""
    questions = [question(path, size, threads) for path in scenes for size in SIZES for threads in THREADS]
    with yardstick.both(
        __file__, [*arguments, "--clock"], questions, commit=commit, rounds=SHORT, clock="wall time"
    ) as sides:
        print("fastest third: yardstick / ours of the fastest third of either side")
        print(f"{'scene':28}{'size and threads':20}{'yardstick ms':>13}{'ours ms':>9}  median  fastest third")
        ratios: dict[str, list[float]] = {}
        for asked in questions:
            found = yardstick.in_turns(sides, asked, SHORT)
            theirs, ours = (1e3 * seconds / POSES for seconds in (found.theirs, found.ours))
            print(f"{asked:48}{theirs:13.2f}{ours:9.2f}{found.ratio:8.2f}{found.calm:15.2f}", flush=True)
            ratios.setdefault(asked[28:], []).append(found.calm)
    for kind, values in ratios.items():
        print(f"{'geometric mean':28}{kind:50}{geometric_mean(values):15.2f}")
    print(f"at the end: {machine()}")


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


def preparation(scenes: Sequence[Path]) -> None:
    from nav_eval.engine.render.prepared import prepare

    for path in scenes:
        started = time.perf_counter()
        scene = nav_eval.load_scene(path)
        loaded = time.perf_counter()
        prepared = prepare(scene)
        ready = time.perf_counter()
        times = f"read {loaded - started:.2f} s, prepared {ready - loaded:.2f} s"
        print(f"{path.stem:28}{times}, {prepared.nbytes / 2**20:.0f} MiB shared by all cameras")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("child", nargs="?", choices=("single", "batch"))
    shared = os.environ.get("NAV_EVAL_SHARED_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(shared))
    parser.add_argument("--side", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--scenes", type=Path, nargs="+", help="files to draw instead; default: all that are named here"
    )
    parser.add_argument("--commit", default=COMMIT, help="the yardstick; default: %(default)s")
    parser.add_argument("--clock", action="store_true", help="only the table by the clock, which needs a quiet machine")
    options = parser.parse_args()
    if options.child:
        work(options.child, options.data)
        return
    scenes = options.scenes or [*released(options.data, SCENES), *map(made, HOMES | OFFICE)]
    if options.side:
        yardstick.answer(drawings(options.data, scenes), time.perf_counter if options.clock else time.process_time)
        return
    arguments = ["--data", str(options.data), "--scenes", *map(str, scenes)]
    if not options.clock:
        side_by_side(arguments, scenes, options.commit)
    by_the_clock(arguments, scenes, options.commit)
    if options.clock:
        return
    print("of this tree alone, without a yardstick:")
    preparation(scenes)
    two, batch = throughput(options.data)
    print(f"house_200k frames/s, best of 6 turns: two processes {two:.0f}, ", end="")
    print(f"one process with render_batch {batch:.0f} = {batch / two:.2f}")


if __name__ == "__main__":
    main()
