"""How cost grows: sessions 1 to 256, episodes 1,000 to 100,000, triangles 20,000 to 3,000,000, workers 1 and 2.

Every row is a process of its own, so that its memory is its own; CPU seconds are those of the process and of those it
started, start-up included. The slope is that of a line through log(cost) over log(size), without the smallest size,
where start-up is most of the cost: 1 is linear, 2 quadratic, 0 no growth.
    python benchmarks/growth.py [--quick] [--only sessions|episodes|triangles|workers]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from concurrency import measure
from machine import machine
from navmesh_build import terrain
from worlds_of_graphs import Sleeping, write_world

SESSIONS = (1, 4, 16, 64, 128, 256)
EPISODES = (1_000, 3_000, 10_000, 30_000, 100_000)
TRIANGLES = (20_000, 100_000, 400_000, 1_000_000, 3_000_000)
WORKERS = (1, 2)
SIDE = 100.0
"""Metres of the ground whose triangles are counted."""
FRAMES = 20
NAV_EVAL = [sys.executable, "-c", "from nav_eval.cli import main; main()"]


@dataclass(frozen=True, slots=True)
class Cost:
    """`said`: the last line of its output; of a failure, the last line of what it complained."""

    code: int
    cpu: float
    wall: float
    megabytes: float
    said: str


def spend(command: Sequence[str | Path]) -> Cost:
    """Run a command and count what it takes."""
    with tempfile.TemporaryFile() as out:
        begun = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        lines = out.read().decode(errors="replace").strip().splitlines() or [""]
    return Cost(process.returncode, used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, lines[-1])


def part(name: str, *arguments: object) -> Cost:
    """A function of this script in a process of its own; it prints JSON."""
    return spend([sys.executable, __file__, "--part", name, *map(str, arguments)])


def slope(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Of log(cost) over log(size), the smallest size left out."""
    return float(np.polyfit(np.log(sizes[1:]), np.log(np.maximum(costs[1:], 1e-9)), 1)[0])


def slopes(label: str, sizes: Sequence[float], **columns: Sequence[float]) -> None:
    if len(sizes) > 2:
        found = ", ".join(f"{name} {slope(sizes, costs):.2f}" for name, costs in columns.items())
        print(f"  slope over {label}: {found}", flush=True)


def sessions(sizes: Sequence[int]) -> None:
    print(machine())
    print("Sessions: a service of 100 ms a step; CPU is the evaluator's alone")
    print("protocol  sessions  steps/s   ratio  CPU ms per step  evaluator's cores  service's cores")
    for protocol in ("rest", "grpc"):
        rates: list[float] = []
        costs: list[float] = []
        for count in sizes:
            cost = part("sessions", protocol, count)
            if cost.code:
                print(f"{protocol:8}  {count:8}  stops here: {cost.said[:120]}", flush=True)
                break
            found = json.loads(cost.said)
            rates.append(found["rate"])
            costs.append(found["cpu"])
            cores = found["rate"] * found["cpu"]
            print(
                f"{protocol:8}  {count:8}  {rates[-1]:7.1f}  {rates[-1] / rates[0]:5.1f}x  {1e3 * costs[-1]:15.2f}"
                f"  {cores:17.2f}  {found['service']:15.2f}",
                flush=True,
            )
        _stop(sizes, rates)
        slopes("sessions", sizes[: len(rates)], **{"steps/s": rates, "CPU per step": costs})
    print()


def _stop(sizes: Sequence[int], rates: Sequence[float]) -> None:
    """Where more sessions bring less than half of what they should."""
    for at in range(1, len(rates)):
        if rates[at] / rates[at - 1] < 1 + (sizes[at] / sizes[at - 1] - 1) / 2:
            print(
                f"  stops at {sizes[at - 1]}: {sizes[at]} bring {rates[at] / rates[at - 1]:.2f} times as much;"
                f" all that ran shared the cores; {machine()}"
            )
            return


def play_sessions(protocol: str, count: str) -> None:
    """steps/s and CPU s per step in the steady state; the mean cores of the service's process."""
    begun = time.perf_counter()
    found = measure(Sleeping, protocol, int(count), 3 * int(count))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    service = (used.ru_utime + used.ru_stime) / (time.perf_counter() - begun)
    print(json.dumps({"rate": found.rate, "cpu": found.cpu / found.steps, "service": service}))


def episodes(sizes: Sequence[int]) -> None:
    print("Episodes: 8 steps each on a graph; the commands run, rescore and report as a user calls them")
    print("episodes   " + "".join(f"{name + ' CPU s':>15}{'wall s':>8}{'MB':>7}" for name in COMMANDS))
    spent: dict[str, list[Cost]] = {name: [] for name in COMMANDS}
    for count in sizes:
        with tempfile.TemporaryDirectory() as folder:
            overrides = [*write_world(Path(folder), count), "agent_service.agent=shortest_path"]
            for name, command in COMMANDS.items():
                cost = spend([*NAV_EVAL, *command(Path(folder), overrides)])
                if cost.code:
                    raise SystemExit(f"{name} of {count} episodes: {cost.said}")
                spent[name].append(cost)
        cells = [
            f"{spent[name][-1].cpu:15.1f}{spent[name][-1].wall:8.1f}{spent[name][-1].megabytes:7.0f}"
            for name in COMMANDS
        ]
        print(f"{count:8,}   {''.join(cells)}", flush=True)
    for name, costs in spent.items():
        slopes(f"episodes, {name}", sizes, CPU=[one.cpu for one in costs], memory=[one.megabytes for one in costs])
    print()


COMMANDS: dict[str, Callable[[Path, list[str]], list[str | Path]]] = {
    "run": lambda folder, overrides: ["run", "r2r", *overrides, "--quiet", "--out", folder / "run"],
    "rescore": lambda folder, overrides: ["rescore", folder / "run"],
    "report": lambda folder, overrides: ["report", folder / "run", "--out", folder / "page.html"],
}


def triangles(sizes: Sequence[int]) -> None:
    print(f"Triangles: wavy ground of {SIDE:g} x {SIDE:g} m; frames of 640 x 480 with colour and depth")
    print("triangles  load CPU s  navmesh CPU s     MB  prepare CPU s  frame CPU ms     MB")
    found = []
    for count in sizes:
        with tempfile.TemporaryDirectory() as folder:
            scene = Path(folder) / "ground.ply"
            write_ply(scene, *terrain(SIDE, round((count / 2) ** 0.5)))
            built, drawn = part("navmesh", scene), part("frames", scene)
            if built.code or drawn.code:
                print(f"{count:9,}  stops here: {(built if built.code else drawn).said[:120]}", flush=True)
                break
            found.append(
                json.loads(built.said)
                | json.loads(drawn.said)
                | {"MB": built.megabytes, "MB of frames": drawn.megabytes}
            )
        row = found[-1]
        print(
            f"{count:9,}  {row['load']:10.2f}  {row['navmesh']:13.2f}  {row['MB']:5.0f}  {row['prepare']:13.2f}"
            f"  {row['frame']:12.1f}  {row['MB of frames']:5.0f}",
            flush=True,
        )
    slopes("triangles", sizes[: len(found)], **{key: [row[key] for row in found] for key in found[0]})
    print()


def write_ply(path: Path, points: np.ndarray, faces: np.ndarray) -> None:
    """Binary PLY with a colour for each vertex."""
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\nproperty float x\nproperty float y\n"
        f"property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nelement face {len(faces)}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    vertices = np.zeros(len(points), [("at", "<f4", 3), ("colour", "u1", 3)])
    vertices["at"], vertices["colour"] = points, np.arange(3 * len(points)).reshape(-1, 3) % 251
    rows = np.zeros(len(faces), [("count", "u1"), ("corners", "<i4", 3)])
    rows["count"], rows["corners"] = 3, faces
    path.write_bytes(head.encode() + vertices.tobytes() + rows.tobytes())


def build_one(path: str) -> None:
    """CPU s to load a scene and to build its navmesh, kernels compiled before."""
    from nav_eval.engine.navmesh.settings import NavmeshSettings
    from nav_eval.engine.recast import build_navmesh
    from nav_eval.engine.scene.load import load_scene

    build_navmesh(*terrain(5, 20), NavmeshSettings())
    begun = time.process_time()
    scene = load_scene(Path(path), up="y")
    loaded = time.process_time()
    build_navmesh(scene.positions, scene.triangles, NavmeshSettings())
    print(json.dumps({"load": loaded - begun, "navmesh": time.process_time() - loaded}))


def draw_one(path: str) -> None:
    """CPU s to make a renderer of a scene, and the mean CPU ms of its frames."""
    import nav_eval

    scene = nav_eval.load_scene(path, up="y")
    begun = time.process_time()
    renderer = nav_eval.make_renderer("cpu", scene, width=640, height=480, hfov=79)
    renderer.render(np.array([SIDE / 2, 1.5, SIDE / 2]), 0.0)
    prepared = time.process_time()
    for number in range(FRAMES):
        renderer.render(np.array([SIDE / 2, 1.5, SIDE / 2]), 2 * np.pi * number / FRAMES)
    frame = 1e3 * (time.process_time() - prepared) / FRAMES
    print(json.dumps({"prepare": prepared - begun, "frame": frame}))


def workers(episodes: int) -> None:
    print(f"Workers: {episodes:,} episodes of 8 steps on a graph, {os.cpu_count()} cores; start-up included")
    print("workers  CPU s   wall s")
    for count in WORKERS:
        with tempfile.TemporaryDirectory() as folder:
            overrides = [*write_world(Path(folder), episodes), "agent_service.agent=shortest_path"]
            parallel = [f"evaluation.parallel.workers={count}", "--quiet", "--out", Path(folder) / "run"]
            cost = spend([*NAV_EVAL, "run", "r2r", *overrides, *parallel])
        if cost.code:
            raise SystemExit(cost.said)
        print(f"{count:7}  {cost.cpu:5.1f}  {cost.wall:7.1f}", flush=True)
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the largest sizes")
    parser.add_argument("--only", choices=("sessions", "episodes", "triangles", "workers"))
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        name, *rest = arguments.part
        {"sessions": play_sessions, "navmesh": build_one, "frames": draw_one}[name](*rest)
        return
    less = slice(None, 3) if arguments.quick else slice(None)
    tables: dict[str, Callable[[], None]] = {
        "sessions": lambda: sessions(SESSIONS[less]),
        "episodes": lambda: episodes(EPISODES[less]),
        "triangles": lambda: triangles(TRIANGLES[less]),
        "workers": lambda: workers(2_000 if arguments.quick else 10_000),
    }
    for name, table in tables.items():
        if arguments.only in (None, name):
            table()


if __name__ == "__main__":
    main()
