"""What a world costs: CPU seconds on one thread by rooms and triangles, navmesh and files included.

`OMP_NUM_THREADS=1 python benchmarks/worlds_generate.py`
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from machine import machine

from nav_eval_worlds.world import generate_world

CASES = [(4, 1, 20_000), (10, 1, 20_000), (10, 1, 200_000), (10, 1, 1_000_000), (20, 2, 200_000), (50, 1, 200_000)]


def main() -> None:
    generate_world("warm", 2, 1, "home", 20_000).navmesh()
    print(f"{machine()}; CPU seconds")
    print("rooms storeys     asked triangles  world s navmesh s  files s  GLB MB")
    for rooms, storeys, detail in CASES:
        t0 = time.process_time()
        world = generate_world("bench", rooms, storeys, "home", detail)
        t1 = time.process_time()
        world.navmesh()
        t2 = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "world.glb"
            path.write_bytes(world.glb())
            t3, size = time.process_time(), path.stat().st_size / 1e6
        found = len(world.mesh.triangles)
        print(f"{rooms:5} {storeys:7} {detail:9} {found:9} {t1 - t0:8.2f} {t2 - t1:9.2f} {t3 - t2:8.2f} {size:7.1f}")


if __name__ == "__main__":
    main()
