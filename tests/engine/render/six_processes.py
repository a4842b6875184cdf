"""Six processes that prepare the same scenes at the same moment, for test_prepared.py: `six_processes.py CACHE`.

For each of HOWS in a folder of the cache: "none" is there before, "damaged" ones are, or half of the processes have
"another" reading of the same file. What they say begins with a line that names it.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import sys
from pathlib import Path
from typing import Any

from engine.render.shapes import painted
from nav_eval.engine.render import prepared

ROUNDS, PROCESSES = 12, 6
HOWS = ("none", "another", "damaged")


def main(cache: Path) -> bool:
    prepared.build(painted())  # compiles what the processes share
    return all(run(how, cache / how) for how in HOWS)


def run(how: str, cache: Path) -> bool:
    sys.stderr.write(f"{how}\n")
    sys.stderr.flush()
    prepared.cache_home = lambda: cache  # of scenes only: kernels stay where they were compiled
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(PROCESSES)
    processes = [fork.Process(target=prepare_all, args=(how, number, barrier)) for number in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return not any(process.exitcode for process in processes)


def prepare_all(how: str, number: int, barrier: Any) -> None:
    for turn in range(ROUNDS):
        scene = painted(f"{turn:032}{0:032}")
        if how == "another" and number % 2:
            scene = dataclasses.replace(scene, positions=scene.positions[:, [0, 2, 1]].copy())
        if how == "damaged" and number == 0:
            prepared.directory(scene).mkdir(parents=True)
            (prepared.directory(scene) / "about.json").write_text("{}")
        barrier.wait(60)
        assets = prepared.prepare(scene).assets
        assert assets.vertices.y.max() == scene.positions[:, 1].max()
        assert assets.texels.size > 64 * 64


if __name__ == "__main__":
    sys.exit(not main(Path(sys.argv[1])))
