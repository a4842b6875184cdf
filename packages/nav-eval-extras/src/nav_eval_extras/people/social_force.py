"""People who walk from room to room and make way for each other: the social force model on the navmesh.

Helbing and Molnar, "Social force model for pedestrian dynamics", Physical Review E 51 (1995): one is driven to one's
wanted velocity, and repelled by others along the gradient of a potential whose lines are ellipses, which look ahead
along the other's way; what is behind counts less. The numbers are the paper's, but for the walls': rooms are narrower
than pavements. Where to walk is the next corner of the shortest way on the navmesh, which also keeps them on the floor.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.bodies import Building, Crowd, PedestrianModel
from nav_eval.core.types import Walker
from nav_eval.dataset.episode import Episode
from nav_eval.geometry import Vec3, between
from nav_eval.simulator.people.pedestrians import RADIUS, distance, kept

if TYPE_CHECKING:
    from nav_eval.engine.navmesh.mesh import NavMesh

TAU = 0.5
"""Time in which one comes to one's wanted velocity, s."""
REPULSION, RANGE = 2.1, 0.3
"""V0 (m2/s2) and sigma (m) of the potential between two people."""
LOOK_AHEAD = 2.0
"""How far ahead the other's step is seen, s."""
SIGHT, BEHIND = math.cos(math.radians(100)), 0.5
"""Cosine of half the angle of sight; weight of what is outside of it."""
FASTEST = 1.3
"""Times the wanted speed."""
WALL, WALL_RANGE, WALL_REACH = 1.0, 0.2, 0.6
"""U0 (m2/s2), ours, and R (m) of the potential of walls, and from where on it counts (m)."""
STEP = 0.01
"""Of the difference that stands for the gradient of the walls' distance, m."""
ARRIVED, CORNER = 0.4, 0.35
REPLAN = 5
"""Ticks after which the way is looked up again."""
PATIENCE = 15
"""Ticks without getting on after which one goes elsewhere."""
FAR = 3.0
"""The next place to go is at least so far, m."""
TRIES = 20
TURN = 6.0
"""How fast a standing or walking body turns, rad/s."""
KEPT = 0.55
"""Nobody walks nearer to the agent, middle to middle, m."""
CLEAR = 1.5
"""Nobody begins nearer to the agent, m."""


class SocialForce(PedestrianModel):
    """Makes the people of an episode; `crossing` ones come towards the agent first."""

    class Options(PedestrianModel.Options):
        """Who goes where, how fast."""

        speed: float = Field(1.0, gt=0, le=2, description="mean of the wanted speeds, m/s; deviation a tenth")
        crossing: float = Field(
            0.5, ge=0, le=1, description="share of people who first come along the agent's own way to its goal"
        )
        pause: float = Field(2.0, ge=0, le=60, description="longest stay at a place before going on, s")
        reacts: bool = Field(True, description="false: they neither see the agent nor stop for it, only each other")

    def __init__(self, config: SimulatorConfig) -> None:
        self._options = self.Options.of(config.people.options)
        self._count = config.people.count
        self._radius = config.body.radius

    def enter(self, building: Building, episode: Episode, seed: int) -> Crowd:
        return _Crowd(building.navmesh, episode, np.random.default_rng(seed), self._count, self._options, self._radius)


@dataclass(slots=True)
class _Person:
    position: Vec3
    yaw: float
    speed: float
    goal: Vec3
    velocity: tuple[float, float] = (0.0, 0.0)
    way: Sequence[Vec3] = ()
    since: int = REPLAN
    standing: int = 0
    lost: int = 0


class _Crowd(Crowd):
    def __init__(
        self,
        navmesh: NavMesh,
        episode: Episode,
        draw: np.random.Generator,
        count: int,
        options: SocialForce.Options,
        radius: float,
    ) -> None:
        self._navmesh, self._draw, self._options = navmesh, draw, options
        self._radius = radius
        assert episode.start_position is not None
        self._start = episode.start_position
        self._island = navmesh.island_of(self._start)
        way = self._agents_way(episode)
        self._people = [self._draw_person(way) for _ in range(count)]

    @property
    def people(self) -> Sequence[Walker]:
        return [Walker(one.position, one.yaw) for one in self._people]

    def _agents_way(self, episode: Episode) -> list[Vec3]:
        ends = [goal.position for goal in episode.goals if goal.position is not None]
        if not ends:
            return []
        points = self._navmesh.shortest_path(self._start, np.array(ends, np.float32)).points
        return [_vector(point) for point in points]

    def _draw_person(self, way: Sequence[Vec3]) -> _Person:
        crossing = bool(self._draw.random() < self._options.crossing) and len(way) > 1
        share = 0.45 + 0.55 * float(self._draw.random())
        position = self._free(_along(way, share)) if crossing else self._elsewhere(self._start)
        goal = way[0] if crossing else self._elsewhere(position)
        speed = self._options.speed * (1 + 0.1 * float(np.clip(self._draw.normal(), -2, 2)))
        return _Person(position, kept(float(self._draw.uniform(-math.pi, math.pi))), speed, goal)

    def _free(self, near: Vec3) -> Vec3:
        """`near`, unless the agent or somebody is too close to it; then somewhere else."""
        taken = [one.position for one in getattr(self, "_people", [])]
        clear = distance(near, self._start) >= CLEAR and all(distance(near, one) >= 2 * RADIUS for one in taken)
        return near if clear else self._elsewhere(self._start)

    def _elsewhere(self, here: Vec3) -> Vec3:
        """A place FAR from here on the agent's island; the farthest of those drawn where there is none."""
        points = [_vector(p) for p in self._navmesh.random_points(TRIES, self._draw, self._island)]
        for point in points:
            if math.dist(point, here) >= FAR:
                return point
        return max(points, key=lambda point: math.dist(point, here))

    def advance(self, seconds: float, agent: Vec3) -> None:
        forces = [self._force(k, agent) for k in range(len(self._people))]
        for one, force in zip(self._people, forces, strict=True):
            self._move(one, force, seconds, agent)

    def _force(self, k: int, agent: Vec3) -> tuple[float, float]:
        one = self._people[k]
        ahead = self._direction(one)
        fx = (one.speed * ahead[0] - one.velocity[0]) / TAU
        fz = (one.speed * ahead[1] - one.velocity[1]) / TAU
        others = [(other.position, other.velocity) for j, other in enumerate(self._people) if j != k]
        if self._options.reacts:
            others.append((agent, (0.0, 0.0)))
        for position, velocity in others:
            if distance(one.position, position) < 3.0:
                gap = (one.position[0] - position[0], one.position[2] - position[2])
                px, pz = repulsion(gap, velocity)
                weight = 1.0 if -(px * ahead[0] + pz * ahead[1]) >= math.hypot(px, pz) * SIGHT else BEHIND
                fx, fz = fx + weight * px, fz + weight * pz
        wx, wz = self._from_walls(one.position)
        return fx + wx, fz + wz

    def _direction(self, one: _Person) -> tuple[float, float]:
        """Of the next corner on one's way; (0, 0) of one who stands."""
        if one.standing > 0:
            one.standing -= 1
            return 0.0, 0.0
        if math.dist(one.position, one.goal) < ARRIVED or one.lost > PATIENCE:
            one.standing = int(self._draw.uniform(0, self._options.pause) * 10) if one.lost <= PATIENCE else 0
            one.goal, one.since, one.lost = self._elsewhere(one.position), REPLAN, 0
        if one.since >= REPLAN:
            one.way = [_vector(p) for p in self._navmesh.shortest_path(one.position, one.goal).points[1:]]
            one.since = 0
        one.since += 1
        while len(one.way) > 1 and math.dist(one.way[0], one.position) < CORNER:
            one.way = one.way[1:]
        if not one.way:
            one.lost = PATIENCE + 1
            return 0.0, 0.0
        dx, dz = one.way[0][0] - one.position[0], one.way[0][2] - one.position[2]
        size = math.hypot(dx, dz)
        return (dx / size, dz / size) if size > 0 else (0.0, 0.0)

    def _from_walls(self, position: Vec3) -> tuple[float, float]:
        gap = self._navmesh.distance_to_obstacle(position, WALL_REACH)
        if gap >= WALL_REACH:
            return 0.0, 0.0
        x, y, z = position
        slope = [
            self._obstacle((x + dx, y, z + dz)) - self._obstacle((x - dx, y, z - dz))
            for dx, dz in ((STEP, 0.0), (0.0, STEP))
        ]
        size = math.hypot(*slope)
        push = WALL / WALL_RANGE * math.exp(-(gap + self._radius) / WALL_RANGE)
        return (push * slope[0] / size, push * slope[1] / size) if size > 0 else (0.0, 0.0)

    def _obstacle(self, point: Vec3) -> float:
        gap = self._navmesh.distance_to_obstacle(point, WALL_REACH)
        return 0.0 if math.isinf(gap) else min(gap, WALL_REACH)

    def _move(self, one: _Person, force: tuple[float, float], seconds: float, agent: Vec3) -> None:
        vx, vz = one.velocity[0] + force[0] * seconds, one.velocity[1] + force[1] * seconds
        size = math.hypot(vx, vz)
        most = FASTEST * one.speed
        if size > most:
            vx, vz = vx * most / size, vz * most / size
        x, y, z = one.position
        reached = self._navmesh.step(one.position, (x + vx * seconds, y, z + vz * seconds))
        if not self._may_go(one, reached, agent):
            reached = one.position
        gone = (reached[0] - x) / seconds, (reached[2] - z) / seconds
        one.lost = one.lost + 1 if one.standing == 0 and math.hypot(*gone) < 0.1 * one.speed else 0
        one.position = (kept(reached[0]), kept(reached[1]), kept(reached[2]))
        one.velocity = kept(gone[0]), kept(gone[1])
        if math.hypot(*gone) > 0.15:
            one.yaw = _towards(one.yaw, math.atan2(-gone[0], -gone[1]), TURN * seconds)

    def _may_go(self, one: _Person, reached: Vec3, agent: Vec3) -> bool:
        """Nobody walks into the agent, nor into another."""
        solid = [(other.position, 1.6 * RADIUS) for other in self._people if other is not one]
        if self._options.reacts:
            solid.append((agent, max(KEPT, self._radius + RADIUS)))
        for position, reach in solid:
            gap = distance(reached, position)
            if gap < reach and gap < distance(one.position, position):
                return False
        return True


def repulsion(gap: tuple[float, float], velocity: tuple[float, float]) -> tuple[float, float]:
    """Acceleration (m/s2) away from somebody: `gap` from them to oneself (m), `velocity` theirs (m/s), in the plane."""
    step = velocity[0] * LOOK_AHEAD, velocity[1] * LOOK_AHEAD
    beyond = gap[0] - step[0], gap[1] - step[1]
    near, far = max(math.hypot(*gap), 1e-6), max(math.hypot(*beyond), 1e-6)
    b = 0.5 * math.sqrt(max((near + far) ** 2 - step[0] ** 2 - step[1] ** 2, 1e-6))
    push = REPULSION / RANGE * math.exp(-b / RANGE) * (near + far) / (4 * b)
    return push * (gap[0] / near + beyond[0] / far), push * (gap[1] / near + beyond[1] / far)


def _along(way: Sequence[Vec3], share: float) -> Vec3:
    """The point at a share of a way's length."""
    lengths = [math.dist(a, b) for a, b in itertools.pairwise(way)]
    left = share * sum(lengths)
    for a, b, length in zip(way, way[1:], lengths, strict=False):
        if left <= length and length > 0:
            return between(a, b, left / length)
        left -= length
    return way[-1]


def _towards(yaw: float, wanted: float, most: float) -> float:
    gap = (wanted - yaw + math.pi) % (2 * math.pi) - math.pi
    turned = yaw + min(max(gap, -most), most)
    return kept((turned + math.pi) % (2 * math.pi) - math.pi)


def _vector(point: np.ndarray) -> Vec3:
    x, y, z = point.tolist()
    return x, y, z
