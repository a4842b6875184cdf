"""What a body with mass costs: CPU ms of one core for 0.1 s of simulated time (10 physics steps), in generated homes.

Run: python benchmarks/physics_cost.py (needs the extra mujoco)
--picture FILE.png draws where a robot touched one of the homes on ten walks to random places (docs/images).
A robot drives a sine through each home at 0.5 m/s and 10 Hz, along walls and furniture, once to warm its tiles and then
three times; beside it the same actions by the kinematic engine. Target: 5 ms.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from machine import machine
from PIL import Image, ImageDraw

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.types import Place
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective, generated_data
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.registry import make_simulator_backend

SECONDS, ROUNDS = 20.0, 3


def episodes() -> tuple[SimulatorConfig, Iterator[Episode]]:
    """One of each of the demonstration's homes."""
    config = generated_data(benchmark_config("pointnav-demo"))
    found = {episode.scene_id: episode for episode in builder.make_episodes(Effective.of(config))}
    body = {"height": 0.88, "radius": 0.18, "camera_height": 0.88}
    return config.simulator.model_validate(config.simulator.model_dump() | {"sensors": {}, "body": body}), iter(
        found.values()
    )


def drive(session, episode: Episode) -> list[float]:
    session.start(episode)
    spent = []
    for number in range(round(SECONDS / 0.1)):
        turn = 0.6 * math.sin(number / 15)
        action = Action("velocity", {"linear": 0.5, "angular": turn, "duration": 0.1})
        began = time.process_time()
        session.advance(action)
        spent.append((time.process_time() - began) * 1e3)
    return spent


WALKS, SCALE, TALLER = 10, 80, 0.2
COLOURS = ("#1b6ca8", "#0f8a4b", "#8a5a00", "#7a3fa0", "#333333")


def picture(config: SimulatorConfig, episode: Episode, file: Path) -> None:
    """The plan of a home, ten walks of the oracle through it, and a disc for each contact, its area as its force."""
    backend = make_simulator_backend(config.model_copy(update={"physics": "mujoco"}), 0)
    session = backend.open_session()
    session.start(episode)
    scene, mesh = session.scene(), session.navmesh()
    corners = scene.positions[scene.triangles]
    solid = corners[(corners[:, :, 1].max(axis=1) > TALLER) & (corners[:, :, 1].min(axis=1) < 0.88)]
    low, high = corners.min(axis=(0, 1))[[0, 2]] - 0.3, corners.max(axis=(0, 1))[[0, 2]] + 0.3

    def at(point):
        return tuple(((np.asarray(point)[[0, 2]] - low) * SCALE).tolist())

    image = Image.new("RGB", tuple(((high - low) * SCALE).astype(int).tolist()), "white")
    draw = ImageDraw.Draw(image, "RGBA")
    for triangle in solid:
        draw.polygon([at(point) for point in triangle], fill="#c9c9c4", outline="#a8a8a2")
    contacts = []
    for number in range(WALKS):
        start, goal = mesh.random_point(seed=2 * number), Place(mesh.random_point(seed=2 * number + 1))
        session.start(replace(episode, start_position=start, goals=(Goal(position=goal.position),)))
        path, touched = walk(session, goal)
        draw.line([at(point) for point in path], fill=COLOURS[number % len(COLOURS)], width=2)
        contacts += touched
    for x, y, z, force, _ in contacts:
        u, v = at((x, y, z))
        size = 1.5 + math.sqrt(force) / 2.5
        draw.ellipse((u - size, v - size, u + size, v + size), fill="#d0021b80", outline="#d0021b")
    image.save(file)
    forces = [contact[3] for contact in contacts]
    print(f"{len(contacts)} contacts on {WALKS} walks, median {np.median(forces):.0f} N, hardest {max(forces):.0f} N")


def walk(session, goal: Place) -> tuple[list, list]:
    """Positions, and contacts as recorded, of a walk by the oracle."""
    path, contacts = [session.get_agent_state().position], []
    for _ in range(150):
        if (action := session.expert_action([goal], 0.4)).name == "stop":
            break
        step = session.advance(action)
        path.append(step.state.position)
        contacts += step.events["felt"]["contacts"]
    return path, contacts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path)
    if (file := parser.parse_args().picture) is not None:
        config, chosen = episodes()
        picture(config, next(chosen), file)
        return
    print(machine())
    print(f"{'scene':<32} {'engine':<22} {'median ms':>10} {'p95 ms':>8}   limit 5")
    config, chosen = episodes()
    for episode in chosen:
        for engine, options in (
            ("kinematic", {}),
            ("mujoco", {"robot": "cylinder"}),
            ("mujoco", {"robot": "diff_drive"}),
        ):
            backend = make_simulator_backend(config.model_copy(update={"physics": engine, "options": options}), 0)
            session = backend.open_session()
            drive(session, episode)
            spent = [one for _ in range(ROUNDS) for one in drive(session, episode)]
            name = f"{engine} {options.get('robot', '')}"
            p95 = statistics.quantiles(spent, n=20)[-1]
            print(f"{episode.scene_id[-32:]:<32} {name:<22} {statistics.median(spent):10.2f} {p95:8.2f}")


if __name__ == "__main__":
    main()
