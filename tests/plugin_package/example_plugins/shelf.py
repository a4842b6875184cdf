"""A generator of buildings: an empty floor, and one walk straight across it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import trimesh

WALK = {
    "episode_id": "0",
    "scene_id": "floor.glb",
    "start_position": [0.0, 0.0, 0.0],
    "start_rotation": [0.0, 0.0, 0.0, 1.0],
    "goals": [{"position": [0.0, 0.0, -2.0], "radius": None}],
    "info": {"geodesic_distance": 2.0},
}


class Shelf:
    """A floor and a walk."""

    version = 3

    def make(self, task, split, config):
        scenes, episodes = Path("shelf", "scenes"), Path("shelf", task)
        (episodes / split).mkdir(parents=True, exist_ok=True)
        scenes.mkdir(exist_ok=True)
        floor = trimesh.creation.box((6.0, 0.1, 6.0))
        floor.apply_translation((0, -0.05, 0))
        floor.export(scenes / "floor.glb")
        text = json.dumps({"episodes": [WALK]})
        (episodes / split / f"{split}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        return scenes, episodes


SHELF = Shelf()
