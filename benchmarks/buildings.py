"""Scenes that frames are measured in: files of the real data, and buildings that are made here once and kept."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from nav_eval.jit import cache_home

HOMES = {"bench-one": (6, 1, "home", 60_000), "bench-two": (8, 2, "home", 60_000)}
OFFICE = {"office": (40, 1, "office", 300_000)}
"""Rooms, storeys, kind and triangles, by the seed."""


def released(data: Path, names: Iterable[str]) -> list[Path]:
    """The files of scenes; SystemExit where one is missing."""
    paths = [data / "scenes" / f"{name}.glb" for name in names]
    if missing := [str(path) for path in paths if not path.exists()]:
        raise SystemExit(f"missing: {', '.join(missing)}")
    return paths


def made(seed: str) -> Path:
    """One of HOMES or OFFICE, with its navmesh beside it: two homes take half a minute, the office a minute."""
    from nav_eval.config.schema import GenerateConfig
    from nav_eval_worlds.world import generate_world

    path = cache_home() / "yardstick" / f"{seed}-{GenerateConfig().version}.glb"
    if not path.exists():
        print(f"making {seed} ...", file=sys.stderr)
        path.parent.mkdir(parents=True, exist_ok=True)
        world = generate_world(seed, *(HOMES | OFFICE)[seed])
        path.with_suffix(".navmesh").write_bytes(world.navmesh())
        path.write_bytes(world.glb())
    return path
