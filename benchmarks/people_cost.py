"""What people cost: ms that five of them add to a frame, and CPU ms of a second of their walking, in a generated home.

Run: python benchmarks/people_cost.py
--picture FILE.jpg makes a sheet of frames in which people are seen (docs/images).
The same view is drawn without and with them in turns: all five 2 to 4 m before the camera, behind a wall, and out of
view. Target: 1 ms of a frame.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from pathlib import Path

import numpy as np
from PIL import Image

from nav_eval.core.actions import Action
from nav_eval.engine.people.kinds import Posed
from nav_eval.engine.people.warm import warm
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config

ROUNDS = 60
FIRST = 1_000_000
PEOPLE = "simulator.people={count: 5, options: {crossing: 0.6}}"
CAMERAS = ", ".join(f"{name}: {{width: 640, height: 480, hfov: 79}}" for name in ("rgb", "semantic"))


def frames(plan, size: tuple[int, int]) -> dict[str, float]:
    """Place of the people -> ms that they add, median over rounds."""
    session = plan.backend.open_session()
    session.start(next(iter(plan.episodes)))
    renderer = make_renderer(
        "cpu", session.scene(), width=size[0], height=size[1], hfov=79, outputs=("rgb", "depth", "semantic")
    )
    position, _, _ = session.camera()
    yaw = max(np.arange(12) * math.pi / 6, key=lambda yaw: _seen(renderer, position, yaw))
    found = {}
    for name, ahead in (("2 to 4 m ahead", 2.0), ("behind a wall", 30.0), ("out of view", -6.0)):
        people = [_before(position, yaw, k, ahead) for k in range(5)]
        spent: dict[bool, list[float]] = {False: [], True: []}
        for number in range(2 * ROUNDS):
            began = time.thread_time()
            _ = renderer.render(position, yaw, people=people if number % 2 else ()).semantic
            spent[bool(number % 2)].append((time.thread_time() - began) * 1e3)
        found[name] = statistics.median(spent[True]) - statistics.median(spent[False])
    renderer.close()
    return found


def _seen(renderer, position, yaw: float) -> int:
    """Pixels of five people before a camera that looks there."""
    people = [_before(position, yaw, k, 2.0) for k in range(5)]
    return int((renderer.render(position, yaw, people=people).semantic >= FIRST).sum())


def _before(position, yaw: float, k: int, ahead: float) -> Posed:
    """The k-th of five, side by side; nobody looks whether a wall is there."""
    across, along = 0.7 * (k - 2), ahead + 0.5 * k
    x = position[0] - math.sin(yaw) * along + math.cos(yaw) * across
    z = position[2] - math.cos(yaw) * along - math.sin(yaw) * across
    return Posed(k, FIRST + k, (x, position[1] - 1.25, z), 1.2 * k, 0.1 * k, 1.0)


def walking(plan) -> float:
    """CPU ms for a second of five people, over half a minute."""
    session = plan.backend.open_session()
    session.start(next(iter(plan.episodes)))
    action = Action("velocity", {"linear": 0.0, "angular": 0.5, "duration": 0.5})
    session.advance(action)
    began = time.process_time()
    for _ in range(60):
        session.advance(action)
    return (time.process_time() - began) * 1e3 / 30


def picture(file: Path) -> None:
    """Six frames of oracles' walks, in each of which people fill a good part."""
    config = benchmark_config(
        "pointnav-demo",
        overrides=[
            PEOPLE,
            f"simulator.sensors={{{CAMERAS}}}",
            "simulator.antialiasing=true",
            "dataset.generate.scenes=2",
        ],
    )
    shots = []
    with opened(config) as plan:
        environment = plan.environment()
        for episode in plan.episodes:
            seen, best = environment.reset(episode), (0.0, None)
            while not environment.over and environment.steps < 60:
                environment.step(environment.expert_action())
                seen = environment.observe()
                share = float((seen["semantic"] >= FIRST).mean())
                if 0.08 < share < 0.22 and share > best[0]:
                    best = (share, seen["rgb"].copy())
            if best[1] is not None:
                shots.append(best[1])
    sheet = Image.new("RGB", (3 * 430 - 4, 2 * 324 - 4), "white")
    for k, shot in enumerate(shots[:: max(len(shots) // 6, 1)][:6]):
        sheet.paste(Image.fromarray(shot).resize((426, 320), Image.Resampling.LANCZOS), (430 * (k % 3), 324 * (k // 3)))
    sheet.save(file, quality=82)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.picture:
        picture(arguments.picture)
        return
    warm()
    with opened(benchmark_config("pointnav-demo", overrides=["simulator.sensors={}", PEOPLE])) as plan:
        for size in ((256, 256), (640, 480)):
            for name, added in frames(plan, size).items():
                print(f"{size[0]} x {size[1]}, five people {name}: {added:.2f} ms more")
        print(f"a second of five people walking: {walking(plan):.1f} ms")


if __name__ == "__main__":
    main()
