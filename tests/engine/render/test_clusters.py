"""Clusters hold every triangle once, inside their boxes and cones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.render.shapes import make_scene, room, wall
from nav_eval.engine.render.clusters import CLUSTER_SIZE, cut, kd_leaves
from nav_eval.engine.scene.scene import Material


@pytest.mark.parametrize("times", [0, 3, 5])
def test_clusters_partition_the_scene(times: int) -> None:
    scene = room(times)
    clusters, triangles, vertices = cut(scene)
    places = np.stack([vertices.x, vertices.y, vertices.z], -1)
    found = places[triangles.corners].reshape(-1, 9)
    wanted = scene.positions[scene.triangles].reshape(-1, 9)
    np.testing.assert_array_equal(np.unique(found, axis=0), np.unique(wanted, axis=0))
    assert len(found) == len(wanted)
    sizes = np.diff(clusters.first_triangle)
    assert (sizes > 0).all()
    assert (sizes <= CLUSTER_SIZE).all()
    for c, (start, end) in enumerate(zip(clusters.first_triangle[:-1], clusters.first_triangle[1:])):
        corners = places[triangles.corners[start:end]]
        assert (abs(corners - clusters.center[c]) <= clusters.half[c] + 1e-6).all()
        assert clusters.first_vertex[c] <= triangles.corners[start:end].min()
        assert triangles.corners[start:end].max() < clusters.first_vertex[c + 1]


def test_double_sided_clusters_are_never_culled_by_direction() -> None:
    clusters, _, _ = cut(make_scene(wall(), materials=[Material(double_sided=True)]))
    assert (clusters.spread > 1).all()
    clusters, _, _ = cut(make_scene(wall()))
    assert (clusters.spread < 0.01).all()


def test_triangles_without_an_area_are_left_out() -> None:
    corners = np.concatenate([wall(), np.zeros((1, 3, 3)), np.full((1, 3, 3), np.nan)])
    _, triangles, _ = cut(make_scene(corners))
    assert len(triangles.corners) == 2
    clusters, triangles, _ = cut(make_scene(np.zeros((0, 3, 3))))
    assert len(triangles.corners) == len(clusters.center) == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 700), st.integers(1, 64), st.booleans())
def test_leaves_are_a_permutation(count: int, size: int, equal: bool) -> None:
    points = np.zeros((count, 3)) if equal else np.random.default_rng(count).normal(size=(count, 3))
    order, starts = kd_leaves(points, size)
    assert sorted(order.tolist()) == list(range(count))
    assert starts[-1] == count
    assert (np.diff(starts) <= size).all()
    if count:
        assert starts[0] == 0
