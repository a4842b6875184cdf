"""A small room with a wall in it, as a .glb file, and PointNav episodes through it, written to real files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

SIZE = 6.0


def write_room(folder: Path, *, scenes: int = 1) -> list[str]:
    """Write rooms and episodes; the overrides that point the benchmark pointnav at them, with small sensors."""
    import trimesh

    rooms = folder / "rooms"
    rooms.mkdir(parents=True, exist_ok=True)
    for index in range(scenes):
        floor = trimesh.creation.box((SIZE, 0.1, SIZE))
        floor.apply_translation((0, -0.05, 0))
        wall = trimesh.creation.box((0.2, 2.5, SIZE * 0.6))
        wall.apply_translation((0.2 * index, 1.25, 0))
        trimesh.util.concatenate([floor, wall]).export(rooms / f"room{index}.glb")
    data = folder / "rooms.json.gz"
    episodes = [episode(number, f"room{number % scenes}.glb") for number in range(6)]
    data.write_bytes(gzip.compress(json.dumps({"episodes": episodes}).encode()))
    return [
        f"dataset.data_path={data}",
        f"simulator.scenes_dir={rooms}",
        "simulator.sensors={gps: {}, compass: {}, depth: {width: 24, height: 16, hfov: 90}}",
        "evaluation.max_steps=40",
    ]


def episode(number: int, scene: str) -> dict[str, object]:
    z = -2.0 + 0.7 * number
    return {
        "episode_id": str(number),
        "scene_id": scene,
        "start_position": [-2.0, 0.0, z],
        "start_rotation": [0.0, 0.0, 0.0, 1.0],
        "goals": [{"position": [2.0, 0.0, -z], "radius": 0.2}],
        "info": {"geodesic_distance": 5.0},
    }
