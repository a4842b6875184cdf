"""A small navigation graph in Matterport3D's format, and R2R episodes on it, written to real files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

SCAN = "tinyhouse"


def node(x: int, y: int) -> str:
    """A 32-digit viewpoint id for the grid point (x, y)."""
    return f"{x:016x}{y:016x}"


def grid_scan(width: int, height: int, spacing: float = 2.0, walls: set[tuple[str, str]] = frozenset()) -> list[Any]:  # type: ignore[assignment]
    """Connectivity rows of a width x height grid; `walls` are pairs without a free way."""
    cells = [(x, y) for y in range(height) for x in range(width)]
    names = [node(*cell) for cell in cells]
    rows = []
    for x, y in cells:
        free = [
            abs(x - u) + abs(y - v) == 1 and not {(node(x, y), node(u, v)), (node(u, v), node(x, y))} & walls
            for u, v in cells
        ]
        pose = [1, 0, 0, x * spacing, 0, 1, 0, y * spacing, 0, 0, 1, 1.5, 0, 0, 0, 1]
        rows.append(
            {
                "image_id": node(x, y),
                "pose": pose,
                "included": True,
                "visible": [name != node(x, y) for name in names],
                "unobstructed": free,
                "height": 1.5,
            }
        )
    return rows


def write_r2r(folder: Path, *, width: int = 4, height: int = 3, items: list[dict[str, Any]] | None = None) -> list[str]:
    """Write connectivity and R2R_val.json; the overrides that point the benchmark r2r at them."""
    connectivity = folder / "connectivity"
    connectivity.mkdir(parents=True, exist_ok=True)
    (connectivity / f"{SCAN}_connectivity.json").write_text(json.dumps(grid_scan(width, height)))
    data = folder / "R2R_val.json"
    data.write_text(json.dumps(items if items is not None else default_items()))
    return [f"dataset.data_path={data}", f"simulator.connectivity_dir={connectivity}", "dataset.split=val"]


def default_items() -> list[dict[str, Any]]:
    """Two paths, five instructions."""
    return [
        item(7, [node(0, 0), node(1, 0), node(2, 0), node(3, 0)], ["Walk straight.", "Go to the end. ", "走到尽头。"]),
        item(8, [node(0, 2), node(0, 1), node(0, 0), node(1, 0)], ["Turn and walk.", "Leave the room."]),
    ]


def item(path_id: int, path: list[str], instructions: list[str]) -> dict[str, Any]:
    """A record whose path goes by every node of `path`, along x and then along y."""
    whole = walked(path)
    return {
        "path_id": path_id,
        "scan": SCAN,
        "path": whole,
        "heading": 0.5,
        "distance": 2.0 * (len(whole) - 1),
        "instructions": instructions,
    }


def walked(path: list[str]) -> list[str]:
    """`path` with the grid points between its nodes, so that each step is an edge."""
    nodes = path[:1]
    for end in path[1:]:
        (x, y), (u, v) = ((int(name[:16], 16), int(name[16:], 16)) for name in (nodes[-1], end))
        nodes += [node(i, y) for i in _between(x, u)] + [node(u, j) for j in _between(y, v)]
    return nodes


def _between(a: int, b: int) -> range:
    """After `a` up to `b`."""
    return range(a + 1, b + 1) if a < b else range(a - 1, b - 1, -1)


def write_skyboxes(folder: Path, *, size: int = 64) -> list[str]:
    """Painted skyboxes for the graph of `write_r2r(folder)`, each turned otherwise; the overrides for the sensor.

    Their colours tell the direction (`colour_of`). Faces are as OpenGL's cube maps are (specification, table 8.19),
    with x reversed as three.js does in R2R's own viewer; poses are of cameras that look at face 3, as R2R's
    connectivity/README says.
    """
    file = folder / "connectivity" / f"{SCAN}_connectivity.json"
    rows = json.loads(file.read_text())
    (folder / SCAN).mkdir()
    for number, row in enumerate(rows):
        yaw = 0.7 * number - 3.0
        row["pose"] = _pose(yaw, row["pose"])
        for face, direction in _faces(size).items():
            picture = Image.fromarray(colour_of(_yawed(direction, yaw)))
            picture.save(folder / SCAN / f"{row['image_id']}_skybox{face}_sami.jpg", quality=95, subsampling=0)
    file.write_text(json.dumps(rows))
    return [f"simulator.skybox_dir={folder}", f"+simulator.sensors.skybox={{width: {size}}}"]


def colour_of(direction: np.ndarray) -> np.ndarray:
    """(..., 3) uint8 of a direction (..., 3) in nav_eval's frame, of any length."""
    unit = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    return np.rint(128 + 100 * unit).astype(np.uint8)


def _pose(yaw: float, pose: list[float]) -> list[float]:
    """Of a camera in Matterport's frame, z up: x to the right, y down, z ahead."""
    sine, cosine = math.sin(yaw), math.cos(yaw)
    return [cosine, 0, -sine, pose[3], sine, 0, cosine, pose[7], 0, -1, 0, pose[11], 0, 0, 0, 1]


def _faces(size: int) -> dict[int, np.ndarray]:
    """Directions of the pixels, (S, S, 3), for a camera that looks along -z."""
    axis = (np.arange(size) + 0.5) / size * 2 - 1
    u, v = np.meshgrid(axis, axis)
    one = np.ones_like(u)
    sampled = {
        2: (one, -v, -u),
        4: (-one, -v, u),
        0: (u, one, v),
        5: (u, -one, -v),
        1: (u, -v, one),
        3: (-u, -v, -one),
    }
    return {face: np.stack([-x, y, z], axis=-1) for face, (x, y, z) in sampled.items()}


def _yawed(direction: np.ndarray, yaw: float) -> np.ndarray:
    x, y, z = np.moveaxis(direction, -1, 0)
    sine, cosine = math.sin(yaw), math.cos(yaw)
    return np.stack([cosine * x + sine * z, y, cosine * z - sine * x], axis=-1)
