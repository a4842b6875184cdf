"""What of an episode a navmesh does not bear: a start in a wall, a goal that no way leads to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from nav_eval.dataset.episode import Episode
from nav_eval.engine.navmesh.mesh import NavMesh, PathMode
from nav_eval.geometry import Vec3

START_TOLERANCE_M = 0.1
"""In the plane, from a start to the nearest walkable point: files round, and meshes are built anew."""
STOREY_M = 0.5
"""The same in height, as Habitat's is_navigable."""


def ground_faults(
    mesh: NavMesh, episode: Episode, goals: Sequence[Vec3], path_mode: PathMode
) -> Iterator[tuple[str, str]]:
    """(JSON path, message). `goals`: places that count as reached, m; one that can be reached is enough."""
    start = episode.start_position
    if start is None:
        yield "start_position", "missing, so the episode cannot be walked in 3-D"
    elif not _stands(start, mesh.snap(start)):
        yield "start_position", f"{_text(start)} is not on the navmesh of scene {episode.scene_id}"
    elif goals and all(math.isinf(mesh.geodesic_distance(start, goal, path_mode)) for goal in goals):
        yield "goals", f"no path leads from the start {_text(start)} to the goal on the navmesh of {episode.scene_id}"


def _stands(point: Vec3, ground: Vec3) -> bool:
    flat = math.hypot(point[0] - ground[0], point[2] - ground[2])
    return flat <= START_TOLERANCE_M and abs(point[1] - ground[1]) <= STOREY_M


def _text(point: Vec3) -> str:
    return f"({', '.join(f'{value:.2f}' for value in point)})"
