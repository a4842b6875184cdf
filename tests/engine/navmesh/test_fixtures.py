"""Hand-made meshes for what no recording holds: every limit, tie, nudge and edge of Detour and of Habitat's use of it.

Expected values follow from the geometry; those marked "compiled" were read from Detour compiled from C++, which a
fuzz of these meshes and of all recorded ones (60,000 questions of each kind) found equal to the last bit.
"""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import pytest

from engine.navmesh.making import Polygon, grid, navmesh, rectangle, single, tile
from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.errors import NavmeshError


def mesh(polygons: list[Polygon], **options: object) -> NavMesh:
    return NavMesh.from_bytes(single(polygons, **options))


@pytest.mark.parametrize(("order", "expected"), [((0, 1), 0), ((1, 0), 1)])
def test_tie_on_an_edge_goes_to_the_first_in_tree_order(order: tuple[int, int], expected: int) -> None:
    nav = mesh([rectangle(0, 0, 1, 1), rectangle(1, 0, 2, 1)], order=order, walls=[(0, 1)])
    assert nav.island_of((1.0, 0.0, 0.0)) == expected
    assert nav.island_of((1.0, 0.1, 1.0)) == expected


def test_tie_between_a_point_within_climb_of_two_storeys() -> None:
    """Both floors count as distance 0; the first in the tree wins although the other is nearer."""
    floors = [rectangle(0, 0, 2, 2), rectangle(0, 0, 2, 2, y=0.3)]
    assert mesh(floors, order=(0, 1)).snap((1.0, 0.2, 1.0))[1] == 0
    assert mesh(floors, order=(1, 0)).snap((1.0, 0.2, 1.0))[1] == pytest.approx(0.3)


def test_snap_reaches_two_and_four_metres() -> None:
    """Except beyond the tile's own bounds, to which Detour clamps the box that it searches."""
    nav = mesh([rectangle(0, 0, 4, 4)], bounds=((0, 0, 0), (4, 20, 4)))
    assert nav.snap((5.9, 0.0, 2.0)) == (4.0, 0.0, 2.0)
    assert nav.snap((2.0, 3.9, 2.0)) == (2.0, 0.0, 2.0)
    assert all(math.isnan(v) for v in nav.snap((7.0, 0.0, 2.0)))
    assert all(math.isnan(v) for v in nav.snap((2.0, 9.0, 2.0)))
    assert mesh([rectangle(0, 0, 4, 4)]).snap((2.0, 9.0, 2.0)) == (2.0, 0.0, 2.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e30])
def test_points_that_are_no_places(bad: float) -> None:
    nav = mesh(grid(2, 2))
    point, good = (bad, 0.0, 0.5), (0.5, 0.0, 0.5)
    assert all(math.isnan(v) for v in nav.snap(point))
    assert nav.geodesic_distance(point, good) == math.inf
    assert nav.geodesic_distance(good, point) == math.inf
    assert nav.geodesic_distance(good, point, "exact") == math.inf
    assert nav.step(good, point) == good
    assert nav.island_of(point) == -1
    assert not nav.is_navigable(point)
    assert nav.distance_to_obstacle(point) == math.inf


@pytest.mark.parametrize(("length", "reached"), [(256, True), (257, False)])
def test_corridors_end_at_256_polygons(length: int, reached: bool) -> None:
    nav = mesh(grid(length, 1))
    distance = nav.geodesic_distance((0.5, 0.0, 0.5), (length - 0.5, 0.0, 0.5))
    assert distance == (length - 1 if reached else math.inf)
    assert nav.geodesic_distance((0.5, 0.0, 0.5), (length - 0.5, 0.0, 0.5), "exact") == pytest.approx(length - 1)


def zigzag(count: int) -> list[Polygon]:
    """Quadrilaterals along a saw: the string touches the inner corner of every joint."""
    joints = [((k, 0.0, 0.0), (k, 0.0, 0.2)) if k % 2 else ((k, 0.0, 3.0), (k, 0.0, 3.2)) for k in range(count + 1)]
    return [(a, b, d, c) for (a, b), (c, d) in pairwise(joints)]


@pytest.mark.parametrize(("count", "corners"), [(254, 255), (255, 0), (256, 0)])
def test_paths_end_at_256_corners(count: int, corners: int) -> None:
    nav = mesh(zigzag(count))
    middle = [np.mean(p, axis=0).tolist() for p in (zigzag(count)[0], zigzag(count)[-1])]
    path = nav.shortest_path(middle[0], middle[1])
    assert len(path.points) == corners
    assert (path.length == math.inf) == (corners == 0)


@pytest.mark.parametrize(("side", "reached"), [(44, True), (60, False)])
def test_a_search_gives_up_after_2048_polygons(side: int, reached: bool) -> None:
    """The goal lies behind a wall that the search fills the whole square against: 44^2 < 2048 < 60^2."""
    walls = [((side - 2) * side + c, (side - 1) * side + c) for c in range(1, side)]
    nav = mesh(grid(side, side), walls=walls)
    distance = nav.geodesic_distance((side - 0.5, 0.0, 0.5), (side - 0.5, 0.0, side - 0.5))
    assert math.isfinite(distance) == reached


def test_walks_meet_64_polygons() -> None:
    """Compiled: on squares of 0.1 m a slide of 4 m stops where 64 polygons were met."""
    nav = mesh(grid(40, 40, 0.1))
    assert nav.step((0.25, 0.0, 0.25), (0.75, 0.0, 0.25)) == (0.75, 0.0, 0.25)
    x, _, z = nav.step((0.25, 0.0, 0.25), (3.75, 0.0, 3.75))
    assert (x, z) != (3.75, 3.75)


def test_nudge_off_a_wall_without_thickness() -> None:
    """The slide ends on the shared border, which snaps to the other island; 0.1 mm back inside it stays."""
    nav = mesh([rectangle(0, 0, 1, 1), rectangle(1, 0, 2, 1), rectangle(0, 1, 1, 2), rectangle(1, 1, 2, 2)],
               order=(1, 0, 2, 3), walls=[(0, 1), (2, 3), (1, 3)])  # fmt: skip
    start, inside = (0.5, 0.0, 0.5), (0.9, 0.0, 0.5)
    assert nav.step(start, inside) == pytest.approx(inside)
    assert nav.island_of((1.0, 0.0, 0.5)) == nav.island_of((1.5, 0.0, 0.5)) != nav.island_of(start)
    border = nav.step(start, (1.0, 0.0, 0.5))
    assert border == start  # the target itself snaps to the other island: no step
    x, _, z = nav.step(start, (1.0 - 1e-7, 0.0, 0.5))
    assert nav.island_of((x, 0.0, z)) == nav.island_of(start)


def test_trivial_paths_come_before_islands() -> None:
    """Points that are equal to 1e-5 are 0 apart, on whatever islands they snap to."""
    nav = mesh([rectangle(0, 0, 1, 1), rectangle(1, 0, 2, 1)], walls=[(0, 1)])
    a, b = (1.0 - 1e-6, 0.0, 0.5), (1.0 + 1e-6, 0.0, 0.5)
    assert nav.island_of(a) != nav.island_of(b)
    assert nav.geodesic_distance(a, b) == 0
    assert nav.geodesic_distance(a, (1.5, 0.0, 0.5)) == math.inf


def test_polygons_without_area_are_shut_after_islands_are_found() -> None:
    sliver: Polygon = ((1.0, 0.0, 0.0), (1.0, 0.0, 1.0), (1.000001, 0.0, 1.0), (1.000001, 0.0, 0.0))
    nav = mesh([rectangle(0, 0, 1, 1), sliver, rectangle(1.000001, 0, 2, 1)])
    assert len(nav.islands) == 1
    assert nav.geodesic_distance((0.5, 0.0, 0.5), (1.5, 0.0, 0.5)) == math.inf


def test_polygons_without_the_walk_flag_are_walls() -> None:
    nav = mesh(grid(3, 1), flags={1: 4})
    assert nav.geodesic_distance((0.5, 0.0, 0.5), (2.5, 0.0, 0.5)) == math.inf
    assert nav.area == 2
    assert nav.distance_to_obstacle((0.75, 0.0, 0.5)) == 0.25


def test_requested_heights_survive_in_the_ends_of_a_path() -> None:
    nav = mesh(grid(3, 1))
    path = nav.shortest_path((0.5, 1.0, 0.5), (2.5, 0.0, 0.5))
    assert path.points[0].tolist() == [0.5, 1.0, 0.5]
    assert path.length == pytest.approx(math.sqrt(5))
    outside = nav.shortest_path((0.5, 1.0, -0.5), (2.5, 0.0, 0.5))
    assert outside.points[0].tolist() == [0.5, 0.0, 0.0]


def test_a_start_within_a_millimetre_of_the_first_portal() -> None:
    """The portal is passed over, so that the path does not bend at its end."""
    nav = mesh([rectangle(0, 0, 1, 1), rectangle(1, 0, 2, 1)])
    path = nav.shortest_path((0.9995, 0.0, 0.5), (1.5, 0.0, 0.9))
    assert len(path.points) == 2


def tiles(link_sides: bool = True) -> bytes:
    """Two tiles of 2 m side by side: two squares against one long rectangle."""
    left = tile([rectangle(0, 0, 2, 1), rectangle(0, 1, 2, 2)], place=(0, 0), sides={(0, 2): 0, (1, 2): 0},
                bounds=((0, 0, 0), (2, 1, 2)), order=(0, 1))  # fmt: skip
    right = tile([rectangle(2, 0, 4, 2)], place=(1, 0), sides={(0, 0): 4} if link_sides else {},
                 bounds=((2, 0, 0), (4, 1, 2)), order=(0,))  # fmt: skip
    return navmesh([left, right], size=2.0)


def test_paths_cross_tiles() -> None:
    nav = NavMesh.from_bytes(tiles())
    assert len(nav.islands) == 1
    assert nav.geodesic_distance((0.5, 0.0, 0.5), (3.5, 0.0, 1.5)) == pytest.approx(math.hypot(3, 1), abs=0.01)
    assert nav.step((1.9, 0.0, 0.5), (2.1, 0.0, 0.5)) == pytest.approx((2.1, 0, 0.5))
    assert nav.area == 8
    assert [b.tolist() for b in nav.bounds] == [[0, 0, 0], [4, 1, 2]]


def test_an_external_edge_without_a_partner_is_a_wall() -> None:
    nav = NavMesh.from_bytes(tiles(link_sides=False))
    assert len(nav.islands) == 2
    assert nav.geodesic_distance((0.5, 0.0, 0.5), (3.5, 0.0, 1.5)) == math.inf
    assert nav.distance_to_obstacle((1.9, 0.0, 0.5)) == pytest.approx(0.1)


def test_random_points_are_seeded_and_uniform() -> None:
    nav = mesh([rectangle(0, 0, 1, 1), rectangle(5, 0, 8, 1)])
    assert nav.random_point(seed=3) == nav.random_point(seed=3) != nav.random_point(seed=4)
    points = nav.random_points(4000, seed=1)
    assert all(nav.is_navigable(p) for p in points[:100])
    assert (points[:, 0] < 2).mean() == pytest.approx(0.25, abs=0.03)
    assert (nav.random_points(50, seed=1, island=1)[:, 0] >= 5).all()
    with pytest.raises(NavmeshError, match="island 7"):
        nav.random_point(island=7)


def test_the_nearest_of_several_goals() -> None:
    nav = mesh(grid(5, 1))
    goals = [(4.5, 0.0, 0.5), (1.5, 0.0, 0.5), (40.0, 0.0, 0.5)]
    assert nav.geodesic_distance((0.5, 0.0, 0.5), goals) == 1
    assert nav.geodesic_distance((0.5, 0.0, 0.5), np.array(goals)) == 1
    path = nav.shortest_path((0.5, 0.0, 0.5), goals)
    assert (path.goal, path.length) == (1, 1)
    assert nav.geodesic_distance((0.5, 0.0, 0.5), [goals[2]]) == math.inf
    assert nav.shortest_path((0.5, 0.0, 0.5), [goals[2]]).goal == -1


def test_batches_equal_single_calls() -> None:
    nav = mesh(grid(6, 6), walls=[(7, 8), (13, 14), (19, 20)])
    rng = random.Random(0)
    a, b = ([(rng.uniform(-1, 7), 0.0, rng.uniform(-1, 7)) for _ in range(50)] for _ in range(2))
    assert nav.geodesic_distances(a, b).tolist() == [nav.geodesic_distance(p, q) for p, q in zip(a, b)]
    assert nav.geodesic_distances(a, b[0]).tolist() == [nav.geodesic_distance(p, b[0]) for p in a]
    assert nav.steps(a, b).tolist() == [list(nav.step(p, q)) for p, q in zip(a, b)]
    assert len(nav.geodesic_distances(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    with pytest.raises(NavmeshError, match="2 starts and 3 ends"):
        nav.geodesic_distances(a[:2], b[:3])
    with pytest.raises(NavmeshError, match="shape"):
        nav.snap_all(np.zeros((2, 2)))


def test_an_empty_mesh_answers_no() -> None:
    nav = NavMesh.from_bytes(navmesh([]))
    assert nav.area == 0
    assert nav.geodesic_distance((0, 0, 0), (1, 0, 0)) == math.inf
    assert nav.shortest_path((0, 0, 0), (1, 0, 0), "exact").length == math.inf
    assert nav.topdown().shape == (0, 0)
    with pytest.raises(NavmeshError, match="walkable area"):
        nav.random_point()


def test_rays_stop_at_the_first_wall() -> None:
    nav = mesh(grid(4, 1), walls=[(2, 3)])
    assert nav.raycast((0.5, 0.0, 0.5), (2.5, 0.0, 0.5)) == (1.0, (2.5, 0.0, 0.5))
    t, point = nav.raycast((0.5, 0.0, 0.5), (4.5, 0.0, 0.5))
    assert t == pytest.approx(2.5 / 4)
    assert point == pytest.approx((3, 0, 0.5))
    assert nav.step((0.5, 0.0, 0.5), (1.5, 0.0, -1.5), sliding=False) == pytest.approx((0.75, 0, 0))
