"""Writes "go to the red box" episodes on MiniWorld's own worlds, in R2R-CE's format."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from host import beside_the_box, make_world, pose


def episode(scene):
    world = make_world(scene)
    (start, rotation), goals = pose(world), beside_the_box(world)
    return {
        "episode_id": scene,
        "trajectory_id": scene,
        "scene_id": scene,
        "start_position": start,
        "start_rotation": rotation,
        "goals": [{"position": goal, "radius": 0.5} for goal in goals],
        "instruction": {"instruction_text": "Go to the red box."},
        "reference_path": [start, goals[0]],
        "info": {},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scene", default="MiniWorld-FourRooms-v0", help="an environment with a box")
    parser.add_argument("--out", default="episodes.json")
    parser.add_argument("--episodes", type=int, default=10)
    options = parser.parse_args()
    episodes = [episode(f"{options.scene}/{seed}") for seed in range(options.episodes)]
    Path(options.out).write_text(json.dumps({"episodes": episodes}))


if __name__ == "__main__":
    main()
