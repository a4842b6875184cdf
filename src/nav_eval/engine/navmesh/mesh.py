"""NavMesh: one navmesh, immutable and shared by every thread, with Habitat's questions as methods.

Points are sequences or arrays of x, y, z in metres, y up; they are read as float32. Answers are exact float32 values:
a point is a tuple of floats, (NaN, NaN, NaN) where there is none, a distance is inf where there is no path.
Two path modes: `detour` is Habitat's answer, made from a corridor of polygons that need not be the best one;
`exact` is the true shortest path over the polygons, never longer.
Behaviour: facebookresearch/habitat-sim, src/esp/nav/PathFinder.cpp (MIT), re-implemented.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from nav_eval.engine.navmesh.field import BendPoints, DistanceField, find_bend_points
from nav_eval.engine.navmesh.file import NavmeshFile, parse_navmesh
from nav_eval.engine.navmesh.layout import Layout, build_layout
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.errors import NavmeshError

Point = tuple[float, float, float]
PointLike = Sequence[float] | npt.NDArray[Any]
"""(3,) x, y, z: metres, world frame (y up)."""
GoalLike = PointLike | Sequence[Sequence[float]]
"""One goal (3,) or several (K, 3): metres, world frame (y up)."""
Floats = npt.NDArray[np.float32]
F = TypeVar("F", bound=Callable[..., Any])
PathMode = Literal["detour", "exact"]
ndarray = np.ndarray
KEPT_FIELDS = 16
MAX_PIXELS = 1e8


@dataclass(frozen=True, slots=True)
class ShortestPath:
    """Corners (N, 3) float32 from start to end, and their length, metres; no corners and inf where there is no path."""

    points: Floats
    length: float
    goal: int = 0
    """Which of several goals the path leads to; -1 if none."""


@dataclass(frozen=True, slots=True)
class Island:
    """Polygons that can be walked between: walkable area in m2, greatest distance of a vertex from their mean."""

    index: int
    area: float
    radius: float
    polygons: int


class NavMesh:
    """A loaded navmesh. Make one with `load_navmesh`, `NavMesh.from_bytes` or a scene's `build_navmesh`.

    Points that it takes and returns are metres in the world frame (y up), distances metres.
    """

    def __init__(self, file: NavmeshFile) -> None:
        from nav_eval.engine.navmesh import queries
        from nav_eval.engine.navmesh.memory import MeshTable, Scratch

        self.file = file
        self.layout: Layout = build_layout(file)
        self._queries = queries
        self._table = MeshTable(self.layout)
        self._mesh = self._table.address
        self._scratch = Scratch(len(self.layout.counts), self.layout.states)
        self._snap, self._step = _compiled(queries.snap), _compiled(queries.step)
        self._geodesic, self._is_navigable = _compiled(queries.geodesic), _compiled(queries.is_navigable)
        self._obstacle, self._trace = _compiled(queries.obstacle_distance), _compiled(queries.trace_path)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "navmesh") -> NavMesh:
        """From the bytes of a `.navmesh` file; NavmeshError if they are damaged."""
        return cls(parse_navmesh(data, name))

    def __reduce__(self) -> tuple[Any, ...]:
        return NavMesh.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"NavMesh({len(self.layout.counts)} polygons, {len(self.islands)} islands, {self.area:.1f} m2)"

    def to_bytes(self) -> bytes:
        """The bytes of the `.navmesh` file; equal to those it was read from."""
        return self.file.to_bytes()

    def save(self, path: Path | str) -> None:
        """Write a `.navmesh` file that Habitat loads too."""
        try:
            Path(path).write_bytes(self.to_bytes())
        except OSError as error:
            raise NavmeshError(f"{path} cannot be written: {error.strerror}") from error

    @property
    def settings(self) -> NavmeshSettings | None:
        """What the mesh was built with; None if its file (version 1) does not say."""
        return self.file.settings

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Least and greatest corner of all tiles, (3,) each, metres."""
        size = self.layout.tile_size
        if not len(size):
            return np.zeros(3, np.float32), np.zeros(3, np.float32)
        return size[:, :3].min(axis=0), size[:, 3:6].max(axis=0)

    @property
    def area(self) -> float:
        """Walkable area, m2."""
        return float(sum((np.float32(i.area) for i in self.islands), np.float32(0)))

    @cached_property
    def islands(self) -> tuple[Island, ...]:
        """Every island, in Habitat's numbering."""
        layout = self.layout
        count = int(layout.island.max(initial=-1)) + 1
        walkable = layout.walkable == 1
        areas = np.zeros(count, np.float32)
        np.add.at(areas, layout.island[walkable], layout.areas[walkable])
        radii = [self._radius(layout.island == i) for i in range(count)]
        sizes = np.bincount(layout.island, minlength=count)
        return tuple(Island(i, float(areas[i]), radii[i], int(sizes[i])) for i in range(count))

    def _radius(self, members: npt.NDArray[np.bool_]) -> float:
        used = np.arange(6) < self.layout.counts[members, None]
        vertices = self.layout.corners[members][used].astype(np.float64)
        return float(np.linalg.norm(vertices - vertices.mean(axis=0), axis=1).max()) if len(vertices) else 0.0

    def island_of(self, point: PointLike) -> int:
        """The island that the point snaps to, -1 if none. point: (3,), metres."""
        x, y, z = point.tolist() if type(point) is ndarray else point
        polygon = self._queries.polygon_of(self._mesh, x, y, z)
        return int(self.layout.island[polygon]) if polygon >= 0 else -1

    def island_radius(self, point: PointLike) -> float:
        """Radius of the point's island, metres; 0 if it has none. point: (3,)."""
        island = self.island_of(point)
        return self.islands[island].radius if island >= 0 else 0.0

    def snap(self, point: PointLike) -> Point:
        """The nearest point of the mesh within 2 m in x and z and 4 m in y; NaN if there is none.

        point: (3,), metres.
        """
        x, y, z = point.tolist() if type(point) is ndarray else point
        return self._snap(self._mesh, x, y, z)

    def snap_all(self, points: npt.ArrayLike) -> Floats:
        """`snap` for (N, 3) points: (N, 3)."""
        rows = _rows(points)
        out = np.empty_like(rows)
        self._queries.snap_all(self._mesh, rows, out, np.empty(len(rows), np.int32))
        return out

    def is_navigable(self, point: PointLike, max_y_delta: float = 0.5) -> bool:
        """Whether the point lies on the mesh: its snapped point is within 1 cm in xz and max_y_delta in y.

        point: (3,), metres.
        """
        x, y, z = point.tolist() if type(point) is ndarray else point
        return self._is_navigable(self._mesh, x, y, z, max_y_delta)

    def distance_to_obstacle(self, point: PointLike, max_radius: float = 2.0) -> float:
        """Distance in the plane to the nearest border of the mesh, at most max_radius; inf off the mesh.

        point: (3,), metres.
        """
        if not 0 <= max_radius < math.inf:
            raise NavmeshError(f"max_radius is {max_radius}: give a finite number of metres >= 0")
        x, y, z = point.tolist() if type(point) is ndarray else point
        return self._obstacle(self._mesh, self._scratch.address, x, y, z, max_radius)

    def step(self, start: PointLike, end: PointLike, sliding: bool = True) -> Point:
        """Where a move from start towards end comes to: along walls if sliding, else to the first wall.

        Both (3,), metres.
        """
        ax, ay, az = start.tolist() if type(start) is ndarray else start
        bx, by, bz = end.tolist() if type(end) is ndarray else end
        return self._step(self._mesh, self._scratch.address, ax, ay, az, bx, by, bz, sliding)

    def steps(self, starts: npt.ArrayLike, ends: npt.ArrayLike, sliding: bool = True) -> Floats:
        """`step` for (N, 3) starts and ends: (N, 3)."""
        a, b = _pairs(starts, ends)
        out = np.empty_like(a)
        self._queries.step_all(self._mesh, self._scratch.address, a, b, sliding, out)
        return out

    def raycast(self, start: PointLike, end: PointLike) -> tuple[float, Point]:
        """How far (0..1) the straight way is open, and the point reached; NaN where start is off the mesh.

        Both (3,), metres.
        """
        t, x, y, z = self._queries.raycast(self._mesh, *_xyz(start), *_xyz(end))
        return t, (x, y, z)

    def geodesic_distance(self, start: PointLike, end: GoalLike, path_mode: PathMode = "detour") -> float:
        """Length of the path, metres, inf if there is none; `end` may be (K, 3) goals: the least of them."""
        if path_mode != "detour":
            return self.shortest_path(start, end, path_mode).length
        ax, ay, az = start.tolist() if type(start) is ndarray else start
        goal: Any = end.tolist() if type(end) is ndarray and end.ndim == 1 else end
        if len(goal) == 3 and isinstance(goal[0], (int, float)):
            bx, by, bz = goal
            return self._geodesic(self._mesh, self._scratch.address, ax, ay, az, bx, by, bz)
        return self._to_any((ax, ay, az), _rows(end))[0]

    def geodesic_distances(self, starts: npt.ArrayLike, ends: npt.ArrayLike) -> Floats:
        """Distances between (N, 3) starts and (N, 3) or (3,) ends: (N,) float32."""
        a, b = _pairs(starts, ends)
        out = np.empty(len(a), np.float32)
        self._queries.geodesics(self._mesh, self._scratch.address, a, b, out)
        return out

    def shortest_path(self, start: PointLike, end: GoalLike, path_mode: PathMode = "detour") -> ShortestPath:
        """The path from start to end, or to the nearest of (K, 3) goals."""
        if path_mode == "exact":
            return self._exact_path(_xyz(start), _rows(end))
        if path_mode != "detour":
            raise NavmeshError(f"path mode {path_mode!r} is unknown: use 'detour' or 'exact'")
        ax, ay, az = start.tolist() if type(start) is ndarray else start
        goal: Any = end.tolist() if type(end) is ndarray and end.ndim == 1 else end
        best = 0
        if len(goal) != 3 or not isinstance(goal[0], (int, float)):
            goals = _rows(end)
            best = 0 if len(goals) == 1 else self._to_any((ax, ay, az), goals)[1]
            if best < 0:
                return ShortestPath(np.zeros((0, 3), np.float32), math.inf, -1)
            goal = goals[best].tolist()
        bx, by, bz = goal
        scratch = self._scratch
        length, count = self._trace(self._mesh, scratch.address, ax, ay, az, bx, by, bz)
        return ShortestPath(scratch.path[:count].copy(), length, best if count else -1)

    def _to_any(self, start: Point, goals: Floats) -> tuple[float, int]:
        gaps = goals - np.array(start, np.float32)
        order = np.argsort(np.sqrt((gaps * gaps).sum(axis=1)), kind="stable")
        length, goal = self._queries.geodesic_to_any(self._mesh, self._scratch.address, *start, goals, order)
        return length, int(goal)

    def random_point(self, seed: int | np.random.Generator = 0, island: int | None = None) -> Point:
        """A point of the mesh, uniform over its walkable area or over one island's; the same for the same seed."""
        x, y, z = self.random_points(1, seed, island)[0].tolist()
        return x, y, z

    def random_points(self, count: int, seed: int | np.random.Generator = 0, island: int | None = None) -> Floats:
        """(count, 3) points, uniform over the walkable area of the mesh or of one island.

        NavmeshError where there is none, or where a damaged mesh does not find its own surface.
        """
        triangles, weights = self._triangle_areas
        if island is not None:
            owner = np.repeat(self.layout.island, np.diff(self.layout.triangle_start))
            weights = np.where(owner == island, weights, 0)
        total = weights.sum()
        if not total > 0:
            raise NavmeshError(f"there is no walkable area on island {island} to draw points from")
        random = np.random.default_rng(seed)
        chosen = triangles[random.choice(len(triangles), count, p=weights / total)]
        root, share = np.sqrt(random.random(count)), random.random(count)
        mix = np.stack([1 - root, root * (1 - share), root * share], axis=1)
        points = self.snap_all((mix[:, :, None] * chosen).sum(axis=1))
        if not np.isfinite(points).all():
            raise NavmeshError("the navmesh does not find points of its own surface: damaged file. Build it again.")
        return points

    @cached_property
    def _triangle_areas(self) -> tuple[Floats, npt.NDArray[np.float64]]:
        triangles = self.layout.triangles
        open_ = np.repeat(self.layout.walkable == 1, np.diff(self.layout.triangle_start))
        sides = triangles[:, 1:].astype(np.float64) - triangles[:, :1]
        return triangles, np.where(open_, np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) / 2, 0)

    def topdown(
        self, meters_per_pixel: float = 0.1, height: float | None = None, max_y_delta: float = 0.5
    ) -> npt.NDArray[np.bool_]:
        """Habitat's top-down map: (rows along z, columns along x), true where navigable within max_y_delta of height.

        Without a height, the lowest of the mesh is taken, as Habitat's own scripts do.

        The array is (H, W): the mesh's extent in z and x, divided by `meters_per_pixel`.
        """
        low, high = self.bounds
        span = np.abs(low - high) / np.float32(meters_per_pixel)
        if not (np.isfinite(span).all() and meters_per_pixel > 0 and span[0] * span[2] < MAX_PIXELS):
            raise NavmeshError(
                f"{meters_per_pixel} m per pixel makes no map of up to {MAX_PIXELS:g} pixels of this mesh: give more"
            )
        out = np.zeros((int(span[2]), int(span[0])), np.bool_)
        level = float(low[1]) if height is None else height
        self._queries.topdown(self._mesh, float(low[0]), float(low[2]), meters_per_pixel, level, max_y_delta, out)
        return out

    def distance_field(self, goal: PointLike) -> DistanceField:
        """The exact distances to a goal from anywhere; the last few fields are kept. goal: (3,), metres."""
        return self._field(_xyz(np.asarray(goal, np.float32)))

    @cached_property
    def _bends(self) -> BendPoints:
        return find_bend_points(self.layout)

    @cached_property
    def _field(self) -> Callable[[Point], DistanceField]:
        return lru_cache(KEPT_FIELDS)(partial(DistanceField, self._mesh, self._table, self._bends))

    def _exact_path(self, start: Point, goals: Floats) -> ShortestPath:
        fields = [self.distance_field(goal) for goal in goals]
        lengths = [field.distance(start) for field in fields]
        best = int(np.argmin(lengths)) if lengths else -1
        if best < 0 or lengths[best] == math.inf:
            return ShortestPath(np.zeros((0, 3), np.float32), math.inf, -1)
        return ShortestPath(fields[best].path(start), lengths[best], best)


def load_navmesh(path: Path | str) -> NavMesh | None:
    """The navmesh of a `.navmesh` file, None if there is no such file, NavmeshError if it is damaged."""
    path = Path(path)
    return NavMesh.from_bytes(path.read_bytes(), str(path)) if path.is_file() else None


def _compiled(kernel: F) -> F:
    """The machine code of a kernel with one signature: the dispatcher looks types up at each call (0.1 us)."""
    dispatcher: Any = kernel
    (variant,) = dispatcher.overloads.values()
    return cast(F, variant.entry_point)


def _xyz(point: PointLike) -> Point:
    x, y, z = (float(v) for v in point)
    return x, y, z


def _rows(points: npt.ArrayLike) -> Floats:
    """Points as a contiguous (N, 3) float32 array; one point counts as N = 1."""
    rows = np.require(points, np.float32, ["C", "W"])
    if rows.ndim == 1 and rows.shape == (3,):
        return rows.reshape(1, 3)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise NavmeshError(f"points have shape {rows.shape}: give (N, 3), metres")
    return rows


def _pairs(starts: npt.ArrayLike, ends: npt.ArrayLike) -> tuple[Floats, Floats]:
    a, b = _rows(starts), _rows(ends)
    count = max(len(a), len(b)) if min(len(a), len(b)) else 0
    if {len(a), len(b)} - {1, count}:
        raise NavmeshError(f"{len(a)} starts and {len(b)} ends: give as many of both, or one of either")
    return _rows(np.broadcast_to(a, (count, 3))), _rows(np.broadcast_to(b, (count, 3)))
