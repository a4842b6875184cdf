"""The software renderer against ray casting, analytic geometry and textures sampled by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numba import njit

from engine.render.shapes import WALL_UVS, cast, make_scene, rays, room, wall
from nav_eval.engine.render import cpu
from nav_eval.engine.render.frame import OUTPUTS, Frame
from nav_eval.engine.render.raster import span
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.scene.scene import Material, Scene
from nav_eval.errors import ConfigError, SimulatorError

ORIGIN = (0.0, 0.0, 0.0)
NOTHING = np.zeros((0, 3, 3))


def draw(scene: Scene, width: int = 64, height: int = 48, hfov: float = 79.0, **options: object) -> Frame:
    renderer = make_renderer("cpu", scene, width=width, height=height, hfov=hfov, **options)  # type: ignore[arg-type]
    return renderer.render(ORIGIN, 0.0)


@pytest.mark.parametrize(("width", "height", "hfov"), [(64, 48, 79.0), (37, 53, 42.0), (1, 1, 60.0), (300, 9, 150.0)])
def test_depth_of_random_triangles_is_that_of_ray_casting(width: int, height: int, hfov: float) -> None:
    rng = np.random.default_rng(3)
    corners = rng.normal(0, 2.0, (300, 1, 3)) + rng.normal(0, 0.8, (300, 3, 3))
    corners = corners.astype(np.float32).astype(np.float64)
    directions = rays(width, height, hfov).reshape(-1, 3)
    expected = cast(corners, directions)[0].reshape(height, width)
    depth = draw(make_scene(corners), width, height, hfov).depth
    off = abs(depth - expected) > 1e-3 * (1 + expected)
    assert off.mean() < 0.01  # pixel centres within 1/512 pixel of an edge


def test_a_wall_is_flat_and_exact() -> None:
    frame = draw(make_scene(wall(-2.0)), outputs=OUTPUTS)
    np.testing.assert_allclose(frame.depth, 2.0, rtol=1e-6)
    np.testing.assert_allclose(frame.normal, np.broadcast_to([0, 0, 1], frame.normal.shape), atol=1e-6)
    assert (frame.rgb == 255).all()
    assert (frame.rgb.shape, frame.rgb.dtype) == ((48, 64, 3), np.uint8)
    assert (frame.depth.dtype, frame.semantic.dtype, frame.normal.dtype) == (np.float32, np.int32, np.float32)


def test_nothing_is_black_and_zero() -> None:
    frame = draw(make_scene(NOTHING), outputs=OUTPUTS)
    for name in OUTPUTS:
        assert not getattr(frame, name).any()


def test_faces_turned_away_are_culled_unless_double_sided() -> None:
    away = wall()[:, ::-1]
    assert not draw(make_scene(away)).depth.any()
    frame = draw(make_scene(away, materials=[Material(double_sided=True)]), outputs=OUTPUTS)
    np.testing.assert_allclose(frame.depth, 2.0, rtol=1e-6)
    np.testing.assert_allclose(frame.normal[..., 2], 1.0, atol=1e-6)


def test_the_near_plane_cuts_at_one_centimetre() -> None:
    """A floor 0.05 m below the camera is visible from where the picture's lower edge meets it."""
    floor = np.array(
        [[[-9, -0.05, 9], [9, -0.05, 9], [9, -0.05, -9]], [[-9, -0.05, 9], [9, -0.05, -9], [-9, -0.05, -9]]]
    )
    depth = draw(make_scene(floor), 64, 480, 79.0).depth
    down = -rays(64, 480, 79.0)[..., 1]
    with np.errstate(divide="ignore"):
        expected = np.where((down > 0) & (0.05 / down < 9) & (0.05 / down > 0.01), 0.05 / down, 0.0)
    np.testing.assert_allclose(depth, expected, rtol=1e-4)
    close = draw(make_scene(wall(-0.009))).depth
    assert not close.any()


def test_each_triangle_shows_its_object_id() -> None:
    both = np.concatenate([wall(-3.0), wall(-2.0, half=0.5)])
    frame = draw(make_scene(both, object_ids=np.array([7, 7, 2_000_000_000, 2_000_000_000], np.int32)))
    assert set(np.unique(frame.semantic)) == {7, 2_000_000_000}
    assert frame.semantic[24, 32] == 2_000_000_000


def test_an_upright_texture_shows_upright() -> None:
    texture = np.zeros((2, 2, 4), np.uint8)
    texture[..., 0], texture[..., 1], texture[..., 2] = [[255, 0], [0, 255]], [[0, 255], [0, 255]], [[0, 0], [255, 255]]
    material = Material(texture=0, wrap=("clamp", "clamp"))
    rgb = draw(make_scene(wall(half=2.0), materials=[material], uvs=WALL_UVS, textures=(texture,)), 64, 64, 90.0).rgb
    np.testing.assert_array_equal(rgb[4::56, 4::56], texture[..., :3])


@pytest.mark.parametrize("wrap", ["repeat", "clamp", "mirror"])
@pytest.mark.parametrize("size", [(8, 8), (5, 11), (1, 3), (40, 33)])
def test_magnified_textures_are_bilinear_in_every_wrap_mode(wrap: str, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    texture = rng.integers(0, 256, (*size, 4), dtype=np.uint8)
    uvs = WALL_UVS * 2.6 - 0.8
    scene = make_scene(wall(half=2.0), materials=[Material(texture=0, wrap=(wrap, wrap))], uvs=uvs, textures=(texture,))
    rgb = draw(scene, 200, 200, 90.0).rgb
    place = (np.arange(200) + 0.5) / 200 * 2.6 - 0.8
    rows, columns = (_indices(place * count - 0.5, count, wrap) for count in size)
    expected = np.zeros((200, 200, 3))
    for row, weight_y in rows:
        for column, weight_x in columns:
            expected += texture[row][:, column, :3] * weight_y[:, None, None] * weight_x[None, :, None]
    assert abs(rgb - expected).max() <= 3.0


def _indices(at: np.ndarray, count: int, wrap: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """The two texels and weights of a linear sample, by OpenGL's wrap rules (specification 4.6, 8.14)."""
    low = np.floor(at).astype(int)
    result = []
    for index, weight in ((low, 1 - (at - low)), (low + 1, at - low)):
        if wrap == "repeat":
            inside = index % count
        elif wrap == "clamp":
            inside = np.clip(index, 0, count - 1)
        else:
            folded = index % (2 * count)
            inside = np.where(folded < count, folded, 2 * count - 1 - folded)
        result.append((inside, weight))
    return result


def test_minified_textures_become_their_mean() -> None:
    texture = np.zeros((64, 64, 4), np.uint8)
    texture[::2, ::2] = texture[1::2, 1::2] = 255
    scene = make_scene(wall(half=2.0), materials=[Material(texture=0)], uvs=WALL_UVS * 8, textures=(texture,))
    rgb = draw(scene, 64, 64, 90.0).rgb
    assert abs(rgb.astype(int) - 128).max() <= 2


def test_holes_let_the_wall_behind_show() -> None:
    texture = np.full((2, 2, 4), 255, np.uint8)
    texture[:, 1, 3] = 0
    both = np.concatenate([wall(-3.0), wall(-2.0, half=2.0)])
    materials = [Material(), Material(texture=0, alpha_mode="mask", wrap=("clamp", "clamp"))]
    uvs = np.concatenate([np.zeros((6, 2), np.float32), WALL_UVS])
    scene = make_scene(both, materials=materials, material_ids=[0, 0, 1, 1], uvs=uvs, textures=(texture,))
    depth = draw(scene, 64, 64, 90.0).depth
    np.testing.assert_allclose(depth[:, :30], 2.0, rtol=1e-6)
    np.testing.assert_allclose(depth[:, 34:], 3.0, rtol=1e-6)


def test_blended_materials_are_opaque_as_in_habitat() -> None:
    glass = Material(alpha_mode="blend", base_color=(0.2, 0.4, 0.6, 0.1))
    rgb = draw(make_scene(wall(), materials=[glass])).rgb
    assert np.unique(rgb.reshape(-1, 3), axis=0).tolist() == [[51, 102, 153]]


def test_vertex_colours_are_interpolated_in_perspective() -> None:
    slanted = np.array([[[-3, -1, -1], [3, -1, -6], [3, 9, -6]], [[-3, -1, -1], [3, 9, -6], [-3, 9, -1]]])
    colors = np.zeros((6, 4), np.uint8)
    colors[:, 3] = 255
    colors[[1, 2, 4], 0] = 255
    frame = draw(make_scene(slanted, colors=colors))
    x = rays(64, 48, 79.0)[..., 0] * frame.depth
    expected = np.where(frame.depth > 0, (x + 3) / 6 * 255, 0)
    assert abs(frame.rgb[..., 0] - expected).max() <= 2
    assert not frame.rgb[..., 1:].any()


def test_the_base_colour_multiplies_the_texture() -> None:
    texture = np.full((4, 4, 4), 200, np.uint8)
    material = Material(texture=0, base_color=(0.5, 1.0, 0.0, 1.0))
    rgb = draw(make_scene(wall(), materials=[material], uvs=WALL_UVS, textures=(texture,))).rgb
    assert abs(rgb.reshape(-1, 3).astype(int) - [100, 200, 0]).max() <= 1


def test_a_lightmap_takes_the_place_of_vertex_colours_and_keeps_its_fractions() -> None:
    """A wall of 200 under a ramp of light from 40 to 200 of 128; brighter than 1 is brighter than the texture."""
    light = np.zeros((2, 2, 4), np.uint8)
    light[:, 0], light[:, 1] = 40, 200
    textures = (np.full((4, 4, 4), 200, np.uint8), light)
    material = Material(texture=0, lightmap=1, base_color=(1.0, 0.5, 1.0, 1.0))
    scene = make_scene(
        wall(half=2.0), materials=[material], uvs=WALL_UVS * 3, textures=textures,
        light_uvs=WALL_UVS * 0.5 + np.float32(0.25), colors=np.zeros((6, 4), np.uint8),
    )  # fmt: skip
    frame = draw(scene)
    seen = frame.depth > 0
    share = (rays(64, 48, 79.0)[..., 0] * 2.0 + 2.0) / 4.0
    expected = np.minimum(200 * (40 + 160 * share) / 128, 255)
    assert abs(frame.rgb[..., 0] - expected)[seen].max() <= 1
    assert abs(frame.rgb[..., 1] - expected * 0.5)[seen & (expected < 255)].max() <= 1.5
    assert np.diff(frame.rgb[24, seen[24], 0].astype(int)).max() <= 6


@pytest.mark.parametrize("shading", ["unlit", "headlight"])
def test_no_run_takes_light_from_its_neighbours(shading: str) -> None:
    """Triangles of all kinds side by side look as they do among their own kind, to the bit."""
    rng = np.random.default_rng(5)
    corners = rng.normal(0, 1.5, (300, 1, 3)) + rng.normal(0, 0.5, (300, 3, 3)) + (0, 0, -4)
    textures = tuple(rng.integers(0, 256, (size, size, 4), dtype=np.uint8) for size in (24, 9))
    kinds = [
        Material(texture=0, double_sided=True),
        Material(base_color=(0.2, 0.9, 0.4, 1.0), double_sided=True),
        Material(texture=0, base_color=(0.9, 0.3, 0.7, 1.0), double_sided=True),
        Material(texture=0, lightmap=1, double_sided=True),
        Material(texture=0, lightmap=1, base_color=(0.5, 1.0, 0.8, 1.0), double_sided=True),
    ]
    uvs = {name: rng.normal(0, 1, (900, 2)).astype(np.float32) for name in ("uvs", "light_uvs")}

    def picture(ids: np.ndarray) -> Frame:
        fields = {"textures": textures, "object_ids": np.arange(1, 301, dtype=np.int32), **uvs}
        return draw(make_scene(corners, materials=kinds, material_ids=ids, **fields), 300, 90, shading=shading)

    mixed = rng.integers(0, len(kinds), 300)
    seen = picture(mixed)
    kind = np.append(-1, mixed)[seen.semantic]
    assert set(np.unique(kind)) == {-1, *range(len(kinds))}
    for number in range(len(kinds)):
        alone = picture(np.full(300, number))
        assert np.array_equal(alone.semantic, seen.semantic)
        assert np.array_equal(alone.rgb[kind == number], seen.rgb[kind == number])


def test_headlight_shows_shapes_and_auto_leaves_textures_alone() -> None:
    box = room(1)
    assert len(np.unique(draw(box).rgb)) == 1
    assert len(np.unique(draw(box, shading="headlight").rgb)) > 1
    assert len(np.unique(draw(box, shading="auto").rgb)) > 1
    two = np.repeat(np.uint8([[[9], [30]]]), 4, axis=2)
    painted = make_scene(wall(), materials=[Material(texture=0)], uvs=WALL_UVS, textures=(two,))
    assert np.array_equal(draw(painted, shading="auto").rgb, draw(painted, shading="unlit").rgb)
    assert not np.array_equal(draw(painted, shading="auto").rgb, draw(painted, shading="headlight").rgb)


def test_batches_and_threads_answer_as_single_views() -> None:
    rng = np.random.default_rng(0)
    renderer = make_renderer("cpu", room(3), width=50, height=40, hfov=70, outputs=OUTPUTS, shading="headlight")
    places, yaws, pitches = rng.uniform(-1, 1, (20, 3)), rng.uniform(-3, 3, 20), rng.uniform(-1, 1, 20)
    single = [renderer.render(place, yaw, pitch) for place, yaw, pitch in zip(places, yaws, pitches)]
    batch = renderer.render_batch(places, yaws, pitches)
    with ThreadPoolExecutor(6) as pool:
        threaded = list(pool.map(renderer.render, places, yaws, pitches))
    for name in OUTPUTS:
        for frames in (batch, threaded):
            for a, b in zip(single, frames):
                np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert renderer.render_batch(np.zeros((0, 3)), []) == []
    renderer.close()


@njit  # type: ignore[untyped-decorator]
def _span(origin: int, stride: int, a: int, b: int, w: Any, wx: Any, triangle: Any, depth: Any, ids: Any) -> None:
    """`span`, which only kernels can call."""
    span(origin, stride, a, b, w, wx, triangle, depth, ids)


def test_a_span_covers_its_pixels_and_leaves_the_next_row_to_the_thread_that_draws_it() -> None:
    """A negative 1/z, which no scene has, would not outlast being written again."""
    stride, width = 24, 21
    for a in range(width):
        for b in range(a + 1, width + 1):
            depth, ids = np.full(3 * stride, -1, np.float32), np.full(3 * stride, -1, np.int32)
            wanted, nearest = ids.copy(), depth.copy()
            depth[stride : 2 * stride] = nearest[stride : 2 * stride] = np.tile([0.5, 2.0, 1.5], 8)
            row, block = stride + np.arange(a, b), a // 8 * 8
            plane = 1.0 + 0.03125 * np.arange(a - block, b - block)
            wanted[row[plane > nearest[row]]] = 7
            nearest[row] = np.maximum(nearest[row], plane)
            _span(stride, stride, a, b, np.float32(1.0), np.float32(0.03125), np.int32(7), depth, ids)
            assert np.array_equal(depth, nearest)
            assert np.array_equal(ids, wanted)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_a_frame_is_the_same_for_any_number_of_threads(threads: int) -> None:
    """Walls that many strips share, cut by the near plane, hidden in part, with holes, tints and textures."""
    rng = np.random.default_rng(threads)
    corners = rng.normal(0, 2.0, (400, 1, 3)) + rng.normal(0, 1.5, (400, 3, 3)) * rng.choice([0.2, 1, 9], (400, 1, 1))
    picture = rng.integers(0, 256, (33, 20, 4), dtype=np.uint8)
    materials = [
        Material(texture=0, double_sided=True),
        Material(texture=0, alpha_mode="mask", base_color=(0.9, 0.5, 1.0, 1.0)),
        Material(base_color=(0.3, 0.4, 0.5, 1.0)),
    ]
    scene = make_scene(
        corners, materials=materials, material_ids=rng.integers(0, 3, 400), textures=(picture,),
        uvs=rng.normal(0, 2, (1200, 2)).astype(np.float32), colors=rng.integers(0, 256, (1200, 4), dtype=np.uint8),
    )  # fmt: skip
    for size in ((75, 110), (41, 7)):
        one, many = (
            make_renderer("cpu", scene, width=size[0], height=size[1], outputs=OUTPUTS, threads=n) for n in (1, threads)
        )
        for k in range(12):
            place, yaw, pitch = rng.normal(0, 1, 3), rng.uniform(-3, 3), rng.uniform(-1, 1)
            alone, shared = one.render(place, yaw, pitch), many.render(place, yaw, pitch)
            for name in OUTPUTS:
                np.testing.assert_array_equal(getattr(alone, name), getattr(shared, name), err_msg=f"{size} {k} {name}")


def test_a_frame_does_not_wait_for_a_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes when the frame is finished, as on a busy machine or after a fork, finds nothing to do."""
    late: list[Callable[[], int]] = []
    monkeypatch.setattr(cpu, "help_with", late.extend)
    alone, shared = (make_renderer("cpu", room(3), width=50, height=40, threads=n) for n in (1, 4))
    expected, found = alone.render(ORIGIN, 0.3), shared.render(ORIGIN, 0.3)
    assert len(late) == 3
    for work in late:
        work()
    np.testing.assert_array_equal(expected.rgb, found.rgb)
    np.testing.assert_array_equal(expected.depth, found.depth)


def test_a_frame_keeps_its_images_when_others_are_drawn() -> None:
    renderer = make_renderer("cpu", make_scene(wall()), width=40, height=30, hfov=70)
    first = renderer.render(ORIGIN, 0.0)
    kept = first.depth[5:9]
    copy = kept.copy()
    del first
    for k in range(5):
        renderer.render((0, 0, 0.1 * k), 0.3 * k)
    np.testing.assert_array_equal(kept, copy)


def test_wrong_requests_say_what_is_possible() -> None:
    scene = make_scene(wall())
    with pytest.raises(ConfigError, match="cpu, opengl, auto"):
        make_renderer("vulkan", scene)
    with pytest.raises(ConfigError, match="rgb, depth"):
        make_renderer("cpu", scene, outputs=("rgb", "smell"))
    with pytest.raises(ConfigError, match="headlight"):
        make_renderer("cpu", scene, shading="disco")  # type: ignore[arg-type]
    with pytest.raises(SimulatorError, match="as many"):
        make_renderer("cpu", scene).render_batch(np.zeros((3, 3)), [0.0])
    with pytest.raises(SimulatorError, match="without 'rgb'"):
        _ = Frame({}).rgb


def test_holes_follow_vertex_alpha() -> None:
    colors = np.full((6, 4), 255, np.uint8)
    colors[[1, 2, 4], 3] = 0  # transparent on the right
    scene = make_scene(wall(half=2.0), materials=[Material(alpha_mode="mask", alpha_cutoff=0.5)], colors=colors)
    depth = draw(scene, 64, 64, 90.0).depth
    assert (depth[:, :31] > 0).all()
    assert not depth[:, 33:].any()


def test_auto_takes_a_renderer_that_works() -> None:
    frame = make_renderer("auto", make_scene(wall()), width=16, height=16).render(ORIGIN, 0.0)
    np.testing.assert_allclose(frame.depth, 2.0, rtol=1e-5)


def test_extreme_scenes_do_not_crash() -> None:
    rng = np.random.default_rng(1)
    far = rng.normal(0, 1e7, (50, 3, 3))
    thin = rng.normal(0, 1, (50, 1, 3)) + rng.normal(0, 1e-7, (50, 3, 3))
    huge = rng.normal(0, 1, (50, 3, 3)) * 10.0 ** rng.uniform(-4, 6, (50, 1, 1))
    corners = np.concatenate([far, thin, huge])
    uvs = rng.normal(0, 1e6, (450, 2)).astype(np.float32)
    uvs[:9] = np.nan
    scene = make_scene(
        corners, materials=[Material(texture=0, double_sided=True)], uvs=uvs, textures=(np.zeros((3, 5, 4), np.uint8),)
    )
    renderer = make_renderer("cpu", scene, width=33, height=31, hfov=120)
    for k in range(50):
        frame = renderer.render(rng.normal(0, 1, 3), rng.uniform(-4, 4), rng.uniform(-1.5, 1.5), math.pi * k)
        assert np.isfinite(frame.depth).all()


def test_no_background_in_a_thousand_poses() -> None:
    rng = np.random.default_rng(7)
    renderer = make_renderer("cpu", room(6), width=160, height=120, hfov=90, outputs=("depth",))
    size = 4.0 * np.array([1.0, 0.4, 0.8])
    places = rng.uniform(-0.98, 0.98, (1000, 3)) * size
    places[::10, 0] = size[0] - 0.012  # so close to a wall that the near plane nearly touches it
    yaws, pitches = rng.uniform(-np.pi, np.pi, 1000), rng.uniform(-1.5, 1.5, 1000)
    yaws[::10] = np.pi / 2
    for start in range(0, 1000, 100):
        part = slice(start, start + 100)
        for frame in renderer.render_batch(places[part], yaws[part], pitches[part]):
            assert (frame.depth > 0).all()
