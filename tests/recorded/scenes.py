"""Makes the two scenes of this folder, by hand from boxes and prisms in flat colours; see README.md.

PYTHONPATH=tests python tests/recorded/scenes.py
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.scene.made import Glb

Corners = NDArray[np.float64]
Shape = tuple[int, Corners]
"""(number of its colour, (T, 3, 3) corners, metres, y up, seen from outside)."""
COLOURS = ((0.8, 0.75, 0.7), (0.55, 0.6, 0.65), (0.4, 0.25, 0.15), (0.2, 0.5, 0.3), (0.7, 0.2, 0.2))
FLOOR, WALL, WOOD, GREEN, RED = range(5)


def turned(corners: Corners, yaw: float, pitch: float = 0.0) -> Corners:
    """About z by the pitch, then about y by the yaw, degrees."""
    a, b = math.radians(yaw), math.radians(pitch)
    about_z = np.array([[math.cos(b), -math.sin(b), 0], [math.sin(b), math.cos(b), 0], [0, 0, 1]])
    about_y = np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])
    return corners @ (about_y @ about_z).T


def prism(sides: int) -> Corners:
    """Of radius 1 about the y axis, from y = -1/2 to 1/2."""
    ends = [np.array([math.sin(t), 0, math.cos(t)]) for t in 2 * math.pi * (np.arange(sides + 1) + 0.5) / sides]
    up, half = np.array([0, 0.5, 0]), []
    for a, b in pairwise(ends):
        half += [[a - up, b - up, b + up], [a - up, b + up, a + up], [up, a + up, b + up], [-up, b - up, a - up]]
    return np.array(half)


def box(colour: int, centre: ArrayLike, size: ArrayLike, yaw: float = 0.0, pitch: float = 0.0, sides: int = 4) -> Shape:
    """A box, or a column with more sides; its size is along x, y and z before it is turned."""
    across = math.sqrt(0.5) if sides == 4 else 0.5
    upright = prism(sides) * (across, 1, across) * np.asarray(size)
    return colour, turned(upright, yaw, pitch) + np.asarray(centre)


def rooms() -> Iterable[Shape]:
    """Two rooms with a door between, a third that is shut, things to walk round, a step and a ramp."""
    yield box(FLOOR, (0, -0.05, 0), (9, 0.1, 7))
    for side in (-1, 1):
        yield box(WALL, (4.45 * side, 1.25, 0), (0.1, 2.5, 7))
        yield box(WALL, (0, 1.25, 3.45 * side), (9, 2.5, 0.1))
    yield box(WALL, (0.3, 1.25, -1.3), (0.12, 2.5, 4.2))
    yield box(WALL, (0.3, 1.25, 2.7), (0.12, 2.5, 1.4))
    yield box(WALL, (3.2, 1.25, -1.6), (2.4, 2.5, 0.1))
    yield box(WALL, (2.0, 1.25, -2.5), (0.1, 2.5, 1.9))
    yield box(WOOD, (-2.2, 0.4, 0.7), (1.6, 0.8, 1.4), yaw=23)
    yield box(WOOD, (-3.4, 0.25, -2.2), (0.5, 0.5, 0.5), yaw=41)
    yield box(RED, (-1.1, 0.6, -1.9), (0.9, 1.2, 0.3), yaw=-35)
    yield box(GREEN, (2.4, 0.5, 1.9), (0.8, 1.0, 0.8), sides=9)
    yield box(GREEN, (1.6, 1.25, 0.1), (0.4, 2.5, 0.4), sides=7)
    yield box(WOOD, (-3.6, 0.08, 2.5), (1.5, 0.16, 1.7))
    yield box(RED, (3.2, 0.1, 0.3), (2.4, 0.1, 1.0), yaw=8, pitch=14)


def storeys() -> Iterable[Shape]:
    """Two floors, turned by 17 degrees, with stairs, a ramp, a hole in the upper floor and a pit below."""
    for colour, corners in upright_storeys():
        yield colour, turned(corners, 17.0)


def upright_storeys() -> Iterable[Shape]:
    yield box(FLOOR, (0, -0.05, 0), (11, 0.1, 8))
    yield box(FLOOR, (3.1, 2.62, 2.2), (4.8, 0.16, 3.6))
    yield box(FLOOR, (3.1, 2.62, -2.4), (4.8, 0.16, 3.2))
    yield box(FLOOR, (4.8, 2.62, -0.2), (1.4, 0.16, 1.2))
    for number in range(15):
        yield box(WOOD, (-3.5 + 0.28 * number, 0.09 * (number + 1), 3.2), (0.28, 0.18 * (number + 1), 1.3))
    yield box(RED, (-2.18, 1.30, -2.9), (6.4, 0.12, 1.4), pitch=25)
    for x, z in ((1.3, 0.9), (5.1, -3.6), (1.3, -1.2)):
        yield box(GREEN, (x, 1.25, z), (0.36, 2.5, 0.36), sides=8)
    yield box(WALL, (-5.4, 1.3, 0), (0.2, 2.6, 8))
    yield box(WALL, (2.2, 3.6, -3.4), (2.2, 1.8, 0.15), yaw=12)
    yield box(WOOD, (3.6, 3.1, 2.6), (1.3, 0.8, 0.9), yaw=-28)
    yield box(WALL, (-1.2, 0.6, 0.2), (0.15, 1.2, 3.0), yaw=30)


def save(path: Path, shapes: Iterable[Shape]) -> None:
    """One mesh for each colour; positions as float32, no transforms."""
    made, found = Glb(), list(shapes)
    for number, colour in enumerate(COLOURS):
        corners = [shape.reshape(-1, 3) for which, shape in found if which == number]
        points = np.concatenate(corners).astype(np.float32)
        limits = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        skin = made.material(pbrMetallicRoughness={"baseColorFactor": [*colour, 1.0]})
        faces = made.accessor(np.arange(len(points), dtype=np.uint16))
        made.node(mesh=made.mesh({"POSITION": made.accessor(points, **limits)}, faces, material=skin))
    made.json |= {"scene": 0, "scenes": [{"nodes": list(range(len(COLOURS)))}]}
    made.save(path)


if __name__ == "__main__":
    for name, shapes in (("rooms", rooms()), ("storeys", storeys())):
        save(Path(__file__).parent / name / "scene.glb", shapes)
