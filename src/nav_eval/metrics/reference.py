"""What an agent's path is compared with, place by place: the nodes of a graph, or points in space.

Both kinds answer the same questions, so that dtw, coverage and cls are written once. An alignment starts with the DTW
row [0, inf, ..., inf], and each new place of the agent extends it in time proportional to the reference (one column
of the recurrence, see nav_eval.metrics.kernels). References on graphs are short: plain Python, and numba stays
unimported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from nav_eval.core.interfaces import DistanceFunction, MetricContext
from nav_eval.core.types import Place
from nav_eval.geometry import Vec3, total
from nav_eval.metrics.functional import not_nan, path_length


class Alignment(Protocol):
    """Dynamic time warping of a growing path with the reference."""

    def add(self, place: Place) -> None: ...

    def cost(self) -> float:
        """DTW distance (m) of the path so far; inf without a reference."""


class Approach(Protocol):
    """Least distances (m) of a growing path to each reference place."""

    nearest: Sequence[float] | np.ndarray

    def add(self, place: Place) -> None: ...


class Reference(Protocol):
    """`size` reference places."""

    size: int

    def length(self) -> float:
        """Metres along the reference."""

    def same(self, a: Place, b: Place) -> bool:
        """Whether two successive places of the agent count as one."""

    def alignment(self, kind: str) -> Alignment:
        """For an empty path; `kind` is "exact" or "fastdtw" (points only: on a graph it is exact)."""

    def approach(self) -> Approach:
        """For an empty path."""


def reference_of(context: MetricContext) -> Reference:
    """Graph distances where the agent walks on a graph, else Euclidean distances between points, as in VLN-CE.

    The same one for all metrics of an episode: the distances of a place are looked up once.
    """
    if __name__ not in context.shared:
        on_graph = context.start.node is not None
        places, distance = context.reference, context.distance
        context.shared[__name__] = NodeReference(places, distance) if on_graph else PointReference(places)
    found: Reference = context.shared[__name__]
    return found


class NodeReference:
    """Viewpoints of a graph, repeated ones collapsed."""

    def __init__(self, places: Sequence[Place], distance: DistanceFunction) -> None:
        self._places = [place for i, place in enumerate(places) if i == 0 or place.node != places[i - 1].node]
        self._distance = distance
        self._known: dict[str | None, tuple[float, ...]] = {}
        self.size = len(self._places)

    def length(self) -> float:
        return not_nan(total(self._distance(a, [b]) for a, b in pairwise(self._places)))

    def same(self, a: Place, b: Place) -> bool:
        return a.node == b.node

    def alignment(self, kind: str) -> Alignment:
        return _NodeAlignment(self)

    def approach(self) -> Approach:
        return _NodeApproach(self)

    def distances(self, place: Place) -> tuple[float, ...]:
        """From a place of the agent to each reference node, m."""
        known = self._known.get(place.node)
        if known is None:
            known = self._known[place.node] = tuple(not_nan(self._distance(place, [other])) for other in self._places)
        return known


class _NodeAlignment:
    def __init__(self, reference: NodeReference) -> None:
        self._reference = reference
        self._row = [0.0] + [math.inf] * reference.size

    def add(self, place: Place) -> None:
        row, left = self._row, math.inf
        diagonal, row[0] = row[0], math.inf
        for j, cost in enumerate(self._reference.distances(place), start=1):
            up = row[j]
            left = row[j] = cost + min(up, left, diagonal)
            diagonal = up

    def cost(self) -> float:
        return self._row[-1] if self._reference.size else math.inf


class _NodeApproach:
    def __init__(self, reference: NodeReference) -> None:
        self._reference = reference
        self.nearest: Sequence[float] | np.ndarray = [math.inf] * reference.size

    def add(self, place: Place) -> None:
        self.nearest = list(map(min, self.nearest, self._reference.distances(place)))


class PointReference:
    """Points in space; a place of the agent equal to the one before it is dropped, a reference point never."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._points = [place.position for place in places]
        self.size = len(self._points)

    def length(self) -> float:
        return path_length(self._points)

    def same(self, a: Place, b: Place) -> bool:
        return a.position == b.position

    def alignment(self, kind: str) -> Alignment:
        return _FastAlignment(self.array()) if kind == "fastdtw" else _PointAlignment(self.array())

    def approach(self) -> Approach:
        return _PointApproach(self.array())

    def array(self) -> np.ndarray:
        """(size, 3) metres."""
        return np.array(self._points, dtype=np.float64).reshape(-1, 3)


class _PointAlignment:
    def __init__(self, points: np.ndarray) -> None:
        from nav_eval.metrics.kernels.rows import align_point, first_row

        self._extend, self._points = align_point, points
        self._row = first_row(len(points))

    def add(self, place: Place) -> None:
        self._extend(self._row, self._points, *place.position)

    def cost(self) -> float:
        return not_nan(float(self._row[-1])) if len(self._points) else math.inf


class _FastAlignment:
    """Keeps the path and aligns it anew, once per length: fastdtw cannot grow."""

    def __init__(self, points: np.ndarray) -> None:
        self._points = points
        self._path: list[Vec3] = []
        self._known = (0, math.inf)

    def add(self, place: Place) -> None:
        self._path.append(place.position)

    def cost(self) -> float:
        from nav_eval.metrics.dtw import fastdtw_points

        if self._known[0] != len(self._path):
            self._known = (len(self._path), fastdtw_points(self._path, self._points))
        return self._known[1]


class _PointApproach:
    def __init__(self, points: np.ndarray) -> None:
        from nav_eval.metrics.kernels.rows import approach_point

        self._lower, self._points = approach_point, points
        self._least = np.full(len(points), math.inf)
        self.nearest: Sequence[float] | np.ndarray = self._least

    def add(self, place: Place) -> None:
        self._lower(self._least, self._points, *place.position)
