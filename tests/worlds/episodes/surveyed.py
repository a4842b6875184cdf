"""A building as somebody who walks through it finds it: rooms are what walls enclose, doors are gaps under lintels.

Made from the triangles of walls alone, cut at two heights: just below the ceiling, where the wall over a door closes
every room, and at the shin, where doors are open and windows are not. Nothing of the generator, of its regions or of
the annotation of doors is read, so that what is found here can contradict them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from nav_eval.engine.scene.scene import Scene

CELL = 0.05
SHIN, UNDER = 0.3, 0.1
"""Heights of the cuts: above the floor, below the ceiling."""
MIN_ROOM = 1.0
UNDER_SLOPE = 1.5
"""Metres from the part of an attic room that is high enough to be found as a room, at most."""
BUILT = frozenset(
    ("wall", "floor", "ceiling", "door", "doorway", "window", "stairs", "curtain", "column", "glass_partition", "sign")
)
Flat = tuple[float, float]
Place = tuple[int, int]
"""A storey and the number of a room on it."""


@dataclass(frozen=True)
class Gap:
    """A gap in a wall between two rooms of a storey; `across` is the unit vector of walking from `a` into `b`.

    `framed`: there is a door frame in it.
    """

    number: int
    storey: int
    a: int
    b: int
    middle: Flat
    across: Flat
    framed: bool
    width: float = 0.0
    """Metres from edge to edge."""

    def beyond(self, room: int) -> int:
        return self.b if room == self.a else self.a

    def into(self, room: int) -> Flat:
        """The direction of walking through it into a room."""
        return self.across if room == self.b else (-self.across[0], -self.across[1])


@dataclass(frozen=True)
class Thing:
    """`low` and `high`: corners of its box, metres."""

    kind: str
    place: Place
    low: tuple[float, float, float]
    high: tuple[float, float, float]

    @property
    def middle(self) -> Flat:
        return (self.low[0] + self.high[0]) / 2, (self.low[2] + self.high[2]) / 2


class Building:
    """Rooms, gaps and things; rooms are numbered on each storey from 1 by the labels of a grid of cells."""

    def __init__(self, scene: Scene) -> None:
        assert scene.object_ids is not None
        kinds = {thing.id: thing.category for thing in scene.objects}
        names = np.array([kinds.get(number, "") for number in range(max(kinds) + 1)])
        self._of = names[scene.object_ids]
        self._triangles = scene.positions[scene.triangles].astype(np.float64)
        corners = self._triangles.reshape(-1, 3)
        self.low = corners[:, [0, 2]].min(axis=0) - 1.0
        self._shape = np.ceil((corners[:, [0, 2]].max(axis=0) + 1.0 - self.low) / CELL).astype(int)
        walls = self._triangles[np.isin(self._of, ("wall", "ceiling"))]
        self.floors: list[float] = np.unique(np.round(self._triangles[self._of == "floor"][:, 0, 1], 2)).tolist()
        above = self._triangles[self._of == "ceiling"][:, :, 1]
        ceilings = above[np.ptp(above, axis=1) < 0.01].max(axis=1)
        self._highs = [float(ceilings[ceilings > floor + 1.0].min()) - UNDER for floor in self.floors]
        self.rooms = [self._rooms(walls, high) for high in self._highs]
        self.gaps = [gap for storey in range(len(self.floors)) for gap in self._gaps(walls, storey)]
        self.things = self._things(scene, kinds)

    def storey_of(self, y: float) -> int:
        """The storey whose floor is nearest below the knees."""
        return max((k for k, floor in enumerate(self.floors) if floor <= y + 0.6), default=0)

    def room_at(self, storey: int, at: Flat, reach: float = 0.4) -> int:
        """The room whose cell is nearest to a place, at most `reach` away; 0 if there is none."""
        x, z = ((at[k] - self.low[k]) / CELL for k in range(2))
        span = math.ceil(reach / CELL)
        i, k = int(x), int(z)
        grid = self.rooms[storey][max(i - span, 0) : i + span + 1, max(k - span, 0) : k + span + 1]
        found = np.argwhere(grid > 0)
        if not len(found):
            return 0
        off = np.hypot(found[:, 0] + max(i - span, 0) + 0.5 - x, found[:, 1] + max(k - span, 0) + 0.5 - z)
        best = found[int(off.argmin())]
        return int(grid[best[0], best[1]]) if off.min() * CELL <= reach else 0

    def gaps_of(self, place: Place) -> list[Gap]:
        return [gap for gap in self.gaps if gap.storey == place[0] and place[1] in (gap.a, gap.b)]

    def things_in(self, place: Place) -> list[Thing]:
        return [thing for thing in self.things if thing.place == place]

    def extent(self, place: Place) -> tuple[Flat, Flat]:
        """Lowest and highest x and z of a room."""
        cells = np.argwhere(self.rooms[place[0]] == place[1])
        low, high = cells.min(axis=0) * CELL + self.low, (cells.max(axis=0) + 1) * CELL + self.low
        return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))

    def has_stairs(self, place: Place) -> bool:
        """Whether the steps of a stair lie in a room."""
        middles = self._triangles[self._of == "stairs"].mean(axis=1)
        if not len(middles):
            return False
        spot = ((middles[:, 0].min() + middles[:, 0].max()) / 2, (middles[:, 2].min() + middles[:, 2].max()) / 2)
        return self.room_at(place[0], (float(spot[0]), float(spot[1]))) == place[1]

    def _cut(self, walls: NDArray[np.float64], y: float) -> NDArray[np.bool_]:
        """Cells that the walls pass through at a height: a triangle is cut along a line, from edge to edge."""
        walls = walls[(walls[:, :, 1].min(axis=1) <= y) & (y < walls[:, :, 1].max(axis=1))]
        p, q = walls, np.roll(walls, -1, axis=1)
        cut = (np.minimum(p, q)[:, :, 1] <= y) & (y < np.maximum(p, q)[:, :, 1])
        rise = np.where(cut, q[:, :, 1] - p[:, :, 1], 1.0)
        ends = (p + (q - p) * ((y - p[:, :, 1]) / rise)[:, :, None])[cut].reshape(-1, 2, 3)[:, :, [0, 2]]
        shares = np.linspace(0, 1, 41)[:, None, None]
        cells = np.floor((ends[:, 0] + (ends[:, 1] - ends[:, 0]) * shares - self.low) / CELL).astype(int)
        out = np.zeros(self._shape, bool)
        out[cells[:, :, 0], cells[:, :, 1]] = True
        return out

    def _rooms(self, walls: NDArray[np.float64], high: float) -> NDArray[np.int32]:
        """(X, Z): the room of each cell, 0 in walls and outside."""
        labels, _ = ndimage.label(~self._cut(walls, high))
        sizes = np.bincount(labels.ravel()) * CELL * CELL
        edge = {int(n) for side in (labels[0], labels[-1], labels[:, 0], labels[:, -1]) for n in np.unique(side)}
        large = [n for n in range(1, len(sizes)) if sizes[n] >= MIN_ROOM and n not in edge]
        kept = [n for n in large if self._thick(labels == n)]
        out = np.zeros(labels.shape, np.int32)
        for number, label in enumerate(kept, start=1):
            out[labels == label] = number
        return out

    @staticmethod
    def _thick(cells: NDArray[np.bool_]) -> bool:
        """Whether a person fits in, as one does not within a wall."""
        return bool(ndimage.distance_transform_cdt(cells, "chessboard").max() * CELL > 0.4)

    def _gaps(self, walls: NDArray[np.float64], storey: int) -> list[Gap]:
        floor = self.floors[storey]
        over, under = self._cut(walls, self._highs[storey]), self._cut(walls, floor + SHIN)
        # A single cell is where two cuts round differently, no door.
        open_ = over & ~ndimage.binary_dilation(under, iterations=1)
        joined = ndimage.binary_closing(np.pad(open_, 8), np.ones((5, 5)))[8:-8, 8:-8]
        labels, count = ndimage.label(joined, np.ones((3, 3)))
        found = (self._gap(storey, labels == n, len(self.floors) * n + storey) for n in range(1, count + 1))
        return [gap for gap in found if gap]

    def _gap(self, storey: int, cells: NDArray[np.bool_], number: int) -> Gap | None:
        at = np.argwhere(cells)
        low, high = at.min(axis=0) * CELL + self.low, (at.max(axis=0) + 1) * CELL + self.low
        middle = (float(low[0] + high[0]) / 2, float(low[1] + high[1]) / 2)
        wide_x = high[0] - low[0] > high[1] - low[1]
        if max(high - low) < 0.5:
            return None
        across = (0.0, 1.0) if wide_x else (1.0, 0.0)
        sides = [
            self.room_at(storey, (middle[0] + sign * 0.3 * across[0], middle[1] + sign * 0.3 * across[1]), 0.15)
            for sign in (-1, 1)
        ]
        if 0 in sides or sides[0] == sides[1]:
            return None
        along = 0 if wide_x else 1
        posts = [self._frame_at(storey, middle, along, edge) for edge in (low[along], high[along])]
        return Gap(number, storey, sides[0], sides[1], middle, across, all(posts), float(max(high - low)))

    def _frame_at(self, storey: int, middle: Flat, along: int, edge: float) -> bool:
        """Whether a door frame stands at one edge of a gap, on both faces of its wall: not that of a door beside it."""
        frames = self._triangles[self._of == "door"].mean(axis=1)
        deep = frames[:, 2 - 2 * along] - middle[1 - along]
        near = (np.abs(deep) < 0.12) & (np.abs(frames[:, 2 * along] - edge) < 0.12)
        near &= np.abs(frames[:, 1] - self.floors[storey] - 1.0) < 1.4
        return bool((near & (deep < -0.02)).any() and (near & (deep > 0.02)).any())

    def _things(self, scene: Scene, kinds: dict[int, str]) -> list[Thing]:
        assert scene.object_ids is not None
        out = []
        order = np.argsort(scene.object_ids, kind="stable")
        numbers, starts = np.unique(scene.object_ids[order], return_index=True)
        lows = np.minimum.reduceat(self._triangles[order].min(axis=1), starts, axis=0)
        highs = np.maximum.reduceat(self._triangles[order].max(axis=1), starts, axis=0)
        for number, low, high in zip(numbers.tolist(), lows.tolist(), highs.tolist(), strict=True):
            kind = kinds.get(number, "")
            if kind and kind not in BUILT:
                storey = self.storey_of(low[1])
                middle = ((low[0] + high[0]) / 2, (low[2] + high[2]) / 2)
                room = self.room_at(storey, middle) or self.room_at(storey, middle, UNDER_SLOPE)
                out.append(Thing(kind, (storey, room), tuple(low), tuple(high)))
        return out
