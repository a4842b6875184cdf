"""What is made of a scene before it is drawn: clusters, tiles, mip levels and the memory budget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from PIL import Image

from engine.render.shapes import WALL_UVS, make_scene, room, wall
from nav_eval.engine.render.clusters import CLUSTER_SIZE, cut, kd_leaves
from nav_eval.engine.render.sample import level_of_detail
from nav_eval.engine.render.textures import BYTES_PER_TEXEL, pack, plan_halvings
from nav_eval.engine.render.tiling import BORDERED, halve, tile, tile_grid
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


def _noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height * 1000 + width).integers(0, 256, (height, width, 4), dtype=np.uint8)


@pytest.mark.parametrize("size", [(1, 1), (16, 16), (17, 15), (40, 33), (3, 100)])
@pytest.mark.parametrize(("wrap", "border"), [("repeat", "wrap"), ("clamp", "edge"), ("mirror", "symmetric")])
def test_every_texel_and_its_neighbours_lie_in_one_tile(size: tuple[int, int], wrap: str, border: str) -> None:
    image = _noise(*size)
    height, width = size
    rows, across = tile_grid(height, width)
    tiles = np.zeros(rows * across * BORDERED, np.uint32)
    tile(image, (wrap, wrap), tiles)
    padded = np.pad(image.view(np.uint32)[..., 0], 1, mode=border)
    for row in range(height + 1):
        for column in range(width + 1):
            at = ((row >> 4) * across + (column >> 4)) * 289 + (row & 15) * 17 + (column & 15)
            found = tiles[[at, at + 1, at + 17, at + 18]]
            np.testing.assert_array_equal(found, padded[row : row + 2, column : column + 2].ravel())


@pytest.mark.parametrize("size", [(8, 8), (64, 2), (6, 10)])
def test_even_levels_are_box_filtered(size: tuple[int, int]) -> None:
    image = _noise(*size)
    wanted = Image.fromarray(image[..., :3]).resize((size[1] // 2, size[0] // 2), Image.Resampling.BOX)
    assert abs(halve(image)[..., :3].astype(int) - np.asarray(wanted)).max() <= 1


def test_odd_levels_keep_size_and_mean() -> None:
    image = np.full((7, 1, 4), 93, np.uint8)
    assert halve(image).shape == (3, 1, 4)
    assert (halve(image) == 93).all()
    ramp = np.repeat(np.arange(9, dtype=np.uint8)[None, :, None] * 20, 4, axis=2)
    assert abs(halve(ramp)[0, :, 0] - 20 * ((np.arange(4) + 0.5) * 9 / 4 - 0.5)).max() <= 0.51


def test_the_budget_halves_the_largest_first_and_says_so() -> None:
    shapes = {0: (1024, 1024), 1: (256, 256), 2: (512, 512)}
    whole = sum(h * w for h, w in shapes.values()) * BYTES_PER_TEXEL
    assert set(plan_halvings(shapes, int(whole) + 1).values()) == {0}
    assert plan_halvings(shapes, int(whole * 0.9)) == {0: 1, 1: 0, 2: 0}
    textures = tuple(_noise(512, 512) for _ in range(2))
    materials = [Material(texture=0), Material(texture=1)]
    scene = make_scene(wall(), materials=materials, material_ids=[0, 1], uvs=WALL_UVS, textures=textures)
    packed = pack(scene, 2**20)
    assert packed.texels.nbytes <= 2**20
    assert "2 of 2 textures were halved" in packed.notes[0]
    assert pack(scene, 2**30).notes == ()


def test_a_texture_used_twice_is_stored_once() -> None:
    textures = (_noise(64, 64),)
    same = [Material(texture=0), Material(texture=0, base_color=(0.5, 1, 1, 1))]
    other = [Material(texture=0), Material(texture=0, wrap=("clamp", "repeat"))]
    once = pack(make_scene(wall(), materials=same, uvs=WALL_UVS, textures=textures), 2**30)
    twice = pack(make_scene(wall(), materials=other, uvs=WALL_UVS, textures=textures), 2**30)
    assert len(twice.texels) > 1.9 * len(once.texels)


def test_unused_textures_cost_nothing() -> None:
    scene = make_scene(wall(), textures=(_noise(512, 512),))
    assert pack(scene, 2**30).texels.nbytes < 1000


@njit  # type: ignore[untyped-decorator]
def _level(*steps_and_sizes: Any) -> Any:
    """`level_of_detail`, which only kernels can call."""
    return level_of_detail(*steps_and_sizes)


@pytest.mark.parametrize("step", [np.nan, -np.nan, np.inf, -np.inf, 3e38, 1e-45, 0.0])
def test_no_step_of_a_texture_coordinate_leaves_the_mip_levels(step: float) -> None:
    """A level below 0 would be read from before the texture."""
    top = np.int64(5 * 256)
    for steps in ((step, 0, 0, 0), (0, step, 0, 0), (0, 0, step, 1), (step, step, step, step)):
        level = _level(*map(np.float32, steps), np.float32(64), np.float32(32), top)
        assert 0 <= level <= top
