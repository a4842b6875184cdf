"""Shortest ways of a disc among wall segments: straight pieces between points round the walls' ends.

A visibility graph: an end of a wall is gone round on an octagon about the disc's own circle, so lengths are at most a
few centimetres above the true ones. All pairs are made once per world.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

SLACK = 1e-6


class Ways:
    """`walls`: (N, 2, 2) segments, metres; `radius`: the disc's."""

    def __init__(self, walls, radius):
        self.walls = np.asarray(walls, float)
        self.radius = radius - SLACK
        angles = np.arange(8) * math.pi / 4
        ring = (radius + SLACK) / math.cos(math.pi / 8) * np.stack([np.cos(angles), np.sin(angles)], 1)
        around = (self.walls.reshape(-1, 1, 2) + ring).reshape(-1, 2)
        self.nodes = np.unique(around[self.clear(around, around)].round(9), axis=0)
        self.lengths = self._all_pairs()
        self._onwards = lru_cache(4096)(self._remembered)

    def distance(self, start, end):
        """Metres; inf where no way leads."""
        start, end = np.asarray(start, float), np.asarray(end, float)
        if self.clear(start[None], end[None])[0]:
            return float(np.linalg.norm(end - start))
        return float((self._reach(start) + self._onwards(tuple(end))).min(initial=math.inf))

    def _remembered(self, end):
        """From each node to `end`: goals are asked for again and again."""
        return (self.lengths + self._reach(np.array(end))).min(axis=1, initial=math.inf)

    def _reach(self, point):
        """Straight lengths from a point to the nodes that it sees; where it stands itself may be tight."""
        lengths = np.linalg.norm(self.nodes - point, axis=1)
        return np.where(self.clear(np.broadcast_to(point, self.nodes.shape), self.nodes), lengths, math.inf)

    def _all_pairs(self):
        lengths = np.stack([self._reach(node) for node in self.nodes]) if len(self.nodes) else np.zeros((0, 0))
        for k in range(len(self.nodes)):
            np.minimum(lengths, lengths[:, k, None] + lengths[k], out=lengths)
        return lengths

    def clear(self, starts, ends):
        """Whether a disc can be moved straight from starts (M, 2) to ends (M, 2)."""
        starts, ends = starts[:, None], ends[:, None]
        return (_gaps(starts, ends, self.walls[:, 0], self.walls[:, 1]) >= self.radius).all(axis=1)


def _gaps(starts, ends, a, b):
    """(M, N) least distances between M segments and the walls from a to b (N); 0 where they cross."""
    way, side = ends - starts, b - a
    cross = np.sign(_cross(way, a - starts)) * np.sign(_cross(way, b - starts)) < 0
    cross &= np.sign(_cross(side, starts - a)) * np.sign(_cross(side, ends - a)) < 0
    apart = [_to_segment(starts, a, side), _to_segment(ends, a, side)]
    apart += [_to_segment(point, starts, way) for point in (a, b)]
    return np.where(cross, 0.0, np.minimum.reduce(apart))


def _to_segment(points, start, way):
    squared = np.maximum((way * way).sum(-1), 1e-18)
    share = np.clip(((points - start) * way).sum(-1) / squared, 0, 1)
    return np.linalg.norm(points - start - share[..., None] * way, axis=-1)


def _cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
