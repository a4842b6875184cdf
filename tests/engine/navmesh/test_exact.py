"""Exact ways against a visibility graph of the hand-made meshes, and against Detour's on the recorded ones."""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from engine.navmesh.making import Polygon, Vertex, single
from nav_eval.engine.navmesh.mesh import NavMesh

SIZE = 7
Cell = tuple[int, int]


def height(x: float, z: float, seed: int) -> float:
    """A rolling floor: exact in float32."""
    return round(math.sin(x + seed) * math.cos(z * 0.7) * 64) / 256 if seed else 0.0


def holes(seed: int) -> set[Cell]:
    """Cells without floor; none of them meet at a point only, since no way leads between two that do."""
    rng = random.Random(seed)
    blocked = {(c, r) for c in range(SIZE) for r in range(SIZE) if rng.random() < 0.3}
    inner = [(x, z) for x in range(1, SIZE) for z in range(1, SIZE)]
    while pinches := [(x, z) for x, z in inner if pinched(x, z, blocked)]:
        x, z = pinches[0]
        blocked -= {(x - 1, z - 1), (x - 1, z)}
    return blocked


def pinched(x: int, z: int, blocked: set[Cell]) -> bool:
    """Whether exactly two open cells meet at a corner, and at nothing else."""
    around = [(x - 1, z - 1) in blocked, (x, z - 1) in blocked, (x, z) in blocked, (x - 1, z) in blocked]
    return around in ([True, False, True, False], [False, True, False, True])


def floor(seed: int) -> list[Polygon]:
    """Unit squares with holes, as triangles where the floor rolls, so that polygons stay flat."""
    polygons: list[Polygon] = []
    for c, r in sorted({(c, r) for c in range(SIZE) for r in range(SIZE)} - holes(seed)):
        corners = [(c, r), (c, r + 1), (c + 1, r + 1), (c + 1, r)]
        a, b, d, e = ((float(x), height(x, z, seed), float(z)) for x, z in corners)
        polygons += [(a, b, d), (a, d, e)]
    return polygons


def sees(p: Vertex, q: Vertex, blocked: set[Cell]) -> bool:
    """Whether the segment p-q is open to one side of itself at least, all the way: walls may be grazed on the other."""
    cuts = {0.0, 1.0}
    for axis in (0, 2):
        d = q[axis] - p[axis]
        if d:
            cuts |= {t for k in range(SIZE + 1) if 0 < (t := (k - p[axis]) / d) < 1}
    dx, dz = q[0] - p[0], q[2] - p[2]
    middles = [(s + t) / 2 for s, t in pairwise(sorted(cuts)) if t - s > 1e-12]
    for side in (-1e-9, 1e-9):
        points = [(p[0] + dx * m - dz * side, p[2] + dz * m + dx * side) for m in middles]
        cells = {(math.floor(x), math.floor(z)) for x, z in points}
        if all(0 <= c < SIZE and 0 <= r < SIZE and (c, r) not in blocked for c, r in cells):
            return True
    return False


def straight(p: Vertex, q: Vertex, blocked: set[Cell]) -> float:
    return math.dist(p, q) if sees(p, q, blocked) else math.inf


@cache
def corner_graph(seed: int) -> tuple[list[Vertex], NDArray[np.float64]]:
    """(K corners of blocked cells, (K, K) lengths of the shortest ways between them), metres in 3-D."""
    blocked = holes(seed)
    found = {(float(x), height(x, z, seed), float(z)) for c, r in blocked for x in (c, c + 1) for z in (r, r + 1)}
    corners = sorted(found)
    return corners, shortest_path(np.array([[straight(p, q, blocked) for q in corners] for p in corners]))


def visibility_graph(a: Vertex, b: Vertex, seed: int) -> float:
    blocked, (corners, between) = holes(seed), corner_graph(seed)
    begin, end = (np.array([straight(p, q, blocked) for q in corners]) for p in (a, b))
    return min(straight(a, b, blocked), float((begin[:, None] + between + end).min()))


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 8])
def test_against_a_visibility_graph(seed: int) -> None:
    nav, rng = NavMesh.from_bytes(single(floor(seed))), random.Random(seed)
    free = sorted({(c, r) for c in range(SIZE) for r in range(SIZE)} - holes(seed))
    for _ in range(25):
        a, b = (_inside(rng.choice(free), rng, nav) for _ in range(2))
        ours, reference = nav.geodesic_distance(a, b, "exact"), visibility_graph(a, b, seed)
        assert ours == pytest.approx(reference, rel=1e-5)


def _inside(cell: Cell, rng: random.Random, nav: NavMesh) -> Vertex:
    return nav.snap((cell[0] + rng.uniform(0.05, 0.95), 0.0, cell[1] + rng.uniform(0.05, 0.95)))


@pytest.mark.parametrize("scene", ["gz_aws_small_house", "gz_cafe", "ifc_LargeBuilding_nodoors", "house_200k"])
def test_never_longer_than_detour(released: Path, scene: str) -> None:
    """Whose lengths ours are to the bit (test_parity)."""
    nav = NavMesh.from_bytes((released / "habitat-parity" / scene / "scene.navmesh").read_bytes())
    for a, b in zip(nav.random_points(200, seed=1), nav.random_points(200, seed=2)):
        detour, path = nav.geodesic_distance(a, b), nav.shortest_path(a, b, "exact")
        assert (path.length == math.inf) == (detour == math.inf)
        if detour < math.inf:
            assert path.length <= detour * (1 + 1e-4) + 1e-6
            assert path.length >= math.dist(a, b) * (1 - 1e-5)
            pieces = np.linalg.norm(np.diff(path.points.astype(float), axis=0), axis=1)
            assert pieces.sum() == pytest.approx(path.length, abs=1e-4)
            assert nav.geodesic_distance(b, a, "exact") == pytest.approx(path.length, rel=1e-6)


def test_a_field_serves_every_point(released: Path) -> None:
    nav = NavMesh.from_bytes((released / "habitat-parity" / "house_200k" / "scene.navmesh").read_bytes())
    goal = nav.random_point(seed=1, island=0)
    field = nav.distance_field(goal)
    points = nav.random_points(300, seed=2)
    to_goal = np.array([field.distance(p) for p in points.tolist()])
    detour = nav.geodesic_distances(points, goal)
    assert (to_goal <= detour * (1 + 1e-4) + 1e-6).all()
    near = np.linalg.norm(points[:, None] - points[None], axis=2)
    gaps = np.abs(to_goal[:, None] - to_goal[None])
    reachable = np.isfinite(to_goal)
    straight = np.array([[nav.raycast(a, b)[0] == 1 for b in points[:40]] for a in points[:40]])
    apart = (gaps[:40, :40] <= near[:40, :40] + 1e-3) | ~straight
    assert apart[np.ix_(reachable[:40], reachable[:40])].all()


def test_the_nearest_goal_by_exact_ways() -> None:
    nav = NavMesh.from_bytes(single(floor(1)))
    free = sorted({(c, r) for c in range(SIZE) for r in range(SIZE)} - holes(1))
    centres = [nav.snap((c + 0.5, 0.0, r + 0.5)) for c, r in free]
    goals = [c for c in centres[1:] if nav.island_of(c) == nav.island_of(centres[0])][-4:]
    lengths = [nav.geodesic_distance(centres[0], goal, "exact") for goal in goals]
    path = nav.shortest_path(centres[0], goals, "exact")
    assert path.length == min(lengths)
    assert path.goal == int(np.argmin(lengths))
