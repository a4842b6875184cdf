"""A scene made ready for episodes: its navmesh, its rooms, and who sees what from where.

Works on any scene, generated or not; without semantics of its own it has no rooms. Points are drawn from seeded integer
streams; sight is a ray through a voxel grid whose cells know their object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.render.frame import Renderer
from nav_eval.engine.scene.scene import Scene
from nav_eval.errors import NavmeshError, SceneError
from nav_eval.geometry import Vec3
from nav_eval_worlds.exact import Stream, length
from nav_eval_worlds.language.looks import Looks
from nav_eval_worlds.language.rooms_map import RoomsMap, rooms_map
from nav_eval_worlds.mesh.voxels import Voxels, voxelise

EYE = 1.25
_CELL = 0.06
_SAMPLES = 24
_PIXELS = 128


@dataclass(frozen=True)
class Site:
    """What episode generators ask about one scene. `scene_id` is how episodes name it."""

    scene_id: str
    scene: Scene
    navmesh: NavMesh

    @cached_property
    def rooms(self) -> RoomsMap:
        if not self.scene.regions:
            raise SceneError(
                f"{self.scene_id}: the scene has no rooms, which all tasks but pointnav, imagenav and socialnav need. "
                "Describe them in a .semantic.json beside it."
            )
        return rooms_map(self.scene.objects, self.scene.regions)

    @cached_property
    def looks(self) -> Looks:
        return Looks(self.scene)

    @cached_property
    def _renderers(self) -> dict[int, Renderer]:
        return {}

    @cached_property
    def voxels(self) -> Voxels:
        ids = self.scene.object_ids
        labels = np.full(len(self.scene.triangles), -1, np.int32) if ids is None else np.where(ids > 0, ids, -1)
        return voxelise(self.scene.positions.astype(np.float64), self.scene.triangles, labels.astype(np.int32), _CELL)

    @cached_property
    def main_island(self) -> int:
        """The largest connected part of the floor."""
        areas = [island.area for island in self.navmesh.islands]
        return areas.index(max(areas))

    @cached_property
    def _surface(self) -> dict[int, NDArray[np.float64]]:
        """Of each object a few points on its surface."""
        ids = self.scene.object_ids
        if ids is None:
            return {}
        order = np.argsort(ids, kind="stable")
        edges = np.searchsorted(ids[order], np.arange(1, int(ids.max()) + 2))
        out = {}
        for k, (a, b) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True), start=1):
            if b > a:
                chosen = order[a:b][:: max(1, (b - a) // _SAMPLES)]
                out[k] = self.scene.positions[self.scene.triangles[chosen]].astype(np.float64).mean(axis=1)
        return out

    def on_floor(self, point: Vec3) -> bool:
        """True on the main island, at the height of a room's floor (not on a table)."""
        region = self.rooms.rooms.get(self.rooms.room_at(*point))
        if region is None or self.navmesh.island_of(point) != self.main_island:
            return False
        return region.category == "stairs" or abs(point[1] - region.low[1]) < 0.3

    def draw_anywhere(self, stream: Stream) -> Vec3 | None:
        """A random walkable point of any room; where the scene has no rooms, of the largest island."""
        if self.scene.regions:
            return self.draw_point(stream.choice(sorted(self.rooms.rooms)), stream)
        point = self.navmesh.random_point(stream.below(1 << 31), self.main_island)
        return point if self.navmesh.distance_to_obstacle(point) > 0.1 else None

    def draw_point(self, room: int, stream: Stream, tries: int = 60) -> Vec3 | None:
        """A random walkable point of a room, a hand's breadth from obstacles; None where none was found."""
        region = self.rooms.rooms[room]
        for _ in range(tries):
            x = _between(region.low[0], region.high[0], stream)
            z = _between(region.low[2], region.high[2], stream)
            point = self.navmesh.snap((x, region.low[1] + 0.2, z))
            near = np.isfinite(point[0]) and abs(point[0] - x) < 0.05 and abs(point[2] - z) < 0.05
            if near and self.on_floor(point) and self.navmesh.distance_to_obstacle(point) > 0.1:
                return _vec(point)
        return None

    def on_navmesh(self, point: Vec3) -> Vec3:
        """The point on the floor there: between two corners of a path a straight line leaves the stair."""
        return point[0], float(self.navmesh.snap(point)[1]), point[2]

    def path(self, start: Vec3, goal: Vec3) -> tuple[float, list[Vec3]]:
        """(geodesic distance, corner points); (inf, []) where there is no way."""
        found = self.navmesh.shortest_path(start, goal)
        return float(found.length), [_vec(p) for p in found.points]

    def nearest(self, start: Vec3, places: Sequence[Vec3]) -> tuple[int, float]:
        """Which of the places is the nearest on foot, and how far it is, m; infinite where no way leads to any."""
        distances = self.navmesh.geodesic_distances([start] * len(places), places)
        best = int(distances.argmin())
        return best, float(distances[best])

    def sees(self, floor: Vec3, target: int, reach: float = 6.0) -> bool:
        """True if a walker standing at `floor` has a free line of sight to some point of an object."""
        return self.share_seen(floor, target, reach) > 0

    def share_of_picture(self, camera: Vec3, yaw: float, pitch: float, hfov: int, target: int) -> float:
        """Which share of a square picture's pixels shows the object."""
        from nav_eval.engine.render.renderer import make_renderer

        if hfov not in self._renderers:
            self._renderers[hfov] = make_renderer(
                "cpu", self.scene, width=_PIXELS, height=_PIXELS, hfov=hfov, outputs=("semantic",), threads=1
            )
        shown = self._renderers[hfov].render(camera, yaw, pitch).semantic
        return float((shown == target).mean())

    def share_seen(self, floor: Vec3, target: int, reach: float = 6.0, eye: float = EYE) -> float:
        """Which share of the object's sampled points is in sight."""
        return self.shares_seen([floor], target, reach, eye)[0]

    def shares_seen(self, floors: Sequence[Vec3], target: int, reach: float = 6.0, eye: float = EYE) -> list[float]:
        """The same for many places at once."""
        points = self._surface.get(target)
        if points is None or not floors:
            return [0.0] * len(floors)
        eyes = np.asarray(floors) + np.array([0.0, eye, 0.0])
        starts = np.repeat(eyes, len(points), axis=0)
        offset = np.tile(points, (len(floors), 1)) - starts
        size = length(offset)
        near = np.flatnonzero((size < reach) & (size > 1e-3))
        ends = starts[near] + offset[near] * (1 + _CELL / size[near])[:, None]
        seen = np.zeros(len(starts))
        seen[near] = self.voxels.first_hits(starts[near], ends, 0.7) == target
        shares: list[float] = seen.reshape(len(floors), len(points)).mean(axis=1).tolist()
        return shares


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A site that is not loaded: its scene's file, with the navmesh beside it."""

    path: Path
    scene_id: str

    def load(self) -> Site:
        """SceneError or NavmeshError where a file is damaged or missing."""
        from nav_eval.engine.navmesh.mesh import load_navmesh
        from nav_eval.engine.scene.load import load_scene

        file = self.path.with_suffix(".navmesh")
        navmesh = load_navmesh(file)
        if navmesh is None:
            raise NavmeshError(f"{file}: there is no such file. Build it with nav-eval scene navmesh.")
        return Site(self.scene_id, load_scene(self.path), navmesh)


def densified(points: list[Vec3], spacing: float) -> list[Vec3]:
    """A polyline with points at most `spacing` metres apart, its corners kept."""
    out = points[:1]
    for a, b in pairwise(points):
        size = ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2) ** 0.5
        steps = max(1, int(size / spacing + 0.999))
        out += [
            (a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps, a[2] + (b[2] - a[2]) * k / steps)
            for k in range(1, steps + 1)
        ]
    return out


def _between(low: float, high: float, stream: Stream) -> float:
    return low + (high - low) * stream.below(4096) / 4096


def _vec(point: Sequence[float] | NDArray[np.float32]) -> Vec3:
    return float(point[0]), float(point[1]), float(point[2])
