"""What a frame of training data costs: CPU milliseconds and bytes, and hours and gigabytes of ten million.

The oracle walks paths of vln-demo and every format writes them. The building is loaded, and the kernels compiled,
before anything is timed; all threads count. The lowest of the rounds.
    python benchmarks/collecting.py [--size 640x480] [--rounds 3] [--paths 4] [--formats streamvln lerobot ...]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import islice
from pathlib import Path

from nav_eval.gym.recording import FORMATS
from nav_eval.runs.plan import opened
from nav_eval_extras.collecting.collection import Wish
from nav_eval_extras.collecting.paths import routes
from nav_eval_extras.collecting.players import Asked, player

TEN_MILLION = 10_000_000
NAMES = ("streamvln", "navila", "webdataset", "datasets", "lerobot")


def cost(name: str, size: str, paths: int, rounds: int) -> tuple[float, float]:
    """CPU ms and bytes of a frame."""
    width, height = size.split("x")
    lens = f"{{width: {width}, height: {height}, hfov: 79}}"
    config = Wish("vln-demo", [f"simulator.sensors={{rgb: {lens}, depth: {lens}}}"]).resolved()
    kind = FORMATS.get(name)
    asked = Asked(config, kind.fps)
    spent, size_of_all, frames = [], 0, 0
    with opened(asked.played) as plan, player(asked, plan) as one:
        todo = list(islice(routes(plan.episodes), paths))
        one.walk(todo[0])
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                writer = kind(Path(folder), asked.about)
                writer.resume(())
                begun = time.process_time()
                walks = []
                for index, route in enumerate(todo):
                    walk = one.walk(route)
                    writer.write(walk, index)
                    walks.append(len(walk))
                spent.append(time.process_time() - begun)
                frames = sum(walks)
                size_of_all = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    return 1000 * min(spent) / frames, size_of_all / frames


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--paths", type=int, default=3)
    parser.add_argument("--formats", nargs="+", default=NAMES)
    given = parser.parse_args()
    print(f"{given.size} RGB and depth | CPU ms a frame | kB a frame | 10 million: core hours | GB")
    for name in given.formats:
        ms, size = cost(name, given.size, given.paths, given.rounds)
        hours, gigabytes = ms * TEN_MILLION / 3.6e6, size * TEN_MILLION / 1e9
        print(f"{name:<12} {ms:6.1f} {size / 1000:8.1f} {hours:8.0f} {gigabytes:8.0f}", flush=True)


if __name__ == "__main__":
    main()
