"""What a step of an environment to train in costs: drawing, and everything else; beside the yardstick's environment.

The vector plays vln-demo with RGB-D of a size, GPS, compass and the instruction; every session walks by the same
random actions. Then the same cameras are drawn again, as bare frames: what is left of the step is motion, distances,
metrics, sensors, batches. CPU milliseconds per session and step, the episodes' beginnings taken off, medians of rounds;
"was": the yardstick's.
For scale, Habitat-Lab: 0.25 to 0.30 ms of its own and 0.5 ms of its simulator a step, without drawing.
    python benchmarks/training_env.py [--sizes 64x48 128x128 ...] [--sessions 1 8 32]
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from functools import cache

import numpy as np
import yardstick

import nav_eval

COMMIT, ROUNDS, FRAMES = "1763574", 5, 96
SIZES, SESSIONS = ("64x48", "128x128", "256x256", "640x480"), (1, 8, 32)
DROPPED = ("~simulator.sensors.semantic", "~simulator.sensors.objects")


@cache
def played(size: str, count: int) -> Play:
    return Play(*map(int, size.split("x")), count)


def shown(seen: dict) -> list:
    return [seen[name] for name in ("rgb", "depth", "gps", "compass")]


class Play:
    """A vector of environments that walk, and the cameras that they passed."""

    def __init__(self, width: int, height: int, count: int) -> None:
        frame = [f"simulator.sensors.{name}.{key}" for name in ("rgb", "depth") for key in ("width", "height")]
        sized = [f"{key}={width if key.endswith('width') else height}" for key in frame]
        self.envs = nav_eval.make_vec_env("vln-demo", count, overrides=[*DROPPED, *sized])
        self.cameras: list = []

    def begin(self) -> object:
        """New episodes for all sessions; what they see."""
        return shown(self.envs.reset(seed=0)[0])

    def step(self) -> object:
        """begin, then FRAMES steps, all sessions together; the last observations."""
        envs = self.envs.unwrapped
        rng = np.random.default_rng(0)
        seen, _ = envs.reset(seed=0)
        self.cameras = []
        for _ in range(max(FRAMES // envs.num_envs, 3)):
            seen, *_ = envs.step(rng.integers(1, 4, envs.num_envs))
            self.cameras.append([env.environment.simulator for env in envs.envs])
            self.cameras[-1] = [(s.world, s.lenses, s.camera()) for s in self.cameras[-1]]
        return shown(seen)

    def draw(self) -> object:
        """The same frames, a batch per building as in the environment."""
        for cameras in self.cameras:
            groups = defaultdict(list)
            for world, lenses, camera in cameras:
                groups[id(world)].append((world, lenses, camera))
            for group in groups.values():
                world, lenses, _ = group[0]
                ((lens, outputs),) = lenses.items()
                positions, yaws, pitches = zip(*(camera for _, _, camera in group))
                world.renderer(lens, outputs).render_batch(positions, yaws, pitches)
        return None


def questions(sizes: list[str], sessions: list[int]) -> dict:
    asked: dict = {}
    for size in sizes:
        for count in sessions:
            asked[f"step {size} {count}"] = lambda size=size, count=count: played(size, count).step()
            asked[f"begin {size} {count}"] = lambda size=size, count=count: played(size, count).begin()
            asked[f"draw {size} {count}"] = lambda size=size, count=count: played(size, count).draw()
    return asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--sessions", nargs="+", type=int, default=SESSIONS)
    parser.add_argument("--side", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    asked = questions(given.sizes, given.sessions)
    if given.side:
        yardstick.answer(asked)
        return
    arguments = ["--sizes", *given.sizes, "--sessions", *map(str, given.sessions)]
    with yardstick.both(__file__, arguments, asked, commit=COMMIT, rounds=ROUNDS) as sides:
        print(f"{'size':>9} {'sessions':>8} {'step':>7} {'drawing':>8} {'rest':>7} {'was':>7} {'its rest':>8}  frames")
        for size in given.sizes:
            for count in given.sessions:
                print(f"{size:>9} {count:8} {line(sides, size, count)}", flush=True)


def line(sides: tuple, size: str, count: int) -> str:
    """Figures of one size and number of sessions."""
    frames = max(FRAMES // count, 3) * count / 1e3
    asked = (f"{what} {size} {count}" for what in ("step", "begin", "draw"))
    step, begin, draw = (yardstick.in_turns(sides, question, ROUNDS) for question in asked)
    ours, drawn = (step.ours - begin.ours) / frames, draw.ours / frames
    theirs, drawn_theirs = (step.theirs - begin.theirs) / frames, draw.theirs / frames
    same = "identical" if step.same else "DIFFERENT"
    return f"{ours:7.3f} {drawn:8.3f} {ours - drawn:7.3f} {theirs:7.3f} {theirs - drawn_theirs:8.3f}  {same}"


if __name__ == "__main__":
    main()
