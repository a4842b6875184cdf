"""What a step of an environment to train in costs: drawing, and everything else.

The vector plays vln-demo with RGB-D of a size, GPS, compass and the instruction; every session walks by the same
random actions. Drawing is what the renderer's batches take within these steps; what is left is motion, distances,
metrics, sensors, batches. CPU milliseconds per session and step; the lowest and the median of rounds, which all sizes
take in turns. With --depth and --supervised what depth alone costs, and the dense reward with the oracle's actions.
For scale, Habitat-Lab: 0.25 to 0.30 ms of its own and 0.5 ms of its simulator a step, without drawing.
With --orders what the order of the episodes adds in many homes: a pass of episodes of --steps, homes loaded within.
    python benchmarks/training_env.py [--sizes 64x48 128x128 ...] [--sessions 1 8 32] [--rounds 9] [--depth]
    python benchmarks/training_env.py --orders scenes shuffled random --sizes 128x128 --sessions 1 8 --rounds 3
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from machine import machine

import nav_eval
from nav_eval.engine.render.cpu import CpuRenderer
from nav_eval.engine.scene.cache import shared_scenes

ROUNDS, FRAMES = 9, 96
HOMES, PATHS = 30, 2
"""Of a pass: homes, and paths of each, with six wordings."""
SIZES, SESSIONS = ("64x48", "128x128", "256x256", "640x480"), (1, 8, 32)


class Timed:
    """A function that knows what CPU time its calls took, all threads together; nothing else may run meanwhile."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __get__(self, owner: Any, kind: type) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            begun = time.process_time()
            try:
                return self.function(owner, *arguments)
            finally:
                self.seconds += time.process_time() - begun

        return call


class Play:
    """A vector of environments that walk."""

    def __init__(self, size: str, count: int, *, depth: bool, supervised: bool, drawing: Timed) -> None:
        width, height = size.split("x")
        lens = f"{{width: {width}, height: {height}, hfov: 90}}"
        pictures = f"depth: {lens}" if depth else f"rgb: {lens}, depth: {lens}"
        seen = f"simulator.sensors={{{pictures}, gps: {{}}, compass: {{}}}}"
        told = {"dense_reward": supervised, "expert_actions": supervised}
        self.envs = nav_eval.make_vec_env("vln-demo", count, overrides=[seen], **told)
        self._count, self._drawing = count, drawing
        self.steps: list[float] = []
        self.draws: list[float] = []

    def round(self) -> None:
        """Times FRAMES steps, all sessions together, after their episodes have begun."""
        rng, frames = np.random.default_rng(0), max(FRAMES // self._count, 3)
        self.envs.reset(seed=0)
        self._drawing.seconds, begun = 0.0, time.process_time()
        for _ in range(frames):
            self.envs.step(rng.integers(1, 4, self._count))
        self.steps.append((time.process_time() - begun) / frames / self._count * 1e3)
        self.draws.append(self._drawing.seconds / frames / self._count * 1e3)

    def __str__(self) -> str:
        rests = np.subtract(self.steps, self.draws)
        return "  ".join(f"{min(of):6.3f} {np.median(of):6.3f}" for of in (self.steps, self.draws, rests))


class Pass:
    """A pass of the episodes of HOMES in an order; "random" loads as often as a shuffle of all episodes would."""

    def __init__(self, order: Any, size: str, count: int, steps: int) -> None:
        width, height = size.split("x")
        lens = f"{{width: {width}, height: {height}, hfov: 90}}"
        overrides = [
            f"simulator.sensors={{rgb: {lens}, depth: {lens}, gps: {{}}, compass: {{}}}}",
            f"dataset.generate={{scenes: {HOMES}, per_scene: {PATHS}}}",
            f"evaluation.max_steps={steps}",
        ]
        self.envs = nav_eval.make_vec_env("vln-demo", count, overrides=overrides, order=order)
        self._count = count
        self._steps = len(self.envs.envs[0].episodes) * (steps + 1) // count
        self.cpu: list[float] = []
        self.wall: list[float] = []

    def round(self, seed: int) -> None:
        """Times a pass, its loading included."""
        shared_scenes().clear()
        rng, steps = np.random.default_rng(0), self._steps
        cpu, wall = time.process_time(), time.perf_counter()
        self.envs.reset(seed=seed)
        for _ in range(steps):
            self.envs.step(rng.integers(1, 4, self._count))
        self.cpu.append((time.process_time() - cpu) / steps / self._count * 1e3)
        self.wall.append((time.perf_counter() - wall) / steps / self._count * 1e3)

    def __str__(self) -> str:
        return "  ".join(f"{min(of):6.3f} {np.median(of):6.3f}" for of in (self.cpu, self.wall))


def compare_orders(given: argparse.Namespace) -> None:
    kinds = [(order, size, count) for size in given.sizes for count in given.sessions for order in given.orders]
    passes = {kind: Pass(*kind, given.steps) for kind in kinds}
    for number in range(given.rounds + 1):
        for one in passes.values():
            one.round(number)
    print(f"{machine()}; ms a step, lowest and median of {given.rounds}")
    print(f"{'order':>9} {'size':>9} {'sessions':>8} {'CPU':>14} {'wall':>15}")
    for (order, size, count), one in passes.items():
        one.cpu.pop(0), one.wall.pop(0)  # machine code was read
        print(f"{order:>9} {size:>9} {count:8}  {one}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--sessions", nargs="+", type=int, default=SESSIONS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--depth", action="store_true")
    parser.add_argument("--supervised", action="store_true")
    parser.add_argument("--orders", nargs="+")
    parser.add_argument("--steps", type=int, default=60)
    given = parser.parse_args()
    if given.orders:
        compare_orders(given)
        return
    drawing = Timed(CpuRenderer.render_batch)
    CpuRenderer.render_batch = drawing  # type: ignore[assignment,method-assign]
    kinds = [(size, count) for size in given.sizes for count in given.sessions]
    plays = {kind: Play(*kind, depth=given.depth, supervised=given.supervised, drawing=drawing) for kind in kinds}
    for play in plays.values():
        play.round()
        play.steps, play.draws = [], []
    print(f"{machine()}; CPU ms, lowest and median of {given.rounds} rounds")
    for _ in range(given.rounds):
        for play in plays.values():
            play.round()
    print(f"{'size':>9} {'sessions':>8} {'step':>14} {'drawing':>15} {'rest':>15}")
    for (size, count), play in plays.items():
        print(f"{size:>9} {count:8}  {play}", flush=True)


if __name__ == "__main__":
    main()
