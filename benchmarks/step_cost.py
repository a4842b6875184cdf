"""What a step of the custom simulator costs beside its frame: action, motion, RGB-D 640x480, GPS, compass, metrics.

Run: python benchmarks/step_cost.py [--data DIR] (real data: DIR, $NAV_EVAL_SHARED_DATA or ../shared/data)
Three scans, and two homes that are made here. The same poses are drawn twice in turn, as bare frames and as whole
environment steps; CPU milliseconds, median of rounds, and the ratio (limit 1.2).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from buildings import HOMES, made, released
from machine import machine

from nav_eval.core.actions import Action
from nav_eval.core.episodes import EpisodeManager
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.engine.navmesh.mesh import load_navmesh
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective
from nav_eval.runs.registry import benchmark_config

SCENES = ("house_200k", "gz_aws_small_house", "gz_cafe")
STEPS, ROUNDS = 60, 7
ACTIONS = ("move_forward", "move_forward", "turn_left", "move_forward", "turn_right", "turn_right")


def environment(folder: Path, scene: str):
    overrides = [
        f"simulator.scenes_dir={folder}",
        "simulator.sensors.rgb={width:640,height:480,hfov:79}",
        "simulator.sensors.depth={width:640,height:480,hfov:79}",
    ]
    config = benchmark_config("pointnav", overrides=overrides)
    mesh = load_navmesh(folder / f"{scene}.navmesh")
    assert mesh is not None
    island = max(mesh.islands, key=lambda island: island.area).index
    start, goal = mesh.random_point(seed=1, island=island), mesh.random_point(seed=2, island=island)
    episode = Episode(episode_id="0", scene_id=f"{scene}.glb", start_position=start, goals=(Goal(position=goal),))
    effective = Effective.of(config)
    backend, episodes = builder.make_backend(effective), EpisodeManager([episode])
    return builder.Plan.of(effective, backend, episodes).environment(), episode


def walk(world, episode: Episode) -> tuple[float, list]:
    """CPU ms per environment step, and the cameras on the way."""
    world.reset(episode)
    cameras, spent = [], 0.0
    for number in range(STEPS):
        began = time.process_time()
        world.step(Action(ACTIONS[number % len(ACTIONS)]))
        world.observe()
        spent += time.process_time() - began
        cameras.append(world.simulator.camera())
    return spent / STEPS * 1e3, cameras


def draw(world, cameras: list) -> float:
    """CPU ms per bare frame of the same cameras."""
    (lens, outputs), *_ = world.simulator.lenses.items()
    renderer = world.simulator.world.renderer(lens, outputs)
    began = time.process_time()
    for camera in cameras:
        renderer.render(*camera)
    return (time.process_time() - began) / len(cameras) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("NAV_EVAL_SHARED_DATA", "../shared/data"))
    data = Path(parser.parse_args().data)
    print(machine())
    print(f"{'scene':<22} {'frame ms':>9} {'step ms':>9} {'ratio':>7}   limit 1.2")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in (*released(data, SCENES), *map(made, HOMES)):
            scene = path.stem
            recorded = data / "habitat-parity" / scene / "scene.navmesh"
            shutil.copy(path, folder)
            shutil.copy(recorded if scene in SCENES else path.with_suffix(".navmesh"), folder / f"{scene}.navmesh")
            world, episode = environment(folder, scene)
            pairs = []
            for _ in range(ROUNDS):
                step, cameras = walk(world, episode)
                pairs.append((draw(world, cameras), step))
            frame, step = (statistics.median(pair[k] for pair in pairs[1:]) for k in (0, 1))
            ratio = statistics.median(step / frame for frame, step in pairs[1:])
            print(f"{scene:<22} {frame:9.2f} {step:9.2f} {ratio:7.2f}")


if __name__ == "__main__":
    main()
