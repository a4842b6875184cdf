"""Worlds made on the fly for the conformance check of our own backends: a grid graph, a room with a wall in it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.geometry import Vec3

SCAN = "grid"
SPACING = 2.0
SIZE = 4
WALL = 0.1
SENSORS = ("instruction", "gps", "compass")


def grid_graph(folder: Path) -> tuple[SimulatorConfig, list[Episode]]:
    """A 4 x 4 grid of viewpoints in Matterport3D's format, 2 m apart, written to `folder`."""
    (folder / f"{SCAN}_connectivity.json").write_text(json.dumps(_rows()))
    episode = Episode(
        episode_id="1_0",
        scene_id=SCAN,
        start_node=_node(0, 0),
        instruction=Instruction(text="Go to the far corner.", tokens=("go", "to", "the", "far", "corner", ".")),
        goals=(Goal(node=_node(SIZE - 1, SIZE - 1)),),
    )
    sensors = {name: SensorConfig() for name in (*SENSORS, "viewpoint", "navigable")}
    return SimulatorConfig(backend="nav_graph", connectivity_dir=str(folder), sensors=sensors), [episode]


def _rows() -> list[dict[str, Any]]:
    cells = [(x, y) for y in range(SIZE) for x in range(SIZE)]
    return [
        {
            "image_id": _node(x, y),
            "pose": [1, 0, 0, x * SPACING, 0, 1, 0, y * SPACING, 0, 0, 1, 1.5, 0, 0, 0, 1],
            "included": True,
            "visible": [True] * len(cells),
            "unobstructed": [abs(x - u) + abs(y - v) == 1 for u, v in cells],
            "height": 1.5,
        }
        for x, y in cells
    ]


def _node(x: int, y: int) -> str:
    return f"{x:016x}{y:016x}"


def room(folder: Path, *, cameras: bool = True) -> tuple[SimulatorConfig, list[Episode]]:
    """A room of 6 x 5 m with a wall across it that leaves a way of 1.5 m, written to `folder` as room.obj."""
    _write_room(folder / "room.obj")
    episodes = [
        _room_episode("1", (-2.0, 0.0, 1.5), (2.0, 0.0, 1.5)),
        _room_episode("2", (1.0, 0.0, -1.0), (-2.0, 0.0, 0.5)),
    ]
    sensors = {name: SensorConfig() for name in SENSORS}
    if cameras:
        sensors |= {name: SensorConfig(width=64, height=48, hfov=79) for name in ("rgb", "depth")}
    return SimulatorConfig(backend="custom", scenes_dir=str(folder), sensors=sensors), episodes


def _room_episode(name: str, start: Vec3, goal: Vec3) -> Episode:
    return Episode(
        episode_id=name,
        scene_id="room.obj",
        start_position=start,
        instruction=Instruction(text="Go round the wall.", tokens=("go", "round", "the", "wall", ".")),
        goals=(Goal(position=goal, radius=0.2),),
    )


BOXES = {
    "floor": ((6.0, WALL, 5.0), (0.0, -WALL / 2, 0.0)),
    "north": ((6.0, 2.5, WALL), (0.0, 1.25, -2.5)),
    "south": ((6.0, 2.5, WALL), (0.0, 1.25, 2.5)),
    "west": ((WALL, 2.5, 5.0), (-3.0, 1.25, 0.0)),
    "east": ((WALL, 2.5, 5.0), (3.0, 1.25, 0.0)),
    "across": ((WALL, 2.5, 3.5), (0.0, 1.25, 0.75)),
}
"""Name -> extents and centre, m."""
FACES = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
"""Of a box, counter-clockwise from outside; corner 1 + 4 x + 2 y + z, each 0 or 1."""


def _write_room(path: Path) -> None:
    """Wavefront OBJ, a colour for each box at its corners."""
    lines: list[str] = []
    for shade, (name, (extents, centre)) in enumerate(BOXES.items()):
        colour = f"{0.35 + 0.1 * shade:.2f} {0.8 - 0.08 * shade:.2f} 0.55"
        lines.append(f"o {name}")
        for signs in itertools.product((-0.5, 0.5), repeat=3):
            corner = (c + sign * e for c, sign, e in zip(centre, signs, extents, strict=True))
            lines.append("v " + " ".join(f"{x:.6f}" for x in corner) + f" {colour}")
        lines += ["f " + " ".join(str(8 * shade + k) for k in face) for face in FACES]
    path.write_text("\n".join(lines) + "\n")
