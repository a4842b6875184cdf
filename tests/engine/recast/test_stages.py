"""Each stage of the build against an independent way to the same answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import label
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from engine.recast.shapes import plan_area
from nav_eval.engine.recast import compact, contours, delaunay, holes, merging, polymesh, raster, regions

float32: Any = np.float32
SEEDS = st.integers(0, 2**32 - 1)
quick = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Longs = NDArray[np.int64]


@njit  # type: ignore[untyped-decorator]
def triangulate_points(points: Any, n: int, hull: Longs, count: int, edges: Longs, triangles: Longs) -> int:
    """`delaunay`, which only kernels can call."""
    return delaunay.delaunay(points, n, hull, count, edges, triangles)


def columns(first: NDArray[np.int32], spans: NDArray[np.int32]) -> list[list[list[int]]]:
    """[low, high, area] of the spans of each column, from the bottom up."""
    found: list[list[list[int]]] = []
    for entry in first:
        found.append([])
        while entry >= 0:
            found[-1].append(spans[entry, :3].tolist())
            entry = spans[entry, 3]
    return found


def clip(polygon: NDArray[np.float64], axis: int, bound: float, sign: int) -> NDArray[np.float64]:
    """The part of a polygon with sign * (x - bound) <= 0, by Sutherland and Hodgman, in double precision."""
    kept = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0)):
        da, db = sign * (a[axis] - bound), sign * (b[axis] - bound)
        if da <= 0:
            kept.append(a)
        if da * db < 0:
            kept.append(a + (b - a) * (da / (da - db)))
    return np.array(kept).reshape(-1, 3)


@quick
@given(SEEDS)
def test_a_triangles_spans_are_its_extent_in_each_cell(seed: int) -> None:
    corners = np.random.default_rng(seed).uniform(0, 6, (3, 3)).astype(np.float32)
    low, high = np.zeros(3, np.float32), np.full(3, 6, np.float32)
    triangles = np.array([[0, 1, 2]], np.int32)
    first, spans = raster.rasterize(
        corners, triangles, np.ones(1, np.uint8), low, high, 6, 6, float32(1), float32(0.5), 1, 1
    )
    for cell, found in enumerate(columns(first, spans)):
        x, z = cell % 6, cell // 6
        part = corners.astype(float)
        for axis, bound, sign in ((0, x + 1, 1), (0, x, -1), (2, z + 1, 1), (2, z, -1)):
            part = clip(part, axis, bound, sign) if len(part) else part
        if len(part) == 0 or plan_area(part[:, [0, 2]]) < 1e-4:
            continue
        bottom, top = part[:, 1].min() / 0.5, part[:, 1].max() / 0.5
        ((span_low, span_high, _),) = found
        assert bottom - 1.001 <= span_low <= bottom + 1e-3
        assert top - 1e-3 <= span_high <= max(top, span_low + 1) + 1.001


def test_spans_that_touch_merge_and_the_top_ones_area_wins() -> None:
    plates, areas = [(0.0, 0.0), (2.0, 2.0), (2.4, 2.4), (5.0, 5.9)], [1, 0, 1, 0]
    points = [point for y0, y1 in plates for point in ([0, y0, 0], [1, y1, 1], [1, y0, 0])]
    low, high = np.zeros(3, np.float32), np.array([1, 6, 1], np.float32)
    corners, triangles = np.array(points, np.float32), np.arange(12, dtype=np.int32).reshape(-1, 3)
    first, spans = raster.rasterize(
        corners, triangles, np.array(areas, np.uint8), low, high, 1, 1, float32(1), float32(1), 0, 4
    )
    assert columns(first, spans) == [[[0, 1, 1], [2, 3, 1], [5, 6, 0]]]


def grid_of(blocked: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """(start, level, area, near, column) of a flat floor with blocked cells, rows of z."""
    walk = ~blocked
    index = np.where(walk, np.cumsum(walk).reshape(walk.shape) - 1, -1).astype(np.int32)
    padded = np.pad(index, 1, constant_values=-1)
    near = np.stack([padded[1:-1, :-2], padded[2:, 1:-1], padded[1:-1, 2:], padded[:-2, 1:-1]], axis=-1)[walk]
    start = np.concatenate([[0], np.cumsum(walk)]).astype(np.int32)
    column = np.flatnonzero(walk).astype(np.int32)
    count = len(column)
    return start, np.zeros(count, np.int32), np.full(count, 63, np.uint8), np.ascontiguousarray(near), column


def holed(seed: int, size: int = 40) -> NDArray[np.bool_]:
    rng = np.random.default_rng(seed)
    blocked = np.zeros((size, size), np.bool_)
    for _ in range(rng.integers(0, 9)):
        x, z, w, d = rng.integers(0, size, 4)
        blocked[z : z + d // 4, x : x + w // 4] = True
    return blocked


@quick
@given(SEEDS)
def test_erosion_takes_what_dijkstra_finds_close_to_a_border(seed: int) -> None:
    _, _, area, near, _ = grid_of(holed(seed))
    edges: dict[tuple[int, int], float] = {}
    for i in range(len(near)):
        for direction in range(4):
            a = int(near[i, direction])
            if a < 0:
                continue
            edges[i, a] = 2.0
            for turned in ((direction + 1) % 4, (direction + 3) % 4):
                if near[a, turned] >= 0:
                    edges[i, int(near[a, turned])] = min(3.0, edges.get((i, int(near[a, turned])), 3.0))
    keys = np.array(list(edges)).reshape(-1, 2)
    graph = coo_matrix((list(edges.values()), (keys[:, 0], keys[:, 1])), (len(near), len(near))).tocsr()
    distance = dijkstra(graph, indices=np.flatnonzero((near < 0).any(axis=1)), min_only=True)
    for radius in (0, 1, 3):
        eroded = area.copy()
        compact.erode(eroded, near, radius)
        assert np.array_equal(eroded == 0, distance < 2 * radius)


@quick
@given(SEEDS)
def test_watershed_covers_the_floor_with_connected_regions(seed: int) -> None:
    blocked = holed(seed, 60)
    start, _, area, near, column = grid_of(blocked)
    distance, largest = regions.distance_field(area, near)
    region, ids = regions.watershed(area, near, distance, largest)
    assert region.min(initial=1) >= 1
    merged = merging.merge_regions(region, start, area, near, ids, 50, 100)
    picture: NDArray[Any] = np.zeros(blocked.size, np.int32)
    picture[column] = merged
    picture = picture.reshape(blocked.shape)
    islands, count = label(~blocked)
    for island in range(1, count + 1):
        assert (picture[islands == island] == 0).all() == bool((islands == island).sum() < 50)
    for number in range(1, merged.max(initial=0) + 1):
        assert label(picture == number)[1] == 1


def outlines_of(blocked: NDArray[np.bool_], error: float) -> tuple[Longs, Longs]:
    start, level, area, near, column = grid_of(blocked)
    distance, largest = regions.distance_field(area, near)
    region, ids = regions.watershed(area, near, distance, largest)
    region = merging.merge_regions(region, start, area, near, ids, 8, 20)
    found = contours.trace_contours(level, area, region, near, column, blocked.shape[1], float32(error), 0)
    return holes.merge_holes(*found)


def ring_areas(corners: Longs, table: Longs) -> float:
    return float(np.sum([plan_area(corners[b : b + n][:, [0, 2]]) for b, n, _ in table if n]))


@quick
@given(SEEDS)
def test_contours_without_simplification_enclose_exactly_the_floor(seed: int) -> None:
    blocked = holed(seed)
    specks, count = label(blocked)
    for speck in range(1, count + 1):  # Recast takes the contour of a one-cell hole for an outline
        if (specks == speck).sum() == 1:
            blocked[specks == speck] = False
    _, level, area, near, column = grid_of(blocked)
    islands, _ = label(~blocked)
    region = islands.ravel()[column].astype(np.int32)
    found = contours.trace_contours(level, area, region, near, column, blocked.shape[1], float32(0), 0)
    corners, table = holes.merge_holes(*found)
    assert ring_areas(corners, table) == pytest.approx(np.count_nonzero(~blocked), abs=1)


def merge_slowly(vertices: Longs, triangles: list[list[int]], most: int) -> list[list[int]]:
    """Recast's rule as it is stated: of all pairs, the longest shared edge whose removal leaves a convex polygon."""

    def convex(a: int, b: int, c: int) -> bool:
        (ax, az), (bx, bz), (cx, cz) = (vertices[v, [0, 2]] for v in (a, b, c))
        return bool((bx - ax) * (cz - az) - (cx - ax) * (bz - az) < 0)

    def value(p: list[int], q: list[int]) -> tuple[int, list[int]]:
        best = (-1, p)
        for i in range(len(p)):
            edge = {p[i], p[(i + 1) % len(p)]}
            for j in range(len(q)):
                if edge == {q[j], q[(j + 1) % len(q)]}:
                    union = [p[(i + 1 + k) % len(p)] for k in range(len(p) - 1)]
                    union += [q[(j + 1 + k) % len(q)] for k in range(len(q) - 1)]
                    fits = len(union) <= most
                    fits = fits and convex(p[i - 1], p[i], q[(j + 2) % len(q)])
                    fits = fits and convex(q[j - 1], q[j], p[(i + 2) % len(p)])
                    gap = vertices[p[i]] - vertices[p[(i + 1) % len(p)]]
                    best = (int(gap[0] ** 2 + gap[2] ** 2), union) if fits else (-1, p)
                    break
        return best

    polygons = [list(t) for t in triangles]
    while True:
        pairs = [(j, k) for j in range(len(polygons)) for k in range(j + 1, len(polygons))]
        scored = [(value(polygons[j], polygons[k]), j, k) for j, k in pairs]
        if not scored or max(s[0][0] for s in scored) <= 0:
            return polygons
        (_, union), j, k = max(scored, key=lambda s: s[0][0])
        polygons[j] = union
        polygons[k] = polygons[-1]
        polygons.pop()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SEEDS, st.sampled_from([4, 6]))
def test_polygons_are_those_of_the_slow_rule(seed: int, most: int) -> None:
    corners, table = outlines_of(holed(seed, 24), 1.0)
    vertices, cut, _, owner = polymesh.build_polygons(corners, table, 3)
    _, polygons, counts, owners = polymesh.build_polygons(corners, table, most)
    expected, regions_of = [], []
    for number in dict.fromkeys(owner.tolist()):
        merged = merge_slowly(vertices, [t.tolist() for t in cut[owner == number]], most)
        expected += merged
        regions_of += [number] * len(merged)
    assert [p[:n].tolist() for p, n in zip(polygons, counts)] == expected
    assert owners.tolist() == regions_of


@quick
@given(SEEDS)
def test_triangles_fill_their_outlines(seed: int) -> None:
    corners, table = outlines_of(holed(seed), 1.0)
    vertices, polygons, sizes, _ = polymesh.build_polygons(corners, table, 6)
    area = sum(plan_area(vertices[p[:n]][:, [0, 2]]) for p, n in zip(polygons, sizes))
    assert area == pytest.approx(ring_areas(corners, table))


@quick
@given(SEEDS, st.integers(0, 16))
def test_delaunay_triangles_fill_the_hull_and_their_circles_are_empty(seed: int, inner: int) -> None:
    hull = np.array([[-4, -3], [-4.5, 2], [-1, 5], [3, 4], [5, 1], [4, -3], [0, -4.2]], float)
    grid = np.stack(np.meshgrid([-2, -0.5, 1, 2.5], [-2, -0.5, 1, 2.5]), axis=-1).reshape(-1, 2)
    rng = np.random.default_rng(seed)
    points = np.concatenate([hull, rng.permutation(grid + rng.uniform(-0.4, 0.4, grid.shape))[:inner]])
    table = np.zeros((256, 3), np.float32)
    table[: len(points), [0, 2]] = points
    outline = np.arange(len(hull))
    edges, triangles = np.empty((2560, 4), np.int64), np.empty((2560, 3), np.int64)
    count = triangulate_points(table, len(points), outline, len(outline), edges, triangles)
    found = [table[t][:, [0, 2]].astype(float) for t in triangles[:count]]
    assert sum(plan_area(t) for t in found) == pytest.approx(plan_area(hull), rel=1e-5)
    for t in found:
        if plan_area(t) < 1e-3:
            continue
        centre = np.linalg.solve(2 * (t[1:] - t[0]), (t[1:] ** 2).sum(axis=1) - (t[0] ** 2).sum())
        radius = np.linalg.norm(t[0] - centre)
        assert np.linalg.norm(points - centre, axis=1).min() >= radius * 0.98
