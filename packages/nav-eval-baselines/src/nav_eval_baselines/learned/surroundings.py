"""What lies around the agent: floor, obstacles and things that it saw, kept by place and told by direction.

The floor is a grid in the frame of the start, x ahead and y right of it, m; what is told is in the frame of the agent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nav_eval_baselines.learned.senses import CELLS, FAR, SIDE

DIRECTIONS = 24
"""Told of: every 15 degrees, ahead first, clockwise."""
PLACES = DIRECTIONS + 1
"""The directions, and what lies within HERE of the agent."""
BANDS = 5
"""Of each direction, besides the kinds: how near the floor ends on its left and right edge, whether nobody knows what
comes there, on either edge, and how near one has walked there."""
HERE = 1.0
REACH = 20.0
"""Metres from the start to the borders of the grids."""
FLOOR, COARSE = 0.125, 0.25
"""Metres of a cell: for the floor, and for things."""
UNKNOWN, FREE, BLOCKED = 0, 1, 2
CAMERA = 1.25
SEES = 8.0
"""Metres: what is farther is not entered."""
BUMP, BODY = 0.1, 0.35
"""Metres: who moves less, without turning, has bumped into something, and so far ahead of the middle it is."""
_ALONG = np.arange(0.3, 5.0, 0.125)
_EDGES = np.radians((np.arange(2 * DIRECTIONS) - 0.5) * 180 / DIRECTIONS)
_TANGENTS = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1).astype(np.float32)
_CELL_TANGENTS = ((np.arange(CELLS) + 0.5) / CELLS * 2 - 1).astype(np.float32)
_DISC = np.stack(np.meshgrid(np.arange(-10, 11), np.arange(-10, 11), indexing="ij"), -1).reshape(-1, 2)


class Surroundings:
    """Of one episode. A picture's field of view is 90 degrees both ways."""

    def __init__(self, kinds: int) -> None:
        size, coarse = round(2 * REACH / FLOOR), round(2 * REACH / COARSE)
        self._floor = np.zeros((size, size), np.uint8)
        self._sums = np.zeros((coarse * coarse, kinds), np.float32)
        self._views = np.zeros(coarse * coarse, np.float32)
        self._middles = np.zeros((coarse * coarse, 2), np.float32)
        self._track: list[tuple[float, float]] = []
        self._heading = 0.0
        self._bumped: list[Any] = []

    def see(self, near: Any, kinds: Any, pose: Any) -> Any:
        """Enter what is seen and tell what is around: (PLACES, K + BANDS) uint8, 255 is near and certain.

        `near` (SIDE, SIDE) nearness, `kinds` (CELLS, CELLS, K) chances, `pose`: x, y, m, and the compass, rad.
        """
        x, y, heading = (float(value) for value in pose)
        self._assume_free(x, y, 0.6 if self._track else 1.25)
        self._enter_floor(near, x, y, heading)
        self._enter_bumps(x, y, heading)
        self._track.append((x, y))
        self._heading = heading
        self._enter_kinds(near, kinds, x, y, heading)
        told = np.concatenate([self._kinds_around(x, y, heading), self._ways(x, y, heading)], -1)
        return (255 * told + 0.5).astype(np.uint8)

    def _assume_free(self, x: float, y: float, radius: float) -> None:
        """The camera does not see the floor at the feet."""
        rows, columns = self._disc(np.array([x, y]), radius)
        self._floor[rows, columns] = np.maximum(self._floor[rows, columns], FREE)

    def _enter_bumps(self, x: float, y: float, heading: float) -> None:
        """What one has bumped into is an obstacle, whatever it looks like."""
        if self._track and self._stayed(x, y, heading):
            self._bumped.append(self._disc(_around(BODY, 0.0, x, y, heading), FLOOR))
        for rows, columns in self._bumped:
            self._floor[rows, columns] = BLOCKED

    def _stayed(self, x: float, y: float, heading: float) -> bool:
        """Nobody acts so that nothing moves, unless something is in the way."""
        moved = np.hypot(x - self._track[-1][0], y - self._track[-1][1])
        return bool(moved < BUMP and abs(np.sin(heading - self._heading)) < 0.02)

    def _disc(self, middle: Any, radius: float) -> Any:
        """Rows and columns of the floor within `radius` metres."""
        cells = _DISC[np.hypot(*_DISC.T) * FLOOR <= radius] + _cell(middle, FLOOR)
        return cells.clip(0, len(self._floor) - 1).T

    def _enter_floor(self, near: Any, x: float, y: float, heading: float) -> None:
        metres = -FAR * np.log(np.maximum(near, 1e-3))
        level = CAMERA - metres * _TANGENTS[:, None]
        cells = _cell(_around(metres, metres * _TANGENTS, x, y, heading), FLOOR)
        cells = cells.clip(0, len(self._floor) - 1)
        seen = (metres > 0.05) & (metres < SEES)
        for part, value in ((level < 0.1, FREE), ((level > 0.2) & (level < 1.5), BLOCKED)):
            rows, columns = cells[seen & part].T
            self._floor[rows, columns] = value

    def _enter_kinds(self, near: Any, kinds: Any, x: float, y: float, heading: float) -> None:
        """Of each view and place what is most certain of a kind; of views the mean, near ones weigh more."""
        step = SIDE // CELLS
        metres = -FAR * np.log(np.maximum(near.reshape(CELLS, step, CELLS, step).mean((1, 3)), 1e-3))
        spots = _around(metres, metres * _CELL_TANGENTS, x, y, heading)
        side = round(2 * REACH / COARSE)
        numbers = (_cell(spots, COARSE).clip(0, side - 1) @ (side, 1)).reshape(-1)
        order = np.argsort(numbers, kind="stable")
        order = order[metres.reshape(-1)[order] < SEES]
        if not len(order):
            return
        places, starts = np.unique(numbers[order], return_index=True)
        best = np.maximum.reduceat(kinds.reshape(-1, kinds.shape[-1])[order], starts)
        weight = 0.1 + np.exp(-np.minimum.reduceat(metres.reshape(-1)[order], starts) / FAR)
        middles = np.add.reduceat(spots.reshape(-1, 2)[order], starts) / np.diff(starts, append=len(order))[:, None]
        self._middles[places] += weight[:, None] * middles
        self._sums[places] += weight[:, None] * best
        self._views[places] += weight

    def _kinds_around(self, x: float, y: float, heading: float) -> Any:
        """(PLACES, K) how near a thing of each kind is in each direction, times how certain it is."""
        places = np.flatnonzero(self._views)
        out = np.zeros((PLACES, self._sums.shape[1]), np.float32)
        if not len(places):
            return out
        certain, middles = (sums[places] / self._views[places, None] for sums in (self._sums, self._middles))
        away, direction = _polar(middles, x, y, heading)
        order = np.argsort(direction, kind="stable")
        found, starts = np.unique(direction[order], return_index=True)
        out[found] = np.maximum.reduceat((certain * np.exp(-away / FAR)[:, None])[order], starts)
        if (away < HERE).any():
            out[DIRECTIONS] = certain[away < HERE].mean(0)
        return out

    def _ways(self, x: float, y: float, heading: float) -> Any:
        """(PLACES, BANDS)"""
        rays = _around(np.cos(_EDGES)[:, None] * _ALONG, np.sin(_EDGES)[:, None] * _ALONG, x, y, heading)
        cells = _cell(rays, FLOOR).clip(0, len(self._floor) - 1)
        met = self._floor[cells[..., 0], cells[..., 1]]
        closed = met != FREE
        first = np.where(closed.any(1), closed.argmax(1), len(_ALONG) - 1)
        near = np.exp(-_ALONG[first] / 2)
        unknown = closed.any(1) & (met[np.arange(len(met)), first] == UNKNOWN)
        out = np.zeros((PLACES, BANDS), np.float32)
        out[:DIRECTIONS, :4] = np.concatenate([near.reshape(-1, 2), unknown.reshape(-1, 2)], -1)
        away, direction = _polar(np.array(self._track), x, y, heading)
        far = away > 0.5
        np.maximum.at(out[:, 4], direction[far], np.exp(-away[far] / FAR))
        return out


def _cell(places: Any, metres: float) -> Any:
    return np.floor((places + REACH) / metres).astype(np.int64)


def _around(ahead: Any, right: Any, x: float, y: float, heading: float) -> Any:
    """(..., 2) in the frame of the start, of places ahead and right of the agent."""
    sine, cosine = np.sin(heading), np.cos(heading)
    return np.stack([x + ahead * cosine + right * sine, y - ahead * sine + right * cosine], -1)


def _polar(places: Any, x: float, y: float, heading: float) -> tuple[Any, Any]:
    """Metres and direction of places in the frame of the start."""
    north, east = places[:, 0] - x, places[:, 1] - y
    bearing = np.arctan2(east, north) + heading
    return np.hypot(north, east), np.round(bearing * DIRECTIONS / (2 * np.pi)).astype(np.int64) % DIRECTIONS
