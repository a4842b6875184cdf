"""What generated buildings hold and cost: this tree's beside those of the last commit of worlds v3.

    python benchmarks/worlds.py [--buildings 30] [--views 20] [--plans 100] [--seed measured] [--rounds 5]

Buildings of fresh seeds, every fourth an office and every third of two storeys; views at random poses of their
navmeshes, none left out. Costs are those of a home of 10 rooms at 200,000 triangles, in turns with the commit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yardstick
from numpy.typing import NDArray

import nav_eval
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.plan.openings import make_plan
from nav_eval_worlds.world import World, generate_world

COMMIT = "1763574"
"""The last of worlds v3."""
SHELL = frozenset(("wall", "floor", "ceiling"))
STRUCTURE = SHELL | {"door", "doorway", "window", "stairs", "column", "partition", "glass_partition", "arch", "railing"}
WIDTH, HEIGHT, HFOV, EYE = 320, 240, 79.0, 1.25
SEEN = 0.0005
"""Share of a view's pixels from which on a thing counts as seen."""
SHELL_ONLY = 0.85
SLACK = 0.1
"""Metres by which a window's box is grown before a ray that hits nothing must pass through one."""
FRAMES = 10
COST = ("measured-cost", 10, 1, "home", 200_000)
WANTED = {
    "objects a room (median)": ">= 30", "categories": ">= 80", "distinct things": ">= 300", "objects a view": ">= 9",
    "views of shell only, %": "<= 6", "luminance, most / least": ">= 2", "clusters of plans": ">= 6",
    "pixels of nothing indoors": "0", "files, MB": "<= 20",
}  # fmt: skip


@dataclass(slots=True)
class Tally:
    """What has been counted so far."""

    rooms: list[int] = field(default_factory=list)
    categories: set[str] = field(default_factory=set)
    things: set[str] = field(default_factory=set)
    seen: list[int] = field(default_factory=list)
    bare: list[bool] = field(default_factory=list)
    luminance: list[float] = field(default_factory=list)
    grey: list[float] = field(default_factory=list)
    holes: int = 0


def figures(buildings: int, views: int, plans: int, seed: str) -> dict[str, float | None]:
    """What this process's nav_eval makes."""
    tally = Tally()
    for number, (world, kind) in enumerate(_worlds(buildings, seed)):
        _count(tally, world)
        luminance, grey = _look(tally, world, views, number)
        if kind == "home":
            tally.luminance.append(luminance)
            tally.grey.append(grey)
        print(f"{number + 1} of {buildings} buildings", end="\r", file=sys.stderr, flush=True)
    low, high = np.percentile(tally.luminance, (10, 90))
    return {
        "buildings": buildings,
        "views": len(tally.seen),
        "objects a room (median)": float(np.median(tally.rooms)),
        "categories": len(tally.categories),
        "distinct things": len(tally.things),
        "objects a view": float(np.mean(tally.seen)),
        "views of shell only, %": 100 * float(np.mean(tally.bare)),
        "mean luminance of a home": float(np.mean(tally.luminance)),
        "luminance, 90th / 10th percentile": float(high / low),
        "luminance, most / least": max(tally.luminance) / min(tally.luminance),
        "mean pixel value, most / least": max(tally.grey) / min(tally.grey),
        "clusters of plans": _clusters(plans, seed),
        "pixels of nothing indoors": tally.holes,
        "files, MB": _megabytes(),
    }


def _worlds(count: int, seed: str) -> Iterator[tuple[World, Kind]]:
    for number in range(count):
        kind, rooms, storeys = asked_for(number)
        yield generate_world(f"{seed}-{number}", rooms, storeys, kind, 60_000), kind


def asked_for(number: int) -> tuple[Kind, int, int]:
    """Kind, rooms and storeys of a building by its number."""
    return "office" if number % 4 == 3 else "home", 4 + number * 5 % 9, 1 + (number % 3 == 2)


def _count(tally: Tally, world: World) -> None:
    """Of `world`: how many things each room holds, and which."""
    loose = [thing for thing in world.objects if thing.category not in STRUCTURE]
    tally.rooms += [sum(o.region == room.id for o in loose) for room in world.regions if room.category != "stairs"]
    tally.categories |= {thing.category for thing in world.objects}
    tally.things |= {_design(item) for item in world.items if item.category not in STRUCTURE}


def _design(item: Any) -> str:
    """Tells models apart by the name of their shape, or by what they are built of: not by size, turn or place."""
    parts = getattr(item, "variant", "") or [quad.material for quad in item.model.quads] + [
        (g.material, g.least) for g in item.model.grids
    ]
    return hashlib.sha256(repr((item.category, parts)).encode()).hexdigest()


def _look(tally: Tally, world: World, views: int, number: int) -> tuple[float, float]:
    """Count what views of `world` show; their mean luminance, 0 to 1, and mean pixel value, 0 to 255."""
    scene = world.scene()
    camera = nav_eval.make_renderer(
        "cpu", scene, width=WIDTH, height=HEIGHT, hfov=HFOV, outputs=("rgb", "depth", "semantic")
    )
    category = {thing.id: thing.category for thing in world.objects}
    light, grey = [], []
    for place, yaw in poses(NavMesh.from_bytes(world.navmesh()), views, number):
        frame = camera.render(place, yaw)
        ids, pixels = np.unique(frame.semantic, return_counts=True)
        shares = {int(k): count / frame.semantic.size for k, count in zip(ids, pixels, strict=True)}
        tally.seen.append(sum(s >= SEEN and category.get(k, "wall") not in STRUCTURE for k, s in shares.items()))
        tally.bare.append(sum(s for k, s in shares.items() if category.get(k) in SHELL) > SHELL_ONLY)
        tally.holes += _holes(frame.depth, place, yaw, world)
        light.append(_luminance(frame.rgb))
        grey.append(frame.rgb.mean())
    return float(np.mean(light)), float(np.mean(grey))


def poses(navmesh: NavMesh, count: int, seed: int) -> list[tuple[NDArray[np.float64], float]]:
    """Camera positions over random points of the largest island, metres, with random yaws, rad: no tops of beds."""
    largest = max(navmesh.islands, key=lambda island: island.area)
    spots = navmesh.random_points(count, seed, largest.index)
    yaws = np.random.default_rng(seed).uniform(-np.pi, np.pi, count)
    return [(np.add(spot, (0, EYE, 0)), float(yaw)) for spot, yaw in zip(spots, yaws, strict=True)]


def _luminance(rgb: NDArray[np.uint8]) -> float:
    """Mean relative luminance (Rec. 709) of sRGB pixels."""
    value = np.arange(256) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return float((linear[rgb] * (0.2126, 0.7152, 0.0722)).sum(axis=-1).mean())


def _holes(depth: NDArray[np.float32], place: NDArray[np.float64], yaw: float, world: World) -> int:
    """Pixels that show nothing (depth 0) although they look through no window."""
    rows, columns = np.nonzero(depth == 0)
    focus = WIDTH / 2 / np.tan(np.radians(HFOV) / 2)
    x, y = (columns + 0.5 - WIDTH / 2) / focus, (HEIGHT / 2 - rows - 0.5) / focus
    rays = np.stack([np.cos(yaw) * x - np.sin(yaw), y, -np.sin(yaw) * x - np.cos(yaw)], axis=1)
    through = np.zeros(len(rays), np.bool_)
    for window in (thing for thing in world.objects if thing.category == "window"):
        half = np.divide(window.size, 2) + SLACK
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (np.asarray(window.center) + np.multiply.outer((-1, 1), half) - place)[:, None] / rays
        near, far = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
        through |= (near <= far) & (far > 0)
    return int((~through).sum())


def _clusters(plans: int, seed: str) -> int | None:
    """How many kinds of plan, of at least three homes each, there are; None where the tree cannot tell."""
    try:
        from topology import topology

        kinds = [topology(make_plan(f"{seed}-{k}", *asked_for(k)[1:], "home")).kind for k in range(plans)]
    except (ImportError, AttributeError):
        return None
    return sum(count >= 3 for count in Counter(kinds).values())


def _megabytes() -> float:
    with tempfile.TemporaryDirectory() as folder:
        _cost().save(Path(folder))
        return sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6


def _cost() -> World:
    seed, rooms, storeys, kind, detail = COST
    return generate_world(seed, rooms, storeys, kind, detail)  # type: ignore[arg-type]


def questions() -> dict[str, Callable[[], object]]:
    """The generation of a home of 10 rooms, and FRAMES frames of it."""
    drawn: list[Callable[[], object]] = []

    def generate() -> object:
        return len(_cost().objects)

    def draw() -> object:
        if not drawn:
            world = _cost()
            camera = nav_eval.make_renderer("cpu", world.scene(), width=640, height=480, hfov=HFOV)
            views = poses(NavMesh.from_bytes(world.navmesh()), FRAMES, 0)
            drawn.append(lambda: [camera.render(*view).depth.shape for view in views])
        return drawn[0]()

    return {"generate": generate, "draw": draw}


def costs(rounds: int) -> None:
    """Print CPU times in turns with the commit."""
    names = {
        "generate": ("generation, CPU s", 1.0, "<= 8"),
        "draw": ("frame 640x480, CPU ms", 1e3 / FRAMES, "<= 1.25x"),
    }
    with yardstick.both(__file__, [], names, commit=COMMIT) as sides:
        for question, (name, unit, wanted) in names.items():
            found = yardstick.in_turns(sides, question, rounds if question == "generate" else yardstick.ROUNDS)
            times = f"{found.theirs * unit:11.2f}{found.ours * unit:11.2f}{wanted:>11}"
            print(f"{name:36}{times}   this tree / commit {1 / found.ratio:.2f}", flush=True)


def compare(asked: argparse.Namespace) -> None:
    """Print the figures of the commit and of this tree side by side."""
    options = ["--buildings", str(asked.buildings), "--views", str(asked.views), "--plans", str(asked.plans)]
    command = [sys.executable, __file__, "--side", "figures", "--seed", asked.seed, *options]
    sides = []
    for tree in (yardstick.tree(COMMIT), None):
        answer = subprocess.run(command, env=yardstick.environment(tree), stdout=subprocess.PIPE, check=True).stdout
        sides.append(json.loads(answer))
    print(f"{'':36}{COMMIT:>11}{'this tree':>11}{'wanted':>11}")
    for name, ours in sides[1].items():
        theirs = sides[0][name]
        print(f"{name:36}{_format(theirs):>11}{_format(ours):>11}{WANTED.get(name, ''):>11}", flush=True)


def _format(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--buildings", type=int, default=30)
    parser.add_argument("--views", type=int, default=20, help="of each building")
    parser.add_argument("--plans", type=int, default=100, help="homes whose plans are compared")
    parser.add_argument("--seed", default="measured")
    parser.add_argument("--rounds", type=int, default=5, help="generations to time; 0: no costs")
    parser.add_argument("--side", nargs="?", const="costs", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.rounds == 1:
        parser.error("--rounds is 1: give 0 for no costs, or 2 and more, whose spread is shown")
    if asked.side == "figures":
        print(json.dumps(figures(asked.buildings, asked.views, asked.plans, asked.seed)))
    elif asked.side:
        yardstick.answer(questions())
    else:
        if asked.buildings:
            compare(asked)
        if asked.rounds:
            costs(asked.rounds)


if __name__ == "__main__":
    main()
