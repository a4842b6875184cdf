"""The floor under people's feet: a navmesh floats up to its cell's height above what is drawn."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from nav_eval.geometry import Vec3
from nav_eval.simulator.physics.ground import Floors, Tile, Tiles, tile_of

if TYPE_CHECKING:
    from nav_eval.core.bodies import Building

CELL = 0.2
"""Side of the squares of the plane whose floor is looked up once, at their middle, m."""
UP, DOWN = 0.05, 0.4
"""How far above and below the navmesh the floor may lie, m."""


class Footing:
    """One building's; shared by threads, which may look the same square up twice and find the same."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._floors: dict[Tile, Floors] = {}
        self._heights: dict[tuple[int, int, float], float] = {}

    @cached_property
    def _tiles(self) -> Tiles:
        return Tiles.of(self._building.scene, 0.0)

    def height(self, position: Vec3) -> float:
        """Of the floor that is drawn under a point of the navmesh, m; the navmesh's own where there is none."""
        x, y, z = position
        key = (math.floor(x / CELL), math.floor(z / CELL), y)
        if key not in self._heights:
            middle = ((key[0] + 0.5) * CELL, y, (key[1] + 0.5) * CELL)
            self._heights[key] = self._near(middle).height(middle, UP, DOWN)
        return self._heights[key]

    def _near(self, position: Vec3) -> Floors:
        tile = tile_of(position)
        if tile not in self._floors:
            self._floors[tile] = Floors(self._tiles.near(tile))
        return self._floors[tile]
