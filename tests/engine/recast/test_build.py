"""Builds of scenes whose walkable floor is known, and of input that is broken or hostile."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.recast.shapes import Mesh, Summary, box, join, rectangle
from nav_eval.engine.navmesh.file import parse_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast import build_navmesh
from nav_eval.errors import NavmeshError

DEFAULT = NavmeshSettings()
CELL = 0.05


def summary(mesh: Mesh, options: NavmeshSettings = DEFAULT) -> Summary:
    return Summary(build_navmesh(*mesh, options))


@pytest.mark.parametrize("radius", [0.0, 0.1, 0.18, 0.5])
def test_a_room_loses_the_agents_radius_at_its_walls(radius: float) -> None:
    room = join(rectangle(0, 8, 0, 6), box(-1, 0, 0, 3, -1, 7), box(8, 9, 0, 3, -1, 7), box(-1, 9, 0, 3, -1, 0),
                box(-1, 9, 0, 3, 6, 7))  # fmt: skip
    built = summary(room, NavmeshSettings(agent_radius=radius))
    inside = built.area - sum(a for a, r in zip(built.areas, built.rings) if r[:, 1].max() > 2)
    margin = np.ceil(np.float32(radius) / np.float32(CELL)) * CELL
    assert inside == pytest.approx((8 - 2 * margin) * (6 - 2 * margin), rel=0.03)


def test_floors_are_one_cell_height_above_the_voxel_below() -> None:
    built = summary(join(rectangle(0, 5, 0, 5, y=1.1), rectangle(7, 10, 0, 5, y=0.0)))
    assert np.unique(built.vertices[:, 1]) == pytest.approx([0.2, 1.2])


@pytest.mark.parametrize(("step", "islands"), [(0.15, 1), (0.19, 1), (0.45, 2), (1.0, 2)])
def test_a_step_joins_or_parts_two_floors(step: float, islands: int) -> None:
    assert summary(join(rectangle(0, 4, 0, 4), box(4, 8, 0, step, 0, 4))).islands == islands


@pytest.mark.parametrize(("degrees", "walkable"), [(10, True), (40, True), (44, True), (46, False), (70, False)])
def test_slopes_up_to_the_limit_are_walkable(degrees: float, walkable: bool) -> None:
    rise = 4 * float(np.tan(np.radians(degrees)))
    options = NavmeshSettings(filter_ledge_spans=False, agent_max_climb=0.2)
    ramp = join(rectangle(0, 4, 0, 4, rise=rise), rectangle(-3, 0, 0, 4))
    assert (summary(ramp, options).vertices[:, 1].max() > 0.5) == walkable


@pytest.mark.parametrize(("ceiling", "walkable"), [(3.0, True), (1.85, True), (1.2, False), (0.5, False)])
def test_low_ceilings_leave_no_floor(ceiling: float, walkable: bool) -> None:
    cave = join(rectangle(0, 6, 0, 6), box(3, 6, ceiling, ceiling + 0.3, 0, 6), rectangle(-4, 0, 0, 6))
    built = summary(cave)
    under = [r for r in built.rings if r[:, 1].max() < 0.3 and r[:, 0].min() > 3.4]
    reach = max(r[:, 0].max() for r in built.rings if r[:, 1].max() < 0.3)
    assert (bool(under) or reach > 5) == walkable


def test_pillars_are_holes_in_one_island() -> None:
    pillars = [box(x, x + 0.5, 0, 3, z, z + 0.5) for x in (2, 5, 8) for z in (2, 5, 8)]
    built = summary(join(rectangle(0, 11, 0, 11), *pillars))
    ground = [a for a, r in zip(built.areas, built.rings) if r[:, 1].max() < 0.5]
    assert sum(ground) == pytest.approx(10.7**2 - 9 * 0.72**2, rel=0.01)
    assert built.islands == 1


def test_isolated_patches_below_the_least_size_go() -> None:
    both = join(rectangle(0, 6, 0, 6), rectangle(8, 8.8, 0, 0.8))
    assert summary(both).islands == 1
    assert summary(both, NavmeshSettings(region_min_size=5)).islands == 2


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 4, 6]))
def test_polygons_are_convex_and_neighbours_share_their_edges(seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.uniform(-4, 3.5, (8, 2))
    size = rng.uniform(0.2, 2, (8, 3))
    boxes = [box(x, x + w, 0, h, z, z + d) for (x, z), (w, h, d) in zip(low, size)]
    data = build_navmesh(*join(rectangle(-5, 5, -5, 5), *boxes), NavmeshSettings(verts_per_poly=most))
    for ring in Summary(data).rings:
        assert 3 <= len(ring) <= most
        side = np.roll(ring, -1, axis=0) - ring
        following = np.roll(side, -1, axis=0)
        assert (side[:, 0] * following[:, 2] - side[:, 2] * following[:, 0] <= 1e-5).all()
    polys = parse_navmesh(data).tiles[0].sections["polys"]
    for number, poly in enumerate(polys):
        for a, b, neighbour in edges(poly):
            if neighbour:
                assert (b, a, number + 1) in edges(polys[neighbour - 1])


def edges(poly: Any) -> list[tuple[int, int, int]]:
    """From vertex, to vertex, neighbour."""
    ring = poly["verts"][: poly["count"]]
    return list(zip(ring.tolist(), np.roll(ring, -1).tolist(), poly["neis"].tolist(), strict=False))


def test_nan_triangles_are_left_out_and_named(caplog: pytest.LogCaptureFixture) -> None:
    points, triangles = join(rectangle(0, 5, 0, 5), rectangle(2, 3, 2, 3, y=1))
    points[4] = np.nan
    points[5] = np.inf
    with caplog.at_level(logging.WARNING, "nav_eval"):
        built = summary((points, triangles))
    assert "left out 2 of 4 triangles" in caplog.text
    assert built.area == pytest.approx(4.7**2, rel=0.01)


FLOOR = rectangle(0, 5, 0, 5)
FAR = rectangle(343_000, 343_001, 0, 1)[0][:3], np.array([[0, 2, 1]], np.int32)
HOSTILE: dict[str, tuple[Mesh, dict[str, float], str]] = {
    "no triangles": ((np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32)), {}, "no triangles"),
    "no finite vertex": ((np.full((4, 3), np.nan, np.float32), FLOOR[1]), {}, "NaN or infinite"),
    "index too large": ((FLOOR[0], np.array([[0, 1, 4]], np.int32)), {}, "names vertex 4 of 4"),
    "index negative": ((FLOOR[0], np.array([[0, 1, -2]], np.int32)), {}, "names vertex -2"),
    "flat input": ((np.zeros(3, np.float32), np.zeros((1, 3), np.int32)), {}, "shapes"),
    "a prop at 343 km": (join(FLOOR, FAR), {}, r"343001 x 5 m.*farthest vertex is \(34300"),
    "a prop 343 km down": (join(FLOOR, rectangle(0, 1, 0, 1, y=-343_000)), {}, "above the lowest vertex"),
    "triangles in a pile": ((rectangle(0, 50, 0, 50)[0], np.tile(FLOOR[1], (20_000, 1))), {}, "cover 2e"),
    "a speck": (rectangle(0, 1e-3, 0, 1e-3), {}, "less than a cell"),
    "a wall": (box(0, 5, 0, 3, 0, 0.01), {}, "less than a cell"),
    "upside down": ((FLOOR[0], FLOOR[1][:, ::-1]), {}, "there is no floor"),
    "cells too small": (FLOOR, {"cell_size": 1e-6}, "raise cell_size"),
    "cells too flat": (FLOOR, {"cell_height": 1e-6}, "raise cell_height"),
    "a giant": (FLOOR, {"agent_height": 1e30}, "raise cell_height"),
    "a wide agent": (FLOOR, {"agent_radius": 1e30}, "there is no floor"),
    "huge regions only": (FLOOR, {"region_min_size": 1e30}, "there is no floor"),
    "a setting that is NaN": (FLOOR, {"agent_radius": float("nan")}, "agent_radius"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_built_is_one_clear_error(case: str) -> None:
    mesh, options, words = HOSTILE[case]
    with pytest.raises(NavmeshError, match=words) as caught:
        build_navmesh(*mesh, NavmeshSettings(**options))  # type: ignore[arg-type]
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "options",
    [
        {"detail_sample_dist": 0}, {"detail_sample_dist": 1e30}, {"agent_max_climb": 1e30}, {"region_merge_size": 1e30},
        {"detail_sample_dist": 1, "detail_sample_max_error": 0}, {"edge_max_len": 0, "edge_max_error": 0},
        {"verts_per_poly": 3},
    ],
)  # fmt: skip
def test_settings_at_the_edge_still_give_the_floor(options: dict[str, float]) -> None:
    built = summary(join(FLOOR, rectangle(5, 7, 0, 5, rise=0.7)), NavmeshSettings(**options))  # type: ignore[arg-type]
    assert built.area == pytest.approx(6.7 * 4.7, rel=0.05)


def test_degenerate_and_repeated_triangles_float64_and_views_change_nothing() -> None:
    points, triangles = FLOOR
    more = np.concatenate([triangles, triangles, [[0, 0, 0], [1, 1, 2]]]).astype(np.int32)
    wide = np.zeros((4, 6))
    wide[:, ::2] = points
    plain = build_navmesh(points, triangles, DEFAULT)
    assert build_navmesh(points, more, DEFAULT) == plain
    assert build_navmesh(wide[:, ::2], triangles.astype(np.int64), DEFAULT) == plain  # type: ignore[arg-type]


WARM = """
from nav_eval.engine.recast import compact, contours, detail, filters, holes, merging, polymesh
from nav_eval.engine.recast import raster, regions, warm
warm()
called = [raster.survey, raster.rasterize, filters.allow_low_obstacles, filters.remove_ledges,
          filters.remove_low_ceilings, compact.floors, compact.erode, regions.distance_field, regions.watershed,
          merging._merge, contours._trace_all, holes._leftmost, holes.join_holes, polymesh._build, detail._build]
assert all(kernel.overloads for kernel in called)
"""


def test_warm_prepares_every_kernel_that_a_build_calls() -> None:
    done = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("height", [0.08, 0.15, 0.5])
def test_what_stands_on_known_floors_is_in_the_way_however_low(height: float) -> None:
    """Habitat's rule walks over shoes and on beds; where floors are known, both leave the hole that a pillar leaves."""
    points, triangles = join(box(2, 4, 0, height, 2, 4), rectangle(0, 6, 0, 6))
    known = Summary(build_navmesh(points, triangles, DEFAULT, np.arange(14) >= 12))
    pillar = summary(join(rectangle(0, 6, 0, 6), box(2, 4, 0, 1.4, 2, 4)))
    round_it = sum(area for area, ring in zip(pillar.areas, pillar.rings) if ring[:, 1].max() < 1)
    assert known.area == pytest.approx(round_it, rel=0.03)
    assert summary((points, triangles)).area > known.area + 2
    assert known.vertices[:, 1].max() <= 0.026


def test_what_rises_by_small_triangles_is_in_the_way_as_a_whole_thing_is() -> None:
    """Sixteen slabs of 10 mm, from the floor up: each is less than a cell above the one before."""
    slabs = [box(2, 4, k / 100, (k + 1) / 100, 2, 4) for k in range(16)]
    one = join(rectangle(0, 6, 0, 6), box(2, 4, 0, 0.16, 2, 4))
    many = join(rectangle(0, 6, 0, 6), *slabs)
    whole, built = (Summary(build_navmesh(*mesh, DEFAULT, np.arange(len(mesh[1])) < 2)) for mesh in (one, many))
    assert built.area == whole.area
    assert built.vertices[:, 1].max() <= 0.026


def test_steps_between_known_floors_are_climbed_and_sheets_of_paper_walked_over() -> None:
    stair = join(rectangle(0, 4, 0, 4), box(4, 8, 0, 0.17, 0, 4), box(8, 12, 0, 0.35, 0, 4), box(1, 2, 0, 0.02, 1, 2))
    built = Summary(build_navmesh(*stair, DEFAULT, np.arange(38) < 26))
    assert built.islands == 1
    assert built.area == pytest.approx(11.7 * 3.7, rel=0.02)


def test_known_floors_are_told_by_triangle_though_some_are_left_out() -> None:
    (points, triangles), floor = join(rectangle(0, 6, 0, 6), box(2, 4, 0, 0.5, 2, 4)), np.arange(15) < 3
    broken = np.concatenate([points, [[np.nan, 0, 0]]]).astype(np.float32)
    with_it = np.insert(triangles, 0, [0, 1, len(points)], axis=0).astype(np.int32)
    built = build_navmesh(broken, with_it, DEFAULT, floor)
    assert built == build_navmesh(points, triangles, DEFAULT, floor[1:])
