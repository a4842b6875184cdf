"""What of an episode a navmesh does not bear: a start in a wall, a goal that no way leads to or that hangs over it."""

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
BESIDE_M = 0.01
EIGHT_WAYS = [math.pi * turn / 4 for turn in range(8)]


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


def height_faults(
    mesh: NavMesh, goals: Sequence[Vec3], within: float, path_mode: PathMode
) -> Iterator[tuple[str, str]]:
    """Where every goal is so far above or below the mesh that no agent on it comes nearer than `within` (m)."""
    if goals and not any(_in_reach(mesh, goal, within, path_mode) for goal in goals):
        off = min(height_off(mesh, goal) for goal in goals)
        yield (
            "goals",
            f"{off:.2f} m above or below the navmesh, which distances hold, so nobody comes nearer than "
            f"evaluation.success_distance={within:g}. Write the position that NavMesh.snap gives",
        )


def height_off(mesh: NavMesh, point: Vec3) -> float:
    """How far (m) a point is above or below the mesh; 0 beside it, where paths end at its border."""
    x, y, z = mesh.snap(point)
    return abs(point[1] - y) if math.hypot(point[0] - x, point[2] - z) < BESIDE_M else 0.0


def _in_reach(mesh: NavMesh, goal: Vec3, within: float, path_mode: PathMode) -> bool:
    """On a slope an agent is nearest from the side: half the height away in the plane where it rises by 45 degrees."""
    off = height_off(mesh, goal)
    if off < within:
        return True
    x, y, z = goal
    around = [(x + r * math.cos(a), y, z + r * math.sin(a)) for r in (0.01, off / 2) for a in EIGHT_WAYS]
    return any(mesh.geodesic_distance(mesh.snap(point), goal, path_mode) < within for point in around)


def _stands(point: Vec3, ground: Vec3) -> bool:
    flat = math.hypot(point[0] - ground[0], point[2] - ground[2])
    return flat <= START_TOLERANCE_M and abs(point[1] - ground[1]) <= STOREY_M


def _text(point: Vec3) -> str:
    return f"({', '.join(f'{value:.2f}' for value in point)})"
