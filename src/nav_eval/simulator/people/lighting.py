"""How light it is where people stand: baked light of the floor round their feet, in scenes that have lightmaps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nav_eval.geometry import Vec3
from nav_eval.simulator.people.footing import DOWN, UP
from nav_eval.simulator.physics.ground import STEEPEST, TILE, Tile, tile_of

if TYPE_CHECKING:
    from nav_eval.core.bodies import Building
    from nav_eval.engine.scene.scene import Scene

CELL = 0.4
"""Side of the squares of the plane whose light is looked up once, m."""
ROUND = np.array([(0.5 * x, 0.5 * z) for x in (-1, 0, 1) for z in (-1, 0, 1)])
"""Where light is looked up round the middle of a square: x and z, m. The lighter half of it counts: what furniture
darkens at its foot does not lie on people."""
ONE = 128.0
"""The byte of a lightmap that stands for 1."""
USUAL = 0.8
"""Of floors in generated homes, the median: on them people are lit as where nothing is baked."""
FULL: Vec3 = (1.0, 1.0, 1.0)
DARKEST, LIGHTEST = 0.05, 1.25
"""Bounds of what people are multiplied with."""


class Lighting:
    """One building's; shared by threads, which may look the same square up twice and find the same."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._tiles: dict[Tile, _Floors] = {}
        self._found: dict[tuple[int, int, float], Vec3] = {}

    @cached_property
    def _floors(self) -> _Floors | None:
        scene = self._building.scene
        return None if scene.light_uvs is None else _Floors.of(scene)

    def at(self, position: Vec3) -> Vec3:
        """Share of red, green and blue that somebody at a point of the navmesh is lit with; 1 without lightmaps."""
        if self._floors is None:
            return FULL
        x, y, z = position
        key = (math.floor(x / CELL), math.floor(z / CELL), y)
        if key not in self._found:
            self._found[key] = self._round(self._floors, ((key[0] + 0.5) * CELL, y, (key[1] + 0.5) * CELL))
        return self._found[key]

    def _round(self, floors: _Floors, middle: Vec3) -> Vec3:
        tile = tile_of(middle)
        if tile not in self._tiles:
            self._tiles[tile] = floors.near(tile)
        found = self._tiles[tile].under(np.array(middle[::2]) + ROUND, middle[1])
        if not found:
            return FULL
        lights = sorted((_light(floors.scene, *one).tolist() for one in found), key=sum)
        light = np.mean(lights[len(lights) // 2 :], axis=0)
        red, green, blue = np.clip(light / USUAL, DARKEST, LIGHTEST).tolist()
        return red, green, blue


@dataclass(frozen=True)
class _Floors:
    """Triangles that can be stood on: their numbers in the scene (T,), corners (T, 3, 3)."""

    scene: Scene
    numbers: NDArray[np.int64]
    corners: NDArray[np.float64]

    @classmethod
    def of(cls, scene: Scene) -> _Floors:
        corners = scene.positions[scene.triangles].astype(np.float64)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        numbers = np.flatnonzero(normals[:, 1] > np.maximum(STEEPEST * np.linalg.norm(normals, axis=1), 1e-10))
        return cls(scene, numbers, corners[numbers])

    def near(self, tile: Tile) -> _Floors:
        """Those in a tile or within reach of it."""
        plane, reach = self.corners[:, :, ::2], ROUND.max()
        low, high = np.array(tile) * TILE - reach, np.array(tile) * TILE + TILE + reach
        inside = ((plane.min(axis=1) <= high) & (plane.max(axis=1) >= low)).all(axis=1)
        return _Floors(self.scene, self.numbers[inside], self.corners[inside])

    def under(self, places: NDArray[np.float64], y: float) -> list[tuple[int, NDArray[np.float64]]]:
        """The highest floor near y under each of the places (P, 2) that has one: its number, and the shares of its
        corners (3,)."""
        heights = self.corners[:, :, 1]
        level = np.flatnonzero((heights.min(axis=1) <= y + UP) & (heights.max(axis=1) >= y - DOWN))
        corners, numbers = self.corners[level], self.numbers[level]
        gaps = corners[None, :, :, ::2] - places[:, None, None]
        parts = np.stack([_cross(gaps[:, :, (k + 1) % 3], gaps[:, :, (k + 2) % 3]) for k in range(3)], axis=2)
        shares = parts / parts.sum(axis=2, keepdims=True)
        heights = (shares * corners[None, :, :, 1]).sum(axis=2)
        on = (shares >= 0).all(axis=2) & (heights >= y - DOWN) & (heights <= y + UP)
        best: Iterable[int] = np.where(on, heights, -np.inf).argmax(axis=1) if on.size else []
        return [(int(numbers[t]), shares[p, t]) for p, t in enumerate(best) if on[p, t]]


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _light(scene: Scene, triangle: int, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3,) baked light at a place of a triangle: its lightmap's, or without one its vertices'."""
    corners = scene.triangles[triangle]
    lightmap = scene.materials[scene.material_ids[triangle]].lightmap
    if lightmap >= 0 and scene.light_uvs is not None:
        image = scene.textures[lightmap]
        height, width = image.shape[:2]
        u, v = shares @ scene.light_uvs[corners]
        return np.asarray(image[min(int(v * height), height - 1), min(int(u * width), width - 1), :3] / ONE)
    return np.ones(3) if scene.colors is None else np.asarray(shares @ scene.colors[corners, :3] / 255.0)
