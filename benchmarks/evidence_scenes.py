"""Scenes that others made, with walks through them and what a guide who knows no names would say of each.

Such scenes say nothing of rooms or things, so the texts tell turns and metres alone. The same guide tells walks through
generated homes too: what differs then between the two is the building, not the language.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nav_eval.config.schema import Config, SimulatorConfig
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.scene.scene import Scene
from nav_eval.geometry import Vec3, yaw_of, yaw_rotation, yaw_towards
from nav_eval.runs.plan import opened
from nav_eval.simulator.buildings import World as Building

FREE = ("gz_aws_small_house", "gz_cafe", "house_200k", "ifc_LargeBuilding_nodoors", "playcanvas_vr-gallery")
LENGTHS = (5.0, 15.0)
"""Metres of the walks, on foot."""
LEG = 0.7
"""Metres: a shorter part of the way is not told."""
DRAWN = 400
"""Pairs of places that are looked at for the walks of a scene."""
ROOF = 1.0
"""Metres above the floor from which on something counts as a roof."""
TURNS = (
    (20, "go straight"), (60, "turn slightly {side}"), (120, "turn {side}"), (160, "turn sharply {side}"),
    (180, "turn around"),
)  # fmt: skip
"""Up to how many degrees it is told like this."""
Points = NDArray[np.float64]


@dataclass(frozen=True)
class Walk:
    """`points`: the corners of the shortest way, m; `yaw`: where one looks at first, rad."""

    scene_id: str
    points: tuple[Vec3, ...]
    yaw: float

    @property
    def text(self) -> str:
        """What the guide says."""
        legs = [leg for leg in pairwise(self.points) if math.dist(leg[0], leg[1]) >= LEG]
        told, looking = [], self.yaw
        for begin, end in legs:
            bearing = yaw_towards(begin, end)
            turn = math.degrees((bearing - looking + math.pi) % (2 * math.pi) - math.pi)
            told.append(f"{_turn(turn)} and walk {round(math.dist(begin, end)) or 1} meters")
            looking = bearing
        return ". ".join(part.capitalize() for part in (*told, "stop there")) + "."


def _turn(degrees: float) -> str:
    """Positive is left."""
    words = next(words for limit, words in TURNS if abs(degrees) <= limit + 1e-6)
    return words.format(side="left" if degrees > 0 else "right")


def walks(simulator: SimulatorConfig, scene_id: str, count: int, seed: int = 0) -> Iterator[Walk]:
    """At most so many through a scene; fewer where it is small."""
    building = Building(simulator, scene_id)
    mesh, rng = building.navmesh, np.random.default_rng(seed)
    island = indoors(building.scene, mesh)
    places = mesh.random_points(2 * DRAWN, seed, island)
    open_ = [mesh.distance_to_obstacle(place) > 0.1 for place in places]
    for start, goal, free in zip(places[::2], places[1::2], map(all, zip(open_[::2], open_[1::2])), strict=True):
        way = mesh.shortest_path(start, goal)
        if count and free and LENGTHS[0] <= way.length <= LENGTHS[1]:
            count -= 1
            points = tuple((float(x), float(y), float(z)) for x, y, z in way.points)
            yield Walk(scene_id, points, math.radians(15 * int(rng.integers(24))))


def indoors(scene: Scene, mesh: NavMesh, points: int = 40) -> int:
    """The island with most floor under a roof: the largest of a building may be its roof."""
    found = mesh.islands
    large = [place for place, one in enumerate(found) if one.area > max(one.area for one in found) / 20]
    return max(
        large, key=lambda island: found[island].area * roofed(scene, mesh.random_points(points, 0, island)).mean()
    )


def roofed(scene: Scene, points: Sequence[Sequence[float]] | Points) -> NDArray[np.bool_]:
    """(N,) whether some triangle lies above each of (N, 3) points, m."""
    a, b, c = np.moveaxis(scene.positions[scene.triangles].astype(np.float64), 1, 0)
    whole = _twice(a, b, c)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = (
            [_twice(p, b, c) / whole, _twice(a, p, c) / whole, _twice(a, b, p) / whole] for p in np.asarray(points)
        )
        heights = (
            np.where(np.min(of, axis=0) >= 0, of[0] * a[:, 1] + of[1] * b[:, 1] + of[2] * c[:, 1], -np.inf)
            for of in parts
        )
        return np.array([np.nanmax(up) > point[1] + ROOF for up, point in zip(heights, points, strict=True)])


def _twice(a: Points, b: Points, c: Points) -> Points:
    """(T,) twice the signed area seen from above."""
    one, other = b - a, c - a
    return np.asarray(one[..., 0] * other[..., 2] - one[..., 2] * other[..., 0])


def walks_of(config: Config) -> Iterator[Walk]:
    """The ways of a generated split's paths, each once."""
    with opened(config) as plan:
        session, known = plan.backend.open_session(), set()
        for episode in plan.episodes:
            session.reset(episode)
            (goal, *_) = plan.task.goals(episode)
            state = session.get_agent_state()
            way = session.navmesh().shortest_path(state.position, session.locate(goal).position)  # type: ignore[attr-defined]
            points = tuple((float(x), float(y), float(z)) for x, y, z in way.points)
            if (episode.scene_id, points) not in known:
                known.add((episode.scene_id, points))
                yield Walk(episode.scene_id, points, yaw_of(state.rotation))


def write(told: Sequence[Walk], file: Path) -> Path:
    """As a file of episodes that dataset.type=vln reads."""
    episodes = [
        {
            "episode_id": str(number),
            "scene_id": walk.scene_id,
            "start_position": walk.points[0],
            "start_rotation": yaw_rotation(walk.yaw),
            "instruction": {"text": walk.text, "language": "en"},
            "reference_path": walk.points,
            "goals": [{"position": walk.points[-1], "radius": 3.0}],
        }
        for number, walk in enumerate(told)
    ]
    file.write_text(json.dumps({"episodes": episodes}))
    return file
