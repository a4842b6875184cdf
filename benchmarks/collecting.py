"""What a frame of training data costs: CPU milliseconds and bytes, where they go, and what ten million take.

The oracle walks paths of vln-demo and every format writes them. The building is loaded, and the kernels compiled,
before anything is timed; all threads count. The lowest of the rounds. Where the time goes is told by a profiler, which
makes everything in Python slower than it is.
    python benchmarks/collecting.py [--sizes 640x480 224x224] [--rounds 3] [--paths 3] [--formats streamvln lerobot ...]
"""

from __future__ import annotations

import argparse
import pstats
import tempfile
import time
from collections.abc import Sequence
from cProfile import Profile
from itertools import islice
from pathlib import Path

from nav_eval.gym.recording import FORMATS
from nav_eval.runs.plan import opened
from nav_eval_extras.collecting.collection import JOURNAL, Journal, Wish
from nav_eval_extras.collecting.formats.base import Format
from nav_eval_extras.collecting.paths import Route, routes
from nav_eval_extras.collecting.players import Asked, Player, player

HUNDRED_THOUSAND, TEN_MILLION = 100_000, 10_000_000
NAMES = ("streamvln", "navila", "webdataset", "datasets", "lerobot")
PARTS = {
    "draw RGB and depth": ("cpu.py", "render"),
    "JPEG": ("pictures.py", "jpeg"),
    "H.264": ("pictures.py", "add"),
    "depth to PNG": ("pictures.py", "png16"),
    "depth to mm": ("pictures.py", "millimetres"),
    "oracle": ("environment.py", "expert_action"),
    "move": ("environment.py", "step"),
    "distance": ("environment.py", "distance_to_goal"),
    "pixels": ("walking.py", "_point"),
    "files": (".py", "write"),
    "journal": ("collection.py", "add"),
}
"""Of a frame's time: file (or how it ends) and function that it is spent in, with all that they call."""


def collect(one: Player, todo: Sequence[Route], kind: type[Format], asked: Asked) -> tuple[int, int]:
    """Frames and bytes."""
    with tempfile.TemporaryDirectory() as folder:
        writer, journal = kind(Path(folder), asked.about), Journal(Path(folder), {})
        writer.resume(())
        for index, route in enumerate(todo):
            walk = one.walk(route)
            assert not isinstance(walk, str), walk
            record = writer.write(walk, index)
            journal.add({"record": record, "frames": len(walk), "size": walk.size})
        files = (file for file in Path(folder).rglob("*") if file.is_file() and file.name != JOURNAL)
        return journal.frames, sum(file.stat().st_size for file in files)


def cost(name: str, size: str, paths: int, rounds: int) -> tuple[float, float, dict[str, float]]:
    """CPU ms and bytes of a frame, and ms of its parts."""
    width, height = size.split("x")
    lens = f"{{width: {width}, height: {height}, hfov: 79}}"
    kind = FORMATS.get(name)
    config = Wish("vln-demo", [f"simulator.sensors={{rgb: {lens}, depth: {lens}}}"]).resolved()
    asked = Asked(config, kind.fps, depth=kind.depth)
    with opened(asked.played) as plan, player(asked, plan) as one:
        todo = list(islice(routes(plan.episodes), paths))
        collect(one, todo, kind, asked)
        spent = []
        for _ in range(rounds):
            begun = time.process_time()
            frames, size_of_all = collect(one, todo, kind, asked)
            spent.append(time.process_time() - begun)
        profile = Profile(time.process_time)
        profile.runcall(collect, one, todo, kind, asked)
    return 1000 * min(spent) / frames, size_of_all / frames, parts_of(profile, frames, name)


def parts_of(profile: Profile, frames: int, name: str) -> dict[str, float]:
    """ms of a frame; the file of a format is named as its format."""
    found = dict.fromkeys(PARTS, 0.0)
    for (path, _, function), (_, _, _, seconds, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        for part, (file, wanted) in PARTS.items():
            ours = f"{name}.py" if part == "files" else file
            if Path(path).name == ours and function == wanted:
                found[part] += 1000 * seconds / frames
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", nargs="+", default=["640x480"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--paths", type=int, default=3)
    parser.add_argument("--formats", nargs="+", default=NAMES)
    given = parser.parse_args()
    print("RGB and depth         CPU ms a frame  GB of 100,000  10 million: core hours      GB")
    for size in given.sizes:
        for name in given.formats:
            ms, data, parts = cost(name, size, given.paths, given.rounds)
            hours, gigabytes = ms * TEN_MILLION / 3.6e6, data / 1e9
            of_all = f"{gigabytes * HUNDRED_THOUSAND:14.2f} {hours:23.0f} {gigabytes * TEN_MILLION:7.0f}"
            print(f"{name:<12} {size:<10} {ms:12.1f} {of_all}", flush=True)
            print("    " + ", ".join(f"{part} {spent:.2f}" for part, spent in parts.items() if spent >= 0.005))


if __name__ == "__main__":
    main()
